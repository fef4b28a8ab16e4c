"""Complex rows against mpmath; functions with pointers in value form; float bits as integers."""

from __future__ import annotations

import ctypes
import math

import llvmlite.binding as llvm
import mpmath as mp
import pytest

from enzyme.engine.derivatives import catalogue
from enzyme.engine.derivatives.casts import match_float_bits, rewrite_float_bits
from enzyme.engine.derivatives.complex import define_powers
from enzyme.engine.derivatives.operands import Operands
from enzyme.engine.derivatives.result_pointers import expand_all
from enzyme.engine.ir.instructions import Call, Instruction
from enzyme.engine.ir.parser import parse_module
from enzyme.engine.ir.printer import print_module
from enzyme.engine.ir.types import DOUBLE, FLOAT, I32, struct_type, vector_type
from enzyme.engine.ir.values import ConstInt

from .table_harness import RESULT, Compiled, fetched

mp.mp.dps = 40
PAIR = struct_type((DOUBLE, DOUBLE))
PACKED = vector_type(2, FLOAT)


# Complex functions ------------------------------------------------------------------------------
# g, the adjoint of the result, in; conj(P) g out, one float per call. The result itself is given.

POINTS = [(0.3 + 0.4j), (-1.2 + 0.7j), (2.5 - 1.1j), (-0.6 - 0.9j)]
UNARY = {
    "cexp": mp.exp,
    "clog": mp.log,
    "csqrt": mp.sqrt,
    "csin": mp.sin,
    "ccos": mp.cos,
    "ctan": mp.tan,
    "csinh": mp.sinh,
    "ccosh": mp.cosh,
    "ctanh": mp.tanh,
    "casin": mp.asin,
    "cacos": mp.acos,
    "catan": mp.atan,
    "casinh": mp.asinh,
    "cacosh": mp.acosh,
    "catanh": mp.atanh,
}
BINARY = {
    "cpow": lambda z, w: z**w,
    "__muldc3": lambda z, w: z * w,
    "__divdc3": lambda z, w: z / w,
}
COMPLEX = Compiled()


def operand(kind, values, b):
    if kind is PAIR:
        return b.make_struct(PAIR, values)
    made = b.zero(kind)
    for k, value in enumerate(values):
        made = b.add(Instruction("insertelement", kind, (made, value, ConstInt(I32, k))))
    return made


def part(b, value, k):
    if value.type is PAIR:
        return b.extract_value(value, [k])
    return b.add(Instruction("extractelement", FLOAT, (value, ConstInt(I32, k))))


def add_split(symbol, count):
    """Parameters: 2 `count` floats, the result, the derivative (2 floats each)."""
    row = catalogue.lookup(symbol)
    for index in range(2 * count):
        f, b = COMPLEX.function(f"adjoint {symbol} {index}", DOUBLE, [DOUBLE] * (2 * count + 4))
        *x, yr, yi, dr, di = f.args
        y = operand(PAIR, [yr, yi], b)
        stand_in = Instruction("stand-in", PAIR, x)
        at = Operands(stand_in, lambda v, y=y, s=stand_in: y if v is s else v)
        b.ret(row.adjoint(b, index, operand(PAIR, [dr, di], b), at))
        for out in (0, 1):
            key = f"tangent {symbol} {index} {out}"
            f, b = COMPLEX.function(key, DOUBLE, [DOUBLE] * (2 * count + 3))
            *x, yr, yi, d = f.args
            y = operand(PAIR, [yr, yi], b)
            stand_in = Instruction("stand-in", PAIR, x)
            at = Operands(stand_in, lambda v, y=y, s=stand_in: y if v is s else v)
            b.ret(part(b, row.tangent(b, index, d, at), out))


