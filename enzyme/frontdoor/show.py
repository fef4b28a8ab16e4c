"""Prints what the analyses say about a function that a call differentiates, as it is when they run."""

from __future__ import annotations

from collections.abc import Sequence

from enzyme.backend import passes
from enzyme.engine.analysis.activity import ActivitySolver
from enzyme.engine.analysis.activity_result import CallSummary
from enzyme.engine.analysis.alias import AliasOracle
from enzyme.engine.analysis.kinds import Activity
from enzyme.engine.analysis.typeinfer import TypeAnalysis, analyse_types
from enzyme.engine.derivatives.catalogue import row_for_call
from enzyme.engine.ir.instructions import Call
from enzyme.engine.ir.module import Function, Module
from enzyme.engine.ir.parser import parse_module
from enzyme.frontdoor.c_library import C_LIBRARY
from enzyme.frontdoor.failures import FrontDoorError
from enzyme.frontdoor.lower import PRE_OPTIONS, Demand, read_module, stand_ins


def show_types(text: str, function: str) -> str:
    """The type tree of every value of the optimised function."""
    module, demand = _optimised(text, function)
    return str(analyse_types(module, module.functions[demand.primal])).rstrip()


def show_activity(text: str, function: str) -> str:
    """Every instruction of the optimised function, marked active or const.

    Calls that were not inlined count as active wherever an active value reaches them.
    """
    module, demand = _optimised(text, function)
    primal = module.functions[demand.primal]
    types = analyse_types(module, primal)
    solver = ActivitySolver(
        primal,
        demand.request.activities,
        demand.request.return_activity is not Activity.CONST,
        types,
        AliasOracle(module, primal, distinct_arguments=False, types=types),
        _active_operands,
        _assume_all,
        set(),
    )
    return str(solver.solve())


def _optimised(text: str, function: str) -> tuple[Module, Demand]:
    prepared = stand_ins(read_module(text))
    for demand in prepared.demands.values():
        if demand.request.function == function:
            optimised = passes.optimise_before_ad(prepared.text(), PRE_OPTIONS)
            return parse_module(optimised, C_LIBRARY), demand
    raise FrontDoorError(what=f"no call in the module differentiates @{function}")


def _active_operands(call: Call) -> Sequence[int] | None:
    row = row_for_call(call)
    return None if row is None else row.active_operands


def _assume_all(
    callee: Function, activities: tuple[Activity, ...], types: TypeAnalysis | None
) -> CallSummary:
    pointers = frozenset(a.index for a in callee.args if a.type.is_pointer)
    return CallSummary(pointers, frozenset(), frozenset(), True)
