"""The gamma family by our own functions, to high order; rows of structs, vectors and casts."""

from __future__ import annotations

import math

import mpmath as mp
import pytest

from enzyme.engine.derivatives import catalogue, table, terms
from enzyme.engine.derivatives.operands import Operands
from enzyme.engine.derivatives.special import LAST_POLYGAMMA, polygamma
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.instructions import Instruction
from enzyme.engine.ir.module import Module, new_function
from enzyme.engine.ir.printer import print_module
from enzyme.engine.ir.types import (
    DOUBLE,
    FLOAT,
    FLOAT_TYPES,
    I32,
    VOID,
    struct_type,
    vector_type,
)
from enzyme.engine.ir.values import Argument, ConstInt

from .table_harness import Compiled, fetched

mp.mp.dps = 60

# Polygamma functions ----------------------------------------------------------------------------

GAMMA = Compiled()
for _order in range(LAST_POLYGAMMA + 1):
    for _type in (DOUBLE, FLOAT):
        _function, _b = GAMMA.function(f"psi {_order} {_type}", _type, [_type])
        _b.ret(polygamma(_order, terms.of(_b, _function.args[0])).value)
ORDINARY = [1e-300, 1e-8, 0.02, 0.5, 0.99, 1.0, 1.4, 1.5, 1.999, 2.0, 2.5, 9.99, 10.0, 15.9, 16.0]
LARGE = [77.3, 1e4, 1e17, 1e150]
NEGATIVE = [-1e-9, -0.3, -0.5, -1.7, -2.49, -9.2, -100.35]


@pytest.mark.parametrize("order", range(LAST_POLYGAMMA + 1))
@pytest.mark.parametrize("x", [*ORDINARY, *LARGE, *NEGATIVE])
def test_polygamma(order, x):
    if order and abs(x) in (1e-300, 1e150):
        return  # out of range
    expected = mp.polygamma(order, mp.mpf(x))
    condition = abs(x * mp.polygamma(order + 1, mp.mpf(x)) / expected) if x < 0 else 1
    found = GAMMA(f"psi {order} double", x)
    assert abs(found / expected - 1) <= 1e-15 * (3 + 2 * condition)


@pytest.mark.parametrize("distance", [0.3, 0.03, 1e-3, 1e-6, 1e-10, 1e-14, -1e-12, -1e-4, -0.2])
def test_digamma_is_accurate_near_its_root(distance):
    root = mp.findroot(mp.digamma, 1.46)
    x = float(root + distance)
    assert abs(GAMMA("psi 0 double", x) / mp.digamma(mp.mpf(x)) - 1) <= 1e-15


@pytest.mark.parametrize("x", [0.25, 1.5, 30.0, -0.5])
def test_polygamma_of_float(x):
    expected = mp.polygamma(0, x)
    assert abs(GAMMA("psi 0 float", x) / expected - 1) <= 1e-7


def test_polygamma_limits():
    assert math.isnan(GAMMA("psi 0 double", math.nan))
    assert GAMMA("psi 0 double", math.inf) == math.inf
    assert GAMMA("psi 0 double", 0.0) == -math.inf
    assert GAMMA("psi 1 double", math.inf) == 0.0


def test_polygamma_is_written_once():
    module = Module()
    function = new_function(module, "f", DOUBLE, [(DOUBLE, "x")])
    b = Builder(function.append_block())
    x = terms.of(b, function.args[0])
    b.ret((polygamma(0, x) + polygamma(0, x)).value)
    assert print_module(module).count("define internal double @enzyme.digamma") == 1


# Structs ----------------------------------------------------------------------------------------
# For a struct result the derivative is a struct: one function per member, by a unit of it.

STRUCTS = Compiled()
MEMBERS = {
    "llvm.sincos": ([DOUBLE, DOUBLE], [mp.sin, mp.cos]),
    "llvm.sincospi": ([DOUBLE, DOUBLE], [mp.sinpi, mp.cospi]),
    "llvm.modf": ([DOUBLE, DOUBLE], [lambda x: x - int(x), lambda x: mp.mpf(int(x))]),
    "llvm.frexp": ([DOUBLE, I32], [lambda x: mp.frexp(x)[0], None]),
}