def add_packed(symbol, count):
    row = catalogue.lookup(symbol)
    for index in range(count):
        for way in ("adjoint", "tangent"):
            for out in (0, 1):
                key = f"{way} {symbol} {index} {out}"
                f, b = COMPLEX.function(key, FLOAT, [FLOAT] * (2 * count + 4))
                *x, yr, yi, dr, di = f.args
                z = [operand(PACKED, x[2 * k : 2 * k + 2], b) for k in range(count)]
                y = operand(PACKED, [yr, yi], b)
                stand_in = Instruction("stand-in", PACKED, z)
                at = Operands(stand_in, lambda v, y=y, s=stand_in: y if v is s else v)
                b.ret(part(b, getattr(row, way)(b, index, operand(PACKED, [dr, di], b), at), out))


for _symbol in UNARY:
    add_split(_symbol, 1)
    add_packed(_symbol + "f", 1)
for _symbol in BINARY:
    add_split(_symbol, 2)
add_packed("cpowf", 2)


def slope(primal, operands, k):
    def along(t):
        return primal(*(t if j == k else o for j, o in enumerate(operands)))

    return mp.diff(along, operands[k], h=mp.mpf(10) ** -15)


def arguments_of(symbol, count):
    primal = (UNARY if count == 1 else BINARY)[symbol]
    for n, z in enumerate(POINTS):
        operands = [mp.mpc(z)] if count == 1 else [mp.mpc(z), mp.mpc(POINTS[n - 1])]
        y = primal(*operands)
        partials = [slope(primal, operands, k) for k in range(count)]
        flat = [float(v) for o in (*operands, y) for v in (o.real, o.imag)]
        yield flat, partials


@pytest.mark.parametrize(("symbol", "count"), [(s, 1) for s in UNARY] + [(s, 2) for s in BINARY])
def test_split_complex(symbol, count):
    g = mp.mpc(0.7, -1.3)
    for flat, partials in arguments_of(symbol, count):
        for k, p in enumerate(partials):
            adjoint = mp.conj(p) * g
            for half, expected in ((0, adjoint.real), (1, adjoint.imag)):
                found = COMPLEX(f"adjoint {symbol} {2 * k + half}", *flat, 0.7, -1.3)
                assert abs(found - expected) <= 1e-14 * max(1, abs(p)), (flat, k)
                column = p * (1j if half else 1) * 1.5
                for out, wanted in ((0, column.real), (1, column.imag)):
                    found = COMPLEX(f"tangent {symbol} {2 * k + half} {out}", *flat, 1.5)
                    assert abs(found - wanted) <= 1e-14 * max(1, abs(p)), (flat, k)


@pytest.mark.parametrize(("symbol", "count"), [*((s, 1) for s in UNARY), ("cpow", 2)])
def test_packed_complex(symbol, count):
    for flat, partials in arguments_of(symbol, count):
        for k, p in enumerate(partials):
            for way, expected in (("adjoint", mp.conj(p)), ("tangent", p)):
                expected *= mp.mpc(0.7, -1.3)
                for out, wanted in ((0, expected.real), (1, expected.imag)):
                    found = COMPLEX(f"{way} {symbol}f {k} {out}", *flat, 0.7, -1.3)
                    assert abs(found - wanted) <= 1e-5 * max(1, abs(p)), (flat, k)


ORIGIN = [
    # w, P at z = 0
    ((1.0, 0.0), 1.0),
    ((2.0, 0.0), 0.0),
    ((1.5, 3.0), 0.0),
]


@pytest.mark.parametrize(("w", "expected"), ORIGIN)
def test_power_at_zero(w, expected):
    found = [COMPLEX(f"adjoint cpow {k}", 0.0, 0.0, *w, 0.0, 0.0, 1.0, 0.0) for k in range(4)]
    assert found == [expected, 0.0, 0.0, 0.0]


REAL = Compiled()
for _symbol in ("cabs", "carg"):
    for _i in (0, 1):
        REAL.add(f"of {_symbol} {_i}", _symbol, [DOUBLE, DOUBLE], _i)


