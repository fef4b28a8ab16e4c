"""Calls of functions that have derivatives of their own: a user's rules.

Such a function is only declared in the module.  Who asks for the derivative also hands in a `RuleProvider`, which
gives for each call the functions that take the place of the engine's: with the same parameters as a derivative of
a defined function would have, so that a rule is nothing but another way to come by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from enzyme.engine.analysis.activity_result import ActivityResult
from enzyme.engine.analysis.kinds import Activity
from enzyme.engine.analysis.known_functions import is_inactive, lookup_known
from enzyme.engine.derivatives.catalogue import row_for_call
from enzyme.engine.derivatives.operands import Operands
from enzyme.engine.derivatives.table import row_for_instruction
from enzyme.engine.ir.builder import scratch_builder
from enzyme.engine.ir.instructions import Alloca, Call, Instruction, Load, Store
from enzyme.engine.ir.known_function import KnownFunction
from enzyme.engine.ir.module import Function, Module
from enzyme.engine.ir.types import DOUBLE, FLOAT, PTR, Type, int_type
from enzyme.engine.ir.values import Argument, Value

_TYPES = {"double": DOUBLE, "float": FLOAT, "ptr": PTR}


@dataclass(frozen=True, slots=True)
class RuledFunction:
    """What the engine is told of a function with rules.

    `seeds` are the type trees of its parameters, `effects` LLVM's words on memory, `written` the parameters whose
    memory it may change, reference counts aside, `failures` those in whose memory it says what it raised; `known` is
    the row of a function declared inactive. With `forgets`, nobody but its tape refers to its arguments when it is
    over, its results neither.
    """

    symbol: str
    seeds: tuple[str, ...]
    effects: str = ""
    known: KnownFunction | None = None
    written: frozenset[int] | None = None
    failures: frozenset[int] = frozenset()
    forgets: bool = False


@dataclass(frozen=True, slots=True)
class RuledCall:
    """One call: the activities of its parameters, whether its result is looked at, and which parameters point to
    memory that may change before the reverse pass; `may_fail`: its caller may go on when it has raised an exception."""

    symbol: str
    activities: tuple[Activity, ...]
    needs_primal: bool
    overwritten: frozenset[int]
    width: int
    strong_zero: bool
    may_fail: bool = False


@dataclass(frozen=True, slots=True)
class SplitRule:
    """The two functions of a reverse rule: symbols, and the LLVM types of what one hands to the other."""

    augmented: str
    reverse: str
    tape: tuple[str, ...]


class RuleProvider(Protocol):
    """Gives the rules of a module's functions; both raise an `EnzymeError` for rules that are wrong."""

    functions: dict[str, RuledFunction]

    def forward(self, call: RuledCall) -> str: ...

    def split(self, call: RuledCall) -> SplitRule: ...


def mark(module: Module, book: RuleProvider | None) -> None:
    """Note at the functions of a module which of them have rules."""
    if book is None:
        return
    for name, ruled in book.functions.items():
        function = module.functions.get(name)
        if function is not None:
            function.known = ruled.known
            function.seeds = ruled.seeds
            function.written = ruled.written
            function.failures = ruled.failures
            function.is_ruled = ruled.known is None
            function.forgets = ruled.forgets
            function.suffix = f"{function.suffix} {ruled.effects}".strip()


def inactive_calls(function: Function) -> Iterator[tuple[Call, KnownFunction]]:
    """The calls of functions that the user declared inactive, and their rows; operand 0 points to where they return."""
    for call in function.instructions():
        if isinstance(call, Call) and is_inactive(call.callee):
            known = lookup_known(call)
            assert known is not None
            yield call, known


def type_of_text(text: str) -> Type:
    """The type that a tape holds, from how LLVM writes it."""
    if text in _TYPES:
        return _TYPES[text]
    if text[0] == "i" and text[1:].isdigit():
        return int_type(int(text[1:]))
    raise ValueError(f"a tape cannot hold a value of LLVM type {text}")