def emulated(b, symbol, x, kind):
    """The struct result, made from functions that every target has."""
    if symbol == "llvm.sincospi":
        angle = b.fmul(x, b.const(DOUBLE, math.pi))
        return b.make_struct(kind, [b.intrinsic("sin", [angle]), b.intrinsic("cos", [angle])])
    suffix = "f64.i32" if symbol == "llvm.frexp" else "f64"
    return b.call_named(f"{symbol}.{suffix}", kind, [x])


for _symbol, (_members, _) in MEMBERS.items():
    _kind = struct_type(_members)
    for _k in range(2):
        for _way in ("adjoint", "tangent"):
            _function, _b = STRUCTS.function(f"{_way} {_symbol} {_k}", DOUBLE, [DOUBLE, DOUBLE])
            _x, _d = _function.args
            _row = catalogue.lookup(_symbol)
            _primal = emulated(_b, _symbol, _x, _kind)
            _operands = Operands(Instruction("stand-in", _kind, [_x]))
            _operands.fetch = lambda v, x=_x, y=_primal: x if v is x else y
            if _way == "adjoint" and _members[_k] is I32:
                _b.ret(_b.zero(DOUBLE))
                continue
            if _way == "adjoint":
                _seed = _b.insert_value(_b.zero(_kind), _d, [_k])
                _b.ret(_row.adjoint(_b, 0, _seed, _operands))
            else:
                _made = _row.tangent(_b, 0, _d, _operands)
                _part = _b.extract_value(_made, [_k])
                _b.ret(_part if _members[_k] is DOUBLE else _b.cast("sitofp", _part, DOUBLE))


@pytest.mark.parametrize("symbol", MEMBERS)
@pytest.mark.parametrize("x", [0.37, 5.25, -2.6])
def test_struct(symbol, x):
    for k, primal in enumerate(MEMBERS[symbol][1]):
        expected = 0 if primal is None else 1.5 * mp.diff(primal, mp.mpf(x), h=mp.mpf(10) ** -20)
        for way in ("adjoint", "tangent"):
            found = STRUCTS(f"{way} {symbol} {k}", x, 1.5)
            assert abs(found - expected) <= 1e-14 * max(1, abs(expected)), (way, k)


# Reductions of vectors --------------------------------------------------------------------------

VECTORS = Compiled()
FOUR = vector_type(4, DOUBLE)
REDUCTIONS = {
    "fadd": lambda start, v: start + sum(v),
    "fmul": lambda start, v: start * mp.fprod(v),
    "fmax": lambda start, v: max(v),
    "fmin": lambda start, v: min(v),
    "fmaximum": lambda start, v: max(v),
    "fminimum": lambda start, v: min(v),
}


def build_vector(b, lanes):
    made = b.zero(FOUR)
    for k, lane in enumerate(lanes):
        made = b.add(Instruction("insertelement", FOUR, (made, lane, ConstInt(I32, k))))
    return made


def lane(b, vector, k):
    return b.add(Instruction("extractelement", DOUBLE, (vector, ConstInt(I32, k))))


for _name in REDUCTIONS:
    _started = _name in ("fadd", "fmul")
    _row = catalogue.lookup(f"llvm.vector.reduce.{_name}.v4f64")
    for _way in ("adjoint", "tangent"):
        for _k in range(5):  # lanes, then the start
            _function, _b = VECTORS.function(f"{_way} {_name} {_k}", DOUBLE, [DOUBLE] * 6)
            *_lanes, _start, _d = _function.args
            _v = build_vector(_b, _lanes)
            _arguments = [_start, _v] if _started else [_v]
            _primal = _b.call_named(f"llvm.vector.reduce.{_name}.v4f64", DOUBLE, _arguments)
            _operands = Operands(_primal)
            if _k == 4:
                _made = getattr(_row, _way)(_b, 0, _d, _operands) if _started else _d
            elif _way == "adjoint":
                _made = lane(_b, _row.adjoint(_b, len(_arguments) - 1, _d, _operands), _k)
            else:
                _unit = [_d if j == _k else _b.const(DOUBLE, 0.0) for j in range(4)]
                _dv = build_vector(_b, _unit)
                _made = _row.tangent(_b, len(_arguments) - 1, _dv, _operands)
            _b.ret(_made)


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("lanes", [(1.5, -2.0, 0.25, 3.0), (4.0, 0.0, -1.0, 2.0)])
def test_reduction(name, lanes):
    for k in range(5 if name in ("fadd", "fmul") else 4):

        def along(t, k=k):
            v = [t if j == k else mp.mpf(x) for j, x in enumerate(lanes)]
            return REDUCTIONS[name](t if k == 4 else mp.mpf(0.5), v)

        point = 0.5 if k == 4 else lanes[k]
        expected = 2 * mp.diff(along, mp.mpf(point), h=mp.mpf(10) ** -20)
        for way in ("adjoint", "tangent"):
            assert abs(VECTORS(f"{way} {name} {k}", *lanes, 0.5, 2.0) - expected) < 1e-14


