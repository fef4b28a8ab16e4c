"""Powers of floats with integer exponents.

Numba's loop of squares and products is a function for the engine, which knows its derivative
(`engine.derivatives.integer_powers`). Beside it stand numba's errors: for an exponent without a negative, and where 1
is divided by a power that is zero.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-untyped-call, untyped-decorator"

from __future__ import annotations

import math
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.cpython import numbers as scalars
from numba.extending import intrinsic
from numba.np.math import numbers as loops

from enzyme.engine.derivatives.integer_powers import LARGEST, POWER
from enzyme.frontend.functions.stated import Implementation, implements

_KINDS = {types.float64: "f64", types.float32: "f32"}
_intrinsic: Any = intrinsic


@_intrinsic
def _power(typingctx: Any, x: Any, n: Any) -> Any:
    """The engine's function."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        number, exponent = args
        bits = ir.IntType(64)
        if exponent.type.width < bits.width:
            widen = builder.sext if n.signed else builder.zext
            exponent = widen(exponent, bits)
        kind = number.type
        callee = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(kind, (kind, bits)), f"{POWER}.{_KINDS[x]}"
        )
        return builder.call(callee, (number, exponent))

    return x(x, n), codegen


def _implement(theirs: Implementation) -> None:
    @implements(theirs)
    def int_power(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        """``x ** n``."""
        base, exponent = sig.args
        kind = sig.return_type
        # Of a constant exponent LLVM makes products, which it may take apart with what they are of. With a negative one
        # they stand in a quotient, whose derivatives do not reach as far as those of a power.
        known = isinstance(args[1], ir.Constant) and (
            not isinstance(args[1].constant, int) or args[1].constant >= 0
        )
        if known or kind not in _KINDS or not isinstance(base, types.Float):
            return theirs(context, builder, sig, args)
        signed, largest, least = exponent.signed, LARGEST, -LARGEST

        def power(x: Any, n: Any) -> Any:
            number = kind(x)
            if signed:
                made = _power(number, n)
                if n < 0:
                    if -n < 0:
                        raise OverflowError
                    # Only where it is infinite it may be 1 / 0, which numba raises in all of its models.
                    if n >= least and made - made != 0.0 and _power(number, -n) == 0.0:
                        raise ZeroDivisionError("division by zero")
                return made
            if n > largest:
                return kind(math.pow(number, float(n)))
            return _power(number, n)

        return context.compile_internal(builder, power, sig, args)


_implement(scalars.int_power_impl)
_implement(loops.int_power_impl)
