"""Second derivatives of functions whose rules keep something on a tape: Hessians in both orders."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from enzyme import Active, Const, Duplicated, Forward, Reverse, autodiff
from enzyme_rules import AugmentedReturn, augmented_primal, reverse

pytestmark = pytest.mark.rotating(35)

POINT = np.array([1.0, -2.0, 3.0])


def storing(keep, kept):
    """y[i] = x[i]**3, whose rule keeps `keep(x)` and finds x by `kept(tape, x)`."""
    keep, kept = njit(keep), njit(kept)

    @njit
    def cube_into(y, x):
        for i in range(len(x)):
            y[i] = x[i] ** 3

    @augmented_primal(cube_into)
    def augmented(config, func, RT, y, x):
        func.val(y.val, x.val)
        return AugmentedReturn(None, None, keep(x.val))

    @reverse(cube_into)
    def back(config, func, dret, tape, y, x):
        old = kept(tape, x.val)
        for i in range(len(old)):
            x.dval[i] += 3.0 * old[i] ** 2 * y.dval[i]
            y.dval[i] = 0.0
        return (None, None)

    return cube_into


def returning(keep, kept):
    """The same as an array that is returned."""
    keep, kept = njit(keep), njit(kept)

    @njit
    def cubes(x):
        y = np.empty_like(x)
        for i in range(len(x)):
            y[i] = x[i] ** 3
        return y

    @augmented_primal(cubes)
    def augmented(config, func, RT, x):
        y = func.val(x.val)
        dy = np.zeros_like(y)
        return AugmentedReturn(
            y if config.needs_primal else None,
            dy if config.needs_shadow else None,
            (keep(x.val), dy),
        )

    @reverse(cubes)
    def back(config, func, dret, tape, x):
        old, dy = kept(tape[0], x.val), tape[1]
        for i in range(len(old)):
            x.dval[i] += 3.0 * old[i] ** 2 * dy[i]
            dy[i] = 0.0
        return (None,)

    @njit
    def cube_into(y, x):
        y[:] = cubes(x)

    return cube_into


TAPES = {
    "array": (lambda x: x.copy(), lambda tape, x: tape),
    "pair": (lambda x: (x[0], x.copy()), lambda tape, x: tape[1]),
    "nested": (
        lambda x: ((x[:1].copy(), 2), x[1:].copy()),
        lambda tape, x: np.append(tape[0][0], tape[1]),
    ),
    "list": (lambda x: [x.copy(), 2.0 * x], lambda tape, x: tape[1] / 2.0),
    "derived": (lambda x: x**2, lambda tape, x: np.sqrt(tape) * np.sign(x)),
    "none": (lambda x: None, lambda tape, x: x),
}


def once(cube_into, x):
    y = np.zeros_like(x)
    cube_into(y, x)
    s = 0.0
    for i in range(len(y)):
        s += (i + 1) * y[i] * y[i]
    return s


def in_a_loop(cube_into, x):
    y = np.zeros_like(x)
    s = 0.0
    for k in range(3):
        cube_into(y, x)
        for i in range(len(y)):
            s += (k + 1) * (i + 1) / 6.0 * y[i] * y[i]
    return s


@njit
def positive(cube_into, x):
    y = np.zeros_like(x)
    if x[0] > 0.0:
        cube_into(y, x)
    return y


def in_a_callee(cube_into, x):
    y = positive(cube_into, x)
    s = 0.0
    for i in range(len(y)):
        s += (i + 1) * y[i] * y[i]
    return s


def hessian():
    """Of the sum of (i + 1) x[i]**6."""
    return np.diag(30.0 * np.arange(1, 4) * POINT**4)


# Every tape once in a loop; everywhere, those that are different there.
CASES = [(tape, in_a_loop) for tape in TAPES]
CASES += [(tape, shape) for tape in ("pair", "list") for shape in (once, in_a_callee)]


@pytest.mark.parametrize("tape, shape", CASES)
@pytest.mark.parametrize("make", [storing, returning])
def test_hessians(make, tape, shape):
    cube_into, whole = make(*TAPES[tape]), njit(shape)

    @njit
    def gradient(x, dx):
        autodiff(Reverse, whole, Active, Const(cube_into), Duplicated(x, dx))

    @njit
    def weighted(x, v):
        dx = np.zeros_like(x)
        gradient(x, dx)
        s = 0.0
        for i in range(len(x)):
            s += dx[i] * v[i]
        return s

    dx = np.zeros(3)
    gradient(POINT, dx)
    np.testing.assert_allclose(dx, 6.0 * np.arange(1, 4) * POINT**5, rtol=1e-13)
    v = np.array([1.0, 0.5, -2.0])
    found = np.zeros(3)
    autodiff(Forward, gradient, Duplicated(POINT, v), Duplicated(np.zeros(3), found))
    np.testing.assert_allclose(found, hessian() @ v, rtol=1e-13)
    found = np.zeros(3)
    autodiff(Reverse, weighted, Active, Duplicated(POINT, found), Const(v))
    np.testing.assert_allclose(found, hessian() @ v, rtol=1e-13)
