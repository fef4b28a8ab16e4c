"""Along which loops a kept value is stored, and how long these loops are before they run.

A value has room for every iteration of the loops that it varies with, in one of three ways:

* *indexed* by these loops, where the lengths of all are known before the nest.  In iterations of other loops the
  value is stored under the same index again, and if they make the loops shorter or longer (`synthesis.count_bounds`),
  there is room for the longest;
* in records, one for each iteration of a *growing* loop and all around it, indexed by the loops inside of it;
* in records of a single value, one for each iteration of the innermost loop.

Iterations of fused loops (`synthesis.fused`) are reversed before the next one begins: there is room for one.

A record has room for the whole of the indexed loops, so it is made only where every iteration of the growing loop
runs them, or none.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

from enzyme.engine.analysis.dominance import Dominators
from enzyme.engine.analysis.inductions import is_invariant
from enzyme.engine.analysis.loops import Loop, LoopForest
from enzyme.engine.analysis.value_ranges import facts_on_edge
from enzyme.engine.analysis.variance import Variance
from enzyme.engine.derivatives.catalogue import is_of_indices
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.clone import clone_instruction
from enzyme.engine.ir.dispatch import Selection
from enzyme.engine.ir.instructions import (
    Call,
    Instruction,
)
from enzyme.engine.ir.opcodes import BINARY_INT, CASTS
from enzyme.engine.ir.types import I64
from enzyme.engine.ir.values import ConstInt, Value
from enzyme.engine.synthesis.count_bounds import CountBounds

HOISTABLE = Selection(
    "cache_layout",
    "the length of a loop may be computed by it in front of another loop",
    BINARY_INT | CASTS | {"icmp", "select"},
)


@dataclass(frozen=True, slots=True)
class Home:
    """`growing`: the loop with a record per iteration, if any; `indexed`: the loops that index the
    storage or a record; `outer`: the outermost loop around; all empty outside of loops."""

    growing: Loop | None = None
    indexed: tuple[Loop, ...] = ()
    outer: Loop | None = None

    @property
    def depth(self) -> int:
        return len(self.indexed) + (0 if self.growing is None else self.growing.depth)

    @property
    def loops(self) -> tuple[Loop, ...]:
        """All loops that tell values apart, outermost first."""
        return (() if self.growing is None else nest_of(self.growing)) + self.indexed


class CacheLayout:
    """The home of each value of one function; `bounds` knows the loops whose length is an expression, `fused` are those
    whose iterations share their room."""

    def __init__(
        self,
        forest: LoopForest,
        dominators: Dominators,
        variance: Variance,
        bounds: CountBounds,
        fused: Container[Loop] = (),
    ) -> None:
        self.fused = fused
        self.forest = forest
        self.dominators = dominators
        self.variance = variance
        self.bounds = bounds
        self.counts = bounds.counts
        self._known: dict[tuple[Loop, Loop, frozenset[Loop]], bool] = {}

    def of(self, value: Value) -> Home:
        if not isinstance(value, Instruction) or value.parent is None:
            return Home()
        innermost = self.forest.loop_of(value.parent)
        varies = self.variance.loops(value)
        if innermost is None or not varies:
            return Home()
        nest = nest_of(innermost)
        shared = max((k for k, loop in enumerate(nest, 1) if loop in self.fused), default=0)
        home = [loop for loop in nest[shared:] if loop in varies]
        if not home:
            return Home()
        indexed: list[Loop] = []
        others = frozenset(loop for loop in nest[shared:] if loop not in varies)
        while home and self._is_known(home[-1], nest[0], others):
            indexed.insert(0, home.pop())
        if not home:
            return Home(None, tuple(indexed), nest[0])
        growing = home[-1]
        if indexed and not self.runs_always(nest[growing.depth], growing):
            return Home(innermost, (), nest[0])
        return Home(growing, tuple(indexed), nest[0])

    def runs_always(self, inner: Loop, outer: Loop) -> bool:
        """Does every complete iteration of `outer` come to `inner`, or none does?

        Loops are guarded by a test whether they run at all, which is the same in all iterations.
        """
        block = inner.preheader
        while block is not None and block in outer:
            if all(self.dominators.dominates(block, latch) for latch in outer.latches):
                return True
            block = self.dominators.idom(block)
            terminator = None if block is None else block.terminator
            if terminator is None or terminator.opcode != "br":
                return False
            if len(terminator.operands) == 3 and self._varies(terminator.operands[0], outer):
                return False
        return False

    def _varies(self, value: Value, loop: Loop) -> bool:
        inside = isinstance(value, Instruction) and value.parent in loop
        return inside and loop in self.variance.loops(value)

    def _is_known(self, loop: Loop, outer: Loop, others: frozenset[Loop]) -> bool:
        """Can the length of the loop be computed before `outer` begins, or how long it is at most, whatever the
        iterations of `others`?"""
        key = (loop, outer, others)
        found = self._known.get(key)
        if found is None:
            found = is_known_before(outer, self.counts.get(loop))
            found = found or self.bounds.exists(loop, outer, others)
            self._known[key] = found
        return found

    def has_room(self, loop: Loop, outer: Loop) -> bool:
        """Is there room for as many iterations as the loop counts, whether it is entered or not?"""
        count = self.counts.get(loop)
        return count is not None and is_known_before(outer, count) and not _divides(count)

    def extent(self, loop: Loop, outer: Loop) -> Value:
        """Executions of the loop's header, or the most of them, computed in front of `outer`."""
        assert outer.preheader is not None
        count = self.counts[loop]
        exact = _hoist(count, outer) if is_known_before(outer, count) else None
        tests: list[tuple[Value, bool]] = []
        if exact is not None and _divides(count):
            found = self._entered_if(loop, outer)
            tests = [(_hoist(test, outer), holds) for test, holds in found]
        b = Builder()
        b.before(outer.preheader.terminator)
        # A loop that is never entered may have any count here.
        count = self.bounds.emit(loop, outer, b) if exact is None else exact
        extent = b.iadd(count, ConstInt(I64, 1), "extent")
        extent = b.call_named("llvm.smax.i64", I64, [extent, ConstInt(I64, 1)], "extent")
        for test, holds in tests:
            arms = (extent, ConstInt(I64, 1))
            extent = b.select(test, *(arms if holds else arms[::-1]))
        return extent

    def _entered_if(self, loop: Loop, outer: Loop) -> list[tuple[Value, bool]]:
        """Comparisons that are known before `outer` begins and come out like that wherever the loop is entered: a count
        that is divided is large where the loop does not run, and what is divided negative."""
        found: list[tuple[Value, bool]] = []
        block = loop.preheader
        while block is not None and len(found) < _MOST_TESTS:
            above = self.dominators.idom(block)
            if above is not None and self.forest.cfg.predecessors(block) == [above]:
                around = self.forest.loop_of(above)
                # A loop that is over may be one that the forward pass does not run.
                is_over = around is not None and outer.header not in around and above not in outer
                for test, holds in () if is_over else facts_on_edge(above, block):
                    cost = _hoist_cost(test, outer)
                    if cost is not None and cost < _MOST_HOISTED:
                        found.append((test, holds))
            block = above
        return found


