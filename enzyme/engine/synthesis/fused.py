"""Loops whose iterations are reversed as soon as they have run.

A sum over observations, or over pairs, keeps nothing from one iteration to the next but the sum.  When the forward
pass does not need the sum, such a loop need not run in it at all.  Where the reverse pass comes to the loop, it runs
forwards, each iteration followed by its own reverse: what an iteration computes is used at once and need not be kept,
nor computed again, and an exception is raised in the iteration that it belongs to, before anything is done that it
guards.

Adjoints allow any order of iterations where what is carried from one to the next is a sum: every iteration hands its
adjoint on as it is.  How control goes then is `fused_flow`'s.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence

from enzyme.engine.analysis.activity_result import ActivityResult
from enzyme.engine.analysis.known_functions import lookup_known
from enzyme.engine.analysis.loops import Loop
from enzyme.engine.derivatives.catalogue import row_for_call
from enzyme.engine.ir.graph import reached
from enzyme.engine.ir.instructions import Alloca, Call, Instruction, Load, Phi, Store
from enzyme.engine.ir.module import Block
from enzyme.engine.ir.opcodes import INSTRUCTIONS, ORDERS, READS, WRITES
from enzyme.engine.ir.values import Value
from enzyme.engine.preprocess.canonical_loops import latch_of
from enzyme.engine.synthesis.late_results import LateResults
from enzyme.engine.synthesis.plan import CachePlan, Recipes
from enzyme.engine.synthesis.prepare import CanonicalFunction
from enzyme.engine.synthesis.sums import is_looked_up, sum_of
from enzyme.engine.synthesis.work_arrays import WorkArrays

Needs = Mapping[Value, Collection[Block]]


class FusedLoops:
    """Finds the loops of one function, outer before inner: `loops` are the candidates, of which those go that turn out
    to be `asked` for with a plan.

    `unread`: stores that the derivative does without; `late` knows those that may come at its end. `may_reload` knows
    the loads that give the same again later.
    """

    def __init__(
        self,
        p: CanonicalFunction,
        activity: ActivityResult,
        unread: Container[Instruction],
        late: LateResults,
        may_reload: Callable[[Load], bool],
        result_is_read: bool,
    ) -> None:
        self.work_arrays = WorkArrays(p, activity.oracle)
        self._own: dict[Loop, set[Store]] = {}
        self.p = p
        self.result_is_read = result_is_read
        self.activity = activity
        self.unread = unread
        self.late = late
        self.may_reload = may_reload
        self.sums: dict[Loop, set[Instruction]] = {}
        self.loops: dict[Loop, None] = {}
        self._at_hand: dict[Instruction, bool] = {}
        for loop in p.forest.loops:
            if loop.header not in p.cold and self._has_form(loop) and not self._acts(loop):
                sums = self._sums(loop)
                if sums is not None and not self._hands_out(loop) and self._is_worth_it(loop):
                    self.sums[loop] = sums
                    self.loops[loop] = None
        self.late.find(self)
        found: set[Loop] = set()
        self._ask_forward((), found)
        self.drop(found)

    def drop(self, loops: Collection[Loop]) -> None:
        """These are no candidates any more, and what hangs on them."""
        self.loops = {loop: None for loop in self.loops if loop not in loops}
        self._keep_in_order()
        self.late.find(self)
        self._at_hand.clear()

    def end(self, loop: Loop) -> Block:
        """Where control goes on behind the loop."""
        return next(b for b in latch_of(loop).successors() if b is not loop.header)

    # Conditions -----------------------------------------------------------------------------------------

    def _has_form(self, loop: Loop) -> bool:
        """Is it left behind whole iterations only, but for failures?"""
        p = self.p
        latch = latch_of(loop)
        ways = [(b, end) for b, end in loop.exit_edges if end not in p.cold]
        if len(ways) != 1 or ways[0][0] is not latch or latch.terminator.opcode != "br":
            return False
        end = ways[0][1]
        return p.predecessors(end) == [latch] and p.loops_left(latch, end) == [loop]

    def _acts(self, loop: Loop) -> bool:
        """Has it an effect, or needs it more than what it finds later? It may fill arrays of its own."""
        stores = set()
        loads = []
        for block in loop.blocks:
            for i in block.instructions:
                if isinstance(i, Store) and i not in self.unread:
                    stores.add(i)
                elif i not in self.unread and has_effect(i):
                    return True
                elif isinstance(i, Load) and not self.may_reload(i):
                    loads.append(i)
        arrays = self.work_arrays.of(loop, stores)
        if arrays is None or any(self.work_arrays.array_of(i) not in arrays for i in loads):
            return True
        self._own[loop] = stores
        return False

    def _sums(self, loop: Loop) -> set[Instruction] | None:
        """What passes the loop's sums on; None where an active number is carried that is more than a sum."""
        found: set[Instruction] = set()
        for phi in loop.header.phis():
            if self.activity.is_active(phi):
                sum_ = sum_of(phi, loop)
                if sum_ is None:
                    return None
                found |= sum_
        return found

    def _hands_out(self, loop: Loop) -> bool:
        """Has what its last iteration computes, but for whole sums, a derivative behind it? That belongs to this
        iteration, and iterations are reversed from the first on."""
        carried = filter(self.activity.is_active, loop.header.phis())
        sums = {phi.value_from(latch_of(loop)) for phi in carried}
        active = (
            i
            for block in loop.blocks
            for i in block.instructions
            if i not in sums and self.activity.is_active(i)
        )
        return any(
            user.parent not in loop and user.parent not in self.p.cold
            for i in active
            for user in i.users
        )

    def _is_worth_it(self, loop: Loop) -> bool:
        """Not straight loops that read neighbours in one array: what they add to its shadow keeps LLVM from using
        vectors, and the forward pass can, if it has not to look them up."""
        if not self.is_straight(loop):
            return True
        loads = [
            i
            for block in loop.blocks
            for i in block.instructions
            if isinstance(i, Load) and self.activity.is_active(i)
        ]
        if any(is_looked_up(i.pointer, loop) for i in loads):
            return True
        found: dict[Value, Value] = {}
        return all(
            found.setdefault(origin, i.pointer) is i.pointer
            for i in loads
            for origin in self.activity.oracle.underlying(i.pointer)
        )

    # Exceptions -----------------------------------------------------------------------------------------

    def _keep_in_order(self) -> None:
        """Drop loops whose exceptions would come too late, or what they guard too early."""
        while True:
            kept = {
                loop: None
                for loop in self.loops
                if not self._fails(loop)
                or self.is_checked_ahead(loop)
                or (
                    (loop.parent is None or loop.parent in self.loops)
                    and self._is_last(loop)
                    and self._fails_alone(loop)
                )
            }
            if len(kept) == len(self.loops):
                return
            self.loops = kept

    def is_checked_ahead(self, loop: Loop) -> bool:
        """Are its checks made in the forward pass, and in the reverse pass not again?

        So it is where LLVM uses vectors if nothing fails: in straight code on consecutive numbers.
        """
        return self._fails(loop) and self.is_straight(loop)

    def is_straight(self, loop: Loop) -> bool:
        """Does each iteration go one way, over numbers that LLVM may find side by side?"""
        if loop.children:
            return False
        for block in loop.blocks:
            going_on = [b for b in block.successors() if b in loop and b not in self.p.cold]
            if len(going_on) > 1 or block.terminator.opcode != "br":
                return False
            if any(isinstance(i, Load) and i.type.scalar.is_int for i in block.instructions):
                return False
        return True

    def _fails(self, loop: Loop) -> bool:
        return any(end in self.p.cold for b in loop.blocks for end in b.successors())

    def failing(self, loop: Loop) -> list[Block]:
        """The blocks that failures of the loop come to."""
        ends = (end for b in loop.blocks for end in b.successors() if end in self.p.cold)
        return list(reached(ends, Block.successors))

    def _fails_alone(self, loop: Loop) -> bool:
        """Do the failures call nothing, and need nothing but what is computed in the loop?"""
        own = self.failing(loop)
        for block in own:
            for i in block.instructions:
                if isinstance(i, Call):
                    return False
                for operand, place in zip(i.operands, _places_of(i), strict=False):
                    ours = place in loop or place in own
                    if ours and isinstance(operand, Instruction):
                        if operand.parent not in loop and operand.parent not in own:
                            return False
        return True

    def _is_last(self, loop: Loop) -> bool:
        """Does what follows, in this iteration of the loop around, neither fail nor touch memory?"""
        pending = [self.end(loop)]
        seen = set(pending)
        while pending:
            block = pending.pop()
            inner = self.p.forest.loop_of(block)
            if inner is not loop.parent and inner not in self.loops:
                return False
            for i in block.instructions:
                waits = i in self.unread or i in self.late.stores
                if not waits and (has_effect(i) or isinstance(i, Load)):
                    return False
            for successor in block.successors():
                if successor in self.p.cold:
                    return False
                around = loop.parent is None or (
                    successor in loop.parent and successor is not loop.parent.header
                )
                if around and successor not in seen:
                    seen.add(successor)
                    pending.append(successor)
        return True

    @property
    def that_fail(self) -> list[Loop]:
        """Those whose exceptions are raised in the reverse pass."""
        return [
            loop for loop in self.loops if self._fails(loop) and not self.is_checked_ahead(loop)
        ]

    def at_hand(self, value: Instruction) -> bool:
        """Has each iteration of a fused loop computed it, when its reverse begins?"""
        known = self._at_hand.get(value)
        if known is None:
            assert value.parent is not None
            loop = self.p.forest.loop_of(value.parent)
            known = self._at_hand[value] = (
                loop is not None
                and loop in self.loops
                and self.p.dominators.dominates(value.parent, latch_of(loop))
            )
        return known

    # With a plan ----------------------------------------------------------------------------------------

    def asked(self, plan: CachePlan, needs: Needs, recipes: Recipes) -> list[Loop]:
        """The loops that must run in the forward pass after all, for what it does or keeps."""
        found: set[Loop] = set()
        used = [i for value in plan.recomputed for i in recipes.inputs(value) or ()]
        ready = [v for v in (*needs, *used) if isinstance(v, Instruction) and recipes.is_at_hand(v)]
        self._ask_forward((*plan.cached, *ready), found)
        self._ask_reverse(plan, needs, recipes, found)
        return [loop for loop in self.loops if loop in found]

    def _fused_around(self, block: Block | None) -> Iterator[Loop]:
        loop = None if block is None else self.p.forest.loop_of(block)
        if loop is not None:
            yield from (around for around in loop.ancestors() if around in self.loops)

    def _ask_forward(self, kept: Iterable[Value], found: set[Loop]) -> None:
        """Follow what has an effect, is kept or is used by failures back to what it is computed from, and note the
        loops that are left."""
        terms = (term for s in self.late.sums.values() for term in s.terms)
        needed = (*kept, *self.late.asked, *terms)
        pending = [v for v in needed if isinstance(v, Instruction)]
        own = set[Instruction]().union(*(self._own[loop] for loop in self.loops))
        for block in self.p.blocks:
            for i in block.instructions:
                acts = has_effect(i) or (
                    i.is_terminator and (i.opcode != "ret" or self.result_is_read)
                )
                if acts and i not in self.unread and i not in self.late.found and i not in own:
                    pending.append(i)
        failing = {loop: set(self.failing(loop)) for loop in self.loops}
        for block in self.p.failing:
            for i in block.instructions:
                for operand, place in zip(i.operands, _places_of(i), strict=False):
                    if isinstance(operand, Instruction) and operand.parent not in self.p.cold:
                        pending.append(operand)
                        for loop in self._fused_around(operand.parent):
                            inside = place in loop or place in failing[loop]
                            if not inside or operand in self.sums[loop]:
                                found.add(loop)
        seen: set[Instruction] = set()
        while pending:
            value = pending.pop()
            if value in seen or value in self.unread:
                continue
            seen.add(value)
            for operand in value.operands:
                if isinstance(operand, Instruction):
                    for loop in self._fused_around(operand.parent):
                        if value.parent not in loop or operand in self.sums[loop]:
                            found.add(loop)
                    pending.append(operand)

    def _ask_reverse(
        self, plan: CachePlan, needs: Needs, recipes: Recipes, found: set[Loop]
    ) -> None:
        for value in dict.fromkeys((*plan.cached, *plan.recomputed, *needs)):
            if not isinstance(value, Instruction):
                continue
            places: list[Block | None] = list(needs.get(value, ()))
            for loop in self._fused_around(value.parent):
                if any(place not in loop for place in places):
                    found.add(loop)
            if value in plan.recomputed:
                for source in recipes.inputs(value) or ():
                    if isinstance(source, Instruction):
                        for loop in self._fused_around(source.parent):
                            if value.parent not in loop:
                                found.add(loop)

    def needed_inside(self, loop: Loop, needs: Container[Value]) -> list[Instruction]:
        """What the loop's own code uses from outside, where it is used for more than the loop's sums."""
        entry = self.p.function.entry
        found: dict[Instruction, None] = {}
        seen: set[Instruction] = set()
        ahead = self.is_checked_ahead(loop)

        def runs(i: Instruction) -> bool:
            checks = ahead and any(s in self.p.cold for s in i.operands)
            return i in needs or i in own or i in summed or (i.is_terminator and not checks)

        own = set[Instruction]().union(
            *(stores for inner, stores in self._own.items() if loop in inner.ancestors())
        )
        late = self.late.in_loop(loop)
        parts = [part for s in late for part in s.parts_in(loop) if part.adding]
        summed = {part.value for part in parts}
        carried = {part.phi for part in parts}

        pending = [i for b in loop.blocks for i in b.instructions if runs(i)]
        pending += [
            s.start for s in late if s.outermost is loop and isinstance(s.start, Instruction)
        ]
        for block in () if ahead else self.failing(loop):
            pending += [
                o for i in block.instructions for o in i.operands if isinstance(o, Instruction)
            ]
        while pending:
            value = pending.pop()
            if value.parent not in loop:
                on_stack = isinstance(value, Alloca) and value.parent is entry
                if not on_stack and value.parent not in self.p.cold:
                    found[value] = None
            elif value not in seen and value not in carried:
                seen.add(value)
                pending.extend(o for o in value.operands if isinstance(o, Instruction))
        return list(found)


def _places_of(i: Instruction) -> Sequence[Block | None]:
    """Where control comes from for each operand of a phi; for other instructions the block that they are in."""
    return i.blocks if isinstance(i, Phi) else [i.parent] * len(i.operands)


def has_effect(i: Instruction) -> bool:
    """May it change anything but its own result, or depend on more than its operands and memory?"""
    if isinstance(i, Call):
        known = lookup_known(i)
        return row_for_call(i) is None and (known is None or known.kind not in ("pure", "hint"))
    effect = INSTRUCTIONS[i.opcode].effect
    if effect == READS:
        return bool(i.flags)
    return effect in (WRITES, ORDERS) or isinstance(i, Alloca)
