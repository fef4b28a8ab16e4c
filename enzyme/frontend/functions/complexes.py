"""Functions of complex numbers.

Numba composes inverse functions of moduli, square roots and arc tangents, in cases by size. What is smooth
is the whole and not the parts: the modulus of an imaginary part has a kink on the real axis, and cuts
are told apart by the sign of a zero. So each function has its holomorphic derivative, written with the square
root, which has the right side of the cut. Where that is infinite, at the ends of cuts, the square root has
derivative 0 as for real numbers, and the others are not finite.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-untyped-call, untyped-decorator"

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.typing import signature
from numba.cpython import cmathimpl as scalars
from numba.cpython import mathimpl
from numba.cpython import numbers as scalar_numbers
from numba.extending import intrinsic, overload, register_jitable
from numba.np import npyfuncs
from numba.np.math import cmathimpl as loops
from numba.np.math import numbers as loop_numbers

from enzyme.frontend.functions.stated import (
    TARGET,
    Implementation,
    constant,
    differential,
    implements,
    with_derivative_of,
)
from enzyme.frontend.numba_compat import functions as private

# The square root ----------------------------------------------------------------------------------


def _square_root(largest: Any) -> Callable[[Any], Any]:
    """Numba's algorithm for numbers up to `largest`. To the left the root's imaginary part has the sign of the
    number's, also where that is a zero, and the real part follows from it without a modulus."""
    threshold = largest / (1.0 + 1.414213562373095048801688724209698079e0)

    def square_root(z: Any) -> Any:
        a = z.real
        b = z.imag
        if a == 0.0 and b == 0.0:
            return constant(complex(abs(b), b))
        # As that of the real root, the slope is zero at infinity and where the argument is no number.
        if math.isinf(b):
            return constant(complex(abs(b), b))
        if math.isnan(a):
            return constant(complex(a, a))
        if math.isinf(a):
            if a < 0.0:
                return constant(complex(abs(b - b), math.copysign(a, b)))
            else:
                return constant(complex(a, math.copysign(b - b, b)))
        if abs(a) >= threshold or abs(b) >= threshold:
            a *= 0.25
            b *= 0.25
            scale = True
        else:
            scale = False
        if a >= 0:
            t = math.sqrt((a + math.hypot(a, b)) * 0.5)
            real = t
            imag = b / (2 * t)
        else:
            t = math.copysign(math.sqrt((-a + math.hypot(a, b)) * 0.5), b)
            real = b / (2 * t)
            imag = t
        if scale:
            return complex(real * 2, imag)
        root = complex(real, imag)
        # The steps of the algorithm have slopes beyond the range of numbers where z is tiny.
        half = np.reciprocal(root)
        slope = complex(0.5 * half.real, 0.5 * half.imag)
        return with_derivative_of(root, differential(slope, z))

    return square_root


_ROOTS = {32: _square_root(mathimpl.FLT_MAX), 64: _square_root(mathimpl.DBL_MAX)}


