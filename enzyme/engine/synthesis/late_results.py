"""Results that the reverse pass computes: with its primal, a derivative need not run a fused loop a second time.

A loss that is returned is a sum over observations, perhaps divided by their number, perhaps with a penalty added. Its
loop may be fused (`fused`) if the reverse pass does not need the sum. Then the sum goes on in the fused loop
(`late_sums`), and what the function makes of it is computed when the reverse pass is over.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Mapping
from functools import cached_property
from itertools import pairwise, takewhile
from typing import Protocol

from enzyme.engine.analysis.activity_result import ActivityResult
from enzyme.engine.analysis.dataflow import blocks_in_cycles
from enzyme.engine.analysis.later_writes import LaterWrites
from enzyme.engine.analysis.loops import Loop
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.clone import clone_instruction
from enzyme.engine.ir.datalayout import DataLayout
from enzyme.engine.ir.dispatch import Selection
from enzyme.engine.ir.graph import reached
from enzyme.engine.ir.instructions import Gep, Instruction, Phi, Store
from enzyme.engine.ir.types import FloatType, numbering_type
from enzyme.engine.ir.values import Argument, ConstInt, Value
from enzyme.engine.preprocess.canonical_loops import latch_of
from enzyme.engine.synthesis.frame import Frame
from enzyme.engine.synthesis.late_sums import LateSum, Part, sum_that_leaves
from enzyme.engine.synthesis.prepare import CanonicalFunction
from enzyme.engine.synthesis.smooth_sums import SmoothSums
from enzyme.engine.synthesis.sums import base_of, only_stored_to, sum_of

# In the names of the variables where sums in the order of the program are to be vectorised.
IN_ORDER = ".in.order"

_MOVED = Selection(
    "late_results",
    "it may be computed when the reverse pass is over",
    ("fadd", "fsub", "fmul", "fdiv", "fneg", "fptrunc", "fpext", "select"),
)


class Fused(Protocol):
    """The loops that are fused."""

    @property
    def loops(self) -> Mapping[Loop, None]: ...

    def is_straight(self, loop: Loop) -> bool: ...


class LateResults:
    """The stores of results that may wait, and the sums of fused loops that they wait for."""

    def __init__(
        self,
        p: CanonicalFunction,
        layout: DataLayout,
        later: LaterWrites,
        activity: ActivityResult,
        order: Iterable[Instruction],
    ) -> None:
        self.p = p
        self.activity = activity
        self.layout = layout
        self.smooth = SmoothSums(p, layout, later)
        self.stores = self._candidates(order)
        self.sums: dict[Phi, LateSum] = {}
        self.found: dict[Store, list[Instruction]] = {}
        # What they are made of besides, and what is computed from loops that might be fused.
        self.asked: list[Instruction] = []

    @cached_property
    def in_order(self) -> bool:
        """Are sums in the order of the program to be vectorised?"""
        return self.smooth.are_all()

    # Which ----------------------------------------------------------------------------------------------

    def _candidates(self, order: Iterable[Instruction]) -> dict[Store, None]:
        """Stores of floats that every success comes by once, to memory that is only stored to, each to its own."""
        p = self.p
        exits = [b for b in p.blocks if b in p.successful]
        if len(exits) != 1:
            return {}
        by_argument: dict[Argument, list[Store]] = {}
        for i in order:
            if isinstance(i, Store) and i.parent not in p.cold:
                base = base_of(i.pointer)
                if isinstance(base, Argument) and only_stored_to(base):
                    by_argument.setdefault(base, []).append(i)
        cycles = blocks_in_cycles(p.function)
        found: dict[Store, None] = {}
        for stores in by_argument.values():
            if self._are_apart(stores):
                found.update(
                    (store, None)
                    for store in stores
                    if isinstance(store.value.type, FloatType)
                    and store.parent not in cycles
                    and store.parent is not None
                    and p.dominators.dominates(store.parent, exits[0])
                )
        return found

    def _are_apart(self, stores: list[Store]) -> bool:
        ranges = []
        for store in stores:
            offset, pointer = 0, store.pointer
            while isinstance(pointer, Gep):
                constant, variable = self.layout.gep_offset(pointer)
                if variable:
                    return False
                offset += constant
                pointer = pointer.operands[0]
            ranges.append((offset, offset + self.layout.size_of(store.value.type)))
        ranges.sort()
        return all(a[1] <= b[0] for a, b in pairwise(ranges))

    def find(self, fused: Fused) -> None:
        """Look again, for these fused loops."""
        self.sums.clear()
        self.found.clear()
        self.asked.clear()
        if not self.stores or not fused.loops:
            return
        behind = _behind(fused.loops)
        for store in self.stores:
            if store.value in behind:
                values, others = self._that_wait(store.value, behind, fused)
                if any(v in self.sums for v in values):
                    self.found[store] = values
                    self.asked += others

    def _that_wait(
        self, value: Value, behind: Collection[Value], fused: Fused
    ) -> tuple[list[Instruction], list[Instruction]]:
        """What leads from sums of fused loops to `value`, in the order of computation; and what the forward pass must
        compute of that."""
        waiting: list[Instruction] = []
        others: list[Instruction] = []
        pending = [(value, False)]
        seen: set[Value] = set()
        while pending:
            i, is_ready = pending.pop()
            assert isinstance(i, Instruction) and i.parent is not None
            if is_ready:
                waiting.append(i)
                continue
            if i in seen:
                continue
            seen.add(i)
            late = self._sum_that_leaves(i, fused)
            if late is not None:
                self.sums[late.result] = late
                waiting.append(i)
            elif self._may_wait(i):
                pending.append((i, True))
                pending += [(operand, False) for operand in i.operands if operand in behind]
            else:
                others.append(i)
        return waiting, others

    def _may_wait(self, i: Instruction) -> bool:
        assert i.parent is not None
        simple = isinstance(i, Phi) or i.opcode in _MOVED
        return simple and isinstance(i.type, FloatType) and self.p.forest.loop_of(i.parent) is None

    def _sum_that_leaves(self, result: Instruction, fused: Fused) -> LateSum | None:
        if not isinstance(result, Phi) or len(result.incoming) != 1:
            return None
        if result in self.sums:
            return self.sums[result]
        ((value, block),) = result.incoming
        innermost = self.p.forest.loop_of(block)
        if innermost is None:
            return None
        *_, outer = innermost.ancestors()
        if outer not in fused.loops or outer.preheader is None:
            return None
        if not any(map(self.activity.is_active, outer.header.phis())):
            return None  # the reverse pass does not come there
        phi = next(
            (phi for phi in outer.header.phis() if phi.value_from(latch_of(outer)) is value), None
        )
        chain = None if phi is None else sum_of(phi, outer)
        if phi is None or chain is None:
            return None
        adding = {self._innermost(i, fused.loops) for i in chain if not isinstance(i, Phi)}
        deepest = max(adding, key=len, default=())
        if () in adding or any(deepest[: len(nest)] != nest for nest in adding):
            return None
        headers = {loop.header for loop in self.p.forest.loops}
        late = sum_that_leaves(result, chain, phi, deepest, headers)
        if late is None or not all(self._comes_by(part) for part in late.parts if part.adding):
            return None
        # LLVM uses vectors without the sum.
        last = late.parts[-1]
        loses = fused.is_straight(last.loop) and self.smooth.is_smooth(last.loop)
        return None if loses and not (last.at_once and self.in_order) else late

    def _comes_by(self, part: Part) -> bool:
        """Is what an iteration has added known at its end?"""
        value = part.value
        assert isinstance(value, Instruction) and value.parent is not None
        return self.p.dominators.dominates(value.parent, latch_of(part.loop))

    def _innermost(self, i: Instruction, fused: Container[Loop]) -> tuple[Loop, ...]:
        """The fused loops around, outer before inner; none if one of them is inside of one that is not."""
        assert i.parent is not None
        loop = self.p.forest.loop_of(i.parent)
        around = [] if loop is None else list(loop.ancestors())[::-1]
        nest = tuple(takewhile(lambda loop: loop in fused, around))
        return () if any(loop in fused for loop in around[len(nest) :]) else nest

    def in_loop(self, loop: Loop) -> list[LateSum]:
        """The sums that go on in a loop, or in one inside of it."""
        return [s for s in self.sums.values() if s.parts_in(loop)]

    @property
    def loops(self) -> set[Loop]:
        """The loops that run for the results, too."""
        return {part.loop for s in self.sums.values() for part in s.parts}

    # Emission -------------------------------------------------------------------------------------------

    def prepare(self, frame: Frame) -> None:
        """Have a variable for each sum."""
        ending = IN_ORDER if self.in_order else ".late"
        for phi, late in self.sums.items():
            late.variable = frame.local(phi.type, f"{phi.name}{ending}")

    def finish(self, b: Builder, frame: Frame) -> None:
        """Compute and store the results where the reverse pass is over; in the forward pass they are not any more."""
        known: dict[Value, Value] = {}
        for store, values in self.found.items():
            for value in values:
                if value not in known:
                    known[value] = self._again(b, frame, value, known)
            pointer = store.pointer
            mapping = {store.value: known[store.value], pointer: self._address(b, pointer)}
            b.add(clone_instruction(store, mapping))
        for store in self.found:
            store.erase()

    def _again(
        self, b: Builder, frame: Frame, value: Instruction, known: dict[Value, Value]
    ) -> Value:
        if isinstance(value, Phi):
            late = self.sums.get(value)
            if late is not None:
                assert late.variable is not None
                return b.load(value.type, late.variable)
            return self._chosen(b, frame, value, known)
        for operand in value.operands:
            self._bring(b, frame, operand, known)
        return b.add(clone_instruction(value, known))

    def _chosen(self, b: Builder, frame: Frame, phi: Phi, known: dict[Value, Value]) -> Value:
        """What a merge has become, by the way that control came."""
        assert phi.parent is not None
        number = numbering_type(len(phi.incoming))
        found: Value | None = None
        slot = frame.local(number, f"{phi.name}.way")
        came = b.load(number, slot)
        for k, value in enumerate(phi.operands):
            self._bring(b, frame, value, known)
            new = known.get(value, value)
            found = (
                new
                if found is None
                else b.select(b.icmp("eq", came, ConstInt(number, k)), new, found)
            )
        numbers = [(ConstInt(number, k), block) for k, (_, block) in enumerate(phi.incoming)]
        way = phi.parent.insert(0, Phi(number, numbers, f"{phi.name}.way"))
        phi.parent.insert(phi.parent.first_non_phi(), Store(way, slot))
        assert found is not None
        return found

    def _bring(self, b: Builder, frame: Frame, value: Value, known: dict[Value, Value]) -> None:
        """Have a number of the forward pass at the end of the reverse pass, if it was computed at all."""
        if value in known or not isinstance(value, Instruction):
            return
        slot = frame.local(value.type, f"{value.name}.late")
        there = Builder()
        there.behind(value)
        if isinstance(value, Phi) and value.parent is not None:
            there.index = value.parent.first_non_phi()
        there.store(value, slot)
        known[value] = b.load(value.type, slot)

    def _address(self, b: Builder, pointer: Value) -> Value:
        if not isinstance(pointer, Instruction):
            return pointer
        base = pointer.operands[0]
        return b.add(clone_instruction(pointer, {base: self._address(b, base)}))


def _behind(loops: Iterable[Loop]) -> dict[Instruction, None]:
    """What is computed in loops, and from that."""
    inside = (i for loop in loops for block in loop.blocks for i in block.instructions)
    return reached(inside, lambda i: i.users)
