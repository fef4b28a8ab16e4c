"""Every function of `enzyme.functional` with every kind of argument, against differences and against each other."""

from __future__ import annotations

import functools
import itertools
import os
from typing import NamedTuple

import numpy as np
import pytest
from numba import njit

from enzyme import (
    grad,
    hessian,
    hvp,
    hvp_and_gradient_inplace,
    hvp_inplace,
    jacfwd,
    jacrev,
    jvp,
    linearize,
    value_and_grad,
    vjp,
)

pytestmark = pytest.mark.rotating(18)

RNG = np.random.default_rng(0)


class Pair(NamedTuple):
    a: np.ndarray
    b: np.ndarray


# What is differentiated, as one argument `x`; what of it is summed.
SUMS = {
    "scalar": (1.3, "x * x * x"),
    "vector": (RNG.normal(size=3), "(x * x * x).sum() * x[0]"),
    "column": (RNG.normal(size=(3, 2))[:, 1], "(x * x * x).sum() * x[0]"),
    "backwards": (RNG.normal(size=3)[::-1], "(x * x * x).sum() * x[0]"),
    "matrix": (RNG.normal(size=(2, 2)), "(x @ x).sum() * x[0, 1]"),
    "Fortran": (np.asfortranarray(RNG.normal(size=(2, 2))), "(x * x * x).sum() * x[0, 1]"),
    "no axes": (np.array(1.7), "x[()] ** 3"),
    "empty": (np.zeros(0), "(x * x).sum() + 2.0"),
    "single": (np.float32([0.5, 1.5]), "(x * x * x).sum() * x[0]"),
    "tuple": ((RNG.normal(size=2), RNG.normal(size=3)), "(x[0] * x[0]).sum() * x[1].sum()"),
    "named tuple": (Pair(RNG.normal(size=2), RNG.normal(size=3)), "(x.a * x.a).sum() * x.b.sum()"),
}
# How it stands among the arguments, and how it is asked for.
CALLS = {
    "alone": ("x", "", 0, lambda f, x: f(x)),
    "second": ("n, x", " * n", 1, lambda f, x: f(2, x)),
    "by name": ("n, x, c", " * n * c", "x", lambda f, x: f(2, x, 0.5)),
    "from the end": ("n, x, c", " * n * c", -2, lambda f, x: f(2, x, 0.5)),
    "default": ("x, c=0.5, k=3", " * c * k", 0, lambda f, x: f(x, k=2)),
    "keywords": ("n, x", " * n", "x", lambda f, x: f(x=x, n=2)),
    "many": ("*args", "", 0, lambda f, x: f(x)),
}
ARRAYS = [name for name, (x, _) in SUMS.items() if isinstance(x, np.ndarray)]


@functools.cache
def program(kind, call):
    parameters, factor, argnums, run = CALLS[call]
    scope = {}
    body = "    x = args[0]\n" if call == "many" else ""
    exec(f"def f({parameters}):\n{body}    return ({SUMS[kind][1]}){factor}\n", scope)
    decorated = (list(SUMS).index(kind) + list(CALLS).index(call)) % 2
    return njit(scope["f"]) if decorated else scope["f"], argnums, run


def parts(x):
    return x if isinstance(x, tuple) else (x,)


def like(x, numbers):
    """The numbers in the form of x."""
    found, rest = [], list(numbers)
    for part in parts(x):
        size = np.size(part)
        found.append(np.reshape(rest[:size], np.shape(part)))
        rest = rest[size:]
    if not isinstance(x, tuple):
        return float(found[0]) if isinstance(x, float) else found[0].astype(x.dtype)
    return type(x)(*found) if hasattr(x, "_fields") else tuple(found)


def flat(x):
    return np.concatenate([np.ravel(part) for part in parts(x)]).astype(float)


def slopes(function, x):
    """Central differences, a row for each number."""
    here, step = flat(x), 1e-2 if getattr(x, "dtype", None) == np.float32 else 1e-5
    rows = []
    for unit in np.eye(len(here)):
        ahead, behind = (function(like(x, here + s * step * unit)) for s in (1, -1))
        rows.append((np.ravel(ahead) - np.ravel(behind)) / (2 * step))
    return np.array(rows)


def check(found, expected, x):
    assert type(found) is type(x) or isinstance(x, np.ndarray)
    single = getattr(x, "dtype", None) == np.float32
    np.testing.assert_allclose(flat(found), expected, rtol=2e-3 if single else 1e-7, atol=1e-8)
    for a, b in zip(parts(found), parts(x), strict=True):
        assert np.shape(a) == np.shape(b)


# Each kind with three of the calls, each call with four of the kinds or more; all with EXHAUSTIVE in the environment.
PAIRS = [
    (kind, call)
    for (i, kind), (j, call) in itertools.product(enumerate(SUMS), enumerate(CALLS))
    if "EXHAUSTIVE" in os.environ or (2 * i + j) % 7 < 3
]


