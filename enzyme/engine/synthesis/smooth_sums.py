"""Loops that add up in the order of the program, and whether vectors help them: LLVM has one answer for all of them.

It adds the numbers one by one then, and computes what they are made of in vectors. Where they have to be gathered for
that, that takes longer than the sum.
"""

from __future__ import annotations

from collections.abc import Iterator

from enzyme.engine.analysis.later_writes import LaterWrites
from enzyme.engine.analysis.loops import Loop
from enzyme.engine.ir.datalayout import DataLayout
from enzyme.engine.ir.instructions import Instruction, Load, Store
from enzyme.engine.ir.types import FloatType
from enzyme.engine.synthesis.prepare import CanonicalFunction
from enzyme.engine.synthesis.sums import is_looked_up, sum_of


class SmoothSums:
    """Answers for the loops of one function."""

    def __init__(self, p: CanonicalFunction, layout: DataLayout, later: LaterWrites) -> None:
        self.p = p
        self.layout = layout
        self.later = later

    def are_all(self) -> bool:
        """Is there no loop that adds up numbers from here and there?"""
        return all(map(self.is_smooth, self.p.forest.loops))

    def is_smooth(self, loop: Loop) -> bool:
        """Does the loop read one number after the other, if it adds up at all?"""
        if loop.children or loop.header in self.p.cold or not self._adds_up(loop):
            return True
        return all(self._reads_on(i, loop) for i in _of(loop) if isinstance(i, Load))

    def _adds_up(self, loop: Loop) -> bool:
        """Is there a sum in order, in a register or in a place in memory?"""
        for phi in loop.header.phis():
            sum_ = sum_of(phi, loop) if isinstance(phi.type, FloatType) else None
            if sum_ is not None and not any(map(_is_fast, sum_)):
                return True
        stores = (i for i in _of(loop) if isinstance(i, Store))
        return any(
            isinstance(i.value, Instruction)
            and i.value.opcode in ("fadd", "fsub")
            and not _is_fast(i.value)
            and self.later.step(i, loop) == 0
            for i in stores
        )

    def _reads_on(self, load: Load, loop: Loop) -> bool:
        size = self.layout.size_of(load.type)
        return abs(self.later.step(load, loop)) in (0, size) and not is_looked_up(
            load.pointer, loop
        )


def _of(loop: Loop) -> Iterator[Instruction]:
    for block in loop.blocks:
        yield from block.instructions


def _is_fast(i: Instruction) -> bool:
    return "reassoc" in i.flags or "fast" in i.flags
