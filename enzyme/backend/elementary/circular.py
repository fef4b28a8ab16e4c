"""Sine, cosine and tangent: x is n π/2 + r with |r| at most π/4, and n says which of sine and cosine of r it is.

Π/2 is taken away in four parts, the products of the first three with n are exact. That is right up to 10^6; beyond, a
number goes to the C library.
"""

from __future__ import annotations

from typing import NamedTuple

from enzyme.backend.elementary import coefficients as c
from enzyme.backend.elementary.pairs import Pair, ordered_sum, quotient, sum_of
from enzyme.backend.elementary.writing import Bits, Number

_FARTHEST = 1.0e6
# Below, the sine is its argument.
_TINY = 2.0**-28


class Angle(NamedTuple):
    """The rest, and bits that end in the number of quarters."""

    rest: Pair
    quarters: Bits


def reduced(x: Number) -> Angle:
    w = x.writer
    w.rarely(~(abs(x) <= _FARTHEST))
    n, quarters = w.nearest(x * c.TWO_OVER_PI)
    first, second, third, last = c.HALF_PI
    near = w.fma(-n, first, x)
    high, low = sum_of(near, n * -second)
    high, more = sum_of(high, n * -third)
    if w.single:
        return Angle(Pair(high, w.nothing), quarters)
    return Angle(ordered_sum(high, (low + more) - n * last), quarters)


def sine_of(r: Pair) -> Pair:
    w = r.high.writer
    z = r.high * r.high
    low = r.low if w.single else w.fma(-0.5 * z, r.low, r.low)
    return Pair(r.high, w.fma(r.high * z, w.polynomial(z, c.SIN), low))


def cosine_of(r: Pair) -> Pair:
    w = r.high.writer
    z = r.high * r.high
    half = 0.5 * z
    high = 1.0 - half
    low = w.nothing if w.single else w.fma(-r.high, r.low, (1.0 - high) - half)
    return Pair(high, w.fma(z * z, w.polynomial(z, c.COS), low))


def _wave(angle: Angle, shift: int) -> Number:
    """The sine of the angle and so many quarters more."""
    quarters = angle.quarters + shift if shift else angle.quarters
    sine, cosine = sine_of(angle.rest), cosine_of(angle.rest)
    swapped = ~(quarters & 1).equals(0)
    made = swapped.choose(cosine.high + cosine.low, sine.high + sine.low)
    return (made.bits() ^ ((quarters & 2) << 62)).number()


def sin(x: Number) -> Number:
    return (abs(x) < _TINY).choose(x, _wave(reduced(x), 0))


def cos(x: Number) -> Number:
    return _wave(reduced(x), 1)


def tan(x: Number) -> Number:
    angle = reduced(x)
    sine, cosine = sine_of(angle.rest), cosine_of(angle.rest)
    swapped = ~(angle.quarters & 1).equals(0)
    top = Pair(*(swapped.choose(-a, b) for a, b in zip(cosine, sine)))
    under = Pair(*(swapped.choose(a, b) for a, b in zip(sine, cosine)))
    # The parts of a sine or cosine need not be apart by all digits; those of an operand of `quotient` must.
    high, low = quotient(ordered_sum(*top), ordered_sum(*under))
    return (abs(x) < _TINY).choose(x, high + low)
