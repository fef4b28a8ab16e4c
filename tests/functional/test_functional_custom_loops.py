"""Functions of arrays with a rule, called in loops whose length is not known: what the rule keeps, in all nestings."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

import enzyme
from enzyme import custom_jvp, custom_vjp, grad

pytestmark = pytest.mark.rotating(45)


def _keeping(backward_keeps):
    """x³ element by element, with a rule that keeps what is asked for."""

    @custom_vjp
    def cube(x):
        return x * x * x

    cube.defvjp(*backward_keeps)
    return cube


@njit
def _with_tangent(x, dx):
    return x * x * x, 3.0 * x * x * dx


def _of_tangents():
    @custom_jvp
    def cube(x):
        return x * x * x

    cube.defjvp(lambda primals, tangents: _with_tangent(primals[0], tangents[0]))
    return cube


CUBES = {
    "the argument": _keeping((lambda x: (x * x * x, x), lambda r, ct: (3.0 * r * r * ct,))),
    "a new array": _keeping((lambda x: (x * x * x, 3.0 * x * x), lambda r, ct: (r * ct,))),
    "argument and result": _keeping(
        (lambda x: (x * x * x, (x, x * x * x)), lambda r, ct: (3.0 * r[0] * r[0] * ct,))
    ),
    "arrays and a number": _keeping(
        (
            lambda x: (x * x * x, (x, 3.0 * x, x.sum() * 0.0 + 1.0)),
            lambda r, ct: (r[0] * r[1] * ct * r[2],),
        )
    ),
    "tangents": _of_tangents(),
}


def _counted(cube):
    def loss(x, n):
        s = 0.0
        for _ in range(n):
            s += cube(x).sum()
        return s

    return loss


def _until(cube):
    def loss(x, n):
        s = 0.0
        while s < 20.0 * n:
            s += cube(x).sum()
        return s

    return loss


def _chosen(cube):
    def loss(x, n):
        s = 0.0
        y = x
        for i in range(n):
            if i % 2 == 0:
                y = cube(x * (1.0 + i))
            s += (y * x).sum()
        return s

    return loss


def _chained(cube):
    def loss(x, n):
        y = x
        for i in range(n):
            for _ in range(i):
                y = cube(y) * 0.5 + x
        return y.sum()

    return loss


LOOPS = {"counted": _counted, "until": _until, "chosen": _chosen, "chained": _chained}
POINT = np.array([1.0, 1.5, -0.5])
DIRECTION = np.array([0.3, -0.7, 1.1])
N = 3


def _plain(x):
    return x * x * x


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("kept", CUBES)
def test_first_and_second_derivatives_are_those_without_the_rule(kept, loop):
    ruled, plain = LOOPS[loop](CUBES[kept]), LOOPS[loop](njit(_plain))
    np.testing.assert_allclose(grad(ruled)(POINT, N), grad(plain)(POINT, N), rtol=1e-13)
    expected = enzyme.hvp(plain, POINT, DIRECTION, N)
    np.testing.assert_allclose(enzyme.hvp(ruled, POINT, DIRECTION, N), expected, rtol=1e-12)


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("kept", CUBES)
def test_reverse_over_reverse(kept, loop):
    def along(f):
        first = grad(f)

        @njit
        def directional(x, n):
            return (first(x, n) * DIRECTION).sum()

        return grad(directional)(POINT, N)

    ruled, plain = along(njit(LOOPS[loop](CUBES[kept]))), along(njit(LOOPS[loop](njit(_plain))))
    np.testing.assert_allclose(ruled, plain, rtol=1e-12)
