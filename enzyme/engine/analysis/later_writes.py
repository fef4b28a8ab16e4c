"""Does a store reach an element of an array after it was read? What compilers call dependence analysis.

A time loop fills ``u[t + 1]`` from ``u[t]``, a factorisation overwrites a matrix column by column and reads columns
that are done: all of it is one array, and each element is final when it is read. A later execution of the store is in a
later iteration of one of the loops around both, and in the same one of those around that; or all are in the same one.
In each of these cases the two addresses are compared as sums of loop counters (`loop_indices`): in bytes, and if that
does not tell, dimension by dimension. Dimensions are found in the sums: where ``i * n + j`` is read and the facts say
that `j` is not negative and less than `n`, two such elements are one only if both `i` and `j` agree.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from math import gcd

from enzyme.engine.analysis.alias import AliasOracle
from enzyme.engine.analysis.cfg import ControlFlow
from enzyme.engine.analysis.integer_sums import (
    Product,
    Sum,
    constant,
    divided,
    follows,
    minus,
    plus,
    reduced,
    scaled,
    unknown,
)
from enzyme.engine.analysis.known_functions import lookup_known
from enzyme.engine.analysis.loop_indices import LoopFacts, LoopIndices
from enzyme.engine.analysis.loops import Loop
from enzyme.engine.ir.instructions import Call, Instruction, Load, Store
from enzyme.engine.ir.module import Block
from enzyme.engine.ir.types import Type
from enzyme.engine.ir.values import Value

# So many pairs of a place and a store are looked at in one function.
_MOST_PAIRS = 2000
_MOST_DIMENSIONS = 4
# Where memory is read or written, the pointer, and how many bytes.
_Access = tuple[Instruction, Value, int]


class LaterWrites:
    """Answers for the places and stores of one function."""

    def __init__(self, oracle: AliasOracle, loops: LoopFacts) -> None:
        self.oracle = oracle
        self.loops = loops
        args = oracle.function.args
        # The arrays that were handed over, by address: shape and bytes of an element. Parameters move later.
        self.arrays = {
            args[data]: ([args[n] for n in array.shape], array.item_size)
            for data, array in oracle.arrays.items()
        }
        lengths = {extent for shape, _ in self.arrays.values() for extent in shape}
        products: dict[Value, tuple[int, Sequence[Value]]] = {}
        for array in oracle.arrays.values():
            if array.items is not None:
                products[args[array.items]] = 1, [args[n] for n in array.shape]
            if array.item_bytes is not None:
                products[args[array.item_bytes]] = array.item_size, ()
        self.indices = LoopIndices(loops, lengths, products)
        self._pairs = 0
        self._known: dict[tuple[_Access, _Access, int, int | None], bool] = {}

    def never(
        self, place: Instruction, pointer: Value, size: int, store: Store, outside: int = 0
    ) -> bool:
        """Is it certain that the store changes none of the bytes behind the pointer after `place` has run?

        So many of the loops around both, from `outside`, are in the same iteration then.
        """
        length = self._size(store.value.type)
        return self._never_meet((place, pointer, size), (store, store.pointer, length), outside)

    def never_read(self, store: Store, load: Load, outside: int = 0) -> bool:
        """Is it certain that the load, when it runs after the store, reads none of the bytes written?"""
        written, read = self._size(store.value.type), self._size(load.type)
        earlier, later = (store, store.pointer, written), (load, load.pointer, read)
        return self._never_meet(earlier, later, outside)

    def apart(self, first: Load | Store, second: Load | Store, loop: Loop) -> bool:
        """Do they share no byte where the second one runs in a later iteration of the loop, and in the same one of
        those around it?"""
        sizes = [self._size(i.accessed) for i in (first, second)]
        outside = loop.depth - 1
        key = (first, first.pointer, sizes[0]), (second, second.pointer, sizes[1])
        return self._never_meet(*key, outside, outside + 1)

    def _size(self, type_: Type) -> int:
        return 0 if type_.is_vector else self.oracle.summaries.layout.size_of(type_)

    def _never_meet(
        self, first: _Access, second: _Access, outside: int, inside: int | None = None
    ) -> bool:
        """Do they share no byte where the second one runs later?"""
        key = first, second, outside, inside
        found = self._known.get(key)
        if found is None:
            known = first[2] > 0 and second[2] > 0
            if self.loops.forest.irreducible or self._pairs >= _MOST_PAIRS or not known:
                return False
            self._pairs += 1
            found = self._known[key] = self._never(*first, *second, outside, inside)
        return found

    def _never(
        self,
        place: Instruction,
        pointer: Value,
        size: int,
        other: Instruction,
        its_pointer: Value,
        length: int,
        outside: int,
        inside: int | None,
    ) -> bool:
        here, there = place.parent, other.parent
        if here is None or there is None:
            return False
        first, second = self.address(pointer, here), self.address(its_pointer, there)
        if first[0] != second[0]:
            return False
        owner = first[0][0] if isinstance(first[0], tuple) else first[0]
        common = self.common(here, there)
        for shared, later in self._cases(place, other, common, outside, inside):
            if not self.is_one(owner, shared):
                if self._is_made_anew(owner, common):
                    continue
                return False
            moved = self._moved(shared)
            facts = [*self.indices.facts(here), *map(moved, self.indices.facts(there))]
            if later is not None:
                counter = unknown(self.indices.counter(later))
                facts.append(plus(minus(moved(counter), counter), constant(-1)))
            mine, yours = first[1], moved(second[1])
            bounds = self.indices.bounds_in([mine, second[1]])
            facts += [*bounds, *map(moved, bounds)]
            if not self._apart(mine, size, yours, length, facts):
                return False
        return True

    def address(self, pointer: Value, block: Block) -> tuple[Value | tuple[Value, str], Sum]:
        """What a pointer points into, and where, in bytes."""
        base, offset, steps = self.oracle.objects.address(pointer)
        total = constant(offset)
        for scale, index in steps:
            total = plus(total, self.indices.of(index, block), scale)
        return base, reduced(total)

    def step(self, access: Load | Store, loop: Loop) -> int:
        """How many bytes further each iteration of the loop reads or writes, as far as its counter is concerned."""
        assert access.parent is not None
        place = self.address(access.pointer, access.parent)[1]
        return place.get((self.indices.counter(loop),), 0)

    # Times ----------------------------------------------------------------------------------------

    def common(self, one: Block, other: Block) -> list[Loop]:
        """The loops around both blocks, outermost first."""
        loop = self.loops.forest.loop_of(one)
        around = [] if loop is None else list(loop.ancestors())
        return [each for each in reversed(around) if other in each]

    def _cases(
        self,
        place: Instruction,
        other: Instruction,
        common: list[Loop],
        outside: int,
        inside: int | None,
    ) -> Iterator[tuple[Collection[Loop], Loop | None]]:
        """Loops that are in the same iteration when the other one runs later, and the one that is in a later one."""
        for depth, loop in enumerate(common[outside:inside], outside):
            yield common[:depth], loop
        if inside is None and self.follows(place, other, common[-1] if common else None):
            yield common, None

    def follows(self, place: Instruction, other: Instruction, within: Loop | None) -> bool:
        """Can the other one run after `place` in one iteration of a loop around both?"""
        here, there = place.parent, other.parent
        assert here is not None and there is not None
        if here is there and here.instructions.index(other) > here.instructions.index(place):
            return True
        cfg: ControlFlow = self.loops.forest.cfg
        seen: set[Block] = set()
        pending = [here]
        while pending:
            for after in cfg.successors(pending.pop()):
                if after in seen or (
                    within is not None and (after not in within or after is within.header)
                ):
                    continue
                if after is there:
                    return True
                seen.add(after)
                pending.append(after)
        return False

    def is_one(self, owner: Value, shared: Collection[Loop]) -> bool:
        """Is a value the same at both times?"""
        if not isinstance(owner, Instruction) or owner.parent is None:
            return True
        home = self.loops.forest.loop_of(owner.parent)
        return home is None or home in shared

    def _is_made_anew(self, owner: Value, common: Collection[Loop]) -> bool:
        """Is it an object of its own in each iteration of a loop around both?"""
        known = lookup_known(owner) if isinstance(owner, Call) else None
        if known is None or known.kind != "allocate":
            return False
        assert isinstance(owner, Call) and owner.parent is not None
        return self.loops.forest.loop_of(owner.parent) in common

    def _moved(self, shared: Collection[Loop]) -> Callable[[Sum], Sum]:
        """A sum as it is later, where these loops are in the same iteration."""
        home = self.indices.home

        def moved(sum_: Sum) -> Sum:
            return {
                tuple(
                    sorted(
                        n if (where := home[n]) is None or where in shared else n + 1
                        for n in product
                    )
                ): factor
                for product, factor in sum_.items()
            }

        return moved

    # Addresses ------------------------------------------------------------------------------------

    def _apart(self, mine: Sum, size: int, yours: Sum, length: int, facts: list[Sum]) -> bool:
        """Do the two places share no byte where the facts hold?"""
        distance = minus(yours, mine)
        if _is_beyond(distance, size, length, facts):
            return True
        if size != length:
            return False
        unit = gcd(*mine.values(), *yours.values())
        if unit % size:
            return False
        one = {p: n // size for p, n in mine.items()}
        other = {p: n // size for p, n in yours.items()}
        return self._differ(one, other, facts, _MOST_DIMENSIONS)

    def _differ(self, mine: Sum, yours: Sum, facts: list[Sum], dimensions: int) -> bool:
        """Are two numbers of elements never the same? Dimensions are taken off, the innermost first."""
        for stride in self._strides(mine, yours) if dimensions else ():
            (rows, rest), (its_rows, its_rest) = parted(mine, stride), parted(yours, stride)
            if all(is_within(each, stride, facts) for each in (rest, its_rest)):
                return _is_beyond(minus(its_rest, rest), 1, 1, facts) or (
                    _is_beyond(minus(its_rows, rows), 1, 1, facts)
                    or self._differ(rows, its_rows, facts, dimensions - 1)
                )
        return False

    def _strides(self, mine: Sum, yours: Sum) -> list[tuple[Product, int]]:
        """What counters are multiplied by and does not change: the shortest first."""
        found: dict[Product, int] = {}
        for product, factor in (*mine.items(), *yours.items()):
            fixed = tuple(n for n in product if n & ~1 not in self.indices.counted)
            if fixed and len(fixed) < len(product):
                found[fixed] = gcd(found.get(fixed, 0), factor)
        return sorted(found.items(), key=lambda stride: len(stride[0]))


def _is_beyond(distance: Sum, size: int, length: int, facts: list[Sum]) -> bool:
    """Is what lies at a distance behind the end of this or ends before it begins?"""
    after = plus(distance, constant(-size))
    before = plus(scaled(distance, -1), constant(-length))
    return follows(after, facts) or follows(before, facts)


def parted(total: Sum, stride: tuple[Product, int]) -> tuple[Sum, Sum]:
    """A sum as so many strides and a rest."""
    rows: dict[Product, int] = {}
    rest: dict[Product, int] = {}
    for product, factor in total.items():
        left = divided(product, stride[0])
        if left is not None and factor % stride[1] == 0:
            rows[left] = factor // stride[1]
        else:
            rest[product] = factor
    return rows, rest


def is_within(rest: Sum, stride: tuple[Product, int], facts: list[Sum]) -> bool:
    """Is a rest not negative and shorter than the stride?"""
    room = plus(minus({stride[0]: stride[1]}, rest), constant(-1))
    return follows(rest, facts) and follows(room, facts)


__all__ = ["LaterWrites", "is_within", "parted"]
