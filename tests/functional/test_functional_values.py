"""What stands in arguments counts by itself, what holds no floats has no derivative, and nothing is written to."""

import itertools

import numpy as np
import pytest
from numba import njit, typed

from enzyme import (
    Const,
    Forward,
    Reverse,
    grad,
    gradient,
    hessian,
    hvp,
    jacfwd,
    jacobian,
    jacrev,
    jvp,
    linearize,
    value_and_grad,
    vjp,
)
from enzyme.errors import EnzymeError

pytestmark = pytest.mark.rotating(35)

S, T = np.array([1.0, 2.0]), np.array([0.5, -1.5])


# --- one array in several places ----------------------------------------------------------------------


@njit
def product(p):
    return (3 * p[0] * p[1] ** 2).sum()


@njit
def mixed_product(p):
    return (3 * p[0] * p[1] ** 2).sum() * p[2]


FIRST = {
    "grad": lambda f: lambda p: grad(f)(p),
    "forward": lambda f: lambda p: grad(f, mode="forward")(p),
    "gradient": lambda f: lambda p: gradient(Reverse, f, p),
    "gradient, forward": lambda f: lambda p: gradient(Forward, f, p),
    "jacobian": lambda f: lambda p: jacobian(Reverse, f, p),
    "jacobian, forward": lambda f: lambda p: jacobian(Forward, f, p),
    "jacfwd": lambda f: lambda p: jacfwd(f)(p),
    "jacrev": lambda f: lambda p: jacrev(f)(p),
    "vjp": lambda f: lambda p: vjp(f, p)[1](1.0)[0],
}
ARGUMENTS = {"arrays": (product, (S, S)), "arrays and a number": (mixed_product, (S, S, 2.0))}


@pytest.mark.parametrize(("call", "kind"), list(itertools.product(FIRST, ARGUMENTS)))
def test_each_place_has_its_derivative(call, kind):
    f, p = ARGUMENTS[kind]
    factor = p[2] if len(p) == 3 else 1.0
    derivative = FIRST[call](f)
    # Each cell outside or inside of jitted code, each call and each kind both ways.
    inside = call != "vjp" and (list(FIRST).index(call) + list(ARGUMENTS).index(kind)) % 2
    for run in (njit(derivative),) if inside else (derivative,):
        found = run(p)
        np.testing.assert_allclose(np.ravel(found[0]), 3 * S**2 * factor)
        np.testing.assert_allclose(np.ravel(found[1]), 6 * S**2 * factor)


def test_each_place_has_its_second_derivative():
    matrix = np.diag(6 * S)
    for compiled in (False, True):
        run = njit if compiled else lambda f: f
        blocks = run(lambda p: hessian(product)(p))((S, S))
        np.testing.assert_allclose(blocks[0][0], 0.0 * matrix)
        for block in (blocks[0][1], blocks[1][0], blocks[1][1]):
            np.testing.assert_allclose(block, matrix)
        # The direction may be the argument itself.
        along = run(lambda p: hvp(product, p, (p[0], np.zeros(2))))((S, S))
        np.testing.assert_allclose(along[0], np.zeros(2))
        np.testing.assert_allclose(along[1], matrix @ S)


def test_one_array_in_two_places_that_are_written_to():
    def f(p):
        p["a"][0] = p["a"][0] * 2.0
        return (p["a"] * p["b"]).sum()

    for made in (grad(f), jacfwd(f), jacrev(f)):
        with pytest.raises(EnzymeError, match="share memory that is written to"):
            made({"a": S, "b": S})
    np.testing.assert_allclose(grad(f)({"a": S, "b": S.copy()})["a"], [2.0, 2.0])


# --- what has no floats -------------------------------------------------------------------------------

INDEX = np.array([1, 0])


def of_dictionary(p):
    return (p["w"][p["at"]] ** 3).sum() * p["n"] * len(p["text"])


