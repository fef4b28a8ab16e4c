"""An array that each step of a loop rewrites is kept as it was, once for each step, where that is less than what is
computed of it.

A step of a simulation reads each cell and its neighbours in several terms, ``u[i] * u[i]`` and ``k * (u[i - 1] -
2 * u[i] + u[i + 1])``, and writes the array anew. Kept by number that is one for each term of each cell; but all of it
can be computed again from the array alone. So there is a copy of it in front of the loops that read it, which the
reverse pass reads instead, under the same indices. The plan decides (`synthesis.plan`): a copy costs what one number in
each iteration of the loops costs that have as many iterations as the array has elements.

Conditions: the loops write nothing of the array; some of them, which run in every iteration of the outermost or in
none, are as long together as the array is, but for a margin, so that a copy never takes longer than the program does.
Of an array that may be longer only so much is copied as has that length, if what is read is certain to lie in there:
two arrays are mostly of one shape, but nobody says so. An array is one that the function has made or that is handed
over with its shape; or one of several of one length, as buffers that change places.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import combinations

from enzyme.engine.analysis.extents import Extents
from enzyme.engine.analysis.inductions import is_invariant
from enzyme.engine.analysis.integer_sums import Sum, constant, scaled, times
from enzyme.engine.analysis.later_writes import LaterWrites
from enzyme.engine.analysis.loops import Loop
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.clone import clone_instruction
from enzyme.engine.ir.instructions import Gep, Instruction, Load, Phi, Store
from enzyme.engine.ir.types import I64, PTR
from enzyme.engine.ir.values import ConstInt, Value
from enzyme.engine.preprocess.sums import write_sum
from enzyme.engine.synthesis.cache_layout import CacheLayout
from enzyme.engine.synthesis.prepare import CanonicalFunction
from enzyme.engine.synthesis.rolling import distinct_now

_MOST_BYTES = 64  # of an element
_MOST_BUFFERS = 4
_DEEPEST = 4
_MOST_ASKED = 200  # loads and lengths


@dataclass(eq=False, slots=True)
class Version:
    """An array as it is in front of the outermost of the loops that read it.

    `base` is where it begins, `length` its bytes, and `part` how many of them are copied at most. `copy` stands for the
    address of the copy: until the plan is made it is that of the array. In one iteration of the `inner` loops there are
    `element` bytes to copy.
    """

    loop: Loop
    base: Value
    length: Sum
    part: Sum | None
    inner: tuple[Loop, ...]
    element: int
    copy: Instruction
    loads: dict[Load, Load] = field(default_factory=dict)

    @property
    def loops(self) -> tuple[Loop, ...]:
        """Those for each iteration of which there are `element` bytes, outermost first."""
        return (*tuple(self.loop.ancestors())[:0:-1], *self.inner)

    @property
    def depth(self) -> int:
        """How many loops tell its elements apart."""
        return len(self.loops)


class ArrayVersions:
    """The versions of one function. `writers` are the instructions of a loop that may write memory, `inside` addresses
    in copies, which nobody keeps: what a copy costs is asked where it is made."""

    def __init__(
        self,
        p: CanonicalFunction,
        later: LaterWrites,
        writers: Callable[[Loop], Iterable[Instruction]],
    ) -> None:
        self.forest = p.forest
        self.dominators = p.dominators
        self.counters = p.counters
        self.later = later
        self.oracle = later.oracle
        self.extents = Extents(later)
        self.writers = writers
        self.of_copy: dict[Value, Version] = {}
        self.inside: set[Value] = set()
        self.of_load: dict[Load, Version | None] = {}
        self._asked = 0

    def instead(self, load: Load, homes: CacheLayout) -> Load | None:
        """A load from a copy that gives the reverse pass the same, if there may be one."""
        if load not in self.of_load:
            self.of_load[load] = self._version(load, homes)
        version = self.of_load[load]
        if version is None:
            return None
        if load not in version.loads:
            b = Builder()
            b.before(load)
            made = Load(load.type, self._moved(load.pointer, version, b), load.align, load.name)
            b.add(made)
            version.loads[load] = made
        return version.loads[load]

    def is_in_copy(self, pointer: Value) -> bool:
        return pointer in self.inside or pointer in self.of_copy

    def _moved(self, pointer: Value, version: Version, b: Builder) -> Value:
        if not isinstance(pointer, Gep):
            assert pointer is version.base
            return version.copy
        base = self._moved(pointer.operands[0], version, b)
        made = b.add(clone_instruction(pointer, {pointer.operands[0]: base}))
        self.inside.add(made)
        return made

    def _version(self, load: Load, homes: CacheLayout) -> Version | None:
        block = load.parent
        if (
            block is None
            or load.flags
            or load.suffix
            or load.type.is_vector
            or load.type.is_pointer
        ):
            return None
        base: Value = load.pointer
        while isinstance(base, Gep):
            base = base.operands[0]
        found: Loop | None = None
        loop = self.forest.loop_of(block)
        while loop is not None and loop not in homes.fused and is_invariant(base, loop):
            if self._writes(loop, base):
                break
            found, loop = loop, loop.parent
        if found is None or found.preheader is None:
            return None
        if any(loop in homes.fused for loop in found.ancestors()):
            return None
        return self._find(load, found, base, homes)

    def _writes(self, loop: Loop, base: Value) -> bool:
        """May the loop write anything behind the base?"""
        return any(
            self.oracle.may_write(writer, base)
            and not (
                isinstance(writer, Store) and distinct_now(self.oracle, writer.pointer, base, loop)
            )
            for writer in self.writers(loop)
        )

    def _find(self, load: Load, loop: Loop, base: Value, homes: CacheLayout) -> Version | None:
        length = self._length(base, {})
        if not length or not self._is_there(length, loop):
            return None
        size = self.oracle.summaries.layout.size_of(load.type)
        chains = list(self._chains(loop, homes))
        whole = [(element, inner) for inner in chains if (element := self._element(length, inner))]
        element, inner = min(whole, key=lambda found: found[0], default=(0, ()))
        if not whole or element > size:
            # One copy for all loads, if it is large enough.
            for some in reversed(chains):
                iterations = self._iterations(some)
                part = None if iterations is None else scaled(iterations, size)
                if part and self._is_there(part, loop) and self._reads_within(load, part, size):
                    return self._made(loop, base, length, part, some, size, homes)
        return self._made(loop, base, length, None, inner, element, homes) if whole else None

    def _reads_within(self, load: Load, part: Sum, size: int) -> bool:
        """Does a load read nothing but the first bytes of its array, so many of them?"""
        block, indices = load.parent, self.later.indices
        self._asked += 1
        if block is None or self._asked > _MOST_ASKED:
            return False
        _, place = self.later.address(load.pointer, block)
        facts = [*indices.facts(block), *indices.bounds_in([place, part])]
        return all(
            self.extents.is_before(each, part, size, known)
            for each, known in indices.cases(place, facts)
        )

    def _made(
        self,
        loop: Loop,
        base: Value,
        length: Sum,
        part: Sum | None,
        inner: tuple[Loop, ...],
        element: int,
        homes: CacheLayout,
    ) -> Version:
        assert loop.preheader is not None
        for version in self.of_copy.values():
            if version.loop is loop and version.base is base and version.part == part:
                return version
        b = Builder()
        b.before(loop.preheader.terminator)
        copy = b.add(Instruction("freeze", PTR, [base], "version"))
        version = Version(loop, base, length, part, inner, element, copy)
        self.of_copy[copy] = version
        homes.variance.varies_with(copy, frozenset(loop.ancestors()) - {loop})
        return version

    # How long it is -------------------------------------------------------------------------------

    def _length(self, base: Value, seen: dict[Value, None]) -> Sum | None:
        """The bytes of the array that begins at an address, which may be that of one of several."""
        if isinstance(base, Phi):
            seen[base] = None
            lengths = [self._length(v, seen) for v in base.operands if v not in seen]
            same = all(length == lengths[0] for length in lengths)
            return lengths[0] if lengths and same and len(seen) <= _MOST_BUFFERS else None
        if not isinstance(base, Value) or base.type is not PTR:
            return None
        block = base.parent if isinstance(base, Instruction) else None
        begin, place = self.later.address(base, block or self.oracle.function.entry)
        return None if place else self.extents.length(begin)

    def _is_there(self, length: Sum, loop: Loop) -> bool:
        """Is all that the length consists of known in front of the loop?"""
        whats = (self.later.indices.what(n) for product in length for n in product)
        return all(
            not isinstance(what, Instruction)
            or (
                what.parent is not None
                and loop.preheader is not None
                and self.dominators.dominates(what.parent, loop.preheader)
            )
            for what in whats
            if isinstance(what, Value)
        ) and self.later.indices.are_known_before(length, loop)

    def write_length(self, version: Version, b: Builder) -> Value:
        """How many bytes are copied."""
        length, part = (
            None if each is None else write_sum(b, each, self.later.indices, self.counters)
            for each in (version.length, version.part)
        )
        assert length is not None
        if part is None:
            return length
        # Of loops that do not run the length may be anything.
        part = b.select(b.icmp("slt", part, length), part, length)
        return b.select(b.icmp("sgt", part, ConstInt(I64, 0)), part, ConstInt(I64, 0))

    # How long the loops are -----------------------------------------------------------------------

    def _chains(self, loop: Loop, homes: CacheLayout) -> Iterator[tuple[Loop, ...]]:
        """Loops that run in each iteration of the outermost, or in none: the fewest first."""
        chains: list[tuple[Loop, ...]] = []
        pending: list[tuple[Loop, ...]] = [(loop,)]
        while pending:
            chain = pending.pop()
            chains.append(chain)
            if len(chain) < _DEEPEST:
                pending += [
                    (*chain, inner)
                    for inner in chain[-1].children
                    if inner.preheader is not None and homes.runs_always(inner, chain[-1])
                ]
        for count in range(1, _DEEPEST + 1):
            for chain in chains:
                # The last one is new in each chain.
                some: tuple[Loop, ...]
                for some in combinations(chain[:-1], count - 1):
                    yield (*some, chain[-1])

    def _iterations(self, loops: Iterable[Loop]) -> Sum | None:
        """How many iterations loops have in one another, but for a margin."""
        total: Sum | None = constant(1)
        for loop in loops:
            count = self.later.loops.trips.get(loop)
            if count is None or loop.preheader is None or total is None:
                return None
            iterations = self.later.indices.of(count, loop.preheader)
            total = times(total, _leading(self.later.indices.unguarded(iterations)))
        return total

    def _element(self, length: Sum, loops: Iterable[Loop]) -> int | None:
        """How many bytes there are for each iteration of the loops, if both grow alike."""
        bytes_, total = _leading(length), self._iterations(loops)
        if not total or bytes_.keys() != total.keys():
            return None
        ratios = {-(-bytes_[product] // total[product]) for product in total}
        (ratio, *others) = ratios
        return None if others or not 0 < ratio <= _MOST_BYTES else ratio


def _leading(total: Sum) -> Sum:
    """The products of the most factors."""
    degree = max(map(len, total), default=0)
    return {product: factor for product, factor in total.items() if len(product) == degree}


__all__ = ["ArrayVersions", "Version"]
