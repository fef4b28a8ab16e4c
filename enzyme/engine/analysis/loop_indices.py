"""Integers as sums of loop counters and of what does not change, and the inequalities that hold in a block.

A loop's counter begins at zero and ends at the loop's trip count; an induction is its start and so many steps. Anything
that is no sum or product of such numbers is an unknown. No index is taken to wrap around, as in `addresses`.
Constants do: to an index that is scaled afterwards a compiler may add any number that is -1 in the bits that are left.

What holds in a block: counters are between zero and the trip counts of their loops, for where a loop is left in another
way than that count there is no reverse pass; and the comparisons on the way to the block came out as they did. Where
numbers are multiplied with large ones, or with each other, a comparison tells nothing: hashes do wrap around.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from enzyme.engine.analysis.dominance import Dominators
from enzyme.engine.analysis.inductions import Induction
from enzyme.engine.analysis.integer_sums import (
    Product,
    Sum,
    constant,
    follows,
    minus,
    plus,
    reduced,
    scaled,
    substituted,
    times,
    unknown,
)
from enzyme.engine.analysis.loops import Loop, LoopForest
from enzyme.engine.analysis.value_ranges import Fact, facts_on_edge
from enzyme.engine.derivatives.catalogue import entry_of
from enzyme.engine.ir.instructions import Aggregate, Call, Cmp, Instruction, Phi
from enzyme.engine.ir.module import Block
from enzyme.engine.ir.types import I64
from enzyme.engine.ir.values import ConstInt, Value, is_zero

# How far above a value its operands are looked at.
_DEPTH = 16
_LARGE = 1 << 31
# Of a phi with more operands it is not asked whether they are one number.
_MOST_WAYS = 3
# So many choices in a sum are looked at both ways.
_MOST_CHOICES = 4


@dataclass(frozen=True, slots=True)
class LoopFacts:
    """What is known of the loops of one function when its derivative is made; no success can be reached from `cold`
    blocks."""

    forest: LoopForest
    dominators: Dominators
    counters: Mapping[Loop, Phi]
    trips: Mapping[Loop, Value | None]
    inductions: Mapping[Phi, Induction]
    cold: Container[Block] = frozenset()


@dataclass(frozen=True, slots=True)
class _Extreme:
    """The larger one of two numbers, or the smaller one, as the `sign` says."""

    one: Sum
    other: Sum
    sign: int

    def when(self, itself: Sum) -> Iterator[tuple[Sum, Sum]]:
        """What it is, if something is not negative."""
        for chosen, left in ((self.one, self.other), (self.other, self.one)):
            yield chosen, scaled(minus(chosen, left), self.sign)
            yield chosen, plus(scaled(minus(itself, left), self.sign), constant(-1))


class LoopIndices:
    """Sums and inequalities for one function. The unknowns have even numbers; `home` tells the innermost loop that
    one is defined in, `counted` are those that count a loop. `lengths` are values that are not negative, `products`
    are values that are known to be products of a constant and of others."""

    def __init__(
        self,
        loops: LoopFacts,
        lengths: Container[Value] = (),
        products: Mapping[Value, tuple[int, Sequence[Value]]] | None = None,
    ) -> None:
        self.loops = loops
        self._lengths = lengths
        self._products = products or {}
        self.home: dict[int, Loop | None] = {}
        self.counted: set[int] = set()
        self._numbers: dict[object, int] = {}
        self._unknowns: dict[int, Value | Loop | Sum] = {}
        self._known: dict[tuple[Value, Loop | None], Sum] = {}
        self._facts: dict[Block, list[Sum]] = {}
        # What is known of unknowns that have a number of their own although they are computed from others.
        self._bounds: dict[int, list[Sum]] = {}
        # Those of them that are the larger or the smaller one of two numbers.
        self._extremes: dict[int, _Extreme] = {}
        self._counter_of = {phi: loop for loop, phi in loops.counters.items()}

    def counter(self, loop: Loop) -> int:
        """The number of a loop's counter."""
        number = self._number(loop, loop)
        self.counted.add(number)
        return number

    def of(self, value: Value, block: Block) -> Sum:
        """An integer as a sum, as it is seen in a block."""
        return self._of(value, self.loops.forest.loop_of(block), _DEPTH)

    def itself(self, value: Phi) -> Sum:
        """A phi as an unknown."""
        assert value.parent is not None
        return unknown(self._number(value, self.loops.forest.loop_of(value.parent)))

    def facts(self, block: Block) -> list[Sum]:
        """Sums that are not negative when control is in the block."""
        found = self._facts.get(block)
        if found is None:
            # While they are found out nothing is known.
            self._facts[block] = []
            found = self._facts[block] = self._facts_of(block)
        return found

    def settled(self, test: Cmp, block: Block) -> bool | None:
        """How a comparison comes out in a block; None if that is not certain."""
        for holds in (False, True):
            if self._is_settled(test, holds, block, _DEPTH):
                return holds
        return None

    def _number(
        self, what: Value | Loop | frozenset[tuple[Product, int]], home: Loop | None
    ) -> int:
        number = self._numbers.get(what)
        if number is None:
            number = self._numbers[what] = 2 * len(self._numbers)
            self._unknowns[number] = dict(what) if isinstance(what, frozenset) else what
            self.home[number] = home
            if isinstance(what, Value) and what in self._lengths:
                self._bounds[number] = [unknown(number)]
        return number

    def are_known_before(self, total: Sum, loop: Loop) -> bool:
        """Is all that the sum consists of computed before the loop?"""
        homes = (self.home[n] for product in total for n in product)
        return not any(home is not None and loop in home.ancestors() for home in homes)

    def what(self, number: int) -> Value | Loop | Sum:
        """What an unknown is: a value, the counter of a loop, or a sum that is one factor."""
        return self._unknowns[number]

    # Sums -----------------------------------------------------------------------------------------

    def _of(self, value: Value, around: Loop | None, depth: int) -> Sum:
        if isinstance(value, ConstInt):
            return constant(value.value)
        key = value, around
        found = self._known.get(key)
        if found is None:
            found = self._sum(value, around, depth)
            if found is None:
                home = None
                if isinstance(value, Instruction) and value.parent is not None:
                    home = self.loops.forest.loop_of(value.parent)
                found = unknown(self._number(value, home))
            found = self._known[key] = reduced(found)
        return found

    def _sum(self, value: Value, around: Loop | None, depth: int) -> Sum | None:
        if value in self._products:
            factor, others = self._products[value]
            made: Sum | None = constant(factor)
            for other in others:
                made = None if made is None else times(made, self._of(other, around, depth))
            return made
        if not isinstance(value, Instruction) or value.type is not I64 or value.parent is None:
            return None
        home = self.loops.forest.loop_of(value.parent)
        # Behind a loop its values are those of its last iteration.
        if not depth or not (home is None or home in _around(around)):
            return None
        if isinstance(value, Phi):
            return self._phi(value, depth - 1)
        if isinstance(value, Call):
            return self._call(value, around, depth - 1)
        match value.opcode, value.operands:
            case ("add" | "or", [one, other]) if value.opcode == "add" or "disjoint" in value.flags:
                return plus(self._of(one, around, depth - 1), self._of(other, around, depth - 1))
            case ("sub", [one, other]):
                return minus(self._of(one, around, depth - 1), self._of(other, around, depth - 1))
            case ("mul", [one, other]):
                return self._product(*(self._of(v, around, depth - 1) for v in (one, other)))
            case ("freeze", [one]):
                return self._of(one, around, depth - 1)
            case ("extractvalue", [Call() as call]) if _is_product(value, call):
                return self._product(*(self._of(v, around, depth - 1) for v in call.arguments))
            case ("shl", [one, ConstInt() as bits]) if 0 <= bits.value < 62:
                return times(self._of(one, around, depth - 1), constant(1 << bits.value))
            case ("select", [Cmp() as test, then, other]):
                for chosen, holds in ((then, True), (other, False)):
                    if self._is_settled(test, holds, value.parent, depth - 1):
                        return self._of(chosen, around, depth - 1)
        return None

    def _product(self, one: Sum, other: Sum) -> Sum | None:
        """A product, in which a stride like ``n + 1`` is an unknown of its own."""
        for first, second in ((one, other), (other, one)):
            if len(second) > 1 and self.counted.isdisjoint(_unknowns(second)):
                return times(first, unknown(self._as_one(second)))
        return times(one, other)

    def _as_one(self, total: Sum) -> int:
        homes = [home for n in _unknowns(total) if (home := self.home[n]) is not None]
        number = self._number(
            frozenset(total.items()), max(homes, key=lambda home: home.depth, default=None)
        )
        self._bounds[number] = _equal(unknown(number), total)
        return number

    def _phi(self, phi: Phi, depth: int) -> Sum | None:
        loop = self._counter_of.get(phi)
        if loop is not None:
            return unknown(self.counter(loop))
        induction = self.loops.inductions.get(phi)
        if induction is None or induction.loop not in self.loops.counters:
            return self._merged(phi, depth) if len(phi.operands) > 1 else self._last(phi, depth)
        loop = induction.loop
        start = self._of(induction.start, loop, depth)
        steps = times(self._of(induction.step, loop, depth), unknown(self.counter(loop)))
        return None if steps is None else plus(start, steps, -1 if induction.negative else 1)

    def _merged(self, phi: Phi, depth: int) -> Sum | None:
        """What a phi is wherever control comes from, if that is one sum: ``li + n - i``, and `li` where `i` is `n`."""
        block, forest = phi.parent, self.loops.forest
        assert block is not None
        around = forest.loop_of(block)
        if len(phi.operands) > _MOST_WAYS or (around is not None and around.header is block):
            return None
        ways = [
            (self._of(value, forest.loop_of(source), depth), source)
            for value, source in phi.incoming
        ]
        if any(forest.loop_of(source) is not around for _, source in ways):
            return None
        for one, _ in ways:
            if all(self._is_equal(one, other, source, block) for other, source in ways):
                return one
        return None

    def _is_equal(self, one: Sum, other: Sum, source: Block, target: Block) -> bool:
        """Are two sums one number where control goes from one block to the other?"""
        difference = reduced(minus(one, other))
        if not difference:
            return True
        told = self.facts_on_edge(source, target)
        for fact in told:
            if scaled(fact, -1) in told:
                difference = _where_zero(difference, fact)
        facts = [*self.facts(source), *told, *self.bounds_in([difference, *told])]
        return all(not s or follows(s, facts) for s in (difference, scaled(difference, -1)))

    def _last(self, phi: Phi, depth: int) -> Sum | None:
        """What a loop leaves behind: a number of its last iteration."""
        (value,), (source,) = phi.operands, phi.blocks
        loops, target = self.loops, phi.parent
        loop = loops.forest.loop_of(source)
        if loop is None or target is None or loop.parent is not loops.forest.loop_of(target):
            return None
        count = loops.trips.get(loop)
        left = [edge for edge in loop.exit_edges if edge[1] not in loops.cold]
        if count is None or loop.preheader is None or left != [(source, target)]:
            return None
        found = self._of(value, loop, depth)
        last = self._of(count, loop.parent, depth)
        made = substituted(found, self.counter(loop), last)
        if made is None or any(loop in _around(self.home[n]) for n in _unknowns(made)):
            return None
        return made

    def _call(self, call: Call, around: Loop | None, depth: int) -> Sum | None:
        """The larger or the smaller one of two numbers, one of which may be zero."""
        entry = entry_of(call)
        if entry is None or not (entry.chooses or entry.stops_at_zero):
            return None
        assert call.parent is not None
        one, other = (self._of(a, around, depth) for a in call.arguments)
        facts = [*self.facts(call.parent), *self.bounds_in([one, other])]
        sign = entry.chooses
        if entry.stops_at_zero:
            if not (follows(one, facts) and follows(other, facts)):
                return None
            one, other, sign = minus(one, other), {}, 1
        for larger, smaller in ((one, other), (other, one)):
            if follows(scaled(minus(larger, smaller), sign), facts):
                return larger
        number = self._number(call, self.loops.forest.loop_of(call.parent))
        itself = unknown(number)
        self._bounds[number] = [scaled(minus(itself, each), sign) for each in (one, other)]
        self._extremes[number] = _Extreme(one, other, sign)
        return itself

    def _is_settled(self, test: Cmp, holds: bool, block: Block, depth: int) -> bool:
        """Is it certain how a comparison comes out in a block?"""
        if test.opcode != "icmp" or test.operands[0].type is not I64 or not depth:
            return False
        around = self.loops.forest.loop_of(block)
        left, right = (self._of(v, around, depth) for v in test.operands)
        if not (_is_plain(left) and _is_plain(right)):
            return False
        facts = self.facts(block)
        if test.predicate in ("eq", "ne"):
            difference = minus(left, right)
            sides = [plus(scaled(difference, sign), constant(-1)) for sign in (1, -1)]
            return (test.predicate == "ne") is holds and any(follows(s, facts) for s in sides)
        found = _inequality(left, right, test.signed_predicate, holds)
        return found is not None and follows(found, facts)

    # Facts ----------------------------------------------------------------------------------------

    def _facts_of(self, block: Block) -> list[Sum]:
        found: list[Sum] = []
        loop = self.loops.forest.loop_of(block)
        for each in reversed(list(_around(loop))):
            count = self.loops.trips.get(each)
            counter = unknown(self.counter(each))
            found.append(counter)
            if count is not None and each.preheader is not None:
                found.append(minus(self.of(count, each.preheader), counter))
        decided, unequal = self._told_by(self._decided(block), loop)
        found += decided
        found += self.bounds_in([*found, *unequal])
        for number in sorted(
            {n for each in found for n in _unknowns(each)} & self._extremes.keys()
        ):
            for chosen, certain in self._extremes[number].when(unknown(number)):
                if follows(certain, found):
                    found += _equal(unknown(number), chosen)
                    break
        return found + _away_from_zero(unequal, found)

    def facts_on_edge(self, source: Block, target: Block) -> list[Sum]:
        """Sums that are not negative where control goes from one block to the other, for what is compared there."""
        told = facts_on_edge(source, target)
        return self._told_by(told, self.loops.forest.loop_of(source))[0]

    def _told_by(self, tests: Iterable[Fact], loop: Loop | None) -> tuple[list[Sum], list[Sum]]:
        """Sums that are not negative, and others that are not zero, where comparisons come out in some ways."""
        found: list[Sum] = []
        unequal: list[Sum] = []
        for test, holds in tests:
            if test.opcode != "icmp" or test.operands[0].type is not I64:
                continue
            left, right = (self._of(v, loop, _DEPTH) for v in test.operands)
            if not (_is_plain(left) and _is_plain(right)):
                continue
            if test.predicate in ("eq", "ne"):
                if (test.predicate == "eq") is holds:
                    found += _equal(left, right)
                else:
                    unequal.append(minus(left, right))
                continue
            made = _inequality(left, right, test.signed_predicate, holds)
            if made is not None:
                found.append(made)
        return found, unequal

    def unguarded(self, total: Sum) -> Sum:
        """A count without what it is at least, or where a loop does not run at all: `n` for ``max(n, 1)``, or for zero
        or `n`."""
        for number in sorted(_unknowns(total)):
            extreme, choice = self._extremes.get(number), self._choice(number)
            rest: list[Sum] = []
            if extreme is not None and extreme.sign > 0:
                rest = [arm for arm in (extreme.one, extreme.other) if any(arm)]
            elif choice is not None:
                rest = [self._of(arm, choice[2], _DEPTH) for arm in choice[1] if not is_zero(arm)]
            if len(rest) == 1:
                total = _with(total, [(number, rest[0])])
        return total

    def cases(
        self,
        total: Sum,
        facts: list[Sum],
        most: int = _MOST_CHOICES,
        made: tuple[tuple[int, Sum], ...] = (),
    ) -> Iterator[tuple[Sum, list[Sum]]]:
        """A sum in which numbers are chosen, with one of them in the place of each choice, and what holds then; as it
        is where there are too many choices. Choices that are `made` already are so in what is told by others."""
        for number in sorted(_unknowns(total)):
            one = self._unknowns[number]
            if isinstance(one, dict) and any(self._choice(n) for n in _unknowns(one)):
                total = substituted(total, number, one) or total
        chosen = next((n for n in sorted(_unknowns(total)) if self._choice(n) is not None), None)
        choice = None if chosen is None or not most else self._choice(chosen)
        if choice is None or chosen is None:
            yield total, facts
            return
        test, arms, loop = choice
        for arm, holds in zip(arms, (True, False), strict=True):
            choices = (*made, (chosen, self._of(arm, loop, _DEPTH)))
            told, unequal = (
                [_with(each, choices) for each in those]
                for those in self._told_by([(test, holds)], loop)
            )
            known = [_with(each, choices) for each in facts] + told
            if not any(follows(minus(constant(-1), each), known) for each in told):
                known += _away_from_zero(unequal, known)
                yield from self.cases(_with(total, choices), known, most - 1, choices)

    def _choice(self, number: int) -> tuple[Cmp, list[Value], Loop | None] | None:
        """What an unknown is chosen by, and of what."""
        what = self._unknowns[number]
        if not isinstance(what, Instruction) or what.opcode not in ("select", "zext"):
            return None
        test, *arms = what.operands
        if what.opcode == "zext":
            arms = [ConstInt(I64, 1), ConstInt(I64, 0)]
        return (test, arms, self.home[number]) if isinstance(test, Cmp) else None

    def bounds_in(self, sums: Collection[Sum]) -> list[Sum]:
        """What is known of the unknowns in some sums that are computed from others."""
        seen: set[int] = set()
        found: list[Sum] = []
        waiting = list(sums)
        while waiting:
            for number in _unknowns(waiting.pop()):
                if number in self._bounds and number not in seen:
                    seen.add(number)
                    found += self._bounds[number]
                    waiting += self._bounds[number]
        return found

    def _decided(self, block: Block) -> Iterator[Fact]:
        """Comparisons that came out in one way when control came to the block, in this iteration."""
        dominators, forest = self.loops.dominators, self.loops.forest
        around = set(_around(forest.loop_of(block)))
        target: Block | None = block
        while target is not None:
            sources = forest.cfg.predecessors(target)
            if len(sources) == 1:
                loop = forest.loop_of(sources[0])
                if loop is None or loop in around:
                    yield from facts_on_edge(sources[0], target)
            target = dominators.idom(target)