@pytest.mark.parametrize("z", POINTS)
def test_modulus_and_angle(z):
    square = abs(z) ** 2
    wanted = {"cabs": (z.real / abs(z), z.imag / abs(z)), "carg": (-z.imag, z.real)}
    for symbol, gradient in wanted.items():
        for k in (0, 1):
            found = REAL(f"of {symbol} {k}", z.real, z.imag, 1.0)
            expected = gradient[k] / (square if symbol == "carg" else 1)
            assert math.isclose(found, expected, rel_tol=1e-14)
    assert REAL("of carg 0", 0.0, 0.0, 1.0) == REAL("of cabs 1", 0.0, 0.0, 1.0) == 0.0


# Functions with pointers ------------------------------------------------------------------------


def run(module, name, *arguments):
    parsed = llvm.parse_assembly(print_module(module))
    parsed.verify()
    machine = llvm.Target.from_default_triple().create_target_machine(opt=1)
    engine = llvm.create_mcjit_compiler(parsed, machine)
    engine.finalize_object()
    address = engine.get_function_address(name)
    types = [ctypes.c_double if isinstance(a, float) else ctypes.c_void_p for a in arguments]
    ctypes.CFUNCTYPE(None, *types)(address)(
        *(a if isinstance(a, float) else ctypes.addressof(a) for a in arguments)
    )


EXPANDED = {
    "sincos": ("void", "double %x, ptr %p, ptr %q", [ctypes.c_double, ctypes.c_double]),
    "modf": ("double", "double %x, ptr %p", [ctypes.c_double]),
    "frexp": ("double", "double %x, ptr %p", [ctypes.c_int32]),
    "numba_frexp": ("double", "double %x, ptr %p", [ctypes.c_int32]),
    "lgamma_r": ("double", "double %x, ptr %p", [ctypes.c_int32]),
}
EXPECTED = {
    "sincos": lambda x: (None, math.sin(x), math.cos(x)),
    "modf": math.modf,
    "frexp": math.frexp,
    "numba_frexp": math.frexp,
    "lgamma_r": lambda x: (math.lgamma(x), int(math.copysign(1, math.gamma(x)))),
}


@pytest.mark.parametrize("symbol", EXPANDED)
@pytest.mark.parametrize("x", [0.75, 5.5, -0.3, -1.5, -2.25])
def test_expansion(symbol, x):
    ret, parameters, outputs = EXPANDED[symbol]
    body = f"call {ret} @{symbol}({parameters})"
    if ret == "double":
        body = f"%r = {body}\n  store double %r, ptr %out"
    module = parse_module(
        f"declare {ret} @{symbol}({', '.join(p.split()[0] for p in parameters.split(','))})\n"
        f"define void @f(ptr %out, {parameters}) {{\n  {body}\n  ret void\n}}\n"
    )
    function = module.functions["f"]
    assert expand_all(function) == 1
    calls = [i for i in function.instructions() if isinstance(i, Call)]
    assert all(catalogue.row_for_call(c) is not None for c in calls)
    result, cells = ctypes.c_double(math.nan), [kind() for kind in outputs]
    run(module, "f", result, x, *cells)
    expected = EXPECTED[symbol](x)
    found = [result.value if ret == "double" else None, *(c.value for c in cells)]
    for a, b in zip(found, expected, strict=True):
        assert a == b or math.isclose(a, b, rel_tol=1e-14)


@pytest.mark.parametrize(
    ("symbol", "type_"), [("enzyme.cpow", "double"), ("enzyme.cpowf", "float")]
)
def test_power_of_numbers(symbol, type_):
    pair, four = f"{{{type_}, {type_}}}", ", ".join([type_] * 4)
    operands = ", ".join(f"{type_} %{name}" for name in ("a", "b", "c", "d"))
    module = parse_module(
        f"declare {pair} @{symbol}({four})\n"
        f"define {pair} @f({operands}) {{\n"
        f"  %r = call {pair} @{symbol}({operands})\n  ret {pair} %r\n}}\n"
    )
    (call,) = (i for i in module.functions["f"].instructions() if isinstance(i, Call))
    row = catalogue.row_for_call(call)
    assert row is not None and row.active_operands == (0, 1, 2, 3)
    assert fetched(row, 0, call) == {0, 1, 2, 3, RESULT}
    define_powers(module)
    assert not module.functions[symbol].is_declaration
    llvm.parse_assembly(print_module(module)).verify()


