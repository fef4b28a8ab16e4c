"""What does a load find that a store in this function has left? Which value, and as which iteration computed it?

A work array is filled in one loop and read in another one, or by later iterations of the same loop: ``z[j] = s / c``,
and then ``z[k]`` for all ``k < j``. Of such a load it is known here that it finds what iteration `k` of the loop over
`j` stored, in the same iterations of the loops around that.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from enzyme.engine.analysis.alias import AliasOracle
from enzyme.engine.analysis.integer_sums import Sum, constant, follows, minus, plus
from enzyme.engine.analysis.later_writes import LaterWrites
from enzyme.engine.analysis.loops import Loop
from enzyme.engine.ir.instructions import Instruction, Load, Store
from enzyme.engine.ir.module import Block
from enzyme.engine.ir.values import Value


@dataclass(frozen=True, slots=True)
class LeftValue:
    """`value` as iteration `index` of the `loop` computed it, in the same iterations of the loops around."""

    value: Value
    loop: Loop
    index: Sum


class LeftValues:
    """Answers for one function; `writers(pointer, size)` are the instructions that may write there, `fails` are blocks
    that no success can be reached from."""

    def __init__(
        self,
        oracle: AliasOracle,
        later: LaterWrites,
        writers: Callable[[Value, int], Iterable[Instruction]],
        fails: Callable[[Block], bool],
    ) -> None:
        self.oracle = oracle
        self.later = later
        self.writers = writers
        self.fails = fails
        self._known: dict[Load, LeftValue | None] = {}

    def of(self, load: Load) -> LeftValue | None:
        if load not in self._known:
            self._known[load] = self._find(load)
        return self._known[load]

    def _find(self, load: Load) -> LeftValue | None:
        if load.flags or load.suffix or load.parent is None or self.later.loops.forest.irreducible:
            return None
        size = self.oracle.summaries.layout.size_of(load.type)
        writers = list(self.writers(load.pointer, size))
        for store in writers:
            if isinstance(store, Store) and store.value.type is load.type:
                found = self._left_by(store, load, size, writers)
                if found is not None:
                    return found
        return None

    def _left_by(
        self, store: Store, load: Load, size: int, writers: Collection[Instruction]
    ) -> LeftValue | None:
        """The value, if each time it runs the load finds what one iteration of the loop around the store left."""
        here, there = load.parent, store.parent
        assert here is not None
        if there is None or store.flags or store.suffix:
            return None
        loop = self.later.loops.forest.loop_of(there)
        if loop is None or not (loop.parent is None or here in loop.parent):
            return None
        shared = [around for around in loop.ancestors() if around is not loop]
        index = self._index(store, load, size, loop, shared)
        if index is None or not self._has_run(store, load, loop, shared, index):
            return None
        if any(self._comes_between(w, store, load, shared) for w in writers if w is not store):
            return None
        return LeftValue(store.value, loop, index)

    def _index(
        self, store: Store, load: Load, size: int, loop: Loop, shared: Collection[Loop]
    ) -> Sum | None:
        """In which iteration of the loop the store's address was that of the load."""
        later, number = self.later, self.later.indices.counter(loop)
        assert load.parent is not None and store.parent is not None
        base, mine = later.address(load.pointer, load.parent)
        other, yours = later.address(store.pointer, store.parent)
        owner = base[0] if isinstance(base, tuple) else base
        if base != other or not later.is_one(owner, shared):
            return None
        stride = yours.get((number,), 0)
        rest = {product: factor for product, factor in yours.items() if product != (number,)}
        if abs(stride) != size or not self._is_fixed(rest, shared):
            return None
        distance = minus(mine, rest)
        if any(factor % size for factor in distance.values()):
            return None
        return {product: factor // stride for product, factor in distance.items()}

    def _is_fixed(self, total: Sum, shared: Collection[Loop]) -> bool:
        """Is a sum the same as long as these loops are in one iteration?"""
        home = self.later.indices.home
        unknowns = {number for product in total for number in product}
        return all(home[n] is None or home[n] in shared for n in unknowns)

    def _has_run(
        self, store: Store, load: Load, loop: Loop, shared: Collection[Loop], index: Sum
    ) -> bool:
        """Is it certain that this iteration of the loop has run the store when the load comes?"""
        loops, indices = self.later.loops, self.later.indices
        here, there = load.parent, store.parent
        assert here is not None and there is not None
        dominates = loops.dominators.dominates
        if not all(dominates(there, latch) for latch in loop.latches):
            return False
        if here in loop:
            last: Sum = plus({(indices.counter(loop),): 1}, constant(-1))
            if dominates(there, here) and not self._is_behind(store, load):
                last = plus(last, constant(1))
        else:
            count = loops.trips.get(loop)
            if count is None or loop.preheader is None:
                return False
            if not self._is_entered(loop.preheader, here, shared):
                return False
            last = indices.of(count, loop.preheader)
            if any(
                not dominates(there, b) for b, target in loop.exit_edges if not self.fails(target)
            ):
                last = plus(last, constant(-1))
            if not self._is_fixed(last, shared):
                return False
        facts = [*indices.facts(here), *indices.bounds_in([index, last])]
        return follows(index, facts) and follows(minus(last, index), facts)

    def _is_entered(self, block: Block, here: Block, shared: Collection[Loop]) -> bool:
        """Is it certain that control was in the block when it comes here, in one iteration of the loops around?

        Every way around the block begins with a comparison that comes out otherwise here.
        """
        loops, indices = self.later.loops, self.later.indices
        dominates = loops.dominators.dominates
        while not dominates(block, here):
            branch = loops.dominators.idom(block)
            if branch is None or branch.terminator.opcode != "br":
                return False
            around = loops.forest.loop_of(branch)
            if around is not None and around not in shared:
                return False
            targets = branch.successors()
            ways = [t for t in targets if t is block or dominates(t, block)]
            others = [t for t in targets if t not in ways and not self.fails(t)]
            if len(ways) != 1 or loops.forest.cfg.predecessors(ways[0]) != [branch]:
                return False
            facts = indices.facts(here)
            for other in others:
                told = indices.facts_on_edge(branch, other)
                if not any(self._contradicts(fact, facts, shared) for fact in told):
                    return False
            block = branch
        return True

    def _contradicts(self, fact: Sum, facts: list[Sum], shared: Collection[Loop]) -> bool:
        """Is what was told earlier in the iteration of the loops around not so where the facts hold?"""
        contrary = minus(constant(-1), fact)
        bounds = self.later.indices.bounds_in([contrary])
        return self._is_fixed(fact, shared) and follows(contrary, [*facts, *bounds])

    def _is_behind(self, store: Store, load: Load) -> bool:
        """Do they stand in one block, the load first?"""
        block = store.parent
        if block is None or block is not load.parent:
            return False
        return block.instructions.index(load) < block.instructions.index(store)

    def _comes_between(
        self, writer: Instruction, store: Store, load: Load, shared: Collection[Loop]
    ) -> bool:
        """May the writer change what was stored before it is loaded, in one iteration of the loops around?"""
        around = max(shared, key=lambda loop: loop.depth, default=None)
        block = writer.parent
        if block is None or (around is not None and block not in around):
            return False
        size = self.oracle.summaries.layout.size_of(load.type)
        if not self.oracle.may_write(writer, load.pointer, size):
            return False
        if not self.later.follows(store, writer, around):
            return False
        if not self.later.follows(writer, load, around):
            return False
        return not (isinstance(writer, Store) and self.later.never_read(writer, load, len(shared)))


__all__ = ["LeftValue", "LeftValues"]
