"""A loop in front of another one that does several iterations of it at once (`jammed_loops` says which)."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

from enzyme.engine.analysis.inductions import Induction, find_inductions
from enzyme.engine.analysis.integer_sums import Sum
from enzyme.engine.analysis.loop_indices import LoopFacts, LoopIndices
from enzyme.engine.analysis.loops import Loop
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.clone import clone_instruction, fill_copies, substitute
from enzyme.engine.ir.edit import redirect, split_block
from enzyme.engine.ir.instructions import Gep, Instruction, Phi
from enzyme.engine.ir.module import Block, Function
from enzyme.engine.ir.types import I1, I64, IntType
from enzyme.engine.ir.values import ConstInt, Value
from enzyme.engine.preprocess.canonical_loops import latch_of, preheader_of
from enzyme.engine.preprocess.closed_loops import close
from enzyme.engine.preprocess.filled_loops import condition_of
from enzyme.engine.preprocess.sums import write_sum

# Scopes of LLVM's may be those of one iteration.
_OF_ONE_ITERATION = ("alias.scope", "noalias")
# So many times a step like that is a number that can be written.
_SMALL = 1 << 32
# Blocks in which several iterations run at once are named like this.
JAMMED = ".jammed"


@dataclass(frozen=True, slots=True)
class Jam:
    """`width` iterations of `loop` at once, and `rest` of those that are left. The counter is `last` where the loop is
    left; each iteration has its `own` of these values, and the next one gets the `chains` from it. Where what is
    `needed` is negative, iterations run one by one."""

    facts: LoopFacts
    loop: Loop
    last: Value
    width: int
    rest: int
    own: set[Value]
    chains: list[Phi]
    needed: list[Sum]
    indices: LoopIndices


# What each of the iterations that run at once computes for one value of the program.
Lanes = tuple[Instruction, ...]


def write_jammed(jam: Jam) -> tuple[Block, list[Lanes]]:
    """Write the new loop; the old one does the iterations that are left. The header of the new one, and its lanes."""
    writer = _Writer(jam)
    return writer.write(), writer.lanes()


@dataclass(slots=True)
class _Writer:
    jam: Jam
    blocks: dict[Block, Block] = field(default_factory=dict)
    # What stands for a value in each of the iterations that run at once.
    sides: list[dict[Value, Value]] = field(default_factory=list)
    entered: Block = field(init=False)
    inductions: dict[Phi, Induction] = field(init=False)
    started: dict[Phi, Phi] = field(default_factory=dict)
    # Where the iterations begin that run again one by one.
    again: dict[Phi, Phi] = field(default_factory=dict)

    @property
    def function(self) -> Function:
        function = self.jam.loop.header.parent
        assert function is not None
        return function

    def write(self) -> Block:
        jam = self.jam
        loop, width = jam.loop, jam.width
        before, latch = preheader_of(loop), latch_of(loop)
        name = loop.header.name
        (target,) = (t for b, t in loop.exit_edges if b is latch)
        close(loop, latch, target)
        entered = split_block(before, before.instructions.index(before.terminator), f"{name}.rest")
        self.entered = entered
        before.terminator.erase()
        b = Builder(before)
        number = b.iadd(jam.last, ConstInt(I64, 1), f"{name}.number")
        whole = b.and_(number, ConstInt(I64, -width))
        for total in jam.needed:
            needed = write_sum(b, total, jam.indices, jam.facts.counters)
            fits = b.icmp("sge", needed, ConstInt(I64, 0))
            whole = b.select(fits, whole, ConstInt(I64, 0))
        rest = b.icmp("ne", whole, number)
        self.inductions = find_inductions(loop, latch, entered)
        ends = {
            phi: stepped(b, self.inductions[phi], phi.value_from(entered), whole)
            for phi in loop.header.phis()
            if phi not in jam.chains
        }
        self._copy_blocks(before)
        header = self.blocks[loop.header]
        b.cond_br(b.icmp("sgt", whole, ConstInt(I64, 0)), header, entered)
        done = self.function.append_block(f"{name}{JAMMED}.end", after=self.blocks[latch])
        self._end(whole, done)
        b.at_end(done)
        b.cond_br(rest, entered, target)
        for phi in target.phis():
            phi.add_incoming(self._behind(phi.value_from(latch), done), done)
        for phi in loop.header.phis():
            at = ends.get(phi)
            if at is None:
                at = Phi(phi.type, [(phi.value_from(entered), before)], f"{phi.name}.rest")
                at.add_incoming(self._behind(phi.value_from(latch), done), done)
                entered.insert(0, at)
            phi.set_operand(phi.blocks.index(entered), at)
        return header

    def lanes(self) -> list[Lanes]:
        own = (i for block in self.jam.loop.blocks for i in block.instructions if i in self.jam.own)
        groups = ([side.get(i) for side in self.sides] for i in own)
        made = (tuple(v for v in group if isinstance(v, Instruction)) for group in groups)
        return [lanes for lanes in made if len(set(lanes)) == self.jam.width]

    def _finally(self, value: Value) -> Value:
        """What a value is in the last iteration of those that run at once."""
        return self.sides[-1].get(value, value)

    def _behind(self, value: Value, done: Block) -> Value:
        """The same behind the new loop."""
        last = self._finally(value)
        if not isinstance(last, Instruction) or last is value:
            return last
        latch = self.blocks[latch_of(self.jam.loop)]
        for phi in done.phis():
            if phi.operands[0] is last:
                return phi
        closed = Phi(last.type, [(last, latch)], f"{last.name}.closed" if last.name else "")
        done.insert(0, closed)
        return closed

    def _copy_blocks(self, before: Block) -> None:
        jam = self.jam
        loop = jam.loop
        after = before
        for block in loop.blocks:
            after = self.blocks[block] = self.function.append_block(
                f"{block.name}{JAMMED}", after=after
            )
        self.sides = [dict(self.blocks.items()) for _ in range(jam.width)]
        copies: list[tuple[Instruction, int]] = []
        for block, made in self.blocks.items():
            phis = [] if block is loop.header else block.phis()
            plain = [i for i in block.instructions if not isinstance(i, Phi)]
            for group in (phis, plain[:-1]):
                for side in range(jam.width):
                    for i in group:
                        copies += self._copy(i, side, made)
        self._write_header(before)
        for copy, side in copies:
            substitute(copy, self.sides[side])
        for block, made in self.blocks.items():
            if block is not latch_of(loop):
                self._branch(block, made)

    def _copy(self, i: Instruction, side: int, to: Block) -> list[tuple[Instruction, int]]:
        own = i in self.jam.own
        if side and not own:
            return []
        copy = to.append(clone_instruction(i, {}))
        for kind in _OF_ONE_ITERATION:
            copy.metadata.pop(kind, None)
        for mapping in self.sides[side:] if not own else [self.sides[side]]:
            mapping[i] = copy
        return [(copy, side)]

    def _write_header(self, before: Block) -> None:
        """Where each of the iterations begins, and what it gets from the one before it."""
        jam = self.jam
        loop, sides = jam.loop, self.sides
        header, latch = self.blocks[loop.header], latch_of(loop)
        phis = loop.header.phis()
        for phi in reversed(phis):
            start = next(v for v, block in phi.incoming if block is not latch)
            at = self.started[phi] = Phi(phi.type, [(start, before)], f"{phi.name}.jammed")
            header.insert(0, at)
            sides[0][phi] = at
        b = Builder(header)
        if len(header.instructions) > len(phis):
            b.before(header.instructions[len(phis)])
        steps: dict[Phi, Value] = {}
        for phi in phis:
            if phi in jam.chains:
                following = phi.value_from(latch)
                for earlier, side in pairwise(sides):
                    side[phi] = earlier.get(following, following)
                continue
            *within, steps[phi] = (
                stepped(b, self.inductions[phi], self.started[phi], ConstInt(I64, count))
                for count in range(1, jam.width + 1)
            )
            for side, value in zip(sides[1:], within, strict=True):
                side[phi] = value
        end = self.blocks[latch]
        for phi in phis:
            following = steps.get(phi) or self._finally(phi.value_from(latch))
            self.started[phi].add_incoming(following, end)

    def _end(self, whole: Value, done: Block) -> None:
        loop = self.jam.loop
        end = self.blocks[latch_of(loop)]
        after = self.started[self.jam.facts.counters[loop]].value_from(end)
        b = Builder(end)
        b.cond_br(b.icmp("slt", after, whole), self.blocks[loop.header], done)

    # Checks -----------------------------------------------------------------------------------------

    def _branch(self, block: Block, made: Block) -> None:
        """End the copy of a block: all iterations go on together, or run again one by one."""
        b = Builder(made)
        condition = condition_of(block)
        if condition is None:
            (further,) = block.successors()
            b.br(self.blocks[further])
            return
        targets = list(block.successors())
        if all(t in self.blocks for t in targets):
            then, other = targets
            b.cond_br(
                self.sides[0].get(condition, condition), self.blocks[then], self.blocks[other]
            )
            return
        fails = targets[0] not in self.blocks
        joined: Value = ConstInt(I1, not fails)
        for each in dict.fromkeys(side.get(condition, condition) for side in self.sides):
            joined = b.or_(joined, each) if fails else b.and_(joined, each)
        if not self.again:
            self._write_again()
        for phi, entry in self.again.items():
            entry.add_incoming(self.started[phi], made)
        again = next(iter(self.again.values())).parent
        assert again is not None
        further = targets[1 if fails else 0]
        b.cond_br(
            joined, *((again, self.blocks[further]) if fails else (self.blocks[further], again))
        )

    def _write_again(self) -> None:
        """The loop once more, from which control comes to an error."""
        loop, cold = self.jam.loop, self.jam.facts.cold
        entered = self.entered
        copies = {b: self.function.append_block(f"{b.name}.again") for b in loop.blocks}
        mapping = fill_copies(copies)
        latch = latch_of(loop)
        failing = [(b, t) for b, t in loop.exit_edges if t in cold]
        for block, target in failing:
            for phi in target.phis():
                phi.add_incoming(phi.value_from(block), copies[block])
        for phi in loop.header.phis():
            copy = mapping[phi]
            assert isinstance(copy, Phi)
            copy.remove_incoming(entered)
            self.again[phi] = copy
        # One of these iterations fails, so the loop does not come to its end.
        ((end, over),) = ((b, t) for b, t in loop.exit_edges if b is latch)
        block, target = failing[0]
        redirect(copies[end], over, target)
        for phi in target.phis():
            phi.add_incoming(phi.value_from(block), copies[end])


def _steps(b: Builder, induction: Induction, number: Value) -> Value:
    """The steps of so many iterations."""
    step = induction.step
    assert isinstance(step.type, IntType)
    if isinstance(number, ConstInt):
        number = ConstInt(step.type, number.value)
    elif step.type is not I64:
        number = b.cast("trunc" if step.type.bits < I64.bits else "sext", number, step.type)
    return b.imul(number, step)


def stepped(b: Builder, induction: Induction, start: Value, number: Value) -> Value:
    """So many iterations further; no step of the program's own wraps around, so these do not either."""
    update, steps = induction.update, _steps(b, induction, number)
    if isinstance(update, Gep):
        assert update.source_type is not None
        return b.gep(update.source_type, start, [steps])
    plain = b.isub if induction.negative else b.iadd
    small = isinstance(induction.step, ConstInt) and abs(induction.step.value) < _SMALL
    return plain(start, steps, "", update.flags if small and update.type is I64 else ())
