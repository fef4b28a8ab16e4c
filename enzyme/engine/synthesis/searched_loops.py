"""Loops that look for the largest of many numbers: ``m = v if v > m else m``, and what is chosen along with it.

Such a loop has one block, or three where what is chosen is computed beside the way; it counts, and does nothing else
that can be seen. `vector_searches` puts vectors in front of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from enzyme.engine.derivatives.catalogue import INTRINSIC, is_cheap
from enzyme.engine.ir.instructions import Call, Cmp, Gep, Instruction, Load, Phi
from enzyme.engine.ir.module import Block
from enzyme.engine.ir.opcodes import BINARY_FLOAT, BINARY_INT, CASTS
from enzyme.engine.ir.simplify import is_debug_record
from enzyme.engine.ir.types import I64, FloatType, IntType
from enzyme.engine.ir.values import ConstInt, Value

_MOST_INSTRUCTIONS = 40
_MOST_ADDRESSES = 4
_MOST_GROUPS = 3
_PURE = (
    (BINARY_FLOAT | BINARY_INT | CASTS | {"icmp", "fcmp", "select", "fneg", "getelementptr"})
    - frozenset("udiv sdiv urem srem".split())
    - frozenset("inttoptr ptrtoint addrspacecast bitcast".split())
)
BETTER = {"ogt": "ogt", "oge": "ogt", "olt": "olt", "ole": "olt"}
_OTHER_WAY = {"ogt": "olt", "oge": "ole", "olt": "ogt", "ole": "oge"}


@dataclass(slots=True)
class Group:
    """A number that is carried, what it is compared with, how, and what is chosen with it: phis and new values."""

    best: Phi
    candidate: Value
    predicate: str
    along: list[tuple[Phi, Value]] = field(default_factory=list)


class _Unfit(Exception):
    """The loop does something else besides."""


class Search:
    """One loop, of one block, or of three where what is chosen is computed beside the way: from the first one control
    goes to the last one, which goes on or ends, by way of the second one or at once."""

    def __init__(self, blocks: tuple[Block, ...], before: Block) -> None:
        self.blocks = blocks
        self.header, self.latch = blocks[0], blocks[-1]
        self.before = before
        # How far each integer goes in one iteration.
        self.steps: dict[Phi, Value] = {}
        self.groups: list[Group] = []

    @classmethod
    def of(cls, header: Block) -> Search | None:
        """The search that a loop is, if it is one and does nothing else."""
        blocks = _loop_at(header)
        outside = [b for b in header.phis()[0].blocks if blocks is None or b is not blocks[-1]]
        if blocks is None or len(outside) != 1 or len(header.phis()[0].blocks) != 2:
            return None
        search = cls(blocks, outside[0])
        try:
            search._look()
        except _Unfit:
            return None
        return search

    def _look(self) -> None:
        plain = [i for b in self.blocks for i in _computed(b)]
        if len(plain) > _MOST_INSTRUCTIONS or not all(map(_is_pure, plain)):
            raise _Unfit
        others: list[Phi] = []
        for phi in self.header.phis():
            step = self._step(phi)
            if step is None:
                others.append(phi)
            else:
                self.steps[phi] = step
        self.end, self.start = self._counted()
        chosen = {phi: self._choice(phi) for phi in others}
        groups: dict[Value, Group] = {}
        for phi, (test, new) in chosen.items():
            predicate = _compares(test, new, phi)
            if predicate is not None:
                if test in groups:
                    raise _Unfit
                groups[test] = Group(phi, new, predicate)
        for phi, (test, new) in chosen.items():
            group = groups.get(test)
            if group is None:
                raise _Unfit
            if phi is not group.best:
                group.along.append((phi, new))
        self.groups = list(groups.values())
        if not 0 < len(self.groups) <= _MOST_GROUPS:
            raise _Unfit
        addresses = 0
        for group in self.groups:
            for value in (group.candidate, *(new for _, new in group.along)):
                self.slice(value)
            for i in self.slice(group.candidate):
                if i.parent is not self.header:
                    raise _Unfit
                if isinstance(i, Load) and not self.is_next_to(i):
                    addresses += 1
        if addresses > _MOST_ADDRESSES:
            raise _Unfit

    def slice(self, value: Value) -> list[Instruction]:
        """What a value is computed from in an iteration, in order; that may be no number that is searched for."""
        inside: dict[Value, None] = {}
        pending = [value]
        while pending:
            value = pending.pop()
            if not self._varies(value):
                continue
            assert isinstance(value, Instruction)
            if isinstance(value, Phi):
                if value not in self.steps:
                    raise _Unfit
            elif value not in inside:
                inside[value] = None
                pending += value.arguments if isinstance(value, Call) else value.operands
        return [i for block in self.blocks for i in block.instructions if i in inside]

    def is_next_to(self, load: Load) -> bool:
        """Does each iteration load what is next to what the one before has loaded?"""
        pointer = load.pointer
        if not isinstance(pointer, Gep) or pointer.source_type is not load.type:
            return False
        base, *indices = pointer.operands
        if self._varies(base) or len(indices) != 1:
            return False
        (index,) = indices
        if isinstance(index, Instruction) and index.opcode == "add" and self._varies(index):
            moving = [o for o in index.operands if self._varies(o)]
            if len(moving) != 1:
                return False
            (index,) = moving
        step = self.steps.get(index) if isinstance(index, Phi) else None
        return index.type is I64 and isinstance(step, ConstInt) and step.value == 1

    def _varies(self, value: Value) -> bool:
        return isinstance(value, Instruction) and value.parent in self.blocks

    def _counted(self) -> tuple[Value, Value]:
        """Two numbers that the iterations are the difference of, or one and there is one iteration alone."""
        test, *ways = self.latch.terminator.operands
        if not isinstance(test, Cmp) or test.opcode != "icmp":
            raise _Unfit
        goes_on = ways[0] is self.header
        for phi, step in self.steps.items():
            if phi.type is not I64 or not isinstance(step, ConstInt) or abs(step.value) != 1:
                continue
            start, after = phi.value_from(self.before), phi.value_from(self.latch)
            if test.predicate == ("ne" if goes_on else "eq"):
                ends = [o for o in test.operands if o is not after]
                if len(ends) == 1 and not self._varies(ends[0]):
                    return (ends[0], start) if step.value == 1 else (start, ends[0])
            elif step.value == -1 and test.operands[0] is phi:
                # Numba counts down to one where a range has a step.
                last = _lowest(test, goes_on)
                if last is not None:
                    return start, ConstInt(I64, last - 1)
        raise _Unfit

    def _step(self, phi: Phi) -> Value | None:
        """How far an integer goes in each iteration."""
        after = phi.value_from(self.latch)
        if not isinstance(phi.type, IntType) or phi.type.bits > 64:
            return None
        if not isinstance(after, Instruction) or after.opcode != "add" or not self._varies(after):
            return None
        steps = [o for o in after.operands if o is not phi]
        return steps[0] if len(steps) == 1 and not self._varies(steps[0]) else None

    def _choice(self, phi: Phi) -> tuple[Value, Value]:
        """By what a number is replaced, and what by."""
        after = phi.value_from(self.latch)
        if not isinstance(after, Instruction) or not self._varies(after):
            raise _Unfit
        if after.opcode == "select":
            test, new, old = after.operands
        elif isinstance(after, Phi) and after.parent is self.latch and len(self.blocks) == 3:
            test, taken, _ = self.header.terminator.operands
            new, old = after.value_from(self.blocks[1]), after.value_from(self.header)
            if taken is not self.blocks[1]:
                raise _Unfit
        else:
            raise _Unfit
        users = [u for u in phi.users if u is not after and not is_debug_record(u)]
        if old is not phi or new is phi or any(u is not test for u in users):
            raise _Unfit
        return test, new


def _loop_at(header: Block) -> tuple[Block, ...] | None:
    """The blocks of a loop that begins with this one, in order."""
    if header.terminator.opcode != "br" or len(header.successors()) != 2:
        return None
    if header in header.successors():
        return (header,)
    function = header.parent
    assert function is not None
    for beside, latch in (header.successors(), header.successors()[::-1]):
        if beside is header or latch is header or beside.successors() != [latch]:
            continue
        goes_on = latch.terminator.opcode == "br" and len(latch.successors()) == 2
        comes_from = {b for phi in latch.phis() for b in phi.blocks}
        if goes_on and header in latch.successors() and comes_from == {header, beside}:
            entered = [b for b in function.blocks if beside in b.successors()]
            return (header, beside, latch) if entered == [header] else None
    return None


def _computed(block: Block) -> list[Instruction]:
    """What a block does, but for where it goes."""
    inside = block.instructions[block.first_non_phi() : -1]
    return [i for i in inside if not is_debug_record(i)]


def _is_float(phi: Phi) -> bool:
    return isinstance(phi.type, FloatType)


def _is_pure(i: Instruction) -> bool:
    if isinstance(i, Load):
        return not i.flags and not i.suffix and isinstance(i.type, (FloatType, IntType))
    if isinstance(i, Call):
        alike = all(a.type is i.type for a in i.arguments) and isinstance(i.type, FloatType)
        return alike and i.callee_name.startswith(INTRINSIC) and is_cheap(i.callee_name)
    scalar = isinstance(i.type, (FloatType, IntType)) or i.opcode == "getelementptr"
    return scalar and i.opcode in _PURE


def _lowest(test: Cmp, goes_on: bool) -> int | None:
    """The number that one that is counted down is in the last iteration."""
    limit = test.operands[1]
    if not isinstance(limit, ConstInt) or abs(limit.value) > 1 << 62:
        return None
    ways = {("sgt", True): 0, ("sge", True): -1, ("slt", False): -1, ("sle", False): 0}
    found = ways.get((test.signed_predicate, goes_on))
    return None if found is None else limit.value + found


def _compares(test: Value, new: Value, phi: Phi) -> str | None:
    """How a comparison compares a new number with an old one, if it does."""
    if not isinstance(test, Cmp) or test.opcode != "fcmp" or test.predicate not in BETTER:
        return None
    left, right = test.operands
    if left is new and right is phi:
        return test.predicate
    return _OTHER_WAY[test.predicate] if left is phi and right is new else None


__all__ = ["BETTER", "Group", "Search"]
