"""What stands around derivatives: bound arguments, places for results, parts without floats, written constants."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
import pytest
from numba import njit, typed

from enzyme import (
    ForwardWithPrimal,
    Reverse,
    batch,
    grad,
    gradient,
    hessian,
    hvp,
    hvp_and_gradient_inplace,
    hvp_inplace,
    jacfwd,
    jacobian,
    jacrev,
    jvp,
    linearize,
    ravel,
    value_and_grad,
    vjp,
)
from enzyme.errors import EnzymeError, ShadowLayoutError

pytestmark = pytest.mark.rotating(27)

W = np.array([1.3, 0.7, -0.4])
X = np.arange(9.0).reshape(3, 3)


class Weights(NamedTuple):
    w: np.ndarray

    def dot(self, x):
        return (self.w * x).sum()

    def __call__(self, x):
        return (self.w * x).sum() * 2.0


def weighted(x, w):
    return (w * x).sum()


def test_batch_leaves_what_a_partial_function_holds() -> None:
    f = partial(weighted, w=W)
    for made in (batch(f), batch(f, (0,)), batch(f, 0)):
        np.testing.assert_allclose(made(X), X @ W)
    np.testing.assert_allclose(batch(f)(X, w=X + 1.0), (X * (X + 1.0)).sum(1))
    np.testing.assert_allclose(batch(partial(lambda x, c: x * c, c=2.0))(W), 2.0 * W)
    np.testing.assert_allclose(batch(Weights(W).dot)(X), X @ W)
    np.testing.assert_allclose(batch(Weights(W))(X), 2.0 * X @ W)


@njit
def cube(a):
    return (a * a * a).sum()


def both(h, g, x, v):
    return hvp_and_gradient_inplace(h, g, cube, x, v)


def one(h, x, v):
    return hvp_inplace(h, cube, x, v)


@pytest.mark.parametrize("wrap", [lambda f: f, njit], ids=["Python", "jitted"])
def test_places_of_products(wrap) -> None:
    v = np.array([0.2, -1.0, 3.0])
    line = np.zeros(8)
    for h, g in ((line[:3], line[3:6]), (line[0:5:2], line[7:4:-1]), (np.zeros(3), np.zeros(3))):
        h, g = wrap(both)(h, g, W, v)
        np.testing.assert_allclose(h, 6 * W * v)
        np.testing.assert_allclose(g, 3 * W * W)
    for h, g in ((line[:3], line[:3]), (line[:3], line[2:5]), (line[4:1:-1], line[3:6])):
        with pytest.raises(ShadowLayoutError, match="one place"):
            wrap(both)(h, g, W, v)
    for place in (np.zeros(3, int), np.zeros((2, 3)), np.zeros(4)):
        with pytest.raises(ShadowLayoutError, match="is to write to"):
            wrap(one)(place, W, v)
    for place in (W.copy(), v.copy()):  # the place is an argument, too
        x, along = (place, v) if place[0] == W[0] else (W, place)
        expected = 6 * x * along
        np.testing.assert_allclose(wrap(one)(place, x, along), expected)


def mixed(x):
    return x * x, int(x), np.arange(3), (x > 1.0, x)


def test_tangents_of_what_is_no_float() -> None:
    compiled = njit(mixed)
    for call in (lambda x: jvp(mixed, (x,), (1.0,)), njit(lambda x: jvp(compiled, (x,), (1.0,)))):
        value, tangent = call(2.5)
        assert tangent[0] == 5.0 and tangent[1] is None and tangent[2] is None
        assert tangent[3] == (None, 1.0) and value[1] == 2
    assert linearize(mixed, 2.5)[1](1.0)[:2] == (5.0, None)


def test_values_are_not_the_arguments() -> None:
    for run in (
        lambda y: vjp(lambda x: x, y)[0],
        lambda y: linearize(lambda x: x, y)[0],
        lambda y: jvp(lambda x: x, (y,), (y * 0.0,))[0],
        lambda y: jvp(lambda x: (x[1:], 1.0), (y,), (y * 0.0,))[0][0],
    ):
        y = np.ones(3)
        run(y)[:] = 99.0
        np.testing.assert_array_equal(y, 1.0)


FACTOR = np.ones(2)


def test_linearisations_stay_what_they_were() -> None:
    def f(x):
        return (FACTOR * x).sum()

    value, along = linearize(f, np.ones(2))
    _, back = vjp(f, np.ones(2))
    try:
        FACTOR[:] = 3.0
        assert along(np.ones(2)) == value == 2.0
        np.testing.assert_array_equal(back(1.0)[0], 1.0)
    finally:
        FACTOR[:] = 1.0


def test_precision_of_numbers_beside_single_precision() -> None:
    tree = (0.1, np.ones(2, np.float32), 1e300)
    vector, unravel = ravel(tree)
    assert vector.dtype == np.float64
    assert unravel(vector)[0] == 0.1 and unravel(vector)[2] == 1e300
    assert ravel((np.float32(0.1), np.ones(2, np.float32)))[0].dtype == np.float32


@njit
def overwrites(m):
    m[0, 0] = 2.0 * m[0, 1]
    return (m * m * m).sum()


@njit
def scratch(a, k):
    k[0, 0] = a[0] * a[0]
    return (k * k).sum()


def test_fortran_arrays_that_are_written() -> None:
    c = np.arange(1.0, 7.0).reshape(2, 3)
    f, a = np.asfortranarray(c), np.array([1.5, 2.0])
    jobs = [
        njit(lambda m: grad(overwrites)(m)),
        njit(lambda m: value_and_grad(overwrites)(m)[1]),
        njit(lambda m: gradient(Reverse, overwrites, m)),
        njit(lambda m: hessian(overwrites)(m)),
        lambda m: hvp(overwrites, m, m),
        lambda m: jvp(grad(overwrites), (m,), (m,))[1],
        njit(lambda m: grad(scratch)(a, m)),
    ]
    for job in jobs:
        np.testing.assert_array_equal(job(f), job(c))
    np.testing.assert_array_equal(f, c)
    cubed = np.asfortranarray(np.arange(8.0).reshape(2, 2, 2))

    @njit
    def deep(m):
        m[0] *= m[1]
        return m.sum()

    np.testing.assert_array_equal(njit(lambda m: grad(deep)(m))(cubed), grad(deep)(cubed.copy("C")))


def test_sets_are_constants() -> None:
    def f(x, s):
        t = 0.0
        for k in s:
            t += x * k
        return t

    assert grad(f)(2.0, {1, 2}) == 3.0
    assert grad(f)(2.0, {1.5, 2.5}) == 4.0


@njit
def appends(x, items):
    items.append(x[0] * x[1])
    return items[-1] * x[0]


@njit
def enters(x, table):
    table[0] = x[0] * x[1]
    return table[0] * x[0]


@njit
def keeps(x, k, items):
    k[0] += x[0]
    items.append(x[1])
    return k[0] * items[-1] * x[0]


def test_constants_that_take_active_data() -> None:
    x = np.array([2.0, 3.0])
    items, table = typed.List([1.0]), typed.Dict()
    table[0] = 1.0
    for f, args, slope, curve in (
        (appends, (items,), [12.0, 4.0], [[6.0, 4.0], [4.0, 0.0]]),
        (enters, (table,), [12.0, 4.0], [[6.0, 4.0], [4.0, 0.0]]),
        (keeps, (np.ones(2), items), [15.0, 6.0], [[6.0, 5.0], [5.0, 0.0]]),
    ):
        np.testing.assert_allclose(grad(f)(x, *args), slope)
        np.testing.assert_allclose(hessian(f)(x, *args), curve)
        np.testing.assert_allclose(jacfwd(grad(f))(x, *args), curve)
        np.testing.assert_allclose(hvp(f, x, np.array([1.0, 0.0]), *args), curve[0])
    jobs = (
        (njit(lambda x, k: grad(appends)(x, k)), items),
        (njit(lambda x, k: jacfwd(appends)(x, k)), items),
        (njit(lambda x, k: grad(enters)(x, k)), table),
    )
    for job, constant in jobs:
        np.testing.assert_allclose(job(x, constant), [12.0, 4.0])
    assert list(items) == [1.0] and dict(table) == {0: 1.0}


@njit
def reads_the_other(x, one, other):
    one.append(x[0] * x[1])
    return other[-1] * x[0]


def test_one_container_as_two_constants() -> None:
    """Copies of what is written would not be one container any more: right from Python, refused in jitted code."""
    x, items = np.array([2.0, 3.0]), typed.List([1.0])
    with pytest.raises(ShadowLayoutError, match="share memory"):
        njit(lambda x, k: grad(reads_the_other)(x, k, k))(x, items)
    with pytest.raises(ShadowLayoutError, match="share memory"):
        hessian(reads_the_other)(x, items, items)
    np.testing.assert_allclose(grad(reads_the_other)(x, items, items.copy()), [1.0, 0.0])


@njit
def sines(x):
    return np.sin(x).sum()


def test_one_array_as_two_arguments_of_products() -> None:
    along = njit(lambda x, v: jvp(sines, (x,), (v,))[1])
    product = njit(lambda x, v: hvp(sines, x, v).sum())
    w = np.array([1.3, 0.7])
    for f, dx, dv in (
        (along, -np.sin(w) * w, np.cos(w)),
        (product, -np.cos(w) * w, -np.sin(w)),
    ):
        for found in (grad(f, (0, 1))(w, w), vjp(f, w, w)[1](1.0), jacfwd(f, (0, 1))(w, w)):
            np.testing.assert_allclose(found[0], dx)
            np.testing.assert_allclose(found[1], dv)


def test_jacobians_of_functions_of_numpy() -> None:
    x = np.array([1.3, 0.7])
    for f in (np.cumsum, np.sort, np.diff):
        expected = jacfwd(f)(x)
        np.testing.assert_allclose(jacrev(f)(x), expected)
        np.testing.assert_allclose(jacobian(Reverse, f, x), expected)


@pytest.mark.parametrize(
    ("mistake", "words"),
    [
        (lambda: grad(Holder.of_class)(1.0), "a method of the class Holder"),
        (lambda: grad(W.dot)(W), "a method of an array"),
        (lambda: gradient(Reverse, partial(weighted, w=W), W), "use grad, jacfwd, jacrev"),
    ],
)
def test_in_words(mistake, words) -> None:
    with pytest.raises(EnzymeError, match=words):
        mistake()


class Holder:
    @classmethod
    def of_class(cls, x):
        return x


def test_columns_do_not_share_memory() -> None:
    """All unit directions stand in one block in turn."""
    x = np.arange(40.0)
    for f in (lambda x: x, lambda x: x[::-1], lambda x: (x, x[1:], 2.0 * x[0])):
        found = jacfwd(f)(x)
        expected = jacrev(f)(x)
        np.testing.assert_equal(found, expected)
        value = jacobian(ForwardWithPrimal, f, x).val
        first = value[0] if isinstance(value, tuple) else value
        first[...] = -1.0
        np.testing.assert_array_equal(x, np.arange(40.0))
    single = jacfwd(lambda x: x * x)(np.ones(3, np.float32))
    assert single.dtype == np.float32
    np.testing.assert_array_equal(
        jacfwd(lambda x, k: x * k, argnums=(0, 1))(x[:3], x[:3])[1], np.diag(x[:3])
    )


@pytest.mark.parametrize("mode", ["forward", "reverse"])
@pytest.mark.parametrize(
    "x",
    [
        np.ones(2, np.float32),
        np.float32(2.0),
        np.array(2.0),
        np.ones(0, np.float32),
    ],
)
def test_gradients_have_the_types_of_arguments(x, mode):
    """Whatever type the function makes of them, alone and in tuples."""
    wide = np.float64(1.5)
    found = grad(lambda a: float(np.sum(a * a)) * wide, mode=mode)(x)
    nested = grad(lambda t: float(np.sum(t[0] * t[0])) * wide * t[1], mode=mode)((x, 2.0))[0]
    for each in (found, nested):
        assert type(each) is type(x)
        assert each.dtype == x.dtype
        assert each.shape == x.shape
    value, again = value_and_grad(lambda a: float(np.sum(a * a)) * wide, mode=mode)(x)
    assert type(again) is type(x)
    assert value == np.sum(x * x) * wide
