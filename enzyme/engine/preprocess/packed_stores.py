"""A number that is stored together with another one, as two halves of an integer, is stored for itself.

Records of eight bytes are passed in a register: ``(bits of the float << 32) | count``.  Stored for itself, each part is
what it is.
"""

from __future__ import annotations

from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.instructions import Instruction, Store
from enzyme.engine.ir.module import Module
from enzyme.engine.ir.types import PTR, IntType, int_type
from enzyme.engine.ir.values import ConstInt, Value

# First bit, and what stands there.
Part = tuple[int, Value]


def store_parts(module: Module) -> None:
    """Take such stores apart in the whole module; the low bits come first there."""
    if any("datalayout" in line and '"E' in line for line in module.header):
        return
    for function in module.functions.values():
        for store in [i for i in function.instructions() if isinstance(i, Store)]:
            type_ = store.value.type
            if not isinstance(type_, IntType) or store.flags or store.suffix:
                continue
            if type_.bits in (32, 64, 128) and store.pointer.type is PTR:
                parts = _parts(store.value, type_.bits)
                if parts is not None and any(_float_behind(v) for _, v in parts):
                    _store(store, type_.bits, parts)


def _parts(value: Value, room: int) -> list[Part] | None:
    """The parts of whole bytes that an integer is put together of, in order; None if it is something else."""
    if isinstance(value, ConstInt):
        return [] if value.value == 0 else None
    if not isinstance(value, Instruction):
        return None
    if value.opcode == "zext":
        bits = getattr(value.operands[0].type, "bits", 0)
        return [(0, value.operands[0])] if bits in (8, 16, 32, 64) else None
    if value.opcode == "and":
        return _masked(value)
    if value.opcode == "shl":
        inner, by = value.operands[0], value.operands[1]
        if not isinstance(by, ConstInt) or by.value % 8 or not 0 < by.value < room:
            return None
        found = _parts(inner, room - by.value)
        if found is None:
            return None
        moved = [(at + by.value, part) for at, part in found]
        return moved if all(at + _bits(part) <= room for at, part in moved) else None
    if value.opcode in ("or", "add", "xor"):
        one, two = (_parts(operand, room) for operand in value.operands)
        if one is None or two is None:
            return None
        both = sorted([*one, *two], key=lambda part: part[0])
        ends = [at + _bits(part) for at, part in both]
        return both if all(e <= at for e, (at, _) in zip(ends, both[1:], strict=False)) else None
    return None


def _masked(value: Instruction) -> list[Part] | None:
    """Some of the low bytes of an integer."""
    whole, mask = value.operands
    if not isinstance(mask, ConstInt) or mask.value not in (0xFF, 0xFFFF, 0xFFFF_FFFF):
        return None
    block = value.parent
    assert block is not None
    kept = int_type(mask.value.bit_length())
    return [(0, Builder(block, block.index_of(value)).cast("trunc", whole, kept))]


def _bits(value: Value) -> int:
    return int(getattr(value.type, "bits", 0))


def _float_behind(value: Value) -> Value | None:
    if isinstance(value, Instruction) and value.opcode == "bitcast":
        return value.operands[0] if value.operands[0].type.is_float else None
    return None


def _store(store: Store, room: int, parts: list[Part]) -> None:
    """Each part, and zeros in between."""
    b = Builder()
    b.before(store)
    place = 0
    for at, part in [*parts, (room, None)]:
        while place < at:
            bits = next(n for n in (64, 32, 16, 8) if place % n == 0 and place + n <= at)
            zero = ConstInt(int_type(bits), 0)
            b.store(zero, b.byte_offset(store.pointer, place // 8), 1)
            place += bits
        if part is not None:
            b.store(_float_behind(part) or part, b.byte_offset(store.pointer, at // 8), 1)
            place = at + _bits(part)
    store.erase()
