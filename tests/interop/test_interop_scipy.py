"""SciPy and the optimisers around it get right derivatives, for parameters of every kind, through every door."""

from __future__ import annotations

import itertools
import math
import pickle
from dataclasses import dataclass

import numpy as np
import pytest
from numba import njit
from scipy import sparse
from scipy.integrate import dblquad, quad, solve_ivp
from scipy.optimize import (
    basinhopping,
    check_grad,
    curve_fit,
    fsolve,
    least_squares,
    minimize,
    root,
)

from enzyme import grad, hessian, jacrev, ravel
from enzyme.errors import EnzymeError
from enzyme.interop.scipy import (
    constraint,
    curve,
    equations,
    low_level,
    objective,
    residuals,
    system,
)
from tests.interop.battery import BATTERY

pytestmark = pytest.mark.rotating(27)

RNG = np.random.default_rng(3)
V, M = RNG.normal(size=3), RNG.normal(size=(2, 2))
T = np.linspace(0.1, 2.0, 7)


@dataclass
class Decay:
    rate: float
    size: np.ndarray
    n: int = 2


# Parameters, the expressions of a vector and a number of them, and where they stand among the arguments.
PARAMETERS = {
    "vector": (V, "x", "x[0]", 0),
    "behind": (V, "x", "x[0]", 1),
    "matrix": (M, "x.ravel()", "x[1, 0]", 0),
    "number": (0.7, "np.array([x, x * x])", "x", 1),
    "tuple": ((V, 0.4), "x[0]", "x[1]", 0),
    "dictionary": ({"w": V, "b": 0.4, "name": "a"}, "x['w']", "x['b']", 0),
    "dataclass": (Decay(0.4, V), "x.size * x.n", "x.rate", 1),
    "list": ([V, M], "x[0]", "x[1][0, 1]", 0),
    "single precision": (V.astype(np.float32), "x", "x[0]", 0),
    "several": ((V, 0.4), "x", "z", (0, 2)),
    "several, turned": ((0.4, V), "x", "z", (2, 0)),
}


def scalar(name, vector=False):
    """A function of the parameters and of `t`."""
    _, v, b, places = PARAMETERS[name]
    several = isinstance(places, tuple)
    names = "x, t, z" if several else "x, t" if places == 0 else "t, x"
    result = "r" if vector else "(r * r).sum() + b ** 3"
    scope = {"np": np}
    exec(
        f"def f({names}):\n    v = {v}\n    b = {b}\n"
        f"    r = np.sin(t * b) * v.sum() + np.exp(-t) * v[0] * v[1] * b\n    return {result}\n",
        scope,
    )
    return scope["f"], places


def start(name):
    return ravel(PARAMETERS[name][0])[0].astype(float)


def differences(fun, x, h=1e-6):
    columns = [(fun(x + h * e) - fun(x - h * e)) / (2 * h) for e in np.eye(x.size)]
    return np.stack(columns, axis=-1)


@pytest.mark.parametrize("name", PARAMETERS)
def test_objective(name):
    f, places = scalar(name)
    x0 = None if name in ("vector", "behind") else PARAMETERS[name][0]
    dense = objective(f, places, (T,), "dense", x0=x0)
    products = objective(f, places, (T,), "hvp", x0=x0)
    x = start(name)
    tolerance = 2e-2 if name == "single precision" else 1e-5
    if name != "single precision":
        assert check_grad(lambda x: dense.fun(x)[0], lambda x: dense.fun(x)[1], x) < 1e-4
        np.testing.assert_allclose(
            dense.hess(x), differences(lambda x: dense.fun(x)[1], x), rtol=tolerance, atol=1e-6
        )
    hess = dense.hess(x)
    assert hess.shape == (x.size, x.size)
    np.testing.assert_allclose(hess, hess.T, rtol=1e-5, atol=1e-7)
    v = RNG.normal(size=x.size)
    np.testing.assert_allclose(products.hessp(x, v), hess @ v, rtol=1e-5, atol=1e-6)
    assert set(dense) == {"fun", "jac", "hess"} | ({"x0"} if x0 is not None else set())
    if x0 is not None:
        np.testing.assert_allclose(dense.x0, x, rtol=1e-6)
        assert type(dense.unravel(x)) is type(PARAMETERS[name][0])


