"""What a failing call holds of its arguments is given back once, also where a way to success releases as much."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from enzyme import Active, Const, Duplicated, Forward, ForwardWithPrimal, Reverse, autodiff


def misfit(which, m, n):
    if which == 7:
        e = n[13::-2] + n[:0]
        n[:0] * m[:14:2]  # may fail, too
        m[7:0:-1] = e
    return 0.0


@njit
def made(value):
    return np.full(60, value)  # of numba's run time, which counts its references


@pytest.mark.parametrize("mode", [Forward, ForwardWithPrimal, Reverse])
@pytest.mark.parametrize("annotation", [Const, Duplicated])
def test_references_to_arguments_are_counted(mode, annotation):
    m, n = made(1.0), made(0.0)
    annotated = [annotation(x, *[x.copy()] * (annotation is Duplicated)) for x in (m, n)]
    activity = (Active,) if mode is Reverse else ()
    for _ in range(3):
        before = [x.base.refcount for x in (m, n)]
        with pytest.raises(ValueError, match="broadcast"):
            autodiff(mode, misfit, *activity, Const(7), *annotated)
        assert [x.base.refcount for x in (m, n)] == before


@njit
def filled(x, w, bad):
    s = 0.0
    for i in range(len(x)):
        w[i] = x[i]
        if i == bad:
            raise ValueError("no")
        s += x[i] * x[i]
    return s


@njit
def plainly(x, bad):
    w = np.zeros(len(x))
    try:
        s = filled(x, w, bad)
    except Exception:
        raise ValueError("a handler's")  # noqa: B904
    return s + w.sum()


@njit
def reading(x, bad):
    w = np.zeros(len(x))
    try:
        s = filled(x, w, bad)
    except Exception:
        raise ValueError(w.sum())  # noqa: B904
    return s + w.sum()


@njit
def making(x, bad):
    w = np.zeros(len(x))
    try:
        s = filled(x, w, bad)
    except Exception:
        v = 2.0 * w + x
        if v.sum() > 0.0:
            raise ValueError(v[0])  # noqa: B904
        s = v[1]
    return s + w.sum()


@pytest.mark.parametrize("mode", [Forward, ForwardWithPrimal, Reverse])
@pytest.mark.parametrize("function", [plainly, reading, making], ids=lambda f: f.__name__)
def test_handlers_that_raise_give_back_once(function, mode):
    x = made(0.5)
    dx = made(0.0)
    activity = (Active,) if mode is Reverse else ()
    call = (mode, function, *activity, Duplicated(x, dx))
    autodiff(*call, Const(-1))
    before = [a.base.refcount for a in (x, dx)]
    for bad in (0, 3, 7) * 20:
        # Numba reports a raise out of a handler as an AssertionError.
        with pytest.raises((ValueError, AssertionError)):
            autodiff(*call, Const(bad))
        assert [a.base.refcount for a in (x, dx)] == before
    assert np.all(x == 0.5)
