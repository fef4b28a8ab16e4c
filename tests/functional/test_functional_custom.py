"""`custom_jvp` and `custom_vjp`. The rules here are ten times the derivative, so that one sees that they are taken."""

import math
from typing import NamedTuple

import numpy as np
import pytest
from numba import njit

from enzyme import (
    BatchDuplicated,
    Forward,
    Reverse,
    autodiff,
    batch,
    custom_jvp,
    custom_vjp,
    grad,
    hessian,
    jacfwd,
    jacobian,
    jacrev,
    jvp,
    value_and_grad,
    vjp,
)
from enzyme.errors import EnzymeError

pytestmark = pytest.mark.rotating(27)

X = np.array([1.0, 2.0])


@custom_jvp
def cube(x):
    return x**3


@cube.defjvp
def cube_rule(primals, tangents):
    (x,), (t,) = primals, tangents
    return cube(x), 30.0 * x**2 * t


@custom_vjp
def square(x):
    return x**2


square.defvjp(lambda x: (x**2, x), lambda x, ct: (20.0 * x * ct,))


def of_cube(x):
    return cube(x)


def of_square(x):
    return square(x)


def test_numbers():
    for f in (cube, of_cube, njit(of_cube)):
        assert f(2.0) == 8.0
        assert grad(f)(2.0) == grad(f, mode="forward")(2.0) == jvp(f, (2.0,), (1.0,))[1] == 120.0
        assert value_and_grad(f)(2.0) == (8.0, 120.0)
        assert vjp(f, 2.0)[1](2.0) == (240.0,)
        assert grad(grad(f))(2.0) == hessian(f)(2.0) == 120.0
        np.testing.assert_array_equal(batch(grad(f))(X), [30.0, 120.0])
    for f in (square, of_square, njit(of_square)):
        assert f(2.0) == 4.0
        assert grad(f)(2.0) == 40.0
        assert grad(grad(f))(2.0) == hessian(f)(2.0) == 20.0
        np.testing.assert_array_equal(batch(grad(f))(X), [20.0, 40.0])
    assert autodiff(Forward, cube, BatchDuplicated(2.0, (1.0, 2.0))) == ((120.0, 240.0),)
    assert njit(lambda x: grad(cube)(x) + grad(square)(x))(2.0) == 160.0


def test_a_rule_that_is_not_linear():
    @custom_vjp
    def clipped(x, low, high):
        return x

    clipped.defvjp(
        lambda x, low, high: (x, (low, high)),
        lambda kept, ct: (min(max(ct, kept[0]), kept[1]), None, None),
    )

    @njit
    def f(x, low):
        return 10.0 * clipped(x, low, 2.0)

    assert grad(f, (0, 1))(3.0, -2.0) == (2.0, 0.0)
    assert grad(lambda x: -f(x, -3.0))(3.0) == -3.0
    with pytest.raises(EnzymeError, match="need not be linear"):
        grad(f, mode="forward")(3.0, -2.0)


# --- arrays -------------------------------------------------------------------------------------------


@custom_vjp
def scaled(x, t):
    return x * x * t


scaled.defvjp(
    lambda x, t: (x * x * t, (x, t)),
    lambda kept, ct: (20.0 * kept[0] * kept[1] * ct, 10.0 * (kept[0] ** 2 * ct).sum()),
)


@custom_jvp
def scaled_along(x, t):
    return x * x * t


@scaled_along.defjvp
def scaled_rule(primals, tangents):
    x, t = primals
    dx, dt = tangents
    return x * x * t, 20.0 * x * t * dx + 10.0 * x * x * dt


BY_X, BY_T = np.diag(40.0 * X), 10.0 * X**2


@pytest.mark.parametrize("f", [scaled, scaled_along])
def test_arrays(f):
    # With several lanes in one run, too.
    for made in (jacrev,) if f is scaled else (jacrev, jacfwd):
        by_x, by_t = made(f, (0, 1))(X, 2.0)
        np.testing.assert_allclose(by_x, BY_X)
        np.testing.assert_allclose(by_t, BY_T)
    by_x, _ = jacobian(Reverse, f, X, 2.0, chunk=2)
    np.testing.assert_allclose(by_x, BY_X)
    by_x, by_t = grad(lambda x, t: f(x, t) @ X, (0, 1))(X, 2.0)
    np.testing.assert_allclose(by_x, BY_X @ X)
    np.testing.assert_allclose(by_t, BY_T @ X)
    np.testing.assert_allclose(hessian(lambda x: f(x, 2.0).sum())(X), 40.0 * np.eye(2))
    np.testing.assert_allclose(jacrev(f, "t")(X, 2.0), BY_T)
    if f is scaled_along:
        y, along = jvp(f, (X, 2.0), (X, None))
        np.testing.assert_allclose((y, along), (f(X, 2.0), BY_X @ X))


@pytest.mark.parametrize("f", [scaled, scaled_along])
def test_arguments_that_are_overwritten_later(f):
    @njit
    def g(x):
        y = f(x, 2.0)
        x[0] = 0.0
        return y.sum() + x[1]

    np.testing.assert_allclose(grad(g)(X), [40.0, 81.0])


