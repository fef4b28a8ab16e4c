"""Calls of functions that stay calls: their augmented form going forward, their reverse form going back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from enzyme.engine.analysis.kinds import Activity
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.module import Function
from enzyme.engine.ir.types import VOID, Type
from enzyme.engine.ir.values import Value, zero_of


class CallAdjointEmitter(Protocol):
    """What the reverse of a call may ask for."""

    b: Builder

    def each_lane(self) -> Iterator[int]: ...

    def lookup(self, value: Value) -> Value: ...

    def take(self, value: Value) -> Value: ...

    def add(self, value: Value, contribution: Value) -> None: ...

    def is_active(self, value: Value) -> bool: ...

    def adjoint_type(self, value: Value) -> Type: ...

    def arena(self) -> Value: ...


class Site(Protocol):
    """A call whose adjoint is code of its own, for all lanes together."""

    def emit_reverse(self, r: CallAdjointEmitter) -> None: ...


@dataclass(slots=True, eq=False)
class CallSite:
    """One augmented call: what its reverse call will be given.

    `arguments` are the primal's, `shadows` their shadows, lane by lane, where duplicated, `result` the primal's
    result value when it is a number with a derivative, `tape` the values that the augmented call handed over.
    """

    reverse: Function
    arguments: list[Value]
    activities: tuple[Activity, ...]
    shadows: dict[int, list[Value]]
    result: Value | None
    returns_active: bool
    tape: list[Value]

    def emit_reverse(self, r: CallAdjointEmitter) -> None:
        passed: list[Value] = []
        for index, argument in enumerate(self.arguments):
            passed.append(r.lookup(argument))
            passed += [r.lookup(shadow) for shadow in self.shadows.get(index, ())]
        if self.returns_active:
            assert self.result is not None
            for _ in r.each_lane():
                active = r.is_active(self.result)
                passed.append(r.take(self.result) if active else zero_of(self.result.type))
        passed.append(r.arena())
        passed += [r.lookup(value) for value in self.tape]
        made = r.b.call(self.reverse, passed)
        if self.reverse.function_type.ret is VOID:
            return
        position = 0
        for argument, activity in zip(self.arguments, self.activities, strict=True):
            if activity is Activity.ACTIVE:
                for _ in r.each_lane():
                    if r.is_active(argument):
                        r.add(argument, r.b.extract_value(made, [position]))
                    position += 1
