"""The law for batches: every lane of a wide derivative obeys it as if it were alone.

For each lane k, <J v_k, w_k> = <v_k, J' w_k>, and the lane's values are those of a call of width one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from enzyme import (
    Active,
    BatchDuplicated,
    Const,
    Duplicated,
    ForwardWithPrimal,
    ReverseSplitWidth,
    ReverseSplitWithPrimal,
    ReverseWithPrimal,
    autodiff,
    autodiff_thunk,
    typeof,
)
from tests.programs import harness
from tests.programs.cases import Case, Random
from tests.programs.harness import Change, Outcome
from tests.programs.memory import assert_alive, live_memory
from tests.programs.values import activity, arrays, own, perturbed, result_seed, twin, vector

Lanes = list[tuple[Any, ...]]


def _batched(shadows: Lanes) -> Change:
    """Arguments with a shadow get one for each lane."""

    def change(position: int, annotation: Any) -> Any:
        if isinstance(annotation, Duplicated):
            return BatchDuplicated(annotation.val, tuple(s[position] for s in shadows))
        return annotation

    return change


def run_forward(function: Any, args: tuple[Any, ...], tangents: Lanes) -> list[Outcome]:
    """One outcome per lane, from one call."""
    args, tangents = twin(args), [twin(t) for t in tangents]
    annotated = harness.annotations(args, tangents[0], Duplicated, _batched(tangents))
    *shadow, result = autodiff(harness.given(ForwardWithPrimal), function, *annotated)
    lanes = shadow[0] if shadow and len(tangents) > 1 and _is_batch(annotated) else None
    found = []
    for k, tangent in enumerate(tangents):
        mine = shadow if lanes is None else (lanes[k],)
        returned = own(tuple(mine), tangent)
        found.append(Outcome(harness.content(args, tangent), result, args, returned))
    return found


def _is_batch(annotated: list[Any]) -> bool:
    return any(isinstance(a, BatchDuplicated) for a in annotated)


def run_reverse(
    function: Any, args: tuple[Any, ...], seeds: Lanes, result: Any, split: bool
) -> list[Outcome]:
    """One outcome per lane; with `split` in two calls, and what may change between them is changed."""
    args, seeds = twin(args), [twin(s) for s in seeds]
    width = len(seeds)
    annotated = harness.adjoint_annotations(args, seeds[0], _batched(seeds))
    returned = harness.activity_of(result)
    if split:
        types = [
            BatchDuplicated[typeof(a.val), width]
            if isinstance(a, BatchDuplicated)
            else type(a)[typeof(a.val)]
            for a in annotated
        ]
        mode = harness.given(ReverseSplitWidth(ReverseSplitWithPrimal, width))
        forward, reverse = autodiff_thunk(mode, Const[typeof(function)], returned, *types)
        tape, value, _ = forward(Const(function), *annotated)
        after, value = twin(args), twin(value)
        harness.spoil(annotated)
        seed = ((1.0,) * width,) if returned is Active else ()
        (adjoints,) = reverse(Const(function), *annotated, *seed, tape)
    else:
        after = args
        mode = harness.given(ReverseWithPrimal)
        adjoints, value = autodiff(mode, function, returned, *annotated)
    batched = split or _is_batch(annotated)
    found = []
    for k in range(width):
        mine = tuple(_lane(d, k, batched) for d in adjoints)
        found.append(Outcome(harness.adjoints_of(args, seeds[k], mine), value, after))
    return found


def _lane(adjoint: Any, lane: int, batched: bool) -> Any:
    return adjoint[lane] if batched and adjoint is not None else adjoint


def check(case: Case, width: int) -> None:
    """The law of one program for all lanes of a batch."""
    args, rng = case.inputs()
    tolerance = 1e-5 if case.single else case.dot_tolerance
    assert_adjoint(
        case.function, args, rng, width, tolerance=tolerance, single=case.single, plain=case.plain
    )


def assert_adjoint(
    function: Any,
    args: tuple[Any, ...],
    rng: Random,
    width: int,
    *,
    tolerance: float,
    single: bool,
    plain: Any = None,
) -> None:
    """The law of one function at one point, in every lane and mode; nothing may leak.

    `plain` computes the same as `function`.
    """
    tangents = [perturbed(args, rng.standard_normal) for _ in range(width)]
    seeds = [perturbed(args, rng.standard_normal) for _ in range(width)]
    primal = harness.run_primal(plain or function, args)

    forward = run_forward(function, args, tangents)
    reverse = run_reverse(function, args, seeds, primal.result, split=False)
    split = run_reverse(function, args, seeds, primal.result, split=True)
    for what, outcomes in (("forward", forward), ("reverse", reverse), ("split", split)):
        harness.assert_same_state(what, outcomes[0], primal, single)
    result = result_seed(own(primal.result, primal.args))
    for k in range(width):
        w = vector((result, *arrays(seeds[k])))
        v = vector(tuple(t for t in tangents[k] if activity(t) != "const"))
        for what, backward in (("combined", reverse), ("split", split)):
            left, right = forward[k].values * w, backward[k].values * v
            bound = np.abs(left).sum() + np.abs(right).sum()
            assert abs(left.sum() - right.sum()) <= tolerance * bound, (
                f"lane {k}, {what} against forward: {left.sum()!r}, {right.sum()!r}"
            )
    alone = harness.run_forward(function, args, tangents[-1])
    what = "the last lane against a call of width one"
    harness.assert_close(what, forward[-1].values, alone.values, 1e-4 if single else 1e-10)
    del forward, reverse, split, alone
    alive = live_memory()
    run_forward(function, args, tangents)
    assert_alive(alive, "wide forward")
    run_reverse(function, args, seeds, primal.result, split=False)
    assert_alive(alive, "wide reverse")
    run_reverse(function, args, seeds, primal.result, split=True)
    assert_alive(alive, "wide split")
