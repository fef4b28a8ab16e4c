"""Is what a load reads, or a store writes, part of an array, whichever iterations of the loops around it run?

A program may end a loop by an error before it comes to memory that is not there: what runs iterations ahead of time has
to know that there is memory. An array is one that the caller hands over with its shape, or that the function makes.
"""

from __future__ import annotations

from enzyme.engine.analysis.integer_sums import (
    Product,
    Sum,
    constant,
    follows,
    minus,
    plus,
    scaled,
    times,
)
from enzyme.engine.analysis.known_functions import lookup_known
from enzyme.engine.analysis.later_writes import LaterWrites, parted
from enzyme.engine.analysis.loops import Loop
from enzyme.engine.ir.instructions import Call, Load, Store
from enzyme.engine.ir.values import Argument, ConstInt, Value

# What is smaller than the one may be multiplied with what is smaller than the other.
_NUMBER = 1 << 40
_FACTOR = 1 << 20
# Bytes, and what they are multiplied with.
_Stride = tuple[Product, int]


class Extents:
    """Answers for the loads and stores of one function."""

    def __init__(self, later: LaterWrites) -> None:
        self.oracle = later.oracle
        self.later = later

    def needed(self, access: Load | Store, loop: Loop) -> list[Sum] | None:
        """What must not be negative, and is known before the loop, so that the address is inside of its array in all
        iterations that the counts of loops allow; None if that is not known."""
        block = access.parent
        size = self.oracle.summaries.layout.size_of(access.accessed)
        if block is None or access.accessed.is_vector or self.later.loops.forest.irreducible:
            return None
        base, place = self.later.address(access.pointer, block)
        owner = base[0] if isinstance(base, tuple) else base
        facts = [*self.later.indices.facts(block), *self.later.indices.bounds_in([place])]
        if isinstance(owner, Argument):
            extents, item_size = self.later.arrays.get(owner, ([], 0))
            if size != item_size:
                return None
            shape = [self.later.indices.of(extent, block) for extent in extents]
            return self._in_shape(place, shape, size, loop, facts)
        length = self.length(base)
        fits = length is not None and self.is_before(place, length, size, facts)
        return [] if fits else None

    def _in_shape(
        self, place: Sum, shape: list[Sum], size: int, loop: Loop, facts: list[Sum]
    ) -> list[Sum] | None:
        strides: list[_Stride] = [((), size)]
        for extent in shape[:0:-1]:
            if len(extent) != 1:
                return None
            ((product, factor),) = extent.items()
            inner, bytes_ = strides[0]
            strides.insert(0, (tuple(sorted((*inner, *product))), bytes_ * factor))
        found: list[Sum] = []
        for extent, stride in zip(shape, strides, strict=True):
            rows, place = parted(place, stride)
            if not follows(rows, facts):
                return None
            if not _is_less(rows, extent, facts):
                highest = self._highest(rows, loop)
                if highest is None:
                    return None
                found += _small(highest)
                found.append(plus(minus(extent, highest), constant(-1)))
        return None if place else found

    def _highest(self, index: Sum, loop: Loop) -> Sum | None:
        """The largest that an index may be in the loop, of what is known before it."""
        indices, loops = self.later.indices, self.later.loops
        highest: Sum = {}
        for product, factor in index.items():
            whats = [indices.what(n) for n in product]
            moving = [what for what in whats if isinstance(what, Loop) and loop in what.ancestors()]
            term: Sum = {product: factor}
            if moving:
                count = loops.trips.get(moving[0])
                if len(product) > 1 or count is None or moving[0].preheader is None:
                    return None
                last = indices.of(count, moving[0].preheader)
                term = scaled(last, factor) if factor > 0 else {}
            highest = plus(highest, term)
        small = all(len(p) <= 1 and abs(factor) < _FACTOR for p, factor in highest.items() if p)
        return highest if small and indices.are_known_before(highest, loop) else None

    def length(self, base: Value | tuple[Value, str]) -> Sum | None:
        """The bytes of an array that the function has made, or that was handed over."""
        owner = base[0] if isinstance(base, tuple) else base
        if isinstance(owner, Argument):
            return self._handed_over(owner)
        known = lookup_known(owner) if isinstance(owner, Call) else None
        if known is None or known.kind != "allocate" or known.size_operand is None:
            return None
        assert isinstance(owner, Call) and owner.parent is not None
        if isinstance(base, tuple) is (known.data_offset is None) or known.header_size:
            return None
        size = self.later.indices.of(owner.arguments[known.size_operand], owner.parent)
        if known.count_operand is not None:
            count = owner.arguments[known.count_operand]
            if not isinstance(count, ConstInt):
                return None
            size = {product: factor * count.value for product, factor in size.items()}
        return size

    def _handed_over(self, owner: Argument) -> Sum | None:
        if owner not in self.later.arrays:
            return None
        extents, item_size = self.later.arrays[owner]
        size: Sum | None = constant(item_size)
        for extent in extents:
            each = self.later.indices.of(extent, self.oracle.function.entry)
            size = None if size is None else times(size, each)
        return size

    def is_before(self, place: Sum, length: Sum, size: int, facts: list[Sum]) -> bool:
        """Does a place begin at zero or behind it, and end before so many bytes do? Rows that lie one behind the other
        are taken off first."""
        for stride in self._strides(place, length):
            row: Sum = {stride[0]: stride[1]}
            (rows, rest), (all_rows, more) = parted(place, stride), parted(length, stride)
            # What is the last of one row may be written as what is before the next.
            for before in (0, 1) if not more else ():
                index, column = plus(rows, constant(-before)), plus(rest, row, before)
                room = plus(minus(row, column), constant(-size))
                if all(
                    (
                        follows(index, facts),
                        _is_less(index, all_rows, facts),
                        follows(column, facts),
                        follows(room, facts),
                    )
                ):
                    return True
        end = plus(minus(length, place), constant(-size))
        return follows(place, facts) and follows(end, facts)

    def _strides(self, place: Sum, length: Sum) -> list[_Stride]:
        """What rows may be long: what counters of the place are multiplied by, and the length divided by a factor."""
        found: dict[_Stride, None] = {}
        for product, factor in place.items():
            fixed = tuple(n for n in product if n not in self.later.indices.counted)
            if fixed and len(fixed) < len(product):
                found[fixed, factor] = None
        if len(length) == 1:
            ((product, factor),) = length.items()
            for left in range(len(product) if len(product) > 1 else 0):
                found[product[:left] + product[left + 1 :], factor] = None
        return list(found)


def _small(total: Sum) -> list[Sum]:
    """What must not be negative for a sum not to wrap around."""
    numbers = [{product: 1} for product in total if product]
    return [plus(scaled(n, sign), constant(_NUMBER)) for n in numbers for sign in (1, -1)]


def _is_less(index: Sum, extent: Sum, facts: list[Sum]) -> bool:
    return follows(plus(minus(extent, index), constant(-1)), facts)


__all__ = ["Extents"]
