"""The smallest of many candidates is computed once more, for the candidate that won.

A loop that looks for the nearest of many points carries the smallest distance so far: ``m = select(c < m, c, m)``.
All candidates but one have no adjoint, yet the reverse pass would visit them all, and remember of each whether it was
chosen.  So the loop only finds out which round won: it carries the counters of that round along, by the choices that
m is made by.  Behind the loop stands one round more, for these counters, which computes the candidate; its derivative
is that of the result.  The loop itself computes nothing that has a derivative any more.

What a round computes must not depend on m, on other floats that the loop carries, or on memory that it writes.
The number itself is that of the loop (`derivatives.stated`): the round more is there for the derivative, and what
that does not need is not computed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from enzyme.engine.analysis.known_functions import effects_of
from enzyme.engine.analysis.loops import Loop, LoopForest
from enzyme.engine.derivatives.stated import takes_number_only, with_derivative_of
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.clone import fill_copies
from enzyme.engine.ir.edit import split_block
from enzyme.engine.ir.instructions import Call, Instruction, Phi
from enzyme.engine.ir.module import Block, Function
from enzyme.engine.ir.simplify import has_side_effects, is_debug_record, remove_dead
from enzyme.engine.ir.types import I1, VOID, FloatType, IntType
from enzyme.engine.ir.values import ConstInt, Value, poison_of
from enzyme.engine.preprocess.canonical_loops import latch_of, preheader_of

# A round of more instructions is not written twice.
_MOST = 300


def may_search(forest: LoopForest) -> bool:
    """Does any loop carry a float?"""
    return any(
        isinstance(phi.type, FloatType) for loop in forest.loops for phi in loop.header.phis()
    )


def find_winners(
    function: Function, forest: LoopForest, cold: set[Block], moved: dict[Block, Block]
) -> bool:
    """Rewrite one loop of canonical form, an inner one before those around it; was there any?

    The end of a block may stand in another one then: `moved` is told which.
    """
    for loop in sorted(forest.loops, key=lambda loop: -loop.depth):
        if loop.header not in cold and _Search(function, forest, cold, loop, moved).rewrite():
            remove_dead(function)
            return True
    return False


@dataclass(frozen=True, slots=True)
class _Carried:
    """A float that the loop carries. `shapes`: how the choices lead from it to each value that is made of it."""

    phi: Phi
    candidate: Instruction
    shapes: dict[Value, object]


class _Unfit(Exception):
    """It is no choice between the carried number and one candidate."""


class _Search:
    """One loop, and what it looks for."""

    def __init__(
        self,
        function: Function,
        forest: LoopForest,
        cold: set[Block],
        loop: Loop,
        moved: dict[Block, Block],
    ) -> None:
        self.moved = moved
        self.function = function
        self.forest = forest
        self.cold = cold
        self.loop = loop
        self.latch, self.preheader = latch_of(loop), preheader_of(loop)
        self.plain: set[Value] = set()  # not made of the carried number that is looked at

    def rewrite(self) -> bool:
        """Write the round of the winner behind the loop; False if there is nothing to be found."""
        loop = self.loop
        exits = {x for _, x in loop.exit_edges if x not in self.cold}
        floats = [p for p in loop.header.phis() if isinstance(p.type, FloatType)]
        if len(exits) != 1 or not floats or any(map(_has_effects, loop.blocks)):
            return False
        (left,) = exits
        groups: dict[object, list[tuple[_Carried, Phi]]] = {}
        for phi in floats:
            carried = self._carried(phi)
            if carried is None:
                continue
            for result in self._results(carried, left):
                shape = tuple((carried.shapes[v], b) for v, b in result.incoming)
                groups.setdefault(shape, []).append((carried, result))
        return any([self._write(group, left) for group in groups.values()])

    def _carried(self, phi: Phi) -> _Carried | None:
        shapes: dict[Value, object] = {phi: "carried"}
        self.plain = set()
        candidates: set[Value] = set()
        try:
            self._shape(phi.value_from(self.latch), shapes, candidates)
        except _Unfit:
            return None
        if len(candidates) != 1 or len(shapes) < 2:
            return None
        (candidate,) = candidates
        if not isinstance(candidate, Instruction) or candidate.parent not in self.loop:
            return None
        if candidate.parent is self.loop.header and isinstance(candidate, Phi):
            return None
        inside = (u for v in shapes for u in v.users if u.parent in self.loop)
        if any(u not in shapes and u.opcode != "fcmp" for u in inside):
            return None
        return _Carried(phi, candidate, shapes)

    def _shape(
        self, value: Value, shapes: dict[Value, object], candidates: set[Value]
    ) -> object | None:
        """How a value is made of the carried one; None for a candidate."""
        if value in shapes:
            return shapes[value]
        if value in self.plain:
            candidates.add(value)
            return None
        arms: Sequence[tuple[Value, object]] = ()
        if isinstance(value, Instruction) and value.parent in self.loop:
            if value.opcode == "select" and value.operands[0].type is I1:
                arms = list(zip(value.operands[1:], (True, False), strict=True))
            elif isinstance(value, Phi) and value.parent is not self.loop.header:
                assert value.parent is not None
                around = self.forest.loop_of(value.parent)
                if around is not None and around.header is value.parent:
                    raise _Unfit  # an inner loop carries it
                arms = value.incoming
        leaves: set[Value] = set()
        found = [(self._shape(arm, shapes, leaves), way) for arm, way in arms]
        if all(shape is None for shape, _ in found):
            self.plain.add(value)
            candidates.add(value)
            return None
        assert isinstance(value, Instruction)
        candidates |= leaves
        decides = value.parent if isinstance(value, Phi) else value.operands[0]
        shapes[value] = (decides, *found)
        return shapes[value]

    def _results(self, carried: _Carried, left: Block) -> list[Phi]:
        """The phis in which the number leaves the loop, but for those whose derivative nobody takes."""
        for value in carried.shapes:
            outside = [u for u in value.users if u.parent not in self.loop]
            outside = [u for u in outside if not (isinstance(u, Phi) and u.parent is left)]
            if any(_takes_derivative(u, value) for u in outside):
                edges = [(value, b) for b, x in self.loop.exit_edges if x is left]
                closed = Phi(value.type, edges, f"{value.name}.left" if value.name else "")
                left.insert(0, closed)
                for user in outside:
                    if _takes_derivative(user, value):
                        user.replace_operand(value, closed)
        return [
            phi
            for phi in left.phis()
            if all(v in carried.shapes for v in phi.operands)
            and any(_takes_derivative(u, phi) for u in phi.users)
        ]

    # The round of the winner -----------------------------------------------------------------------

    def _write(self, group: list[tuple[_Carried, Phi]], left: Block) -> bool:
        """Write it for numbers that are chosen together; False if that cannot be."""
        candidates = [carried.candidate for carried, _ in group]
        blocks = {c.parent for c in candidates}
        region = self._region(next(b for b in self.loop.blocks[::-1] if b in blocks))
        if region is None:
            return False
        counters = self._counters(candidates, region)
        if counters is None:
            return False
        copies = {b: Block(f"{b.name}.winner") for b in region}
        mapping = fill_copies(copies)
        self._straighten(copies)
        carried, result = group[0]
        for phi in self.loop.header.phis():
            copy = _instruction(mapping[phi])
            held: Value = poison_of(phi.type)
            if phi in counters:
                start = phi.value_from(self.preheader)
                held = self._along(carried, phi, start, result, f"{phi.name}.won")
            copy.replace_uses_with(held)
            copy.erase()
        end = copies[region[-1]]
        last = [_instruction(mapping[c]) for c in candidates if c.parent is region[-1]]
        ends = max(map(end.index_of, last))
        for instruction in reversed(end.instructions[max(ends + 1, end.first_non_phi()) :]):
            instruction.erase()
        won = self._along(carried, ConstInt(I1, 1), ConstInt(I1, 0), result, "won")
        join = split_block(left, left.first_non_phi(), f"{left.name}.found")
        self.moved.setdefault(left, join)  # of several, the first one has the end
        left.terminator.erase()
        left.append(Instruction("br", VOID, (won, copies[region[0]], join)))
        end.append(Instruction("br", VOID, (join,)))
        place = self.function.index_of(join)
        self.function.blocks[place:place] = copies.values()
        for copy_of_block in copies.values():
            copy_of_block.parent = self.function
        b = Builder()
        for carried, result in group:
            start = carried.phi.value_from(self.preheader)
            computed = mapping[carried.candidate]
            found = Phi(result.type, [(computed, end), (start, left)], f"{result.name}.found")
            join.insert(0, found)
            users = [u for u in result.users if u is not found and _takes_derivative(u, result)]
            b.before(join.instructions[join.first_non_phi()])
            number = with_derivative_of(b, result, found)
            for user in users:
                user.replace_operand(result, number)
        return True

    def _region(self, last: Block) -> list[Block] | None:
        """The blocks on the ways of one round to `last`, in order; None if an inner loop has that."""
        if self.forest.loop_of(last) is not self.loop:
            return None
        inside, pending = {last}, [last]
        while pending:
            block = pending.pop()
            if block is self.loop.header:
                continue
            for before in self.forest.cfg.predecessors(block):
                if before not in inside:
                    inside.add(before)
                    pending.append(before)
        region = [b for b in self.loop.blocks if b in inside and b is not last] + [last]
        fits = sum(len(b.instructions) for b in region) <= _MOST
        plain = all(b.terminator.opcode == "br" for b in region)
        return region if fits and plain and region[0] is self.loop.header else None

    def _counters(self, candidates: Iterable[Instruction], region: list[Block]) -> list[Phi] | None:
        """What the loop carries that decides what a round computes; None if that is not integers alone."""
        inside = set(region)
        pending: list[Value] = list(candidates)
        for block in region:
            if len(inside.intersection(block.successors()) - {self.loop.header}) > 1:
                pending.append(block.terminator.operands[0])
        seen: set[Value] = set()
        found: list[Phi] = []
        while pending:
            value = pending.pop()
            if value in seen or not isinstance(value, Instruction) or value.parent not in self.loop:
                continue
            seen.add(value)
            if value.parent not in inside:
                return None
            if not isinstance(value, Phi) or value.parent is not self.loop.header:
                pending += value.operands
            elif isinstance(value.type, IntType):
                found.append(value)
            else:
                return None
        return found

    def _along(self, carried: _Carried, new: Value, start: Value, result: Phi, name: str) -> Value:
        """Carry along a value: `new` where the candidate is taken, what it was where the carried number stays."""
        made: dict[Value, Value] = {}
        held = made[carried.phi] = Phi(new.type, (), name)
        self.loop.header.insert(0, held)

        def beside(value: Value) -> Value:
            if value not in carried.shapes:
                return new
            if value in made:
                return made[value]
            assert isinstance(value, Instruction) and value.parent is not None
            made_here: Instruction
            if isinstance(value, Phi):
                made_here = Phi(new.type, [(beside(v), b) for v, b in value.incoming])
            else:
                arms = [beside(v) for v in value.operands[1:]]
                made_here = Instruction("select", new.type, (value.operands[0], *arms))
            value.parent.insert_before(made_here, value)
            made[value] = made_here
            return made_here

        held.add_incoming(start, self.preheader)
        held.add_incoming(beside(carried.phi.value_from(self.latch)), self.latch)
        out = Phi(new.type, [(beside(v), b) for v, b in result.incoming])
        assert result.parent is not None
        result.parent.insert(0, out)
        return out

    def _straighten(self, copies: dict[Block, Block]) -> None:
        """The round of the winner comes to its end: no way leads out of it, or into another round."""
        inside = set(copies.values()) - {copies[self.loop.header]}
        for copy in copies.values():
            ways = [b for b in copy.successors() if b in inside]
            if len(ways) == 1 and len(copy.successors()) > 1:
                copy.terminator.erase()
                copy.append(Instruction("br", VOID, (ways[0],)))


def _takes_derivative(user: Instruction, value: Value) -> bool:
    """Does it more with a number than to compare it, or to say it?"""
    return not (user.opcode == "fcmp" or is_debug_record(user) or takes_number_only(user, value))


def _has_effects(block: Block) -> bool:
    """Does it do anything but compute and jump?"""
    return block.terminator.opcode not in ("br", "switch") or any(
        has_side_effects(i) and not is_debug_record(i) and not _computes(i)
        for i in block.instructions[:-1]
    )


def _computes(i: Instruction) -> bool:
    """A call that gives the same again and changes nothing."""
    if not isinstance(i, Call):
        return False
    row = effects_of(i)
    return row.reexecutable and not (row.writes or row.writes_other or row.returns)


def _instruction(value: Value) -> Instruction:
    assert isinstance(value, Instruction)
    return value
