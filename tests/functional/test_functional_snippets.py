"""What the documentation of JAX, autograd and SciPy shows first, with our names."""

from dataclasses import dataclass

import numpy as np
import pytest
from numba import njit
from scipy.integrate import solve_ivp
from scipy.optimize import least_squares, minimize, root

from enzyme import (
    batch,
    custom_jvp,
    custom_vjp,
    grad,
    hessian,
    hvp,
    jacfwd,
    jacrev,
    jvp,
    linearize,
    ravel,
    stop_gradient,
    value_and_grad,
    vjp,
)

pytestmark = pytest.mark.rotating(18)

RNG = np.random.default_rng(0)


@njit
def sigmoid(x):
    return 0.5 * (np.tanh(x / 2) + 1)


def test_grad_of_tanh():
    derivative = grad(np.tanh)
    assert np.isclose(derivative(2.0), 1 - np.tanh(2.0) ** 2)
    assert np.isclose(grad(grad(np.tanh))(2.0), -2 * np.tanh(2.0) * (1 - np.tanh(2.0) ** 2))


def test_tanh_written_out():
    def tanh(x):
        y = np.exp(-2.0 * x)
        return (1.0 - y) / (1.0 + y)

    assert np.isclose(grad(tanh)(1.0), 1 - np.tanh(1.0) ** 2)


# Logistic regression of four rows, as in JAX's autodiff cookbook.
INPUTS = np.array(
    [[0.52, 1.12, 0.77], [0.88, -1.08, 0.15], [0.52, 0.06, -1.30], [0.74, -2.49, 1.39]]
)
TARGETS = np.array([1.0, 1.0, 0.0, 1.0])
W, B = RNG.normal(size=3), 0.3


@njit
def predict(w, b, inputs):
    return sigmoid(np.dot(inputs, w) + b)


@njit
def loss(w, b):
    p = predict(w, b, INPUTS)
    return -np.sum(np.log(p * TARGETS + (1 - p) * (1 - TARGETS)))


def slopes():
    miss = predict(W, B, INPUTS) - TARGETS
    return INPUTS.T @ miss, miss.sum()


def test_logistic_regression():
    by_w, by_b = slopes()
    np.testing.assert_allclose(grad(loss, argnums=0)(W, B), by_w)
    np.testing.assert_allclose(grad(loss, 1)(W, B), by_b)
    found = grad(loss, (0, 1))(W, B)
    np.testing.assert_allclose(found[0], by_w)
    np.testing.assert_allclose(found[1], by_b)


def test_dictionary_of_parameters():
    def loss2(params):
        p = sigmoid(np.dot(INPUTS, params["W"]) + params["b"])
        return -np.sum(np.log(p * TARGETS + (1 - p) * (1 - TARGETS)))

    found = grad(loss2)({"W": W, "b": B})
    np.testing.assert_allclose(found["W"], slopes()[0])
    np.testing.assert_allclose(found["b"], slopes()[1])


def test_value_and_grad_and_a_check_of_it():
    value, (by_w, by_b) = value_and_grad(loss, (0, 1))(W, B)
    assert value == loss(W, B)
    step = 1e-4
    assert np.isclose(by_b, (loss(W, B + step / 2) - loss(W, B - step / 2)) / step, rtol=1e-3)
    direction = RNG.normal(size=3)
    numerical = (loss(W + step / 2 * direction, B) - loss(W - step / 2 * direction, B)) / step
    assert np.isclose(by_w @ direction, numerical, rtol=1e-3)


def test_hessian_vector_product():
    def f(x):
        return np.sum(np.sin(x) * x)

    x, v = RNG.normal(size=5), RNG.normal(size=5)
    expected = (2 * np.cos(x) - x * np.sin(x)) * v
    np.testing.assert_allclose(hvp(f, x, v), expected)
    slope = grad(f)
    np.testing.assert_allclose(grad(lambda x, v: np.vdot(slope(x), v))(x, v), expected)
    np.testing.assert_allclose(jvp(grad(f), (x,), (v,))[1], expected)
    np.testing.assert_allclose(vjp(grad(f), x)[1](v)[0], expected)


def test_jacobians_both_ways():
    f = lambda w: predict(w, 0.3, INPUTS)  # noqa: E731
    p = predict(W, 0.3, INPUTS)
    expected = (p * (1 - p))[:, None] * INPUTS
    np.testing.assert_allclose(jacfwd(f)(W), expected)
    np.testing.assert_allclose(jacrev(f)(W), expected)


def test_hessian_as_jacobian_of_the_gradient():
    def f(x):
        return np.sum(x**2) ** 2

    x = RNG.normal(size=3)
    expected = 4 * np.sum(x**2) * np.eye(3) + 8 * np.outer(x, x)
    for made in (hessian(f), jacfwd(grad(f)), jacrev(grad(f)), jacfwd(jacrev(f))):
        np.testing.assert_allclose(made(x), expected)


def test_gradients_of_each_example():
    def one(w, x, y):
        return (np.dot(w, x) - y) ** 2

    found = batch(grad(one), in_axes=(None, 0, 0))(W, INPUTS, TARGETS)
    expected = 2 * (INPUTS @ W - TARGETS)[:, None] * INPUTS
    np.testing.assert_allclose(found, expected)


def test_stopping_a_gradient():
    """The loss of temporal differences: the target is no function of the parameters."""

    def value(theta, state):
        return np.dot(theta, state)

    value = njit(value)

    def td_loss(theta, before, reward, after):
        target = reward + stop_gradient(value(theta, after))
        return -0.5 * (target - value(theta, before)) ** 2

    theta, before, after = (
        np.array([0.1, -0.1, 0.0]),
        np.array([1.0, 2.0, -1.0]),
        np.array([2.0, 1.0, 0.0]),
    )
    miss = 1.0 + theta @ after - theta @ before
    np.testing.assert_allclose(grad(td_loss)(theta, before, 1.0, after), miss * before)


