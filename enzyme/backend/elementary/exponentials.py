"""Exponentials and hyperbolic functions.

X is n log 2 + r with |r| at most half of log 2, e^x is 2^n e^r. What r lacks of the exact rest is `low`.
"""

from __future__ import annotations

from typing import NamedTuple

from enzyme.backend.elementary import coefficients as c
from enzyme.backend.elementary.pairs import Pair, ordered_sum, product, quotient, sum_of
from enzyme.backend.elementary.writing import Bits, Condition, Number

# Beyond, the result is infinite or zero whatever x is.
_LARGEST, _SMALLEST = 710.0, -746.0
# Below, the function is its argument.
_TINY = 2.0**-28


class Reduced(NamedTuple):
    integer: Number
    bits: Bits
    rest: Number
    low: Number


def between(x: Number, low: float, high: float) -> Number:
    """X, or the bound beyond which it is; nan stays."""
    x = (x > high).choose(high, x)
    return (x < low).choose(low, x)


def reduced(x: Number) -> Reduced:
    w = x.writer
    n, bits = w.nearest(x * c.LOG2_E)
    if w.single:
        return Reduced(n, bits, w.fma(-n, c.LN2_PAIR[0], x), w.nothing)
    high = w.fma(-n, c.LN2[0], x)
    rest = w.fma(-n, c.LN2[1], high)
    low = w.fma(-n, c.LN2[1], high - rest)
    return Reduced(n, bits, rest, low)


def scaled(x: Number, n: Number) -> Number:
    """X 2^n in two steps, of which the second alone may leave the range of doubles or lose digits."""
    w = x.writer
    if w.single:
        return x * w.power_of_two(w.nearest(n)[1])
    half, bits = w.nearest(0.5 * n)
    return x * w.power_of_two(bits) * w.power_of_two(w.nearest(n - half)[1])


def exp(x: Number) -> Number:
    w = x.writer
    n, _, r, low = reduced(between(x, *((-200.0, 200.0) if w.single else (_SMALLEST, _LARGEST))))
    more = w.fma(r * r, w.polynomial(r, c.EXP), low)
    return scaled(1.0 + (r + more), n)


def exp2(x: Number) -> Number:
    w = x.writer
    x = between(x, *((-200.0, 200.0) if w.single else (-1080.0, 1025.0)))
    n, _ = w.nearest(x)
    return scaled(exp2_of_fraction(x - n), n)


def exp2_of_fraction(r: Number, lost: Number | None = None) -> Number:
    """2^r for |r| up to a half, and what `lost` is more."""
    w = r.writer
    t, low = product(r, c.LN2_PAIR[0])
    if not w.single:
        low = w.fma(r, c.LN2_PAIR[1], low)
    if lost is not None:
        low = w.fma(lost, c.LN2_PAIR[0], low)
    high, more = ordered_sum(1.0, t)
    return high + (more + w.fma(t * t, w.polynomial(t, c.EXP), low))


def _less_one(found: Reduced, scale: Number) -> Pair:
    """Scale e^r - 1/2, where twice the scale is a power of two: half of e^x - 1."""
    r, w = found.rest, found.rest.writer
    # The polynomial is 1/2 and more, which the half of r² says exactly.
    _, *others = w.row(c.EXP)
    more = w.fma(r * r * r, w.sum_of_powers(r, others), found.low)
    high, low = sum_of(scale - 0.5, scale * r)
    return Pair(high, w.fma(scale, w.fma(0.5 * r, r, more), low))


def expm1(x: Number) -> Number:
    w = x.writer
    found = reduced(between(x, -40.0, _LARGEST))
    high, low = _less_one(found, w.power_of_two(found.bits - 1))
    return (abs(x) < 2.0**-54).choose(x, 2.0 * (high + low))


def tanh(x: Number) -> Number:
    """E / (e + 2) with e = exp(2 |x|) - 1, of which halves are at hand."""
    w = x.writer
    size = abs(x)
    found = reduced(between(2.0 * size, 0.0, 50.0))
    half = _less_one(found, w.power_of_two(found.bits - 1))
    top = ordered_sum(half.high, half.low)
    over = sum_of(1.0, top.high)
    high, low = quotient(top, Pair(over.high, over.low + top.low))
    return w.with_sign_of((size < _TINY).choose(size, high + low), x)


def _is_far(e: Number) -> Condition:
    """Derivatives keep e, which is tanh x where that tells the slope, and x elsewhere. Most loops are never there."""
    return abs(e) >= (0.9 if e.writer.single else 0.99)


def tanh_kept(e: Number) -> Number:
    """The tangent out of what is kept; elsewhere `tanh` computes it."""
    e.writer.rarely(_is_far(e))
    return e


def tanh_slope(e: Number) -> Number:
    """The slope out of what is kept; elsewhere `tanh_slope_far` computes it."""
    e.writer.rarely(_is_far(e))
    return (1.0 - e) * (1.0 + e)


def tanh_slope_far(x: Number) -> Number:
    """1 / cosh² x: not as accurate as the functions, which would be of no use in a factor."""
    e = exp(-2.0 * abs(x))
    over = 1.0 + e
    return 4.0 * e / (over * over)


class _Halves(NamedTuple):
    """Even and odd part of e^r and the powers of two before them, all halved once more."""

    even: Number
    odd: Number
    rest: Number
    rising: Number
    falling: Number


def _halves(size: Number) -> _Halves:
    w = size.writer
    n, bits, r, low = reduced(between(size, 0.0, 710.5))
    square = r * r
    even = square * w.polynomial(square, c.COSH)
    odd = w.fma(r * square, w.polynomial(square, c.SINH), low)
    falls = w.nearest(-2.0 - between(n, 0.0, 60.0))[1]
    return _Halves(even, odd, r, w.power_of_two(bits - 2), w.power_of_two(falls))


def sinh(x: Number) -> Number:
    w = x.writer
    size = abs(x)
    even, odd, r, a, b = _halves(size)
    total = a + b
    difference, lost = ordered_sum(a, -b)
    high, low = sum_of(difference, a * r)
    high, more = sum_of(high, b * r)
    low = w.fma(difference, even, w.fma(total, odd, (low + more) + lost))
    return w.with_sign_of((size < _TINY).choose(size, 2.0 * (high + low)), x)


def cosh(x: Number) -> Number:
    w = x.writer
    even, odd, r, a, b = _halves(abs(x))
    difference = a - b
    total, lost = ordered_sum(a, b)
    high, low = sum_of(total, difference * r)
    low = w.fma(total, even, w.fma(difference, odd, low + lost))
    return 2.0 * (high + low)
