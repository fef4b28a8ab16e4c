"""How long a loop is at most, whatever iteration the loops around it are in: ``for k in range(j)`` for all `j`.

Counts are sums of counters of loops outside, which run from zero to the counts of these. So a bound has the last
value of a counter in place of what grows with it, and zero in place of what it is taken off. Where a loop is not
entered its count may be anything, which only matters if that is large; so there are no divisions here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from enzyme.engine.analysis.inductions import Induction, is_invariant
from enzyme.engine.analysis.loops import Loop
from enzyme.engine.derivatives.catalogue import entry_of
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.instructions import Call, Instruction, Phi
from enzyme.engine.ir.types import I64
from enzyme.engine.ir.values import ConstInt, Value

_DEPTH = 16
_LARGEST_FACTOR = 1 << 16


class CountBounds:
    """Bounds for one function, in terms of what is there in front of a loop outside."""

    def __init__(
        self,
        counters: Mapping[Loop, Phi],
        inductions: Mapping[Phi, Induction],
        counts: Mapping[Loop, Value],
    ) -> None:
        self.inductions = inductions
        self.counts = counts
        self._loop_of = {phi: loop for loop, phi in counters.items()}

    def exists(self, loop: Loop, outer: Loop, others: Collection[Loop]) -> bool:
        """Is there a bound, if no more is known of the iterations of `others` than how many there are?"""
        count = self.counts.get(loop)
        return count is not None and _Bound(self, outer, others, None).of(count, 1) is not None

    def emit(self, loop: Loop, outer: Loop, b: Builder) -> Value:
        found = _Bound(self, outer, None, b).of(self.counts[loop], 1)
        assert found is not None
        return found


class _Bound:
    """One bound, written by a builder, or without one only asked for."""

    def __init__(
        self,
        bounds: CountBounds,
        outer: Loop,
        others: Collection[Loop] | None,
        b: Builder | None,
    ) -> None:
        self.bounds = bounds
        self.outer = outer
        self.others = others
        self.b = b

    def of(self, value: Value, sign: int, depth: int = _DEPTH) -> Value | None:
        """The most that a number may be, or with the sign -1 the least; if nothing is written, any value says yes."""
        if is_invariant(value, self.outer):
            return value
        if value.type is not I64 or not depth or not isinstance(value, Instruction):
            return None
        if isinstance(value, Phi):
            return self._of_phi(value, sign, depth - 1)
        if isinstance(value, Call):
            entry = entry_of(value)
            if entry is None or not entry.chooses:
                return None
            return self._both(value.callee_name, value.arguments, sign, sign, depth)
        match value.opcode, value.operands:
            case "add" | "sub" as how, [one, other]:
                return self._both(how, (one, other), sign, sign if how == "add" else -sign, depth)
            case "mul", [one, ConstInt() as factor]:
                return self._times(one, factor.value, sign, depth)
            case "select", [_, one, other] if sign > 0:
                return self._both("llvm.smax.i64", (one, other), sign, sign, depth)
        return None

    def _of_phi(self, phi: Phi, sign: int, depth: int) -> Value | None:
        loop = self.bounds._loop_of.get(phi)
        if loop is not None:
            return self._of_counter(loop, sign, depth)
        induction = self.bounds.inductions.get(phi)
        if induction is None or not isinstance(induction.step, ConstInt):
            return None
        step = -induction.step.value if induction.negative else induction.step.value
        if abs(step) > _LARGEST_FACTOR:
            return None
        start = self.of(induction.start, sign, depth)
        counter = self._of_counter(induction.loop, sign if step > 0 else -sign, depth)
        if start is None or counter is None or self.b is None:
            return None if start is None or counter is None else phi
        return self.b.iadd(start, self.b.imul(counter, ConstInt(I64, step)))

    def _of_counter(self, loop: Loop, sign: int, depth: int) -> Value | None:
        if self.others is not None and loop not in self.others:
            return None
        if sign < 0:
            return ConstInt(I64, 0)
        count = self.bounds.counts.get(loop)
        return None if count is None else self.of(count, 1, depth)

    def _times(self, value: Value, factor: int, sign: int, depth: int) -> Value | None:
        if abs(factor) > _LARGEST_FACTOR:
            return None
        found = self.of(value, sign if factor > 0 else -sign, depth - 1)
        if found is None or self.b is None:
            return found
        return self.b.imul(found, ConstInt(I64, factor))

    def _both(
        self, how: str, values: Collection[Value], sign: int, other_sign: int, depth: int
    ) -> Value | None:
        first, second = values
        one, other = self.of(first, sign, depth - 1), self.of(second, other_sign, depth - 1)
        if one is None or other is None or self.b is None:
            return None if one is None or other is None else one
        if how in ("add", "sub"):
            return self.b.binary(how, one, other)
        return self.b.call_named(how, I64, [one, other])
