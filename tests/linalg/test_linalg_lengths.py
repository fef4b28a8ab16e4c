"""Lengths of vectors that lie backwards or between other fields: NumPy's values, where numba reads other memory."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from enzyme import grad, jvp

pytestmark = pytest.mark.rotating(14)

_RECORD = np.dtype([("value", "f8"), ("count", "i4")])


def _field(x):
    records = np.zeros(x.size, _RECORD)
    for i in range(x.size):
        records[i].value = x[i]
    return np.linalg.norm(records.value)


# The function, and the items of x that it takes the length of.
VECTORS = {
    "backwards": (lambda x: np.linalg.norm(x[::-1]), np.ones(6)),
    "every other, backwards": (lambda x: np.linalg.norm(x[::-2]), np.array([0, 1, 0, 1, 0, 1])),
    "order 2": (lambda x: np.linalg.norm(x[::-1], 2), np.ones(6)),
    "every other": (lambda x: np.linalg.norm(x[::2]), np.array([1, 0, 1, 0, 1, 0])),
    "column, backwards": (
        lambda x: np.linalg.norm(x.reshape(3, 2)[::-1, 1]),
        np.array([0, 1, 0, 1, 0, 1]),
    ),
    "one item, backwards": (lambda x: np.linalg.norm(x[:1][::-1]), np.array([1, 0, 0, 0, 0, 0])),
    "complex, backwards": (lambda x: np.linalg.norm((x + 2j * x)[::-1]), np.full(6, 5.0)),
    "field of records": (_field, np.ones(6)),
}


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("name", VECTORS)
def test_lengths_of_views(name, kind):
    function, weights = VECTORS[name]
    f = njit(function)
    x = np.array([3.0, -4.0, 12.0, 1.0, 0.5, 2.0], kind)
    length = np.sqrt((weights * x**2).sum())
    tolerance = 1e-14 if kind is np.float64 else 1e-6
    np.testing.assert_allclose(grad(f)(x), weights * x / length, rtol=tolerance)
    value, tangent = jvp(f, (x,), (np.ones(6, kind),))
    np.testing.assert_allclose(value, length, rtol=tolerance)
    np.testing.assert_allclose(tangent, (weights * x).sum() / length, rtol=tolerance)
