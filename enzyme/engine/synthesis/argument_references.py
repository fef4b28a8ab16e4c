"""References to arguments, counted while a derivative runs: a failure gives them back, and those to their shadows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from enzyme.engine.analysis.alias import AliasOracle
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.instructions import Load
from enzyme.engine.ir.module import Function
from enzyme.engine.ir.types import I1, I64
from enzyme.engine.ir.values import Argument, ConstInt, Value
from enzyme.engine.synthesis.helpers import helper
from enzyme.engine.synthesis.ruled import inactive_calls


class ArgumentReferences:
    """Counts for the arguments of one function, each in a variable that `counter` makes; none without it."""

    def __init__(
        self, function: Function, oracle: AliasOracle, counter: Callable[[Argument], Value] | None
    ) -> None:
        self.oracle = oracle
        self.counter = counter
        self.slots: dict[Argument, Value] = {}
        visible = oracle.objects.is_visible
        self._kept = [a for a in function.args if a.type.is_pointer and visible(a)]
        # Where inactive functions leave what they return: the references in it are theirs, and shadows have none.
        self._returned = {
            origin
            for call, _ in inactive_calls(function)
            for origin in oracle.underlying(call.arguments[0])
        }

    def count(
        self, b: Builder, pointer: Value, change: Value
    ) -> list[tuple[Argument, Value | None]]:
        """Keep count of the references to arguments, for a failure that leaves them behind.

        Returns the arguments that the pointer may be, each with the condition that it is (None: it is).
        """
        origins = self.oracle.underlying(pointer)
        arguments = [o for o in origins if isinstance(o, Argument)]
        if not all(isinstance(o, Argument) or self.oracle.objects.is_local(o) for o in origins):
            arguments += [a for a in self._kept if a not in arguments]
        if self.counter is None or not arguments or any(map(self._is_returned, origins)):
            return []
        found: list[tuple[Argument, Value | None]] = []
        taken: Value = ConstInt(I1, 0)
        for argument in arguments:
            if argument not in self.slots:
                self.slots[argument] = self.counter(argument)
            slot = self.slots[argument]
            if origins == (argument,):
                found.append((argument, None))
                b.store(b.iadd(b.load(I64, slot), change), slot)
                break
            same = b.icmp("eq", pointer, argument)
            counted = b.select(taken, ConstInt(I1, 0), same)
            taken = b.select(taken, ConstInt(I1, 1), same)
            found.append((argument, counted))
            step = b.select(counted, change, ConstInt(I64, 0))
            b.store(b.iadd(b.load(I64, slot), step), slot)
        return found

    def _is_returned(self, origin: Value) -> bool:
        """Was it read out of what an inactive function returned?"""
        return isinstance(origin, Load) and any(
            place in self._returned for place in self.oracle.underlying(origin.pointer)
        )

    def give_back(self, b: Builder, lanes: Sequence[dict[Value, Value]]) -> None:
        """After a failure: give back the references to arguments, and those to their shadows in all lanes."""
        for argument, slot in self.slots.items():
            count = b.load(I64, slot)
            for pointer in (argument, *(lane.get(argument) for lane in lanes)):
                if pointer is not None:
                    b.call(helper(b.module, "enzyme_release_many"), [pointer, count])


__all__ = ["ArgumentReferences"]
