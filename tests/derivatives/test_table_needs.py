"""What rows need is exact: nothing that the emitted code does not use, nothing missing."""

from __future__ import annotations

import pytest

from enzyme.engine.derivatives import catalogue, table
from enzyme.engine.derivatives.operands import Operands
from enzyme.engine.ir.builder import Builder, mangle
from enzyme.engine.ir.module import Module, new_function
from enzyme.engine.ir.types import DOUBLE, FLOAT, I32, VOID, struct_type, vector_type
from enzyme.engine.ir.values import Argument

from .table_harness import RESULT as R
from .table_harness import fetched

NEEDS = {
    # changes here change what is cached
    "fadd": [set(), set()],
    "fsub": [set(), set()],
    "fmul": [{1}, {0}],
    "fdiv": [{1}, {1, R}],
    "fneg": [set()],
    "frem": [set(), {0, 1, R}],
    "llvm.fma.f64": [{1}, {0}, set()],
    "llvm.sqrt.f64": [{0, R}],
    "llvm.exp.f64": [{R}],
    "tanh": [{0}],
    "enzyme.tanh_packed.f64": [{R}],
    "enzyme.tanh_unpacked.f64": [set()],
    "enzyme.tanh_slope.f64": [{0}],
    "tan": [{R}],
    "cbrt": [{R}],
    "expm1": [{0}],
    "llvm.sin.f64": [{0}],
    "llvm.cos.f64": [{0}],
    "log": [{0}],
    "hypot": [{0, R}, {1, R}],
    "atan2": [{0, 1}, {0, 1}],
    "llvm.pow.f64": [{0, 1, R}, {0, R}],
    "llvm.maxnum.f64": [{0, 1}, {0, 1}],
    "llvm.fabs.f64": [{0}],
    "llvm.copysign.f64": [{0, 1}, set()],
    "lgamma": [{0}],
    "tgamma": [{0, R}],
    "j1": [{0, R}],
    "floor": [set()],
    "cabs": [{0, R}, {1, R}],
}


def call_of(symbol, types, ret, constants=None):
    function = new_function(Module(), "f", VOID, [(t, "") for t in types])
    b = Builder(function.append_block())
    operands = list(function.args)
    for position, number in (constants or {}).items():
        operands[position] = b.const(types[position], number)
    if catalogue.lookup(symbol) is None:
        return b.fneg(*operands) if symbol == "fneg" else b.binary(symbol, *operands)
    return b.call_named(symbol, ret, operands)


def row_of(symbol):
    return catalogue.lookup(symbol) or table.row_for_instruction(symbol)


@pytest.mark.parametrize("symbol", NEEDS)
def test_needs(symbol):
    expected = NEEDS[symbol]
    instruction = call_of(symbol, [DOUBLE] * len(expected), DOUBLE)
    row = row_of(symbol)
    assert [fetched(row, i, instruction) for i in range(len(expected))] == expected


@pytest.mark.parametrize(
    ("symbol", "types", "constants", "expected"),
    [
        ("llvm.pow.f64", [DOUBLE, DOUBLE], {1: 0.0}, set()),
        ("llvm.pow.f64", [DOUBLE, DOUBLE], {1: 1.0}, set()),
        ("llvm.pow.f64", [DOUBLE, DOUBLE], {1: 2.0}, {0}),
        ("llvm.pow.f64", [DOUBLE, DOUBLE], {1: -1.0}, {R}),
        ("llvm.pow.f64", [DOUBLE, DOUBLE], {1: 0.75}, {0, R}),
        ("llvm.powi.f64.i32", [DOUBLE, I32], {1: 1}, set()),
        ("llvm.powi.f64.i32", [DOUBLE, I32], {1: 7}, {0}),
        ("llvm.powi.f64.i32", [DOUBLE, I32], {}, {0, 1}),
        ("fmul", [DOUBLE, DOUBLE], {1: 3.0}, set()),
        ("fdiv", [DOUBLE, DOUBLE], {1: 3.0}, set()),
    ],
)
def test_constants_are_not_needed(symbol, types, constants, expected):
    assert fetched(row_of(symbol), 0, call_of(symbol, types, DOUBLE, constants)) == expected


