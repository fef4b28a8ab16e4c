"""Arrays that each iteration of a loop fills anew before it reads them.

A loop over observations computes distances into a work array and then works on it.  Nothing passes from one iteration
to the next through such an array, so an iteration can be run at another time.

What must be seen of an array that belongs to a loop: the function made it, nobody else has it, and all that reads or
writes it stands in the loop.  In the loop, a loop further inside writes the whole of it, from the first element to the
last, before anything is read: it comes before each of the reads, or control goes past it only where the array is empty.
"""

from __future__ import annotations

from collections.abc import Iterable

from enzyme.engine.analysis.addresses import multiple_of
from enzyme.engine.analysis.alias import AliasOracle
from enzyme.engine.analysis.inductions import is_invariant
from enzyme.engine.analysis.known_functions import lookup_known
from enzyme.engine.analysis.loops import Loop
from enzyme.engine.ir.instructions import Call, Cmp, Instruction, Load, Phi, Store
from enzyme.engine.ir.module import Block
from enzyme.engine.ir.types import FloatType
from enzyme.engine.ir.values import ConstInt, Value
from enzyme.engine.preprocess.canonical_loops import latch_of, preheader_of
from enzyme.engine.synthesis.prepare import CanonicalFunction

_COUNTS = ("retain", "release", "hint")


class WorkArrays:
    """Those of one function."""

    def __init__(self, p: CanonicalFunction, oracle: AliasOracle) -> None:
        self.p = p
        self.oracle = oracle
        self._accesses: dict[Value, list[Instruction]] | None = None
        self._touched: set[Value] = set()

    def of(self, loop: Loop, stores: Iterable[Store]) -> set[Value] | None:
        """The arrays that the stores of a loop write to, if each belongs to the loop; None otherwise."""
        found: dict[Value, list[Store]] = {}
        for store in stores:
            array = self._array_of(store.pointer)
            if array is None or store.flags or store.suffix or not _is_number(store.value):
                return None
            found.setdefault(array, []).append(store)
        for array, writers in found.items():
            if not self._belongs(array, loop, writers):
                return None
        return set(found)

    def array_of(self, load: Load) -> Value | None:
        """The array of the function's own that a load reads from, if there is only one."""
        return self._array_of(load.pointer)

    def _array_of(self, pointer: Value) -> Value | None:
        origins = self.oracle.underlying(pointer)
        return origins[0] if len(origins) == 1 and isinstance(origins[0], Call) else None

    def _belongs(self, array: Value, loop: Loop, writers: list[Store]) -> bool:
        assert isinstance(array, Call)
        known = lookup_known(array)
        if known is None or known.kind != "allocate" or known.size_operand is None:
            return False
        if known.count_operand is not None or known.movable_data or array.parent in loop:
            return False
        if self.oracle.escapes(array) or self.oracle.outlives(array):
            return False
        accesses = self._all_accesses().get(array, [])
        if array in self._touched or any(i.parent not in loop for i in accesses):
            return False
        readers = [i for i in accesses if isinstance(i, Load)]
        size = array.arguments[known.size_operand]
        return any(
            all(self._comes_before(filling, length, reader, loop) for reader in readers)
            for store in writers
            if (found := self._filled(store, size)) is not None
            for filling, length in [found]
        )

    def _all_accesses(self) -> dict[Value, list[Instruction]]:
        """The loads and stores of each allocation; what others do with one, `_touched` knows."""
        if self._accesses is not None:
            return self._accesses
        self._accesses = {}
        for i in self.p.function.instructions():
            if isinstance(i, Load | Store):
                if isinstance(i, Load) and i.type.is_pointer:
                    continue  # where the data are
                for origin in self.oracle.underlying(i.pointer):
                    self._accesses.setdefault(origin, []).append(i)
            elif not i.is_terminator and i.opcode not in _PLUMBING:
                known = lookup_known(i) if isinstance(i, Call) else None
                if known is not None and known.kind in _COUNTS:
                    continue
                for operand in i.arguments if isinstance(i, Call) else i.operands:
                    if operand.type.is_pointer:
                        self._touched.update(self.oracle.underlying(operand))
        return self._accesses

    # Filling ------------------------------------------------------------------------------------------

    def _filled(self, store: Store, size: Value) -> tuple[Loop, Value] | None:
        """The loop whose iterations write one element each, from the first of the array to the last, and the
        number of elements; None where it is not seen that they do."""
        assert store.parent is not None
        loop = self.p.forest.loop_of(store.parent)
        if loop is None or not self.p.dominators.dominates(store.parent, latch_of(loop)):
            return None
        base, offset, steps = self.oracle.objects.address(store.pointer)
        if offset or len(steps) != 1 or isinstance(base, Value) or base[1] != "data":
            return None
        (scale, index) = steps[0]
        length = self._counts_to(loop)
        if length is None or scale <= 0 or not self._steps_from_zero(index, loop):
            return None
        if not isinstance(store.value.type, FloatType) or store.value.type.bits != 8 * scale:
            return None
        return (loop, length) if _is_product(size, length, scale) else None

    def _steps_from_zero(self, index: Value, loop: Loop) -> bool:
        if not isinstance(index, Phi) or index.parent is not loop.header:
            return False
        if index is self.p.counters[loop]:
            return True
        found = self.p.inductions.get(index)
        return (
            found is not None
            and found.loop is loop
            and not found.negative
            and isinstance(found.step, ConstInt)
            and found.step.value == 1
            and isinstance(found.start, ConstInt)
            and found.start.value == 0
        )

    def _counts_to(self, loop: Loop) -> Value | None:
        """The number with which, and with no other, the loop ends when it has counted so far from zero."""
        latch = latch_of(loop)
        ways = [b for b, end in loop.exit_edges if end not in self.p.cold]
        if ways != [latch] or len(latch.terminator.operands) != 3:
            return None
        test, then, _ = latch.terminator.operands
        if not isinstance(test, Cmp) or test.predicate != ("ne" if then is loop.header else "eq"):
            return None
        for next_, length in (test.operands, test.operands[::-1]):
            for phi in loop.header.phis():
                if phi.value_from(latch) is next_ and self._steps_from_zero(phi, loop):
                    return length if is_invariant(length, loop) else None
        return None

    def _comes_before(self, filling: Loop, length: Value, reader: Instruction, loop: Loop) -> bool:
        """In each iteration of `loop`, does `filling` run before the reader, unless the length is zero?"""
        assert reader.parent is not None
        if reader.parent in filling:
            return False
        dominates = self.p.dominators.dominates
        start = preheader_of(filling)
        if dominates(start, reader.parent):
            return start in loop
        sources = self.p.predecessors(start)
        guard = sources[0] if len(sources) == 1 else None
        return (
            guard is not None
            and guard in loop
            and dominates(guard, reader.parent)
            and _passes_if_empty(guard, start, length)
        )


