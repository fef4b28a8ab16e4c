"""Logarithms: x is 2^k m with m between the roots of 1/2 and of 2, log m is 2 artanh(f / (2 + f)) with f = m - 1.

With s = f / (2 + f) and h = f² / 2, log(1 + f) = f - h + s (h + R): R is what is left of the series, a polynomial of
s². That way f, which is exact, stands outside of all roundings.
"""

from __future__ import annotations

from typing import NamedTuple

from enzyme.backend.elementary import coefficients as c
from enzyme.backend.elementary.pairs import ordered_sum, sum_of
from enzyme.backend.elementary.writing import Bits, Number

_LEAST_NORMAL = 2.0**-1022
_INFINITE = float("inf")
_NAN = float("nan")
_ROOT_OF_HALF = 0x3FE6A09E667F3BCD
_MANTISSA_MASK = (1 << 52) - 1
# The bits of 2^52: or'ed with an integer of less, it is that much more.
_TO_NUMBER = 0x4330000000000000


class Parts(NamedTuple):
    """X is 2^exponent fraction; `bits` are those of the exponent in place, `raw` those of x."""

    fraction: Number
    exponent: Number
    bits: Bits


def parts(x: Number) -> Parts:
    """Of a positive, finite and normal number."""
    # The exponent of m / sqrt(1/2) is that of x, or one more where m would be too large.
    moved = x.bits() - _ROOT_OF_HALF
    k = (moved >> 52) & 0xFFF
    # Arithmetic shift by hand: k is a number of 12 bits with a sign.
    exponent = ((k ^ 0x800) | _TO_NUMBER).number() - (2.0**52 + 2048.0)
    fraction = ((moved & _MANTISSA_MASK) + _ROOT_OF_HALF).number()
    return Parts(fraction, exponent, k)


class Series(NamedTuple):
    """Log(1 + f) is f - half + rest."""

    half: Number
    rest: Number


def series(f: Number) -> Series:
    w = f.writer
    s = f / (2.0 + f)
    square = s * s
    half = 0.5 * f * f
    return Series(half, s * w.fma(square, w.polynomial(square, c.LOG), half))


def normal_of(x: Number) -> tuple[Number, Number]:
    """X, or where it is denormal a normal number and the exponent that was added."""
    if x.writer.single:
        return x, x.writer.nothing
    small = x < _LEAST_NORMAL
    return small.choose(x * 2.0**54, x), small.choose(-54.0, 0.0)


def _with_poles(x: Number, made: Number) -> Number:
    """The logarithm `made` where x is positive and finite, and what it is elsewhere."""
    made = (x < _INFINITE).choose(made, x)
    made = (x < 0.0).choose(_NAN, made)
    return x.equals(0.0).choose(-_INFINITE, made)


def _reduced(x: Number) -> tuple[Number, Number, Number, Number]:
    """The exponent k and f of ``x = 2**k (1 + f)``, and what `series` has of f."""
    normal, added = normal_of(x)
    fraction, exponent, _ = parts(normal)
    k = exponent + added
    f = fraction - 1.0
    half, rest = series(f)
    return k, f, half, rest


def log(x: Number) -> Number:
    w = x.writer
    k, f, half, rest = _reduced(x)
    low = w.fma(k, c.LN2[1], rest) - half
    high, more = ordered_sum(k * c.LN2[0], f)
    return _with_poles(x, high + (low + more))


def log1p(x: Number) -> Number:
    w = x.writer
    one_more = 1.0 + x
    # What the sum has lost, of the smaller of the two.
    larger = abs(x) < 1.0
    lost = larger.choose(x - (one_more - 1.0), 1.0 - (one_more - x))
    fraction, exponent, bits = parts(one_more)
    scale = w.power_of_two(w.bits(0) - bits)
    lost = (abs(exponent) < 100.0).choose(lost * scale, 0.0)
    f, f_low = sum_of(fraction - 1.0, lost)
    half, rest = series(f)
    low = (w.fma(exponent, c.LN2[1], rest) - half) + f_low
    high, more = ordered_sum(exponent * c.LN2[0], f)
    made = _with_poles(one_more, high + (low + more))
    return (abs(x) < 2.0**-54).choose(x, made)


def _to_base(x: Number, inverse: tuple[float, ...], of_two: tuple[float, float]) -> Number:
    """The logarithm to a base, from the inverse of the logarithm of the base in two parts and that of 2."""
    w = x.writer
    k, f, half, rest = _reduced(x)
    # The upper half of the bits of log(1 + f): its product with the upper part of the inverse is exact.
    if w.single:
        return _with_poles(x, w.fma((f - half) + rest, inverse[0] + inverse[1], k * sum(of_two)))
    upper = ((f - half).bits() & -(2**32)).number()
    lower = ((f - upper) - half) + rest
    low = w.fma(lower + upper, inverse[1], lower * inverse[0])
    high, more = ordered_sum(k * of_two[0], upper * inverse[0])
    return _with_poles(x, high + (w.fma(k, of_two[1], low) + more))


def log2(x: Number) -> Number:
    return _to_base(x, c.LOG2_E_PARTS, (1.0, 0.0))


def log10(x: Number) -> Number:
    return _to_base(x, c.LOG10_E_PARTS, c.LOG10_2)
