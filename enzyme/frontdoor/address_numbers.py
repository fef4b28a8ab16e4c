"""Addresses that are computed as numbers, as pointers that are moved.

Aligned allocation in C++ rounds an address by ``(uintptr_t(p) & -64) + 64`` and goes on with the number as a pointer.
The engine finds the shadow of a pointer where it was made from another by indexing and by ``llvm.ptrmask``.
"""

from __future__ import annotations

from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.instructions import Instruction
from enzyme.engine.ir.module import Function
from enzyme.engine.ir.types import I8, I64, PTR, function_type
from enzyme.engine.ir.values import ConstInt, Value, zero_of

_MOST_STEPS = 8


def move_pointers(function: Function) -> None:
    """Rewrite what can be: sums with numbers, and bits that are cleared, of one address."""
    for i in list(function.instructions()):
        if i.opcode == "inttoptr" and i.type is PTR and i.operands[0].type is I64:
            number = i.operands[0]
            if _is_moved(number, _MOST_STEPS):
                b = Builder()
                b.before(i)
                i.replace_uses_with(_pointer(b, number))
                i.erase()


def _is_moved(number: Value, steps: int) -> bool:
    """Is it an address that was moved, and rounded?"""
    if not isinstance(number, Instruction) or not steps:
        return False
    if number.opcode == "ptrtoint":
        return number.operands[0].type is PTR
    if number.opcode in ("add", "sub", "and", "or"):
        left, right = number.operands
        if not isinstance(right, ConstInt):
            return False
        if number.opcode == "or" and "disjoint" not in number.flags:
            return False
        return _is_moved(left, steps - 1)
    return False


def _pointer(b: Builder, number: Value) -> Value:
    assert isinstance(number, Instruction)
    if number.opcode == "ptrtoint":
        return number.operands[0]
    left, right = number.operands
    assert isinstance(right, ConstInt)
    base = _pointer(b, left)
    if number.opcode == "and":
        mask = b.module.declare("llvm.ptrmask.p0.i64", function_type(PTR, [PTR, I64]))
        return b.call(mask, [base, right])
    offset = b.isub(zero_of(I64), right) if number.opcode == "sub" else right
    return b.gep(I8, base, [offset])
