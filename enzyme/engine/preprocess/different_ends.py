"""The first or the last iteration of a loop, where it takes its neighbours from elsewhere, runs apart from the others.

On a ring the neighbour of the last cell is the first one: ``right = j + 1 if j < n - 1 else 0``. Such a choice in an
index keeps a loop from being one over neighbours, and so from running several iterations at once, in the program as in
the derivative. Without the iteration that chooses otherwise nothing is left to choose. LLVM does so for the first
iteration where it sees it, and numba's negative index of a cell before the first one is of that kind.

Conditions: an innermost loop that ends in one way, but for errors, and a comparison of its counter that comes out in
one way in all iterations but the first, or but the last. A loop that an error may end must be known to have a last
iteration: one that counts until ``i == n`` from beyond `n` has none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from enzyme.engine.analysis.inductions import find_inductions
from enzyme.engine.analysis.integer_sums import Sum, constant, follows, minus, plus, scaled, unknown
from enzyme.engine.analysis.loop_indices import LoopFacts, LoopIndices
from enzyme.engine.analysis.loops import Loop
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.clone import fill_copies
from enzyme.engine.ir.edit import split_block
from enzyme.engine.ir.instructions import Cmp, Instruction, Phi
from enzyme.engine.ir.module import Block, Function
from enzyme.engine.ir.simplify import remove_dead
from enzyme.engine.ir.types import I64
from enzyme.engine.ir.values import ConstInt, Value
from enzyme.engine.preprocess.canonical_loops import latch_of, preheader_of
from enzyme.engine.preprocess.closed_loops import close, users_behind
from enzyme.engine.preprocess.jammed_bodies import stepped
from enzyme.engine.preprocess.plain_indices import certain_indices, is_address

_LONGEST = 200  # instructions of a loop
_MOST_TESTS = 16


@dataclass(frozen=True, slots=True)
class _Split:
    """The `last` iteration, or the first, in which the `tests` come out otherwise than the way that is given here."""

    loop: Loop
    last: bool
    tests: Mapping[Cmp, bool]


def run_ends_apart(function: Function, facts: LoopFacts) -> bool:
    """Split one loop, if there is one to be split; loops are described anew then."""
    indices = certain_indices(facts)
    for loop in facts.forest.loops:
        split = _find(loop, facts, indices)
        if split is not None:
            _Writer(split, facts).write()
            remove_dead(function)
            return True
    return False


def may_have_ends(facts: LoopFacts) -> bool:
    """Is there an innermost loop with a choice between indices?"""
    return any(
        facts.trips.get(loop) is not None
        and any(i.opcode == "select" and i.type is I64 for b in loop.blocks for i in b.instructions)
        for loop in facts.forest.loops
        if not loop.children
    )


def _find(loop: Loop, facts: LoopFacts, indices: LoopIndices) -> _Split | None:
    count = facts.trips.get(loop)
    if loop.children or loop.header in facts.cold or count is None or loop.preheader is None:
        return None
    latch = latch_of(loop)
    hot = [(b, t) for b, t in loop.exit_edges if t not in facts.cold]
    if [b for b, _ in hot] != [latch] or len(latch.successors()) != 2:
        return None
    instructions = [i for block in loop.blocks for i in block.instructions]
    if len(instructions) > _LONGEST:
        return None
    # Errors use what the loop computes where the loop is left, if at all.
    behind = (b for i in instructions for _, b in users_behind(loop, i))
    if not all(facts.dominators.dominates(hot[0][1], b) for b in behind):
        return None
    last = indices.of(count, loop.preheader)
    known = [*indices.facts(loop.preheader), *indices.bounds_in([last])]
    if len(loop.exit_edges) > 1 and not follows(last, known):
        return None
    found: dict[bool, dict[Cmp, bool]] = {True: {}, False: {}}
    tests = [
        i
        for i in instructions
        if isinstance(i, Cmp) and i.opcode == "icmp" and i.operands[0].type is I64
    ]
    for test in tests[:_MOST_TESTS]:
        if any(_chooses_index(user, test) for user in test.users):
            at_end = _differs(test, loop, last, indices)
            if at_end is not None:
                found[at_end[0]][test] = at_end[1]
    for is_last in (True, False):
        if found[is_last]:
            return _Split(loop, is_last, found[is_last])
    return None


def _chooses_index(user: Instruction, test: Value) -> bool:
    chooses = user.opcode == "select" and user.type is I64 and user.operands[0] is test
    return chooses and is_address(user)


def _differs(test: Cmp, loop: Loop, last: Sum, indices: LoopIndices) -> tuple[bool, bool] | None:
    """Is it in the last iteration that a comparison comes out otherwise, or in the first, and how does it in all
    others?"""
    block = test.parent
    assert block is not None
    difference = minus(*(indices.of(v, block) for v in test.operands))
    counter = unknown(indices.counter(loop))
    ((product, _),) = counter.items()
    sign = difference.get(product, 0)
    rest = plus(difference, counter, -sign)
    if abs(sign) != 1 or not indices.are_known_before(rest, loop):
        return None
    # Where the two sides are equal.
    even = scaled(rest, -sign)
    if test.predicate in ("eq", "ne"):
        holds = test.predicate == "ne"
        return (even == last, holds) if even in ({}, last) and last else None
    if test.predicate not in ("slt", "sle", "sgt", "sge"):
        return None
    # From which iteration on it comes out otherwise.
    less = (test.predicate[1] == "l") is (sign > 0)
    inclusive = (test.predicate[2] == "e") is less
    begin = plus(even, constant(1)) if inclusive else even
    if not minus(begin, last):
        return True, less
    if not minus(begin, constant(1)):
        return False, not less
    return None


class _Writer:
    """Writes the one iteration as a copy of the loop's blocks, in front of the loop or behind it."""

    def __init__(self, split: _Split, facts: LoopFacts) -> None:
        self.split = split
        self.loop = split.loop
        self.counter = facts.counters[split.loop]
        count = facts.trips[split.loop]
        assert count is not None
        self.count = count
        self.latch, self.before = latch_of(split.loop), preheader_of(split.loop)
        ((_, self.target),) = ((b, t) for b, t in split.loop.exit_edges if b is self.latch)
        self.copies: dict[Block, Block] = {}

    def write(self) -> None:
        close(self.loop, self.latch, self.target)
        header = self.loop.header
        function = header.parent
        assert function is not None
        after = self.latch if self.split.last else self.before
        entered = split_block(
            self.before, len(self.before.instructions) - 1, f"{header.name}.others"
        )
        for block in self.loop.blocks:
            name = f"{block.name}.{'last' if self.split.last else 'first'}"
            after = self.copies[block] = function.append_block(name, after=after)
        inductions = find_inductions(self.loop, self.latch, entered)
        self.before.terminator.erase()
        b = Builder(self.before)
        starts = {phi: phi.value_from(entered) for phi in header.phis()}
        known: dict[Phi, Value] = dict(starts)
        if self.split.last:
            known = {
                phi: stepped(b, inductions[phi], start, self.count)
                for phi, start in starts.items()
                if phi in inductions
            }
        mapping = fill_copies(self.copies)
        first = self.copies[header]
        for phi in header.phis():
            copy = mapping[phi]
            assert isinstance(copy, Phi)
            copy.remove_incoming(entered)
            copy.remove_incoming(self.copies[self.latch])
            if phi in known:
                copy.replace_uses_with(known[phi])
                copy.erase()
                mapping[phi] = known[phi]
        more = b.icmp("sgt", self.count, ConstInt(I64, 0))
        if self.split.last:
            self._write_last(b, more, entered, starts, known, mapping)
        else:
            b.br(first)
            self._write_first(more, entered, mapping)
        for block, target in self.loop.exit_edges:
            if block is not self.latch:
                for phi in target.phis():
                    value = phi.value_from(block)
                    phi.add_incoming(mapping.get(value, value), self.copies[block])
        for test, holds in self.split.tests.items():
            _settle(test, holds)
            copy = mapping[test]
            assert isinstance(copy, Instruction)
            _settle(copy, not holds)

    def _write_last(
        self,
        b: Builder,
        more: Value,
        entered: Block,
        starts: Mapping[Phi, Value],
        known: Mapping[Phi, Value],
        mapping: Mapping[Value, Value],
    ) -> None:
        header, latch, target = self.loop.header, self.latch, self.target
        first, end = self.copies[header], self.copies[latch]
        b.cond_br(more, entered, first)
        for phi, start in starts.items():
            if phi not in known:
                copy = mapping[phi]
                assert isinstance(copy, Phi)
                copy.add_incoming(start, self.before)
                copy.add_incoming(phi.value_from(latch), latch)
        end.terminator.erase()
        Builder(end).br(target)
        for phi in target.phis():
            value = phi.value_from(latch)
            phi.remove_incoming(latch)
            phi.add_incoming(mapping.get(value, value), end)
        latch.terminator.erase()
        b = Builder(latch)
        again = b.icmp("ne", self.counter.value_from(latch), self.count)
        b.cond_br(again, header, first)

    def _write_first(self, more: Value, entered: Block, mapping: Mapping[Value, Value]) -> None:
        latch, target = self.latch, self.target
        end = self.copies[latch]
        end.terminator.erase()
        Builder(end).cond_br(more, entered, target)
        for phi in self.loop.header.phis():
            value = phi.value_from(latch)
            phi.set_operand(phi.blocks.index(entered), mapping.get(value, value))
        for phi in target.phis():
            value = phi.value_from(latch)
            phi.add_incoming(mapping.get(value, value), end)


def _settle(test: Instruction, holds: bool) -> None:
    """Let a comparison have come out in one way where indices are chosen."""
    for user in list(test.users):
        if _chooses_index(user, test):
            user.replace_uses_with(user.operands[1 if holds else 2])
            user.erase()


__all__ = ["may_have_ends", "run_ends_apart"]
