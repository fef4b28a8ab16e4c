"""The law for modes that change nothing: where all values are finite, each gives the derivative of plain reverse mode.

Strong zeros, runtime activity with all shadows apart, arrays whose content nobody needs afterwards, and no vector
versions of elementary functions.
"""

from __future__ import annotations

from typing import Any

from enzyme import (
    Duplicated,
    DuplicatedNoNeed,
    Reverse,
    ReverseWithPrimal,
    clear_vector_math,
    set_runtime_activity,
    set_strong_zero,
)
from tests.programs import harness
from tests.programs.cases import Case, Random
from tests.programs.values import perturbed

MODES = {
    "no primal": Reverse,
    "strong zeros": set_strong_zero(Reverse),
    "runtime activity": set_runtime_activity(ReverseWithPrimal),
    "content not needed": Reverse,
    "the C library alone": clear_vector_math(Reverse),
}


def not_needed(position: int, annotation: Any) -> Any:
    """Nobody reads the content of arrays afterwards."""
    if isinstance(annotation, Duplicated):
        return DuplicatedNoNeed(annotation.val, annotation.dval)
    return annotation


def check(case: Case, name: str) -> None:
    """The law of one program in one of `MODES`."""
    args, rng = case.inputs()
    tolerance = 1e-5 if case.single else 1e-11
    assert_same(case.function, args, rng, tolerance, name, plain=case.plain)


def assert_same(
    function: Any,
    args: tuple[Any, ...],
    rng: Random,
    tolerance: float,
    name: str,
    *,
    plain: Any = None,
) -> None:
    """One of `MODES` against reverse mode with the primal; `plain` computes the same as `function`."""
    seeds = perturbed(args, rng.standard_normal)
    result = harness.run_primal(plain or function, args).result
    expected = harness.run_reverse(function, args, seeds, result)
    change = not_needed if name == "content not needed" else harness.unchanged
    got = harness.run_reverse(function, args, seeds, result, mode=MODES[name], change=change)
    harness.assert_close(name, got.values, expected.values, tolerance)
