"""What does a load find of the iteration before, of a loop that carries numbers along in memory?

``h[j] = o * tanh(c[j])`` at the end of each step, and ``w * h[j]`` in the next one: the load finds what the store left
one iteration ago, in the first iteration what was there in front of the loop, and behind the loop what the last
iteration left, if there was one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from enzyme.engine.analysis.extents import Extents
from enzyme.engine.analysis.integer_sums import Sum, constant, follows, minus, plus, times, unknown
from enzyme.engine.analysis.left_values import LeftValue, LeftValues
from enzyme.engine.analysis.loops import Loop
from enzyme.engine.ir.instructions import Call, Instruction, Load, Store
from enzyme.engine.ir.values import ConstInt, Value

_MOST_LOADS = 200
_MOST_STORES = 8
_COPIES = ("llvm.memcpy", "llvm.memmove")
_FILLS = "llvm.memset"


@dataclass(frozen=True, slots=True, eq=False)
class Copied:
    """What is at a place of another array, in bytes from where that begins; zero if there is none."""

    source: Value | None
    place: Sum


@dataclass(frozen=True, slots=True, eq=False)
class PreviousValue:
    """So many iterations of the loop have stored when the load comes, `last` is what the last one left, `before` what
    was there in front of the loop. The load is in the loop, or behind it."""

    loop: Loop
    count: Sum
    last: LeftValue
    before: LeftValue | Copied


class PreviousValues:
    """Answers for one function; `may_change(place, pointer)`: may what is behind a pointer change after the place?"""

    def __init__(self, left: LeftValues, may_change: Callable[[Instruction, Value], bool]) -> None:
        self.left = left
        self.later = left.later
        self.extents = Extents(left.later)
        self.may_change = may_change
        self._known: dict[Load, PreviousValue | None] = {}

    def of(self, load: Load) -> PreviousValue | None:
        if load not in self._known and len(self._known) < _MOST_LOADS:
            self._known[load] = self._find(load)
        return self._known.get(load)

    def _find(self, load: Load) -> PreviousValue | None:
        if load.flags or load.suffix or load.parent is None or self.later.loops.forest.irreducible:
            return None
        size = self.left.oracle.summaries.layout.size_of(load.type)
        writers = list(self.left.writers(load.pointer, size))
        stores = (w for w in writers if isinstance(w, Store) and w.value.type is load.type)
        for store in islice(stores, _MOST_STORES):
            if store.flags or store.suffix:
                continue
            for loop in self._loops(store, load):
                found = self._carried(store, load, size, loop, writers)
                if found is not None:
                    return found
        return None

    def _loops(self, store: Store, load: Load) -> Iterator[Loop]:
        """The loops around both, and the outermost one around the store alone: the innermost first."""
        assert load.parent is not None and store.parent is not None
        shared = self.later.common(load.parent, store.parent)
        innermost = self.later.loops.forest.loop_of(store.parent)
        around = [] if innermost is None else list(innermost.ancestors())
        yield from around[max(len(around) - len(shared) - 1, 0) :]

    def _carried(
        self, store: Store, load: Load, size: int, loop: Loop, writers: Collection[Instruction]
    ) -> PreviousValue | None:
        """The value, if each time the load finds what the last iteration of the loop left."""
        left, later = self.left, self.later
        here, there = load.parent, store.parent
        assert here is not None and there is not None
        shared = list(loop.ancestors())[:0:-1]
        innermost = later.loops.forest.loop_of(there)
        assert innermost is not None
        loops = list(innermost.ancestors())[::-1][len(shared) :]
        count = self._count(store, load, loop, shared)
        if count is None:
            return None
        before = plus(count, constant(-1))
        indices = left.indices(store, load, size, loops, shared, {loop: before})
        if indices is None or not self._has_run(store, load, shared, indices, before):
            return None
        if here in loop and not self._comes_first(load, store, loop, indices):
            return None
        if any(left.comes_between(w, store, load, shared) for w in writers if w is not store):
            return None
        outside = [w for w in writers if w.parent is not None and w.parent not in loop]
        earlier = self._before(load, size, outside, shared)
        if earlier is None:
            return None
        last = self._followed(LeftValue(store.value, indices), loop, shared)
        return PreviousValue(loop, count, last, earlier)

    def _count(self, store: Store, load: Load, loop: Loop, shared: Sequence[Loop]) -> Sum | None:
        """How many iterations of the loop have run the store when the load comes."""
        later = self.later
        assert load.parent is not None and loop.preheader is not None
        if load.parent in loop:
            return unknown(later.indices.counter(loop))
        around = shared[-1] if shared else None
        last = self.left.last(loop, store, load.parent, shared)
        if (
            last is None
            or later.follows(load, store, around)
            or not self.left.is_fixed(last, shared)
        ):
            return None
        entered = self.left.is_entered(loop.preheader, load.parent, shared, known=[last])
        return plus(last, constant(1)) if entered else None

    def _has_run(
        self,
        store: Store,
        load: Load,
        shared: Collection[Loop],
        indices: Mapping[Loop, Sum],
        before: Sum,
    ) -> bool:
        """Does each iteration of the loop run the store, also in those iterations of the loops inside?"""
        left, known = self.left, self.later.indices
        here, there = load.parent, store.parent
        assert here is not None and there is not None
        for k, (loop, index) in enumerate(indices.items()):
            ran = left.in_each_iteration(loop, there)
            if not all(
                left.is_entered(ran, here, shared, latch, [before]) for latch in loop.latches
            ):
                return False
            if k == 0:
                continue
            last = left.last(loop, store, here, shared, [before])
            if last is None or not left.is_fixed(last, shared):
                return False
            facts = [*known.facts(here), before, *known.bounds_in([index, last, before])]
            if not follows(index, facts) or not follows(minus(last, index), facts):
                return False
        return True

    def _comes_first(
        self, load: Load, store: Store, loop: Loop, indices: Mapping[Loop, Sum]
    ) -> bool:
        """In one iteration of the loop, does the load come before the store changes what it finds?"""
        assert load.parent is not None and store.parent is not None
        common = self.later.common(load.parent, store.parent)
        inside = common[common.index(loop) + 1 :]
        own = (unknown(self.later.indices.counter(each)) for each in inside)
        if any(indices[each] != counter for each, counter in zip(inside, own, strict=True)):
            return False
        return not self.later.follows(store, load, common[-1])

    def _before(
        self,
        load: Load,
        size: int,
        writers: Collection[Instruction],
        shared: Collection[Loop],
    ) -> LeftValue | Copied | None:
        """What the load finds if none but these writers have run in this iteration of the shared loops."""
        assert load.parent is not None
        for writer in writers:
            assert writer.parent is not None
            if any(writer.parent not in loop for loop in shared):
                continue
            if isinstance(writer, Store) and writer.value.type is load.type:
                left = self.left.left_by(writer, load, size, writers)
                if left is not None and not any(loop in shared for loop in left.indices):
                    return left
            elif isinstance(writer, Call):
                copied = self._copied(writer, load, size, writers)
                if copied is not None:
                    return copied
        return None

    def _copied(
        self, call: Call, load: Load, size: int, writers: Collection[Instruction]
    ) -> Copied | None:
        """What a copy from one array to another left where the load looks, or a call that fills one with zeros."""
        here, there, later = load.parent, call.parent, self.later
        fills = call.callee_name.startswith(_FILLS)
        if here is None or there is None or not (fills or call.callee_name.startswith(_COPIES)):
            return None
        shared = later.common(there, here)
        innermost = later.loops.forest.loop_of(there)
        if innermost not in (None, *shared[-1:]) or not later.loops.dominators.dominates(
            there, here
        ):
            return None
        base, place = later.address(load.pointer, here)
        target, start = later.address(call.arguments[0], there)
        owner = base[0] if isinstance(base, tuple) else base
        if base != target or start or not later.is_one(owner, shared):
            return None
        length = later.indices.of(call.arguments[2], there)
        facts = [*later.indices.facts(here), *later.indices.bounds_in([place, length])]
        # Nobody reads beyond an array.
        whole = length == self.extents.length(base)
        if not whole and not self.extents.is_before(place, length, size, facts):
            return None
        if any(self.left.comes_between(w, call, load, shared) for w in writers if w is not call):
            return None
        if fills:
            byte = call.arguments[1]
            return Copied(None, place) if isinstance(byte, ConstInt) and not byte.value else None
        source = call.arguments[1]
        return None if self.may_change(call, source) else Copied(source, place)

    def _followed(self, last: LeftValue, loop: Loop, shared: Collection[Loop]) -> LeftValue:
        """What was stored may have been loaded from where another store had left it."""
        while isinstance(last.value, Load):
            more = self.left.of(last.value)
            moved = None if more is None else self._moved(more, last, loop, shared)
            if moved is None:
                break
            last = moved
        return last

    def _moved(
        self, more: LeftValue, last: LeftValue, loop: Loop, shared: Collection[Loop]
    ) -> LeftValue | None:
        """A value of the iterations in which the load that finds it was in those of `last`."""
        indices = self.later.indices
        by = {indices.counter(each): index for each, index in last.indices.items()}
        outermost = next(iter(more.indices))
        found = {
            each: n for each, n in last.indices.items() if each in list(outermost.ancestors())[1:]
        }
        if loop not in found:
            return None
        for each, total in more.indices.items():
            homes = (indices.home[n] for product in total for n in product if n not in by)
            if not all(home is None or home in shared for home in homes):
                return None
            index = _replaced(total, by)
            if index is None:
                return None
            found[each] = index
        return LeftValue(more.value, found)


def _replaced(total: Sum, by: Mapping[int, Sum]) -> Sum | None:
    """A sum with others in the places of unknowns, all at once; None if it is too long."""
    made: Sum = {}
    for product, factor in total.items():
        term: Sum | None = constant(factor)
        for number in product:
            term = None if term is None else times(term, by.get(number, unknown(number)))
        if term is None:
            return None
        made = plus(made, term)
    return made


__all__ = ["Copied", "PreviousValue", "PreviousValues"]
