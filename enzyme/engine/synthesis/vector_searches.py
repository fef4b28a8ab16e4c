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

from enzyme.engine.derivatives.catalogue import INTRINSIC
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.clone import clone_instruction
from enzyme.engine.ir.edit import redirect
from enzyme.engine.ir.instructions import Call, Instruction, Load, Phi
from enzyme.engine.ir.module import Block, Module
from enzyme.engine.ir.types import I32, I64, FloatType, IntType, vector_type
from enzyme.engine.ir.values import (
    ConstAggregate,
    Constant,
    ConstInt,
    ConstSplat,
    Value,
    poison_of,
)
from enzyme.engine.synthesis.searched_loops import BETTER, Search

_LANES = 16
# Shorter loops are over before it pays.
_SHORTEST = 3 * _LANES


def search_in_vectors(module: Module) -> None:
    """Put vectors in front of such loops, in code of which no derivative will be taken any more."""
    for function in list(module.functions.values()):
        for block in list(function.blocks):
            is_candidate = any(isinstance(phi.type, FloatType) for phi in block.phis())
            search = Search.of(block) if is_candidate else None
            if search is not None:
                _write(search)


def _write(search: Search) -> None:
    """What stands in front of a loop."""
    header, before = search.header, search.before
    parts = ("long", "all", "lanes", "best")
    question, first, body, last = (_block(header, part) for part in parts)
    redirect(before, header, question)
    b = Builder(question)
    count = b.isub(search.end, search.start)
    b.cond_br(b.icmp("sgt", count, ConstInt(I64, _SHORTEST)), first, header)
    b.at_end(first)
    # One iteration at least is left.
    ahead = b.and_(b.isub(count, ConstInt(I64, 1)), ConstInt(I64, -_LANES))
    lanes = _Lanes(search, Builder(first), Builder(body))
    found = lanes.write(ahead, first, body, last)
    b.at_end(first)
    b.br(body)
    b.at_end(last)
    results: dict[Phi, Value] = {phi: _at(search, b, phi, ahead) for phi in search.steps}
    for group, (number, iteration) in zip(search.groups, found, strict=True):
        results[group.best] = number
        if group.along:
            # What is computed for the one that won may be there for no other.
            won, after = _block(header, "won"), _block(header, "after")
            b.cond_br(b.icmp("sgt", iteration, ConstInt(I64, -1)), won, after)
            b.at_end(won)
            memo: dict[Value, Value] = {}
            news = [_scalar(search, b, new, iteration, memo) for _, new in group.along]
            b.br(after)
            for (phi, _), new in zip(group.along, news, strict=True):
                old = phi.value_from(before)
                results[phi] = after.append(Phi(phi.type, [(new, won), (old, last)]))
            last = after
            b.at_end(last)
    b.br(header)
    for phi, value in results.items():
        old = phi.value_from(before)
        phi.remove_incoming(before)
        phi.add_incoming(old, question)
        phi.add_incoming(value, last)


def _block(header: Block, part: str) -> Block:
    """A new block in front of the loop."""
    function = header.parent
    assert function is not None
    made = Block(f"{header.name}.{part}")
    made.parent = function
    function.blocks.insert(function.index_of(header), made)
    return made


def _at(search: Search, b: Builder, phi: Phi, iteration: Value) -> Value:
    """An integer that is counted, in an iteration."""
    assert isinstance(phi.type, IntType)
    if phi.type.bits < 64:
        iteration = b.cast("trunc", iteration, phi.type)
    return b.iadd(phi.value_from(search.before), b.imul(iteration, search.steps[phi]))


def _scalar(
    search: Search, b: Builder, value: Value, iteration: Value, memo: dict[Value, Value]
) -> Value:
    """A value that the loop computes, as it does in an iteration."""
    for phi in search.steps:
        if phi not in memo:
            memo[phi] = _at(search, b, phi, iteration)
    for i in search.slice(value):
        if i not in memo:
            memo[i] = b.add(clone_instruction(i, memo))
    return memo.get(value, value)


class _Lanes:
    """The loop in vectors: what is the same in all iterations stands in `first`."""

    def __init__(self, search: Search, first: Builder, body: Builder) -> None:
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
        for i in search.slice(value):
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
            base = i.callee_name.removeprefix(INTRINSIC).rpartition(".")[0]
            made: Instruction = self.body.intrinsic(base, [wide[o] for o in operands])
            made.flags = i.flags
            return made
        made = clone_instruction(i, wide)
        made.type = vector_type(_LANES, i.type)
        made.metadata = {}
        return self.body.add(made)

    def _load(self, load: Load) -> Value:
        b, kind = self.body, vector_type(_LANES, load.type)
        if self.search.is_next_to(load):
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
        return _scalar(self.search, b, value, iteration, memo)


def _best(b: Builder, predicate: str, best: Value, where: Value) -> tuple[Value, Value]:
    """Of lanes the one with the largest number; of equal ones the first, or the last one if the loop takes equals."""
    nearer = "slt" if predicate in ("ogt", "olt") else "sgt"
    half = _LANES // 2
    while True:
        parts = [[_part(b, v, k * half, half) for k in range(2)] for v in (best, where)]
        (low, high), (low_at, high_at) = parts
        equal = b.and_(b.fcmp("oeq", high, low), b.icmp(nearer, high_at, low_at))
        taken = b.binary("or", b.fcmp(BETTER[predicate], high, low), equal)
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


__all__ = ["search_in_vectors"]
