"""A loop that looks for the largest of many numbers looks at sixteen at a time.

``m = v if v > m else m`` waits for the one before in every iteration, and with what is carried along, the place of the
largest, compilers make no vectors of it: the processor may not know in advance which of several equal ones it would be,
or what NaN does. Here each lane of a vector looks for its own largest and keeps in which iteration it found it; of the
lanes the one with the largest number wins, of equal ones the one that the loop would have come to. What else the loop
carries by that choice is computed once, for the iteration that won. The loop itself does the rest, one iteration at
least, so that all is left as it leaves it.

Numbers that compare with nothing are never chosen, and if the first one to compare with is none, nothing is: that is
so in each lane, too. All numbers are those of the loop, to the bit.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.clone import clone_instruction
from enzyme.engine.ir.edit import redirect
from enzyme.engine.ir.instructions import Call, Cmp, Gep, Instruction, Load, Phi
from enzyme.engine.ir.module import Block, Module
from enzyme.engine.ir.opcodes import BINARY_FLOAT, BINARY_INT, CASTS
from enzyme.engine.ir.simplify import is_debug_record
from enzyme.engine.ir.types import I32, I64, FloatType, IntType, vector_type
from enzyme.engine.ir.values import (
    ConstAggregate,
    Constant,
    ConstInt,
    ConstSplat,
    Value,
    poison_of,
)

_LANES = 16
# Shorter loops are over before it pays.
_SHORTEST = 3 * _LANES
_MOST_INSTRUCTIONS = 40
_MOST_ADDRESSES = 4
_MOST_GROUPS = 3
_PURE = (
    (BINARY_FLOAT | BINARY_INT | CASTS | {"icmp", "fcmp", "select", "fneg", "getelementptr"})
    - frozenset("udiv sdiv urem srem".split())
    - frozenset("inttoptr ptrtoint addrspacecast bitcast".split())
)
_FUNCTIONS = ("llvm.fabs.", "llvm.sqrt.")
_BETTER = {"ogt": "ogt", "oge": "ogt", "olt": "olt", "ole": "olt"}
_OTHER_WAY = {"ogt": "olt", "oge": "ole", "olt": "ogt", "ole": "oge"}


def search_in_vectors(module: Module) -> None:
    """Put vectors in front of such loops, in code of which no derivative will be taken any more."""
    for function in list(module.functions.values()):
        for block in list(function.blocks):
            search = _Search.of(block) if any(map(_is_float, block.phis())) else None
            if search is not None:
                search.write()


@dataclass(slots=True)
class _Group:
    """A number that is carried, what it is compared with, how, and what is chosen with it: phis and new values."""

    best: Phi
    candidate: Value
    predicate: str
    along: list[tuple[Phi, Value]] = field(default_factory=list)


class _Unfit(Exception):
    """The loop does something else besides."""


class _Search:
    """One loop, of one block, or of three where what is chosen is computed beside the way: from the first one control
    goes to the last one, which goes on or ends, by way of the second one or at once."""

    def __init__(self, blocks: tuple[Block, ...], before: Block) -> None:
        self.blocks = blocks
        self.header, self.latch = blocks[0], blocks[-1]
        self.before = before
        # How far each integer goes in one iteration.
        self.steps: dict[Phi, Value] = {}
        self.groups: list[_Group] = []

    @classmethod
    def of(cls, header: Block) -> _Search | None:
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
        groups: dict[Value, _Group] = {}
        for phi, (test, new) in chosen.items():
            predicate = _compares(test, new, phi)
            if predicate is not None:
                if test in groups:
                    raise _Unfit
                groups[test] = _Group(phi, new, predicate)
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
                self._slice(value)
            for i in self._slice(group.candidate):
                if i.parent is not self.header:
                    raise _Unfit
                if isinstance(i, Load) and not self._is_next_to(i):
                    addresses += 1
        if addresses > _MOST_ADDRESSES:
            raise _Unfit

    def _slice(self, value: Value) -> list[Instruction]:
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

    def _is_next_to(self, load: Load) -> bool:
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

    # Written --------------------------------------------------------------------------------------

    def write(self) -> None:
        header = self.header
        parts = ("long", "all", "lanes", "best")
        question, first, body, last = (self._block(part) for part in parts)
        redirect(self.before, header, question)
        b = Builder(question)
        count = b.isub(self.end, self.start)
        b.cond_br(b.icmp("sgt", count, ConstInt(I64, _SHORTEST)), first, header)
        b.at_end(first)
        # One iteration at least is left.
        ahead = b.and_(b.isub(count, ConstInt(I64, 1)), ConstInt(I64, -_LANES))
        lanes = _Lanes(self, Builder(first), Builder(body))
        found = lanes.write(ahead, first, body, last)
        b.at_end(first)
        b.br(body)
        b.at_end(last)
        results: dict[Phi, Value] = {phi: self.at(b, phi, ahead) for phi in self.steps}
        for group, (number, iteration) in zip(self.groups, found, strict=True):
            results[group.best] = number
            if group.along:
                # What is computed for the one that won may be there for no other.
                won, after = self._block("won"), self._block("after")
                b.cond_br(b.icmp("sgt", iteration, ConstInt(I64, -1)), won, after)
                b.at_end(won)
                memo: dict[Value, Value] = {}
                news = [self.scalar(b, new, iteration, memo) for _, new in group.along]
                b.br(after)
                for (phi, _), new in zip(group.along, news, strict=True):
                    old = phi.value_from(self.before)
                    results[phi] = after.append(Phi(phi.type, [(new, won), (old, last)]))
                last = after
                b.at_end(last)
        b.br(header)
        for phi, value in results.items():
            old = phi.value_from(self.before)
            phi.remove_incoming(self.before)
            phi.add_incoming(old, question)
            phi.add_incoming(value, last)

    def _block(self, part: str) -> Block:
        """A new block in front of the loop."""
        function = self.header.parent
        assert function is not None
        made = Block(f"{self.header.name}.{part}")
        made.parent = function
        function.blocks.insert(function.index_of(self.header), made)
        return made

    def at(self, b: Builder, phi: Phi, iteration: Value) -> Value:
        """An integer that is counted, in an iteration."""
        assert isinstance(phi.type, IntType)
        if phi.type.bits < 64:
            iteration = b.cast("trunc", iteration, phi.type)
        return b.iadd(phi.value_from(self.before), b.imul(iteration, self.steps[phi]))

    def scalar(self, b: Builder, value: Value, iteration: Value, memo: dict[Value, Value]) -> Value:
        """A value that the loop computes, as it does in an iteration."""
        for phi in self.steps:
            if phi not in memo:
                memo[phi] = self.at(b, phi, iteration)
        for i in self._slice(value):
            if i not in memo:
                memo[i] = b.add(clone_instruction(i, memo))
        return memo.get(value, value)


class _Lanes:
    """The loop in vectors: what is the same in all iterations stands in `first`."""

    def __init__(self, search: _Search, first: Builder, body: Builder) -> None:
        self.search = search
        self.first = first
        self.body = body
        self.numbers = ConstAggregate(
            vector_type(_LANES, I64), [ConstInt(I64, k) for k in range(_LANES)]
        )
        self.now: Value = self.numbers
        self.begin: Value = ConstInt(I64, 0)
        self.memo: dict[Value, Value] = {}
        self.splats: dict[Value, Value] = {}
        self.scalars: list[dict[Value, Value]] = [{} for _ in range(_LANES)]

    def write(
        self, ahead: Value, first: Block, body: Block, last: Block
    ) -> list[tuple[Value, Value]]:
        """The loop; of each search the largest of all lanes and in which iteration that was, or -1."""
        search, b = self.search, self.body
        places = vector_type(_LANES, I64)
        begin = b.add(Phi(I64, [(ConstInt(I64, 0), first)], "begin"))
        now = b.add(Phi(places, [(self.numbers, first)], "now"))
        assert isinstance(begin, Phi)
        assert isinstance(now, Phi)
        self.begin, self.now = begin, now
        nothing = ConstSplat(places, ConstInt(I64, -1))
        carried: list[tuple[Phi, Phi]] = []
        for group in search.groups:
            start = self.splat(group.best.value_from(search.before))
            best = Phi(start.type, [(start, first)], "best")
            where = Phi(places, [(nothing, first)], "where")
            b.add(best)
            b.add(where)
            carried.append((best, where))
        kept: list[tuple[Value, Value]] = []
        for group, (best, where) in zip(search.groups, carried, strict=True):
            candidate = self.widened(group.candidate)
            better = b.fcmp(group.predicate, candidate, best)
            kept.append((b.select(better, candidate, best), b.select(better, now, where)))
            for phi, value in zip((best, where), kept[-1], strict=True):
                phi.add_incoming(value, body)
        now.add_incoming(b.iadd(now, ConstSplat(places, ConstInt(I64, _LANES))), body)
        after = b.iadd(begin, ConstInt(I64, _LANES))
        begin.add_incoming(after, body)
        b.cond_br(b.icmp("eq", after, ahead), last, body)
        end = Builder(last)
        return [
            _best(end, group.predicate, *values)
            for group, values in zip(search.groups, kept, strict=True)
        ]

    def splat(self, value: Value) -> Value:
        made = self.splats.get(value)
        if made is None:
            kind = vector_type(_LANES, value.type)
            if isinstance(value, Constant):
                made = ConstSplat(kind, value)
            else:
                nothing = poison_of(kind)
                place = ConstInt(I32, 0)
                one = self.first.add(Instruction("insertelement", kind, (nothing, value, place)))
                mask = self.first.zero(vector_type(_LANES, I32))
                made = self.first.add(Instruction("shufflevector", kind, (one, nothing, mask)))
            self.splats[value] = made
        return made

    def widened(self, value: Value) -> Value:
        """A value of sixteen iterations."""
        search, b = self.search, self.body
        for i in search._slice(value):
            if i not in self.memo and not i.type.is_pointer:
                self.memo[i] = self._load(i) if isinstance(i, Load) else self._again(i)
        if value in self.memo:
            return self.memo[value]
        if not isinstance(value, Phi) or value not in search.steps:
            return self.splat(value)
        assert isinstance(value.type, IntType)
        now = self.now
        if value.type.bits < 64:
            now = b.cast("trunc", now, vector_type(_LANES, value.type))
        steps = b.imul(now, self.splat(search.steps[value]))
        made = self.memo[value] = b.iadd(self.splat(value.value_from(search.before)), steps)
        return made

    def _again(self, i: Instruction) -> Value:
        operands = i.arguments if isinstance(i, Call) else i.operands
        wide = {o: self.widened(o) for o in operands}
        if isinstance(i, Call):
            base = i.callee_name.split(".")[1]
            made: Instruction = self.body.intrinsic(base, [wide[o] for o in operands])
            made.flags = i.flags
            return made
        made = clone_instruction(i, wide)
        made.type = vector_type(_LANES, i.type)
        made.metadata = {}
        return self.body.add(made)

    def _load(self, load: Load) -> Value:
        b, kind = self.body, vector_type(_LANES, load.type)
        if self.search._is_next_to(load):
            made = clone_instruction(load, {load.pointer: self._one(load.pointer, 0)})
            made.type = kind
            return b.add(made)
        wide: Value = poison_of(kind)
        for lane in range(_LANES):
            one = b.add(clone_instruction(load, {load.pointer: self._one(load.pointer, lane)}))
            wide = b.add(Instruction("insertelement", kind, (wide, one, ConstInt(I32, lane))))
        return wide

    def _one(self, value: Value, lane: int) -> Value:
        b = self.body
        memo = self.scalars[lane]
        iteration = b.iadd(self.begin, ConstInt(I64, lane)) if not memo else self.begin
        return self.search.scalar(b, value, iteration, memo)


def _best(b: Builder, predicate: str, best: Value, where: Value) -> tuple[Value, Value]:
    """Of lanes the one with the largest number; of equal ones the first, or the last one if the loop takes equals."""
    nearer = "slt" if predicate in ("ogt", "olt") else "sgt"
    half = _LANES // 2
    while True:
        parts = [[_part(b, v, k * half, half) for k in range(2)] for v in (best, where)]
        (low, high), (low_at, high_at) = parts
        equal = b.and_(b.fcmp("oeq", high, low), b.icmp(nearer, high_at, low_at))
        taken = b.binary("or", b.fcmp(_BETTER[predicate], high, low), equal)
        best, where = b.select(taken, high, low), b.select(taken, high_at, low_at)
        if half == 1:
            return best, where
        half //= 2


def _part(b: Builder, vector: Value, begin: int, count: int) -> Value:
    """Some lanes of a vector."""
    element = vector.type.element  # type: ignore[attr-defined]
    if count == 1:
        return b.add(Instruction("extractelement", element, (vector, ConstInt(I32, begin))))
    numbers = [ConstInt(I32, begin + k) for k in range(count)]
    mask = ConstAggregate(vector_type(count, I32), numbers)
    kind = vector_type(count, element)
    return b.add(Instruction("shufflevector", kind, (vector, poison_of(vector.type), mask)))


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
        return i.callee_name.startswith(_FUNCTIONS) and isinstance(i.type, FloatType)
    scalar = isinstance(i.type, (FloatType, IntType)) or i.opcode == "getelementptr"
    return scalar and i.opcode in _PURE


def _lowest(test: Cmp, goes_on: bool) -> int | None:
    """The number that one that is counted down is in the last iteration."""
    limit = test.operands[1]
    predicate = test.predicate
    if predicate[0] == "u" and "samesign" in test.flags:
        predicate = f"s{predicate[1:]}"
    if not isinstance(limit, ConstInt) or abs(limit.value) > 1 << 62:
        return None
    ways = {("sgt", True): 0, ("sge", True): -1, ("slt", False): -1, ("sle", False): 0}
    found = ways.get((predicate, goes_on))
    return None if found is None else limit.value + found


def _compares(test: Value, new: Value, phi: Phi) -> str | None:
    """How a comparison compares a new number with an old one, if it does."""
    if not isinstance(test, Cmp) or test.opcode != "fcmp" or test.predicate not in _BETTER:
        return None
    left, right = test.operands
    if left is new and right is phi:
        return test.predicate
    return _OTHER_WAY[test.predicate] if left is phi and right is new else None


__all__ = ["search_in_vectors"]
