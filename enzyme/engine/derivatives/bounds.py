"""What is known of the values of functions: their ranges from those of their operands.

Each is a `Bound`: it takes the ranges of all operands, and whether large numbers overflow.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from enzyme.engine.derivatives.ranges import (
    FINITE,
    Range,
    add,
    finite,
    join,
    largest,
    multiply,
    negate,
    number,
    smallest,
    without_numbers,
)

Bound = Callable[[Sequence[Range], bool], Range]

_INF = math.inf


def _of_one(range_of: Callable[[Range], Range]) -> Bound:
    return lambda x, overflow: range_of(x[0])


def _faithful(range_of: Callable[[Range], Range]) -> Bound:
    """No number where the operand is none."""

    def bound(x: Sequence[Range], overflow: bool) -> Range:
        made = range_of(x[0])
        return made if x[0].low <= x[0].high else without_numbers(made)

    return bound


def between(low: float, high: float) -> Bound:
    """Bounded, also at infinity."""
    return _of_one(lambda x: finite(low, high)._replace(nan=x.nan))


# Exponentials and logarithms ------------------------------------------------------------------------


def _exp(x: Range) -> Range:
    low = math.exp(min(x.low, 709.0)) if x.low > -80.0 and not x.below else 0.0
    high = math.exp(x.high) if x.high < 80.0 else _INF
    return Range(low, high, low == 0.0, x.above or x.high >= 80.0, False, x.nan)


def _expm1(x: Range) -> Range:
    made = add(_exp(x), number(-1.0), False)
    return made._replace(low=max(made.low, -1.0), zero=x.zero or x.low <= 0.0 <= x.high)


def _log(x: Range) -> Range:
    if x.high <= 0.0:
        return without_numbers(Range(nan=x.nan or x.negative, above=x.above, below=x.zero))
    low = math.log(x.low) if x.low > 0.0 else -_INF
    high = math.log(x.high) if 0.0 < x.high < _INF else _INF
    return Range(low, high, low <= 0.0 <= high, x.above, x.zero, x.nan or x.negative)


def _log_to_base(x: Range) -> Range:
    made = _log(x)
    return made._replace(low=-_INF, high=_INF, zero=True) if made.low <= made.high else made


exponential = _of_one(_exp)
logarithm = _faithful(_log)
exponential_less_one = _of_one(_expm1)
logarithm_of_one_more = _faithful(lambda x: _log(add(x, number(1.0), False)))
# Another base moves the bounds, not what can happen.
exponential_to_base = _of_one(lambda x: _exp(x)._replace(low=0.0, high=_INF, zero=True))
logarithm_to_base = _faithful(_log_to_base)

# Functions of one number ----------------------------------------------------------------------------


def _root(x: Range) -> Range:
    low = math.sqrt(x.low) if x.low > 0.0 else 0.0
    high = math.sqrt(x.high) if 0.0 <= x.high < _INF else _INF
    return Range(low, high, x.zero, x.above, False, x.nan or x.negative)


def _magnitude(x: Range) -> Range:
    low = 0.0 if x.low <= 0.0 <= x.high else min(abs(x.low), abs(x.high))
    return Range(low, max(abs(x.low), abs(x.high)), x.zero, x.infinite, False, x.nan)


def _rounded(x: Range) -> Range:
    low = math.floor(x.low) if math.isfinite(x.low) else x.low
    high = math.ceil(x.high) if math.isfinite(x.high) else x.high
    return Range(float(low), float(high), low <= 1.0 and high >= -1.0, x.above, x.below, x.nan)


def _cosh(x: Range) -> Range:
    large = max(abs(x.low), abs(x.high)) >= 80.0
    return Range(1.0, _INF, False, x.infinite or large, False, x.nan)


def _sinh(x: Range) -> Range:
    large = max(abs(x.low), abs(x.high)) >= 80.0
    return FINITE._replace(above=x.above or large, below=x.below or large, nan=x.nan)


def _odd(x: Range) -> Range:
    return Range(
        -_INF if x.low < 0.0 else 0.0,
        _INF if x.high > 0.0 else 0.0,
        x.zero,
        x.above,
        x.below,
        x.nan,
    )


same = _faithful(lambda x: x)
wave = _faithful(lambda x: finite(-1.0, 1.0)._replace(nan=x.nan or x.infinite))
root = _faithful(_root)
magnitude = _faithful(_magnitude)
rounded = _faithful(_rounded)
hyperbolic_cosine = _faithful(_cosh)
hyperbolic_sine = _faithful(_sinh)
odd = _faithful(_odd)  # finite where the operand is, and of its sign

# Functions of several -------------------------------------------------------------------------------


def larger(x: Sequence[Range], overflow: bool) -> Range:
    return largest(x[0], x[1])


def smaller(x: Sequence[Range], overflow: bool) -> Range:
    return smallest(x[0], x[1])


def product_and_sum(x: Sequence[Range], overflow: bool) -> Range:
    return add(multiply(x[0], x[1], overflow), x[2], overflow)


def length(x: Sequence[Range], overflow: bool) -> Range:
    a, b = x
    infinite = a.infinite or b.infinite or overflow
    return Range(0.0, _INF, a.zero and b.zero, infinite, False, a.nan or b.nan)


def with_sign(x: Sequence[Range], overflow: bool) -> Range:
    size = _magnitude(x[0])
    return join(size, negate(size))


def angle(x: Sequence[Range], overflow: bool) -> Range:
    return finite(-3.15, 3.15)._replace(nan=x[0].nan or x[1].nan)


def guarded_product(x: Sequence[Range], overflow: bool) -> Range:
    """Of a derivative, a partial and their product, which is zero where the derivative is."""
    d, partial, product = x
    made = join(product, number(0.0)) if d.zero else product
    return made._replace(nan=d.nan or partial.nan)
