"""Calls of linear algebra: operands that the reverse pass needs are kept where they may change, then the rule runs.

The rows stand in `derivatives/routines.py`, their rules in `derivatives/linear_algebra.py` and
`derivatives/linear_solvers.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from enzyme.engine.analysis.activity_result import ActivityResult
from enzyme.engine.analysis.overwritten import Overwritten
from enzyme.engine.derivatives.linear_algebra import leading, matrix
from enzyme.engine.derivatives.linear_calls import PRIMAL, RESULT, LinearCall, symbol
from enzyme.engine.derivatives.routines import linear_call
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.instructions import Call
from enzyme.engine.ir.module import Function
from enzyme.engine.ir.types import PTR
from enzyme.engine.ir.values import Value
from enzyme.engine.synthesis.calls import CallAdjointEmitter
from enzyme.engine.synthesis.exits import Exits
from enzyme.engine.synthesis.failures import unsupported
from enzyme.engine.synthesis.shadows import Shadows


@dataclass(slots=True, eq=False)
class LinearSite:
    """One call: `kept` are the operands that the reverse pass finds elsewhere, by name; `shadows` those that exist,
    lane by lane."""

    call: LinearCall
    kept: dict[str, Value]
    shadows: list[dict[str, Value]]

    def emit_reverse(self, r: CallAdjointEmitter) -> None:
        for lane in r.each_lane():
            self._emit_lane(r, self.shadows[lane])

    def _emit_lane(self, r: CallAdjointEmitter, shadows: dict[str, Value]) -> None:
        call = self.call.call
        self.call.routine.rule.adjoint(
            r.b,
            self.call,
            lambda name: r.lookup(self.kept[name] if name in self.kept else fetch(self.call, name)),
            lambda name: r.lookup(shadows[name]) if name in shadows else None,
            r.take(call) if r.is_active(call) else None,
        )


def fetch(call: LinearCall, name: str) -> Value:
    """An operand of the call, or its result."""
    return call.call if name == RESULT else call[name.removeprefix(PRIMAL)]


def shadows_of(call: LinearCall, shadows: Shadows) -> dict[str, Value]:
    """The shadows of operands that hold numbers."""
    names = (call.routine.reads | call.routine.writes) - call.routine.integers
    return {
        name: shadows.of(call[name])
        for name in call.routine.operands
        if name in names and shadows.has(call[name])
    }


def emit_tangent(
    b: Builder, call: LinearCall, shadows: Shadows, activity: ActivityResult
) -> Value | None:
    """Emit the tangent; returns that of the result where the routine returns a number."""
    given = shadows_of(call, shadows)
    returns = activity.carries_float(call.call)
    if not given or (returns and not activity.is_active(call.call)):
        return None
    _check(call, activity)
    rule = call.routine.rule
    if rule.early:
        b = Builder()
        b.before(call.call)

    def read(name: str) -> Value:
        if not rule.early:
            _keep_readable(call, name)
        return fetch(call, name)

    return rule.tangent(b, call, read, given.get)


def _keep_readable(call: LinearCall, name: str) -> None:
    """The derivative reads what the call leaves behind an operand: a derivative of it must see that this changes."""
    if name not in call.routine.unread:
        return
    old, module = call.call.callee, call.call.parent.parent.module  # type: ignore[union-attr]
    assert isinstance(old, Function) and module is not None
    new = module.declare(symbol(call.routine.readable, call.kind), old.function_type, old.suffix)
    for mine, theirs in zip(new.args, old.args, strict=True):
        mine.attributes = theirs.attributes
    call.call.replace_operand(old, new)


def _check(call: LinearCall, activity: ActivityResult) -> None:
    """Refuse what the rules do not cover."""
    name = call.call.callee_name
    if not call.routine.rule.is_understood(call):
        raise unsupported(
            call.call, f"'{name}' on a shape or with an operation that it has no rule for"
        )
    if any(activity.is_active(a) for a in call.call.arguments):
        raise unsupported(call.call, f"'{name}' with an active factor")


class _Owner(Protocol):
    """Who makes the reverse pass."""

    exits: Exits

    def forward_arena(self) -> Value: ...


def linear_site(
    i: Call,
    b: Builder,
    shadows: Shadows,
    activity: ActivityResult,
    history: Overwritten,
    owner: _Owner,
) -> LinearSite | None:
    """The site of a call of a routine, its operands copied where they may change; None for other calls."""
    call = linear_call(i)
    if call is None:
        return None
    lanes = [shadows_of(call, shadows) for _ in shadows.each_lane()]
    given = lanes[0]
    kept: dict[str, Value] = {}
    if not given:
        return LinearSite(call, kept, lanes)
    _check(call, activity)
    rule = call.routine.rule
    if rule.early:
        b = Builder()
        b.before(call.call)
    for name in rule.needed(call, given.__contains__):
        if not rule.early:
            _keep_readable(call, name)
        changes = rule.early and name in call.routine.writes
        if changes or history.may_change_after(i, call[name], -1):
            kept.update(_keep(b, call, name, owner))
    return LinearSite(call, kept, lanes)


def _keep(b: Builder, call: LinearCall, operand: str, owner: _Owner) -> dict[str, Value]:
    """Copy an operand into the arena; returns the operands that change with it."""
    m = matrix(call, operand, lambda name: fetch(call, name))
    # A copy moves bytes: pivots are as large as the numbers of kind `s`.
    kind = "s" if operand in call.routine.integers else call.kind
    arguments = [owner.forward_arena(), m.rows, m.columns, m.pointer, m.ld]
    copy = b.call_named(symbol("keep", kind), PTR, arguments, f"{operand}.kept")
    owner.exits.memory.append(copy)
    ld = leading(call, operand)
    return {operand: copy} if ld is None else {operand: copy, PRIMAL + ld: m.rows}
