"""Products with matrices, as loops and by BLAS: numba's values and errors, and derivatives by law."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from numba import njit

from enzyme import (
    Active,
    Const,
    Duplicated,
    Forward,
    Reverse,
    autodiff,
    compile_report,
    gradient,
    hvp,
)
from tests.arrays.law import assert_law, branches

pytestmark = [
    pytest.mark.filterwarnings("ignore::numba.NumbaPerformanceWarning"),
    pytest.mark.rotating(3),
]

# Factors made of a matrix `a` of n rows and `b` of n columns, and vectors `v` and `w` of n and m elements.
LEFT = ["a", "a.T.copy().T", "b.T", "np.asfortranarray(b.T)"]
RIGHT = ["b", "b.T.copy().T", "a.T", "np.asfortranarray(a.T)"]
FORMS = ["{0} @ ({1})", "np.dot({0}, {1})", "({0}).dot({1})"]
VECTORS = ["v", "v[::-1]", "b[:, 0]", "v + b[:, 1]"]
MATRICES = [
    f"s = np.sum(np.sin({form.format(left, right)}))"
    for form, left, right in product(FORMS[:1], LEFT, RIGHT)
]
ROWS = [
    f"s = np.sum(np.sin({form.format(matrix, vector)}))"
    for form, matrix, vector in product(FORMS, ["a.T", "a.T.copy()"], VECTORS)
]
COLUMNS = [
    f"s = np.sum(np.sin({form.format(f'({vector})', matrix)}))"
    for form, matrix, vector in product(FORMS, ["a", "np.asfortranarray(a)"], VECTORS)
]
PROGRAMS = [
    "s = (v @ a) @ w",
    "s = v @ (a @ w)",
    "v[:] = a @ (a.T @ v)\ns = v @ v",
    "q = np.eye(len(w))\nfor k in range(3):\n    q = q @ (a.T @ a) * 0.1\ns = np.sum(q * q)",
    "h = np.zeros(len(w))\nfor k in range(3):\n    h = np.tanh(h @ (a.T @ a) * 0.1 + w)\ns = h.sum()",
    "u = w\nfor k in range(3):\n    u = a.T @ (a @ u)\n    u = u / np.linalg.norm(u)\ns = u @ w",
    "c = a @ b[:, :]\na[0] = 2.0\ns = np.sum(c[::2] * c[::2])",
    "c = a[:, :]\nd = c @ b\nc[0, 0] = d[0, 0] * v[0]\ns = np.sum(d @ c)",
]


def inputs(n, m, dtype=np.float64):
    draw = np.random.default_rng(n * 100 + m)
    a, b = draw.normal(size=(n, m)), draw.normal(size=(m, n))
    v, w = draw.normal(size=n), draw.normal(size=m)
    return [x.astype(dtype) for x in (a, b, v, w)]


# `a` is n by m, `b` m by n: left factors have n rows.
TEXTS = {
    "matrices": MATRICES,
    "rows": ROWS,
    "columns": COLUMNS,
}


@pytest.mark.parametrize("kind", TEXTS)
def test_products(kind):
    """In all layouts, by loops and, as in the last size, by BLAS."""
    vectors = {"b[:, 0]": "a[:, 0]", "v + b[:, 1]": "v + a[:, 1]"}
    texts = TEXTS[kind]
    if kind != "matrices":
        for old, new in vectors.items():
            texts = [text.replace(old, new) for text in texts]
    f = branches(f"{kind} products", texts, ("a", "b", "v", "w"))
    for size, (which, text) in product([(2, 3), (3, 2), (4, 4), (40, 30)], enumerate(texts)):
        assert_law(f, which, inputs(*size), f"{text}, {size}")


@pytest.mark.parametrize("kind", TEXTS)
def test_products_of_floats(kind):
    texts = [text for text in TEXTS[kind] if "b[:" not in text]
    f = branches(f"{kind} products of floats", texts, ("a", "b", "v", "w"))
    for which, text in enumerate(texts):
        assert_law(f, which, inputs(3, 4, np.float32), text)


def test_programs():
    f = branches("programs with products", PROGRAMS, ("a", "b", "v", "w"))
    for size, (which, text) in product([(3, 3), (4, 3), (70, 3), (40, 50)], enumerate(PROGRAMS)):
        assert_law(f, which, inputs(*size), f"{text}, {size}")


@njit
def matrices(a, b):
    return np.sum(a @ b)


@njit
def matrix_and_vector(a, b):
    return np.sum(a @ b[0])


@njit
def vector_and_matrix(a, b):
    return np.sum(np.dot(a[0], b))


@pytest.mark.parametrize("f", [matrices, matrix_and_vector, vector_and_matrix])
@pytest.mark.parametrize("order", ["CC", "FC", "CF", "FF"])
@pytest.mark.parametrize("shapes", [((2, 3), (2, 2)), ((2, 1), (2, 3)), ((50, 60), (50, 50))])
def test_shapes_that_do_not_fit(f, order, shapes):
    a, b = (np.ones(s, order=o) for s, o in zip(shapes, order, strict=True))
    with pytest.raises(ValueError, match="incompatible array sizes") as expected:
        f(a, b)
    with pytest.raises(ValueError, match="incompatible array sizes") as found:
        autodiff(Forward, f, Duplicated(a, a.copy("K")), Duplicated(b, b.copy("K")))
    assert str(found.value) == str(expected.value)


@pytest.mark.parametrize("order", ["CC", "FC", "CF", "FF"])
@pytest.mark.parametrize("shapes", [((0, 3), (3, 2)), ((2, 0), (0, 3)), ((2, 3), (3, 0))])
def test_products_without_elements(order, shapes):
    a, b = (np.ones(s, order=o) for s, o in zip(shapes, order, strict=True))
    da, db = np.zeros_like(a), np.zeros_like(b)
    autodiff(Reverse, matrices, Active, Duplicated(a, da), Duplicated(b, db))
    assert not da.any()
    assert not db.any()


@njit
def turned_points(angles, points):
    s = 0.0
    for i in range(len(angles)):
        c, d = np.cos(angles[i]), np.sin(angles[i])
        y = np.array([[c, -d, 0.0], [d, c, 0.0], [0.0, 0.0, 1.0]]) @ points[i]
        s += y[0] * y[1] + y[2] * y[2]
    return s


def test_second_derivatives():
    draw = np.random.default_rng(1)
    (angles, v), points = draw.normal(size=(2, 5)), draw.normal(size=(5, 3))
    found, step = hvp(turned_points, angles, v, points), 1e-5
    up, down = (
        gradient(Reverse, turned_points, angles + sign * step * v, Const(points))[0]
        for sign in (1.0, -1.0)
    )
    np.testing.assert_allclose(found, (up - down) / (2 * step), rtol=1e-7, atol=1e-8)


def test_rotations_need_no_memory():
    angles, points = np.ones(5), np.ones((5, 3))
    given = Duplicated(angles, np.zeros(5)), Duplicated(points, np.zeros((5, 3)))
    report = compile_report(turned_points, Reverse, Active, *given)
    assert "alloc" not in report["ir"]["before"].split("declare", 1)[0]
    assert "gem" not in report["ir"]["before"]
