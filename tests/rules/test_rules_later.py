"""A rule that comes when derivatives have been compiled holds for all that are asked for from then on.

Each way to ask is a function that is made anew; jitted functions of the user's keep what they were compiled with.
"""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from enzyme import (
    Active,
    Duplicated,
    Forward,
    Reverse,
    ReverseSplitNoPrimal,
    autodiff,
    autodiff_thunk,
    batch,
    grad,
    gradient,
    gradient_inplace,
    hessian,
    hvp,
    jacfwd,
    jacobian,
    jacrev,
    jvp,
    typeof,
    value_and_grad,
    vjp,
)
from enzyme import Const as Constant
from enzyme_rules import inactive

X = np.array([2.0, 3.0])


def split(f):
    forward, reverse = autodiff_thunk(
        ReverseSplitNoPrimal, Constant[typeof(f)], Active, Duplicated[typeof(X)]
    )
    dx = np.zeros(2)
    tape, _, _ = forward(Constant(f), Duplicated(X, dx))
    reverse(Constant(f), Duplicated(X, dx), 1.0, tape)
    return dx


def reversed_by(f):
    dx = np.zeros(2)
    autodiff(Reverse, f, Active, Duplicated(X, dx))
    return dx


def in_place(f):
    dx = np.zeros(2)
    gradient_inplace(Reverse, dx, f, X)
    return dx


def twice(f):
    g = njit(lambda x: gradient(Reverse, f, x)[0])
    return gradient(Reverse, g, X)


FROM_PYTHON = {
    "autodiff": reversed_by,
    "autodiff forward": lambda f: autodiff(Forward, f, Duplicated, Duplicated(X, np.ones(2)))[1],
    "split": split,
    "gradient": lambda f: gradient(Reverse, f, X),
    "gradient forward": lambda f: np.array(gradient(Forward, f, X)),
    "gradient in place": in_place,
    "jacobian": lambda f: jacobian(Reverse, f, X),
    "jacobian forward": lambda f: jacobian(Forward, f, X),
    "grad": lambda f: grad(f)(X),
    "value_and_grad": lambda f: value_and_grad(f)(X)[1],
    "jacfwd": lambda f: jacfwd(f)(X),
    "jacrev": lambda f: jacrev(f)(X),
    "hessian": lambda f: hessian(f)(X),
    "hvp": lambda f: hvp(f, X, X),
    "jvp": lambda f: jvp(f, (X,), (X,))[1],
    "vjp": lambda f: vjp(f, X)[1](1.0)[0],
    "batch": lambda f: batch(grad(f))(np.stack([X, X])),
    "grad of grad": lambda f: jacfwd(grad(f))(X),
    "twice in compiled code": twice,
}


def jitted(body):
    return lambda f: njit(body(f))(X)


def reversed_in(f):
    def call(x):
        dx = np.zeros(2)
        autodiff(Reverse, f, Active, Duplicated(x, dx))
        return dx

    return call


def with_derived(make):
    def body(f):
        derived = make(f)
        return lambda x: derived(x)

    return jitted(body)


IN_COMPILED_CODE = {
    "autodiff": jitted(reversed_in),
    "gradient": jitted(lambda f: lambda x: gradient(Reverse, f, x)),
    "jacobian": jitted(lambda f: lambda x: jacobian(Forward, f, x)),
    "hvp": jitted(lambda f: lambda x: hvp(f, x, x)),
    "grad": with_derived(grad),
    "jacfwd": with_derived(jacfwd),
    "hessian": with_derived(hessian),
}

WAYS = [
    *(pytest.param(way, id=name) for name, way in FROM_PYTHON.items()),
    *(pytest.param(way, id=f"{name} in compiled code") for name, way in IN_COMPILED_CODE.items()),
]


@pytest.mark.rotating(17)
@pytest.mark.parametrize("way", WAYS)
def test_a_rule_holds_from_then_on(way):
    @njit
    def inner(x):
        return x * x * x

    @njit
    def outer(x):
        return inner(x[0]) + 2.0 * x[1] * x[1]

    before, again = np.array(way(outer)), np.array(way(outer))
    np.testing.assert_array_equal(before, again)
    inactive(inner)
    for _ in range(2):
        after = np.array(way(outer))
        assert after.shape == before.shape
        assert np.any(after != before)

        @njit
        def expected(x):
            return 2.0 * x[1] * x[1]

        np.testing.assert_array_equal(after, way(expected))