def shapes(name, row):
    """Operand types and result type with which a row can be tried."""
    count = len(row.rules)
    if "reduce" in name:
        vector = vector_type(4, DOUBLE)
        return ([DOUBLE, vector] if count == 2 else [vector]), DOUBLE
    if name in ("llvm.sincos", "llvm.sincospi", "llvm.modf"):
        return [DOUBLE], struct_type((DOUBLE, DOUBLE))
    if name == "llvm.frexp":
        return [DOUBLE], struct_type((DOUBLE, I32))
    pair = vector_type(2, FLOAT)
    if name in ("cabsf", "cargf"):
        return [pair], FLOAT
    if name in COMPLEX_FLOAT:
        return [pair] * count, pair
    if name.startswith(("__mul", "__div")) or name in COMPLEX_DOUBLE:
        return [DOUBLE] * count, struct_type((DOUBLE, DOUBLE))
    if name.startswith(("scipy.", "enzyme.special.")) and name.endswith("z"):
        number = struct_type((DOUBLE, DOUBLE))
        return [number if c == "z" else DOUBLE for c in name.rpartition(".")[2]], number
    types = [DOUBLE] * count
    for k, rule in enumerate(row.rules):
        if rule is None and (k != 1 or _has_int(name)):
            types[k] = I32
    return types, DOUBLE


def _has_int(name):
    return "powi" in name or "ldexp" in name or "scalb" in name


COMPLEX_NAMES = (
    "cexp clog csqrt csin ccos ctan csinh ccosh ctanh casin cacos catan casinh cacosh catanh cpow"
).split()
COMPLEX_DOUBLE = {*COMPLEX_NAMES, "enzyme.cpow", "enzyme.cpowf"}
COMPLEX_FLOAT = {n + "f" for n in COMPLEX_NAMES}


@pytest.mark.parametrize("name", catalogue.all_symbols())
def test_emitted_code_uses_what_is_needed(name):
    """Every value that a row fetches is an operand of what it emits, and every value it uses was fetched."""
    row = catalogue.lookup(name)
    types, ret = shapes(name, row)
    symbol = ".".join([name, *(mangle(t) for t in types[:1])]) if name[:5] == "llvm." else name
    call = call_of(symbol, types, ret)
    for index in row.active_operands:
        if row.rules[index].lacks:
            continue
        needs = fetched(row, index, call)
        function = new_function(Module(), "g", VOID, [])
        b = Builder(function.append_block())
        stand_in = {call: Argument(ret, "", 99)}
        stand_in |= {o: Argument(o.type, "", k) for k, o in enumerate(call.arguments)}
        d = Argument(ret, "", 100)
        made = row.adjoint(b, index, d, Operands(call, stand_in.__getitem__))
        used = {o for i in function.instructions() for o in i.operands}
        positions = {k for k, o in enumerate(call.arguments) if stand_in[o] in used}
        if stand_in[call] in used:
            positions.add(R)
        assert positions == needs
        assert made is None or made.type is call.arguments[index].type
        tangent = row.tangent(b, index, call.arguments[index], Operands(call))
        assert tangent is None or tangent.type is ret
        dead = [i for i in function.instructions() if not i.users and i is not made]
        assert not [i for i in dead if i is not tangent], f"{name} emits code that nothing uses"


@pytest.mark.parametrize(
    "name",
    [
        *("llvm.sin.f64", "llvm.pow.v4f32", "llvm.powi.f64.i32", "llvm.ldexp.v2f64.v2i32"),
        *("llvm.vector.reduce.fadd.v8f64", "llvm.sin.nxv2f64", "llvm.frexp.f64.i32", "sinf"),
        *("erf", "lgammaf", "numba_gamma", "numba_gammaf", "enzyme.digamma", "enzyme.digamma.3"),
        *("llvm.exp.f16", "llvm.exp.f80", "llvm.minimumnum.f32", "cpow", "__muldc3"),
    ],
)
def test_lookup(name):
    assert catalogue.lookup(name) is not None


@pytest.mark.parametrize("name", ["zeta", "llvm.memcpy.p0.p0.i64", "my.sin", "llvm.sinus.f64"])
def test_unknown(name):
    assert catalogue.lookup(name) is None


def test_functions_of_the_program_have_no_row():
    """A function with a body, or one that only shares the name, is not the library's."""
    call = call_of("j1", [DOUBLE, DOUBLE], DOUBLE)
    assert catalogue.row_for_call(call) is None
    call = call_of("gammaf", [DOUBLE], DOUBLE) if catalogue.lookup("gammaf") else None
    assert call is None
    call = call_of("erf", [DOUBLE], DOUBLE)
    assert catalogue.row_for_call(call) is catalogue.lookup("erf")
    call.callee.append_block()
    assert catalogue.row_for_call(call) is None
