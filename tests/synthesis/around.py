"""Functions ``f(x, y, w, *lengths)`` made of lines and of what is around them, their gradients, and what these obey."""

from __future__ import annotations

import numpy as np
from numba import njit

from enzyme import (
    Active,
    Const,
    Duplicated,
    Forward,
    ReverseSplitWithPrimal,
    autodiff,
    autodiff_thunk,
    typeof,
)


def program(parameters: str, first: str, around: str, inner: str, result: str):
    """{1} and {2} in `around` stand for the inner lines, so far to the right."""

    def moved(text: str, by: int) -> str:
        return "\n".join("    " * by + line for line in text.splitlines())

    for by in (1, 2):
        around = around.replace(f"{{{by}}}", moved(inner, by))
    body = moved(f"{first}\n{around}\nreturn {result}", 1)
    scope: dict = {"np": np}
    exec(f"def f({parameters}):\n{body}\n", scope)
    return njit(scope["f"])


def inputs_of(n: int):
    rng = np.random.default_rng(n)
    size = n + 3
    return rng.uniform(0.4, 1.6, size), rng.uniform(0.2, 0.9, size), rng.uniform(-0.5, 0.5, 3)


def duplicated(inputs):
    return [Duplicated(a, np.zeros_like(a)) for a in inputs]


def gradient_of(mode, f, inputs, *lengths):
    given = duplicated(inputs)
    autodiff(mode, f, Active, *given, *map(Const, lengths))
    return np.concatenate([d.dval for d in given])


def assert_as_forward(f, found, inputs, *lengths):
    """Along a random direction."""
    rng = np.random.default_rng(lengths[-1])
    directions = [rng.normal(size=a.size) for a in inputs]
    given = [Duplicated(a, d.copy()) for a, d in zip(inputs, directions, strict=True)]
    (along,) = autodiff(Forward, f, *given, *map(Const, lengths))
    scale = max(1.0, float(abs(found).max()), abs(along))
    assert abs(along - found @ np.concatenate(directions)) <= 1e-12 * scale, lengths


def gradients_of_tapes(f, lengths):
    """Gradients of several tapes that are there at the same time."""
    types = [Duplicated[typeof(a)] for a in inputs_of(1)]
    thunks = autodiff_thunk(ReverseSplitWithPrimal, Const[typeof(f)], Active, *types, Const[int])
    forward, reverse = thunks
    left = []
    for n in lengths:
        given = duplicated(inputs_of(n))
        tape, _, _ = forward(Const(f), *given, Const(n))
        left.append((given, Const(n), tape))
    for given, n, tape in left:
        reverse(Const(f), *given, n, 1.0, tape)
    return [np.concatenate([d.dval for d in given]) for given, _, _ in left]
