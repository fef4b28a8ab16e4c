"""Arguments that hold arrays: every function of `enzyme.functional` with every structure, against differences."""

from __future__ import annotations

import itertools
import pickle
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest
from numba import njit

from enzyme import (
    Const,
    Forward,
    ForwardWithPrimal,
    Reverse,
    ReverseWithPrimal,
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

RNG = np.random.default_rng(5)


class Pair(NamedTuple):
    w: np.ndarray
    b: float


@dataclass
class Layer:
    w: np.ndarray
    b: float

    def loss(self, x):
        return (self.w * self.w * x).sum() * self.b


@dataclass(frozen=True)
class Frozen:
    w: np.ndarray
    b: float
    n: int = 2

    def __post_init__(self):
        assert isinstance(self.n, int)


@dataclass(slots=True)
class Nested:
    inner: dict
    _c: float


W, B = RNG.normal(size=2), 1.3
# The argument, how a function gets at a vector `w` and at a number `b` in it.
TREES = {
    "dictionary": ({"w": W, "b": B}, "p['w']", "p['b']"),
    "with a count": ({"n": 3, "w": W, "b": B}, "p['w']", "p['b'] * p['n']"),
    "keys that are no names": ({"a b": W, "class": B}, "p['a b']", "p['class']"),
    "nested": (
        {"one": {"w": W}, "two": (B, [W + 1.0])},
        "p['one']['w'] * p['two'][1][0]",
        "p['two'][0]",
    ),
    "dataclass": (Layer(W, B), "p.w", "p.b"),
    "frozen": (Frozen(W, B), "p.w", "p.b ** p.n"),
    "dataclass of dictionaries": (Nested({"w": W}, B), "p.inner['w']", "p._c"),
    "list": ([W, W + 1.0], "p[0] * p[1]", "p[0][1]"),
    "layers": ([(W, B), (W + 1.0, 0.5)], "p[0][0] + p[1][0]", "p[0][1] * p[1][1]"),
    "tuple": ((B, W), "p[1]", "p[0]"),
    "named tuple": (Pair(W, B), "p.w", "p.b"),
    "only numbers": ({"x": 0.5, "y": B}, "np.array([p['x'], p['y'] * p['x']])", "p['y']"),
    "single precision": ({"w": W.astype(np.float32), "b": B}, "p['w']", "p['b']"),
}


# Those of which second derivatives and products are taken, too.
FURTHER = ("with a count", "nested", "dataclass of dictionaries", "layers", "single precision")


def function_of(name):
    _, w, b = TREES[name]
    scope = {"np": np}
    exec(
        f"def f(p, x):\n    w = {w}\n    b = {b}\n    return (w * w * w * x).sum() * b * b\n", scope
    )
    return scope["f"]


def leaves(x):
    """The numbers of a value, None for what is no float."""
    if isinstance(x, dict):
        x = list(x.values())
    elif hasattr(x, "__dataclass_fields__"):
        x = [getattr(x, name) for name in x.__dataclass_fields__]
    if isinstance(x, list | tuple):
        return [leaf for part in x for leaf in leaves(part)]
    return [] if x is None or isinstance(x, int) else [x]


def flat(x):
    return np.concatenate([np.ravel(leaf) for leaf in leaves(x)]).astype(float)


def filled(x, numbers):
    """The structure of a value with other numbers."""
    if isinstance(x, dict):
        return {key: filled(part, numbers) for key, part in x.items()}
    if hasattr(x, "__dataclass_fields__"):
        return type(x)(*(filled(getattr(x, name), numbers) for name in x.__dataclass_fields__))
    if isinstance(x, list | tuple):
        members = [filled(part, numbers) for part in x]
        return type(x)(*members) if hasattr(x, "_fields") else type(x)(members)
    if isinstance(x, int):
        return x
    taken = [next(numbers) for _ in range(np.size(x))]
    return (
        np.array(taken, x.dtype).reshape(x.shape) if isinstance(x, np.ndarray) else float(taken[0])
    )


def like(x, numbers):
    return filled(x, iter(numbers))


def structure(x):
    """What a value is made of, without its numbers."""
    if isinstance(x, dict):
        return {key: structure(part) for key, part in x.items()}
    if hasattr(x, "__dataclass_fields__"):
        return type(x), [structure(getattr(x, name)) for name in x.__dataclass_fields__]
    if isinstance(x, list | tuple):
        return type(x), [structure(part) for part in x]
    return (np.ndarray, x.shape, x.dtype) if isinstance(x, np.ndarray) else type(x)


def without_counts(x):
    """The structure of a derivative has None for what is no float."""
    if isinstance(x, dict):
        return {key: without_counts(part) for key, part in x.items()}
    if isinstance(x, tuple):
        return tuple(map(without_counts, x))
    if isinstance(x, list):
        return [without_counts(part) for part in x]
    return type(None) if x is int else x


X = np.array([0.7, -1.1])


@pytest.mark.parametrize("name", TREES)
def test_trees(name):
    p = TREES[name][0]
    f = function_of(name)
    compiled = njit(f)
    here = flat(p)
    single = name == "single precision"
    step, tolerance = (1e-2, {"rtol": 2e-3, "atol": 2e-3}) if single else (1e-5, {"rtol": 1e-6})

    def along(function, v):
        ahead, behind = (function(like(p, here + s * step * v), X) for s in (1, -1))
        return (flat(ahead) - flat(behind)) / (2 * step)

    units = np.eye(len(here))
    slopes = np.array([along(f, unit)[0] for unit in units])
    for g in (grad(f), grad(compiled, "p")):
        found = g(p, X)
        assert structure(found) == without_counts(structure(p))
        np.testing.assert_allclose(flat(found), slopes, **tolerance)
    value, (found, of_x) = value_and_grad(f, (0, 1))(p, X)
    np.testing.assert_allclose(value, f(p, X), rtol=1e-6)
    np.testing.assert_allclose(flat(found), slopes, **tolerance)
    assert of_x.shape == X.shape
    for made in (jacfwd(f), jacrev(f), grad(f, mode="forward")):
        found = made(p, X)
        assert single or structure(found) == without_counts(structure(p))
        np.testing.assert_allclose(flat(found), slopes, **tolerance)

    if name not in FURTHER:
        return
    v = RNG.normal(size=len(here))
    direction = like(p, v)
    value, slope = jvp(f, (p, X), (direction, None))
    np.testing.assert_allclose(slope, slopes @ v, **tolerance)
    assert linearize(f, p, X)[1](direction, None) == slope
    back, of_x = vjp(f, p, X)[1](2.0)
    assert structure(back) == without_counts(structure(p))
    np.testing.assert_allclose(flat(back), 2.0 * slopes, **tolerance)

    matrix = np.array([along(grad(f), unit) for unit in units])
    product = hvp(f, p, direction, X)
    assert structure(product) == without_counts(structure(p))
    np.testing.assert_allclose(flat(product), matrix @ v, **tolerance)
    rows = hessian(f)(p, X)
    blocks = iter(leaves(rows))
    for i in leaves(p):
        for j in leaves(p):
            assert np.shape(next(blocks)) == np.shape(i) + np.shape(j)
    assert np.array_equal(flat(p), here)


def test_methods_of_dataclasses():
    layer = Layer(np.array([1.0, 2.0]), 3.0)
    np.testing.assert_allclose(grad(layer.loss)(X), layer.w**2 * 3.0)
    np.testing.assert_allclose(vjp(layer.loss, X)[1](1.0)[0], layer.w**2 * 3.0)
    np.testing.assert_allclose(hessian(layer.loss)(X), np.zeros((2, 2)))


def test_what_dictionaries_can_do():
    @njit
    def f(p):
        total = 0.0
        for v in p.values():
            total += v * v
        for key, v in p.items():
            if key == "b":
                total += v
        if "a" in p and "c" not in p:
            total *= len(p)
        for key in p:
            total += p[key] if key == "a" else 0.0
        return total * len(p.keys())

    assert grad(f)({"a": 2.0, "b": 3.0}) == {"a": 18.0, "b": 28.0}


def test_get_of_dictionaries():
    def f(p, key):
        total = p.get("a", 1.0) * p.get("none", 3.0) * p.get(key, 5.0)
        return total * p["b"] if p.get("c") is None and p.get("b") is not None else 0.0

    for key, expected in (("b", (27.0, 36.0)), ("c", (45.0, 30.0))):
        assert grad(f)({"a": 2.0, "b": 3.0}, key) == dict(zip("ab", expected, strict=True))
    np.testing.assert_allclose(grad(lambda p: p.get("w", None).sum())({"w": W, "b": 1.0})["w"], 1.0)


def test_lists_of_floats():
    def f(p):
        total = 0.0
        for k in range(len(p["c"])):
            total += p["c"][k] ** (k + 2)
        return total * p["d"]

    p = {"c": [2.0, 3], "d": 0.5}
    assert grad(f)(p) == {"c": [2.0, 13.5], "d": 31.0}
    assert jvp(f, (p,), ({"c": [1, 0.0], "d": 1.0},)) == (15.5, 33.0)
    assert vjp(lambda x, c: x * c[0] * c[1], 2.0, [3.0, 4.0])[1](1.0) == (12.0, [8.0, 6.0])
    assert grad(lambda x, c: x * sum(c))(1.0, [2.0, 3.0]) == 5.0
    assert p == {"c": [2.0, 3], "d": 0.5}


MISTAKES = {
    "a key that is a number": (lambda: grad(lambda p: p[0])({0: 1.0}), "texts as keys"),
    "a tangent with other keys": (
        lambda: jvp(lambda p: p["a"], ({"a": 1.0},), ({"b": 1.0},)),
        "same keys",
    ),
    "a tangent that is no dictionary": (
        lambda: hvp(lambda p: p["a"] ** 2, {"a": 1.0}, 1.0),
        "same keys",
    ),
    "forward mode of a list of numbers": (
        lambda: grad(lambda p: p[0] * p[1], mode="forward")([1.0, 2.0]),
        'mode="reverse"',
    ),
    "largest of a dictionary": (lambda: grad(lambda p: max(p))({"a": 1.0, "b": 2.0}), "p.values"),
    "a key of several types": (
        lambda: grad(lambda p: sum([p[key] for key in p]))({"a": 1.0, "b": W}),
        "one type",
    ),
    "get of several types": (
        lambda: grad(lambda p, k: p.get(k, 1.0))({"a": 1.0, "b": W}, "a"),
        "one type",
    ),
    "an entry that is taken": (lambda: grad(lambda p: p.pop("a"))({"a": 1.0}), "p.get"),
    "an entry that is set": (
        lambda: grad(lambda p: p.__setitem__("a", 1.0))({"a": 1.0}),
        "dictionary",
    ),
    "no function": (lambda: grad(3.0), "which is no function"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name):
    wrong, words = MISTAKES[name]
    with pytest.raises(EnzymeError, match=words):
        wrong()


# --- in compiled code -------------------------------------------------------------------------------

ARGUMENTS = {
    "scalar": (1.3, "x * x * x"),
    "array": (RNG.normal(size=3), "(x * x * x).sum() * x[0]"),
    "strided": (RNG.normal(size=6)[::2], "(x * x * x).sum() * x[0]"),
    "matrix": (RNG.normal(size=(2, 2)), "(x @ x).sum() * x[0, 1]"),
    "tuple": ((1.3, 0.4), "x[0] * x[0] * x[1]"),
    "mixed": ((1.3, RNG.normal(size=2), 3), "x[0] * x[0] * (x[1] * x[1]).sum() * x[2]"),
    "named": (Pair(RNG.normal(size=2), 1.3), "(x.w * x.w).sum() * x.b ** 2"),
}
MADE = {
    "grad": grad,
    "value_and_grad": value_and_grad,
    "jacfwd": jacfwd,
    "jacrev": jacrev,
    "hessian": hessian,
}


def same(found, expected):
    if isinstance(expected, tuple):
        assert type(found) is type(expected) and len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            same(one, other)
    elif expected is None or isinstance(expected, int):
        assert found == expected
    else:
        assert np.shape(found) == np.shape(expected)
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)


# Every kind with half of the functions, and the other way round.
CELLS = [
    (kind, made)
    for (i, kind), (j, made) in itertools.product(enumerate(ARGUMENTS), enumerate(MADE))
    if (i + j) % 2 == 0
]


@pytest.mark.parametrize(("kind", "made"), CELLS)
def test_in_compiled_code(kind, made):
    """Asked for outside and inside of jitted code; each cell in one of the ways to say of what."""
    x, expression = ARGUMENTS[kind]
    turn = list(ARGUMENTS).index(kind) + list(MADE).index(made)
    options = ("0", "argnums='x'", "argnums=(1, 0)")[turn % 3]
    lines = [
        f"def f(x, t=2.0):\n    return ({expression}) * t * t",
        "h = jitted(f)",
        f"outside = made(f, {options})",
        f"def both(x):\n    return outside(x), made(h, {options})(x, 0.7)",
    ]
    scope = {"np": np, "made": MADE[made], "jitted": njit}
    exec("\n".join(lines), scope)
    outside = scope["outside"]
    default, given = njit(scope["both"])(x)
    same(default, outside(x))
    same(given, outside(x, 0.7))


def test_derivatives_of_derivatives():
    @njit
    def f(x):
        return x**5

    g = f
    for order in range(1, 6):
        g = grad(g)
        np.testing.assert_allclose(g(1.5), np.prod(range(5, 5 - order, -1)) * 1.5 ** (5 - order))
    x = np.array([1.0, 2.0])

    def cubes(x, t):
        return (x**3).sum() * t

    expected = np.diag(6.0 * x) * 2.0
    for made in (jacfwd(grad(cubes)), jacrev(grad(cubes)), hessian(cubes)):
        np.testing.assert_allclose(made(x, 2.0), expected)
    np.testing.assert_allclose(vjp(grad(cubes), x, 2.0)[1](x)[0], expected @ x)
    np.testing.assert_allclose(jvp(grad(cubes), (x, 2.0), (x, None))[1], expected @ x)
    g = grad(cubes)
    found = grad(lambda x, t: (g(x, t) ** 2).sum())(x, 2.0)
    np.testing.assert_allclose(found, 2.0 * expected @ g(x, 2.0))


def test_products_in_compiled_code():
    @njit
    def f(x, t):
        return (x**3).sum() * t

    @njit
    def products(x, v, t):
        res, slope = np.zeros(2), np.zeros(2)
        found = hvp(f, x, v, t), jvp(f, (x, t), (v, None)), jvp(f, (x, t), (v, 1.0))
        from_both = hvp_both(res, slope, f, x, v, t)
        return found, from_both

    from enzyme import hvp_and_gradient_inplace as hvp_both

    x, v = np.array([1.0, 2.0]), np.array([0.3, -1.0, 7.0])[::-2][::-1][:2]
    (product, one, both), (res, slope) = products(x, v, 2.0)
    np.testing.assert_allclose(product, hvp(f, x, v, 2.0))
    np.testing.assert_allclose(res, product)
    np.testing.assert_allclose(slope, grad(f)(x, 2.0))
    np.testing.assert_allclose(one, jvp(f, (x, 2.0), (v, None)))
    np.testing.assert_allclose(both, jvp(f, (x, 2.0), (v, 1.0)))


REFUSED = {
    "vjp": (lambda: njit(lambda x: vjp(np.sum, x)[0])(X), "vjp in compiled code"),
    "an option that is computed": (
        lambda: njit(lambda x, n: grad(np.tanh, n)(x))(1.0, 0),
        "given? a function by its name|option of grad that is computed",
    ),
    "no function": (lambda: njit(lambda x: grad(x)(x))(1.0), "decorated with @njit"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_in_compiled_code(name):
    wrong, words = REFUSED[name]
    with pytest.raises(EnzymeError, match=words):
        wrong()


def cube(x):
    return x * x * x


def test_pickles():
    for made in (grad(cube), hessian(cube), value_and_grad(cube, argnums=("x",))):
        again = pickle.loads(pickle.dumps(made))
        assert again(2.0) == made(2.0)
        assert repr(again) == repr(made)


MODES = (Reverse, Forward, ReverseWithPrimal, ForwardWithPrimal)


@pytest.mark.parametrize(
    ("mode", "name"), [(MODES[(k + n) % 4], name) for k, name in enumerate(TREES) for n in (0, 1)]
)
def test_gradient_and_jacobian_of_enzyme(name, mode):
    """Laid out like the argument, whatever the mode, as what `grad` and `jacfwd` give; constants may be such, too."""
    x = TREES[name][0]
    f, t = function_of(name), np.array([0.7, -0.4])
    expected, value = value_and_grad(f)(x, t)[::-1]
    found = gradient(mode, f, x, Const(t))
    constant = gradient(mode, f, Const(x), t)
    if mode.return_primal:
        assert np.isclose(found.val, value)
        found, constant = found.derivs, constant.derivs
    assert type(found[0]) is type(expected) and found[1] is constant[0] is None
    np.testing.assert_allclose(flat(found[0]), flat(expected), rtol=1e-6)
    of_constant = grad(f, argnums=1)(x, t)
    np.testing.assert_allclose(np.ravel(constant[1]), of_constant, rtol=1e-6)
    both = jacobian(mode, f, x, t)
    of_x, of_t = both.derivs if mode.return_primal else both
    np.testing.assert_allclose(flat(of_x), flat(expected), rtol=1e-6)
    assert type(of_x) is type(expected)
    np.testing.assert_allclose(of_t, of_constant[None], rtol=1e-6)