@pytest.mark.parametrize("name", BATTERY)
def test_battery(name):
    """Of a number the value, the gradient and the Hessian are our own, of an array the value and the Jacobian."""
    f, args = BATTERY[name]
    copied = [x.copy() if isinstance(x, np.ndarray) else x for x in args]
    value = f(*copied)
    if isinstance(value, tuple):
        f, value = first_of(f, len(args)), value[0]
    x, rest = args[0], args[1:]
    flat = np.ravel(x).astype(float)
    jacobian = np.reshape(jacrev(f)(x, *rest), (np.size(value), flat.size))
    close = lambda found, ours: np.testing.assert_allclose(found, ours, rtol=1e-12, atol=1e-14)  # noqa: E731
    if np.ndim(value) == 0:
        given = objective(f, 0, rest, "dense", x0=x)
        found, slope = given.fun(flat)
        close(slope, jacobian[0])
        close(given.hess(flat), np.reshape(hessian(f)(x, *rest), (flat.size, flat.size)))
    else:
        given = residuals(f, 0, rest, x0=x)
        found = given.fun(flat)
        close(given.jac(flat), jacobian)
    close(found, np.ravel(value) if np.ndim(value) else value)


def first_of(f, count):
    """A function that returns the first of several."""
    names = ", ".join(f"x{k}" for k in range(count))
    scope = {"f": njit(f)}
    exec(f"def first({names}):\n    return f({names})[0]\n", scope)
    return scope["first"]


@pytest.mark.parametrize("name", PARAMETERS)
def test_residuals(name):
    f, places = scalar(name, vector=True)
    problem = residuals(f, places, (T,), x0=PARAMETERS[name][0])
    short = residuals(f, places, (T[:1],), x0=PARAMETERS[name][0])
    x = start(name)
    tolerance = 5e-2 if name == "single precision" else 1e-6
    for found, rows in ((problem, T.size), (short, 1)):
        for _ in range(2):
            assert found.jac(x).shape == (rows, x.size)
            expected = differences(found.fun, x, 1e-3 if tolerance > 1e-3 else 1e-6)
            np.testing.assert_allclose(found.jac(x), expected, rtol=tolerance, atol=tolerance)


def test_residuals_of_another_number():
    """What is passed beside the parameters may change from call to call."""
    f, places = scalar("matrix", vector=True)
    problem = residuals(f, places, x0=M)
    for t in (T, T[:1], T[:5], T[:0], T, T[:0], T[:1]):
        x = start("matrix")
        assert problem.jac(x, t).shape == (t.size, x.size)
        np.testing.assert_allclose(
            problem.jac(x, t), differences(lambda x, t=t: problem.fun(x, t), x), atol=1e-6
        )


def rosenbrock(x, scale=100.0):
    return (scale * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2).sum()


METHODS = {
    None: ("CG", "BFGS", "L-BFGS-B", "TNC", "SLSQP"),
    "hvp": ("Newton-CG", "trust-ncg", "trust-krylov", "trust-constr"),
    "dense": ("Newton-CG", "dogleg", "trust-ncg", "trust-exact", "trust-constr"),
}


@pytest.mark.parametrize(("hess", "method"), [(h, m) for h, ms in METHODS.items() for m in ms])
def test_methods_of_minimize(hess, method):
    problem = objective(rosenbrock, hess=hess)
    begin = np.array([0.8, 1.1, 0.9]) if method in ("dogleg", "TNC") else np.array([-0.5, 0.8, 1.2])
    found = minimize(x0=begin, method=method, **problem)
    np.testing.assert_allclose(found.x, 1.0, atol=2e-2 if method in ("TNC", "CG") else 1e-3)


def test_arguments_that_scipy_adds():
    found = minimize(x0=np.zeros(2), method="BFGS", args=(10.0,), **objective(rosenbrock))
    np.testing.assert_allclose(found.x, 1.0, atol=1e-4)
    options = {"minimizer_kwargs": {"jac": True, "method": "L-BFGS-B"}, "niter": 3, "rng": 1}
    hopped = basinhopping(objective(rosenbrock).fun, np.zeros(2), **options)
    np.testing.assert_allclose(hopped.x, 1.0, atol=1e-4)


