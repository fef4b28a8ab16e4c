"""In which loops does a value differ from iteration to iteration?

A row of a matrix-vector product reads the same vector in every row: ``x[j]`` in loops over `i` and `j` varies with
`j` alone as long as nobody writes `x` in these loops.  A value that is kept for the reverse pass needs room only
along the loops it varies with; this is what keeps memory once per version and not once per load.

Invariant: for one iteration of all loops in the answer, every execution gives the same value.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from enzyme.engine.analysis.inductions import Induction
from enzyme.engine.analysis.known_functions import effects_of
from enzyme.engine.analysis.loops import Loop, LoopForest
from enzyme.engine.ir.instructions import Alloca, Call, Instruction, Load, Phi
from enzyme.engine.ir.values import Value

Loops = frozenset[Loop]


class Variance:
    """Answers for one function; `written_in(load, loop)`: may the loop write what the load reads?"""

    def __init__(
        self,
        forest: LoopForest,
        counters: Collection[Phi],
        inductions: dict[Phi, Induction],
        written_in: Callable[[Load, Loop], bool],
    ) -> None:
        self.forest = forest
        self.counters = counters
        self.inductions = inductions
        self.written_in = written_in
        self._found: dict[Value, Loops] = {}

    def loops(self, value: Value) -> Loops:
        """The loops around the value's definition that it varies with."""
        if not isinstance(value, Instruction) or value.parent is None:
            return frozenset()
        pending = [value]
        while pending:
            known = self._found.get(pending[-1])
            if known is not None:
                pending.pop()
                continue
            around = frozenset(self._around(pending[-1]))
            missing = self._missing(pending[-1], around)
            if missing:
                pending.append(missing)
            else:
                found = pending.pop()
                self._found[found] = self._varying(found, around) & around
        return self._found[value]

    def varies_with(self, value: Value, loops: Loops) -> None:
        """Say with which loops a value varies."""
        self._found[value] = loops

    def _missing(self, value: Instruction, around: Loops) -> Instruction | None:
        """An operand whose loops `_varying` is about to ask for."""
        if not around or isinstance(value, Alloca):
            return None
        asked: Collection[Value] = value.operands
        if isinstance(value, Phi):
            induction = None if value in self.counters else self.inductions.get(value)
            asked = () if induction is None else (induction.start, induction.step)
        elif isinstance(value, Call):
            asked = value.arguments
        for operand in asked:
            if isinstance(operand, Instruction) and operand.parent is not None:
                if operand not in self._found and around.issuperset(self._around(operand)):
                    return operand
        return None

    def _around(self, value: Instruction) -> list[Loop]:
        assert value.parent is not None
        loop = self.forest.loop_of(value.parent)
        return [] if loop is None else list(loop.ancestors())

    def _varying(self, value: Instruction, around: Loops) -> Loops:
        if not around or isinstance(value, Alloca):
            return frozenset()
        if isinstance(value, Phi):
            if value in self.counters:
                assert value.parent is not None
                return frozenset(loop for loop in around if loop.header is value.parent)
            induction = self.inductions.get(value)
            if induction is None:
                return around
            return self._of_all((induction.start, induction.step), around) | {induction.loop}
        if isinstance(value, Load):
            written = {loop for loop in around if self.written_in(value, loop)}
            return self._of_all((value.pointer,), around) | written
        if isinstance(value, Call):
            effects = effects_of(value)
            depends = effects.reads or effects.writes or effects.reads_other or effects.writes_other
            if depends or effects.allocates or effects.kind not in ("pure", "external"):
                return around
            return self._of_all(value.arguments, around)
        return self._of_all(value.operands, around)

    def _of_all(self, operands: Collection[Value], around: Loops) -> Loops:
        found: set[Loop] = set()
        for operand in operands:
            if isinstance(operand, Instruction) and not around.issuperset(self._around(operand)):
                return around  # from a loop that is over: it depends on how often that ran
            found |= self.loops(operand)
        return frozenset(found)