@pytest.mark.parametrize(("kind", "call"), PAIRS)
def test_gradients(kind, call):
    x, _ = SUMS[kind]
    f, argnums, run = program(kind, call)
    expected = slopes(lambda x: run(f, x), x)[:, 0] if flat(x).size else np.zeros(0)
    before = flat(x).copy()
    check(run(grad(f, argnums), x), expected, x)
    value, found = run(value_and_grad(f, argnums), x)
    check(found, expected, x)
    assert value == run(f, x)
    if call in ("alone", "by name"):
        check(run(grad(f, argnums, mode="forward"), x), expected, x)
        value, found = run(value_and_grad(f, argnums, mode="forward"), x)
        check(found, expected, x)
        assert value == run(f, x)
    for made in (jacfwd, jacrev):
        check(run(made(f, argnums), x), expected, x)
    both = run(grad(f, [argnums, argnums]), x)
    assert isinstance(both, tuple) and len(both) == 2
    check(both[1], expected, x)
    assert np.array_equal(flat(x), before)


@pytest.mark.parametrize("kind", [k for k in SUMS if "tuple" not in k])
def test_second_derivatives(kind):
    x, _ = SUMS[kind]
    for call in ("alone", "by name"):
        f, argnums, run = program(kind, call)
        gradient = grad(f, argnums)
        size = flat(x).size
        expected = slopes(lambda x, run=run, g=gradient: run(g, x), x).reshape(size, size)
        found = run(hessian(f, argnums), x)
        assert np.shape(found) == np.shape(x) * 2
        single = getattr(x, "dtype", None) == np.float32
        tolerance = {"rtol": 2e-3 if single else 1e-6, "atol": 2e-3 if single else 1e-7}
        np.testing.assert_allclose(np.reshape(found, (size, size)), expected, **tolerance)
        if call == "alone":
            v = like(x, RNG.normal(size=size))
            product = hvp(f, x, v)
            assert np.shape(product) == np.shape(x)
            np.testing.assert_allclose(np.ravel(product), expected @ flat(v), **tolerance)
            if isinstance(x, np.ndarray):
                res, slope = np.full_like(x, 7.0), np.full_like(x, 7.0)
                assert hvp_inplace(res, f, x, v) is res
                np.testing.assert_array_equal(res, product)
                hvp_and_gradient_inplace(res, slope, f, x, v)
                np.testing.assert_array_equal(res, product)
                np.testing.assert_allclose(slope, gradient(x), rtol=1e-6)


def test_hessians_of_several_arguments():
    @njit
    def f(n, x, t):
        return n * t * t * (x * x).sum() * x[0]

    x, t = np.array([1.0, 2.0]), 3.0
    found = hessian(f, argnums=(2, 1))(2, x, t)
    (tt, tx), (xt, xx) = found
    s = (x * x).sum()
    slope = np.array([s + 2.0 * x[0] * x[0], 2.0 * x[0] * x[1]])
    assert tt == 4.0 * s * x[0]
    np.testing.assert_allclose(tx, 4.0 * t * slope)
    np.testing.assert_allclose(xt, 4.0 * t * slope)
    np.testing.assert_allclose(xx, 18.0 * np.array([[6.0, 4.0], [4.0, 2.0]]))
    assert hessian(f, argnums=("x", "x"))(2, x, t)[0][1].shape == (2, 2)


# Results -------------------------------------------------------------------------------------------

RESULTS = {
    "number": "(x * x).sum() * t",
    "vector": "x * x * t",
    "matrix": "np.outer(x, x) * t",
    "tuple": "(x * x * t, t * t)",
    "tuple with a count": "(x * t, 3, (x * x).sum())",
}


@pytest.mark.parametrize("result", RESULTS)
def test_products_agree(result):
    """jvp, vjp, linearize, jacfwd and jacrev of one function."""
    scope = {"np": np}
    exec(f"def f(x, n, t):\n    return {RESULTS[result]}\n", scope)
    f = njit(scope["f"])
    x, t = np.array([1.0, 2.0, -0.5]), 1.5
    v, w = np.array([0.3, -1.0, 2.0]), 0.7
    value, along = jvp(f, (x, 2, t), (v, None, w))
    step = 1e-6
    ahead, behind = (f(x + s * step * v, 2, t + s * step * w) for s in (1, -1))
    y, pullback = vjp(f, x, 2, t)
    z, line = linearize(f, x, 2, t)
    again = line(v, None, w)
    paired = {"forward": 0.0, "reverse": 0.0}
    cotangent = []
    for k, part in enumerate(parts(f(x, 2, t))):
        one = [parts(r)[k] for r in (value, y, z)]
        assert all(np.array_equal(o, part) for o in one)
        if isinstance(part, int):
            cotangent.append(None)
            continue
        expected = (parts(ahead)[k] - parts(behind)[k]) / (2 * step)
        np.testing.assert_allclose(parts(along)[k], expected, rtol=1e-8)
        np.testing.assert_array_equal(parts(again)[k], parts(along)[k])
        seed = RNG.normal(size=np.shape(part))
        cotangent.append(seed if np.ndim(part) else float(seed))
        paired["forward"] += np.sum(seed * parts(along)[k])
    for _ in range(2):  # as often as one likes
        dx, dn, dt = pullback(tuple(cotangent) if isinstance(y, tuple) else cotangent[0])
        assert dn is None
        np.testing.assert_allclose(dx @ v + dt * w, paired["forward"], rtol=1e-12)
    if result != "tuple with a count":
        rows = jacfwd(f, (0, 2))(x, 2, t), jacrev(f, ("x", "t"))(x, 2, t)
        for a, b in zip(*rows, strict=True):
            for p, q in zip(parts(a), parts(b), strict=True):
                np.testing.assert_allclose(p, q, rtol=1e-12)
                assert np.shape(p) == np.shape(q)


