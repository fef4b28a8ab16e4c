"""Quotients whose divisors vanish at repeated eigenvalues and singular values, where vectors have no derivative.

There only what does not depend on the choice of vectors has one. Then what would be divided vanishes, and the quotient
counts as zero; otherwise it is no number. So is the derivative of a quotient that counts as zero.
"""

from __future__ import annotations

from enzyme.engine.derivatives.blas.language import (
    Number,
    Numbers,
    Real,
    floor,
    formula,
    imag,
    inlined,
    not_a_number,
    pair,
    real,
    steep,
    upscale,
)

SLACK = 16.0


@inlined
def magnitude(x: Number) -> Real:
    """Within a factor of two, the absolute value."""
    return abs(real(x)) + abs(imag(x))


@formula
def largest_of(m: int, n: int, x: Numbers, ldx: int) -> Real:
    """The largest magnitude in a matrix; what is no number is larger than all."""
    found = 0.0
    for j in range(n):
        for i in range(m):
            size = magnitude(x[i + ldx * j])
            if not size <= found:
                found = size
    return found


@inlined
def zero_without_derivative(x: Real) -> Real:
    """Zero, which is infinitely steep: what is left of a whole number when it is taken off."""
    whole = x * upscale()
    rest = whole - floor(whole)
    if rest != 0.0:
        return 0.0
    return steep(rest)


@inlined
def vanished(top: Number, size: Real, negligible: Real) -> Number:
    """The quotient by zero; `size` is that of what goes into the numerator."""
    if size <= SLACK * negligible:
        return pair(zero_without_derivative(real(top)), zero_without_derivative(imag(top)))
    return top * not_a_number()


@inlined
def over(top: Number, divisor: Real, vanishes: bool, size: Real, negligible: Real) -> Number:
    if vanishes:
        return vanished(top, size, negligible)
    return top / divisor


@inlined
def over_number(
    top: Number, divisor: Number, vanishes: bool, size: Real, negligible: Real
) -> Number:
    if vanishes:
        return vanished(top, size, negligible)
    return top / divisor
