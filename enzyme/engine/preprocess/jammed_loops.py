"""Iterations of a loop that need nothing from each other run side by side in the loops inside of it: unroll and jam.

A polynomial at many points, a map that is iterated for many starting values, a product of rows and columns: the inner
loop carries a number along, so that its iterations wait for each other, while those of the outer loop do not.
Each pass through the inner loop does several of these at once, which the processor overlaps and LLVM makes vectors of,
in the program and in its adjoint. Every number is computed as before: sums of the outer loop are added up in its order.

All iterations must take one way: what inner loops count, and conditions, are the same in each. A check that may fail is
asked for all of them; if one fails, they run again one by one, up to the error that the program reports.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from enzyme.engine.analysis.alias import AliasOracle
from enzyme.engine.analysis.extents import Extents
from enzyme.engine.analysis.integer_sums import Sum, constant, minus
from enzyme.engine.analysis.later_writes import LaterWrites
from enzyme.engine.analysis.loop_indices import LoopFacts
from enzyme.engine.analysis.loops import Loop
from enzyme.engine.derivatives.catalogue import entry_of
from enzyme.engine.ir.graph import reached
from enzyme.engine.ir.instructions import Call, Instruction, Load, Phi, Store, constant_int
from enzyme.engine.ir.module import Block, Function
from enzyme.engine.ir.opcodes import CONTROL, INSTRUCTIONS, PURE, READS
from enzyme.engine.ir.simplify import remove_dead
from enzyme.engine.ir.types import I64, FloatType
from enzyme.engine.ir.values import Argument, Value
from enzyme.engine.preprocess.canonical_loops import latch_of, preheader_of
from enzyme.engine.preprocess.filled_loops import condition_of
from enzyme.engine.preprocess.jammed_bodies import Jam, Lanes, write_jammed
from enzyme.engine.preprocess.partial_sums import (
    PartialSum,
    SumOnSomeWays,
    find_partial_sum,
    find_sum_on_some_ways,
    write_partial_sum,
    write_sum_on_all_ways,
)

# How many iterations run at once where each has at most so many instructions of its own: of those that wait for each
# other in an inner loop, and of sums. Where the first loop leaves some, another one does fewer of them at once.
_CHAINS = ((30, 16, 4), (40, 8, 2), (200, 4, 0))
_SUMS = ((40, 8, 0), (100, 4, 0))
# Where inner loops are longer, iterations run one by one: what is kept may be that of one of them at a time.
_MOST_STEPS = 1 << 20
# So many accesses to memory are compared with each other.
_MOST_ACCESSES = 24


def jam_loops(
    function: Function,
    facts: LoopFacts,
    oracle: AliasOracle,
    unread: Collection[Argument],
    widths: dict[Block, int],
    most_at_once: int | None = None,
) -> list[Lanes] | None:
    """Jam one loop, if there is one: the lanes. `widths` gets the headers of loops that were looked at, with how many
    iterations of them may still run at once. What is stored behind `unread` pointers is of no interest. No more than
    `most_at_once` iterations are to run at once."""
    later = LaterWrites(oracle, facts)
    for loop in reversed(facts.forest.loops):
        most = widths.get(loop.header)
        if most == 0 or loop.header in facts.cold or not loop.children:
            continue
        widths[loop.header] = 0
        plan = _Candidate(later, loop, unread, most_at_once).plan(most)
        if plan is not None:
            widths.update((each.header, 0) for each in loop.ancestors())
            if most is None:
                widths[loop.header] = plan.rest
            header, lanes = write_jammed(plan)
            widths[header] = 0
            remove_dead(function)
            return lanes
    return None


def may_jam(facts: LoopFacts) -> bool:
    """Is there a loop with one inside that carries a number?"""
    return any(
        loop.children and facts.trips.get(loop) is not None and any(map(_carries, loop.children))
        for loop in facts.forest.loops
        if loop.header not in facts.cold
    )


def _carries(loop: Loop) -> bool:
    """Does the loop, one without others in it, carry a number that its iterations wait for?"""
    return not loop.children and any(_is_awaited(phi, loop) for phi in loop.header.phis())


def _is_awaited(phi: Phi, loop: Loop) -> bool:
    if not isinstance(phi.type, FloatType) or len(loop.latches) != 1:
        return False
    update = phi.value_from(latch_of(loop))
    return isinstance(update, Instruction) and update.parent in loop and update is not phi


def _is_sum(phi: Phi, loop: Loop) -> bool:
    """Is the number only added to?"""
    update = phi.value_from(latch_of(loop))
    if not isinstance(update, Instruction) or update.opcode not in ("fadd", "fsub"):
        return False
    return phi in update.operands and [u for u in phi.users if u.parent in loop] == [update]


@dataclass(slots=True)
class _Candidate:
    """A loop whose iterations may run side by side."""

    later: LaterWrites
    loop: Loop
    unread: Collection[Argument]
    most_at_once: int | None
    own: set[Value] = field(default_factory=set)
    stores: list[Store] = field(default_factory=list)
    loads: list[Load] = field(default_factory=list)
    # What must not be negative.
    needed: list[Sum] = field(default_factory=list)
    partial: list[PartialSum] = field(default_factory=list)
    on_some_ways: list[SumOnSomeWays] = field(default_factory=list)

    @property
    def facts(self) -> LoopFacts:
        return self.later.loops

    @property
    def oracle(self) -> AliasOracle:
        return self.later.oracle

    def plan(self, most: int | None) -> Jam | None:
        """How the loop is jammed, if it is; with `most` so many iterations at once."""
        facts, loop = self.facts, self.loop
        last = facts.trips.get(loop)
        if last is None or last.type is not I64:
            return None
        if not any(map(_carries, loop.children)) or not self._is_plain():
            return None
        self._find_own()
        if not any(map(self._is_worth_it, loop.children)):
            return None
        width, rest = self._width() if most is None else (most, 0)
        if not width or not self._goes_one_way() or not self._is_independent():
            return None
        chains = self._chains()
        if chains is None:
            return None
        self._limit_steps()
        self.own.update(map(write_partial_sum, self.partial))
        for some in self.on_some_ways:
            self.own.update(write_sum_on_all_ways(some))
        return Jam(
            facts, loop, last, width, rest, self.own, chains, self.needed, self.later.indices
        )

    # What it is made of -----------------------------------------------------------------------------

    def _is_plain(self) -> bool:
        """Is there nothing in the loop but numbers, memory that is read and written, and inner loops like that?"""
        for block in self.loop.blocks:
            for i in block.instructions:
                if isinstance(i, (Load, Store)):
                    if i.flags or i.suffix or i.accessed.is_vector or i.accessed.is_pointer:
                        return False
                    if isinstance(i, Store):
                        self.stores.append(i)
                    else:
                        self.loads.append(i)
                elif isinstance(i, Call):
                    if i.opcode != "call" or entry_of(i) is None:
                        return False
                elif INSTRUCTIONS[i.opcode].effect not in (PURE, CONTROL) or i.opcode == "alloca":
                    return False
        return True

    def _find_own(self) -> None:
        """Find what each iteration has for itself; anything else is one value for all of them."""
        pending: list[Instruction] = [*self.loop.header.phis(), *self.stores]
        size_of = self.oracle.summaries.layout.size_of
        for load in self.loads:
            size = size_of(load.type)
            if any(self.oracle.may_write(s, load.pointer, size, load) for s in self.stores):
                pending.append(load)
        while pending:
            i = pending.pop()
            if i not in self.own:
                self.own.add(i)
                pending += [user for user in i.users if user.parent in self.loop]

    def _is_worth_it(self, inner: Loop) -> bool:
        """Do iterations of an inner loop wait for each other, and neither in a sum of what lies side by side there?

        Such sums LLVM finds vectors for, in the adjoint at least.
        """
        waits = self._awaited(inner)
        if not waits or not self._sums(inner):
            return bool(waits)
        mine = [i for i in self.loads if i.parent in inner and i in self.own]
        return any(map(self._lies_side_by_side, mine))

    def _awaited(self, inner: Loop) -> list[Phi]:
        """What each iteration carries along in an inner loop, one without others in it."""
        if inner.children:
            return []
        return [p for p in inner.header.phis() if p in self.own and _is_awaited(p, inner)]

    def _sums(self, inner: Loop) -> bool:
        """Is there nothing carried along in an inner loop but sums?"""
        return all(_is_sum(p, inner) for p in self._awaited(inner))

    def _lies_side_by_side(self, load: Load) -> bool:
        """Do the iterations of the loop load one element after the other?"""
        size = self.oracle.summaries.layout.size_of(load.type)
        return abs(self.later.step(load, self.loop)) == size

    def _width(self) -> tuple[int, int]:
        """How many iterations may run at once, and how many of those that are left."""
        count = sum(not isinstance(i, Phi) for i in self.own)
        last = self.facts.trips[self.loop]
        number = None if last is None else constant_int(last)
        for most, width, rest in _SUMS if all(map(self._sums, self.loop.children)) else _CHAINS:
            if self.most_at_once is not None and width > self.most_at_once:
                width, rest = self.most_at_once, 0
            if count <= most and (number is None or number + 1 >= width):
                return width, rest
        return 0, 0

    def _limit_steps(self) -> None:
        for child in self.loop.children:
            count = self.facts.trips.get(child)
            if count is None or child.preheader is None:
                continue
            steps = self.later.indices.of(count, child.preheader)
            if self.later.indices.are_known_before(steps, self.loop):
                self.needed.append(minus(constant(_MOST_STEPS), steps))

    # How control goes -------------------------------------------------------------------------------

    def _goes_one_way(self) -> bool:
        """Do all iterations take one way, but for the end of the loop and checks that fail?"""
        latch, cold = latch_of(self.loop), self.facts.cold
        hot = [(b, t) for b, t in self.loop.exit_edges if t not in cold]
        if len(hot) != 1 or hot[0][0] is not latch or condition_of(latch) is None:
            return False
        failing = dict(self.loop.exit_edges)
        del failing[latch]
        for block in self.loop.blocks:
            terminator = block.terminator
            if terminator.opcode != "br":
                return False
            if block is not latch and terminator in self.own and block not in failing:
                return False
        if not failing:
            return True
        return (
            all(map(self._ends, failing.values()))
            and self._may_run_again()
            and self._reaches_what_is_there(failing)
        )

    def _reaches_what_is_there(self, failing: Iterable[Block]) -> bool:
        """Do iterations touch no memory that an error in one before them would have kept the program from?"""
        extents = Extents(self.later)
        accesses: list[Load | Store] = [*self.loads, *self.stores]
        checks = [block.terminator for block in failing]
        for access in accesses:
            # Where nothing may fail any more, iterations before did not fail, and the program gets there, too.
            if access in self.own and any(
                self.later.follows(access, check, self.loop) for check in checks
            ):
                needed = extents.needed(access, self.loop)
                if needed is None:
                    return False
                self.needed += (total for total in needed if total not in self.needed)
        return True

    def _ends(self, target: Block) -> bool:
        """Does what reports an error use nothing that the loop computes, and no memory that it writes?"""
        for i in (i for block in reached([target], Block.successors) for i in block.instructions):
            if any(isinstance(o, Instruction) and o.parent in self.loop for o in i.operands):
                return False
            if self.stores and not self._reads_nothing_of_it(i):
                return False
        return True

    def _reads_nothing_of_it(self, i: Instruction) -> bool:
        """Does an instruction behind the loop read no memory that the loop writes?"""
        if isinstance(i, Call):
            return entry_of(i) is not None or self.oracle.effects(i).moves_no_numbers
        if not isinstance(i, Load):
            return INSTRUCTIONS[i.opcode].effect != READS
        size_of = self.oracle.summaries.layout.size_of
        return not any(
            self.oracle.may_write(store, i.pointer, size_of(i.type), i) for store in self.stores
        )

    def _may_run_again(self) -> bool:
        """Does it change nothing if iterations are begun that an error in one before them would have prevented?"""
        objects = self.oracle.objects
        size_of = self.oracle.summaries.layout.size_of
        for store in self.stores:
            for owner in self.oracle.underlying(store.pointer):
                if not objects.is_local(owner) or objects.outlives(owner):
                    return False
            if any(
                self.oracle.may_write(store, load.pointer, size_of(load.type), load)
                for load in self.loads
            ):
                return False
        return True

    # What one iteration leaves to another -----------------------------------------------------------

    def _chains(self) -> list[Phi] | None:
        """What is carried from one iteration to the next and is no counter; None if an inner loop needs it."""
        latch, preheader = latch_of(self.loop), preheader_of(self.loop)
        found = []
        for phi in self.loop.header.phis():
            induction = self.facts.inductions.get(phi)
            if phi is self.facts.counters[self.loop] or (
                induction is not None and induction.loop is self.loop
            ):
                continue
            if len(phi.operands) != 2 or phi.value_from(preheader) is phi:
                return None
            if not self._is_carried(phi, phi.value_from(latch)):
                some = find_sum_on_some_ways(phi, self.loop)
                partial = find_partial_sum(phi, self.loop, self.unread) if some is None else None
                if some is not None:
                    self.on_some_ways.append(some)
                elif partial is not None:
                    self.partial.append(partial)
                else:
                    return None
            found.append(phi)
        return found

    def _is_carried(self, phi: Phi, following: Value) -> bool:
        """Is what follows there in time where the next iteration runs at its side?"""
        if not isinstance(following, Instruction) or following.parent not in self.loop:
            return True
        made = following.parent
        assert made is not None
        loop_of, dominates = self.facts.forest.loop_of, self.facts.dominators.dominates
        if following in self.loop.header.phis() or loop_of(made) is not self.loop:
            return False
        for user in phi.users:
            block = user.parent
            if block not in self.loop:
                continue
            assert block is not None
            if isinstance(user, Phi):
                if not all(dominates(made, b) for v, b in user.incoming if v is phi):
                    return False
            elif block is not made and not dominates(made, block):
                return False
        return True

    def _is_independent(self) -> bool:
        """Is what an iteration stores not touched in others, or touched in the order of iterations?"""
        if len(self.stores) * (len(self.stores) + len(self.loads)) > _MOST_ACCESSES**2:
            return False
        size_of = self.oracle.summaries.layout.size_of
        accesses: list[Load | Store] = [*self.stores, *self.loads]
        for store in self.stores:
            size = size_of(store.accessed)
            for other in accesses:
                length = size_of(other.accessed)
                if not self.oracle.may_alias(store.pointer, size, other.pointer, length):
                    continue
                if not self._are_apart(store, other, self.loop):
                    if not self._is_in_order(store, other):
                        return False
        return True

    def _are_apart(self, one: Load | Store, other: Load | Store, loop: Loop) -> bool:
        """Do they share no byte in two iterations of a loop?"""
        return self.later.apart(one, other, loop) and self.later.apart(other, one, loop)

    def _is_in_order(self, store: Store, other: Load | Store) -> bool:
        """Do all iterations access one place, in one block of which each has its copy behind those before it?"""
        if store.parent is not other.parent or store.pointer is not other.pointer:
            return False
        if store.pointer in self.own:
            return False
        inner = self.facts.forest.loop_of(store.parent) if store.parent is not None else None
        while inner is not None and inner is not self.loop:
            if not self._are_apart(store, other, inner):
                return False
            inner = inner.parent
        return True


__all__ = ["jam_loops", "may_jam"]
