"""`linear_solve`: right-hand sides that are vectors and matrices, real and complex, also mixed; `root` and
`fixed_point` of complex numbers are refused."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from enzyme import (
    Active,
    BatchDuplicated,
    Const,
    Duplicated,
    Forward,
    Reverse,
    autodiff,
    fixed_point,
    linear_solve,
    root,
)
from enzyme.errors import ActivityError
from enzyme_testutils import check_adjoint
from enzyme_testutils import test_forward as check_forward
from enzyme_testutils import test_reverse as check_reverse

pytestmark = pytest.mark.rotating(27)

SOLVE = linear_solve()


@njit
def weighted(A, b, w):
    x = SOLVE(A, b)
    return (w * (x.real + 2.0 * x.imag)).sum()


@pytest.mark.parametrize(("columns", "kind"), [((), complex), ((2,), float), ((4,), complex)])
def test_solutions(columns, kind):
    rng = np.random.default_rng(len(columns))

    def drawn(*shape):
        real, imaginary = rng.standard_normal((2, *shape))
        return (real + 1j * imaginary).astype(kind) if kind is complex else real

    A, b, w = drawn(3, 3) + 3.0 * np.eye(3), drawn(3, *columns), rng.standard_normal((3, *columns))
    check_forward(weighted, Duplicated, (A, Duplicated), (b, Duplicated), w)
    check_reverse(weighted, Active, (A, BatchDuplicated), (b, BatchDuplicated), w)


OWN = linear_solve(lambda A, b: np.linalg.solve(A, b))


@njit
def weighted_by_own(A, b, w):
    x = OWN(A, b)
    return (w * (x.real + 2.0 * x.imag)).sum()


def system(of_matrix, of_right, *columns):
    """A matrix and a right-hand side of these dtypes."""
    rng = np.random.default_rng(7)

    def drawn(dtype, *shape):
        real, imaginary = rng.standard_normal((2, *shape))
        complex_ = np.issubdtype(dtype, np.complexfloating)
        return (real + 1j * imaginary if complex_ else real).astype(dtype)

    A, b = drawn(of_matrix, 3, 3) + 3.0 * np.eye(3, dtype=of_matrix), drawn(of_right, 3, *columns)
    return A, b, rng.standard_normal((3, *columns))


@pytest.mark.parametrize(
    ("solve", "of_matrix", "of_right"), [(SOLVE, float, complex), (OWN, complex, float)]
)
def test_a_real_and_a_complex_operand(solve, of_matrix, of_right):
    A, b, w = system(of_matrix, of_right)
    dA, db = A.T.copy(), b[::-1] + 3.0
    (dx,) = autodiff(Forward, solve, Duplicated(A, dA), Duplicated(b, db))
    np.testing.assert_allclose(dx, np.linalg.solve(A, db - dA @ np.linalg.solve(A, b)))
    function = weighted if solve is SOLVE else weighted_by_own
    check_adjoint(function, Active, (A, Duplicated), (b, Duplicated), w)


@pytest.mark.parametrize("solve", [SOLVE, OWN])
@pytest.mark.parametrize(
    ("of_matrix", "of_right"),
    [(np.float32, float), (complex, np.float32), (np.float32, np.complex64), (int, float)],
)
def test_operands_are_brought_to_their_common_dtype(solve, of_matrix, of_right):
    A, b, _ = system(of_matrix, of_right)
    x = solve(A, b)
    common = np.result_type(A, b)
    assert x.dtype == common
    np.testing.assert_allclose(x, np.linalg.solve(A, b), rtol=1e3 * np.finfo(common).eps)


def test_operands_of_two_precisions():
    A, b, w = system(float, np.complex64)
    check_adjoint(weighted, Active, (A, Duplicated), (b, Duplicated), w)


def test_integers_are_solved_for_as_floats():
    A, b = np.array([[2, 1], [0, 4]]), np.array([1, 2])
    assert SOLVE(A, b).tolist() == OWN(A, b).tolist() == [0.25, 0.5]


def test_second_derivatives_of_a_real_and_a_complex_operand():
    """Of the imaginary part of ``x = i b / a``: ``-1 / a**2`` by both, ``2 b / a**3`` twice by `a`."""

    @njit
    def h(a, b):
        return SOLVE(a, b * 1j).imag.sum()

    def slope(a, b):
        da = np.zeros_like(a)
        autodiff(Reverse, h, Active, Duplicated(a, da), Const(b))
        return da[0, 0]

    args = Duplicated(np.array([[2.0]]), np.ones((1, 1))), Duplicated(np.array([3.0]), np.ones(1))
    assert autodiff(Forward, slope, args[0], Const(args[1].val))[0] == pytest.approx(0.75)
    assert autodiff(Forward, slope, *args)[0] == pytest.approx(0.5)


@pytest.mark.parametrize("name", ["Newton", "solver", "iteration"])
def test_equations_of_complex_numbers(name):
    def heron(x, a):
        return 0.5 * (x + a / x)

    solve = {
        "Newton": root(lambda x, a: x * x - a),
        "solver": root(lambda x, a: x * x - a, lambda x0, a: np.sqrt(a)),
        "iteration": fixed_point(heron),
    }[name]
    assert solve(1.0, 2.0) == pytest.approx(np.sqrt(2.0))
    for args in ((1.0 + 0.0j, 2.0), (1.0, 2.0 + 1.0j), (np.ones(2) + 0.0j, np.ones(2))):
        with pytest.raises(ActivityError, match=r"vectors of real and imaginary parts"):
            solve(*args)
    with pytest.raises(ActivityError, match=r"test_api_linear_solve.py:.*\n(?s:.*)complex128"):
        autodiff(Forward, solve, Const(1.0), Duplicated(2.0 + 1.0j, 1.0 + 0.0j))


def test_equations_with_complex_residuals():
    with pytest.raises(ActivityError, match="vectors of real and imaginary parts"):
        root(lambda x: x * x - 2.0 + 0.0j)(1.0)
