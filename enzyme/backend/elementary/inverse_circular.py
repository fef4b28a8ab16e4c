"""Arc sine, arc cosine, arc tangent and the angle of a point."""

from __future__ import annotations

from enzyme.backend.elementary import coefficients as c
from enzyme.backend.elementary.pairs import Pair, ordered_sum, product, quotient, sum_of
from enzyme.backend.elementary.writing import Condition, Number

_INFINITE = float("inf")
# The tangents of an eighth and of three eighths of π.
_EIGHTH, _THREE_EIGHTHS = 0.41421356237309503, 2.414213562373095
_TINY = 2.0**-28


def _near(t: Pair) -> tuple[Number, Number]:
    """The arc tangent of |t| up to that of an eighth, as t and what is added to it."""
    w = t.high.writer
    z = t.high * t.high
    low = t.low if w.single else w.fma(-z, t.low, t.low)
    return t.high, w.fma(t.high * z, w.polynomial(z, c.ATAN), low)


def atan(x: Number) -> Number:
    w = x.writer
    size = abs(x)
    size = (size > 2.0**60).choose(2.0**60, size)
    far, middle = size > _THREE_EIGHTHS, size > _EIGHTH
    less, more = sum_of(-1.0, size), sum_of(1.0, size)
    top = Pair(
        far.choose(-1.0, middle.choose(less.high, size)),
        far.choose(0.0, middle.choose(less.low, 0.0)),
    )
    under = Pair(
        far.choose(size, middle.choose(more.high, 1.0)),
        far.choose(0.0, middle.choose(more.low, 0.0)),
    )
    t, rest = _near(quotient(top, under))
    base = [far.choose(2.0 * part, middle.choose(part, 0.0)) for part in c.QUARTER_PI]
    high, low = ordered_sum(base[0], t)
    made = high + ((rest + base[1]) + low)
    return w.with_sign_of((size < _TINY).choose(size, made), x)


def atan2(y: Number, x: Number) -> Number:
    w = x.writer
    height, width = abs(y), abs(x)
    steep = height > width
    longer, shorter = steep.choose(height, width), steep.choose(width, height)
    # Nan fails every comparison; a zero beside a number of ordinary size is no trouble.
    ordinary = (longer < 2.0**500) & ((shorter > 2.0**-450) | shorter.equals(0.0))
    w.rarely(~(ordinary & (longer > 2.0**-450)))
    middle = shorter > longer * _EIGHTH
    less, more = sum_of(shorter, -longer), sum_of(shorter, longer)
    top = Pair(middle.choose(less.high, shorter), middle.choose(less.low, 0.0))
    under = Pair(middle.choose(more.high, longer), middle.choose(more.low, 0.0))
    t, rest = _near(quotient(top, under))
    left = _is_negative(x)
    # The angle is a multiple of an eighth of the circle and the arc tangent, or less it.
    base = [
        steep.choose(
            middle.choose(left.choose(three, one), two),
            middle.choose(left.choose(three, one), left.choose(four, 0.0)),
        )
        for one, two, three, four in zip(*(_multiple(k) for k in (1, 2, 3, 4)))
    ]
    # Not both steep and left, or neither: then the angle grows with the arc tangent.
    grows = (steep & left) | ~(steep | left)
    high, low = ordered_sum(base[0], grows.choose(t, -t))
    made = high + ((grows.choose(rest, -rest) + base[1]) + low)
    return w.with_sign_of(made, y)


def _multiple(count: int) -> tuple[float, float]:
    """So many eighths of the circle, in two parts."""
    return {
        1: c.QUARTER_PI,
        2: c.HALF_PI_PAIR,
        3: c.THREE_QUARTERS_PI,
        4: c.PI,
    }[count]


def _is_negative(x: Number) -> Condition:
    return ~(x.bits() >> 63).equals(0)


def _parts(size: Number) -> tuple[Condition, Number, Number, Number]:
    """Is it near 1? There, the arc sine of the root of (1 - size) / 2, else that of size; in two parts, and the
    size or root alone."""
    w = size.writer
    outer = size > 0.5
    z = outer.choose(0.5 - 0.5 * size, size * size)
    root = w.intrinsic("sqrt", z)
    first = outer.choose(root, size)
    if w.single:
        return outer, first, first * z * w.polynomial(z, c.ASIN), z
    square = product(root, root)
    lost = ((z - square.high) - square.low) / (root + root + 2.0**-1000)
    rest = w.fma(first * z, w.polynomial(z, c.ASIN), outer.choose(lost, 0.0))
    return outer, first, rest, z


def asin(x: Number) -> Number:
    w = x.writer
    size = abs(x)
    outer, first, rest, _ = _parts(size)
    quarter, more = c.HALF_PI_PAIR
    high, low = ordered_sum(quarter, -2.0 * first)
    far = high + (low + (more - 2.0 * rest))
    return w.with_sign_of(outer.choose(far, first + rest), x)


def acos(x: Number) -> Number:
    size = abs(x)
    outer, first, rest, _ = _parts(size)
    negative = _is_negative(x)
    quarter, more = c.HALF_PI_PAIR
    half, still_more = c.PI
    # Outside: 2 a or π - 2 a. Inside: π/2 - a or π/2 + a.
    base = outer.choose(negative.choose(half, 0.0), quarter)
    base_low = outer.choose(negative.choose(still_more, 0.0), more)
    grows = (outer & ~negative) | (~outer & negative)
    factor = outer.choose(2.0, 1.0)
    factor = grows.choose(factor, -factor)
    high, low = ordered_sum(base, factor * first)
    return high + (low + (base_low + factor * rest))
