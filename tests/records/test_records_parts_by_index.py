"""Arrays of records whose parts are arrays, indexed by a variable, are copied right, or refused where they are packed.

NumPy packs records unless it is told ``align=True``: then numbers stand at addresses that only the run knows.
"""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from enzyme import Active, Const, Duplicated, Forward, Reverse, autodiff
from enzyme.errors import EnzymeNoDerivativeError

pytestmark = pytest.mark.rotating(35)

FIELDS = {
    "integer": [("k", "i4"), ("c", "f8", (2,))],
    "behind": [("c", "f8", (2,)), ("k", "i4")],
    "between": [("v", "f8"), ("k", "i2"), ("c", "f8", (3,))],
    "odd": [("k", "i1", (9,)), ("c", "f8", (2,))],
    "single": [("f", "f4"), ("c", "f8", (2,))],
}


def program():
    @njit
    def copied(r, x, i):
        a = r.copy()
        for q in range(len(a)):
            for j in range(2):
                a[q].c[j] = x[(q + j) % 3] * x[j]
        b = a.copy()
        total = 0.0
        for q in range(len(b)):
            total += b[q].c[(i + q) % 2] * b[(q + 1) % len(b)].c[q % 2]
        return total + b[1:3].copy()[0].c[i] * x[0]

    return copied


@pytest.mark.parametrize("aligned", [True, False])
@pytest.mark.parametrize("name", FIELDS)
def test_copies(name, aligned):
    kind = np.dtype(FIELDS[name], align=aligned)
    f, x = program(), np.array([0.7, -0.4, 1.3])
    r, dr = np.zeros(4, kind), np.zeros(4, kind)
    for i in (0, 1):
        found = np.zeros(3)
        try:
            autodiff(Reverse, f, Active, Duplicated(r, dr), Duplicated(x, found), Const(i))
        except EnzymeNoDerivativeError as error:
            assert not aligned, error
            continue
        ahead = [
            autodiff(Forward, f, Duplicated(r, np.zeros(4, kind)), Duplicated(x, e), Const(i))[0]
            for e in np.eye(3)
        ]
        by = [(f(r, x + 1e-6 * e, i) - f(r, x - 1e-6 * e, i)) / 2e-6 for e in np.eye(3)]
        np.testing.assert_allclose(found, ahead, rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(ahead, by, atol=1e-8)
