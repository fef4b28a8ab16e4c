"""The ways to a derivative: each computes one of a program and compares it with what is known."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numba import njit

import enzyme
from enzyme import (
    Active,
    BatchDuplicated,
    Const,
    Duplicated,
    Forward,
    ForwardWithPrimal,
    Reverse,
    ReverseHolomorphicWithPrimal,
    ReverseSplitWidth,
    ReverseSplitWithPrimal,
    ReverseWithPrimal,
    autodiff,
    autodiff_thunk,
    typeof,
)
from tests.crossing.cells import Program

FIRST, SECOND = 1e-11, 1e-9


def close(got: Any, expected: Any, tolerance: float = FIRST) -> None:
    np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance)


# --- calls from Python ----------------------------------------------------------------------------


def forward(p: Program, mode: Any) -> None:
    annotated = map(Duplicated, p.arguments(), p.holding(p.direction))
    tangent, *value = autodiff(mode, p.function, *annotated)
    close(tangent, p.gradient @ p.direction)
    close(value, [p.value] * (mode == ForwardWithPrimal))


def _annotated(p: Program, shadows: tuple[Any, ...]) -> list[Any]:
    if p.kind.active:
        return list(map(Active, p.arguments()))
    return list(map(Duplicated, p.arguments(), shadows))


def _adjoints(p: Program, shadows: tuple[Any, ...], returned: tuple[Any, ...]) -> np.ndarray:
    return p.found(returned if p.kind.active else shadows)


def reverse(p: Program, mode: Any) -> None:
    shadows = p.zeros()
    returned, *value = autodiff(mode, p.function, Active, *_annotated(p, shadows))
    close(_adjoints(p, shadows, returned), p.gradient)
    close(value, [p.value] * mode.return_primal)


def split(p: Program) -> None:
    shadows = p.zeros()
    annotated = _annotated(p, shadows)
    types = [type(a)[typeof(a.val)] for a in annotated]
    ahead, back = autodiff_thunk(ReverseSplitWithPrimal, Const[typeof(p.function)], Active, *types)
    tape, value, _ = ahead(Const(p.function), *annotated)
    close(value, p.value)
    (returned,) = back(Const(p.function), *annotated, 2.0, tape)
    close(_adjoints(p, shadows, returned), 2.0 * p.gradient)


def _batched(p: Program, width: int) -> tuple[list[tuple[Any, ...]], list[Any]]:
    """Zero shadows for each lane, and the arguments with them."""
    zeros = [p.zeros() for _ in range(width)]
    if p.kind.active:
        return zeros, list(map(Active, p.arguments()))
    return zeros, list(map(BatchDuplicated, p.arguments(), zip(*zeros)))


def batch(p: Program, width: int) -> None:
    """Forward, combined and split reverse mode with several shadows."""
    lanes = range(1, width + 1)
    tangents = [p.holding(k * p.direction) for k in lanes]
    wide = list(map(BatchDuplicated, p.arguments(), zip(*tangents)))
    (found,) = autodiff(Forward, p.function, enzyme.BatchDuplicatedNoNeed, *wide)
    close(found, [k * (p.gradient @ p.direction) for k in lanes])

    zeros, annotated = _batched(p, width)
    autodiff(Reverse, p.function, Active, *annotated)
    for shadows in zeros if not p.kind.active else []:
        close(p.found(shadows), p.gradient)
    types = [
        BatchDuplicated[typeof(a.val), width]
        if isinstance(a, BatchDuplicated)
        else Active[typeof(a.val)]
        for a in annotated
    ]
    mode = ReverseSplitWidth(ReverseSplitWithPrimal, width)
    ahead, back = autodiff_thunk(mode, Const[typeof(p.function)], Active, *types)
    zeros, annotated = _batched(p, width)
    tape, _, _ = ahead(Const(p.function), *annotated)
    seeds = tuple(map(float, lanes))
    (returned,) = back(Const(p.function), *annotated, seeds[0] if width == 1 else seeds, tape)
    for k in lanes:
        mine = returned if width == 1 else [d and d[k - 1] for d in returned]
        close(_adjoints(p, zeros[k - 1], tuple(mine)), k * p.gradient)


def holomorphic(p: Program) -> None:
    shadows = p.zeros()
    returned, value = autodiff(
        ReverseHolomorphicWithPrimal, p.function, Active, *_annotated(p, shadows)
    )
    close(_adjoints(p, shadows, returned), p.gradient)
    close(value, p.value)


# --- calls in jitted code -------------------------------------------------------------------------


def _jitted(p: Program, mode: str, returned: str) -> Any:
    """A jitted function of the arguments and their shadows (if any) that calls `autodiff`."""
    names = p.kind.parameters
    plain = mode == "Reverse" and p.kind.active
    shadows = [] if plain else [f"d{name}" for name in names]
    annotated = ", ".join(
        f"Active({name})" if plain else f"Duplicated({name}, d{name})" for name in names
    )
    activity = "Active, " if mode == "Reverse" else ""
    scope = {**vars(enzyme), "function": p.function}
    exec(
        f"def derivative({', '.join((*names, *shadows))}):\n"
        f"    r = autodiff({mode}, function, {activity}{annotated})\n"
        f"    return {returned}\n",
        scope,
    )
    return njit(scope["derivative"])


def _slope(p: Program) -> Any:
    """The inner derivative in forward mode: a number."""
    return _jitted(p, "Forward", "r[0]")


def _adjoint(p: Program) -> Any:
    """The inner derivative in reverse mode: adjoints, or nothing but the content of shadows."""
    return _jitted(p, "Reverse", "r[0]" if p.kind.active else "None")


def jitted_forward(p: Program) -> None:
    close(_slope(p)(*p.arguments(), *p.holding(p.direction)), p.gradient @ p.direction)


def jitted_reverse(p: Program) -> None:
    shadows = p.zeros()
    given = () if p.kind.active else shadows
    returned = _adjoint(p)(*p.arguments(), *given)
    close(_adjoints(p, shadows, returned), p.gradient)


def forward_over_forward(p: Program) -> None:
    direction = p.holding(p.direction)
    annotated = map(Duplicated, p.arguments(), p.holding(2.0 * p.direction))
    (found,) = autodiff(Forward, _slope(p), *annotated, *map(Const, direction))
    close(found, 2.0 * p.direction @ p.hessian @ p.direction, SECOND)


def reverse_over_forward(p: Program) -> None:
    shadows, direction = p.zeros(), p.holding(p.direction)
    (returned,) = autodiff(
        Reverse, _slope(p), Active, *_annotated(p, shadows), *map(Const, direction)
    )
    mine = returned[: len(shadows)]
    close(_adjoints(p, shadows, mine), p.hessian @ p.direction, SECOND)


def forward_over_reverse(p: Program) -> None:
    tangents, inner, second = p.holding(p.direction), p.zeros(), p.zeros()
    annotated = list(map(Duplicated, p.arguments(), tangents))
    if p.kind.active:
        (second,) = autodiff(Forward, _adjoint(p), *annotated)
    else:
        autodiff(Forward, _adjoint(p), Const, *annotated, *map(Duplicated, inner, second))
        close(p.found(inner), p.gradient)
    close(p.found(second), p.hessian @ p.direction, SECOND)


def reverse_over_reverse(p: Program) -> None:
    shadows = p.zeros()
    if p.kind.active:
        # A number is needed: the adjoints along a direction.
        adjoint, reads = _adjoint(p), p.kind.reads
        names = ", ".join(p.kind.parameters)
        # The adjoints have the structure of the arguments.
        inner = ", ".join(p.kind.parameters) if len(p.kind.parameters) > 1 else f"{names},"
        along = " + ".join(f"{r} * {v!r}" for r, v in zip(reads, p.direction.tolist()))
        scope = {"adjoint": adjoint}
        exec(
            f"def number({names}):\n    {inner} = adjoint({names})\n    return {along}\n",
            scope,
        )
        (returned,) = autodiff(Reverse, njit(scope["number"]), Active, *_annotated(p, shadows))
        close(p.found(returned), p.hessian @ p.direction, SECOND)
    else:
        inner, seeds = p.zeros(), p.holding(p.direction)
        annotated = _annotated(p, shadows)
        autodiff(Reverse, _adjoint(p), Const, *annotated, *map(Duplicated, inner, seeds))
        close(p.found(shadows), p.hessian @ p.direction, SECOND)


MODES: dict[str, Callable[[Program], None]] = {
    "forward": partial(forward, mode=Forward),
    "forward_with_primal": partial(forward, mode=ForwardWithPrimal),
    "reverse": partial(reverse, mode=Reverse),
    "reverse_with_primal": partial(reverse, mode=ReverseWithPrimal),
    "split": split,
    **{f"batch_{width}": partial(batch, width=width) for width in range(1, 6)},
    "holomorphic": holomorphic,
    "jitted_forward": jitted_forward,
    "jitted_reverse": jitted_reverse,
    "forward_over_forward": forward_over_forward,
    "reverse_over_forward": reverse_over_forward,
    "forward_over_reverse": forward_over_reverse,
    "reverse_over_reverse": reverse_over_reverse,
}
