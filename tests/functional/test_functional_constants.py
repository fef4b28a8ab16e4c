"""Constants of `grad` and its relatives: they stay as they were, may be written, and may be containers."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit, typed, types
from numba.experimental import jitclass

from enzyme import (
    Const,
    Forward,
    Reverse,
    grad,
    gradient,
    hessian,
    hvp,
    hvp_inplace,
    jacfwd,
    jacobian,
    jacrev,
    jvp,
    linearize,
    value_and_grad,
    vjp,
)

pytestmark = pytest.mark.rotating(21)

X, ONES = np.array([1.0, 2.0]), np.ones(2)
CALLS = {
    "grad": lambda f, x, w: grad(f)(x, w),
    "grad, forward": lambda f, x, w: grad(f, mode="forward")(x, w),
    "value_and_grad": lambda f, x, w: value_and_grad(f)(x, w),
    "jacfwd": lambda f, x, w: jacfwd(f)(x, w),
    "jacrev": lambda f, x, w: jacrev(f)(x, w),
    "jvp": lambda f, x, w: jvp(f, (x, w), (ONES, None)),
    "vjp": lambda f, x, w: vjp(f, x, w)[1](1.0)[0],
    "linearize": lambda f, x, w: linearize(f, x, w)[1](ONES, None),
    "hessian": lambda f, x, w: hessian(f)(x, w),
    "hvp": lambda f, x, w: hvp(f, x, ONES, w),
    "hvp_inplace": lambda f, x, w: hvp_inplace(np.zeros(2), f, x, ONES, w),
    "gradient": lambda f, x, w: gradient(Reverse, f, x, Const(w))[0],
    "gradient, forward": lambda f, x, w: gradient(Forward, f, x, Const(w))[0],
    "jacobian": lambda f, x, w: jacobian(Reverse, f, x, Const(w))[0],
    "in compiled code": lambda f, x, w: njit(lambda x, w: gradient(Reverse, f, x, Const(w))[0])(
        x, w
    ),
}


@njit
def doubles(x, w):
    w *= 2
    return (x * x * w).sum()


@njit
def doubles_both(x, w):
    w[0][:] = 2.0 * w[0]
    x *= w[1]
    return (x * x * w[0]).sum()


@njit
def stores(x, w):
    """Active data in a constant: second derivatives need a shadow for it."""
    for k in range(len(x)):
        w[k] = x[k] ** 3
    return w.sum()


@njit
def stores_late(x, w):
    if x[0] > 1.5:
        for k in range(len(x)):
            w[k] = x[k] ** 3
        return w.sum()
    return (x * x * x).sum()


KINDS = {
    "floats": (doubles, np.ones(2)),
    "integers": (doubles, np.ones(2, int)),
    "a tuple": (doubles_both, (np.ones(2), 3)),
    "stored to": (stores, np.zeros(2)),
    "stored to on one way": (stores_late, np.zeros(2)),
}
VALUES = {
    "floats": (lambda x: (2 * x * x).sum(), 4 * X),
    "integers": (lambda x: (2 * x * x).sum(), 4 * X),
    "a tuple": (lambda x: (18 * x * x).sum(), 36 * X),
    "stored to": (lambda x: (x**3).sum(), 3 * X * X),
    "stored to on one way": (lambda x: (x**3).sum(), 3 * X * X),
}


def curvature(kind, x):
    slopes = [gradient_of(kind, x + s * 1e-5 * u) for u in np.eye(2) for s in (1, -1)]
    return np.array([(slopes[k] - slopes[k + 1]) / 2e-5 for k in (0, 2)])


def gradient_of(kind, x):
    return {"floats": 4 * x, "integers": 4 * x, "a tuple": 36 * x}.get(kind, 3 * x * x)


# Every kind with half of the calls, and the other way round.
CELLS = [
    (kind, call) for i, kind in enumerate(KINDS) for j, call in enumerate(CALLS) if (i + j) % 2 == 0
]


@pytest.mark.parametrize(("kind", "call"), CELLS)
def test_constants_stay_as_they_were(kind, call):
    f, w = KINDS[kind]
    arrays = [w[0]] if isinstance(w, tuple) else [w]
    before = [a.copy() for a in arrays]
    for x in (X, X, 2.0 * X):
        given = x.copy()
        found = CALLS[call](f, given, w)
        slope, matrix = gradient_of(kind, x), curvature(kind, x)
        expected = {
            "value_and_grad": slope,
            "jvp": slope.sum(),
            "linearize": slope.sum(),
            "hessian": matrix,
            "hvp": matrix @ ONES,
            "hvp_inplace": matrix @ ONES,
        }.get(call, slope)
        found = found[1] if call in ("value_and_grad", "jvp") else found
        np.testing.assert_allclose(
            np.reshape(found, np.shape(expected)), expected, rtol=1e-7, atol=1e-7
        )
        np.testing.assert_array_equal(given, x)
        for a, b in zip(arrays, before, strict=True):
            np.testing.assert_array_equal(a, b)


@jitclass([("a", types.float64)])
class Holder:
    def __init__(self, a):
        self.a = a

    def scaled(self, x):
        return self.a * (x * x).sum()


def _dictionary():
    d = typed.Dict.empty(types.unicode_type, types.float64)
    d["k"] = 3.0
    return d


@pytest.mark.parametrize(
    ("source", "made"),
    [
        ("c[0]", lambda: typed.List([3.0])),
        ("c[0]", lambda: typed.List([3])),
        ("c[0][1]", lambda: typed.List([np.array([1.0, 3.0])])),
        ("c['k']", _dictionary),
        ("c.a", lambda: Holder(3.0)),
    ],
    ids=["list", "list of integers", "list of arrays", "dictionary", "jitclass"],
)
def test_second_derivatives_beside_containers(source, made):
    constant, scope = made(), {}
    exec(f"def f(x, c):\n    return (x * x).sum() * {source}\n", scope)
    f = njit(scope["f"])
    np.testing.assert_allclose(grad(f)(X, constant), 6.0 * X)
    for _ in range(2):
        np.testing.assert_allclose(hvp(f, X, ONES, constant), 6.0 * ONES)
        np.testing.assert_allclose(hessian(f)(X, constant), 6.0 * np.eye(2))
    inside = njit(lambda x, c: gradient(Reverse, f, x, Const(c))[0])
    np.testing.assert_allclose(inside(X, constant), 6.0 * X)


def test_methods_of_jitclasses():
    holder = Holder(2.0)
    np.testing.assert_allclose(grad(holder.scaled)(X), 4.0 * X)
    np.testing.assert_allclose(hessian(holder.scaled)(X), 4.0 * np.eye(2))
    np.testing.assert_allclose(hvp(holder.scaled, X, X), 4.0 * X)
    np.testing.assert_allclose(vjp(holder.scaled, X)[1](1.0)[0], 4.0 * X)
    np.testing.assert_allclose(hessian(Const(doubles))(X, ONES), 4.0 * np.eye(2))


def test_a_value_that_is_an_argument_is_not_what_is_kept():
    y, along = linearize(lambda z: (z, z * z), X)
    y[0][:] = 0.0
    np.testing.assert_array_equal(along(ONES)[1], 2.0 * X)


def test_results_without_axes_and_without_cotangents():
    value, pullback = vjp(lambda x: (np.array(x[0] * x[1]), x.sum(), 3), X)
    assert value[0].shape == ()
    np.testing.assert_array_equal(pullback((2.0, 0.0, None))[0], 2.0 * X[::-1])
    np.testing.assert_array_equal(pullback((None, 1.0, None))[0], ONES)
    np.testing.assert_array_equal(pullback(None)[0], 0.0 * X)


def test_hessians_of_tuples():
    assert hessian(lambda t: t[0] * t[1] ** 2)((1.0, 2.0)) == ((0.0, 4.0), (4.0, 2.0))