_PLUMBING = frozenset("getelementptr bitcast addrspacecast icmp ptrtoint".split())


def _is_number(value: Value) -> bool:
    return value.type.is_float or value.type.is_int


def _is_product(size: Value, length: Value, unit: int) -> bool:
    """Is the size so many times the unit?"""
    if isinstance(size, ConstInt) and isinstance(length, ConstInt):
        return size.value == length.value * unit
    found = multiple_of(size)
    return found is not None and found[0] is length and found[1] == unit


_EMPTY = {("eq", 0), ("slt", 1), ("sle", 0), ("ult", 1)}
_NOT_EMPTY = {("ne", 0), ("sgt", 0), ("sge", 1), ("ugt", 0), ("uge", 1)}


def _passes_if_empty(guard: Block, start: Block, length: Value) -> bool:
    """Does control go to `start` unless the length is zero, or less?"""
    end = guard.terminator
    if end.opcode != "br" or len(end.operands) != 3 or end.operands[1] is end.operands[2]:
        return False
    test, then, _ = end.operands
    if not isinstance(test, Cmp) or test.operands[0] is not length:
        return False
    bound = test.operands[1]
    form = (test.predicate, bound.value) if isinstance(bound, ConstInt) else None
    return form in (_NOT_EMPTY if then is start else _EMPTY)