def is_known_before(loop: Loop, count: Value | None) -> bool:
    """Can the length of a loop inside be computed before this one begins?"""
    return count is not None and _hoist_cost(count, loop) is not None


def nest_of(loop: Loop) -> tuple[Loop, ...]:
    return tuple(reversed(list(loop.ancestors())))


_MOST_HOISTED = 64
_MOST_TESTS = 4


def _divides(count: Value, depth: int = 4) -> bool:
    """Is a count the quotient of another number, or made of one?"""
    if not isinstance(count, Instruction) or not depth:
        return False
    if count.opcode in ("udiv", "lshr"):
        return True
    return any(_divides(operand, depth - 1) for operand in count.operands)


def _hoist_cost(value: Value, loop: Loop, limit: int = _MOST_HOISTED) -> int | None:
    """Instructions to copy so that the value is computed before the loop, or None if that is impossible."""
    if is_invariant(value, loop):
        return 0
    if limit <= 0:
        return None
    assert isinstance(value, Instruction)
    pure = value.opcode in HOISTABLE and value.opcode not in ("udiv", "sdiv", "urem", "srem")
    division = value.opcode == "udiv" and isinstance(value.operands[1], ConstInt)
    extremum = isinstance(value, Call) and is_of_indices(value)
    if not (pure or division or extremum):
        return None
    total = 1
    for operand in value.arguments if isinstance(value, Call) else value.operands:
        cost = _hoist_cost(operand, loop, limit - 1)
        if cost is None or total > _MOST_HOISTED:
            return None
        total += cost
    return total


def _hoist(value: Value, loop: Loop) -> Value:
    if is_invariant(value, loop):
        return value
    assert isinstance(value, Instruction) and loop.preheader is not None
    operands = value.arguments if isinstance(value, Call) else value.operands
    mapping = {o: _hoist(o, loop) for o in operands}
    copy = clone_instruction(value, mapping)
    loop.preheader.insert(len(loop.preheader.instructions) - 1, copy)
    return copy
