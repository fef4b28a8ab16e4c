"""How a reverse-mode derivative is left: on success, on a failure of the primal, for lack of memory.

Combined: a successful exit of the primal goes on to the reverse pass.  Split: it hands over a frame with all slots,
from which the reverse function starts.  Whatever fails gives back what the derivative call owns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from enzyme.engine.analysis.known_functions import REFUSE
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.edit import take_return
from enzyme.engine.ir.instructions import Alloca, Instruction
from enzyme.engine.ir.module import Block
from enzyme.engine.ir.types import (
    I8,
    I32,
    I64,
    PTR,
    VOID,
    StructType,
    Type,
    numbering_type,
    struct_type,
)
from enzyme.engine.ir.values import ConstInt, Value, zero_of
from enzyme.engine.synthesis.cache import entry_alignment
from enzyme.engine.synthesis.helpers import helper
from enzyme.engine.synthesis.out_of_memory import emit_status, end_process, leave_without
from enzyme.engine.synthesis.refusals import refusal_of, take_refusal

if TYPE_CHECKING:
    from enzyme.engine.synthesis.reverse import ReverseSynthesis


class Exits:
    """The exits of one reverse-mode derivative.

    `memory` holds pointers that are null where memory is short (as the shadows' `fallible`). The tape of an augmented
    call is one of them: an exit without a frame hands over the arena in its place, unless it was memory that could
    not be had.
    """

    def __init__(self, owner: ReverseSynthesis) -> None:
        self.owner = owner
        self.memory: list[Instruction] = []
        self.results: dict[Block, Value | None] = {}
        self._shadows: dict[Block, list[Value]] = {}
        self._slot_of_result: Value | None = None
        self.no_memory: Block | None = None

    def prepare(self) -> None:
        """Find the exits, before any block is split."""
        r = self.owner
        self._exits = [b for b in r.p.blocks if b in r.p.successful]
        several = len(self._exits) > 1 and r.spec.split
        number = numbering_type(len(self._exits))
        self._slot = r.frame.slot(number, "exit") if several else None

    def no_memory_block(self) -> Block:
        """Where the forward pass goes when storage cannot be had."""
        if self.no_memory is None:
            self.no_memory = self.owner.forward.append_block("no.memory")
        return self.no_memory

    # Success --------------------------------------------------------------------------------------------

    def leave_forward(self) -> None:
        """Successful exits go on to the reverse pass (combined) or will hand over the frame (split)."""
        r = self.owner
        if r.forward.function_type.ret is not VOID and not r.spec.split:
            self._slot_of_result = r.frame.local(r.forward.function_type.ret, "primal.result")
        for number, block in enumerate(self._exits):
            value = self.results[block] = take_return(block)
            b = Builder(block)
            if r.returns_shadow and value is not None:
                self._shadows[block] = r.spec.shadows.all_of(value)
            if r.spec.split:
                if self._slot is not None:
                    b.store(ConstInt(self._slot.type, number), self._slot.forward)
                continue
            if self._slot_of_result is not None and value is not None:
                b.store(value, self._slot_of_result)
            b.br(r.blocks[block])

    def finish(self, finish: Block, entry: Block | None) -> None:
        """The end of the reverse pass; in split mode also the exchange of the frame (`entry` receives it)."""
        r = self.owner
        r.backward.begin(finish)
        b = r.backward.b
        results: list[Value] = []
        if r.spec.return_primal and self._slot_of_result is not None:
            status: Value = b.load(r.forward.function_type.ret, self._slot_of_result)
            results.append(status if r.spec.checks is None else r.spec.checks.status(b, status))
        results += r.adjoint_results()
        r.release(b, failed=False)
        if entry is not None:
            self._hand_over()
            self._receive(entry, finish)
            b.at_end(finish)
        _return(b, r.reverse_result, results)

    def _hand_over(self) -> None:
        """Copy all slots into a frame on the heap."""
        r = self.owner
        slots = r.frame.slots
        frame_type = struct_type([slot.type for slot in slots])
        for block, value in self.results.items():
            b = Builder(block)
            tape = r.forward_arena()
            if slots:
                made = b.call(
                    helper(r.module, "enzyme_allocate"),
                    [r.forward_arena(), ConstInt(I64, max(1, r.layout.size_of(frame_type)))],
                    "tape",
                )
                self.memory.append(made)
                tape = made
                for k, slot in enumerate(slots):
                    place = b.gep(frame_type, tape, [ConstInt(I32, 0), ConstInt(I32, k)])
                    b.store(
                        b.load(slot.type, slot.forward), place, entry_alignment(r.layout, slot.type)
                    )
            returned = [] if value is None else [value, *self._shadows.get(block, ())]
            _return(b, r.forward_result, [*returned, tape])

    def _receive(self, entry: Block, finish: Block) -> None:
        """Fill the slots of the reverse function from the frame and go to the exit that was taken."""
        r = self.owner
        slots = r.frame.slots
        frame_type = struct_type([slot.type for slot in slots])
        b = Builder(entry)
        for k, slot in enumerate(slots):
            place = b.gep(frame_type, r.reverse.args[-1], [ConstInt(I32, 0), ConstInt(I32, k)])
            kept = b.load(slot.type, place, align=entry_alignment(r.layout, slot.type))
            b.store(kept, slot.reverse)
        if self._slot is None:  # one exit, or none: a function that always raises is never reversed
            b.br(r.blocks[self._exits[0]] if self._exits else finish)
        else:
            number = b.load(self._slot.type, self._slot.reverse)
            cases = [
                (ConstInt(number.type, k), r.blocks[e]) for k, e in enumerate(self._exits) if k
            ]
            b.switch(number, r.blocks[self._exits[0]], cases)

    # Failure --------------------------------------------------------------------------------------------

    def fail(self) -> None:
        """Failing exits free what the call owns and return the primal's status."""
        r = self.owner
        for block in r.p.failing:
            if refusal_of(block) is not None:
                number = take_refusal(block)
                self._leave_at_once(block, REFUSE, [number])
                continue
            if not block.is_terminated or block.terminator.opcode != "ret":
                continue
            value = take_return(block)
            b = Builder(block)
            self._give_up(b)
            self._return_failure(b, value, r.forward_arena() if r.spec.split else None)
        self._keep_allocas()
        for result in (*r.p.tables, *self.memory):
            leave_without(result, self.no_memory_block)
        for result, escaping in r.spec.shadows.fallible.items():
            leave_without(result, self.no_memory_block, escaping)
        if self.no_memory is not None:
            self._emit_no_memory(self.no_memory)

    def _give_up(self, b: Builder) -> None:
        """Let go of all that the call owns."""
        shadows = self.owner.spec.shadows
        shadows.references.give_back(b, shadows.lanes)
        shadows.short_lived.let_go(b)
        self.owner.release(b, failed=True)

    def _keep_allocas(self) -> None:
        """Stack variables that the reverse pass still uses but that would be gone by then move to the arena."""
        r = self.owner
        for block in r.forward.blocks:
            for i in list(block.instructions):
                if not isinstance(i, Alloca) or (block is r.forward.entry and not r.spec.split):
                    continue
                b = Builder()
                b.before(i)
                size: Value = ConstInt(I64, max(1, r.layout.size_of(i.allocated_type)))
                if i.operands:
                    size = b.imul(b.as_count(i.operands[0]), size)
                align = i.align or r.layout.abi_align(i.allocated_type)
                made = b.call(
                    helper(r.module, "enzyme_allocate"),
                    [r.forward_arena(), _with_room_to_align(b, size, align)],
                    i.name,
                )
                self.memory.append(made)
                i.replace_uses_with(_aligned(b, made, align))
                i.erase()

    def _emit_no_memory(self, block: Block) -> None:
        self._leave_at_once(block, self.owner.spec.no_memory_hook, [])

    def _leave_at_once(self, block: Block, hook: str, arguments: Sequence[Value]) -> None:
        """Leave with a status of the derivative's own, after a hook has said why; callers see that there is no tape."""
        r = self.owner
        b = Builder(block)
        self._give_up(b)
        status = emit_status(b, r.forward.function_type.ret, r.spec.no_memory_status)
        if status is None and not r.spec.split:
            end_process(b)
            return
        if hook:
            b.call_named(hook, VOID, arguments)
        self._return_failure(b, status, zero_of(PTR))

    def _return_failure(self, b: Builder, value: Value | None, tape: Value | None) -> None:
        r = self.owner
        type_ = r.forward_result if r.spec.split else r.reverse_result
        if not isinstance(type_, StructType):
            b.ret()
            return
        members: list[Value] = [zero_of(t) for t in type_.elements or ()]
        if r.spec.split and tape is not None:
            members[-1] = tape
        if value is not None and (r.spec.split or r.spec.return_primal):
            members[0] = value
        b.ret(b.make_struct(type_, members))


def _return(b: Builder, type_: Type, results: Sequence[Value]) -> None:
    if type_ is VOID:
        b.ret()
    else:
        b.ret(b.make_struct(type_, results))


# What blocks of the arena are aligned to.
_ALIGNMENT = 16


def _with_room_to_align(b: Builder, size: Value, align: int) -> Value:
    return b.iadd(size, ConstInt(I64, align - _ALIGNMENT)) if align > _ALIGNMENT else size


def _aligned(b: Builder, pointer: Value, align: int) -> Value:
    """The first address in a block that is a multiple of `align`."""
    if align <= _ALIGNMENT:
        return pointer
    last = b.gep(I8, pointer, [ConstInt(I64, align - _ALIGNMENT)])
    mask = ConstInt(I64, -align)
    return b.call_named("llvm.ptrmask.p0.i64", PTR, [last, mask])
