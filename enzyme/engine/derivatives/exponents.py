"""`frexp` in bits, for code of which no derivative will be taken any more.

LLVM computes its intrinsic by a call of the C library, and LLVM 22 ends the process where it makes vectors of a loop
with one. In bits it is a few operations, for several numbers at once too.
"""

from __future__ import annotations

from enzyme.engine.derivatives.terms import PURE
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.module import Function, Module
from enzyme.engine.ir.types import DOUBLE, FLOAT, I32, I64, FloatType, IntType
from enzyme.engine.ir.values import ConstInt, Value

# The integer with the bits of a number, and how many of these are behind the exponent.
_LAYOUTS: dict[FloatType, tuple[IntType, int]] = {DOUBLE: (I64, 52), FLOAT: (I32, 23)}


def settle_exponents(module: Module) -> None:
    """Give the functions bodies."""
    for kind, type_ in (("f64", DOUBLE), ("f32", FLOAT)):
        function = module.functions.get(f"llvm.frexp.{kind}.i32")
        if function is None or not function.users:
            continue
        made = module.declare(f"enzyme.frexp.{kind}", function.function_type)
        if made.is_declaration:
            _write_body(made, type_)
            made.prefix, made.suffix = "internal", PURE
        function.replace_uses_with(made)


def _write_body(function: Function, type_: FloatType) -> None:
    integer, behind = _LAYOUTS[type_]
    width = integer.bits - 1 - behind
    largest, one_half = (1 << width) - 1, (1 << (width - 1)) - 2
    (x,) = function.args
    b = Builder(function.append_block("entry"))

    def number(value: int) -> ConstInt:
        return ConstInt(integer, value)

    def exponent_of(bits: Value) -> Value:
        return b.and_(b.binary("lshr", bits, number(behind)), number(largest))

    bits = b.cast("bitcast", x, integer)
    # Below the normal range there is no leading one: numbers are moved up.
    tiny = b.icmp("eq", exponent_of(bits), number(0))
    up = behind + 2
    moved = b.cast("bitcast", b.fmul(x, b.const(type_, 2.0**up)), integer)
    bits = b.select(tiny, moved, bits)
    exponent = exponent_of(bits)
    keep = ((1 << integer.bits) - 1) ^ (largest << behind)
    half = b.binary("or", b.and_(bits, number(keep)), number(one_half << behind))
    is_zero = b.icmp("eq", b.binary("shl", bits, number(1)), number(0))
    itself = b.binary("or", is_zero, b.icmp("eq", exponent, number(largest)))
    power: Value = b.isub(exponent, b.select(tiny, number(one_half + up), number(one_half)))
    power = b.select(itself, number(0), power)
    if integer is not I32:
        power = b.cast("trunc", power, I32)
    fraction = b.select(itself, b.fadd(x, x), b.cast("bitcast", half, type_))
    b.ret(b.make_struct(function.function_type.ret, [fraction, power]))
