"""A loop in front of others that computes numbers of theirs and puts them into tables (`loop_tables` says which)."""

from __future__ import annotations

from dataclasses import dataclass, field

from enzyme.engine.analysis.known_functions import lookup_known
from enzyme.engine.analysis.loop_indices import LoopFacts
from enzyme.engine.analysis.loops import Loop
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.clone import clone_instruction
from enzyme.engine.ir.datalayout import DataLayout
from enzyme.engine.ir.edit import split_block
from enzyme.engine.ir.instructions import Instruction, Phi
from enzyme.engine.ir.module import Block
from enzyme.engine.ir.types import I1, I64, PTR, VOID
from enzyme.engine.ir.values import ConstInt, Value
from enzyme.engine.preprocess.canonical_loops import latch_of, preheader_of

# Of more than so many, no table fits into memory.
_MOST_ITERATIONS = 1 << 56


@dataclass(slots=True)
class Check:
    """What leaves the inner loop for a block that reports an error. If it `moves`, the new loop goes there, and the
    inner one need not ask again."""

    condition: Value
    target: Block
    moves: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """The `numbers` that `inner` computes alike in each iteration of `outer`, which may be the same loop.

    They are computed of what is `needed`, operands first, in iterations up to the one with the number `last`, unless
    one of the `checks` ends the inner loop before; and only under `conditions`, inner ones first, which are given with
    how they come out.
    """

    facts: LoopFacts
    layout: DataLayout
    inner: Loop
    outer: Loop
    last: Value
    numbers: list[Instruction]
    checks: dict[Block, Check]
    conditions: list[tuple[Value, bool]]
    needed: dict[Instruction, None]


def write_filled(plan: Plan) -> list[Instruction]:
    """Write the new loop, and have the inner one read its tables; the calls that allocate these."""
    writer = _Writer(plan)
    writer.write()
    return writer.memory


def always(loop: Loop, facts: LoopFacts) -> list[Block]:
    """The blocks that each iteration comes through, in order; those of inner loops are not among them."""
    latch = latch_of(loop)
    return [
        block
        for block in loop.blocks
        if facts.forest.loop_of(block) is loop and facts.dominators.dominates(block, latch)
    ]


def condition_of(block: Block) -> Value | None:
    terminator = block.terminator
    if terminator.opcode != "br" or len(terminator.operands) != 3:
        return None
    return terminator.operands[0]


@dataclass(slots=True)
class _Writer:
    plan: Plan
    memory: list[Instruction] = field(default_factory=list)

    def write(self) -> None:
        plan = self.plan
        outer, inner = plan.outer, plan.inner
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
        for condition, comes_out in reversed(plan.conditions):
            made = self._again(condition, b, once)
            runs = b.select(runs, made if comes_out else b.not_(made), ConstInt(I1, 0))
        length = b.iadd(self._again(plan.last, b, once), ConstInt(I64, 1))
        runs = b.select(runs, b.icmp("sgt", length, ConstInt(I64, 0)), ConstInt(I1, 0))
        length = b.select(runs, length, ConstInt(I64, 0))
        places = [self._room(n, length, b) for n in plan.numbers]
        header = function.append_block(f"{name}.fill", after=before)
        before.terminator.erase()
        b.at_end(before)
        b.cond_br(runs, header, entered)
        counter = Phi(I64, (), f"{name}.filling")
        header.append(counter)
        counter.add_incoming(ConstInt(I64, 0), before)
        b.at_end(header)
        mapping = self._bodies(b, counter, once, entered)
        for number, place in zip(plan.numbers, places, strict=True):
            b.store(mapping[number], b.gep(number.type, place, [counter]))
        following = b.iadd(counter, ConstInt(I64, 1), f"{name}.filling.next", ("nuw", "nsw"))
        assert b.block is not None
        counter.add_incoming(following, b.block)
        b.cond_br(b.icmp("slt", following, length), header, entered)
        for number, place in zip(plan.numbers, places, strict=True):
            b.before(number)
            at = b.gep(number.type, place, [plan.facts.counters[inner]])
            number.replace_uses_with(b.load(number.type, at, f"{name}.of.table"))
        for block, check in plan.checks.items():
            if check.moves:
                (further,) = (s for s in block.successors() if s in inner)
                block.terminator.erase()
                b.at_end(block)
                b.br(further)

    def _room(self, number: Instruction, length: Value, b: Builder) -> Value:
        """Memory for the table of a number, which is let go of where control leaves the loops."""
        size = ConstInt(I64, self.plan.layout.size_of(number.type))
        name = f"{self.plan.inner.header.name}.table"
        # What is too long for memory must not become short.
        fits = b.icmp("ult", length, ConstInt(I64, _MOST_ITERATIONS))
        bytes_ = b.select(fits, b.imul(length, size), ConstInt(I64, _MOST_ITERATIONS))
        counted = b.module.runtime.counted
        if counted is None or not counted.make:
            self.memory.append(b.call_named("malloc", PTR, [bytes_], name))
            return self.memory[-1]
        made = b.call_named(counted.make, PTR, [bytes_], f"{name}.object")
        self.memory.append(made)
        row = lookup_known(made)
        assert row is not None
        assert row.data_offset is not None
        outer, cold = self.plan.outer, self.plan.facts.cold
        for block in dict.fromkeys(b for _, b in outer.exit_edges if b not in cold):
            Builder(block, block.first_non_phi()).call_named(counted.let_go, VOID, [made])
        return b.load(PTR, b.byte_offset(made, row.data_offset), name)

    def _again(self, value: Value, b: Builder, made: dict[Value, Value]) -> Value:
        """What is one and the same, in front of the loops."""
        if not isinstance(value, Instruction) or value.parent not in self.plan.outer:
            return value
        if value not in made:
            mapping = {operand: self._again(operand, b, made) for operand in value.operands}
            made[value] = b.add(clone_instruction(value, mapping))
        return made[value]

    def _bodies(
        self, b: Builder, counter: Phi, once: dict[Value, Value], leave: Block
    ) -> dict[Value, Value]:
        """One iteration of the inner loop, as far as its numbers and checks need it."""
        plan = self.plan
        mapping: dict[Value, Value] = {plan.facts.counters[plan.inner]: counter}
        for value in plan.needed:
            if isinstance(value, Phi):
                self._write_phi(value, b, counter, mapping, once)
            elif value.parent not in plan.inner:
                mapping[value] = b.add(clone_instruction(value, mapping))
        for block in always(plan.inner, plan.facts):
            for i in block.instructions:
                if i in plan.needed and not isinstance(i, Phi):
                    mapping[i] = b.add(clone_instruction(i, mapping))
            check = plan.checks.get(block)
            if check is not None:
                assert b.block is not None
                further = b.function.append_block(f"{block.name}.fill", after=b.block)
                stays = block.terminator.operands[1] in plan.inner
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
        induction = self.plan.facts.inductions[phi]
        start, step = induction.start, induction.step
        steps = b.imul(counter, self._again(step, b, once))
        begun = self._again(start, b, once)
        mapping[phi] = b.isub(begun, steps) if induction.negative else b.iadd(begun, steps)
