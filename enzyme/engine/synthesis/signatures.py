"""What a request hands down to the derivatives of callees, and the parameters of generated functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from enzyme.engine.analysis.kinds import Activity
from enzyme.engine.ir.edit import drop_removed
from enzyme.engine.ir.module import MAKES_CONSTANTS, Function, Module
from enzyme.engine.ir.types import Type
from enzyme.engine.ir.values import Argument, Value
from enzyme.engine.synthesis.request import DiffRequest

# Of all functions of a derivative. LLVM would compute ``1 / sqrt(x)`` in single precision by an estimate that Newton's
# method improves, which gives NaN where `x` is zero.
ATTRIBUTES = 'nounwind "reciprocal-estimates"="none"'


def attributes_of(primal: Function) -> str:
    """The attributes of the parts of a function's derivative; they are differentiated themselves as it is."""
    return f"{ATTRIBUTES} noinline {MAKES_CONSTANTS}" if primal.makes_constants else ATTRIBUTES


@dataclass(frozen=True, slots=True)
class Options:
    """What a request hands down to the derivatives of callees."""

    success: tuple[int, ...] | None
    no_memory_status: int | None
    no_memory_hook: str
    strong_zero: bool
    safe_zero: bool
    fast: bool
    err_if_const_written: bool
    constants_meet: bool
    width: int
    distinct_lanes: bool
    nested: bool
    guards_are_calls: bool
    check_shadows: bool

    @property
    def scopes(self) -> int:
        """How many lanes have an alias scope of their own."""
        return self.width if self.distinct_lanes else 1


def options_of(request: DiffRequest) -> Options:
    status = request.runtime.status
    return Options(
        success=None if status is None else status.success,
        no_memory_status=None if status is None else status.no_memory,
        no_memory_hook="" if status is None else status.no_memory_hook,
        strong_zero=request.strong_zero,
        safe_zero=request.safe_zero,
        fast=request.fast_adjoints,
        err_if_const_written=request.err_if_const_written,
        constants_meet=request.constants_meet,
        width=request.width,
        distinct_lanes=request.distinct_lanes,
        nested=request.nested,
        guards_are_calls=request.nested or request.guards_are_calls,
        check_shadows=request.check_shadows,
    )


def add_shadow_arguments(
    function: Function, activities: Sequence[Activity], width: int
) -> tuple[list[Argument], list[dict[Value, Value]]]:
    """Give every duplicated parameter its shadows behind it; returns the old parameters and the shadows by lane."""
    source = list(function.args)
    shadows: list[dict[Value, Value]] = [{} for _ in range(width)]
    complete: list[Argument] = []
    for argument, activity in zip(source, activities, strict=True):
        argument.attributes = "noalias" if argument.has_attribute("noalias") else ""
        complete.append(argument)
        for lane in shadows if activity.has_shadow else ():
            shadow = Argument(argument.type, f"{argument.name}.d", 0, argument.attributes)
            shadow.function = function
            lane[argument] = shadow
            complete.append(shadow)
    function.args = complete
    return source, shadows


def parameters_of(
    primal: Function, activities: Sequence[Activity], width: int
) -> list[tuple[Type, str]]:
    """Types and names of the primal's parameters, shadows behind them."""
    found: list[tuple[Type, str]] = []
    for argument, kind in zip(primal.args, activities, strict=True):
        found.append((argument.type, argument.name))
        if kind.has_shadow:
            found += [(argument.type, f"{argument.name}.d")] * width
    return found


def adjoints_of(primal: Function, activities: Sequence[Activity], width: int) -> list[Type]:
    """Types of the adjoints that a reverse function returns: those of active parameters, lane by lane."""
    return [
        argument.type
        for argument, kind in zip(primal.args, activities, strict=True)
        if kind is Activity.ACTIVE
        for _ in range(width)
    ]


def move_body(module: Module, work: Function, target: Function) -> None:
    """Make the blocks of `work`, which vanishes, those of `target`."""
    target.blocks = work.blocks
    for block in target.blocks:
        block.parent = target
    for old, new in zip(work.args, target.args, strict=True):
        old.replace_uses_with(new)
    drop_removed(target)
    work.blocks = []
    del module.functions[work.name]
