"""Every scalar row far out against mpmath: close to a relative error, wherever the slope is an ordinary number."""

from __future__ import annotations

import math
from itertools import product

import mpmath as mp
import pytest

from enzyme.engine.derivatives import catalogue, table
from enzyme.engine.ir.types import DOUBLE

from .table_harness import Compiled
from .test_table_complex import COMPLEX
from .test_table_complex import UNARY as COMPLEX_ROWS

LEAST, TOLERANCE = 2.3e-308, 1e-13
SIZES = (
    "5e-324 1e-310 2.3e-308 1e-300 1e-200 1e-155 1e-100 1e-20 1e-8 1e-3 0.3 0.9 0.9999999 1.0001 1.5 2.0 5.0"
    " 10.0 19.0 26.0 40.0 100.0 300.0 354.0 355.0 500.0 700.0 709.0 745.0 1e3 1e5 1e8 1e16 1e20 1e100 1e154"
    " 1e155 1e200 1e300 1.7e308"
)
REAL = [sign * float(text) for text in SIZES.split() for sign in (1.0, -1.0)]
REAL += [1.0, -1.0, 1.0 - 2.0**-53, 1.0 + 2.0**-52]
POSITIVE = [x for x in REAL if x > 0.0]
ABOVE_ONE = [x for x in REAL if x > 1.0]
INSIDE = [x for x in REAL if abs(x) < 1.0]
BOUNDED = [x for x in REAL if abs(x) < 800.0]
WAVES = [x for x in REAL if abs(x) < 1e6]
GAMMA = [x for x in POSITIVE if x < 200.0] + [-0.3, -1.5, -99.7]
PAIRS = [x for x in REAL if abs(x) not in (5e-324, 1e-310, 1.7e308)][::3]


def bessel(order):
    return lambda x: mp.besselj(order, x, derivative=1)


def neumann(order):
    return lambda x: mp.bessely(order, x, derivative=1)


def gaussian(x):
    return 2 / mp.sqrt(mp.pi) * mp.exp(-x * x)


# Slopes of functions of one number, and where.
SLOPES = {
    "sqrt": (lambda x: 1 / (2 * mp.sqrt(x)), POSITIVE),
    "exp": (mp.exp, BOUNDED),
    "exp2": (lambda x: mp.mpf(2) ** x * mp.log(2), BOUNDED),
    "exp10": (lambda x: mp.mpf(10) ** x * mp.log(10), BOUNDED),
    "log": (lambda x: 1 / x, POSITIVE),
    "log2": (lambda x: 1 / x / mp.log(2), POSITIVE),
    "log10": (lambda x: 1 / x / mp.log(10), POSITIVE),
    "sin": (mp.cos, WAVES),
    "cos": (lambda x: -mp.sin(x), WAVES),
    "tan": (lambda x: 1 + mp.tan(x) ** 2, WAVES),
    "asin": (lambda x: 1 / mp.sqrt(1 - x * x), INSIDE),
    "acos": (lambda x: -1 / mp.sqrt(1 - x * x), INSIDE),
    "atan": (lambda x: 1 / (1 + x * x), REAL),
    "sinh": (mp.cosh, BOUNDED),
    "cosh": (mp.sinh, BOUNDED),
    "tanh": (lambda x: 1 / mp.cosh(x) ** 2, BOUNDED),
    "expm1": (mp.exp, BOUNDED),
    "log1p": (lambda x: 1 / (1 + x), POSITIVE + INSIDE),
    "cbrt": (lambda x: 1 / (3 * mp.cbrt(abs(x)) ** 2), REAL),
    "acosh": (lambda x: 1 / (mp.sqrt(x - 1) * mp.sqrt(x + 1)), ABOVE_ONE),
    "asinh": (lambda x: 1 / mp.sqrt(1 + x * x), REAL),
    "atanh": (lambda x: 1 / (1 - x * x), INSIDE),
    "fabs": (lambda x: mp.sign(x), REAL),
    "erf": (gaussian, BOUNDED),
    "erfc": (lambda x: -gaussian(x), BOUNDED),
    "j0": (bessel(0), WAVES),
    "j1": (bessel(1), WAVES),
    "y0": (neumann(0), [x for x in WAVES if x > 0.0]),
    "y1": (neumann(1), [x for x in WAVES if x > 0.0]),
    "lgamma": (mp.digamma, GAMMA),
    "tgamma": (lambda x: mp.gamma(x) * mp.digamma(x), GAMMA),
}
PARTIALS = {
    "pow": (
        lambda x, p: p * mp.power(x, p - 1),
        lambda x, p: mp.power(x, p) * mp.log(x),
        lambda x, p: x > 0.0 and abs(p * math.log(x)) < 1e3,
    ),
    "atan2": (lambda s, c: c / (s * s + c * c), lambda s, c: -s / (s * s + c * c), None),
    "hypot": (lambda a, b: a / mp.hypot(a, b), lambda a, b: b / mp.hypot(a, b), None),
    "fdiv": (lambda a, b: 1 / b, lambda a, b: -a / b / b, None),
    "fmul": (lambda a, b: b, lambda a, b: a, None),
}
# Of an integer and a number, with few places; or tested with what they are written for.
OTHERS = set(
    "jn yn llvm.powi frem fmod remainder llvm.fma sinpi cospi tanpi llvm.sincos llvm.sincospi".split()
)
OTHERS |= {"llvm.vector.reduce.fmul", "llvm.copysign", "copysign", "fdim"}
ROWS = Compiled()
for _name in SLOPES:
    ROWS.add(f"of {_name}", _name, [DOUBLE], 0)
