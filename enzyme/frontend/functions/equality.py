"""Equality of floats, in a form that does not tell LLVM what a number is.

Behind a test for ``x == 2.0`` LLVM writes 2.0 in place of x, and what is computed there does not depend on x any
more: right as a value, wrong as a function. Where a number is zero, it takes ``3.0 * x`` for x. Numbers are equal
exactly if their bits are, or if both are zero, that is smaller than any other; of bits and of sizes LLVM draws
no such conclusions.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-untyped-call, untyped-decorator"

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.cpython import numbers as scalars
from numba.np import npyfuncs
from numba.np.math import mathimpl
from numba.np.math import numbers as loops

from enzyme.frontend.functions.stated import implements

_WIDTHS = {"half": 16, "float": 32, "double": 64}
_SMALLEST = {"half": 2.0**-24, "float": 2.0**-149, "double": 2.0**-1074}


def _is_zero(builder: Any, x: Any) -> Any:
    size = mathimpl.call_fp_intrinsic(builder, "llvm.fabs", [x])
    return builder.fcmp_ordered("<", size, x.type(_SMALLEST[str(x.type)]))


def _equal(builder: Any, x: Any, y: Any) -> Any:
    for one, other in ((x, y), (y, x)):
        if isinstance(one, ir.Constant) and one.constant == 0.0:
            return _is_zero(builder, other)
    kind = ir.IntType(_WIDTHS[str(x.type)])
    same = builder.icmp_unsigned("==", *(builder.bitcast(v, kind) for v in (x, y)))
    zeros = builder.and_(_is_zero(builder, x), _is_zero(builder, y))
    return builder.and_(builder.fcmp_ordered("ord", x, y), builder.or_(same, zeros))


@implements(scalars.float_as_bool)
def float_as_bool(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    """``bool(x)``."""
    return builder.not_(_is_zero(builder, args[0]))


@implements(scalars.complex_as_bool)
def complex_as_bool(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    """``bool(z)``."""
    z = context.make_complex(builder, sig.args[0], value=args[0])
    return builder.not_(builder.and_(_is_zero(builder, z.real), _is_zero(builder, z.imag)))


@implements(scalars.real_eq_impl, loops.real_eq_impl)
def real_eq(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    """``x == y``."""
    return _equal(builder, *args)


@implements(scalars.real_ne_impl, loops.real_ne_impl)
def real_ne(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    """``x != y``."""
    return builder.not_(_equal(builder, *args))


def _both_equal(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    z, w = (context.make_complex(builder, sig.args[0], value=a) for a in args)
    return builder.and_(_equal(builder, z.real, w.real), _equal(builder, z.imag, w.imag))


@implements(scalars.complex_eq_impl, npyfuncs.np_complex_eq_impl)
def complex_eq(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    """``z == w``."""
    return _both_equal(context, builder, sig, args)


@implements(scalars.complex_ne_impl, npyfuncs.np_complex_ne_impl)
def complex_ne(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    """``z != w``."""
    return builder.not_(_both_equal(context, builder, sig, args))