def test_tie_of_a_reduction_goes_to_one_lane():
    adjoints = [VECTORS(f"adjoint fmax {k}", 1.0, 3.0, 3.0, 2.0, 0.0, 1.0) for k in range(4)]
    assert adjoints == [0.0, 1.0, 0.0, 0.0]


# Casts ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("opcode", ["fpext", "fptrunc"])
def test_cast(opcode):
    source, target = (FLOAT, DOUBLE) if opcode == "fpext" else (DOUBLE, FLOAT)
    function = new_function(Module(), "f", VOID, [(source, "x")])
    b = Builder(function.append_block())
    primal = b.cast(opcode, function.args[0], target)
    row = table.row_for_instruction(opcode)
    tangent = row.tangent(b, 0, Argument(source, "", 1), Operands(primal))
    adjoint = row.adjoint(b, 0, Argument(target, "", 2), Operands(primal))
    assert (tangent.opcode, tangent.type) == (opcode, target)
    assert (adjoint.opcode, adjoint.type) == ({"fpext": "fptrunc"}.get(opcode, "fpext"), source)
    assert fetched(row, 0, primal) == set()


@pytest.mark.parametrize("opcode", ["fptosi", "fptoui", "sitofp", "uitofp", "fcmp"])
def test_integer_conversion_is_constant(opcode):
    assert table.row_for_instruction(opcode).active_operands == ()


# Other float types ------------------------------------------------------------------------------


@pytest.mark.parametrize("type_", [FLOAT_TYPES["half"], FLOAT_TYPES["x86_fp80"]])
@pytest.mark.parametrize("name", ["sqrt", "exp2", "tanh", "atan2", "pow", "sin"])
def test_other_types_emit_valid_code(name, type_):
    import llvmlite.binding as llvm

    row = catalogue.lookup(f"llvm.{name}.f64")
    count = len(row.rules)
    module = Module()
    function = new_function(module, "f", type_, [(type_, "")] * (count + 1))
    b = Builder(function.append_block())
    *operands, d = function.args
    primal = b.intrinsic(name, operands)
    for index in range(count):
        made = row.adjoint(b, index, d, Operands(primal), guard="select")
    b.ret(made)
    llvm.parse_assembly(print_module(module)).verify()


@pytest.mark.parametrize("name", ["sqrt", "exp", "log10", "pow", "fma", "maxnum", "atan2", "fabs"])
def test_vectors_emit_valid_code(name):
    import llvmlite.binding as llvm

    row = catalogue.lookup(f"llvm.{name}.v4f32")
    count = len(row.rules)
    type_ = vector_type(4, FLOAT)
    module = Module()
    function = new_function(module, "f", type_, [(type_, "")] * (count + 1))
    b = Builder(function.append_block())
    *operands, d = function.args
    primal = b.intrinsic(name, operands)
    for index in range(count):
        made = row.adjoint(b, index, d, Operands(primal), guard="select")
    b.ret(made)
    llvm.parse_assembly(print_module(module)).verify()


def test_powi_of_a_vector():
    import llvmlite.binding as llvm

    module = Module()
    type_ = vector_type(2, DOUBLE)
    function = new_function(module, "f", type_, [(type_, "x"), (I32, "n"), (type_, "d")])
    b = Builder(function.append_block())
    x, n, d = function.args
    primal = b.intrinsic("powi", [x, n], overload=[type_, I32])
    b.ret(catalogue.lookup("llvm.powi.v2f64.i32").adjoint(b, 0, d, Operands(primal)))
    llvm.parse_assembly(print_module(module)).verify()