def test_straight_through():
    def f(x):
        return x + stop_gradient(np.round(x) - x)

    assert f(3.2) == 3.0 and grad(f)(3.2) == 1.0


def test_a_number_where_the_formula_fails():
    @custom_jvp
    def log1pexp(x):
        return np.log(1.0 + np.exp(x))

    @log1pexp.defjvp
    def rule(primals, tangents):
        (x,), (t,) = primals, tangents
        return log1pexp(x), (1.0 - 1.0 / (1.0 + np.exp(x))) * t

    assert grad(log1pexp)(100.0) == 1.0


def test_clipped_gradients():
    @custom_vjp
    def clip_gradient(low, high, x):
        return x

    clip_gradient.defvjp(
        lambda low, high, x: (x, (low, high)),
        lambda kept, g: (None, None, np.minimum(np.maximum(g, kept[0]), kept[1])),
    )

    def f(x):
        return np.sin(clip_gradient(-0.75, 0.75, x))

    t = np.linspace(0, 10, 50)
    np.testing.assert_allclose(batch(grad(f))(t), np.clip(np.cos(t), -0.75, 0.75))


def test_linearize():
    y, along = linearize(lambda x: 3.0 * np.sin(x) + np.cos(x / 2.0), 2.0)
    slope = 3.0 * np.cos(2.0) - np.sin(1.0) / 2
    assert np.isclose(along(3.0), 3.0 * slope) and np.isclose(y, 3.0 * np.sin(2.0) + np.cos(1.0))


def test_auxiliary_output():
    def f(x):
        y = np.sum(x**2)
        return y, x * 2

    (value, more), slope = value_and_grad(f, has_aux=True)(W)
    assert np.isclose(value, W @ W)
    np.testing.assert_allclose(more, slope)


@dataclass
class Linear:
    weights: np.ndarray
    shift: float


def test_gradient_descent_on_a_dataclass():
    def miss(model, x, y):
        return np.mean((x @ model.weights + model.shift - y) ** 2)

    x = RNG.normal(size=(20, 2))
    y = x @ np.array([1.0, -2.0]) + 0.5
    model = Linear(np.zeros(2), 0.0)
    for _ in range(200):
        slope = grad(miss)(model, x, y)
        model = Linear(model.weights - 0.2 * slope.weights, model.shift - 0.2 * slope.shift)
    np.testing.assert_allclose([*model.weights, model.shift], [1.0, -2.0, 0.5], atol=1e-6)


# --- SciPy --------------------------------------------------------------------------------------------


@njit
def rosen(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


START = np.array([1.3, 0.7, 0.8, 1.9, 1.2])


@pytest.mark.parametrize(
    ("method", "more"),
    [
        ("BFGS", {}),
        ("Newton-CG", {"hess": hessian(rosen)}),
        ("trust-ncg", {"hessp": lambda x, p: hvp(rosen, x, p)}),
        ("trust-exact", {"hess": hessian(rosen)}),
        ("SLSQP", {}),
    ],
)
def test_minimize(method, more):
    found = minimize(rosen, START, method=method, jac=grad(rosen), **more)
    np.testing.assert_allclose(found.x, np.ones(5), atol=1e-3)


def test_minimize_value_and_gradient_at_once():
    found = minimize(value_and_grad(rosen), START, jac=True)
    np.testing.assert_allclose(found.x, np.ones(5), atol=1e-3)


def test_minimize_a_dictionary():
    def miss(p, x, y):
        return np.sum((p["a"] * np.exp(-p["b"] * x) - y) ** 2)

    x = np.linspace(0, 2, 15)
    y = 2.5 * np.exp(-1.3 * x)
    start, unravel = ravel({"a": 1.0, "b": 1.0})

    def of_vector(v):
        value, slope = value_and_grad(miss)(unravel(v), x, y)
        return value, ravel(slope)[0]

    found = unravel(minimize(of_vector, start, jac=True).x)
    assert np.isclose(found["a"], 2.5, rtol=1e-4) and np.isclose(found["b"], 1.3, rtol=1e-4)


def test_least_squares():
    @njit
    def residuals(p, t, y):
        return p[0] + p[1] * np.exp(p[2] * t) - y

    t = np.linspace(0, 3, 20)
    y = 0.5 + 2.0 * np.exp(-1.0 * t)
    found = least_squares(residuals, np.array([1.0, 1.0, 0.0]), jac=jacfwd(residuals), args=(t, y))
    np.testing.assert_allclose(found.x, [0.5, 2.0, -1.0], rtol=1e-6)


def test_stiff_equations():
    @njit
    def robertson(t, y):
        a, b, c = -0.04 * y[0] + 1e4 * y[1] * y[2], 3e7 * y[1] ** 2, 0.0
        return np.array([a, -a - b, b + c])

    found = solve_ivp(
        robertson,
        (0, 40),
        [1.0, 0.0, 0.0],
        method="BDF",
        jac=jacfwd(robertson, 1),
        rtol=1e-6,
        atol=1e-9,
    )
    np.testing.assert_allclose(found.y[:, -1], [0.7158, 9.186e-6, 0.2842], rtol=1e-3)


def test_roots():
    @njit
    def f(x):
        return np.array([x[0] + 0.5 * (x[0] - x[1]) ** 3 - 1.0, 0.5 * (x[1] - x[0]) ** 3 + x[1]])

    found = root(f, np.zeros(2), jac=jacrev(f), method="hybr")
    np.testing.assert_allclose(found.x, [0.8411639, 0.1588361], rtol=1e-6)