def _with(total: Sum, choices: Iterable[tuple[int, Sum]]) -> Sum:
    """A sum in which choices are made; as it is where it would be too long."""
    for number, chosen in choices:
        made = substituted(total, number, chosen)
        if made is not None:
            total = made
    return total


def _away_from_zero(unequal: Iterable[Sum], facts: Iterable[Sum]) -> list[Sum]:
    """What holds of sums that are not zero; one may tell of another."""
    found: list[Sum] = []
    waiting, asked = list(unequal), 0
    while asked < len(waiting):
        difference = waiting.pop(0)
        asked += 1
        for side in (difference, scaled(difference, -1)):
            if follows(side, [*facts, *found]):
                found.append(plus(side, constant(-1)))
                asked = 0
                break
        else:
            waiting.append(difference)
    return found


def _around(loop: Loop | None) -> Iterator[Loop]:
    return iter(()) if loop is None else loop.ancestors()


def _is_product(member: Instruction, call: Call) -> bool:
    """Is a member of what a call gives the product of its operands?"""
    entry = entry_of(call)
    found = entry is not None and entry.multiplies
    return found and isinstance(member, Aggregate) and member.indices[0] == 0


def _where_zero(total: Sum, nothing: Sum) -> Sum:
    """A sum where another one is zero, if that says what one unknown is."""
    named = [(product, factor) for product, factor in nothing.items() if product]
    if len(named) != 1 or len(named[0][0]) != 1 or abs(named[0][1]) != 1:
        return total
    ((number,), factor) = named[0]
    found = substituted(total, number, constant(-factor * nothing.get((), 0)))
    return total if found is None else found


def _is_plain(total: Sum) -> bool:
    """Is it no hash, or anything else that is meant to wrap around?"""
    return all(len(product) <= 1 and abs(factor) < _LARGE for product, factor in total.items())


def _unknowns(total: Sum) -> set[int]:
    return {number for product in total for number in product}


def _equal(left: Sum, right: Sum) -> list[Sum]:
    return [minus(left, right), minus(right, left)]


def _inequality(left: Sum, right: Sum, predicate: str, holds: bool) -> Sum | None:
    """The sum that is not negative where signed numbers compare like that."""
    if predicate not in ("slt", "sle", "sgt", "sge"):
        return None
    if predicate[1] == "g":
        left, right, predicate = right, left, {"sgt": "slt", "sge": "sle"}[predicate]
    if holds:
        return plus(minus(right, left), constant(-1 if predicate == "slt" else 0))
    return plus(minus(left, right), constant(0 if predicate == "slt" else -1))


__all__ = ["LoopFacts", "LoopIndices"]
