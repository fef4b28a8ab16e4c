"""The law for modes that change nothing: where all values are finite, each gives the derivative of plain reverse mode.

Strong zeros, runtime activity with all shadows apart, and arrays whose content nobody needs afterwards.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from enzyme import (
    Duplicated,
    DuplicatedNoNeed,
    Reverse,
    ReverseWithPrimal,
    autodiff,
    set_runtime_activity,
    set_strong_zero,
)
from tests.programs import harness
from tests.programs.harness import activity, perturbed, vector

MODES = {
    "no primal": Reverse,
    "strong zeros": set_strong_zero(Reverse),
    "runtime activity": set_runtime_activity(ReverseWithPrimal),
    "content not needed": Reverse,
}


def run(function: Any, args: Any, seeds: Any, result: Any, mode: Any, needed: bool) -> np.ndarray:
    """Adjoints of all inputs."""
    args, seeds, annotated, returned = harness._annotated(args, seeds, result)
    if not needed:
        annotated = [
            DuplicatedNoNeed(a.val, a.dval) if isinstance(a, Duplicated) else a for a in annotated
        ]
    (adjoints, *_) = autodiff(mode, function, returned, *annotated)
    return vector(
        tuple(s if activity(a) == "duplicated" else d for a, s, d in zip(args, seeds, adjoints))
    )


def check(case: harness.Case, name: str) -> None:
    """The law of one program in one of `MODES`."""
    args, rng = case.inputs()
    assert_same(case.function, args, rng, 1e-5 if case.single else 1e-11, name)


def assert_same(
    function: Any, args: tuple[Any, ...], rng: np.random.Generator, tolerance: float, name: str
) -> None:
    """One of `MODES` against reverse mode with the primal."""
    seeds = perturbed(args, rng.standard_normal)
    result = harness.run_primal(function, args).result
    expected = run(function, args, seeds, result, ReverseWithPrimal, True)
    got = run(function, args, seeds, result, MODES[name], name != "content not needed")
    np.testing.assert_allclose(
        got,
        expected,
        rtol=0,
        atol=tolerance * np.abs(expected).max(initial=1.0),
        err_msg=name,
    )
