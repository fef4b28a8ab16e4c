"""What does a load find that a store in this function has left? Which value, and as which iteration computed it?

A work array is filled in one loop and read in another one, or by later iterations of the same loop: ``z[j] = s / c``,
and then ``z[k]`` for all ``k < j``. Of such a load it is known here that it finds what iteration `k` of the loop over
`j` stored, in the same iterations of the loops around that.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from enzyme.engine.analysis.alias import AliasOracle
from enzyme.engine.analysis.integer_sums import (
    Product,
    Sum,
    constant,
    follows,
    minus,
    plus,
    substituted,
)
from enzyme.engine.analysis.later_writes import LaterWrites, is_within, parted
from enzyme.engine.analysis.loops import Loop
from enzyme.engine.ir.instructions import Instruction, Load, Store
from enzyme.engine.ir.module import Block
from enzyme.engine.ir.values import Value

# So many loads of one function are looked at, and so many stores for each.
_MOST_LOADS = 500
_MOST_STORES = 16


@dataclass(frozen=True, slots=True, eq=False)
class LeftValue:
    """`value` as it was computed with these numbers in the counters of loops, which are in one another, outermost
    first, in the same iterations of the loops around them."""

    value: Value
    indices: Mapping[Loop, Sum]


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
        if load not in self._known and len(self._known) < _MOST_LOADS:
            self._known[load] = self._find(load)
        return self._known.get(load)

    def _find(self, load: Load) -> LeftValue | None:
        if load.flags or load.suffix or load.parent is None or self.later.loops.forest.irreducible:
            return None
        size = self.oracle.summaries.layout.size_of(load.type)
        writers = list(self.writers(load.pointer, size))
        stores = (w for w in writers if isinstance(w, Store) and w.value.type is load.type)
        ways = (self.left_by(s, load, size, writers) for s in islice(stores, _MOST_STORES))
        return next((way for way in ways if way is not None), None)

    def left_by(
        self, store: Store, load: Load, size: int, writers: Collection[Instruction]
    ) -> LeftValue | None:
        """The value, if each time it runs the load finds what one iteration of the loops around the store left."""
        here, there = load.parent, store.parent
        assert here is not None
        if there is None or store.flags or store.suffix:
            return None
        shared = self.later.common(here, there)
        innermost = self.later.loops.forest.loop_of(there)
        around = [] if innermost is None else list(reversed(list(innermost.ancestors())))
        loops = around[len(shared) :]
        if not loops and shared:
            loops = [shared.pop()]
        indices = self.indices(store, load, size, loops, shared) if loops else None
        if indices is None or not self._has_run(store, load, shared, indices):
            return None
        if any(self.comes_between(w, store, load, shared) for w in writers if w is not store):
            return None
        return LeftValue(store.value, indices)

    def indices(
        self,
        store: Store,
        load: Load,
        size: int,
        loops: Sequence[Loop],
        shared: Collection[Loop],
        given: Mapping[Loop, Sum] | None = None,
    ) -> dict[Loop, Sum] | None:
        """In which iteration of the loops the store's address was that of the load for the last time; of some, which
        the address does not vary with, that is given."""
        later, counter = self.later, self.later.indices.counter
        assert load.parent is not None and store.parent is not None
        base, mine = later.address(load.pointer, load.parent)
        other, yours = later.address(store.pointer, store.parent)
        owner = base[0] if isinstance(base, tuple) else base
        if base != other or not later.is_one(owner, shared):
            return None
        found: dict[Loop, Sum] = dict(given or {})
        if any(counter(loop) in product for loop in found for p in (mine, yours) for product in p):
            return None
        strides: list[tuple[Loop, tuple[Product, int]]] = []
        lasts: list[Loop] = []
        for loop in loops:
            terms = [(product, n) for product, n in yours.items() if counter(loop) in product]
            if loop in found:
                continue
            if not terms:
                # Whatever earlier iterations stored, the last one did so again.
                last = self.last(loop, store)
                counted = () if given else found
                if last is None or load.parent in loop or not self.is_fixed(last, shared, counted):
                    return None
                found[loop] = last
                lasts.append(loop)
            elif len(terms) == 1:
                factors = list(terms[0][0])
                factors.remove(counter(loop))
                if not self.is_fixed({tuple(factors): 1}, shared):
                    return None
                strides.append((loop, (tuple(factors), terms[0][1])))
            else:
                return None
        moving = {counter(loop) for loop in loops}
        rest = {p: n for p, n in yours.items() if moving.isdisjoint(p)}
        if not strides or not self.is_fixed(rest, shared):
            return None
        # The longest strides first.
        strides.sort(key=lambda each: (len(each[1][0]), abs(each[1][1])), reverse=True)
        distance, own = minus(mine, rest), minus(yours, rest)
        bounds = later.indices.bounds_in([mine, yours])
        facts = [*later.indices.facts(load.parent), *bounds]
        its_facts = [*later.indices.facts(store.parent), *bounds]
        for loop, stride in strides[:-1]:
            rows, distance = parted(distance, stride)
            _, own = parted(own, stride)
            if stride[1] % size:
                return None
            if not is_within(distance, stride, facts) or not is_within(own, stride, its_facts):
                return None
            found[loop] = rows
        loop, (product, step) = strides[-1]
        if product or abs(step) != size or any(n % size for n in distance.values()):
            return None
        found[loop] = {p: n // step for p, n in distance.items()}
        indices: dict[Loop, Sum] = {}
        for loop in loops:
            index = self._moved(found[loop], indices) if loop in lasts else found[loop]
            if index is None:
                return None
            indices[loop] = index
        return indices

    def _moved(self, total: Sum, indices: Mapping[Loop, Sum]) -> Sum | None:
        """A sum in which loops are in the iterations that they had."""
        made: Sum | None = total
        for loop, index in indices.items():
            if made is not None:
                made = substituted(made, self.later.indices.counter(loop), index)
        return made

    def is_fixed(
        self, total: Sum, shared: Collection[Loop], counted: Collection[Loop] = ()
    ) -> bool:
        """Is a sum, but for the counters of some loops, the same as long as the `shared` ones are in one iteration?"""
        home = self.later.indices.home
        counters = {self.later.indices.counter(loop) for loop in counted}
        unknowns = {number for product in total for number in product} - counters
        return all(home[n] is None or home[n] in shared for n in unknowns)

    def last(
        self,
        loop: Loop,
        store: Store,
        here: Block | None = None,
        shared: Collection[Loop] = (),
        known: Collection[Sum] = (),
    ) -> Sum | None:
        """The last iteration in which the store is certain to run, when the loop is over, where control is `here` and
        something may be `known`."""
        loops, there = self.later.loops, store.parent
        count = loops.trips.get(loop)
        if count is None or loop.preheader is None or there is None:
            return None
        last = self.later.indices.of(count, loop.preheader)
        ran = self.in_each_iteration(loop, there)
        ends = [block for block, target in loop.exit_edges if not self.fails(target)]
        if here is None:
            runs = [loops.dominators.dominates(ran, block) for block in ends]
        else:
            runs = [self.is_entered(ran, here, shared, block, known) for block in ends]
            if not all(runs) and any(
                self.later.follows(store, block.terminator, loop) for block in ends
            ):
                return None
        return last if all(runs) else plus(last, constant(-1))

    def in_each_iteration(self, loop: Loop, block: Block) -> Block:
        """The block, or the preheader of the loop in this one that it is in."""
        inner = self.later.loops.forest.loop_of(block)
        while inner is not None and inner is not loop:
            block, inner = inner.preheader or block, inner.parent
        return block

    def _has_run(
        self, store: Store, load: Load, shared: Collection[Loop], indices: Mapping[Loop, Sum]
    ) -> bool:
        """Is it certain that these iterations of the loops have run the store when the load comes?"""
        loops, known = self.later.loops, self.later.indices
        here, there = load.parent, store.parent
        assert here is not None and there is not None
        dominates = loops.dominators.dominates
        outermost = next(iter(indices))
        behind = here not in outermost
        around = max(shared, key=lambda loop: loop.depth, default=None)
        if behind and (
            outermost.preheader is None
            or self.later.follows(load, store, around)
            or not self.is_entered(outermost.preheader, here, shared)
        ):
            return False
        before: dict[Loop, Sum] = {}
        for loop, index in indices.items():
            ran = self.in_each_iteration(loop, there)
            if not all(dominates(ran, latch) for latch in loop.latches):
                return False
            last: Sum | None
            if behind:
                last = self.last(loop, store)
                if last is None or not self.is_fixed(last, shared, before):
                    return False
                last = self._moved(last, before)
                if last is None:
                    return False
            else:
                last = plus({(known.counter(loop),): 1}, constant(-1))
                if dominates(there, here) and not self._is_behind(store, load):
                    last = plus(last, constant(1))
            facts = [*known.facts(here), *known.bounds_in([index, last])]
            if not follows(index, facts) or not follows(minus(last, index), facts):
                return False
            before[loop] = index
        return True

    def is_entered(
        self,
        block: Block,
        here: Block,
        shared: Collection[Loop],
        until: Block | None = None,
        known: Collection[Sum] = (),
    ) -> bool:
        """Is it certain that control was in the block when it comes here, in one iteration of the loops around?

        Every way around the block begins with a comparison that comes out otherwise here, where more may be `known`.
        Or that control was there in each iteration that got as far as `until`, of a loop inside of these.
        """
        loops, indices = self.later.loops, self.later.indices
        dominates = loops.dominators.dominates
        if until is None and dominates(here, block):
            return False  # control comes there later
        while not dominates(block, until or here):
            branch = loops.dominators.idom(block)
            if branch is None or branch.terminator.opcode != "br":
                return False
            around = loops.forest.loop_of(branch)
            passed = None if around is None else self._passed(around, block, until or here)
            if passed is not None:
                block = passed
                continue
            if until is None and around is not None and around not in shared:
                return False
            targets = branch.successors()
            ways = [t for t in targets if t is block or dominates(t, block)]
            others = [t for t in targets if t not in ways and not self.fails(t)]
            if len(ways) != 1 or loops.forest.cfg.predecessors(ways[0]) != [branch]:
                return False
            facts = [*indices.facts(here), *known]
            for other in others:
                told = indices.facts_on_edge(branch, other)
                if not any(self._contradicts(fact, facts, shared) for fact in told):
                    return False
            block = branch
        return True

    def _passed(self, loop: Loop, block: Block, until: Block) -> Block | None:
        """The preheader of the loop, or of one around it, that control leaves to a block alone, if it has left it by
        the time that it comes to `until`."""
        while loop.parent is not None and block not in loop.parent:
            loop = loop.parent
        ends = {target for _, target in loop.exit_edges if not self.fails(target)}
        is_over = block not in loop and until not in loop and ends == {block}
        return loop.preheader if is_over else None

    def _contradicts(self, fact: Sum, facts: list[Sum], shared: Collection[Loop]) -> bool:
        """Is what was told earlier in the iteration of the loops around not so where the facts hold?"""
        contrary = minus(constant(-1), fact)
        bounds = self.later.indices.bounds_in([contrary])
        return self.is_fixed(fact, shared) and follows(contrary, [*facts, *bounds])

    def _is_behind(self, store: Store, load: Load) -> bool:
        """Do they stand in one block, the load first?"""
        block = store.parent
        if block is None or block is not load.parent:
            return False
        return block.instructions.index(load) < block.instructions.index(store)

    def comes_between(
        self, writer: Instruction, store: Instruction, load: Load, shared: Collection[Loop]
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
