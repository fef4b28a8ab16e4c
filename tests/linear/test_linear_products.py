"""Products by BLAS: every kind, shape and layout, inputs that change, constants on either side."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from tests.linear.linear_harness import KINDS, assert_law, draw

pytestmark = pytest.mark.rotating(35)

kinds = pytest.mark.parametrize("dtype", KINDS, ids=lambda t: np.dtype(t).name)


@njit
def into(r, c):
    """An assignment without the code for broadcasting, which takes long to compile."""
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            c[i, j] = r[i, j]


@njit
def vector_into(r, c):
    for i in range(c.shape[0]):
        c[i] = r[i]


@njit
def matmul(a, b, c):
    into(a @ b, c)


@njit
def matmul_vector(a, b, c):
    vector_into(a @ b, c)


@njit
def dot_into(a, b, c):
    np.dot(a, b, c)


@njit
def vdot(a, b, c):
    c[0] = np.vdot(a, b) * a[0]


@njit
def vector_dot(a, b, c):
    c[0] = np.dot(a, b) * b[0]


@njit
def squared(a, c):
    into(a @ a @ a.T, c)


def numbers(dtype, *shapes, orders=""):
    rng = np.random.default_rng(7)
    made = [draw(rng, shape, dtype) for shape in shapes]
    return [np.array(a, order=o) for a, o in zip(made, orders.ljust(len(made), "C"), strict=True)]


@kinds
@pytest.mark.parametrize("orders", ["CC", "CF", "FC", "FF"])
def test_matrix_matrix(dtype, orders):
    assert_law(dot_into, numbers(dtype, (3, 4), (4, 2), (3, 2), orders=orders))


@kinds
@pytest.mark.parametrize("order", "CF")
def test_matrix_vector(dtype, order):
    assert_law(dot_into, numbers(dtype, (3, 4), (4,), (3,), orders=order))


@kinds
@pytest.mark.parametrize("order", "CF")
def test_vector_matrix(dtype, order):
    assert_law(matmul_vector, numbers(dtype, (3,), (3, 4), (4,), orders="C" + order))


@kinds
@pytest.mark.parametrize("function", [vector_dot, vdot], ids=["dot", "vdot"])
def test_vector_vector(dtype, function):
    assert_law(function, numbers(dtype, (5,), (5,), (1,)))


@kinds
@pytest.mark.parametrize("shapes", [((1, 4), (4, 3)), ((3, 4), (4, 1)), ((1, 4), (4, 1))])
def test_rows_and_columns(dtype, shapes):
    """Numba calls simpler routines where a matrix is one row or column."""
    a, b = shapes
    assert_law(matmul, numbers(dtype, a, b, (a[0], b[1])))


@kinds
def test_one_array_on_both_sides(dtype):
    assert_law(squared, numbers(dtype, (3, 3), (3, 3)))


@kinds
@pytest.mark.parametrize("constant", [0, 1])
def test_constant_side(dtype, constant):
    assert_law(matmul, numbers(dtype, (3, 4), (4, 2), (3, 2)), (constant,))


@pytest.mark.parametrize("constant", [0, 1])
def test_constant_side_of_vectors(constant):
    assert_law(matmul_vector, numbers(np.float64, (3, 4), (4,), (3,)), (constant,))
    assert_law(vector_dot, numbers(np.complex128, (4,), (4,), (1,)), (constant,))


def test_empty():
    assert_law(matmul, numbers(np.float64, (3, 0), (0, 2), (3, 2)))


@njit
def overwritten(a, b, c):
    np.dot(a, b, c)
    for i in range(a.shape[0]):
        a[i, 0] *= 2.0
    b[1] *= b[0]


@njit
def overwritten_in_loop(a, x, c):
    for t in range(4):
        c = c + a @ x
        for i in range(4):
            x[i] = np.sin(c[i]) * (t + 1)
            a[0, i] *= x[0]


@njit
def state(a, x, c):
    for _ in range(5):
        x = np.tanh(a @ x)
    vector_into(x, c)


@njit
def until(a, x, c):
    total = 0.0
    while total < 3.0:
        x = a @ x + 1.0
        x = x / np.dot(x, x)
        total += 1.0
    vector_into(x, c)


@njit
def one_branch(a, x, c):
    for t in range(4):
        if t % 2:
            x = a @ x
        else:
            vector_into(x @ a, x)
    vector_into(x, c)


@njit
def reused_output(a, b, c):
    for _ in range(3):
        np.dot(a, b, c)
        into(c, b)


@njit
def cleared(a, b, c):
    """A constant product is written over active memory."""
    np.dot(b, b, c)
    b[0, 0] = c[1, 1] * b[0, 1]
    np.dot(a, a, c)


LOOPS = (overwritten_in_loop, state, until, one_branch)


@kinds
@pytest.mark.parametrize("orders", ["CC", "FF"])
def test_operands_that_change(dtype, orders):
    assert_law(overwritten, numbers(dtype, (3, 4), (4, 2), (3, 2), orders=orders))


def test_vector_that_changes():
    assert_law(overwritten, numbers(np.float64, (3, 4), (4,), (3,)))


@pytest.mark.parametrize("function", LOOPS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("constant", [(), (0,)], ids=["active", "constant"])
def test_in_loops(function, constant):
    if constant and function is overwritten_in_loop:
        pytest.skip("it writes the matrix")
    a, x, c = numbers(np.float64, (4, 4), (4,), (4,))
    assert_law(function, [0.3 * a, x, c], constant)


def test_output_used_again():
    assert_law(reused_output, numbers(np.float64, (3, 3), (3, 3), (3, 3)))


def test_constant_product_over_active_memory():
    assert_law(cleared, numbers(np.float64, (3, 3), (3, 3), (3, 3)), (0,))
