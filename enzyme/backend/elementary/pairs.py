"""Numbers in two parts, whose sum is known to twice the digits: the larger, and what its rounding left.

Where the result is a single, the upper part alone is computed.

The operands of `ordered_sum` are known by size; `sum_of` asks for nothing and takes twice as long. Without `fma` the
error of a product is put together from products of halves, which holds below 2^970.
"""

from __future__ import annotations

from typing import NamedTuple

from enzyme.backend.elementary.writing import Number

# 2^27 + 1: a product with it tells the upper half of a number from the lower.
_HALVES = 134217729.0
_UPPER = 0xFFFFFFFFF8000000 - 2**64


class Pair(NamedTuple):
    high: Number
    low: Number


def ordered_sum(larger: Number | float, smaller: Number) -> Pair:
    """The sum of two numbers, the first of them not smaller in size, or zero with all its digits."""
    w = smaller.writer
    larger = w.number(larger)
    high = larger + smaller
    if w.single or smaller.is_nothing:
        return Pair(high, w.nothing)
    return Pair(high, smaller - (high - larger))


def sum_of(a: Number | float, b: Number) -> Pair:
    w = b.writer
    a = w.number(a)
    high = a + b
    if w.single:
        return Pair(high, w.nothing)
    of_b = high - a
    return Pair(high, (a - (high - of_b)) + (b - of_b))


def product(a: Number, b: Number | float) -> Pair:
    w = a.writer
    b = w.number(b)
    high = a * b
    if w.single:
        return Pair(high, w.nothing)
    if w.fused:
        return Pair(high, w.fma(a, b, -high))
    (a1, a2), (b1, b2) = halves(a), halves(b)
    return Pair(high, ((a1 * b1 - high) + a1 * b2 + a2 * b1) + a2 * b2)


def upper(x: Number) -> Number:
    """The upper 26 bits."""
    return (x.bits() & _UPPER).number()


def halves(x: Number) -> Pair:
    """The upper 26 bits, and the rest."""
    high = upper(x)
    return Pair(high, x - high)


def times(x: Pair, y: Pair) -> Pair:
    w = x.high.writer
    high, low = product(x.high, y.high)
    return ordered_sum(high, w.fma(x.high, y.low, w.fma(x.low, y.high, low)))


def quotient(a: Pair, b: Pair) -> Pair:
    """A / b, nearly to twice the digits."""
    w = a.high.writer
    if w.single:
        return Pair(a.high / b.high, w.nothing)
    inverse = 1.0 / b.high
    high = a.high * inverse
    back, error = product(high, b.high)
    rest = ((a.high - back) - error) + w.fma(-high, b.low, a.low)
    return Pair(high, rest * inverse)
