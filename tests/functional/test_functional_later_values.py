"""Derivatives of derivatives follow what the function reads: globals, cells, defaults, helpers."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from enzyme import (
    ActivityError,
    batch,
    grad,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    linearize,
    value_and_grad,
    vjp,
)

pytestmark = pytest.mark.rotating(17)

FACTOR = 1.0


def of_global():
    global FACTOR
    FACTOR = 1.0

    def change(value):
        global FACTOR
        FACTOR = value

    return (lambda y: FACTOR * y**3), change


def of_cell():
    factor = 1.0

    def f(y):
        return factor * y**3

    def change(value):
        nonlocal factor
        factor = value

    return f, change


def of_default():
    def f(y, factor=1.0):
        return factor * y**3

    def change(value):
        f.__defaults__ = (value,)

    return f, change


def of_changed_default():
    kept = np.ones(1)

    def f(y, factor=kept):
        return factor[0] * y**3

    def change(value):
        kept[0] = value

    return f, change


READS = {
    "global": of_global,
    "cell": of_cell,
    "default": of_default,
    "changed default": of_changed_default,
}
TWICE = {
    "grad grad": lambda f: grad(grad(f)),
    "grad jacfwd": lambda f: grad(jacfwd(f)),
    "jacfwd grad": lambda f: jacfwd(grad(f)),
    "jacrev grad": lambda f: jacrev(grad(f)),
    "value_and_grad grad": lambda f: (lambda g: lambda y: g(y)[1])(value_and_grad(grad(f))),
    "grad value_and_grad": lambda f: (lambda g: grad(lambda y: g(y)[1]))(value_and_grad(f)),
    "closure": lambda f: (lambda g: grad(lambda y: g(y)))(grad(f)),
    "closure jacrev": lambda f: (lambda g: jacrev(lambda y: 1.0 * g(y)))(grad(f)),
    "batch": lambda f: of_batch(batch(grad(f))),
    "jvp": lambda f: lambda y: jvp(grad(f), (y,), (1.0,))[1],
    "vjp": lambda f: lambda y: vjp(grad(f), y)[1](1.0)[0],
    "hessian": lambda f: hessian(f),
}


def of_batch(each):
    total = grad(lambda v: each(v).sum())
    return lambda y: total(np.array([y]))[0]


@pytest.mark.parametrize("twice", TWICE)
@pytest.mark.parametrize("reads", READS)
def test_a_second_derivative_follows(reads, twice):
    if "default" in reads and twice == "batch":
        pytest.skip("in_axes must know of the default")
    f, change = READS[reads]()
    derivative = TWICE[twice](f)
    for value in (1.0, 5.0, -2.0, 1.0):
        change(value)
        assert derivative(2.0) == pytest.approx(12.0 * value, rel=1e-14), value


def cubes(x, k):
    return k * x**3


def test_products_at_a_point_are_pickled():
    x, k, along = np.array([1.0, 2.0]), 2.0, np.array([0.5, -1.0])
    pushforward, pullback = linearize(cubes, x, k)[1], vjp(cubes, x, k)[1]
    x[0] = 7.0  # they have copies
    for there in pushforward, pickle.loads(pickle.dumps(pushforward)):
        np.testing.assert_allclose(there(along, None), [3.0, -24.0], rtol=1e-14)
    for there in pullback, pickle.loads(pickle.dumps(pullback)):
        slope, of_k = there(along)
        np.testing.assert_allclose(slope, [3.0, -24.0], rtol=1e-14)
        assert of_k == pytest.approx(0.5 - 8.0, rel=1e-14)


@pytest.mark.parametrize("count", [1, 3])
def test_a_linearized_function_takes_a_direction_for_each_argument(count):
    along = linearize(cubes, X, 2.0)[1]
    said = f"{count} directions for a function that was linearized in 2 arguments"
    with pytest.raises(ActivityError, match=said):
        along(*[1.0] * count)


X = np.array([1.0, 2.0])