for _name in PARTIALS:
    for _index in (0, 1):
        ROWS.add(f"of {_name} {_index}", _name, [DOUBLE, DOUBLE], _index)


def check(found, exact, where):
    if LEAST < abs(exact) < 1.79e308:
        assert math.isfinite(found), where
        assert abs(found / exact - 1) < TOLERANCE, (where, found, float(exact))
    else:
        assert not abs(exact) <= LEAST or abs(found) <= 2 * LEAST, where


def digits(x):
    """Enough for 1 + x² and cosh."""
    return 700 if abs(math.log10(abs(x))) > 20 or abs(x) > 20 else 60


@pytest.mark.parametrize("name", SLOPES)
def test_slope(name):
    slope, places = SLOPES[name]
    special = name[0] in "jy" or name.endswith("gamma")
    for x in places:
        with mp.workdps(60 if special else digits(x)):
            check(ROWS(f"of {name}", x, 1.0), slope(mp.mpf(x)), x)


@pytest.mark.parametrize("name", PARTIALS)
@pytest.mark.parametrize("index", [0, 1])
def test_partial(name, index):
    where = PARTIALS[name][2]
    for x, y in product(PAIRS, PAIRS):
        if where is None or where(x, y):
            with mp.workdps(60):
                exact = PARTIALS[name][index](mp.mpf(x), mp.mpf(y))
            if name != "fdiv" or abs(1 / y) < 1e308:
                check(ROWS(f"of {name} {index}", x, y, 1.0), exact, (x, y))


def test_every_row_is_here():
    """Rows that are a product with something: the same formulas stand under several names."""
    listed = {*SLOPES, *PARTIALS, *OTHERS, *COMPLEX_ROWS}
    known = {
        id(catalogue.lookup(name).rules) for name in listed if catalogue.lookup(name) is not None
    }
    known |= {
        id(table.row_for_instruction(n).rules) for n in listed if table.row_for_instruction(n)
    }
    missing = []
    for symbol in catalogue.all_symbols():
        row = catalogue.lookup(symbol)
        plain = all(rule is None or rule.exact for rule in row.rules)
        if (
            not plain
            and id(row.rules) not in known
            and not symbol.startswith(("c", "__", "enzyme.", "scipy."))
        ):
            missing.append(symbol)
    assert missing == []


FAR = [
    40 + 1j,
    -300 + 2j,
    0.5 + 30j,
    1 + 1e-12j,
    -1 + 1e-9j,
    1e-12 + 1j,
    1e170 + 1e169j,
    1e-200 - 3e-200j,
]


@pytest.mark.parametrize("symbol", COMPLEX_ROWS)
def test_complex_slope(symbol):
    """As a whole: of its parts the smaller is as exact as the larger."""
    for z in FAR:
        if abs(z) > 1e3 and symbol in ("cexp", "csin", "ccos", "ctan", "csinh", "ccosh", "ctanh"):
            continue
        with mp.workdps(500):
            w = mp.mpc(z)
            y = COMPLEX_ROWS[symbol](w)
            exact = mp.conj(mp.diff(COMPLEX_ROWS[symbol], w, h=abs(w) * mp.mpf(10) ** -240))
        if not LEAST < abs(exact) < 1e300:
            continue
        at = [float(v) for v in (w.real, w.imag, y.real, y.imag)]
        found = [COMPLEX(f"adjoint {symbol} {half}", *at, 1.0, 0.0) for half in (0, 1)]
        assert abs(mp.mpc(*found) - exact) < 1e-12 * abs(exact), (z, found)