@pytest.mark.parametrize(
    "result", ["x[0] ** 2 + x[1] * x[0]", "np.array([x[0] * x[1], x[1] ** 3])"]
)
def test_constraints(result):
    f = eval(f"lambda x, a: a * {result}" if "np" not in result else f"lambda x, a: {result} * a")
    made = constraint(f, 0.0, 1.0, args=(2.0,), hess=True)
    x, v = np.array([0.4, -0.9]), np.array([0.7, 1.3])[: np.size(made.fun(V[:2]))]
    np.testing.assert_allclose(made.jac(x), differences(made.fun, x), atol=1e-7)
    expected = differences(lambda x: v @ made.jac(x), x)
    np.testing.assert_allclose(made.hess(x, v), expected, atol=1e-7)


def test_minimisation_with_constraints():
    circle = lambda x: (x * x).sum()  # noqa: E731
    goal = objective(lambda x: x[0] + 2.0 * x[1], hess="dense")
    expected = -np.array([1.0, 2.0]) / math.sqrt(5.0)
    for method, hess in (("SLSQP", False), ("trust-constr", True), ("trust-constr", False)):
        bound = constraint(circle, -np.inf, 1.0, hess=hess)
        options = dict(goal) if method == "trust-constr" else {k: goal[k] for k in ("fun", "jac")}
        found = minimize(x0=np.array([0.3, 0.1]), method=method, constraints=[bound], **options)
        np.testing.assert_allclose(found.x, expected, atol=1e-3)


def test_least_squares_and_curves():
    y = 3.0 * np.exp(-0.5 * T) + 0.2

    @njit
    def model(t, a, k, c):
        return a * np.exp(-k * t) + c

    def miss(p, t, y):
        return model(t, p["a"], p["k"], p["c"]) - y

    problem = residuals(miss, args=(T, y), x0={"a": 1.0, "k": 1.0, "c": 0.0})
    for method in ("trf", "dogbox", "lm"):
        found = problem.unravel(least_squares(method=method, **problem).x)
        np.testing.assert_allclose(list(found.values()), [3.0, 0.5, 0.2], rtol=1e-5)
    for f in (model, lambda t, a, k, c: a * np.exp(-k * t) + c):
        found, _ = curve_fit(xdata=T, ydata=y, p0=[1.0, 1.0, 0.0], **curve(f))
        np.testing.assert_allclose(found, [3.0, 0.5, 0.2], rtol=1e-5)


def heat(t, y, k):
    out = np.empty_like(y)
    n = y.shape[0]
    for i in range(n):
        left = y[i - 1] if i > 0 else 0.0
        right = y[i + 1] if i < n - 1 else math.sin(t)
        out[i] = k * (left - 2.0 * y[i] + right) - y[i] ** 3
    return out


N = 23
TRIDIAGONAL = sparse.diags([np.ones(N - 1), np.ones(N), np.ones(N - 1)], [-1, 0, 1])


