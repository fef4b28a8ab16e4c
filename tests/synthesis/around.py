"""Functions ``f(x, y, w, *lengths)`` made of lines and of what is around them, their gradients, and what these obey."""

from __future__ import annotations

import numpy as np
from numba import njit

from enzyme import (
    Active,
    BatchDuplicated,
    Const,
    Duplicated,
    Forward,
    Reverse,
    ReverseSplitWithPrimal,
    ReverseWithPrimal,
    autodiff,
    autodiff_thunk,
    explain,
    hvp,
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


def assert_modes_agree(f, lengths, others=None, tolerance=1e-12):
    """Reverse mode, with and without the primal and in split mode, agrees with forward mode, and with `others`: a
    gradient for each length. Functions may change their arguments. Forward mode is not asked of less exact numbers."""
    others = [None] * len(lengths) if others is None else others
    for n, of_tape, other in zip(lengths, gradients_of_tapes(f, lengths), others, strict=True):
        found = gradient_of(Reverse, f, inputs_of(n), n)
        scale = max(1.0, float(abs(found).max()))
        for same in (gradient_of(ReverseWithPrimal, f, inputs_of(n), n), of_tape, other):
            assert same is None or abs(found - same).max() <= tolerance * scale, n
        if tolerance <= 1e-12:
            assert_as_forward(f, found, inputs_of(n), n)


def bytes_in_loops(f, n):
    """Bytes that are kept in loops, of which each has its own."""
    found = explain(Reverse, f, Active, *duplicated(inputs_of(n)), Const(n))
    storages = [s for function in found.functions for s in function.storages if s.loops]
    return sum(s.bytes_per_iteration for s in storages)


def assert_same_without(make, without, lengths, monkeypatch):
    """Modes agree, and with the gradient of what is made anew while something is taken out."""
    f = make()
    with monkeypatch.context() as patch:
        without(patch)
        kept = make()
        others = [gradient_of(Reverse, kept, inputs_of(n), n) for n in lengths]
    assert_modes_agree(f, lengths, others)


def assert_batches_and_second_order(f, n):
    inputs = inputs_of(n)
    batches = [BatchDuplicated(a, (np.zeros_like(a), np.zeros_like(a))) for a in inputs]
    autodiff(Reverse, f, Active, *batches, Const(n))
    expected = gradient_of(Reverse, f, inputs, n)
    for lane in range(2):
        found = np.concatenate([b.dval[lane] for b in batches])
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)
    g = njit(lambda x, y, w, n: f(x, y, w, n))
    direction = np.random.default_rng(2).normal(size=inputs[0].size)
    along = hvp(lambda x: g(x, inputs[1], inputs[2], n), inputs[0], direction)
    step = 1e-6
    ahead, behind = (
        gradient_of(Reverse, f, (inputs[0] + k * step * direction, *inputs[1:]), n) for k in (1, -1)
    )
    differences = (ahead - behind)[: inputs[0].size] / (2 * step)
    np.testing.assert_allclose(along, differences, rtol=1e-6, atol=1e-7)