def tangent_uses(activity: ActivityResult, i: Instruction) -> set[Value]:
    """The primal values that the tangent of an active instruction computes with."""
    row = row_for_call(i) if isinstance(i, Call) else row_for_instruction(i.opcode)
    if row is None:
        return {i.operands[0]} if i.opcode == "select" else set()
    used: set[Value] = set()

    def fetch(value: Value) -> Value:
        used.add(value)
        return Argument(value.type, "", 0)

    b = scratch_builder()
    operands = i.arguments if isinstance(i, Call) else i.operands
    for index in row.active_operands:
        operand = operands[index]
        if activity.is_active(operand):
            tangent = Argument(operand.type, "", 0)
            row.tangent(b, index, tangent, Operands(i, fetch))
    return used


class Needs:
    """Is the result of a call looked at, by the program or by the derivative?

    `uses(i)` are the primal values that the derivative of an active instruction computes with; `discarded` the
    parameters whose primal content nobody reads after the call.
    """

    def __init__(
        self,
        activity: ActivityResult,
        uses: Callable[[Instruction], set[Value]],
        discarded: set[Argument],
    ) -> None:
        self.activity = activity
        self.uses = uses
        self.discarded = discarded
        self._used: dict[Instruction, set[Value]] = {}

    def result_of(self, call: Call, place: Value) -> bool:
        """Does anybody need what the call writes at `place`?"""
        origins = self.activity.oracle.underlying(place)
        for origin in origins:
            if isinstance(origin, Argument) and origin in self.discarded:
                continue
            if not isinstance(origin, Alloca) or self._is_read(origin, call):
                return True
        return not origins

    def _is_read(self, memory: Value, call: Call) -> bool:
        pending, seen = [memory], {memory}
        while pending:
            pointer = pending.pop()
            for user in pointer.users:
                if user.parent is None or user is call or user in seen:
                    continue
                seen.add(user)
                if user.opcode in ("getelementptr", "bitcast"):
                    pending.append(user)
                elif isinstance(user, Load):
                    if self._is_needed(user):
                        return True
                elif not _only_writes(user, pointer):
                    return True
        return False

    def _is_needed(self, first: Instruction) -> bool:
        pending, seen = [first], {first}

        def follow(user: Instruction) -> None:
            if user not in seen:
                seen.add(user)
                pending.append(user)

        while pending:
            if self._is_used(pending.pop(), follow):
                return True
        return False

    def _is_used(self, value: Instruction, follow: Callable[[Instruction], None]) -> bool:
        """Is the value used itself? `follow` is told of those by which it may be used."""
        if self._is_in_derivatives(value):
            return True
        for user in value.users:
            if user.parent is None:
                continue
            if isinstance(user, Store):
                origins = self.activity.oracle.underlying(user.pointer)
                if user.value is value and origins and all(o in self.discarded for o in origins):
                    continue
                return True
            if _counts_references(user):
                continue
            if isinstance(user, Load):
                follow(user)
                continue
            if user.opcode == "getelementptr" and any(o is value for o in user.operands[1:]):
                return True
            if user.type.is_void or (isinstance(user, Call) and user.type.is_pointer):
                return True
            if isinstance(user, Call) and row_for_call(user) is None:
                return True
            follow(user)
        return False

    def _is_in_derivatives(self, value: Instruction) -> bool:
        """Do derivatives of its users compute with it, or with results of its users? That of `exp` takes its own
        result, that of `sin` the result of a `cos` beside it."""
        users = [u for u in value.users if u.parent is not None]
        needed = {used for user in users if self._is_number(user) for used in self._uses(user)}
        return value in needed or not needed.isdisjoint(users)

    def _is_number(self, i: Instruction) -> bool:
        """Does it have a derivative that a formula states?"""
        if i.type.is_void or isinstance(i, Load) or not self.activity.is_active(i):
            return False
        return not isinstance(i, Call) or row_for_call(i) is not None

    def _uses(self, i: Instruction) -> set[Value]:
        found = self._used.get(i)
        if found is None:
            found = self._used[i] = self.uses(i)
        return found


def _counts_references(user: Instruction) -> bool:
    known = lookup_known(user) if isinstance(user, Call) else None
    return known is not None and known.kind in ("retain", "release")


def _only_writes(user: Instruction, pointer: Value) -> bool:
    if isinstance(user, Store):
        return user.value is not pointer
    harmless = ("llvm.lifetime", "llvm.memset")
    return isinstance(user, Call) and user.callee_name.startswith(harmless)
