"""What an inner loop computes alike in each iteration of the loops around it is computed once, before them.

Mixtures take ``log(scale[j])`` for each datum and each component, time loops ``exp(-rate[i] * dt)`` in each step and
for each cell. LLVM moves out of a loop what is the same in all of its iterations; this is the same in each iteration
of another loop only. So a loop of its own, in front of the outermost loop that allows it, fills a table with one
number for each iteration of the inner one. The derivative adds up the adjoints of a number, and takes the logarithm's
derivative once.

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
from enzyme.engine.derivatives.catalogue import entry_of
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.clone import clone_instruction
from enzyme.engine.ir.edit import split_block
from enzyme.engine.ir.instructions import Call, Instruction, Load, Phi, Store
from enzyme.engine.ir.module import Block, Function
from enzyme.engine.ir.opcodes import CONTROL, DESCRIBES, INSTRUCTIONS, PURE, READS
from enzyme.engine.ir.simplify import remove_dead
from enzyme.engine.ir.types import I1, I64, PTR, FloatType
from enzyme.engine.ir.values import ConstInt, Value
from enzyme.engine.preprocess.canonical_loops import latch_of, preheader_of

# A number is made of so many instructions at most, and so many tables are filled by one loop.
_MOST_INSTRUCTIONS = 60
_MOST_TABLES = 4
# What may fail where the program would not come to it.
_AT_THEIR_PLACE = frozenset(("load", "call", "udiv", "sdiv", "urem", "srem"))


def may_fill_tables(facts: LoopFacts) -> bool:
    """Is there a function of numbers in a loop in a loop?"""
    return any(_calls(loop, facts) for loop in facts.forest.loops if loop.parent is not None)


def fill_tables(function: Function, facts: LoopFacts, oracle: AliasOracle) -> bool:
    """Write the tables of one loop; was there any?"""
    for loop in facts.forest.loops:
        if loop.parent is None or loop.header in facts.cold or not _calls(loop, facts):
            continue
        for outer in reversed(list(loop.parent.ancestors())):
            tables = _Tables(facts, oracle, loop, outer)
            if tables.write():
                remove_dead(function)
                return True
    return False


def _calls(loop: Loop, facts: LoopFacts) -> list[Call]:
    """Functions of numbers that each iteration calls, which take longer than to load a number."""
    if (
        facts.trips.get(loop) is None
        or row_of("malloc", runtime_of(loop.header.terminator)) is None
    ):
        return []
    inside = (i for block in _always(loop, facts) for i in block.instructions)
    return [i for i in inside if isinstance(i, Call) and _is_dear(i)]


def _always(loop: Loop, facts: LoopFacts) -> list[Block]:
    """The blocks that each iteration comes through, in order; those of inner loops are not among them."""
    latch = latch_of(loop)
    return [
        block
        for block in loop.blocks
        if facts.forest.loop_of(block) is loop and facts.dominators.dominates(block, latch)
    ]


def _is_dear(call: Call) -> bool:
    entry = entry_of(call)
    return (
        isinstance(call.type, FloatType)
        and entry is not None
        and entry.row is not None
        and not (entry.cheap or entry.numbers or entry.integers)
    )


@dataclass(slots=True)
class _Check:
    """What leaves the inner loop for a block that reports an error. If it `moves`, the new loop goes there, and the
    inner one need not ask again."""

    condition: Value
    target: Block
    moves: bool = False


@dataclass(slots=True)
class _Tables:
    """The tables of `inner` that can stand in front of `outer`."""

    facts: LoopFacts
    oracle: AliasOracle
    inner: Loop
    outer: Loop
    _steady: dict[Value, bool] = field(default_factory=dict)

    def write(self) -> bool:
        last = self.facts.trips[self.inner]
        numbers = self._numbers() if last is not None and last.type is I64 else []
        if not numbers or last is None or not self._is_once(last) or not self._ends_in_latch():
            return False
        conditions = self._conditions()
        checks = self._checks()
        if conditions is None or checks is None:
            return False
        needed: dict[Instruction, None] = {}
        for value in (*numbers, *(c.condition for c in checks.values())):
            if not self._collect(value, needed):
                return False
        _Writer(self, numbers, checks, conditions, needed).write(last)
        return True

    def _ends_in_latch(self) -> bool:
        """Does an iteration of the inner loop end with the question whether there is another one?"""
        cold = self.facts.cold
        return all(b is latch_of(self.inner) for b, t in self.inner.exit_edges if t not in cold)

    # What is the same -------------------------------------------------------------------------------

    def _numbers(self) -> list[Instruction]:
        """What is to stand in tables: the last values that are the same, on the way from a call to what is not."""
        pending: list[Instruction] = [
            call for call in _calls(self.inner, self.facts) if self._is_steady(call)
        ]
        dear = dict.fromkeys(pending)
        while pending:
            for user in pending.pop().users:
                if user not in dear and isinstance(user.type, FloatType) and self._is_fit(user):
                    dear[user] = None
                    pending.append(user)
        found = [v for v in dear if any(u not in dear for u in v.users)]
        return found if len(found) <= _MOST_TABLES else []

    def _is_fit(self, value: Instruction) -> bool:
        return value.parent in _always(self.inner, self.facts) and self._is_steady(value)

    def _is_once(self, value: Value) -> bool:
        """Is the value one and the same for all iterations of both loops, and computed of such values wherever one
        likes?"""
        seen: set[Value] = set()
        pending = [value]
        while pending:
            value = pending.pop()
            if (
                value in seen
                or not isinstance(value, Instruction)
                or value.parent not in self.outer
            ):
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

    def _checks(self) -> dict[Block, _Check] | None:
        """The blocks that may leave the inner loop before it is over; None if that may be otherwise in another
        iteration of the outer loop."""
        found: dict[Block, _Check] = {}
        always = _always(self.inner, self.facts)
        for block, target in self.inner.exit_edges:
            if target not in self.facts.cold:
                continue
            condition = _condition(block)
            if block not in always or condition is None or not self._is_steady(condition):
                return None
            found[block] = _Check(condition, target)
        if found and all(self._may_end_in(c.target) for c in found.values()) and self._is_quiet():
            for check in found.values():
                check.moves = True
        return found

    def _may_end_in(self, target: Block) -> bool:
        """Can control come to a block that reports an error from in front of the outer loop as well?"""
        seen, pending = {target}, [target]
        while pending:
            block = pending.pop()
            if any(map(self._is_inside, _operands(block))):
                return False
            further = [s for s in block.successors() if s not in seen]
            seen.update(further)
            pending += further
        return not any(True for _ in target.phis())

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
        block = preheader_of(self.inner)
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
                condition = _condition(before)
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


@dataclass(slots=True)
class _Writer:
    """Writes the new loop, and has the inner one read its tables."""

    tables: _Tables
    numbers: list[Instruction]
    checks: dict[Block, _Check]
    conditions: list[tuple[Value, bool]]
    needed: dict[Instruction, None]

    def write(self, last: Value) -> None:
        """`last` is the number of the last iteration of the inner loop."""
        outer, inner = self.tables.outer, self.tables.inner
        before = preheader_of(outer)
        function = before.parent
        assert function is not None
        name = inner.header.name
        entered = split_block(
            before, before.instructions.index(before.terminator), f"{name}.filled"
        )
        b = Builder(before, len(before.instructions) - 1)
        once: dict[Value, Value] = {}
        # Outer conditions first: where they do not hold, inner ones may be poison.
        runs: Value = ConstInt(I1, 1)
        for condition, comes_out in reversed(self.conditions):
            made = self._again(condition, b, once)
            runs = b.select(runs, made if comes_out else b.not_(made), ConstInt(I1, 0))
        length = b.iadd(self._again(last, b, once), ConstInt(I64, 1))
        runs = b.select(runs, b.icmp("sgt", length, ConstInt(I64, 0)), ConstInt(I1, 0))
        length = b.select(runs, length, ConstInt(I64, 0))
        places = [
            b.call_named(
                "malloc",
                PTR,
                [
                    b.imul(
                        length, ConstInt(I64, self.tables.oracle.summaries.layout.size_of(n.type))
                    )
                ],
                f"{name}.table",
            )
            for n in self.numbers
        ]
        header = function.append_block(f"{name}.fill", after=before)
        before.terminator.erase()
        b.at_end(before)
        b.cond_br(runs, header, entered)
        counter = Phi(I64, (), f"{name}.filling")
        header.append(counter)
        counter.add_incoming(ConstInt(I64, 0), before)
        b.at_end(header)
        mapping = self._bodies(b, counter, once, entered)
        for number, place in zip(self.numbers, places, strict=True):
            b.store(mapping[number], b.gep(number.type, place, [counter]))
        following = b.iadd(counter, ConstInt(I64, 1), f"{name}.filling.next", ("nuw", "nsw"))
        assert b.block is not None
        counter.add_incoming(following, b.block)
        b.cond_br(b.icmp("slt", following, length), header, entered)
        for number, place in zip(self.numbers, places, strict=True):
            b.before(number)
            at = b.gep(number.type, place, [self.tables.facts.counters[inner]])
            number.replace_uses_with(b.load(number.type, at, f"{name}.of.table"))
        for block, check in self.checks.items():
            if check.moves:
                (further,) = (s for s in block.successors() if s in inner)
                block.terminator.erase()
                b.at_end(block)
                b.br(further)

    def _again(self, value: Value, b: Builder, made: dict[Value, Value]) -> Value:
        """What is one and the same, in front of the loops."""
        if not isinstance(value, Instruction) or value.parent not in self.tables.outer:
            return value
        if value not in made:
            mapping = {operand: self._again(operand, b, made) for operand in value.operands}
            made[value] = b.add(clone_instruction(value, mapping))
        return made[value]

    def _bodies(
        self, b: Builder, counter: Phi, once: dict[Value, Value], leave: Block
    ) -> dict[Value, Value]:
        """One iteration of the inner loop, as far as its numbers and checks need it."""
        tables = self.tables
        mapping: dict[Value, Value] = {tables.facts.counters[tables.inner]: counter}
        for value in self.needed:
            if isinstance(value, Phi):
                self._write_phi(value, b, counter, mapping, once)
            elif value.parent not in tables.inner:
                mapping[value] = b.add(clone_instruction(value, mapping))
        for block in _always(tables.inner, tables.facts):
            for i in block.instructions:
                if i in self.needed and not isinstance(i, Phi):
                    mapping[i] = b.add(clone_instruction(i, mapping))
            check = self.checks.get(block)
            if check is not None:
                assert b.block is not None
                further = b.function.append_block(f"{block.name}.fill", after=b.block)
                stays = block.terminator.operands[1] in tables.inner
                condition = mapping.get(check.condition, check.condition)
                to = check.target if check.moves else leave
                b.cond_br(condition, *((further, to) if stays else (to, further)))
                b.at_end(further)
        return mapping

    def _write_phi(
        self,
        phi: Phi,
        b: Builder,
        counter: Phi,
        mapping: dict[Value, Value],
        once: dict[Value, Value],
    ) -> None:
        if phi in mapping:
            return
        induction = self.tables.facts.inductions[phi]
        start, step = induction.start, induction.step
        steps = b.imul(counter, self._again(step, b, once))
        begun = self._again(start, b, once)
        mapping[phi] = b.isub(begun, steps) if induction.negative else b.iadd(begun, steps)


def _operands(block: Block) -> Iterator[Value]:
    return (operand for i in block.instructions for operand in i.operands)


def _condition(block: Block) -> Value | None:
    terminator = block.terminator
    if terminator.opcode != "br" or len(terminator.operands) != 3:
        return None
    return terminator.operands[0]


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
