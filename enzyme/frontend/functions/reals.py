"""Functions of floats: remainders, signs, rounding, sums of exponentials, the cardinal sine.

A remainder ``x - n y`` has slopes 1 and -n everywhere, also where it is zero; quotients, signs and rounded
numbers have none. ``log(exp(x) + exp(y))`` is symmetric where its arguments are equal.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-untyped-call, untyped-decorator"

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba.core import cgutils, types
from numba.cpython import builtins
from numba.cpython import numbers as scalars
from numba.extending import overload, register_jitable
from numba.np import arraymath, npyfuncs
from numba.np.math import mathimpl
from numba.np.math import numbers as loops

from enzyme.frontend.functions.stated import (
    TARGET,
    constant,
    differential,
    emit_constant,
    emit_differential,
    emit_with_derivative_of,
    implements,
    with_derivative_of,
)
from enzyme.frontend.numba_compat import functions as private

# Quotients and remainders -------------------------------------------------------------------------


def _remainder(builder: Any, value: Any, x: Any, y: Any) -> Any:
    """`value`, which is x - n y; the difference is a multiple of y, up to rounding."""
    quotient = builder.fdiv(builder.fsub(x, value), y)
    whole = mathimpl.call_fp_intrinsic(builder, "llvm.rint", [quotient])
    model = builder.fsub(x, emit_differential(builder, whole, y))
    return emit_with_derivative_of(builder, value, model)


@implements(scalars.real_mod_impl)
def real_mod(context: Any, builder: Any, sig: Any, args: Any, loc: Any = None) -> Any:
    """``x % y``."""
    value = scalars.real_mod_impl(context, builder, sig, args, loc)
    return _remainder(builder, value, *args)


@implements(scalars.real_floordiv_impl)
def real_floordiv(context: Any, builder: Any, sig: Any, args: Any, loc: Any = None) -> Any:
    """``x // y``."""
    value = scalars.real_floordiv_impl(context, builder, sig, args, loc)
    return emit_constant(builder, value)


@implements(scalars.real_divmod_impl)
def real_divmod(context: Any, builder: Any, sig: Any, args: Any, loc: Any = None) -> Any:
    """``divmod(x, y)``."""
    both = scalars.real_divmod_impl(context, builder, sig, args, loc)
    quotient, value = cgutils.unpack_tuple(builder, both, 2)
    return cgutils.pack_array(
        builder, (emit_constant(builder, quotient), _remainder(builder, value, *args))
    )


# Signs and rounding -------------------------------------------------------------------------------


@implements(scalars.real_sign_impl, loops.real_sign_impl)
def real_sign(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    """``np.sign(x)``: numba returns x itself at zero."""
    return emit_constant(builder, loops.real_sign_impl(context, builder, sig, args))


@implements(builtins.round_impl_binary)
def round_digits(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    """``round(x, digits)``: numba returns x itself where it is too large to be rounded."""
    return emit_constant(builder, builtins.round_impl_binary(context, builder, sig, args))


@overload(np.around, target=TARGET)
@overload(np.round, target=TARGET)
def np_round(a: Any, decimals: Any = 0, out: Any = None) -> Any:
    """``np.round`` of one number; arrays are rounded by numba, number by number."""
    if not isinstance(a, (types.Float, types.Complex)) or not is_left_out(out):
        return None
    rounded = register_jitable(arraymath.impl_np_round(a, decimals, out))

    def impl(a: Any, decimals: Any = 0, out: Any = None) -> Any:
        return constant(rounded(a, decimals))

    return impl


def is_left_out(ty: Any) -> bool:
    """Is an optional argument of an overload left out?"""
    return ty is None or isinstance(ty, (types.NoneType, types.Omitted))


# Sums of exponentials -----------------------------------------------------------------------------


def _state_logaddexp(theirs: Any, shift: float, log1p: Any, exp: Any) -> None:
    """Of equal infinities each has half of the derivative: their difference has none."""

    @overload(theirs, target=TARGET)
    def logaddexp(x1: Any, x2: Any) -> Any:
        if x1 != x2:
            return None
        equal, half = x1(shift), x1(0.5)

        def impl(x1: Any, x2: Any) -> Any:
            difference = x1 - x2
            if difference > 0:
                return x1 + log1p(exp(-difference))
            elif difference <= 0:
                rest = log1p(exp(difference))
                if difference == 0:
                    rest = with_derivative_of(equal, rest)
                return x2 + rest
            elif x1 <= x2:  # and not x1 == x2: behind that LLVM writes the one for the other
                mean = differential(half, x1) + differential(half, x2)
                return with_derivative_of(x1, mean)
            else:
                return difference

        return impl


_state_logaddexp(private.logaddexp, private.LOG_E_2, np.log1p, np.exp)
_state_logaddexp(private.logaddexp2, 1.0, npyfuncs.npy_log2_1p, np.exp2)

# The cardinal sine --------------------------------------------------------------------------------

_NEAR = 0.3  # of zero: the series has the derivatives to full accuracy, the quotient does not
_SERIES = tuple((-1.0) ** k / math.factorial(2 * k + 1) for k in range(13))


@register_jitable
def _sinc_series(u: Any) -> Any:
    square = u * u
    made = square * 0.0 + _SERIES[-1]
    for k in range(1, len(_SERIES)):
        made = made * square + _SERIES[-1 - k]
    return made


@overload(np.sinc, target=TARGET)
def np_sinc(x: Any) -> Any:
    """``sin(pi x) / (pi x)`` of one number; numba puts 1e-20 in place of 0."""
    if not isinstance(x, (types.Float, types.Complex)):
        return None
    quotient = register_jitable(arraymath.impl_np_sinc(x))
    kind = x

    def impl(x: Any) -> Any:
        value = quotient(x)
        if abs(x) < _NEAR:
            return with_derivative_of(value, kind(_sinc_series(x * np.pi)))
        return value

    return impl
