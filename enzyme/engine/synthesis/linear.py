"""Calls of linear algebra: operands that the reverse pass needs are kept where they may change, then the rule runs.

The rules themselves stand in `derivatives/linear_algebra.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from enzyme.engine.analysis.activity import ActivityResult
from enzyme.engine.analysis.linear_algebra import LinearCall
from enzyme.engine.analysis.overwritten import Overwritten
from enzyme.engine.derivatives import linear_algebra as rules
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.instructions import Call
from enzyme.engine.ir.values import Value
from enzyme.engine.synthesis.calls import Reverse
from enzyme.engine.synthesis.failures import unsupported
from enzyme.engine.synthesis.shadows import Shadows


@dataclass(slots=True, eq=False)
class LinearSite:
    """One call: its operands by name as the reverse pass finds them, and the shadows of those that have one."""

    call: LinearCall
    operands: dict[str, Value]
    shadows: dict[str, Value]

    def emit_reverse(self, r: Reverse) -> None:
        d = r.take(self.call.call) if r.is_active(self.call.call) else None
        rules.adjoint(
            r.b,
            self.call,
            lambda name: r.lookup(self.operands[name]),
            lambda name: r.lookup(self.shadows[name]) if name in self.shadows else None,
            d,
        )


def shadows_of(call: LinearCall, shadows: Shadows) -> dict[str, Value]:
    names = call.routine.reads | call.routine.writes
    return {
        name: shadows.of(call[name])
        for name in call.routine.operands
        if name in names and shadows.has(call[name])
    }


def check(call: LinearCall, activity: ActivityResult) -> None:
    """Refuse what the rules do not cover."""
    name = call.call.callee_name
    if not rules.is_understood(call):
        raise unsupported(call.call, f"'{name}' with an operation that is known only at run time")
    for value in rules.numbers(call):
        if activity.is_active(value):
            raise unsupported(call.call, f"'{name}' with an active factor")


def make_site(
    call: LinearCall,
    b: Builder,
    shadows: Shadows,
    activity: ActivityResult,
    history: Overwritten,
    arena: Callable[[], Value],
    copies: list[Call],
) -> LinearSite:
    """The site of a call. Copies made behind it, which are null where memory is short, go to `copies`."""
    given = shadows_of(call, shadows)
    operands = {name: call[name] for name in call.routine.operands}
    if given:
        check(call, activity)
    for name in rules.needed(call, given.__contains__):
        if history.may_change_after(call.call, call[name], -1):
            copy, changed = rules.keep(b, call, name, arena())
            operands.update(changed)
            copies.append(copy)
    return LinearSite(call, operands, given)
