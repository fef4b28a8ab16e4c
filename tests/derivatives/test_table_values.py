"""Every row against mpmath, compiled: double and float, adjoint and tangent, and the edge points."""

from __future__ import annotations

import ctypes
import math

import mpmath as mp
import pytest

from enzyme.engine.ir.types import DOUBLE, FLOAT, I32

from .table_harness import Compiled

mp.mp.dps = 60
INF, NAN = math.inf, math.nan
# (symbol of double, symbol of float, primal in mpmath, points)
WIDE = [0.3, 1.7, -0.6, 4.5, -7.25]
POSITIVE = [0.02, 0.7, 1.0, 3.1, 41.0]
UNIT = [0.0, 0.3, -0.7, 0.999]
PAIRS = [(0.7, 1.9), (2.5, -0.4), (-1.2, 0.8), (3.0, 7.0)]


def both(name):
    return (f"llvm.{name}", f"llvm.{name}"), (name, f"{name}f")


def c_only(name):
    return ((name, f"{name}f"),)


def fdim(a, b):
    return max(a - b, mp.mpf(0))


UNARY = {
    "sqrt": (both, mp.sqrt, POSITIVE),
    "sin": (both, mp.sin, WIDE),
    "cos": (both, mp.cos, WIDE),
    "tan": (both, mp.tan, WIDE),
    "asin": (both, mp.asin, UNIT),
    "acos": (both, mp.acos, UNIT),
    "atan": (both, mp.atan, WIDE),
    "sinh": (both, mp.sinh, WIDE),
    "cosh": (both, mp.cosh, WIDE),
    "tanh": (both, mp.tanh, [0.0, 0.3, -1.1, 2.0]),
    "exp": (both, mp.exp, WIDE),
    "exp2": (both, lambda x: mp.mpf(2) ** x, WIDE),
    "exp10": (both, lambda x: mp.mpf(10) ** x, WIDE),
    "log": (both, mp.log, POSITIVE),
    "log2": (both, lambda x: mp.log(x, 2), POSITIVE),
    "log10": (both, lambda x: mp.log(x, 10), POSITIVE),
    "fabs": (both, abs, WIDE),
    "expm1": (c_only, mp.expm1, [0.0, 1e-9, 0.4, -2.0, 5.0]),
    "log1p": (c_only, mp.log1p, [0.0, 1e-9, 0.4, -0.5, 5.0]),
    "cbrt": (c_only, lambda x: mp.sign(x) * mp.cbrt(abs(x)), WIDE),
    "acosh": (c_only, mp.acosh, [1.001, 1.5, 8.0, 1e6]),
    "asinh": (c_only, mp.asinh, [*WIDE, 0.0, 1e6]),
    "atanh": (c_only, mp.atanh, UNIT),
    "erf": (c_only, mp.erf, [0.0, 0.3, -1.2, 3.0]),
    "erfc": (c_only, mp.erfc, [0.0, 0.3, -1.2, 3.0]),
    "j0": (c_only, lambda x: mp.besselj(0, x), [0.0, 0.5, 2.0, 9.5, -3.0]),
    "j1": (c_only, lambda x: mp.besselj(1, x), [0.0, 0.5, 2.5, 9.5, -3.0]),
    "y0": (c_only, lambda x: mp.bessely(0, x), [0.5, 1.5, 9.5]),
    "y1": (c_only, lambda x: mp.bessely(1, x), [0.5, 1.5, 9.5]),
    "lgamma": (
        c_only,
        lambda x: mp.log(abs(mp.gamma(x))),
        [0.1, 0.9, 1.3, 1.46, 1.4616, 2.0, 5.5, 25.0, -0.4, -3.3, 1e5],
    ),
    "tgamma": (c_only, mp.gamma, [0.1, 0.9, 1.3, 1.4616, 2.0, 5.5, 20.0, -0.4, -3.3]),
}
BINARY = {
    "pow": (both, lambda x, y: x**y, [(0.7, 1.9), (2.5, -0.4), (3.0, 7.0), (1.5, 0.0)]),
    "atan2": (both, mp.atan2, [*PAIRS, (-0.3, -2.0)]),
    "hypot": (c_only, mp.hypot, PAIRS),
    "fmod": (c_only, lambda x, y: x - y * int(x / y), [(7.3, 2.0), (-7.3, 2.0), (1.0, 0.1)]),
    "remainder": (c_only, lambda x, y: x - y * mp.nint(x / y), [(7.3, 2.0), (-7.3, 1.9)]),
    "fdim": (c_only, fdim, PAIRS),
    "copysign": (both, lambda x, s: abs(x) * mp.sign(s), PAIRS),
}
INSTRUCTIONS = {
    "fadd": lambda a, b: a + b,
    "fsub": lambda a, b: a - b,
    "fmul": lambda a, b: a * b,
    "fdiv": lambda a, b: a / b,
    "frem": lambda x, y: x - y * int(x / y),
    "fneg": lambda a: -a,
}


