"""Which derivatives are given shadows of globals: those of primals that use them, and those of derivatives of these.

A derivative that is given a global has its shadow beside it, and whatever is differentiated around it uses both: so
for the derivative of a derivative there is a shadow of the global, of its own, and one of the inner shadow.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from enzyme.engine.analysis.kinds import Activity, DiffMode
from enzyme.engine.ir.instructions import Call
from enzyme.engine.ir.module import Function, Module
from enzyme.engine.ir.values import Argument, GlobalVariable
from enzyme.frontdoor.active_globals import extend_stand_in, pass_globals
from enzyme.frontdoor.between_halves import refuse_changed
from enzyme.frontdoor.copies import STAND_IN, reachable
from enzyme.frontdoor.demands import REVERSING, Demand, LoweredModule
from enzyme.frontdoor.failures import FrontDoorError
from enzyme.frontdoor.missing_shadows import may_point


def give_shadows(
    prepared: LoweredModule, copies: Iterable[Function], shadowed: Iterable[GlobalVariable]
) -> None:
    """Pass globals with derivatives to the copies that use them, and shadows to their demands; inner ones first."""
    module, given = prepared.module, prepared.declared.shadows
    variables = dict.fromkeys((*given, *shadowed))
    if not variables:
        return
    functions = list(copies)
    inner = _inner(prepared)
    levels = _levels(inner)
    outermost = set(inner).difference(*inner.values())
    for symbol in inner:
        if symbol not in outermost and prepared.demands[symbol].request.mode is DiffMode.SPLIT:
            refuse_changed(prepared, symbol, variables)
    passed: dict[Function, dict[GlobalVariable, Argument]] = {}
    for level in range(max(levels.values(), default=0) + 1):
        pass_globals(functions, variables, passed)
        for symbol in [s for s, at in levels.items() if at == level]:
            demand = prepared.demands[symbol]
            added = passed.get(module.functions[demand.primal])
            if added:
                own = _extend(module, symbol, demand, list(added), given, level)
                if symbol in outermost and demand.request.mode is DiffMode.SPLIT:
                    _may_change(demand, len(added))
                variables.update(dict.fromkeys(own))
                ours = [g.name for g in added if g not in given and may_point(g.value_type)]
                prepared.shadowed.update(dict.fromkeys(ours))
                if ours:
                    demand.request = replace(demand.request, check_shadows=True)
        variables = {g: None for g in variables if g not in given}


def _may_change(demand: Demand, count: int) -> None:
    """The program may change these globals, the last operands, between the two calls of a split derivative.

    One that is differentiated itself keeps less, and finds in globals what they hold then (`between_halves`).
    """
    request = demand.request
    last = len(request.activities)
    changed = request.overwritten | frozenset(range(last - count, last))
    demand.request = replace(request, overwritten=changed)


def _inner(prepared: LoweredModule) -> dict[str, set[str]]:
    """The derivatives that lie in the function of each."""
    functions = prepared.module.functions
    return {
        symbol: {
            i.callee_name.removesuffix(REVERSING)
            for f in reachable([functions[demand.primal]])
            for i in f.instructions()
            if isinstance(i, Call) and i.callee_name.startswith(STAND_IN)
        }
        for symbol, demand in prepared.demands.items()
        if demand.primal
    }


def _levels(inner: dict[str, set[str]]) -> dict[str, int]:
    """How many derivatives lie inside of each."""
    levels = dict.fromkeys(inner, 0)
    for _ in inner:  # more rounds than levels only where one needs itself, which is refused later
        levels = {s: max((levels[i] + 1 for i in names), default=0) for s, names in inner.items()}
    return levels


def _extend(
    module: Module,
    symbol: str,
    demand: Demand,
    added: list[GlobalVariable],
    given: Mapping[GlobalVariable, GlobalVariable],
    level: int,
) -> list[GlobalVariable]:
    """Tell a demand of the globals that its primal is given; some have shadows that the program gives.

    Ours are returned.
    """
    request = demand.request
    if request.width > 1 and any(variable in given for variable in added):
        name = next(variable.name for variable in added if variable in given)
        raise FrontDoorError(
            where=demand.place,
            what=f"@{name} has one shadow, and enzyme_width asks for {request.width}",
            todo="leave out enzyme_width, or pass the memory as an argument with shadows",
        )
    width = request.width
    place = 1 + sum(1 + (width if a.has_shadow else 0) for a in request.activities)
    own = extend_stand_in(module, symbol, place, added, width, given, level)
    extend_stand_in(module, symbol + REVERSING, place, added, width, given, level)
    demand.request = replace(
        request, activities=(*request.activities, *(Activity.DUPLICATED for _ in added))
    )
    return own