@pytest.mark.parametrize("f", [scaled, scaled_along])
def test_loops(f):
    def g(x):
        for _ in range(3):
            x = f(x, 0.5)
        return x.sum()

    # Three times a square: x^8 / 2^7, and ten for each time.
    np.testing.assert_allclose(grad(g)(X), 1000.0 * 8.0 * X**7 / 2.0**7)


def test_results_in_a_tuple():
    @custom_vjp
    def both(x):
        return 2.0 * x, 3.0 * x

    both.defvjp(lambda x: (both(x), None), lambda kept, ct: (20.0 * ct[0] + 30.0 * ct[1],))
    found = grad(lambda x: both(x)[0].sum() + x @ both(x)[1])(X)
    np.testing.assert_allclose(found, 20.0 + 30.0 * X + 3.0 * X)


class Pair(NamedTuple):
    a: float
    b: np.ndarray


@njit
def times(p):
    return p[0] * p[1].sum()


def test_containers():
    @custom_vjp
    def f(p):
        return p[0] * p[1].sum()

    f.defvjp(
        lambda p: (times(p), p),
        lambda p, ct: ((7.0 * ct * p[1].sum(), 5.0 * ct * p[0] * np.ones_like(p[1])),),
    )
    for p in ((2.0, X), Pair(2.0, X)):
        for g in (grad(f), njit(lambda p: grad(f)(p))):
            found = g(p)
            assert type(found) is type(p) and found[0] == 21.0
            np.testing.assert_allclose(found[1], [10.0, 10.0])

    @custom_vjp
    def h(p):
        return p["a"] * p["b"].sum()

    h.defvjp(
        lambda p: (p["a"] * p["b"].sum(), (p["a"], p["b"])),
        lambda kept, ct: ((7.0 * ct * kept[1].sum(), None),),
    )
    found = grad(lambda p: 2.0 * h(p))({"a": 2.0, "b": X})
    assert found["a"] == 42.0
    np.testing.assert_array_equal(found["b"], [0.0, 0.0])


def test_arguments_without_derivatives():
    @custom_vjp(nondiff_argnums=(0,))
    def power(k, x):
        return x**k

    power.defvjp(lambda k, x: (x**k, x), lambda k, x, ct: (10.0 * k * x ** (k - 1) * ct,))
    assert grad(power, 1)(3.0, 2.0) == 120.0
    assert grad(power, 0)(3.0, 2.0) == 0.0
    assert grad(lambda x: power(3, x))(2.0) == 120.0

    @custom_jvp(nondiff_argnums=(-1,))
    def root(x, k):
        return x ** (1.0 / k)

    @root.defjvp
    def rule(k, primals, tangents):
        return root(primals[0], k), 10.0 / k * primals[0] ** (1.0 / k - 1.0) * tangents[0]

    for mode in ("forward", "reverse"):
        assert math.isclose(grad(root, mode=mode)(4.0, 2.0), 2.5)


def test_a_rule_for_each_argument():
    @custom_jvp
    def f(x, y, k):
        return x * y.sum()

    f.defjvps(
        lambda t, y, a, b, k: 10.0 * t * b.sum(), lambda t, y, a, b, k: 100.0 * a * t.sum(), None
    )
    for made in (lambda f: grad(f, (0, 1)), lambda f: jacfwd(f, (0, 1))):
        by_x, by_y = made(f)(2.0, X, 3)
        assert by_x == 30.0
        np.testing.assert_allclose(by_y, [200.0, 200.0])
    assert jvp(f, (2.0, X, 3), (1.0, X, None)) == (6.0, 630.0)

    @custom_jvp
    def g(x):
        return x * x

    g.defjvps(None)
    assert grad(g)(2.0) == grad(g, mode="forward")(2.0) == 0.0


def wrong(fwd, bwd):
    f = custom_vjp(lambda x: x.sum())
    f.defvjp(fwd, bwd)
    return grad(f)(X)


def wrong_along(rule):
    f = custom_jvp(lambda x: x.sum())
    f.defjvp(rule)
    return grad(f)(X)


