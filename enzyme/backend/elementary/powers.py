"""Powers and the cube root."""

from __future__ import annotations

from enzyme.backend.elementary import coefficients as c
from enzyme.backend.elementary.exponentials import exp2_of_fraction
from enzyme.backend.elementary.logarithms import normal_of, parts
from enzyme.backend.elementary.pairs import Pair, ordered_sum, product, upper
from enzyme.backend.elementary.writing import Number

_INFINITE = float("inf")
_NAN = float("nan")


def _log2(x: Number) -> Pair:
    """The logarithm of a positive, finite and normal number, to 65 bits.

    With s = f / (2 + f) it is s (3 + s² + R) times 2 / (3 log 2), where R, of fourth order in s, is small enough for
    one number. What is multiplied is cut to half its bits before, so that the products are exact.
    """
    w = x.writer
    fraction, exponent, _ = parts(x)
    f = fraction - 1.0
    under = 2.0 + f
    if w.single:
        s = f / under
        z = s * s
        series = s * w.fma(z * z, w.polynomial(z, c.ARTANH), 3.0 + z)
        return Pair(w.fma(series, sum(c.TWO_THIRDS_LOG2_E), exponent), w.nothing)
    inverse = 1.0 / under
    s = f * inverse
    s_high, under_high = upper(s), upper(under)
    s_low = ((f - s_high * under_high) - s_high * (f - (under_high - 2.0))) * inverse
    z, square = s * s, s_high * s_high
    rest = w.fma(z * z, w.polynomial(z, c.ARTANH), s_low * (s_high + s))
    sum_high = upper((3.0 + square) + rest)
    sum_low = rest - ((sum_high - 3.0) - square)
    exact = s_high * sum_high
    low = w.fma(s_low, sum_high, sum_low * s)
    high = upper(exact + low)
    low = low - (high - exact)
    scaled_high = high * c.TWO_THIRDS_LOG2_E[0]
    scaled_low = w.fma(low, sum(c.TWO_THIRDS_LOG2_E), high * c.TWO_THIRDS_LOG2_E[1])
    total, lost = ordered_sum(exponent, scaled_high)
    return ordered_sum(total, scaled_low + lost)


def pow(x: Number, y: Number) -> Number:
    """Powers of positive numbers, where base and result are normal; and of zero and of negative ones by integers."""
    w = x.writer
    size = abs(x)
    zero = size.equals(0.0)
    logarithm = _log2(size)
    high, low = product(y, logarithm.high)
    low = w.fma(y, logarithm.low, low)
    n, bits = w.nearest(high)
    # Nan fails every comparison. Exponents beyond 2^51 may be odd.
    ordinary = (abs(high) < 1021.0) & (size >= 2.0**-1022) & (size < _INFINITE)
    w.rarely(~((ordinary | zero) & (abs(y) < 2.0**51)))
    r, lost = ordered_sum(high - n, low)
    made = exp2_of_fraction(r, lost) * w.power_of_two(bits)
    of_zero = (y > 0.0).choose(0.0, y.equals(0.0).choose(1.0, _INFINITE))
    made = zero.choose(of_zero, made)
    integer, bits = w.nearest(y)
    whole = integer.equals(y)
    odd = whole & ~(bits & 1).equals(0)
    signed = odd.choose(w.with_sign_of(made, x), made)
    return ((x < 0.0) & ~whole).choose(_NAN, signed)


def pow_slope_far(x: Number, p: Number, y: Number) -> Number:
    """The slope of y = x^p in the base where y is no help: nearly zero, nearly infinite, or x is zero. Most vectors
    have no such number, and nobody asks for the slope of the others."""
    w = x.writer
    if w.lanes == 1:
        return p * w.called("pow", x, p - 1.0)
    least = 1e-30 if w.single else 1e-280
    near = (abs(y) > least) & (abs(y) < 1.0 / least) & ~x.equals(0.0)
    w.rarely(~near)
    return y


def cbrt(x: Number) -> Number:
    """Of 2^k m: the inverse of the root of m from a polynomial, better by a step of third order, and then the root."""
    w = x.writer
    normal, added = normal_of(abs(x))
    fraction, exponent, _ = parts(normal)
    exponent = exponent + added
    third, bits = w.nearest(exponent * (1.0 / 3.0))
    rest = exponent - 3.0 * third
    more, less = rest > 0.5, rest < -0.5
    factor = more.choose(c.INVERSE_ROOTS[0], less.choose(c.INVERSE_ROOTS[1], 1.0))
    m = fraction * more.choose(2.0, less.choose(0.5, 1.0))
    u = w.polynomial(fraction, c.CBRT) * factor
    h = w.fma(-m * u, u * u, 1.0)
    u = w.fma(u * h, w.fma(h, 2.0 / 9.0, 1.0 / 3.0), u)
    root = m * u * u
    if not w.single:
        root = _closer(root, m, u)
    made = w.with_sign_of(root * w.power_of_two(bits), x)
    ordinary = (abs(x) < _INFINITE) & ~x.equals(0.0)
    return ordinary.choose(made, x)


def _closer(root: Number, m: Number, u: Number) -> Number:
    """The root of m to all digits, by one step of Newton's method."""
    w = m.writer
    square = product(root, root)
    cube = product(square.high, root)
    error = ((m - cube.high) - cube.low) - square.low * root
    return w.fma(error * (1.0 / 3.0), u * u, root)
