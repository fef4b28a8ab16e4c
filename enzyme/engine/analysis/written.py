"""Which parameters lead to the memory that a function writes: directly, or by addresses that are read there.

`modref` says of such writes that they go to other memory. Here addresses are followed to where they were read, and
through memory of the function's own, in which it keeps those that it was given (views, lists, objects).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from enzyme.engine.analysis.known_functions import lookup_known
from enzyme.engine.analysis.modref import Summaries
from enzyme.engine.analysis.objects import Objects
from enzyme.engine.ir.instructions import Call, Load, Store
from enzyme.engine.ir.module import Function, defined_callee
from enzyme.engine.ir.opcodes import ATOMICS
from enzyme.engine.ir.values import Argument, GlobalVariable, Value


@dataclass(frozen=True, slots=True)
class Written:
    """`parameters` lead to memory that is written for certain, as far as calls are known; addresses that `kept` lead to
    are written to memory of others; `is_complete` if there are no others of either."""

    parameters: frozenset[int]
    kept: frozenset[int]
    is_complete: bool


def written_by(function: Function, summaries: Summaries) -> Written:
    """What a function with a body writes; reference counts are not counted as such."""
    known = summaries.written.get(function)
    if known is None:
        # Of one that calls itself: all that it is given, until more is known.
        pointers = frozenset(a.index for a in function.args if a.type.is_pointer)
        summaries.written[function] = Written(pointers, pointers, is_complete=False)
        known = summaries.written[function] = _Walk(function, summaries).run()
    return known


class _Walk:
    """From written memory back to the parameters of one function."""

    def __init__(self, function: Function, summaries: Summaries) -> None:
        self.function = function
        self.summaries = summaries
        self.objects = Objects(function, summaries)
        self.is_complete = True
        # Addresses that are kept, and where.
        self.kept: list[tuple[Value, Value]] = []
        self.kept_by_others: list[Value] = []

    def run(self) -> Written:
        written = self._led_from(list(self._written()))
        kept = [v for target, v in self.kept if not self._is_own(target)] + self.kept_by_others
        return Written(written, self._led_from(kept), self.is_complete)

    def _led_from(self, pointers: list[Value]) -> frozenset[int]:
        found: set[int] = set()
        pending, visited = pointers, set(pointers)
        while pending:
            for origin in self.objects.underlying(pending.pop()):
                if isinstance(origin, Argument):
                    found.add(origin.index)
                more = self._behind(origin)
                pending += (value for value in more if value not in visited)
                visited.update(more)
        return frozenset(found)

    def _is_own(self, place: Value) -> bool:
        return all(map(self.objects.is_local, self.objects.underlying(place)))

    def _written(self) -> Iterator[Value]:
        for i in self.function.instructions():
            if isinstance(i, Store):
                yield i.pointer
                if i.value.type.is_pointer or i.value.type.is_aggregate:
                    self.kept.append((i.pointer, i.value))
            elif isinstance(i, Call):
                yield from self._written_by(i)
            elif i.opcode in ATOMICS:
                yield i.operands[0]

    def _written_by(self, call: Call) -> Iterator[Value]:
        known, callee = lookup_known(call), defined_callee(call)
        if known is None and callee is not None:
            theirs = written_by(callee, self.summaries)
            self.is_complete &= theirs.is_complete
            self.kept_by_others += (call.arguments[k] for k in theirs.kept)
            yield from (call.arguments[k] for k in theirs.parameters)
            return
        row = self.summaries.of(call)
        if known is None:
            self.is_complete &= not (row.writes or row.writes_other)
            return
        if known.kind == "memory" and known.reads:
            self.kept += ((call.arguments[0], call.arguments[k]) for k in known.reads)
        if known.kind != "free":
            yield from (call.arguments[k] for k in row.writes if k < len(call.arguments))

    def _behind(self, origin: Value) -> list[Value]:
        """Where an address may come from."""
        if isinstance(origin, Load):
            return [origin.pointer, *self._kept_in(origin.pointer)]
        if isinstance(origin, Argument | GlobalVariable) or self.objects.is_local(origin):
            return []
        if isinstance(origin, Call):
            return [a for a in origin.arguments if a.type.is_pointer]
        self.is_complete = False
        return []

    def _kept_in(self, place: Value) -> list[Value]:
        """The addresses that may have been kept where one is read."""
        mine = set(self.objects.underlying(place))
        return [
            value
            for target, value in self.kept
            if any(
                origin in mine
                or not (isinstance(origin, Argument) or self.objects.is_local(origin))
                for origin in self.objects.underlying(target)
            )
        ]


__all__ = ["Written", "written_by"]
