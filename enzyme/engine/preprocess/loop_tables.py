"""What an inner loop computes alike in each iteration of the loops around it is computed once, before them.

Mixtures take ``log(scale[j])`` for each datum and each component, time loops ``exp(-rate[i] * dt)`` in each step and
for each cell. LLVM moves out of a loop what is the same in all of its iterations; this is the same in each iteration
of another loop only. So a loop of its own, in front of the outermost loop that allows it, fills a table with one
number for each iteration of the inner one. The derivative adds up the adjoints of a number, and takes the logarithm's
derivative once.

A loop whose iterations must run one after the other (`analysis.one_by_one`) has its functions computed in front of it,
where LLVM makes vectors of them: ``h = 0.9 * h + exp(x[i])``.

The new loop does what the first iteration of the outer loops would do: it is known that they come to the inner loop
first of all, or under conditions that the new loop is under as well, and checks that may leave the inner loop stand in
the new one. So nothing is loaded that the program does not load.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from enzyme.engine.analysis.alias import AliasOracle
from enzyme.engine.analysis.known_functions import row_of, runtime_of
from enzyme.engine.analysis.loop_indices import LoopFacts
from enzyme.engine.analysis.loops import Loop
from enzyme.engine.analysis.one_by_one import is_one_by_one
from enzyme.engine.derivatives.catalogue import entry_of
from enzyme.engine.ir.graph import reached
from enzyme.engine.ir.instructions import Call, Instruction, Load, Phi, Store
from enzyme.engine.ir.module import Block, Function
from enzyme.engine.ir.opcodes import CONTROL, DESCRIBES, INSTRUCTIONS, PURE, READS
from enzyme.engine.ir.simplify import remove_dead
from enzyme.engine.ir.types import I64, FloatType
from enzyme.engine.ir.values import ConstInt, Value
from enzyme.engine.preprocess.canonical_loops import latch_of, preheader_of
from enzyme.engine.preprocess.filled_loops import Check, Plan, always, condition_of, write_filled

# A number is made of so many instructions at most, and so many tables are filled by one loop.
_MOST_INSTRUCTIONS = 60
_MOST_TABLES = 4
# What may fail where the program would not come to it.
_AT_THEIR_PLACE = frozenset(("load", "call", "udiv", "sdiv", "urem", "srem"))


def may_fill_tables(facts: LoopFacts) -> bool:
    """Is there a loop with functions of numbers in each iteration?"""
    return any(_calls(loop, facts) for loop in facts.forest.loops)


def fill_tables(
    function: Function, facts: LoopFacts, oracle: AliasOracle, memory: list[Instruction]
) -> bool:
    """Write the tables of one loop; was there any? `memory` gets what allocates them, and may find none."""
    for loop in facts.forest.loops:
        if loop.header in facts.cold or not _calls(loop, facts):
            continue
        for outer in _places(loop, facts, oracle):
            if _Tables(facts, oracle, loop, outer).write(memory):
                remove_dead(function)
                return True
    return False


def _places(loop: Loop, facts: LoopFacts, oracle: AliasOracle) -> list[Loop]:
    """The loops that tables may stand in front of, the best first."""
    around = list(loop.ancestors())[:0:-1]
    # Inside of another loop this one may be short, and then memory for a table costs more than it saves.
    return [loop] if not around and is_one_by_one(loop, facts, oracle) else around


def _calls(loop: Loop, facts: LoopFacts) -> list[Call]:
    """Functions of numbers that each iteration calls, which take longer than to load a number."""
    if (
        facts.trips.get(loop) is None
        or row_of("malloc", runtime_of(loop.header.terminator)) is None
    ):
        return []
    inside = (i for block in always(loop, facts) for i in block.instructions)
    return [i for i in inside if isinstance(i, Call) and _is_dear(i)]


def _is_dear(call: Call) -> bool:
    entry = entry_of(call)
    return (
        isinstance(call.type, FloatType)
        and entry is not None
        and entry.row is not None
        and not (entry.cheap or entry.numbers or entry.integers)
    )


def _has_vector_form(call: Call) -> bool:
    entry = entry_of(call)
    return entry is not None and bool(entry.vector)


@dataclass(slots=True)
class _Tables:
    """The tables of `inner` that can stand in front of `outer`."""

    facts: LoopFacts
    oracle: AliasOracle
    inner: Loop
    outer: Loop
    _steady: dict[Value, bool] = field(default_factory=dict)

    def write(self, memory: list[Instruction]) -> bool:
        last = self.facts.trips[self.inner]
        numbers = self._numbers() if last is not None and last.type is I64 else []
        if not numbers or last is None or not self._is_once(last) or not self._ends_in_latch():
            return False
        if not all(map(self._is_as_long_as_an_array, numbers)):
            return False
        conditions = self._conditions()
        checks = self._checks()
        if conditions is None or checks is None:
            return False
        needed: dict[Instruction, None] = {}
        for value in (*numbers, *(c.condition for c in checks.values())):
            if not self._collect(value, needed):
                return False
        layout = self.oracle.summaries.layout
        memory += write_filled(
            Plan(
                self.facts,
                layout,
                self.inner,
                self.outer,
                last,
                numbers,
                checks,
                conditions,
                needed,
            )
        )
        return True

    def _is_as_long_as_an_array(self, number: Instruction) -> bool:
        """Does each iteration of the inner loop load another element, so that a table is no longer than memory that is
        there already?"""
        size_of = self.oracle.summaries.layout.size_of
        return any(
            isinstance(i, Load)
            and size_of(number.type) <= 2 * size_of(i.type)
            and self._steps(i.pointer)
            for block in always(self.inner, self.facts)
            for i in block.instructions
        )

    def _steps(self, value: Value) -> bool:
        """Does the value, an integer or an address, go on by one distance from each iteration to the next?"""
        if not isinstance(value, Instruction) or value.parent not in self.inner:
            return False
        if isinstance(value, Phi):
            induction = self.facts.inductions.get(value)
            if value is self.facts.counters[self.inner]:
                return True
            step = None if induction is None or induction.loop is not self.inner else induction.step
            return isinstance(step, ConstInt) and step.value != 0
        factor = value.operands[-1]
        if value.opcode in ("mul", "shl"):
            fits = isinstance(factor, ConstInt) and (factor.value != 0 or value.opcode == "shl")
            return fits and self._steps(value.operands[0])
        if value.opcode not in ("add", "sub", "getelementptr", "sext", "zext"):
            return False
        moving = [o for o in value.operands if not self._is_fixed(o)]
        return len(moving) == 1 and self._steps(moving[0])

    def _is_fixed(self, value: Value) -> bool:
        """Is it one value, or one of two: what is added to an index that may be negative?"""
        if not isinstance(value, Instruction) or value.parent not in self.inner:
            return True
        return value.opcode == "select" and all(map(self._is_fixed, value.operands[1:]))

    def _ends_in_latch(self) -> bool:
        """Does an iteration of the inner loop end with the question whether there is another one?"""
        cold = self.facts.cold
        return all(b is latch_of(self.inner) for b, t in self.inner.exit_edges if t not in cold)

    # What is the same -------------------------------------------------------------------------------

    def _numbers(self) -> list[Instruction]:
        """What is to stand in tables: the last values that are the same, on the way from a call to what is not."""
        pending: list[Instruction] = [
            call
            for call in _calls(self.inner, self.facts)
            if self._is_steady(call) and (self.inner is not self.outer or _has_vector_form(call))
        ]
        dear, mine = dict.fromkeys(pending), set(always(self.inner, self.facts))
        while pending:
            for user in pending.pop().users:
                fits = isinstance(user.type, FloatType) and user.parent in mine
                if user not in dear and fits and self._is_steady(user):
                    dear[user] = None
                    pending.append(user)
        found = [v for v in dear if any(u not in dear for u in v.users)]
        return found if len(found) <= _MOST_TABLES else []

    def _is_once(self, value: Value) -> bool:
        """Is the value one and the same for all iterations of both loops, and computed of such values wherever one
        likes?"""
        seen: set[Value] = set()
        pending = [value]
        while pending:
            value = pending.pop()
            if value in seen or not isinstance(value, Instruction) or not self._is_inside(value):
                continue
            if isinstance(value, Phi) or value.opcode in _AT_THEIR_PLACE:
                return False
            seen.add(value)
            pending += value.operands
        return all(map(self._is_steady, seen))

    def _is_steady(self, value: Value) -> bool:
        """Is the value in an iteration of the inner loop the same in all iterations of the outer one?"""
        if not isinstance(value, Instruction) or value.parent not in self.outer:
            return True
        if value not in self._steady:
            self._steady[value] = False  # in a circle
            self._steady[value] = self._finds_same(value)
        return self._steady[value]

    def _finds_same(self, value: Instruction) -> bool:
        block = value.parent
        assert block is not None
        dominates = self.facts.dominators.dominates
        if isinstance(value, Phi):
            return self._is_counted(value)
        if block in self.inner:
            if self.facts.forest.loop_of(block) is not self.inner:
                return False
        elif not dominates(block, preheader_of(self.inner)):
            return False
        if isinstance(value, Load):
            plain = not (value.flags or value.suffix or value.type.is_pointer)
            return plain and self._is_steady(value.pointer) and self._stays(value)
        if isinstance(value, Call):
            row = entry_of(value)
            fits = (
                row is not None and not (row.numbers or row.integers) and not value.type.is_pointer
            )
        else:
            fits = INSTRUCTIONS[value.opcode].effect == PURE and value.opcode != "alloca"
        return fits and all(map(self._is_steady, value.operands))

    def _is_counted(self, phi: Phi) -> bool:
        if phi is self.facts.counters[self.inner]:
            return True
        induction = self.facts.inductions.get(phi)
        return (
            induction is not None
            and induction.loop is self.inner
            and phi.type is I64
            and self._is_once(induction.start)
            and self._is_once(induction.step)
        )

    def _stays(self, load: Load) -> bool:
        """Does nothing in the outer loop write there?"""
        size = self.oracle.summaries.layout.size_of(load.type)
        return not any(
            self.oracle.may_write(i, load.pointer, size, load)
            for block in self.outer.blocks
            for i in block.instructions
        )

    def _collect(self, value: Value, needed: dict[Instruction, None]) -> bool:
        """Note what a value is computed of, operands first."""
        if not isinstance(value, Instruction) or value.parent not in self.outer or value in needed:
            return True
        if not isinstance(value, Phi) and not all(
            self._collect(operand, needed) for operand in value.operands
        ):
            return False
        needed[value] = None
        return len(needed) <= _MOST_INSTRUCTIONS

    # How the program comes there --------------------------------------------------------------------

    def _checks(self) -> dict[Block, Check] | None:
        """The blocks that may leave the inner loop before it is over; None if that may be otherwise in another
        iteration of the outer loop."""
        found: dict[Block, Check] = {}
        mine = always(self.inner, self.facts)
        for block, target in self.inner.exit_edges:
            if target not in self.facts.cold:
                continue
            condition = condition_of(block)
            if block not in mine or condition is None or not self._is_steady(condition):
                return None
            found[block] = Check(condition, target)
        if found and all(self._may_end_in(c.target) for c in found.values()) and self._is_quiet():
            for check in found.values():
                check.moves = True
        return found

    def _may_end_in(self, target: Block) -> bool:
        """Can control come to a block that reports an error from in front of the outer loop as well?"""
        used = (o for block in reached([target], Block.successors) for o in _operands(block))
        return not target.phis() and not any(map(self._is_inside, used))

    def _is_inside(self, value: Value) -> bool:
        return isinstance(value, Instruction) and value.parent in self.outer

    def _is_quiet(self) -> bool:
        """Does nobody see how far the outer loop came before an error?"""
        return all(
            entry_of(i) is not None if isinstance(i, Call) else self._is_private(i)
            for block in self.outer.blocks
            for i in block.instructions
        )

    def _is_private(self, i: Instruction) -> bool:
        if not isinstance(i, Store):
            return INSTRUCTIONS[i.opcode].effect in (PURE, READS, CONTROL, DESCRIBES)
        objects = self.oracle.objects
        return all(
            objects.is_local(o) and not objects.outlives(o)
            for o in self.oracle.underlying(i.pointer)
        )

    def _conditions(self) -> list[tuple[Value, bool]] | None:
        """Conditions, and how they come out, under which the first iteration of the outer loop comes to the inner one
        first of all; None if it may fail before, or go on."""
        forest, dominators, cfg = self.facts.forest, self.facts.dominators, self.facts.forest.cfg
        found: list[tuple[Value, bool]] = []
        block = self.outer.header if self.inner is self.outer else preheader_of(self.inner)
        while block is not self.outer.header:
            loop = forest.loop_of(block)
            if loop is not None and loop.header is block:
                block = preheader_of(loop)
                continue
            before = dominators.idom(block)
            if before is None or before not in self.outer:
                return None
            passed = _left_between(before, block, forest.loop_of, self.inner)
            if passed is not None:
                if not self._leads_only(passed, block):
                    return None
                block = preheader_of(passed)
                continue
            if cfg.predecessors(block) == [before]:
                condition = condition_of(before)
                if condition is not None:
                    if not self._is_once(condition):
                        return None
                    found.append((condition, before.terminator.operands[1] is block))
                elif before.terminator.opcode != "br":
                    return None
            elif not self._always_leads(before, block):
                return None
            block = before
        return found

    def _leads_only(self, loop: Loop, target: Block) -> bool:
        """Is this where control goes when it leaves the loop?"""
        return loop.preheader is not None and all(t is target for _, t in loop.exit_edges)

    def _always_leads(self, above: Block, below: Block) -> bool:
        """Do all ways from a block lead to the other one?"""
        seen, pending = {below}, [above]
        while pending:
            for block in pending.pop().successors():
                if block in seen:
                    continue
                if block in self.facts.cold or not self.facts.dominators.dominates(above, block):
                    return False
                if not block.successors():
                    return False
                seen.add(block)
                pending.append(block)
        return True


def _operands(block: Block) -> Iterator[Value]:
    return (operand for i in block.instructions for operand in i.operands)


def _left_between(
    above: Block, below: Block, loop_of: Callable[[Block], Loop | None], inner: Loop
) -> Loop | None:
    """The outermost loop that ends on the way from one block to another one that dominates the inner loop."""
    around = set(loop.header for loop in inner.ancestors())
    loop, found = loop_of(above), None
    while loop is not None and loop.header not in around:
        found, loop = loop, loop.parent
    return found


__all__ = ["fill_tables", "may_fill_tables"]