def cases():
    for name, (symbols, primal, points) in {**UNARY, **BINARY}.items():
        points = [p if isinstance(p, tuple) else (p,) for p in points]
        for double, single in symbols(name):
            yield double, DOUBLE, primal, points
            yield single, FLOAT, primal, points
    for name, primal in INSTRUCTIONS.items():
        count = primal.__code__.co_argcount
        for type_ in (DOUBLE, FLOAT):
            yield name, type_, primal, [p[:count] for p in PAIRS]


CASES = list(cases())
LIBRARY = Compiled()
for _symbol, _type, _primal, _points in CASES:
    for _i in range(len(_points[0])):
        for _kind in ("adjoint", "tangent"):
            _key = f"of {_symbol}/{_type}/{_i}/{_kind}"
            LIBRARY.add(_key, _symbol, [_type] * len(_points[0]), _i, _kind)


def exact_partial(primal, point, index):
    def along(t):
        return primal(*(t if k == index else mp.mpf(v) for k, v in enumerate(point)))

    return mp.diff(along, mp.mpf(point[index]), h=mp.mpf(10) ** -22)


def rounded(type_, point):
    return tuple(ctypes.c_float(v).value if type_ is FLOAT else v for v in point)


@pytest.mark.parametrize(
    ("symbol", "type_", "primal", "points"),
    CASES,
    ids=[f"{symbol}-{type_}" for symbol, type_, _, _ in CASES],
)
def test_value(symbol, type_, primal, points):
    tolerance = 2e-14 if type_ is DOUBLE else 3e-6
    d = 1.75
    for point in points:
        point = rounded(type_, point)
        for index in range(len(point)):
            expected = d * exact_partial(primal, point, index)
            for kind in ("adjoint", "tangent"):
                found = LIBRARY(f"of {symbol}/{type_}/{index}/{kind}", *point, d)
                assert abs(found - expected) <= tolerance * max(1, abs(expected)), (
                    f"{kind} {index} at {point}: {found}, expected {mp.nstr(expected, 17)}"
                )


# Powers by integers, scaling, Bessel functions of integer order ---------------------------------

INTEGER = {
    "llvm.powi": ((DOUBLE, I32), 0, lambda x, n: x**n, [(1.7, 5), (-0.4, 3), (2.0, -3), (0.3, 1)]),
    "ldexp": ((DOUBLE, I32), 0, lambda x, n: x * mp.mpf(2) ** n, [(1.7, 5), (-0.4, -30)]),
    "llvm.ldexp": ((DOUBLE, I32), 0, lambda x, n: x * mp.mpf(2) ** n, [(1.7, 5), (-0.4, -30)]),
    "scalbn": ((DOUBLE, I32), 0, lambda x, n: x * mp.mpf(2) ** n, [(1.7, 5)]),
    "numba_ldexp": ((DOUBLE, I32), 0, lambda x, n: x * mp.mpf(2) ** n, []),
    "jn": ((I32, DOUBLE), 1, mp.besselj, [(0, 1.3), (1, 0.0), (3, 2.5), (7, 9.1), (2, -4.0)]),
    "yn": ((I32, DOUBLE), 1, mp.bessely, [(0, 1.3), (3, 2.5), (7, 9.1)]),
}
INTEGERS = Compiled()
for _symbol, (_types, _index, _primal, _points) in INTEGER.items():
    if _points:
        INTEGERS.add(f"of {_symbol}", _symbol, _types, _index)


@pytest.mark.parametrize("symbol", [s for s, case in INTEGER.items() if case[3]])
def test_integer_operand(symbol):
    _, index, primal, points = INTEGER[symbol]
    for point in points:
        expected = exact_partial(primal, point, index)
        found = INTEGERS(f"of {symbol}", *point, 1.0)
        assert abs(found - expected) <= 1e-14 * max(1, abs(expected)), point


