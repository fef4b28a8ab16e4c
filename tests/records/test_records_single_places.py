"""Records of which single places are known as well: those say nothing against what all records tell."""

import numba
import numpy as np
import pytest

from enzyme import Active, Const, Duplicated, Forward, Reverse, autodiff

LAYOUTS = [
    np.dtype([("k", np.int32), ("c", np.float64, (2,))], align=True),
    np.dtype([("k", np.int32), ("c", np.float64, (2,))]),
    np.dtype([("c", np.float64, (2,)), ("k", np.int64), ("d", np.float32)], align=True),
]


@numba.njit
def one_by_number(a, j, n):
    b = np.zeros_like(a)
    b[n:] = a[: len(a) - n]
    b[0] = a[1]
    c = b.copy()
    s = 0.0
    for q in range(len(c)):
        s += c[q].c[j] ** 3 * (q + 1)
    return s


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_both_modes_agree(layout):
    chance = np.random.default_rng(7)
    a, da, v = (np.zeros(5, layout) for _ in range(3))
    a["c"], v["c"] = chance.normal(size=(2, *a["c"].shape))
    w = a["c"][:, 1]
    autodiff(Reverse, one_by_number, Active, Duplicated(a, da), Const(1), Const(2))
    (tangent,) = autodiff(Forward, one_by_number, Duplicated(a, v), Const(1), Const(2))
    expected = np.zeros_like(a["c"])
    for q, p in enumerate([1, None, 0, 1, 2]):
        if p is not None:
            expected[p, 1] += 3 * (q + 1) * w[p] ** 2
    np.testing.assert_allclose(da["c"], expected, rtol=1e-14)
    assert tangent == pytest.approx((da["c"] * v["c"]).sum(), rel=1e-13)