def test_a_pullback_keeps_the_arguments_as_they_were():
    x = np.array([1.0, 2.0])
    _, pullback = vjp(lambda x: x * x, x)
    _, along = linearize(lambda x: x * x, x)
    x[:] = 100.0
    np.testing.assert_array_equal(pullback(np.ones(2))[0], [2.0, 4.0])
    np.testing.assert_array_equal(along(np.ones(2)), [2.0, 4.0])


# Functions -----------------------------------------------------------------------------------------


class Model(NamedTuple):
    scale: np.ndarray

    def loss(self, x):
        return (self.scale * x * x).sum()

    def __call__(self, x):
        return (self.scale * x).sum()


def product(a, x, b):
    return a * b * (x * x).sum()


def test_kinds_of_functions():
    x = np.array([1.0, 2.0])
    model = Model(np.array([3.0, 4.0]))
    np.testing.assert_allclose(grad(model.loss)(x), [6.0, 16.0])
    np.testing.assert_allclose(grad(model)(x), [3.0, 4.0])
    np.testing.assert_allclose(grad(functools.partial(product, 2.0, b=3.0))(x), [12.0, 24.0])
    np.testing.assert_allclose(grad(functools.partial(product, 2.0), "b")(x, b=3.0), 10.0)
    inner = functools.partial(functools.partial(product, 2.0), b=5.0)
    np.testing.assert_allclose(hessian(inner)(x), 20.0 * np.eye(2))
    np.testing.assert_allclose(jvp(inner, (x,), (x,))[1], 100.0)
    np.testing.assert_allclose(vjp(inner, x)[1](1.0)[0], [20.0, 40.0])
    c = 2.0
    made = grad(lambda x: c * (x * x).sum())
    np.testing.assert_allclose(made(x), [4.0, 8.0])
    c = 3.0  # the function sees it
    np.testing.assert_allclose(made(x), [6.0, 12.0])
    np.testing.assert_allclose(hessian(lambda x: c * (x * x).sum())(x), 6.0 * np.eye(2))


def test_a_function_that_has_got_the_attributes_of_another():
    """As `functools.wraps` copies them: what was made for the other one is not its own."""

    def square(x):
        return (x * x).sum()

    x = np.array([1.0, 2.0])
    for n in (2.0, 3.0):
        if n == 2.0:
            f = square
        else:

            @functools.wraps(square)
            def f(x):
                return (x * x * x).sum()

        np.testing.assert_allclose(vjp(f, x)[1](1.0)[0], n * x ** (n - 1.0))
        np.testing.assert_allclose(hessian(f)(x), np.diag(n * (n - 1.0) * x ** (n - 2.0)))
        for _ in range(2):
            np.testing.assert_allclose(hvp(f, x, x), n * (n - 1.0) * x ** (n - 1.0))


def test_an_auxiliary_result():
    def f(x, n):
        return (x * x).sum(), (x * n, n)

    x = np.array([1.0, 2.0])
    for mode in ("forward", "reverse"):
        found, (scaled, n) = grad(f, has_aux=True, mode=mode)(x, 3)
        np.testing.assert_array_equal(found, [2.0, 4.0])
        np.testing.assert_array_equal(scaled, [3.0, 6.0])
        assert n == 3
        (value, aux), found = value_and_grad(f, has_aux=True, mode=mode)(x, 3)
        assert value == 5.0 and aux[1] == 3
        np.testing.assert_array_equal(found, [2.0, 4.0])
    rows, (scaled, n) = jacrev(lambda x, n: (x * x, (x * n, n)), has_aux=True)(x, 3)
    np.testing.assert_array_equal(rows, [[2.0, 0.0], [0.0, 4.0]])
    np.testing.assert_array_equal(scaled, [3.0, 6.0])


def test_names_of_what_is_made():
    assert grad(product).__name__ == "grad_of_product"
    assert "`hessian` of `product`" in hessian(product).__doc__
