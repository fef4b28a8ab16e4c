"""Percentiles and quantiles: numba's numbers, and the derivative of the interpolation between two items."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numba import njit

from enzyme import Active, Const, Duplicated, Forward, Reverse, ReverseWithPrimal, autodiff, explain

pytestmark = pytest.mark.rotating(8)


@njit
def percentile(a, q):
    return np.percentile(a, q)


@njit
def quantile(a, q):
    return np.quantile(a, q / 100.0)


@njit
def nan_percentile(a, q):
    return np.nanpercentile(a, q)


@njit
def nan_quantile(a, q):
    return np.nanquantile(a, q / 100.0)


@njit
def several(a, q):
    found, s = np.percentile(a, np.array([q, 50.0, 0.5 * q])), 0.0
    for i in range(len(found)):
        s += (i + 1.0) * found[i]
    return s


FUNCTIONS = (percentile, quantile, nan_percentile, nan_quantile, several)
_DRAW = np.random.default_rng(0)
ARRAYS = {
    **{f"of_{n}": _DRAW.normal(size=n) for n in (1, 2, 3, 4, 7, 50)},
    "ties": np.round(_DRAW.normal(size=9) * 1.5),
    "equal": np.zeros(5),
    "two_dimensions": _DRAW.normal(size=(3, 4)),
    "every_third": _DRAW.normal(size=20)[::3],
    "columns": _DRAW.normal(size=(4, 5))[:, 1:3],
    "single": _DRAW.normal(size=9).astype(np.float32),
    "inf": np.array([1.0, np.inf, 2.0]),
    "both_inf": np.array([-np.inf, np.inf, 1.0]),
    "more_inf": np.array([np.inf, np.inf, 1.0]),
    "only_inf": np.array([np.inf]),
    "nan": np.array([np.nan, 1.0, 2.0, 0.5]),
    "only_nan": np.array([np.nan, np.nan]),
    "zeros": np.array([-0.0, 0.0, -0.0, 0.0]),
    "nothing": np.zeros(0),
}
PERCENTAGES = (0.0, 1e-13, 25.0, 33.3, 50.0, 90.0, 99.999999999999, 100.0)


def like(a, values):
    """An array laid out as `a` is."""
    base = a if a.base is None else a.base
    made = np.zeros_like(base)
    offset = a.__array_interface__["data"][0] - base.__array_interface__["data"][0]
    view = np.ndarray(a.shape, a.dtype, made, offset, a.strides)
    view[...] = values
    return view


@pytest.mark.parametrize("name", ARRAYS)
def test_numbers_and_derivatives(name):
    a = ARRAYS[name]
    v = like(a, np.cos(np.arange(a.size)).reshape(a.shape))
    for f in FUNCTIONS:
        for q in PERCENTAGES:
            shadow = like(a, 0.0)

            def found(f=f, q=q, shadow=shadow):
                return autodiff(ReverseWithPrimal, f, Active, Duplicated(a, shadow), Const(q))[1]

            try:
                expected = f(a, q)
            except (AssertionError, ValueError) as error:
                with pytest.raises(type(error)):
                    found()
                continue
            np.testing.assert_equal(found(), expected, f"{f.__name__} {q}")
            assert math.copysign(1.0, found()) == math.copysign(1.0, expected)
            if not np.isfinite(a).all() or not a.size:
                continue
            total = 6.0 if f is several else 1.0
            shadow[...] = 0.0
            found()
            assert shadow.sum() == pytest.approx(total, rel=1e-6)
            slope = autodiff(Forward, f, Duplicated(a, v), Const(q))[0]
            assert (shadow * v).sum() == pytest.approx(slope, rel=1e-6, abs=1e-6)
            if a.dtype == np.float64 and len(np.unique(a)) == a.size:
                up, down = (f.py_func(a + h * v, q) for h in (1e-7, -1e-7))
                assert slope == pytest.approx((up - down) / 2e-7, abs=1e-5)


@pytest.mark.parametrize("name", ["ties", "equal", "zeros", "of_7"])
def test_equal_numbers_keep_their_order(name):
    """What lies between two equal numbers has the slopes of two elements."""
    a = ARRAYS[name]
    order = np.argsort(a, kind="stable")
    for f in FUNCTIONS[:4]:
        for q in (0.0, 25.0, 33.3, 50.0, 90.0, 100.0):
            shadow = np.zeros(a.size)
            autodiff(Reverse, f, Active, Duplicated(a, shadow), Const(q))
            below = (a.size - 1) * q / 100.0
            k = min(math.floor(below), a.size - 2)
            expected = np.zeros(a.size)
            expected[order[k]], expected[order[k + 1]] = 1.0 - (below - k), below - k
            np.testing.assert_allclose(shadow, expected, atol=1e-12, err_msg=f"{f.__name__} {q}")


def test_percentage_as_a_variable():
    a = ARRAYS["of_7"]
    for q in (10.0, 47.0, 92.0):
        _, slope = autodiff(ReverseWithPrimal, percentile, Active, Const(a), Active(q))[0]
        numeric = (np.percentile(a, q + 1e-6) - np.percentile(a, q - 1e-6)) / 2e-6
        assert slope == pytest.approx(numeric, rel=1e-7)


@njit
def one_after_the_other(a, q, out):
    out[:] = np.percentile(a, q)
    return out[0]


def test_several_are_found_on_one_copy():
    """Which of the zeros comes out depends on what was found before."""
    rng = np.random.default_rng(0)
    for n in (3, 5, 17, 40):
        for q in ([0.0, 25.0, 50.0, 99.999, 100.0], [75.0, 30.0, 0.0, 60.0, 100.0], [50.0] * 5):
            a = rng.choice([-0.0, 0.0, 0.0, 1.0], size=n)
            expected, found = np.zeros(5), np.zeros(5)
            one_after_the_other(a, np.array(q), expected)
            given = Duplicated(a, np.zeros(n)), Const(np.array(q)), Duplicated(found, np.zeros(5))
            autodiff(ReverseWithPrimal, one_after_the_other, Active, *given)
            assert expected.tobytes() == found.tobytes()


@njit
def of_rows(x):
    s = 0.0
    for j in range(x.shape[0]):
        s += np.percentile(x[j], 90.0) ** 2
    return s


def test_nothing_of_the_search_is_kept():
    x = _DRAW.normal(size=(3, 40))
    told = str(explain(ReverseWithPrimal, of_rows, Active, Duplicated(x, np.zeros((3, 40)))))
    assert len([line for line in told.splitlines() if line.startswith("  kept for each")]) <= 3