def of_tuple(p):
    return (p[0][p[1]] ** 3).sum() * p[2] * len(p[3])


CONTAINERS = {
    "dictionary": (of_dictionary, {"w": T, "at": INDEX, "n": 2, "text": "abc"}),
    "tuple": (of_tuple, (T, INDEX, 2, "abc")),
}
SLOPE, CURVATURE = 18 * T**2, np.diag(36 * T)


def split(x):
    """The derivative of the floats, and what stands for the rest."""
    parts = list(x.values()) if isinstance(x, dict) else list(x)
    return parts[0], parts[1:]


def like(p, *parts):
    return dict(zip(p, parts, strict=True)) if isinstance(p, dict) else parts


RESTS = {
    "none": (None, None, None),
    "like the argument": (np.array([1, 1]), 0, "xyz"),
    "the argument's": (INDEX, 2, "abc"),
}


@pytest.mark.parametrize("kind", CONTAINERS)
def test_what_holds_no_floats_has_no_derivative(kind):
    f, p = CONTAINERS[kind]
    found = [FIRST[call](f)(p) for call in ("grad", "forward", "jacfwd", "jacrev", "vjp")]
    found.append(value_and_grad(f)(p)[1])
    if kind == "tuple":
        compiled = njit(f)
        found += [njit(lambda p: grad(compiled)(p))(p), njit(lambda p: jacrev(compiled)(p))(p)]
    for derivative in found:
        assert type(derivative) is type(p)
        slope, rest = split(derivative)
        np.testing.assert_allclose(slope, SLOPE)
        assert rest == [None, None, None]
    first, rest = split(hessian(f)(p))
    assert rest == [None, None, None]
    matrix, rest = split(first)
    np.testing.assert_allclose(matrix, CURVATURE)
    assert rest == [None, None, None]
    np.testing.assert_array_equal(INDEX, [1, 0])


@pytest.mark.parametrize(("kind", "rest"), list(itertools.product(CONTAINERS, RESTS)))
def test_directions_of_what_holds_no_floats(kind, rest):
    """They are not looked at, and above all not written to the argument."""
    f, p = CONTAINERS[kind]
    given = [x.copy() if isinstance(x, np.ndarray) else x for x in RESTS[rest]]
    v = like(p, S, *given)
    value, slope = jvp(f, (p,), (v,))
    np.testing.assert_allclose(value, f(p))
    np.testing.assert_allclose(slope, SLOPE @ S)
    np.testing.assert_allclose(linearize(f, p)[1](v), SLOPE @ S)
    product, none = split(hvp(f, p, v))
    np.testing.assert_allclose(product, CURVATURE @ S)
    assert none == [None, None, None]
    if kind == "tuple" and rest != "like the argument":
        compiled = njit(f)
        value, slope = njit(lambda p, v: jvp(compiled, (p,), (v,)))(p, v)
        np.testing.assert_allclose((value, slope), (f(p), SLOPE @ S))
        product, none = split(njit(lambda p, v: hvp(compiled, p, v))(p, v))
        np.testing.assert_allclose(product, CURVATURE @ S)
    np.testing.assert_array_equal(INDEX, [1, 0])
    if rest != "none":
        np.testing.assert_array_equal(given[0], RESTS[rest][0])


def test_results_that_hold_no_floats():
    def f(x):
        return x * 2.0, np.array([1, 2]), 3, x[0] > 0.0

    for more in ((None, None, None), (np.zeros(2, int), 0, False)):
        (found,) = vjp(f, S)[1]((np.ones(2), *more))
        np.testing.assert_array_equal(found, [2.0, 2.0])


# --- arguments that are written to ----------------------------------------------------------------------


@njit
def doubles(x, c):
    x[0] *= 2.0
    return (x**2).sum()


@njit
def stores(x, c):
    c[0] = x[0]
    return (x * c).sum()


@njit
def appends(x, c):
    c.append(1.0)
    return (x**2).sum() * len(c)