MISTAKES = {
    "no residuals": (lambda: wrong(lambda x: x.sum(), lambda k, ct: (ct * X,)), "residuals"),
    "no tuple": (lambda: wrong(lambda x: (x.sum(), 1), lambda k, ct: ct), "a tuple of 1 is due"),
    "too many": (
        lambda: wrong(lambda x: (x.sum(), 1), lambda k, ct: (ct, ct)),
        "a tuple of 1 is due",
    ),
    "a number for an array": (
        lambda: wrong(lambda x: (x.sum(), 1), lambda k, ct: (ct,)),
        "like the argument",
    ),
    "no pair": (lambda: wrong_along(lambda p, t: p[0].sum()), "result, tangent"),
    "no such argument": (lambda: custom_vjp(math.sin, nondiff_argnums=(1,)), "nondiff_argnums"),
    "too few rules": (lambda: custom_jvp(lambda x, y: x).defjvps(None), "a rule for each"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name):
    made, words = MISTAKES[name]
    with pytest.raises(EnzymeError, match=words):
        made()


def test_a_cotangent_of_another_shape():
    with pytest.raises(ValueError, match="another shape"):
        wrong(lambda x: (x.sum(), 1), lambda k, ct: (np.ones(3),))


# Cotangents of what has parts ---------------------------------------------------------------------


class Both(NamedTuple):
    a: float
    b: float


class Turned(NamedTuple):
    b: float
    a: float


def by_parts(bwd, argument):
    """The gradient of a² b, of a dictionary or a named tuple, by a rule that returns ten times the derivative."""
    if isinstance(argument, dict):
        f = custom_vjp(lambda p: p["a"] ** 2 * p["b"])
        f.defvjp(lambda p: (p["a"] ** 2 * p["b"], (p["a"], p["b"])), bwd)
    else:
        f = custom_vjp(lambda p: p.a**2 * p.b)
        f.defvjp(lambda p: (p.a**2 * p.b, (p.a, p.b)), bwd)
    return grad(f)(argument)


DICTIONARY, NAMED = {"a": 2.0, "b": 3.0}, Both(2.0, 3.0)
LIKE = {
    "dictionary": (
        DICTIONARY,
        lambda k, ct: ({"a": 20 * k[0] * k[1] * ct, "b": 10 * k[0] ** 2 * ct},),
    ),
    "other order": (
        DICTIONARY,
        lambda k, ct: ({"b": 10 * k[0] ** 2 * ct, "a": 20 * k[0] * k[1] * ct},),
    ),
    "tuple": (DICTIONARY, lambda k, ct: ((20 * k[0] * k[1] * ct, 10 * k[0] ** 2 * ct),)),
    "named": (NAMED, lambda k, ct: (Both(20 * k[0] * k[1] * ct, 10 * k[0] ** 2 * ct),)),
    "tuple of named": (NAMED, lambda k, ct: ((20 * k[0] * k[1] * ct, 10 * k[0] ** 2 * ct),)),
}
UNLIKE = {
    "list": (DICTIONARY, lambda k, ct: ([ct, ct],)),
    "number": (DICTIONARY, lambda k, ct: (ct,)),
    "short": (DICTIONARY, lambda k, ct: ((ct,),)),
    "other names": (NAMED, lambda k, ct: (Turned(ct, ct),)),
    "number for a named tuple": (NAMED, lambda k, ct: (ct,)),
}


@pytest.mark.parametrize("name", LIKE)
def test_cotangents_that_are_like_arguments(name):
    argument, bwd = LIKE[name]
    found = by_parts(bwd, argument)
    assert (found if isinstance(found, dict) else found._asdict()) == {"a": 120.0, "b": 40.0}


@pytest.mark.parametrize("name", UNLIKE)
def test_cotangents_that_are_not_like_arguments(name):
    argument, bwd = UNLIKE[name]
    with pytest.raises(EnzymeError, match="return one that is like the argument"):
        by_parts(bwd, argument)


@pytest.mark.parametrize("keys", ["ac", "a", "abc"])
def test_cotangents_with_other_keys(keys):
    rules = {
        "ac": lambda k, ct: ({"a": ct, "c": ct},),
        "a": lambda k, ct: ({"a": ct},),
        "abc": lambda k, ct: ({"a": ct, "b": ct, "c": ct},),
    }
    with pytest.raises(KeyError, match="other keys"):
        by_parts(rules[keys], DICTIONARY)


TANGENTS = {
    "integer": (lambda p, t: (p[0].sum(), 1), "int64"),
    "truth value": (lambda p, t: (p[0].sum(), True), "bool"),
    "complex": (lambda p, t: (p[0].sum(), 1j * t[0].sum()), "complex128"),
    "array": (lambda p, t: (p[0].sum(), t[0]), "array"),
}


@pytest.mark.parametrize("name", TANGENTS)
def test_tangents_that_are_not_like_results(name):
    """Reverse mode takes what forward mode takes."""
    rule, word = TANGENTS[name]
    f = custom_jvp(lambda x: x.sum())
    f.defjvp(rule)
    with pytest.raises(EnzymeError, match=word):
        grad(f)(X)
    with pytest.raises(EnzymeError):
        jvp(f, (X,), (X,))


@pytest.mark.parametrize("change", [lambda t: t[:1], lambda t: np.concatenate((t, t))])
def test_tangents_of_another_shape(change):
    change = njit(change)
    f = custom_jvp(lambda x: x * x)
    f.defjvp(lambda p, t: (p[0] * p[0], change(2 * p[0] * t[0])))
    with pytest.raises(ValueError, match="another shape"):
        grad(lambda x: f(x).sum())(X)


def test_messages_name_the_line_of_the_rule():
    f = custom_jvp(lambda x: x.sum())

    @f.defjvp
    def rule(primals, tangents):
        return primals[0].sum(), 1

    line = rule.__code__.co_firstlineno
    with pytest.raises(EnzymeError, match=rf"{__file__}:{line}\b"):
        grad(f)(X)