@implements(scalars.sqrt_impl, loops.sqrt_impl, npyfuncs.np_complex_sqrt_impl)
def sqrt(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    """``cmath.sqrt(z)``."""
    root = _ROOTS[sig.args[0].underlying_float.bitwidth]
    return context.compile_internal(builder, root, sig, args)


# Inverse functions --------------------------------------------------------------------------------
# 1 - z is written in parts: subtraction of complex numbers loses the sign of a zero.


def _logarithm_slope(factor: float) -> Any:
    @register_jitable
    def slope(z: Any) -> Any:
        inverse = np.reciprocal(z)
        return complex(factor * inverse.real, factor * inverse.imag)

    return slope


@register_jitable
def _logarithm_of_sum_slope(z: Any) -> Any:
    return np.reciprocal(complex(1.0 + z.real, z.imag))


@register_jitable
def _arcsine_slope(z: Any) -> Any:
    below, above = complex(1.0 - z.real, -z.imag), complex(1.0 + z.real, z.imag)
    return np.reciprocal(np.sqrt(below) * np.sqrt(above))


@register_jitable
def _arccosine_slope(z: Any) -> Any:
    return -_arcsine_slope(z)


@register_jitable
def _area_cosine_slope(z: Any) -> Any:
    below, above = complex(z.real - 1.0, z.imag), complex(z.real + 1.0, z.imag)
    return np.reciprocal(np.sqrt(below) * np.sqrt(above))


@register_jitable
def _area_sine_slope(z: Any) -> Any:
    return _arcsine_slope(complex(-z.imag, z.real))


@register_jitable
def _area_tangent_slope(z: Any) -> Any:
    below, above = complex(1.0 - z.real, -z.imag), complex(1.0 + z.real, z.imag)
    return np.reciprocal(below) * np.reciprocal(above)


@register_jitable
def _arctangent_slope(z: Any) -> Any:
    return _area_tangent_slope(complex(-z.imag, z.real))


def _state_slope(slope: Any, *theirs: Implementation) -> None:
    """Each of these implementations keeps its value, and gets this derivative."""

    def stated(value: Any, z: Any) -> Any:
        return with_derivative_of(value, differential(slope(z), z))

    for implementation in theirs:

        @implements(implementation)
        def lowered(
            context: Any, builder: Any, sig: Any, args: Any, implementation: Any = implementation
        ) -> Any:
            value = implementation(context, builder, sig, args)
            kind = sig.args[0]
            both = signature(kind, kind, kind)
            return context.compile_internal(builder, stated, both, (value, args[0]))


_state_slope(_logarithm_slope(1.0), scalars.log_impl, npyfuncs.np_complex_log_impl)
_state_slope(_logarithm_slope(private.LOG_2_E), npyfuncs.np_complex_log2_impl)
_state_slope(_logarithm_slope(private.LOG_10_E), npyfuncs.np_complex_log10_impl)
_state_slope(_logarithm_of_sum_slope, npyfuncs.np_complex_log1p_impl)
_state_slope(_arcsine_slope, scalars.asin_impl, loops.asin_impl)
_state_slope(_arccosine_slope, scalars.acos_impl, loops.acos_impl)
_state_slope(_arctangent_slope, scalars.atan_impl, loops.atan_impl)
_state_slope(_area_sine_slope, scalars.asinh_impl, loops.asinh_impl)
_state_slope(_area_cosine_slope, npyfuncs.np_complex_acosh_impl)
_state_slope(_area_tangent_slope, scalars.atanh_impl, loops.atanh_impl)


@overload(cmath.acosh, target=TARGET)
def acosh(z: Any) -> Any:
    """``cmath.acosh(z)``."""
    if not isinstance(z, types.Complex):
        return None
    computed = register_jitable(scalars.impl_cmath_acosh(z))
    kind = z

    def impl(z: Any) -> Any:
        value = kind(computed(z))
        return with_derivative_of(value, differential(_area_cosine_slope(z), z))

    return impl


# Powers -------------------------------------------------------------------------------------------


_intrinsic: Any = intrinsic


@_intrinsic
def _general_power(typingctx: Any, z: Any, w: Any) -> Any:
    """The C function that numba calls unless w is 2, as a function of numbers (`engine.derivatives.complex`)."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        name = "enzyme.cpowf" if sig.return_type == types.complex64 else "enzyme.cpow"
        numbers = [context.make_complex(builder, sig.return_type, value=a) for a in args]
        parts = [part for number in numbers for part in (number.real, number.imag)]
        kind = parts[0].type
        signature = ir.FunctionType(ir.LiteralStructType([kind, kind]), [kind] * 4)
        callee = cgutils.get_or_insert_function(builder.module, signature, name)
        power = builder.call(callee, parts)
        made = context.make_complex(builder, sig.return_type)
        made.real, made.imag = (builder.extract_value(power, k) for k in (0, 1))
        return made._getvalue()

    return z(z, z), codegen


def _power(z: Any, w: Any) -> Any:
    """Numba's power. A square is a product, in which w has no part; both slopes depend on both all the same."""
    if w.real == 2 and w.imag == 0:
        square = z * z
        size = math.hypot(z.real, z.imag) + 1e-300  # at 0, where the power is 0, a finite logarithm
        logarithm = complex(math.log(size), math.atan2(z.imag, z.real))
        slope = _general_power(z, w) * logarithm
        mixed = _general_power(z, w - 1) * (1 + w * logarithm)
        twice = with_derivative_of(z + z, z + z + differential(mixed, w))
        return with_derivative_of(square, differential(twice, z) + differential(slope, w))
    return _general_power(z, w)


@implements(
    scalar_numbers.complex_power_impl,
    loop_numbers.complex_power_impl,
    npyfuncs.np_complex_power_impl,
    npyfuncs.np_complex_float_power_impl,
)
def power(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    """``z ** w``."""
    return context.compile_internal(builder, _power, sig, args)
