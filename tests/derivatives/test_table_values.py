"""Every row against mpmath, compiled: double and float, adjoint and tangent, and the edge points."""

from __future__ import annotations

import ctypes
import math

import llvmlite.binding as llvm
import mpmath as mp
import pytest

from enzyme.engine.derivatives import table
from enzyme.engine.ir.builder import Builder, mangle
from enzyme.engine.ir.module import Module, new_function
from enzyme.engine.ir.printer import print_module
from enzyme.engine.ir.types import DOUBLE, FLOAT, I32, I64

mp.mp.dps = 60
INF, NAN = math.inf, math.nan
CTYPES = {DOUBLE: ctypes.c_double, FLOAT: ctypes.c_float, I32: ctypes.c_int32, I64: ctypes.c_int64}

llvm.initialize_native_target()
llvm.initialize_native_asmprinter()


class Compiled:
    """Functions (operands..., d) -> product, one per (symbol, operand, way), in one module."""

    def __init__(self):
        self.module = Module()
        self.signatures = {}
        self.engine = None

    def add(self, key, symbol, types, index, kind="adjoint", strong_zero=False):
        names = [(t, "") for t in types] + [(types[-1] if index is None else types[index], "d")]
        ret = next(t for t in types if t in (DOUBLE, FLOAT))
        function = new_function(self.module, key, ret, names)
        function.prefix = ""
        b = Builder(function.append_block())
        *operands, d = function.args
        row = table.lookup(symbol)
        if row is None:
            row = table.row_for_instruction(symbol)
            primal = b.fneg(*operands) if symbol == "fneg" else b.binary(symbol, *operands)
        else:
            primal = b.call_named(mangled(symbol, types), ret, operands)
        way = getattr(row, kind)
        made = way(b, index, d, table.Operands(primal), strong_zero=strong_zero)
        b.ret(b.zero(ret) if made is None else made)
        self.signatures[key] = (ret, [t for t, _ in names])

    def __call__(self, key, *arguments):
        if self.engine is None:
            parsed = llvm.parse_assembly(print_module(self.module))
            parsed.verify()
            machine = llvm.Target.from_default_triple().create_target_machine(opt=1)
            self.engine = llvm.create_mcjit_compiler(parsed, machine)
            self.engine.finalize_object()
        ret, types = self.signatures[key]
        prototype = ctypes.CFUNCTYPE(CTYPES[ret], *(CTYPES[t] for t in types))
        return prototype(self.engine.get_function_address(key))(*arguments)


def mangled(symbol, types):
    if not symbol.startswith("llvm."):
        return symbol
    tail = [types[0]] + [t for t in types if t is I32]
    return ".".join([symbol, *map(mangle, tail)])


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
