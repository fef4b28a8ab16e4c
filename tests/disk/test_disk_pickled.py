"""Derivatives go to other processes: by function and types, and are compiled there, or taken from disk."""

from __future__ import annotations

import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest
from numba import njit

from enzyme import (
    Active,
    Const,
    Duplicated,
    Forward,
    ReverseSplitWithPrimal,
    autodiff,
    autodiff_thunk,
    batch,
    custom_jvp,
    custom_vjp,
    grad,
    hessian,
    jacfwd,
    jacrev,
    typeof,
    value_and_grad,
)
from enzyme_rules import easy_rule, forward

pytestmark = pytest.mark.rotating(18)

X = np.linspace(0.5, 1.5, 4)


@njit
def cubes(x):
    return np.sum(x**3)


def squares(x):
    return x * x


@custom_vjp
def ruled(x):
    return x * x


ruled.defvjp(lambda x: (x * x, x), lambda x, dy: (10.0 * x * dy,))


@custom_jvp
def along(x):
    return x * x


along.defjvp(lambda p, t: (p[0] * p[0], 20.0 * p[0] * t[0]))


@custom_jvp
def by_terms(x):
    return x * x


by_terms.defjvps(lambda t, y, x: 30.0 * x * t)


DERIVATIVES = {
    "grad": (grad(cubes), X, 3 * X**2),
    "value and grad": (value_and_grad(cubes), X, (np.sum(X**3), 3 * X**2)),
    "grad by name": (grad(squares), 3.0, 6.0),
    "jacfwd": (jacfwd(squares), X, np.diag(2 * X)),
    "jacrev": (jacrev(squares), X, np.diag(2 * X)),
    "hessian": (hessian(cubes), X, np.diag(6 * X)),
    "grad of grad": (grad(grad(squares)), 3.0, 2.0),
    "batch": (batch(grad(squares)), X, 2 * X),
    "rule": (grad(ruled), 3.0, 30.0),
    "rule forwards": (grad(along), 3.0, 60.0),
    "rule forwards, forwards": (grad(along, mode="forward"), 3.0, 60.0),
    "rule by terms": (grad(by_terms), 3.0, 90.0),
}


def thunk_of(mode, *argtypes):
    return autodiff_thunk(mode, Const[typeof(cubes)], *argtypes)


FORWARD = thunk_of(Forward, Duplicated, Duplicated[typeof(X)])
AUGMENTED, REVERSE = thunk_of(ReverseSplitWithPrimal, Active, Duplicated[typeof(X)])


def both_passes(functions):
    augmented, reverse = functions
    dx = np.zeros_like(X)
    tape, primal, _ = augmented(Const(cubes), Duplicated(X, dx))
    reverse(Const(cubes), Duplicated(X, dx), 1.0, tape)
    return primal, dx


def forward_pass(function):
    return function(Const(cubes), Duplicated(X, np.ones_like(X)))


def called(pair):
    function, x = pair
    return function(x)


def same(found, expected):
    pairs = (
        zip(found, expected, strict=True) if isinstance(expected, tuple) else [(found, expected)]
    )
    for one, other in pairs:
        np.testing.assert_allclose(one, other, rtol=1e-13)


def test_what_is_pickled_computes_the_same():
    for function, x, expected in DERIVATIVES.values():
        again = pickle.loads(pickle.dumps(function))
        same(again(x), expected)


def test_functions_of_thunks_stay_what_they_are():
    assert pickle.loads(pickle.dumps(FORWARD)) == FORWARD
    forward, reverse = pickle.loads(pickle.dumps((AUGMENTED, REVERSE)))
    assert (forward, reverse) == (AUGMENTED, REVERSE)
    assert both_passes((forward, reverse))[0] == cubes(X)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_in_pools(method):
    context = multiprocessing.get_context(method)
    jobs = [(function, x) for function, x, _ in DERIVATIVES.values()]
    with context.Pool(2) as pool:
        found = pool.map(called, jobs)
        primal, gradient = pool.apply(both_passes, ((AUGMENTED, REVERSE),))
        tangent = pool.apply(forward_pass, (FORWARD,))
    for one, (_, _, expected) in zip(found, DERIVATIVES.values(), strict=True):
        same(one, expected)
    np.testing.assert_allclose(gradient, 3 * X**2, rtol=1e-13)
    np.testing.assert_allclose(primal, cubes(X))
    np.testing.assert_allclose(tangent[-1], np.sum(3 * X**2))


def test_in_an_executor():
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        found = list(pool.map(grad(cubes), [X, 2 * X]))
    np.testing.assert_allclose(found, [3 * X**2, 12 * X**2], rtol=1e-13)


def _made_here():
    @njit
    def inner(x):
        return x * x

    @forward(inner)
    def rule(func, RT, x):
        return 100.0 * x.dval

    @njit
    def easy(x):
        return x * x

    easy_rule(easy, lambda y, x: 50.0)
    return njit(lambda x: inner(x) + easy(x))


def test_rules_go_with_functions_that_have_no_name():
    function = _made_here()
    data = pickle.dumps(function)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        found = pool.apply(_tangent, (data,))
    assert found == _tangent(data) == (150.0,)


def _tangent(data):
    return autodiff(Forward, pickle.loads(data), Duplicated(2.0, 1.0))


def _without_names():
    """Derivatives of functions whose code must travel, and their arguments."""
    scale = 3.0

    def local(x):
        return scale * (x**3).sum()

    along = autodiff_thunk(Forward, Const[typeof(local)], Duplicated, Duplicated[typeof(X)])
    return [
        (grad(local), (X,)),
        (grad(lambda x: (x * x).sum()), (X,)),
        (hessian(njit(local)), (X,)),
        (along, (Const(local), Duplicated(X, 2.0 * X))),
    ]


def test_joblib():
    joblib = pytest.importorskip("joblib")
    jobs = _without_names()
    found = joblib.Parallel(2)(joblib.delayed(function)(*args) for function, args in jobs)
    for one, (function, args) in zip(found, jobs, strict=True):
        same(one, function(*args))


def test_dask():
    distributed = pytest.importorskip("distributed")
    jobs = _without_names()[:3]
    cluster = distributed.LocalCluster(1, threads_per_worker=2, dashboard_address=None)
    with cluster, distributed.Client(cluster) as client:
        found = client.gather([client.submit(function, *args) for function, args in jobs])
    for one, (function, args) in zip(found, jobs, strict=True):
        same(one, function(*args))
