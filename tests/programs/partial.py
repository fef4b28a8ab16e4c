"""The law for constants: what is left out of a derivative changes nothing of the rest.

With some arguments `Const`, the others get the derivative that they get when all take part and the shadows of those
that are left out begin at zero. A program that sends derivatives through memory declared constant must be refused.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from enzyme import Forward, Reverse
from enzyme.errors import EnzymeConstStorageError, EnzymeRuntimeActivityError
from tests.programs import harness
from tests.programs.cases import Case, Random
from tests.programs.harness import Positions
from tests.programs.values import activity, leaves, perturbed

REFUSED = (EnzymeConstStorageError, EnzymeRuntimeActivityError)


def chosen(args: tuple[Any, ...], rng: Random) -> Positions | None:
    """Positions to leave out, at random; None where that would be all arguments that have a derivative.

    Arguments that share memory stay together.
    """
    free = [k for k, a in enumerate(args) if activity(a) != "const"]
    if len(free) < 2:
        return None
    count = int(rng.integers(1, len(free)))
    first = rng.choice(free, count, replace=False).tolist()
    found = frozenset(k for k in free if any(_share(args[k], args[n]) for n in first))
    return None if len(found) == len(free) else found


def _share(one: Any, other: Any) -> bool:
    pairs = ((a, b) for a in leaves(one) for b in leaves(other))
    return one is other or any(
        np.may_share_memory(a, b)
        for a, b in pairs
        if isinstance(a, np.ndarray) and isinstance(b, np.ndarray)
    )


def _without(args: tuple[Any, ...], left_out: Positions) -> tuple[Any, ...]:
    """`args` with zeros where they are left out."""
    zeros = perturbed(args, np.zeros)
    return tuple(zeros[k] if k in left_out else a for k, a in enumerate(args))


def check(case: Case) -> None:
    """The law of one program, with some of its arguments left out."""
    args, rng = case.inputs()
    assert_same(case.function, args, rng, 1e-5 if case.single else 1e-11, plain=case.plain)


def assert_same(
    function: Any, args: tuple[Any, ...], rng: Random, tolerance: float, *, plain: Any = None
) -> None:
    """Forward, combined and split mode with constants, each against the mode without.

    `plain` computes the same as `function`.
    """
    left_out = chosen(args, rng)
    if left_out is None:
        return
    tangents = _without(perturbed(args, rng.standard_normal), left_out)
    seeds = _without(perturbed(args, rng.standard_normal), left_out)
    result = harness.run_primal(plain or function, args).result
    forward = harness.run_forward(function, args, tangents, mode=Forward)
    reverse = harness.run_reverse(function, args, seeds, result)
    change = harness.with_constants(left_out)
    try:
        pairs = {
            "forward": (
                harness.run_forward(function, args, tangents, mode=Forward, change=change),
                forward,
            ),
            "reverse": (
                harness.run_reverse(function, args, seeds, result, mode=Reverse, change=change),
                reverse,
            ),
            "split": (harness.run_split(function, args, seeds, result, change=change), reverse),
        }
    except REFUSED:
        return
    for what, (got, expected) in pairs.items():
        harness.assert_close(
            f"{what} mode with constants {sorted(left_out)}",
            got.without(left_out),
            expected.without(left_out),
            tolerance,
        )
