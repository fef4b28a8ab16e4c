"""Memory of constants: active data that come back from there are an error, others may go there (R25)."""

from __future__ import annotations

import math

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
    clear_err_if_const_written,
)
from enzyme.errors import EnzymeConstStorageError


@njit
def kept_in_a_copy(x, tmp):
    tmp[0] = x * x
    copied = tmp.copy()
    return copied[0] * 3.0


@njit
def swaps(u, v, steps):
    """Each reads a copy of the other as it was."""
    for _ in range(steps):
        un = u.copy()
        vn = v.copy()
        for i in range(len(u)):
            u[i] = un[i] + 0.1 * vn[i]
            v[i] = vn[i] - 0.1 * un[i]


@njit
def descend(tmp, n):
    return tmp[n] + (descend(tmp, n - 1) if n > 0 else 0.0)


@njit
def read_in_a_callee(x, tmp):
    for i in range(len(tmp)):
        tmp[i] = x * (i + 1)
    return descend(tmp, len(tmp) - 1)


@njit
def put(tmp, n, x):
    tmp[n] = x * x
    if n > 0:
        put(tmp, n - 1, x)


@njit
def written_in_a_callee(x, tmp):
    put(tmp, len(tmp) - 1, x)
    return tmp[0] + x


@njit
def through_two(x, first, second):
    for i in range(len(first)):
        first[i] = x * x
    for i in range(len(first)):
        second[i] = first[len(first) - 1 - i] + 1.0
    return second[0] + second[len(first) - 1]


@njit
def through_a_product(x, tmp, w):
    for i in range(len(tmp)):
        tmp[i] = x
    return np.dot(tmp, w)


@pytest.mark.parametrize(
    ("f", "args", "lost"),
    [
        (kept_in_a_copy, (np.zeros(2),), "tmp"),
        (read_in_a_callee, (np.zeros(3),), "tmp"),
        (written_in_a_callee, (np.zeros(3),), "tmp"),
        (through_two, (np.zeros(4), np.zeros(4)), "first|second"),
        (through_a_product, (np.zeros(3), np.ones(3)), "tmp"),
    ],
)
def test_what_comes_back_from_a_constant_is_refused(f, args, lost):
    constants = [Const(a) for a in args]
    for mode, x in ((Reverse, Active(1.5)), (Forward, Duplicated(1.5, 1.0))):
        with pytest.raises(EnzymeConstStorageError, match=lost) as caught:
            autodiff(mode, f, *([Active] if mode is Reverse else []), x, *constants)
        assert caught.value.where.file == __file__
    allowed = clear_err_if_const_written(Reverse)
    assert np.isfinite(autodiff(allowed, f, Active, Active(1.5), *constants)[0][0])
    given = [Duplicated(a, np.zeros_like(a)) for a in args]
    assert autodiff(Reverse, f, Active, Active(1.5), *given)[0][0] != 0.0


def test_a_constant_that_is_copied_and_written_back():
    v, dv = np.ones(3), np.ones(3)
    with pytest.raises(EnzymeConstStorageError, match="'u'"):
        autodiff(Reverse, swaps, Const, Const(np.ones(3)), Duplicated(v, dv), Const(2))


@njit
def axpy(a, x, y):
    for i in range(len(x)):
        y[i] += a * x[i]
    return a * x[0]


@njit
def logs(x, log, n):
    """What is logged is read only for the log."""
    s = x
    for i in range(n):
        s = math.sin(s) * x
        log[i % len(log)] = 0.5 * log[i % len(log)] + s
    return s


@njit
def logs_in_a_callee(x, log):
    put(log, len(log) - 1, x)
    return x * x


def test_what_stays_in_a_constant_is_allowed():
    x, dx, y = np.array([2.0, 3.0]), np.zeros(2), np.zeros(2)
    found = autodiff(Reverse, axpy, Active, Active(1.5), Duplicated(x, dx), Const(y))
    assert found == ((2.0, None, None),)
    assert dx.tolist() == [1.5, 0.0]
    assert y.tolist() == [3.0, 4.5]

    log, other = np.zeros(2), np.zeros(2)
    ((d, *_),) = autodiff(Reverse, logs, Active, Active(0.7), Const(log), Const(5))
    ((expected, *_),) = autodiff(
        Reverse, logs, Active, Active(0.7), Duplicated(other, np.zeros(2)), Const(5)
    )
    assert d == expected != 0.0
    assert log.tolist() == other.tolist()

    log = np.zeros(3)
    assert autodiff(Reverse, logs_in_a_callee, Active, Active(3.0), Const(log)) == ((6.0, None),)
    assert log.tolist() == [9.0] * 3
