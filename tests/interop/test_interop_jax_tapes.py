"""Backward passes of functions with several results take what the forward pass kept, wherever it is still there."""

from __future__ import annotations

import os
import threading

import numpy as np
import pytest
from numba import njit

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402

from enzyme.interop.jax import function, shelf  # noqa: E402
from enzyme_rules import inactive  # noqa: E402

Shape = jax.ShapeDtypeStruct
EXHAUSTIVE = bool(os.environ.get("EXHAUSTIVE"))
RUNS = np.zeros(1, np.int64)
_AT = RUNS.ctypes.data


@njit
def counted():
    shelf.increased(_AT, 1)


inactive(counted)


def path(a, x):
    """All of it, and its end; what is kept lies in a loop of unknown length too."""
    counted()
    if a < 0.0:
        raise ValueError("a negative factor")
    y = np.empty_like(x)
    s = a
    for i in range(len(x)):
        s = np.sin(s * x[i]) + x[i]
        while s > 1.0:
            s = 0.5 * s
        y[i] = s * a
    return y, s


def step(s, x):
    s = jnp.sin(s * x) + x
    s = jnp.where(s > 1.0, 0.5 * s, s)
    s = jnp.where(s > 1.0, 0.5 * s, s)
    return s, s


def same_in_jax(a, x):
    s, y = jax.lax.scan(step, a, x)
    return y * a, s


ours = function(path, lambda a, x: (Shape(x.shape, x.dtype), Shape((), x.dtype)))


@pytest.fixture(autouse=True)
def double_precision():
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    shelf.clear()
    RUNS[0] = 0
    yield
    jax.config.update("jax_enable_x64", before)
    shelf.clear()


def given(n=5):
    return jnp.float64(0.7), jnp.linspace(0.1, 0.9, n)


def close(found, expected, rtol=1e-12):
    jax.tree_util.tree_map(
        lambda x, y: np.testing.assert_allclose(x, y, rtol=rtol, atol=1e-13), found, expected
    )


def loss(f):
    return lambda a, x: (lambda y, s: (y * y).sum() + s * a)(*f(a, x))


def test_the_function_runs_once():
    """Once for a forward and a backward pass; a second backward pass, and one that comes too late, run it again."""
    a, x = given()
    expected = jax.grad(loss(same_in_jax), (0, 1))(a, x)
    for transform in (lambda f: f, jax.jit):
        RUNS[0] = 0
        close(transform(jax.grad(loss(ours), (0, 1)))(a, x), expected)
        assert RUNS[0] == 1 and shelf.on_the_shelf() == (0, 0)
    RUNS[0] = 0
    y, pull = jax.vjp(ours, a, x)
    assert shelf.on_the_shelf()[0] == 1
    first = pull(y)
    assert RUNS[0] == 1 and shelf.on_the_shelf() == (0, 0)
    again = pull(y)
    assert RUNS[0] == 2
    _, late = jax.vjp(ours, a, x)
    shelf.clear()
    for found in (again, late(y)):
        jax.tree_util.tree_map(np.testing.assert_array_equal, found, first)
    close(first, jax.vjp(same_in_jax, a, x)[1](y))


def test_numbers_that_mean_another_block():
    """A number is a hint: a block with other inputs, of another program or of other sizes is not used."""
    a, x = given()
    y, pull = jax.vjp(ours, a, x)
    expected = jax.vjp(same_in_jax, a, x)[1](y)
    for other in ((a, 2.0 * x), (-0.0 * a, x), (a, jnp.concatenate([x, x]))):
        shelf.clear()
        before = int(shelf._words[0])
        other_y, other_pull = jax.vjp(ours, *other)
        theirs = jax.vjp(same_in_jax, *other)[1](other_y)
        leaves, tree = jax.tree_util.tree_flatten(pull)
        number = jnp.array([before & 0xFFFFFFFF, before >> 32], jnp.uint32)
        forged = [number if leaf.dtype == jnp.uint32 else leaf for leaf in leaves]
        assert any(leaf.dtype == jnp.uint32 for leaf in leaves)
        assert shelf.on_the_shelf()[0] == 1
        close(jax.tree_util.tree_unflatten(tree, forged)(y), expected)
        close(other_pull(other_y), theirs)


WAYS = {
    "samples": lambda f: jax.vmap(jax.grad(loss(f), (0, 1)), (None, 0)),
    "sum over samples": lambda f: jax.grad(
        lambda a, X: sum((y * y).sum() for y in jax.vmap(f, (None, 0))(a, X)), (0, 1)
    ),
    "rows": lambda f: lambda a, X: jax.jacrev(lambda a, x: f(a, x)[0], (0, 1))(a, X[0]),
    "loop": lambda f: jax.grad(
        lambda a, X: jax.lax.scan(lambda c, x: (f(c, x)[1] * 0.9, f(c, x)[0]), a, X)[1].sum(),
        (0, 1),
    ),
    "branch": lambda f: jax.grad(
        lambda a, X: jax.lax.cond(a > 0.0, lambda x: f(a, x)[0], lambda x: x, X[0]).sum(), (0, 1)
    ),
    "computed again": lambda f: jax.grad(lambda a, X: jax.checkpoint(loss(f))(a, X[1]), (0, 1)),
    "one input": lambda f: lambda a, X: jax.grad(loss(f), 1)(a, X[0]),
    "one result": lambda f: jax.grad(lambda a, X: f(a, X[0])[1], (0, 1)),
    "Hessian": lambda f: lambda a, X: jax.hessian(loss(f), (0, 1))(a, X[0]),
    "reverse over reverse": lambda f: (
        lambda a, X: jax.jacrev(jax.grad(loss(f), (0, 1)), (0, 1))(a, X[0])
    ),
    "linearized": lambda f: lambda a, X: jax.linearize(f, a, X[0])[1](a, X[1]),
}


@pytest.mark.parametrize("way", WAYS if EXHAUSTIVE else ["samples", "loop"])
def test_ways(way):
    """Whatever is done to it, it is as if it were written in JAX, and no more is left than was dropped."""
    a, x = given()
    many = jnp.stack([x, 0.5 * x, 0.8 * x])
    expected = WAYS[way](same_in_jax)(a, many)
    found = jax.jit(WAYS[way](ours))(a, many)
    close(found, expected)
    if EXHAUSTIVE:
        close(WAYS[way](ours)(a, many), expected)


def test_memory_is_bounded():
    """Forward passes without backward passes leave no more than the shelf holds."""
    a, x = given(2**18)
    for _ in range(40):
        jax.block_until_ready(jax.vjp(ours, a, x)[0])
    count, held = shelf.on_the_shelf()
    assert 0 < count < 40 and held <= shelf.BYTES
    shelf.clear()
    assert shelf.on_the_shelf() == (0, 0)


def test_errors_leave_nothing():
    a, x = given()
    failing = jax.jit(jax.grad(loss(ours)))
    for _ in range(3):
        with pytest.raises(jax.errors.JaxRuntimeError, match="ValueError: a negative factor"):
            jax.block_until_ready(failing(-a, x))
    assert shelf.on_the_shelf() == (0, 0)


def test_threads():
    """Passes of several threads find their own blocks."""
    _, x = given()
    slope = jax.jit(jax.grad(loss(ours), (0, 1)))
    factors = jnp.linspace(0.2, 1.5, 8)
    expected = [slope(a, x) for a in factors]
    wrong = []

    def work(k):
        for _ in range(50):
            if not all(map(np.array_equal, slope(factors[k], x), expected[k])):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and shelf.on_the_shelf() == (0, 0)
