"""`conjugate_gradients` against a dense solution: shapes, precisions, parameters, modes and nestings in tables."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from enzyme import (
    Active,
    BatchDuplicated,
    Const,
    Duplicated,
    Forward,
    Reverse,
    ReverseSplitWithPrimal,
    autodiff,
    autodiff_thunk,
    conjugate_gradients,
    grad,
    hvp,
    typeof,
)
from enzyme.errors import EnzymeError
from tests.rotation import all_run

pytestmark = pytest.mark.rotating(45)
LONG = pytest.mark.skipif(not all_run(), reason="compiles four nestings")


def alone(x):
    return 2.0 * x + np.sum(x) / x.size


def scaled(x, k):
    return (2.0 + k * k) * x + k * np.sum(x)


def weighted(x, w):
    return x + w * np.sum(w * x)


def both(x, k, w):
    return (2.0 + k) * x + k * w * np.sum(w * x)


def precondition(r, k, w):
    return r / (2.0 + k)


SHAPES = {"vector": (5,), "grid": (3, 2)}
PRODUCTS = {
    "alone": (alone, None, ()),
    "scaled": (scaled, None, ("k",)),
    "weighted": (weighted, None, ("w",)),
    "both": (both, None, ("k", "w")),
    "preconditioned": (both, precondition, ("k", "w")),
}
RNG = np.random.default_rng(0)


def _given(parameters, shape, dtype=np.float64):
    values = {"k": dtype(0.7), "w": RNG.uniform(0.2, 0.8, shape).astype(dtype)}
    return (RNG.normal(size=shape).astype(dtype), *(values[name] for name in parameters))


def _direction(x):
    return RNG.normal(size=np.shape(x)) if np.ndim(x) else 0.6


def _dense(product, b, *parameters):
    unit = np.eye(b.size).reshape(b.size, *b.shape)
    rows = [product(u, *parameters).ravel() for u in unit]
    return np.linalg.solve(np.array(rows), b.ravel()).reshape(b.shape)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", PRODUCTS)
def test_solutions_and_both_modes(name, shape):
    product, preconditioner, parameters = PRODUCTS[name]
    solve = conjugate_gradients(product, preconditioner)
    given = _given(parameters, SHAPES[shape])
    np.testing.assert_allclose(solve(*given), _dense(product, *given), rtol=1e-10)
    directions = [_direction(x) for x in given]
    moved = [Duplicated(x, d) for x, d in zip(given, directions, strict=True)]
    (tangent,) = autodiff(Forward, solve, *moved)
    h = 1e-6
    there, back = (
        _dense(product, *(x + t * d for x, d in zip(given, directions, strict=True)))
        for t in (h, -h)
    )
    np.testing.assert_allclose(tangent, (there - back) / (2.0 * h), rtol=1e-6, atol=1e-8)
    seed = RNG.normal(size=SHAPES[shape])

    @njit
    def against(*given):
        return np.sum(seed * solve(*given))

    adjoints = grad(against, argnums=tuple(range(len(given))))(*given)
    law = sum(np.sum(a * d) for a, d in zip(adjoints, directions, strict=True))
    assert law == pytest.approx(np.sum(seed * tangent), rel=1e-10)


@LONG
@pytest.mark.parametrize("name", [name for name in PRODUCTS if name != "alone"])
def test_second_derivatives(name):
    """All four nestings against differences of first derivatives."""
    product, preconditioner, parameters = PRODUCTS[name]
    solve = conjugate_gradients(product, preconditioner)
    given = _given(parameters, (4,))
    b, rest = given[0], given[1:]
    base = np.concatenate([np.ravel(x) for x in rest])

    scope = {"np": np, "solve": solve, "b": b}
    parts, at = [], 0
    for x in rest:
        size = np.size(x)
        parts.append(f"t[{at}]" if np.ndim(x) == 0 else f"t[{at}:{at + size}]")
        at += size
    exec(f"def loss(t):\n    return np.sum(np.sin(solve(b, {', '.join(parts)})))", scope)
    loss = njit(scope["loss"])
    v = RNG.normal(size=base.size)
    h = 1e-5
    first = grad(loss)
    expected = (first(base + h * v) - first(base - h * v)) / (2.0 * h)
    np.testing.assert_allclose(hvp(loss, base, v), expected, rtol=1e-5, atol=1e-7)
    forward = grad(loss, mode="forward")

    @njit
    def along(t):
        return np.sum(first(t) * v)

    @njit
    def along_forward(t):
        return np.sum(forward(t) * v)

    for f, mode in ((along, "reverse"), (along_forward, "reverse"), (along_forward, "forward")):
        np.testing.assert_allclose(grad(f, mode=mode)(base), expected, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_precisions(dtype):
    solve = conjugate_gradients(scaled)
    b, k = _given(("k",), (6,), dtype)
    x = solve(b, k)
    assert x.dtype == dtype
    np.testing.assert_allclose(x, _dense(scaled, b, k), rtol=30.0 * np.finfo(dtype).eps)
    db = np.zeros_like(b)
    autodiff(Reverse, njit(lambda b, k: solve(b, k)[1]), Active, Duplicated(b, db), Const(k))
    np.testing.assert_allclose(db, _dense(scaled, np.eye(6)[1], k), rtol=1e-4, atol=1e-6)


def test_batches():
    solve = conjugate_gradients(both)
    b, k, w = _given(("k", "w"), (4,))
    f = njit(lambda b, k, w: np.sum(solve(b, k, w) ** 2))
    lanes = [tuple(np.zeros(4) for _ in range(2)) for _ in range(2)]
    ((_, dk, _),) = autodiff(
        Reverse, f, Active, BatchDuplicated(b, lanes[0]), Active(k), BatchDuplicated(w, lanes[1])
    )
    db, dk_alone, dw = grad(f, argnums=(0, 1, 2))(b, k, w)
    for lane in range(2):
        np.testing.assert_allclose(lanes[0][lane], db, rtol=1e-12)
        np.testing.assert_allclose(lanes[1][lane], dw, rtol=1e-12)
        assert np.ravel(dk)[lane] == pytest.approx(dk_alone, rel=1e-12)


def test_parameters_that_change_between_the_passes():
    solve = conjugate_gradients(weighted)

    @njit
    def f(b, w):
        return np.sum(solve(b, w) ** 2)

    b, w = _given(("w",), (4,))
    db, dw = np.zeros(4), np.zeros(4)
    expected = grad(f, argnums=(0, 1))(b, w)
    given = (Duplicated(b, db), Duplicated(w, dw))
    types = [Duplicated[typeof(x)] for x in (b, w)]
    forward, reverse = autodiff_thunk(ReverseSplitWithPrimal, f, Active, *types)
    tape, _, _ = forward(Const(f), *given)
    w[:] = 9.0
    reverse(Const(f), *given, 1.0, tape)
    np.testing.assert_allclose(db, expected[0], rtol=1e-12)
    np.testing.assert_allclose(dw, expected[1], rtol=1e-12)


def test_what_cannot_be_solved():
    indefinite = conjugate_gradients(lambda x: -x)
    with pytest.raises(ArithmeticError, match="not positive definite"):
        indefinite(np.ones(3))
    assert not indefinite(np.zeros(3)).any()
    few = conjugate_gradients(scaled, maxiter=0)
    with pytest.raises(ArithmeticError, match="does not converge"):
        few(np.ones(3), 0.5)
    solve = conjugate_gradients(scaled)
    for wrong, word in (
        (np.ones(3) + 1j, "complex128"),
        (np.ones(3, int), "int64"),
        (2.0, "float64"),
    ):
        with pytest.raises(EnzymeError, match=word):
            solve(wrong, 0.5)
    with pytest.raises(EnzymeError, match="a parameter of type UniTuple"):
        solve(np.ones(3), (1.0, 2.0))