@njit
def sets(x, c):
    c[0] = 5.0
    return (x**2).sum() * c[1] / 2.0


@njit
def reads(x, c):
    return (x**2).sum() * c[1] / 2.0


@njit
def adds_key(x, c):
    c["b"] = 2.0
    return (x**2).sum() * len(c)


# The function, what is constant, the gradient and the Hessian at S.
WRITTEN = {
    "an array": (doubles, lambda: np.ones(1), [8.0, 4.0], np.diag([8.0, 2.0])),
    "a constant that differentiable data comes to": (
        stores,
        lambda: np.array([3.0, 4.0]),
        [2.0, 4.0],
        np.diag([2.0, 0.0]),
    ),
    "a list that grows": (appends, lambda: typed.List([1.0, 2.0]), 6 * S, 6 * np.eye(2)),
    "items of a list": (sets, lambda: typed.List([1.0, 2.0]), 2 * S, 2 * np.eye(2)),
    "nothing in a list": (reads, lambda: typed.List([1.0, 2.0]), 2 * S, 2 * np.eye(2)),
    "a dictionary": (adds_key, lambda: typed.Dict(items()), 4 * S, 4 * np.eye(2)),
}


def items():
    yield "a", 1.0


CALLS = {
    "grad": lambda f: lambda x, c: grad(f)(x, c),
    "forward": lambda f: lambda x, c: grad(f, mode="forward")(x, c),
    "value_and_grad": lambda f: lambda x, c: value_and_grad(f)(x, c)[1],
    "jacfwd": lambda f: lambda x, c: jacfwd(f)(x, c),
    "jacrev": lambda f: lambda x, c: jacrev(f)(x, c),
    "jvp": lambda f: lambda x, c: jvp(f, (x, c), (np.ones(2), None))[1],
    "hessian": lambda f: lambda x, c: hessian(f)(x, c),
    "hvp": lambda f: lambda x, c: hvp(f, x, np.ones(2), c),
}


# Every kind with half of the calls, and the other way round.
CELLS = [
    (kind, call)
    for (i, kind), (j, call) in itertools.product(enumerate(WRITTEN), enumerate(CALLS))
    if (i + j) % 2 == 0
]


@pytest.mark.parametrize(("kind", "call"), CELLS)
def test_compiled_code_leaves_arguments_as_they_are(kind, call):
    f, make, slope, matrix = WRITTEN[kind]
    expected = {
        "jvp": np.sum(slope),
        "hessian": matrix,
        "hvp": matrix @ np.ones(2),
    }.get(call, slope)
    run = njit(CALLS[call](f))
    x, c = S.copy(), make()
    before = dict(c) if kind == "a dictionary" else list(c)
    if call == "jvp" and f is stores:
        with pytest.raises(EnzymeError, match="constant memory"):
            run(x, c)
        return
    for _ in range(2):
        np.testing.assert_allclose(run(x, c), expected, rtol=1e-12)
    np.testing.assert_array_equal(x, S)
    assert (dict(c) if kind == "a dictionary" else list(c)) == before


@njit
def counts(x, c):
    c[0].append(1.0)
    return (x**2).sum() * len(c[0])


def test_hessians_of_complex_arguments_are_refused():
    """Along the real and the imaginary axis there are two derivatives."""
    with pytest.raises(EnzymeError, match="complex"):
        hessian(lambda z: z.real**2 * z.imag)(1 + 2j)
    with pytest.raises(EnzymeError, match="complex"):
        hessian(lambda p: (p["z"].real ** 2 * p["z"].imag).sum())({"z": np.array([1 + 2j])})


def test_what_compiled_code_cannot_copy():
    @njit
    def f(x, c):
        return jacobian(Forward, counts, x, Const(c))

    nested = typed.List([typed.List([1.0])])
    with pytest.raises(EnzymeError):
        f(S, nested)
    assert list(nested[0]) == [1.0]
