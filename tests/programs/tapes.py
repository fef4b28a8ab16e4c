"""The law for tapes: reverse calls give the same whatever forward calls were made in between, in any order."""

from __future__ import annotations

from typing import Any

from enzyme import Active, Const, ReverseSplitWithPrimal, autodiff_thunk, typeof
from tests.programs import harness
from tests.programs.cases import Random
from tests.programs.memory import assert_alive, live_memory
from tests.programs.values import moved, perturbed, twin

POINTS = 3


def assert_apart(
    function: Any, args: tuple[Any, ...], rng: Random, tolerance: float, *, plain: Any = None
) -> None:
    """Forward calls at several points, then their reverse calls in another order, against combined mode.

    `plain` computes the same as `function`.
    """
    away = perturbed(args, rng.standard_normal)
    points = [moved(args, away, 0.2 * k) for k in range(POINTS)]
    seeds = [perturbed(args, rng.standard_normal) for _ in points]
    results = [harness.run_primal(plain or function, point).result for point in points]
    expected = [
        harness.run_reverse(function, *each) for each in zip(points, seeds, results, strict=True)
    ]
    order = rng.permutation(POINTS).tolist()
    for again in (False, True):
        alive = live_memory()
        found = _run(function, points, seeds, harness.activity_of(results[0]), order)
        for k, (got, alone) in enumerate(zip(found, expected, strict=True)):
            what = f"the tape of point {k}, read in the order {order}"
            harness.assert_close(what, got, alone.values, tolerance)
        del found
        if again:
            assert_alive(alive, "several tapes")


def _run(
    function: Any, points: list[Any], seeds: list[Any], returned: Any, order: list[int]
) -> list[Any]:
    points, seeds = [twin(p) for p in points], [twin(s) for s in seeds]
    annotated = [harness.adjoint_annotations(p, s) for p, s in zip(points, seeds, strict=True)]
    types = [type(a)[typeof(a.val)] for a in annotated[0]]
    mode = harness.given(ReverseSplitWithPrimal)
    forward, reverse = autodiff_thunk(mode, Const[typeof(function)], returned, *types)
    tapes = [forward(Const(function), *given)[0] for given in annotated]
    found: list[Any] = [None] * len(points)
    for k in order:
        harness.spoil(annotated[k])
        seed = (1.0,) if returned is Active else ()
        (adjoints,) = reverse(Const(function), *annotated[k], *seed, tapes[k])
        parts = harness.adjoints_of(points[k], seeds[k], adjoints)
        found[k] = harness.Outcome(parts, None, points[k]).values
    return found
