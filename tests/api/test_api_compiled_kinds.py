"""Whatever else numba compiles for its own target: it has derivatives in ours, or is refused in words."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numba import cfunc, float64, guvectorize, njit, objmode, stencil, types, vectorize
from numba.experimental import structref

import enzyme_rules as er
from enzyme import (
    Active,
    Const,
    Duplicated,
    Forward,
    Reverse,
    ReverseSplitWithPrimal,
    autodiff,
    autodiff_thunk,
    typeof,
)
from enzyme.errors import EnzymeNoDerivativeError

pytestmark = pytest.mark.rotating(21)


@stencil
def laplace(u):
    return u[0, 1] + u[1, 0] + u[0, -1] + u[-1, 0] - 4.0 * u[0, 0]


@stencil(cval=1.0)
def pair(a, b):
    return a[0] * b[-1]


@stencil(neighborhood=((-1, 1),))
def mean(a, w):
    t = 0.0
    for k in range(-1, 2):
        t += a[k] * w
    return t


@njit
def cubed(x):
    return x * x * x


er.easy_rule(cubed, (lambda omega, x: 300.0 * x * x,))


@stencil
def with_a_rule(a):
    return cubed(a[0])


@cfunc(float64(float64))
def square(x):
    return x * x


@vectorize
def wave(a, b):
    return a * math.sin(b)


@guvectorize("(n)->()")
def energy(a, out):
    out[0] = 0.0
    for k in range(a.size):
        out[0] += a[k] ** 2


@njit
def squares(x):
    for k in range(x.size):
        yield x[k] * x[k]


@structref.register
class CellType(types.StructRef):
    def preprocess_fields(self, fields):
        return tuple((name, types.unliteral(ty)) for name, ty in fields)


class Cell(structref.StructRefProxy):
    def __new__(cls, value, row):
        return structref.StructRefProxy.__new__(cls, value, row)


structref.define_proxy(Cell, CellType, ["value", "row"])


@njit
def program(x, out):
    out[0] = (laplace(x) ** 2).sum()
    out[1] = pair(x[0], x[1]).sum()
    kept = np.zeros(x.shape[1])
    mean(x[2], 2.0, out=kept)
    out[2] = (kept**2).sum()
    out[3] = square(x[0, 0]) * x[1, 1]
    out[4] = wave(x, x).sum()
    part = np.zeros(x.shape[0])
    energy(x, part)
    out[5] = (part**2).sum()
    for v in squares(x[1]):
        out[6] += v * v
    cell = Cell(x[0, 0], x[1])
    cell.value = cell.value * x[2, 2]
    out[7] = cell.value * cell.row[0]


@njit(parallel=True)
def parallel(x):
    return (laplace(x) ** 2).sum()


X = np.random.default_rng(7).random((4, 4))
ROWS = 8
WEIGHTS = np.sqrt(np.arange(ROWS) + 2.0)


def outputs(x):
    out = np.zeros(ROWS)
    program(x, out)
    return out


def test_each_kind_in_both_modes():
    dx = np.zeros_like(X)
    autodiff(Reverse, program, Duplicated(X, dx), Duplicated(np.zeros(ROWS), WEIGHTS.copy()))
    direction = np.random.default_rng(8).random(X.shape)
    tangents = np.zeros(ROWS)
    autodiff(Forward, program, Duplicated(X, direction), Duplicated(np.zeros(ROWS), tangents))
    assert (dx * direction).sum() == pytest.approx(tangents @ WEIGHTS, rel=1e-12)
    h = 1e-6
    expected = (outputs(X + h * direction) - outputs(X - h * direction)) / (2 * h)
    np.testing.assert_allclose(tangents, expected, rtol=1e-7)


def test_stencils_of_functions_compiled_in_parallel():
    dx, one = np.zeros_like(X), np.zeros_like(X)
    autodiff(Reverse, parallel, Active, Duplicated(X, dx))
    given = Duplicated(X, one), Duplicated(np.zeros(ROWS), np.eye(ROWS)[0].copy())
    autodiff(Reverse, program, *given)
    np.testing.assert_allclose(dx, one, rtol=1e-13)


def test_rules_in_stencils():
    x, dx = np.array([1.0, 2.0]), np.zeros(2)
    autodiff(Reverse, njit(lambda x: with_a_rule(x).sum()), Active, Duplicated(x, dx))
    np.testing.assert_array_equal(dx, [300.0, 1200.0])


def test_stencils_themselves():
    (tangent,) = autodiff(Forward, laplace, Duplicated(X, X.copy()))
    np.testing.assert_allclose(tangent, laplace(X))
    kind = Duplicated[typeof(X)]
    forward, reverse = autodiff_thunk(
        ReverseSplitWithPrimal, Const[typeof(laplace)], Duplicated, kind
    )
    given = Const(laplace), Duplicated(X, np.zeros_like(X))
    tape, _, shadow = forward(*given)
    shadow[:] = 1.0
    reverse(*given, tape)
    assert given[1].dval[1, 1] == -4.0 + 2.0


def test_numbers_from_the_interpreter_are_no_constants():
    """They may depend on what it was shown; what is only shown there keeps its derivative."""

    def doubled(x, n):
        s = x[0] * x[1]
        if n > 1:
            with objmode(y="float64"):
                y = 2.0 * s
            s += y
        return s

    x = np.array([2.0, 3.0])
    for mode, dx in (Forward, np.ones(2)), (Reverse, np.zeros(2)):
        found = autodiff(mode, doubled, Duplicated(x, dx), Const(0))
        assert found == ((5.0,) if mode is Forward else ((None, None),))
        with pytest.raises(EnzymeNoDerivativeError, match="interpreter"):
            autodiff(mode, doubled, Duplicated(x, dx), Const(2))
