"""Functions at and beside the points that numba's code singles out, and what they are around each point.

An entry has the expression in x and y, and for a point (x, y) the smooth function that it is there: at a joint
of pieces one of them. Derivatives of that function by mpmath are what is expected.
"""

from __future__ import annotations

import math

import mpmath as mp
import numpy as np

NODES, VALUES = (0.0, 1.0, 3.0), (0.0, 2.0, -1.0)
AROUND = (0.0, -0.0, 1e-9, -1e-9, 1.0, 1.0 + 1e-9, 1.0 - 1e-9, -1.0, 2.5, -3.7, 3.0)


def at(*values):
    """Each of these x, with several y."""
    return [(x, y) for x in (values or AROUND) for y in (1.0, 0.75)]


def remainder(x0, y0):
    n = math.floor(x0 / y0)
    return lambda x, y: x - n * y


def truncated(x0, y0):
    n = math.trunc(x0 / y0)
    return lambda x, y: x - n * y


def zero(x0, y0):
    return lambda x, y: mp.mpf(0)


def times(function):
    """Piecewise constant in x, with factor y."""

    def around(x0, y0):
        value = mp.mpf(function(x0))
        return lambda x, y: value * y

    return around


def power(x0, y0):
    if x0 == 0.0:  # integer exponents; constant in y by convention
        return lambda x, y: x ** int(y0) if y0 else mp.mpf(1)
    return lambda x, y: x**y


def sinc(x0, y0):
    return lambda x, y: y * mp.sincpi(x)


def logaddexp(x0, y0):
    return lambda x, y: mp.log(mp.exp(x) + mp.exp(y))


def logaddexp2(x0, y0):
    return lambda x, y: mp.log(2**x + 2**y, 2)


def interpolated(x0, y0):
    if not NODES[0] <= x0 <= NODES[-1]:
        value = mp.mpf(VALUES[0] if x0 < NODES[0] else VALUES[-1])
        return lambda x, y: value * y
    k = min(int(np.searchsorted(NODES, x0, side="right")) - 1, len(NODES) - 2)
    slope = mp.mpf(VALUES[k + 1] - VALUES[k]) / mp.mpf(NODES[k + 1] - NODES[k])
    return lambda x, y: y * (VALUES[k] + slope * (x - NODES[k]))


def percentile(x0, y0):
    # of (1, 2, 3 + y, 7) in order
    k = min(int(x0 * 3 / 100), 2)

    def around(x, y):
        items = [mp.mpf(1), mp.mpf(2), 3 + y, mp.mpf(7)]
        return items[k] + (items[k + 1] - items[k]) * (3 * x / 100 - k)

    return around


EXPONENTS = [(0.0, float(n)) for n in (0, 1, 2, 3)] + [
    (-0.0, 1.0),
    (1e-9, 2.0),
    (2.0, 0.0),
    (2.0, 1.0),
]
EQUAL = [(1.0, 1.0), (0.0, 0.0), (1.0, 1.0 + 1e-9), (-3.0, 2.0), (2.0, -3.0)]
REAL = {
    "x % y": (remainder, at()),
    "np.mod(x, y)": (remainder, at()),
    "divmod(x, y)[1]": (remainder, at()),
    "np.divmod(x, y)[1]": (remainder, at()),
    "np.fmod(x, y)": (truncated, at()),
    "x // y": (zero, at()),
    "divmod(x, y)[0]": (zero, at()),
    "np.floor_divide(x, y)": (zero, at()),
    "y * np.sign(x)": (times(np.sign), at()),
    "y * round(x, 2)": (times(lambda x: round(x, 2)), at(0.0, 0.004, 1e307)),
    "y * np.round(x, 1)": (times(lambda x: round(x, 1)), at(0.0, 0.04, 1e308)),
    "y * np.spacing(x)": (times(np.spacing), at()),
    "x ** y": (power, EXPONENTS),
    "np.power(x, y)": (power, EXPONENTS),
    "np.logaddexp(x, y)": (logaddexp, EQUAL),
    "np.logaddexp2(x, y)": (logaddexp2, EQUAL),
    "y * np.sinc(x)": (sinc, at(0.0, -0.0, 1e-12, 1e-8, 1e-3, -0.2, 0.2999, 0.3, 0.3001, 1.0, 2.5)),
    "y * np.interp(x, nodes, values)": (interpolated, at(-1.0, 0.0, 0.5, 1.0, 1.0 - 1e-9, 3.0, 3.5)),
    "np.percentile(np.array([3.0 + y, 1.0, 7.0, 2.0]), x)": (percentile, at(0.0, 1e-6, 50.0, 99.999999, 100.0)),
}  # fmt: skip


def source(expressions, first, second):
    """A function of a number and two operands that computes the expression of that number."""
    lines = [f"def chosen(k, {first}, {second}):"]
    for k, expression in enumerate(expressions):
        lines += [f"    if k == {k}:", f"        return {expression}"]
    lines += [f"    return {first}"]
    return "\n".join(lines)