@pytest.mark.parametrize(("x", "y"), [(7.0, 2.0), (-29.3, 2.1), (5.1, -0.4), (1e6, 7.0)])
def test_quotient_bits_of_remquo(x, y):
    module = parse_module(
        "declare double @remquo(double, double, ptr)\n"
        "define void @f(ptr %out, double %x, double %y, ptr %p) {\n"
        "  %r = call double @remquo(double %x, double %y, ptr %p)\n"
        "  store double %r, ptr %out\n  ret void\n}\n"
    )
    assert expand_all(module.functions["f"]) == 1
    rest, quotient = ctypes.c_double(), ctypes.c_int32()
    run(module, "f", rest, x, y, quotient)
    assert rest.value == math.remainder(x, y)
    exact = round((mp.mpf(x) - rest.value) / y)
    assert quotient.value == int(math.fmod(exact, 8))


def test_expansion_leaves_namesakes_alone():
    module = parse_module(
        "declare i32 @frexp(i32, ptr)\n"
        "define i32 @f(i32 %n, ptr %p) {\n  %r = call i32 @frexp(i32 %n, ptr %p)\n  ret i32 %r\n}\n"
    )
    assert expand_all(module.functions["f"]) == 0


# Bits -------------------------------------------------------------------------------------------

BITS = """
define double @f(double %x, double %s) {
  %i = bitcast double %x to i64
  %j = bitcast double %s to i64
  %a = xor i64 %i, -9223372036854775808
  %neg = bitcast i64 %a to double
  %b = and i64 %i, 9223372036854775807
  %abs = bitcast i64 %b to double
  %c = or i64 %i, -9223372036854775808
  %negabs = bitcast i64 %c to double
  %e = and i64 %j, -9223372036854775808
  %g = or disjoint i64 %e, %b
  %copysign = bitcast i64 %g to double
  %h = and i64 %i, 255
  %other = bitcast i64 %h to double
  %l = xor i64 %i, %j
  %mixed = bitcast i64 %l to double
  ret double %copysign
}
"""


def test_float_bits_are_recognised():
    function = parse_module(BITS).functions["f"]
    by_name = {i.name: i for i in function.instructions()}
    x, s = function.args
    for name, operands in (("neg", [x]), ("abs", [x]), ("negabs", [x]), ("copysign", [x, s])):
        found = match_float_bits(by_name[name])
        assert found is not None
        assert (found.kind, list(found.operands)) == (name, operands)
    assert match_float_bits(by_name["other"]) is None
    assert match_float_bits(by_name["mixed"]) is None
    assert match_float_bits(by_name["a"]).kind == "neg"


def test_float_bits_are_rewritten():
    module = parse_module(BITS)
    function = module.functions["f"]
    assert rewrite_float_bits(function) == 4
    llvm.parse_assembly(print_module(module)).verify()
    text = print_module(module)
    assert "llvm.copysign.f64" in text and "disjoint" not in text


def test_bare_integers_match_as_integers():
    module = parse_module(
        "define i32 @f(ptr %p) {\n  %i = load i32, ptr %p\n"
        "  %a = and i32 %i, 2147483647\n  ret i32 %a\n}\n"
    )
    function = module.functions["f"]
    found = match_float_bits(function.entry.instructions[1])
    assert found is not None and found.kind == "abs"
    assert found.operands == (function.entry.instructions[0],)
    assert rewrite_float_bits(function) == 0
