"""Calls of functions that stay calls are replaced by calls of their augmented form."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from enzyme.engine.analysis.activity_result import (
    ActivityResult,
    may_hold_float,
    may_hold_pointer,
)
from enzyme.engine.analysis.kinds import Activity
from enzyme.engine.analysis.overwritten import Overwritten
from enzyme.engine.derivatives.catalogue import row_for_call
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.instructions import Call, Instruction
from enzyme.engine.ir.module import Function, defined_callee
from enzyme.engine.ir.types import VOID
from enzyme.engine.ir.values import Value
from enzyme.engine.synthesis.calls import CallSite, Site
from enzyme.engine.synthesis.exits import Exits
from enzyme.engine.synthesis.failures import returned_pointer
from enzyme.engine.synthesis.shadows import Shadows


@dataclass(frozen=True, slots=True)
class Augmented:
    """What is known of a call that will be replaced: the activity of each argument, whether its result has a
    derivative or a shadow, and which arguments point to memory that may change before the reverse pass."""

    call: Call
    callee: Function
    activities: tuple[Activity, ...]
    returns: bool
    overwritten: frozenset[int]


@dataclass(slots=True)
class Augmenter:
    """Replaces calls while shadows are inserted, and notes in `sites` what their reverse needs.

    `pair_of` gives the augmented and the reverse function of a call, `arena` the arena to hand over; `replaced` hears
    what a call's result is from now on.
    """

    activity: ActivityResult
    shadows: Shadows
    history: Overwritten
    sites: dict[Instruction, Site]
    exits: Exits
    arena: Callable[[], Value]
    pair_of: Callable[[Augmented], tuple[Function, Function]]
    replaced: Callable[[Value, Value], None]

    def replace(self, call: Call, b: Builder) -> bool:
        """Replace the call, which `b` stands behind, if anything in it is active."""
        callee = call.callee
        if (
            row_for_call(call) is not None
            or not isinstance(callee, Function)
            or (defined_callee(call) is None and not callee.is_ruled)
            or callee.known is not None
        ):
            return False
        activities = self.activity.settled(call, list(map(self._activity_of, call.arguments)))
        pointer = self.shadows.is_shadowed(call)
        if all(a is Activity.CONST for a in activities) and not pointer:
            return False
        if may_hold_pointer(call.type) and callee.is_ruled:
            raise returned_pointer(call)
        returns = pointer or self.activity.is_active(call)
        known = Augmented(call, callee, activities, returns, self._overwritten_by(call))
        augmented, reverse = self.pair_of(known)
        passed: list[Value] = []
        given: dict[int, list[Value]] = {}
        for k, (argument, kind) in enumerate(zip(call.arguments, activities, strict=True)):
            passed.append(argument)
            if kind.has_shadow:
                given[k] = self.shadows.all_of(argument)
                passed += given[k]
        assert b.block is not None
        b.block.instructions.pop()
        made = b.call(augmented, [*passed, self.arena()], f"{call.name}.aug")
        self.shadows.replacements.add(made)
        result = None if call.type is VOID else self._result_of(call, made, b)
        members = augmented.function_type.ret.elements  # type: ignore[attr-defined]
        first = 0 if result is None else 1
        if pointer and result is not None:
            first += self.shadows.width
            self._give_shadows(call, result, made, b)
        tape = [b.extract_value(made, [k], f"{call.name}.tape") for k in range(first, len(members))]
        if not callee.is_ruled:
            assert isinstance(tape[0], Instruction)
            self.exits.memory.append(tape[0])
        arguments = call.arguments
        if result is not None:
            call.replace_uses_with(result)
            self.replaced(call, result)
        number = returns and (may_hold_float(call.type) or not pointer)
        self.sites[made] = CallSite(reverse, arguments, activities, given, result, number, tape)
        return True

    def _activity_of(self, argument: Value) -> Activity:
        if argument.type.is_pointer:
            return Activity.DUPLICATED if self.shadows.has(argument) else Activity.CONST
        return Activity.ACTIVE if self.activity.is_active(argument) else Activity.CONST

    def _overwritten_by(self, call: Call) -> frozenset[int]:
        """The arguments whose memory may have changed when the reverse pass comes."""
        pointers = [(k, a) for k, a in enumerate(call.arguments) if a.type.is_pointer]
        if any(self.history.overwritten):
            return frozenset(k for k, _ in pointers)
        return frozenset(k for k, a in pointers if self.history.may_change_behind(call, a))

    def _give_shadows(self, call: Call, result: Value, made: Call, b: Builder) -> None:
        """The shadows of a pointer that is returned come behind it; to the analyses it is what the call returned."""
        self.activity.stand_in(call, result)
        for lane in self.shadows.each_lane():
            self.shadows.shadow[result] = b.extract_value(made, [1 + lane], f"{call.name}.d")

    def _result_of(self, call: Call, made: Call, b: Builder) -> Value:
        """The primal's result, as active as the call was."""
        result = b.extract_value(made, [0], call.name)
        for known in (self.activity.varied, self.activity.useful):
            if call in known:
                known.add(result)
        return result