# Edge points of the semantics, and ranges where naive formulas fail -----------------------------

BIG, TINY = 1e200, 1e-200
EDGES = [
    # symbol, operand, point, expected
    ("llvm.sqrt", 0, (0.0,), 0.0),
    ("llvm.sqrt", 0, (-0.0,), 0.0),
    ("llvm.sqrt", 0, (NAN,), 0.0),
    ("llvm.sqrt", 0, (-1.0,), NAN),
    ("sqrt", 0, (0.0,), 0.0),
    ("llvm.fabs", 0, (0.0,), 1.0),
    ("llvm.fabs", 0, (-0.0,), 1.0),
    ("fabs", 0, (-2.0,), -1.0),
    *((f, 0, (1.0, 2.0), 0.0) for f in ("fmax", "llvm.maxnum", "llvm.maximum")),
    *((f, 1, (1.0, 2.0), 1.0) for f in ("fmax", "llvm.maxnum", "llvm.maximum")),
    *((f, 0, (2.0, 2.0), 1.0) for f in ("fmax", "llvm.maxnum", "llvm.maximum")),
    *((f, 1, (2.0, 2.0), 0.0) for f in ("fmax", "llvm.maxnum", "llvm.maximum")),
    *((f, 0, (NAN, 2.0), 1.0) for f in ("fmax", "llvm.maxnum", "llvm.maximum")),
    *((f, 0, (1.0, 2.0), 1.0) for f in ("fmin", "llvm.minnum", "llvm.minimum")),
    *((f, 1, (1.0, 2.0), 0.0) for f in ("fmin", "llvm.minnum", "llvm.minimum")),
    *((f, 0, (2.0, 2.0), 0.0) for f in ("fmin", "llvm.minnum", "llvm.minimum")),
    *((f, 1, (2.0, 2.0), 1.0) for f in ("fmin", "llvm.minnum", "llvm.minimum")),
    *((f, 1, (NAN, 2.0), 1.0) for f in ("fmin", "llvm.minnum", "llvm.minimum")),
    ("llvm.pow", 0, (0.0, 1.0), 1.0),
    ("llvm.pow", 0, (0.0, 2.0), 0.0),
    ("llvm.pow", 0, (0.0, 0.5), INF),
    ("llvm.pow", 0, (0.0, 0.0), 0.0),
    ("llvm.pow", 0, (-0.0, -1.0), -INF),
    ("llvm.pow", 0, (-0.0, -2.0), INF),
    ("llvm.pow", 0, (TINY, 2.0), 2 * TINY),  # the power itself is zero
    ("llvm.pow", 0, (BIG, 2.0), 2 * BIG),  # the power itself is infinite
    ("llvm.pow", 0, (-3.0, 3.0), 27.0),
    ("llvm.pow", 1, (0.0, 2.0), 0.0),
    ("llvm.pow", 1, (0.0, 0.0), 0.0),
    ("llvm.pow", 1, (1.0, 5.0), 0.0),
    ("llvm.pow", 1, (-2.0, 2.0), NAN),
    ("log", 0, (0.0,), INF),
    ("log2", 0, (0.0,), INF),
    ("log10", 0, (-0.0,), -INF),
    ("log1p", 0, (-1.0,), INF),
    ("asin", 0, (1.0,), INF),
    ("acos", 0, (-1.0,), -INF),
    ("atanh", 0, (1.0,), INF),
    ("acosh", 0, (1.0,), INF),
    ("acosh", 0, (-2.0,), NAN),
    ("acosh", 0, (BIG,), 1 / BIG),
    ("asinh", 0, (-BIG,), 1 / BIG),
    ("tanh", 0, (1000.0,), 0.0),
    ("tanh", 0, (-INF,), 0.0),
    ("cbrt", 0, (0.0,), 0.0),
    ("hypot", 0, (0.0, 0.0), 0.0),
    ("hypot", 1, (0.0, -0.0), 0.0),
    ("hypot", 0, (BIG, BIG), math.sqrt(0.5)),
    ("atan2", 0, (0.0, 0.0), 0.0),
    ("atan2", 1, (0.0, -0.0), 0.0),
    ("atan2", 0, (3 * BIG, 4 * BIG), 0.16 / BIG),
    ("atan2", 1, (3 * TINY, 4 * TINY), -0.12 / TINY),
    ("atan2", 0, (0.0, -2.0), -0.5),
    ("atan2", 1, (2.0, 0.0), -0.5),
    ("fmod", 1, (1.0, 0.1), -9.0),
    ("frem", 1, (-1.0, 0.1), 9.0),
    ("remainder", 1, (1.0, 0.1), -10.0),
    ("copysign", 0, (2.0, -0.0), -1.0),
    ("copysign", 0, (-2.0, -1.0), 1.0),
    ("copysign", 1, (2.0, -1.0), 0.0),
    ("fdim", 0, (1.0, 1.0), 0.0),
    ("fdim", 1, (2.0, 1.0), -1.0),
    ("fdim", 1, (1.0, 2.0), 0.0),
    ("nextafter", 0, (1.0, 2.0), 1.0),
    ("floor", 0, (1.5,), 0.0),
    ("llvm.roundeven", 0, (1.5,), 0.0),
    ("logb", 0, (1.5,), 0.0),
    ("j1", 0, (0.0,), 0.5),
    ("fdiv", 1, (3.0, 2.0), -0.75),
]
POINTS = Compiled()
for _n, (_symbol, _index, _point, _expected) in enumerate(EDGES):
    POINTS.add(f"edge {_n}", _symbol, [DOUBLE] * len(_point), _index)


