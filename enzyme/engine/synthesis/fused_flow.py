"""How control goes through fused loops (`fused`).

The forward pass goes past the loop, or through a copy that is left of it for its checks; what it would compute from the
loop's numbers is removed (`remove_uses`).  The reverse of the edge behind it enters the loop's own code, at its first
iteration; where an iteration ends its reverse begins, and where that ends the next iteration or, behind the last one,
the reverse of what is in front of the loop.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from enzyme.engine.analysis.loops import Loop
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.clone import fill_copies, substitute
from enzyme.engine.ir.edit import redirect
from enzyme.engine.ir.graph import reached
from enzyme.engine.ir.instructions import Instruction, Phi, Store
from enzyme.engine.ir.module import Block
from enzyme.engine.ir.values import Value, poison_of
from enzyme.engine.preprocess.canonical_loops import latch_of
from enzyme.engine.synthesis.fused import has_effect
from enzyme.engine.synthesis.late_sums import LateSum


@dataclass(eq=False)
class FusedFlow:
    """One loop: it is entered from the block `enter`, where its code finds what it needs from outside in `given`, and
    begins again from `again`; the reverse of an iteration begins at `reverse`. Of its sums those in `late` go on. Where
    the forward pass makes the checks, `checked` are the blocks that failures come to. Behind the loop, the forward pass
    is `without` some numbers."""

    loop: Loop
    end: Block
    counter: Phi
    counter_slot: Value
    reverse: Block
    enter: Block
    given: Mapping[Value, Value]
    checked: Collection[Block]
    late: Sequence[LateSum]
    again: Block = field(init=False)
    without: list[Phi] = field(init=False, default_factory=list)

    @property
    def goes_on(self) -> tuple[Value, bool]:
        """The condition at the end of an iteration, and what it is where another one follows."""
        condition, then, _ = latch_of(self.loop).terminator.operands
        return self.given.get(condition, condition), then is self.loop.header

    def connect(self, outside: Container[Block]) -> None:
        """Lead control through the loop; all is emitted, and loops inside are connected.

        Blocks `outside` are those that the forward pass fails in.
        """
        header = self.loop.header
        inside = self._iteration(outside)
        latch = next(b for b in inside if self.end in b.successors())
        # Not that of the loop: storage that grows has split it where it is the header of another loop.
        preheader = next(block for block in self.counter.blocks if block is not latch)
        left = self._leave_checks(inside, preheader) if self.checked else {}
        for late in self.late:
            late.go_on(self.loop, latch)
        moved = set(inside)
        for phi in self.end.phis():
            value = phi.value_from(latch)
            if isinstance(value, Instruction) and value.parent in moved:
                self.without.append(phi)
                value = poison_of(phi.type)
            phi.remove_incoming(latch)
            phi.add_incoming(value, left.get(latch, preheader))
        redirect(preheader, header, left.get(header, self.end))
        for phi in header.phis():
            first, following = phi.value_from(preheader), phi.value_from(latch)
            phi.remove_incoming(preheader, latch)
            phi.add_incoming(self.given.get(first, first), self.enter)
            phi.add_incoming(following, self.again)
        latch.terminator.erase()
        Builder(latch).br(self.reverse)
        header.insert(header.first_non_phi(), Store(self.counter, self.counter_slot))
        _sweep(inside)
        for block in inside:
            for i in block.instructions:
                for operand in list(i.operands):
                    if operand in self.given:
                        i.replace_operand(operand, self.given[operand])

    def _iteration(self, outside: Container[Block]) -> list[Block]:
        """The blocks of an iteration, some of which were made since the loop was found."""
        found = {self.loop.header: None}
        pending = [self.loop.header]
        while pending:
            for successor in pending.pop().successors():
                if (
                    successor is not self.end
                    and successor not in outside
                    and successor not in found
                ):
                    found[successor] = None
                    pending.append(successor)
        return list(found)

    def _leave_checks(self, inside: Sequence[Block], preheader: Block) -> dict[Block, Block]:
        """Leave a copy of the iteration that can fail, and nothing else, in the forward pass; the iteration itself
        cannot any more."""
        copies: dict[Block, Block] = {}
        after = preheader
        function = after.parent
        assert function is not None
        for block in inside:
            copies[block] = after = function.append_block(f"{block.name}.checks", after=after)
        mapping = fill_copies(copies)
        for block in self.checked:
            for i in block.instructions:
                substitute(i, mapping)
        for block in inside:
            going_on = [b for b in block.successors() if b not in self.checked]
            if len(going_on) < len(block.successors()):
                block.terminator.erase()
                Builder(block).br(going_on[0])
        _sweep(list(copies.values()))
        return copies


def remove_uses(values: Iterable[Instruction]) -> None:
    """Remove the values and all that is computed from them: nothing that has an effect needs it.

    LLVM would not remove all of it, and holds that control never comes to where a function of C is given poison.
    """
    found = reached(values, lambda i: i.users)
    for block in {i.parent: None for i in found}:
        if block is not None:
            block.instructions = [i for i in block.instructions if i not in found]
    for i in found:
        i.drop_operands()
        i.parent = None


def _sweep(blocks: list[Block]) -> None:
    """Remove what has no effect and is used by nothing that has: the sums, and what was computed for them alone."""
    inside = set(blocks)
    live: set[Instruction] = set()
    pending = []
    for block in blocks:
        for i in block.instructions:
            if i.is_terminator or has_effect(i) or any(u.parent not in inside for u in i.users):
                pending.append(i)
    while pending:
        i = pending.pop()
        if i not in live:
            live.add(i)
            pending.extend(o for o in i.operands if isinstance(o, Instruction))
    for block in blocks:
        dead = [i for i in block.instructions if i not in live]
        block.instructions = [i for i in block.instructions if i in live]
        for i in dead:
            i.drop_operands()
            i.parent = None
