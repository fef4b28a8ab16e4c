"""The law for constants: what is left out of a derivative changes nothing of the rest.

With some arguments `Const`, the others get the derivative that they get when all take part and the shadows of those
that are left out begin at zero. A program that sends derivatives through memory declared constant must be refused.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from enzyme import (
    Active,
    Const,
    Duplicated,
    Forward,
    Reverse,
    ReverseSplitWithPrimal,
    ReverseWithPrimal,
    autodiff,
    autodiff_thunk,
    typeof,
)
from enzyme.errors import EnzymeConstStorageError, EnzymeRuntimeActivityError
from tests.programs import harness
from tests.programs.harness import activity, arrays, own, perturbed, plain, twin, vector

REFUSED = (EnzymeConstStorageError, EnzymeRuntimeActivityError)
Some = frozenset[int]


def chosen(args: tuple[Any, ...], rng: np.random.Generator) -> Some | None:
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
    pairs = ((a, b) for a in harness._leaves(one) for b in harness._leaves(other))
    return one is other or any(
        np.may_share_memory(a, b)
        for a, b in pairs
        if isinstance(a, np.ndarray) and isinstance(b, np.ndarray)
    )


def _without(args: tuple[Any, ...], left_out: Some) -> tuple[Any, ...]:
    """`args` with zeros where they are left out."""
    zeros = perturbed(args, np.zeros)
    return tuple(zeros[k] if k in left_out else a for k, a in enumerate(args))


def _rest(args: tuple[Any, ...], left_out: Some) -> tuple[Any, ...]:
    return tuple(a for k, a in enumerate(args) if k not in left_out and activity(a) != "const")


def _constants(args: Any, annotated: list[Any], left_out: Some) -> list[Any]:
    return [
        Const(plain((a,))[0]) if k in left_out else annotation
        for k, (a, annotation) in enumerate(zip(args, annotated))
    ]


def run_forward(function: Any, args: Any, tangents: Any, constant: Some, left_out: Some) -> Any:
    """Tangents of the result and of the arrays that are not left out."""
    args, tangents = twin(args), twin(tangents)
    duplicated = [
        Const(plain((a,))[0]) if activity(a) == "const" else Duplicated(a, t)
        for a, t in zip(args, tangents)
    ]
    shadow = autodiff(Forward, function, *_constants(args, duplicated, constant))
    mine = own(tuple(shadow), (tangents, plain(args)))
    return vector((*mine, *arrays(_rest(tangents, left_out))))


def run_reverse(
    function: Any, args: Any, seeds: Any, result: Any, constant: Some, left_out: Some
) -> Any:
    """Adjoints of the arguments that are not left out."""
    args, seeds, annotated, returned = harness._annotated(args, seeds, result)
    mode = Reverse if constant else ReverseWithPrimal
    found = autodiff(mode, function, returned, *_constants(args, annotated, constant))
    return _adjoints(args, seeds, found[0], left_out)


def run_split(function: Any, args: Any, seeds: Any, result: Any, constant: Some) -> Any:
    """As `run_reverse`, in two calls."""
    args, seeds, annotated, returned = harness._annotated(args, seeds, result)
    annotated = _constants(args, annotated, constant)
    types = [type(a)[typeof(a.val)] for a in annotated]
    forward, reverse = autodiff_thunk(
        ReverseSplitWithPrimal, Const[typeof(function)], returned, *types
    )
    tape, _, _ = forward(Const(function), *annotated)
    for k, x in enumerate(args):
        if k not in constant and isinstance(x, np.ndarray) and x.flags.writeable:
            x.fill(np.nan) if x.dtype.kind == "f" else None
    seed = (1.0,) if returned is Active else ()
    (adjoints,) = reverse(Const(function), *annotated, *seed, tape)
    return _adjoints(args, seeds, adjoints, constant)


def _adjoints(args: Any, seeds: Any, adjoints: Any, left_out: Some) -> np.ndarray:
    return vector(
        tuple(
            s if activity(a) == "duplicated" else d
            for k, (a, s, d) in enumerate(zip(args, seeds, adjoints))
            if k not in left_out and activity(a) != "const"
        )
    )


def check(case: harness.Case) -> None:
    """The law of one program, with some of its arguments left out."""
    args, rng = case.inputs()
    assert_same(case.function, args, rng, 1e-5 if case.single else 1e-11)


def assert_same(
    function: Any, args: tuple[Any, ...], rng: np.random.Generator, tolerance: float
) -> None:
    """Forward, combined and split mode with constants, each against the mode without."""
    left_out = chosen(args, rng)
    if left_out is None:
        return
    none: Some = frozenset()
    tangents = _without(perturbed(args, rng.standard_normal), left_out)
    seeds = _without(perturbed(args, rng.standard_normal), left_out)
    result = harness.run_primal(function, args).result
    forward = run_forward(function, args, tangents, none, left_out)
    reverse = run_reverse(function, args, seeds, result, none, left_out)
    try:
        pairs = {
            "forward": (run_forward(function, args, tangents, left_out, left_out), forward),
            "reverse": (run_reverse(function, args, seeds, result, left_out, left_out), reverse),
            "split": (run_split(function, args, seeds, result, left_out), reverse),
        }
    except REFUSED:
        return
    for what, (got, expected) in pairs.items():
        np.testing.assert_allclose(
            got,
            expected,
            rtol=0,
            atol=tolerance * np.abs(expected).max(initial=1.0),
            err_msg=f"{what} mode with constants {sorted(left_out)}",
        )
