"""`batch`, `ravel` and `stop_gradient`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from numba import float64, njit, typed
from numba.experimental import jitclass

from enzyme import batch, grad, hessian, jacfwd, jacrev, ravel, stop_gradient, value_and_grad
from enzyme.errors import EnzymeError

pytestmark = pytest.mark.rotating(18)

RNG = np.random.default_rng(3)
X, Y = RNG.normal(size=(4, 2)), RNG.normal(size=4)
PARAMETERS = {"w": RNG.normal(size=(3, 2)), "b": RNG.normal(size=3)}


def loss(p, x, y):
    return (np.tanh(p["w"] @ x + p["b"]).sum() - y) ** 2


def test_gradients_of_each_sample():
    found = batch(grad(loss), (None, 0, 0))(PARAMETERS, X, Y)
    values, slopes = batch(value_and_grad(loss, argnums=1), (None, 0, 0))(PARAMETERS, X, Y)
    for k in range(4):
        one = grad(loss)(PARAMETERS, X[k], Y[k])
        for key in one:
            np.testing.assert_allclose(found[key][k], one[key], rtol=1e-13)
        value, slope = value_and_grad(loss, argnums=1)(PARAMETERS, X[k], Y[k])
        np.testing.assert_allclose((values[k], *slopes[k]), (value, *slope), rtol=1e-13)
    assert found["w"].shape == (4, 3, 2)


@njit
def overwrites(x):
    x[0] = 7.0
    return x.sum()


@njit
def counts(x, c):
    c[0] += 1.0
    return x + c[0]


# The function, the axes, the arguments, and what NumPy says.
CASES = {
    "first axis": (np.sum, 0, (X,), X.sum(1)),
    "second axis": (np.sum, 1, (X,), X.sum(0)),
    "from the end": (np.sum, -1, (X,), X.sum(0)),
    "two axes": (lambda x, y: x @ y, (0, 1), (X, X.T), (X * X).sum(1)),
    "a tuple": (lambda t: t[0] * t[1], 0, ((Y, X),), Y[:, None] * X),
    "a constant": (lambda x, c: x * c, (0, None), (Y, 2.0), 2.0 * Y),
    "a default": (lambda x, c=3.0: x * c, (0,), (Y,), 3.0 * Y),
    "one sample": (lambda x: x * x, 0, (Y[:1],), Y[:1] ** 2),
    "no axes": (lambda x: np.array(x * x), 0, (Y,), Y**2),
    "complex": (lambda x: x * x, 0, (1j * Y,), -(Y**2) + 0j),
    "conditions": (lambda x: x > 0.0, 0, (Y,), Y > 0.0),
    "hessians": (
        hessian(lambda x: (x**3).sum()),
        0,
        (X,),
        np.einsum("kj,ij->kij", 6 * X, np.eye(2)),
    ),
    "what writes": (overwrites, 0, (X,), 7.0 + X[:, 1]),
    "what writes to a constant": (counts, (0, None), (Y, np.zeros(1)), Y + 1.0),
}


@pytest.mark.parametrize("name", CASES)
def test_batches(name):
    f, axes, args, expected = CASES[name]
    before = X.copy()
    found = batch(f, axes)(*args)
    assert found.dtype == np.asarray(expected).dtype
    np.testing.assert_allclose(found, expected, rtol=1e-13)
    np.testing.assert_array_equal(X, before)
    if name in ("second axis", "two axes", "a tuple", "no axes", "hessians") or "writes" in name:
        many = batch(f, axes)
        run = njit((lambda x: many(x)) if len(args) == 1 else (lambda x, y: many(x, y)))
        np.testing.assert_allclose(run(*args), expected, rtol=1e-13)
        np.testing.assert_array_equal(X, before)


def test_derivatives_of_batches():
    many = batch(lambda p, x: np.sin(p["w"] @ x).sum() * p["b"][0], (None, 0))
    found = grad(lambda p, x: (many(p, x) ** 2).sum())(PARAMETERS, X)
    values = many(PARAMETERS, X)
    one = grad(lambda p, x: np.sin(p["w"] @ x).sum() * p["b"][0])
    slopes = [one(PARAMETERS, x) for x in X]
    for key in found:
        expected = sum(2 * y * slope[key] for y, slope in zip(values, slopes, strict=True))
        np.testing.assert_allclose(found[key], expected, rtol=1e-12)

    @njit
    def slopes_inside(x):
        return batch(grad(cube))(x)

    np.testing.assert_allclose(slopes_inside(Y), 3 * Y**2)


@jitclass([("scale", float64), ("values", float64[:])])
class Scaled:
    def __init__(self, scale, values):
        self.scale = scale
        self.values = values


def in_scale(held, x):
    held.scale += x
    return held.scale


def in_values(held, x):
    held.values[0] += x
    return held.values[0]


def in_array_of_list(held, x):
    held[0][0] += x
    return held[0][0]


def new_array_in_list(held, x):
    held[0] = held[0] + x
    return held[0][0]


def longer_list(held, x):
    held.append(held[0])
    return len(held) + x


def in_array_of_dict(held, x):
    held["a"][0] += x
    return held["a"][0]


def reads_list(held, x):
    return held[0][0] * x


def reads_dict(held, x):
    return held["a"][0] * x


def reads_object(held, x):
    return held.scale * held.values[0] * x


def scaled():
    return Scaled(2.0, np.array([3.0]))


def list_of_arrays():
    return typed.List([np.array([6.0])])


def dict_of_arrays():
    made = typed.Dict()
    made["a"] = np.array([6.0])
    return made


def reshaped_in_list(held, x):
    view = held[0].reshape(1, 1)
    view[0, 0] += x
    return view[0, 0]


def in_record(held, x):
    held.a += x
    return held.a


def reads_record(held, x):
    return held.a * x


def record():
    return np.array([(6.0,)], np.dtype([("a", float)]))[0]


HIDDEN = {
    record: ((in_record,), reads_record),
    scaled: ((in_scale, in_values), reads_object),
    list_of_arrays: (
        (in_array_of_list, new_array_in_list, longer_list, reshaped_in_list),
        reads_list,
    ),
    dict_of_arrays: ((in_array_of_dict,), reads_dict),
}


@pytest.mark.parametrize("make", HIDDEN)
def test_what_all_samples_have_in_common_and_no_copy_is_made_of(make):
    writing, reading = HIDDEN[make]
    held = make()
    np.testing.assert_allclose(batch(reading, (None, 0))(held, Y), 6.0 * Y)
    np.testing.assert_allclose(batch(grad(reading, 1), (None, 0))(held, Y), np.full(4, 6.0))
    refused = pytest.raises(EnzymeError, match=r"writes to argument 0 .* have in common")
    for f in writing:
        many = batch(f, (None, 0))
        for run in many, njit(lambda held, y, many=many: many(held, y)):
            with refused:
                run(held, Y)
    np.testing.assert_allclose(batch(reading, (None, 0))(held, Y), 6.0 * Y)


@njit
def cube(x):
    return x**3


def test_unequal_samples_in_compiled_code():
    many = batch(lambda a, b: a * b)
    with pytest.raises(ValueError, match="different numbers of samples"):
        njit(lambda a, b: many(a, b))(Y, Y[:2])


def test_results_that_are_tuples():
    square, (count, vector) = batch(lambda x: (x * x, (1, np.array([x, 2.0]))))(Y)
    np.testing.assert_allclose(square, Y * Y)
    np.testing.assert_array_equal(count, [1, 1, 1, 1])
    np.testing.assert_allclose(vector, np.stack([Y, 2.0 + 0.0 * Y], axis=1))


MISTAKES = {
    "unequal": (lambda: batch(lambda a, b: a * b)(Y, Y[:2]), "2 and 4 samples"),
    "none": (lambda: batch(lambda a: a)(np.zeros(0)), "no samples"),
    "a number": (lambda: batch(lambda a, b: a * b)(Y, 2.0), "give None in in_axes"),
    "no such axis": (lambda: batch(np.sum, 2)(X), "along axis 2"),
    "too many": (lambda: batch(np.sum, (0, 0))(X), "2 entries"),
    "no axis": (lambda: batch(np.sum, 1.0), "give an axis"),
    "compiled code": (lambda: njit(lambda x: batch(np.sum, 2)(x))(X), "an array of 2 axes"),
    "compiled code, text": (lambda: njit(lambda x: batch(named)(x))(Y), "unicode_type"),
    "another length": (lambda: ravel(Y)[1](Y[:2]), "of length 4"),
    "complex": (lambda: ravel(1j * Y), "real numbers"),
}


@njit
def named(x):
    return "x"


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name):
    wrong, words = MISTAKES[name]
    with pytest.raises(EnzymeError, match=words):
        wrong()


def test_results_of_different_shapes():
    with pytest.raises(ValueError, match="different shapes"):
        batch(lambda x: np.zeros(int(x)))(np.array([1.0, 2.0]))


@dataclass
class Box:
    side: float
    n: int


def test_ravel():
    tree = [
        1.5,
        {"w": X, "name": "x"},
        (np.float32(2.0), Box(3.0, 4)),
        [7.0, 8.0],
        None,
        np.arange(2),
    ]
    vector, unravel = ravel(tree)
    np.testing.assert_allclose(vector, [1.5, *X.ravel(), 2.0, 3.0, 7.0, 8.0])
    again = unravel(vector + 1.0)
    assert again[0] == 2.5 and again[2] == (3.0, Box(4.0, 4)) and again[3] == [8.0, 9.0]
    assert type(again[2][0]) is np.float32 and again[4] is None and again[5] is tree[5]
    np.testing.assert_allclose(again[1]["w"], X + 1.0)
    assert not np.shares_memory(again[1]["w"], vector) and not np.shares_memory(vector, X)
    assert ravel((np.float32(1.0), np.ones(2, np.float32)))[0].dtype == np.float32
    assert ravel(())[0].shape == (0,)


def test_ravel_for_an_optimiser():
    """What minimisers of vectors need."""
    vector, unravel = ravel(PARAMETERS)

    def of_vector(v):
        return ravel(grad(loss)(unravel(v), X[0], Y[0]))[0]

    step = 1e-6
    for unit in np.eye(vector.size):
        ahead, behind = (loss(unravel(vector + s * step * unit), X[0], Y[0]) for s in (1, -1))
        np.testing.assert_allclose(
            of_vector(vector) @ unit, (ahead - behind) / (2 * step), rtol=1e-6
        )


def test_stop_gradient():
    assert grad(lambda x: stop_gradient(x) * x)(3.0) == 3.0


# What the compiled forms of derivatives call things by.
NAMES = "f g r y d mode scalar gradient jacobian looped only_floats without_row Const Reverse np x0".split()


@pytest.mark.parametrize("derivative", [grad, value_and_grad, jacrev, jacfwd, hessian])
def test_parameters_may_have_any_names(derivative):
    space = {}
    terms = " + ".join(NAMES[:-1])
    exec(
        f"def function(x, {', '.join(NAMES[:-1])}, {NAMES[-1]}='cubes'):\n"
        f"    return ({terms}) * ((x**3).sum() if {NAMES[-1]} == 'cubes' else (x**2).sum())",
        space,
    )
    count = len(NAMES) - 1
    every = batch(derivative(space["function"]), (0, *[None] * count))
    x = np.array([[1.0, 2.0], [3.0, 4.0]])
    found = every(x, *[1.0 / count] * count)
    expected = 3.0 * x**2
    if derivative is hessian:
        expected = (6.0 * x)[:, None] * np.eye(2)
    if derivative is value_and_grad:
        value, found = found
        np.testing.assert_allclose(value, (x**3).sum(1), rtol=1e-13)
    np.testing.assert_allclose(found, expected, rtol=1e-13)
