"""Small arrays that never leave the function move from the heap to the stack.

`k1 = np.empty(3)` is a call of the runtime, a reference count and memory that LLVM cannot keep in registers.  Where
the size is a small constant and every use is an access, the object becomes an `alloca`, which scalar replacement
then turns into registers: no allocation, no shadow memory, and caches of values instead of memory states.

An object whose pointer flows through a phi, a select, a call or memory is left alone: it might outlive its
iteration. So is one with a destructor, which would not run. A phi whose values are all computed alike, as LLVM
leaves it where it took a loop apart by how often it runs, is that address first.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache

from enzyme.engine.analysis.known_functions import lookup_known
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.instructions import Alloca, Call, Cmp, Gep, Instruction, Load, Store
from enzyme.engine.ir.module import Function, Module
from enzyme.engine.ir.runtime_model import RuntimeModel
from enzyme.engine.ir.types import I8, PTR, array_type
from enzyme.engine.ir.values import ConstInt, ConstSimple, Value, is_zero

LARGEST = 1024
TRANSFERS = ("llvm.memcpy", "llvm.memmove", "llvm.memset")


def may_move(text: str, runtime: RuntimeModel) -> bool:
    """Is there anything in a module, given as text, that might be moved: an allocation of a constant size?"""
    return re.search(allocation(runtime, r"\d"), text) is not None


@cache
def allocation(runtime: RuntimeModel, size: str) -> str:
    """A pattern for calls that allocate objects; that for `size` is of how the size begins."""
    names = (name for name, row in runtime.functions.items() if row.data_offset is not None)
    return rf"@(?:{'|'.join(map(re.escape, names))})\([^\n]*\bi64 (?:\w+ )*{size}"


def move_to_stack(module: Module) -> int:
    """Rewrite every such allocation of the module; returns how many there were."""
    counted, count = module.runtime.counted, 0
    if counted is None:
        return 0
    for function in module.functions.values():
        _settle_phis(function)
        for instruction in list(function.instructions()):
            if isinstance(instruction, Call) and instruction.parent is not None:
                count += _try_move(function, instruction, counted.alignment)
    return count


def _settle_phis(function: Function) -> None:
    """Compute addresses at merges to which the same computation comes from everywhere."""
    for block in function.blocks:
        for phi in block.phis():
            first, *others = phi.operands
            if not others or not all(_same_address(first, other) for other in others):
                continue
            assert isinstance(first, Gep)
            b = Builder()
            b.before(block.instructions[block.first_non_phi()])
            base, *indices = first.operands
            made = b.add(Gep(first.source_type, base, indices, phi.name, (), first.type))
            phi.replace_uses_with(made)
            phi.erase()


def _same_address(one: Value, other: Value) -> bool:
    """Are these computed from one address by the same constants?"""
    if not (isinstance(one, Gep) and isinstance(other, Gep)):
        return False
    pairs = zip(one.operands[1:], other.operands[1:], strict=False)
    return (
        one.source_type == other.source_type
        and one.operands[0] is other.operands[0]
        and len(one.operands) == len(other.operands)
        and all(_same_number(x, y) for x, y in pairs)
    )


def _same_number(one: Value, other: Value) -> bool:
    return isinstance(one, ConstInt) and isinstance(other, ConstInt) and one.value == other.value


@dataclass(slots=True)
class Uses:
    """All that is done with an object: tests for null, counts of references, and its data, which are only accessed."""

    tests: list[Cmp] = field(default_factory=list)
    counts: list[Instruction] = field(default_factory=list)
    slots: list[Gep] = field(default_factory=list)
    loads: list[Load] = field(default_factory=list)
    transfers: list[Call] = field(default_factory=list)


def movable(call: Call) -> tuple[Uses, Value] | None:
    """The uses of an allocation that could be on the stack, and its size; None for all other calls."""
    known = lookup_known(call)
    if (
        known is None
        or known.data_offset is None
        or known.size_operand is None
        or known.movable_data
        or known.count_operand is not None
        or any(isinstance(argument, Function) for argument in call.arguments)
    ):
        return None
    uses = Uses()
    for user in call.users:
        if isinstance(user, Cmp) and is_zero(user.operands[1]) and user.predicate in ("eq", "ne"):
            uses.tests.append(user)
        elif isinstance(user, Call) and _kind(user) in ("retain", "release"):
            uses.counts.append(user)
        elif isinstance(user, Gep) and _is_data_slot(user, known.data_offset):
            uses.slots.append(user)
            for reader in user.users:
                if not isinstance(reader, Load) or not reader.type.is_pointer:
                    return None
                uses.loads.append(reader)
        else:
            return None
    if not all(_only_accessed(load, uses.transfers) for load in uses.loads):
        return None
    return uses, call.arguments[known.size_operand]


def _try_move(function: Function, call: Call, alignment: int) -> bool:
    found = movable(call)
    if found is None:
        return False
    uses, size = found
    if not isinstance(size, ConstInt) or not 0 <= size.value <= LARGEST:
        return False
    known = lookup_known(call)
    assert known is not None
    kind = array_type(max(1, size.value), I8)
    memory = Alloca(kind, PTR, None, alignment, f"{call.name}.stack")
    function.entry.insert(0, memory)
    for load in uses.loads:
        load.replace_uses_with(memory)
        load.erase()
    for transfer in uses.transfers:
        transfer.head = ""  # LLVM takes it that a tail call touches no memory of its caller's stack
    for user in (*uses.slots, *uses.counts):
        user.erase()
    for test in uses.tests:
        test.replace_uses_with(ConstInt(test.type, test.predicate == "ne"))
        test.erase()
    if known.zero_filled:
        b = Builder()
        b.before(call)
        b.store(ConstSimple(memory.allocated_type, "zeroinitializer"), memory)
    call.erase()
    return True


def _kind(call: Call) -> str:
    known = lookup_known(call)
    return "" if known is None else known.kind


def _is_data_slot(gep: Gep, offset: int) -> bool:
    indices = gep.operands[1:]
    return (
        gep.source_type is I8
        and len(indices) == 1
        and isinstance(indices[0], ConstInt)
        and indices[0].value == offset
    )


def _only_accessed(pointer: Value, transfers: list[Call]) -> bool:
    """Is the memory behind the pointer only read and written through it? The calls that do go to `transfers`."""
    pending = [(pointer, user) for user in reversed(pointer.users)]
    while pending:
        address, user = pending.pop()
        if isinstance(user, Gep):
            if user.operands[0] is not address or address in user.operands[1:]:
                return False
            pending += [(user, reader) for reader in reversed(user.users)]
        elif isinstance(user, Store):
            if user.value is address:
                return False
        elif isinstance(user, Call):
            if not user.callee_name.startswith(TRANSFERS):
                return False
            transfers.append(user)
        elif not isinstance(user, Load):
            return False
    return True
