"""Fresh memory whose address a program rounds to a boundary lies on that boundary to begin with.

In `p = malloc(n + 64)`, `q = (p & -64) + 64`, with `p` kept in front of `q`, only the run tells how far `q` is from
`p`, and so where anything behind `q` stands. Of memory that is made on the boundary the distance is a constant.
"""

from __future__ import annotations

from typing import NamedTuple

from enzyme.engine.analysis.addresses import gep_steps
from enzyme.engine.analysis.known_functions import lookup_known
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.datalayout import DataLayout
from enzyme.engine.ir.instructions import Alloca, Call, Instruction
from enzyme.engine.ir.known_function import ALIGNMENT
from enzyme.engine.ir.module import Function, Module
from enzyme.engine.ir.types import I8, I64, PTR
from enzyme.engine.ir.values import ConstInt, Value

_LARGEST = 4096
_LONGEST = 8
_MASK_OF_POINTER = "llvm.ptrmask."


class _Mask(NamedTuple):
    """An operation that rounds the address of `memory`, or a number `distance` bytes behind it, down to a boundary, or
    tells how far behind a boundary it is."""

    operation: Instruction
    boundary: int
    memory: Instruction
    distance: int


def align_memory(module: Module) -> None:
    """Rewrite the allocations whose addresses are rounded, and what rounds them."""
    layout = DataLayout.of(module)
    for function in list(module.functions.values()):
        masks = [found for i in function.instructions() if (found := _read(i, layout)) is not None]
        boundaries: dict[Instruction, int] = {}
        for mask in masks:
            boundaries[mask.memory] = max(boundaries.get(mask.memory, 1), mask.boundary)
        for mask in masks:
            _replace(mask)
        for memory, boundary in boundaries.items():
            _align(memory, boundary, layout)


def _read(i: Instruction, layout: DataLayout) -> _Mask | None:
    of_pointer = isinstance(i, Call) and i.callee_name.startswith(_MASK_OF_POINTER)
    if not of_pointer and i.opcode != "and":
        return None
    masked, mask = i.operands[:2]
    if not isinstance(mask, ConstInt) or mask.type is not I64 or i.type not in (PTR, I64):
        return None
    bits = mask.value % (1 << 64)
    boundary = (1 << 64) - bits if bits >> 63 else bits + 1
    if boundary > _LARGEST or boundary & (boundary - 1) or (of_pointer and not bits >> 63):
        return None
    found = _origin(masked, layout)
    return None if found is None else _Mask(i, boundary, *found)


def _origin(value: Value, layout: DataLayout) -> tuple[Instruction, int] | None:
    """The memory of an address or a number, and how far behind it that is.

    The number may be that of bytes to the next boundary, where the address is taken from a constant.
    """
    distance, sign = 0, 1
    for _ in range(_LONGEST):
        if not isinstance(value, Instruction):
            return None
        steps = gep_steps(value, layout)
        if _is_fresh(value):
            return value, distance
        if steps is not None:
            value, constant, variable = steps
            if variable:
                return None
            distance += sign * constant
        elif value.opcode == "ptrtoint" and value.type is I64:
            value = value.operands[0]
        elif value.opcode in ("add", "sub") and isinstance(value.operands[1], ConstInt):
            by = value.operands[1].value
            distance += sign * (by if value.opcode == "add" else -by)
            value = value.operands[0]
        elif value.opcode == "sub" and isinstance(value.operands[0], ConstInt):
            distance += sign * value.operands[0].value
            value, sign = value.operands[1], -sign
        else:
            return None
    return None


def _is_fresh(i: Instruction) -> bool:
    """Is it memory that may as well lie somewhere else?"""
    if not isinstance(i, Call):
        return isinstance(i, Alloca)
    plain = i.opcode == "call" and isinstance(i.callee, Function) and i.callee.is_declaration
    row = lookup_known(i) if plain else None
    return row is not None and bool(row.aligned)


def _replace(mask: _Mask) -> None:
    i, behind = mask.operation, mask.distance % mask.boundary
    b = Builder()
    b.before(i)
    value = i.operands[0]
    if i.type is PTR:
        made: Value = b.gep(I8, value, [ConstInt(I64, -behind)]) if behind else value
    elif isinstance(i.operands[1], ConstInt) and i.operands[1].value == mask.boundary - 1:
        made = ConstInt(I64, behind)
    else:
        made = b.isub(value, ConstInt(I64, behind)) if behind else value
    i.replace_uses_with(made)
    i.erase()


def _align(memory: Instruction, boundary: int, layout: DataLayout) -> None:
    """Let memory lie on a boundary."""
    if isinstance(memory, Alloca):
        natural = memory.align or layout.abi_align(memory.allocated_type)
        memory.align = max(boundary, natural)
        return
    if boundary <= ALIGNMENT:
        return
    row = lookup_known(memory)
    assert isinstance(memory, Call) and row is not None
    b = Builder()
    b.before(memory)
    made = b.call_named(row.aligned, PTR, [ConstInt(I64, boundary), *memory.arguments], memory.name)
    made.ret_attributes = memory.ret_attributes
    memory.replace_uses_with(made)
    memory.erase()
