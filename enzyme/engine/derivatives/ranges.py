"""What a number may be: an interval of finite values, and whether it may be zero, infinite or NaN.

Rounding is monotone, so that the bounds of a sum or a product are those of the rounded bounds.  Two readings of
arithmetic are offered.  With `overflow` a sum, product or quotient of large numbers may be infinite; without, the
arithmetic of finite numbers is finite except where it divides by zero, as it is in a program that works as it was
meant to.  What overflows for ordinary arguments (`exp`, `pow`) may be infinite either way.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

_INF = math.inf
# Products of what lies below this may be zero, also in single precision.
_TINY = 1e-18


class Range(NamedTuple):
    """The finite values lie between `low` and `high` (none where `low` is larger)."""

    low: float = -_INF
    high: float = _INF
    zero: bool = True
    above: bool = True
    below: bool = True
    nan: bool = True

    @property
    def is_finite(self) -> bool:
        """Is it neither infinite nor NaN?"""
        return not (self.above or self.below or self.nan)

    @property
    def infinite(self) -> bool:
        return self.above or self.below

    @property
    def positive(self) -> bool:
        """May it be above zero?"""
        return self.high > 0.0 or self.above

    @property
    def negative(self) -> bool:
        return self.low < 0.0 or self.below


ANYTHING = Range()
FINITE = Range(above=False, below=False, nan=False)
NOTHING = Range(_INF, -_INF, False, False, False, False)


def finite(low: float, high: float) -> Range:
    """Finite values between two bounds."""
    return Range(low, high, low <= 0.0 <= high, False, False, False)


def number(value: float) -> Range:
    """One number."""
    if math.isnan(value):
        return NOTHING._replace(nan=True)
    if math.isinf(value):
        return NOTHING._replace(above=value > 0.0, below=value < 0.0)
    return finite(value, value)


def without_numbers(x: Range) -> Range:
    """What is left of it but finite values."""
    return x._replace(low=_INF, high=-_INF, zero=False)


def join(first: Range, second: Range) -> Range:
    """Either of two."""
    if first == second:
        return first
    return Range(
        min(first.low, second.low),
        max(first.high, second.high),
        first.zero or second.zero,
        first.above or second.above,
        first.below or second.below,
        first.nan or second.nan,
    )


def join_all(ranges: Iterable[Range]) -> Range:
    total = NOTHING
    for one in ranges:
        total = join(total, one)
    return total


def widened(old: Range, new: Range) -> Range:
    """`new`, with bounds that still move given up."""
    low = new.low if new.low >= old.low else -_INF
    high = new.high if new.high <= old.high else _INF
    return new._replace(low=low, high=high)


def _bounded(low: float, high: float, zero: bool, rest: Range, overflow: bool) -> Range:
    """Finite values between the bounds, as far as they are representable, and what else `rest` may be."""
    if math.isnan(low) or math.isnan(high):
        low, high = -_INF, _INF
    within = low <= 0.0 <= high
    return Range(
        low,
        high,
        within and (zero or overflow),
        rest.above or (overflow and high == _INF),
        rest.below or (overflow and low == -_INF),
        rest.nan,
    )


def negate(x: Range) -> Range:
    return Range(-x.high, -x.low, x.zero, x.below, x.above, x.nan)


def add(x: Range, y: Range, overflow: bool) -> Range:
    if NOTHING in (x, y):
        return NOTHING
    nan = x.nan or y.nan or (x.above and y.below) or (x.below and y.above)
    rest = Range(0.0, 0.0, False, x.above or y.above, x.below or y.below, nan)
    if x.low > x.high or y.low > y.high:
        return without_numbers(rest)
    return _bounded(x.low + y.low, x.high + y.high, True, rest, overflow)


def multiply(x: Range, y: Range, overflow: bool, same: bool = False) -> Range:
    """A product; of a number with itself if `same`."""
    if NOTHING in (x, y):
        return NOTHING
    zero_times_infinite = (x.zero and y.infinite) or (y.zero and x.infinite)
    nan = x.nan or y.nan or (zero_times_infinite and not same)
    infinite = x.infinite or y.infinite
    same_sign = (x.positive and y.positive) or (x.negative and y.negative)
    other_sign = (x.positive and y.negative) or (x.negative and y.positive)
    rest = Range(0.0, 0.0, False, infinite and same_sign, infinite and other_sign and not same, nan)
    if x.low > x.high or y.low > y.high:
        return without_numbers(rest)
    ends = [_times(a, b) for a in (x.low, x.high) for b in (y.low, y.high)]
    low, high = min(ends), max(ends)
    if same:
        low = 0.0 if x.low <= 0.0 <= x.high else low
    zero = x.zero or y.zero
    if not zero and min(_distance(x), _distance(y)) < _TINY:
        low, high = min(low, 0.0), max(high, 0.0)
    return _bounded(low, high, zero, rest, overflow)


def _times(a: float, b: float) -> float:
    return 0.0 if a == 0.0 or b == 0.0 else a * b


def _distance(x: Range) -> float:
    """How far from zero the finite values stay."""
    return max(x.low, -x.high, 0.0)


def divide(x: Range, y: Range, overflow: bool) -> Range:
    if NOTHING in (x, y):
        return NOTHING
    by_zero = y.zero or (overflow and _distance(y) < _TINY)
    nan = x.nan or y.nan or (x.zero and y.zero) or (x.infinite and y.infinite)
    infinite = x.infinite or by_zero
    rest = Range(0.0, 0.0, False, infinite, infinite, nan)
    if x.low > x.high or (y.low == 0.0 == y.high and not y.infinite):
        return without_numbers(rest)
    distance = _distance(y)
    if distance == 0.0 or y.low > y.high:
        zero = x.zero or y.infinite
        return _bounded(-_INF, _INF, zero, rest, overflow)
    ends = [_over(a, b) for a in (x.low, x.high) for b in (y.low, y.high)]
    low, high = min(ends), max(ends)
    if y.infinite:
        low, high = min(low, 0.0), max(high, 0.0)
    same_sign = (x.positive and y.positive) or (x.negative and y.negative)
    other_sign = (x.positive and y.negative) or (x.negative and y.positive)
    rest = rest._replace(above=infinite and same_sign, below=infinite and other_sign)
    return _bounded(low, high, x.zero or y.infinite, rest, overflow)


def _over(a: float, b: float) -> float:
    if math.isinf(b):
        return 0.0 if not math.isinf(a) else math.nan
    return a / b


def size(x: Range) -> Range:
    """The absolute value of a number."""
    if x.low > x.high:
        return x._replace(above=x.infinite, below=False)
    return Range(_distance(x), max(-x.low, x.high), x.zero, x.infinite, False, x.nan)


# Choices ------------------------------------------------------------------------------------------


def largest(x: Range, y: Range) -> Range:
    """The larger of two numbers; a NaN may come through or not."""
    both = join(x, y)
    low = max(x.low, y.low) if not (x.nan or y.nan or x.below or y.below) else both.low
    sure = (x.low > 0.0 and not x.below and not x.nan) or (
        y.low > 0.0 and not y.below and not y.nan
    )
    below = (x.below and (y.below or y.nan)) or (y.below and (x.below or x.nan))
    return both._replace(low=low, zero=both.zero and not sure, below=below)


def smallest(x: Range, y: Range) -> Range:
    return negate(largest(negate(x), negate(y)))


# What a comparison says ---------------------------------------------------------------------------

_OPPOSITE = {"gt": "le", "le": "gt", "lt": "ge", "ge": "lt", "eq": "ne", "ne": "eq"}
_TURNED = {"gt": "lt", "lt": "gt", "ge": "le", "le": "ge", "eq": "eq", "ne": "ne"}


def turned(predicate: str) -> str:
    """The predicate for exchanged operands."""
    return predicate[0] + _TURNED[predicate[1:]] if predicate[1:] in _TURNED else predicate


def refine(x: Range, predicate: str, bound: Range, holds: bool) -> Range:
    """A number of which ``fcmp predicate x, bound`` is known to be true, or false."""
    if predicate in ("ord", "uno"):
        return x._replace(nan=False) if (predicate == "ord") is holds and not bound.nan else x
    kind = predicate[1:]
    if kind not in _OPPOSITE:
        return x
    ordered = predicate[0] == "o"
    if not holds:
        kind, ordered = _OPPOSITE[kind], not ordered
    if ordered:
        x = x._replace(nan=False)
    if bound.nan and not ordered:
        return x
    if kind == "gt" or (kind == "ge" and not bound.below):
        x = x._replace(low=x.low if bound.below else max(x.low, bound.low), below=False)
    if kind == "lt" or (kind == "le" and not bound.above):
        x = x._replace(high=x.high if bound.above else min(x.high, bound.high), above=False)
    beyond = (kind == "gt" and bound.low >= 0.0 and not bound.below) or (
        kind == "lt" and bound.high <= 0.0 and not bound.above
    )
    other_than_zero = kind == "ne" and bound == number(0.0)
    if beyond or other_than_zero:
        x = x._replace(zero=False)
    if kind == "eq":
        x = Range(
            max(x.low, bound.low),
            min(x.high, bound.high),
            x.zero and bound.zero,
            x.above and bound.above,
            x.below and bound.below,
            x.nan,
        )
    return x._replace(zero=x.zero and x.low <= 0.0 <= x.high)


def refine_by_size(x: Range, predicate: str, bound: Range, holds: bool) -> Range:
    """A number of whose absolute value ``fcmp predicate |x|, bound`` is known to be true, or false."""
    known = refine(size(x), predicate, bound, holds)
    low = max(x.low, known.low if x.low >= 0.0 else -known.high)
    high = min(x.high, -known.low if x.high <= 0.0 else known.high)
    above, below = x.above and known.above, x.below and known.above
    return Range(low, high, x.zero and known.zero, above, below, x.nan and known.nan)