@pytest.mark.parametrize(
    ("method", "pattern"),
    [
        ("Radau", {}),
        ("BDF", {}),
        ("LSODA", {}),
        ("Radau", {"sparsity": TRIDIAGONAL}),
        ("BDF", {"sparsity": TRIDIAGONAL.toarray()}),
        ("LSODA", {"lband": 1, "uband": 1}),
    ],
)
def test_differential_equations(method, pattern):
    made = system(heat, (50.0,), **pattern)
    y0 = np.linspace(0.0, 1.0, N)
    options = {"t_span": (0.0, 0.5), "y0": y0, "rtol": 1e-8, "atol": 1e-8}
    exact = solve_ivp(heat, args=(50.0,), method="Radau", **options).y[:, -1]
    found = solve_ivp(method=method, **made, **options)
    assert found.success
    np.testing.assert_allclose(found.y[:, -1], exact, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("seed", range(6))
def test_patterns(seed):
    """Of every density; the places are those of the dense Jacobian."""
    rng = np.random.default_rng(seed)
    size, density = int(rng.integers(1, 25)), rng.uniform(0.02, 0.6)
    weights = rng.normal(size=(size, size)) * (rng.uniform(size=(size, size)) < density)
    f = lambda t, y, w: w @ y + t  # noqa: E731
    y = rng.normal(size=size)
    found = system(f, (weights,), sparsity=weights).jac(0.3, y)
    assert sparse.issparse(found)
    np.testing.assert_allclose(found.toarray(), weights, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(system(f, (weights,)).jac(0.3, y), weights, atol=1e-13)


@pytest.mark.parametrize(("lband", "uband"), list(itertools.product((0, 1, 3), (0, 2))))
@pytest.mark.parametrize("size", [1, 4, 13])
def test_bands(lband, uband, size):
    dense = np.tril(np.triu(RNG.normal(size=(size, size)), -lband), uband)
    f = lambda t, y, w: w @ y  # noqa: E731
    packed = system(f, (dense,), lband=lband, uband=uband).jac(0.0, np.ones(size))
    assert packed.shape == (lband + uband + 1, size)
    for i, j in itertools.product(range(size), repeat=2):
        if -uband <= i - j <= lband:
            assert np.isclose(packed[i - j + uband, j], dense[i, j])


def crossing(x, a):
    return np.array([x[0] ** 2 + x[1] ** 2 - a, x[0] - x[1]])


def test_arguments_that_solve_ivp_adds():
    options = {"t_span": (0.0, 0.1), "y0": np.linspace(0.0, 1.0, N)}
    for pattern in ({}, {"sparsity": TRIDIAGONAL}):
        found = solve_ivp(method="Radau", args=(50.0,), **system(heat, **pattern), **options)
        expected = solve_ivp(method="Radau", **system(heat, (50.0,), **pattern), **options)
        np.testing.assert_array_equal(found.y, expected.y)


def test_keywords_go_to_other_processes():
    for made in (
        objective(rosenbrock, args=(10.0,), hess="hvp"),
        residuals(crossing, args=(2.0,)),
        equations(crossing, args=(2.0,)),
    ):
        again = pickle.loads(pickle.dumps(made))
        x = np.array([0.3, 0.4])
        assert set(again) == set(made)
        np.testing.assert_array_equal(again.fun(x)[0], made.fun(x)[0])
    assert pickle.loads(pickle.dumps(system(heat, (1.0,), lband=1, uband=1))).lband == 1


def test_places_from_the_end():
    f = lambda a, x: a * (x * x).sum()  # noqa: E731
    np.testing.assert_allclose(objective(f, -1, (2.0,)).fun(V)[1], 4.0 * V)


def test_roots():
    problem = equations(crossing, args=(2.0,))
    for method in ("hybr", "lm"):
        found = root(x0=np.array([2.0, 0.5]), method=method, **problem)
        np.testing.assert_allclose(found.x, 1.0, rtol=1e-6)
    found = fsolve(problem.fun, np.array([2.0, 0.5]), fprime=problem.jac)
    np.testing.assert_allclose(found, 1.0, rtol=1e-6)


def test_integrals():
    def gauss(x, a):
        return math.exp(-a * x * x)

    exact = (
        quad(gauss, 0.0, 1.0, (2.0 + 1e-6,))[0] - quad(gauss, 0.0, 1.0, (2.0 - 1e-6,))[0]
    ) / 2e-6
    found = quad(low_level(grad(gauss, argnums=1)), 0.0, 1.0, args=(2.0,))[0]
    assert np.isclose(found, exact, rtol=1e-6)
    plain = quad(low_level(njit(gauss)), 0.0, 1.0, args=(2.0,))[0]
    assert np.isclose(plain, quad(gauss, 0.0, 1.0, (2.0,))[0])
    mixed = low_level(grad(lambda y, x: x * x * y**3))
    assert np.isclose(dblquad(mixed, 0.0, 1.0, 0.0, 2.0)[0], 8.0 / 3.0)


def test_callbacks_have_nobody_to_tell():
    """What raises, and what gets too few or too many numbers, is nan; defaults are filled in."""

    def raises(x, a=2.0):
        if x > 0.5:
            raise ValueError("large")
        return a * x

    f = low_level(raises)
    assert math.isnan(quad(f, 0.0, 1.0)[0])
    assert np.isclose(quad(f, 0.0, 0.5)[0], 0.25)
    assert np.isclose(quad(f, 0.0, 0.5, args=(4.0,))[0], 0.5)
    assert math.isnan(quad(f, 0.0, 0.5, args=(4.0, 1.0))[0])
    assert math.isnan(quad(low_level(lambda x, a: x * a), 0.0, 1.0)[0])


def test_iminuit():
    iminuit = pytest.importorskip("iminuit")
    y = 3.0 * np.exp(-0.5 * T)

    def cost(p, t, y):
        return ((p[0] * np.exp(-p[1] * t) - y) ** 2).sum()

    fun = objective(cost, args=(T, y)).fun
    found = iminuit.Minuit(lambda p: fun(p)[0], np.ones(2), grad=lambda p: fun(p)[1])
    found.migrad()
    assert found.valid and found.ngrad > 0
    np.testing.assert_allclose(found.values, [3.0, 0.5], rtol=1e-3)


def test_lmfit():
    lmfit = pytest.importorskip("lmfit")
    y = 3.0 * np.exp(-0.5 * T)
    problem = residuals(lambda p, t, y: p[0] * np.exp(-p[1] * t) - y, args=(T, y))
    vector = lambda p: np.array([p["a"].value, p["k"].value])  # noqa: E731
    parameters = lmfit.create_params(a=1.0, k=1.0)
    found = lmfit.minimize(
        lambda p: problem.fun(vector(p)),
        parameters,
        Dfun=lambda p: problem.jac(vector(p)),
        col_deriv=False,
    )
    np.testing.assert_allclose(list(found.params.valuesdict().values()), [3.0, 0.5], rtol=1e-5)


def test_nlopt():
    nlopt = pytest.importorskip("nlopt")
    fun = objective(rosenbrock).fun

    def goal(x, gradient):
        value, slope = fun(x)
        if gradient.size:
            gradient[:] = slope
        return value

    optimiser = nlopt.opt(nlopt.LD_LBFGS, 3)
    optimiser.set_min_objective(goal)
    optimiser.set_xtol_rel(1e-8)
    np.testing.assert_allclose(optimiser.optimize([-0.5, 0.8, 1.2]), 1.0, rtol=1e-4)


MISTAKES = {
    "a Hessian of another kind": (lambda: objective(rosenbrock, hess="exact"), 'hess="hvp"'),
    "a place that is not there": (lambda: objective(rosenbrock, 2), "place of the parameter"),
    "a place twice": (lambda: objective(rosenbrock, (0, 0), x0=(V, V)), "tuple of places"),
    "several without values": (lambda: objective(rosenbrock, (0, 1)), "give x0, a tuple"),
    "a tuple of residuals": (
        lambda: residuals(lambda x: (x[0], x[1])).fun(V),
        "return one array",
    ),
    "no parameters": (lambda: curve(lambda t: t), r"f\(x, a, b\)"),
    "parameters without names": (lambda: curve(lambda t, *p: t), "name the parameters"),
    "a band below nothing": (lambda: system(heat, (1.0,), lband=-1, uband=1), "numbers of"),
    "one band": (lambda: system(heat, (1.0,), lband=1), "both lband and uband"),
    "band and sparsity": (
        lambda: system(heat, (1.0,), lband=1, uband=1, sparsity=np.eye(2)),
        "give sparsity",
    ),
    "sparsity of another size": (
        lambda: system(heat, (1.0,), sparsity=np.eye(2)).jac(0.0, np.ones(3)),
        "a row and a column for each",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name):
    call, remedy = MISTAKES[name]
    with pytest.raises(EnzymeError, match=remedy):
        call()


def test_keywords_are_attributes():
    problem = objective(rosenbrock)
    assert problem.jac is True
    with pytest.raises(AttributeError, match="'fun', 'jac'"):
        _ = problem.hess
