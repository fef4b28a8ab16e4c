"""The error function and what it lacks of 1.

Near zero erf(x) is x + x R(x²), and the same R gives erfc(x). Farther out erfc(a) is exp(-a²) / (1 + 2 a) times a
function of t = (a - 3) / (a + 3) that hardly changes. Of erf, which is nearly 1 there, less is asked: the logarithm of
erfc, as a polynomial.
"""

from __future__ import annotations

from enzyme.backend.elementary import coefficients as c
from enzyme.backend.elementary.exponentials import reduced, scaled
from enzyme.backend.elementary.pairs import Pair, ordered_sum, product, quotient, sum_of, times
from enzyme.backend.elementary.writing import Number

_FAR = 0.9
# What is left of 1 loses digits before that.
_FAR_FROM_ONE = 0.5


def _below(x: Number, largest: float) -> Number:
    return (x > largest).choose(largest, x)


def erf(x: Number) -> Number:
    w = x.writer
    size = abs(x)
    z = size * size
    near = w.fma(size, w.polynomial(z, c.ERF), size)
    first, *others = w.row(c.LOG_ERFC)
    beyond = _below(size, 6.0) - 1.0
    exponent = ordered_sum(first, beyond * w.sum_of_powers(beyond, others))
    _, bits, r, low = reduced(-exponent.high)
    low = low - exponent.low
    lacking = (1.0 + (r + w.fma(r * r, w.polynomial(r, c.EXP), low))) * w.power_of_two(bits)
    return w.with_sign_of((size < _FAR).choose(near, 1.0 - lacking), x)


def erfc(x: Number) -> Number:
    w = x.writer
    size = abs(x)
    z = x * x
    high, low = sum_of(1.0, -x)
    near = high + w.fma(-x, w.polynomial(z, c.ERF), low)
    far = _erfc_far(_below(size, 10.5 if w.single else 28.0))
    far = (x < 0.0).choose(2.0 - far, far)
    return (size < _FAR_FROM_ONE).choose(near, far)


def _erfc_far(a: Number) -> Number:
    w = a.writer
    t = (a - 3.0) / (a + 3.0)
    first, *others = w.row(c.ERFC)
    factor = ordered_sum(first, t * w.sum_of_powers(t, others))
    square = product(a, a)
    n, _, r, low = reduced(-square.high)
    r, low = ordered_sum(r, low - square.low)
    high, more = ordered_sum(1.0, r)
    more = more + w.fma(r * r, w.polynomial(r, c.EXP), low)
    over = times(Pair(high, more), factor)
    made = quotient(over, ordered_sum(2.0 * a, w.number(1.0)))
    return scaled(made.high + made.low, n)