def same(found, expected):
    if math.isnan(expected):
        return math.isnan(found)
    return found == expected or math.isclose(found, expected, rel_tol=4e-16)


@pytest.mark.parametrize("case", EDGES, ids=str)
def test_edge(case):
    _, _, point, expected = case
    assert same(POINTS(f"edge {EDGES.index(case)}", *point, 1.0), expected)


FOLDS = [
    # symbol, operand, constants, x, expected
    ("llvm.pow", 0, {1: 0.0}, 0.0, 0.0),
    ("llvm.pow", 0, {1: 1.0}, 0.0, 1.0),
    ("llvm.pow", 0, {1: 2.0}, 3.0, 6.0),
    ("llvm.pow", 0, {1: 3.0}, -2.0, 12.0),
    ("llvm.pow", 0, {1: -1.0}, 2.0, -0.25),
    ("llvm.pow", 0, {1: 0.5}, 0.0, INF),
    ("llvm.pow", 0, {1: 0.5}, 4.0, 0.25),
    ("llvm.powi", 0, {1: 0}, 0.0, 0.0),
    ("llvm.powi", 0, {1: 1}, 0.0, 1.0),
    ("llvm.powi", 0, {1: 4}, 2.0, 32.0),
    ("llvm.powi", 0, {}, 0.0, 0.0),  # exponent 0 at run time
]
FOLDED = Compiled()
for _n, (_symbol, _index, _constants, _x, _expected) in enumerate(FOLDS):
    _types = [DOUBLE, I32 if _symbol == "llvm.powi" else DOUBLE]
    FOLDED.add(f"fold {_n}", _symbol, _types, _index, constants=_constants)


@pytest.mark.parametrize("case", FOLDS, ids=str)
def test_constant_exponent(case):
    symbol, _, _, x, expected = case
    other = 0 if symbol == "llvm.powi" else 0.0
    assert same(FOLDED(f"fold {FOLDS.index(case)}", x, other, 1.0), expected)


# Strong zero ------------------------------------------------------------------------------------

STRONG = [("fdiv", 0, (1.0, 0.0)), ("log", 0, (0.0,)), ("fmul", 0, (1.0, INF)), ("erf", 0, (NAN,))]
ZEROS = Compiled()
for _symbol, _index, _point in STRONG:
    for _strong in (False, True):
        _key = f"of {_symbol} {_strong}"
        ZEROS.add(_key, _symbol, [DOUBLE] * len(_point), _index, guard="select" if _strong else "")


@pytest.mark.parametrize(("symbol", "index", "point"), STRONG)
def test_strong_zero(symbol, index, point):
    assert math.isnan(ZEROS(f"of {symbol} False", *point, 0.0))
    assert ZEROS(f"of {symbol} True", *point, 0.0) == 0.0
    assert ZEROS(f"of {symbol} True", *point, -0.0) == 0.0
    assert ZEROS(f"of {symbol} True", *point, 1.0) != 0.0
