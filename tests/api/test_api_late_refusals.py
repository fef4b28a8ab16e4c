"""What cannot be differentiated is an error of the path that leads there: all others have their derivative."""

from __future__ import annotations

import ctypes
import ctypes.util

import numpy as np
import pytest
from numba import njit

import enzyme_rules as er
from enzyme import (
    Active,
    BatchDuplicated,
    Const,
    Duplicated,
    Forward,
    Reverse,
    ReverseSplitNoPrimal,
    autodiff,
    autodiff_thunk,
    gradient,
    typeof,
)
from enzyme.errors import (
    EnzymeConstStorageError,
    EnzymeNoDerivativeError,
    EnzymeRuntimeActivityError,
    NonConstantKeywordArgException,
)

significand = ctypes.CDLL(ctypes.util.find_library("m")).significand
significand.argtypes, significand.restype = [ctypes.c_double], ctypes.c_double


@njit
def by_keyword(x, scale):
    return x * scale


@er.forward(by_keyword)
def by_keyword_forward(func, RT, x, *, scale):
    return Duplicated(x.val, x.dval) if issubclass(RT, Duplicated) else x.dval


@er.augmented_primal(by_keyword)
def by_keyword_augmented(config, func, RT, x, *, scale):
    return er.AugmentedReturn(x.val if config.needs_primal else None, None, None)


@er.reverse(by_keyword)
def by_keyword_reverse(config, func, dret, tape, x, *, scale):
    return (dret.val,)


@njit
def power(x, n):
    """OpaqueCallPolicy a call; its own derivative has a path that is refused."""
    if n > 50:
        return significand(x)
    return 1.0 if n == 0 else x * power(x, n - 1)


@njit
def program(x, which, work):
    if which == 1:
        return significand(x)
    if which == 2:
        for k in range(work.size):
            work[k] = x
            for j in range(k):
                x += work[j]
        return x
    if which == 3:
        return power(x, 60)
    if which == 5:
        kept = np.array([x, x])
        chosen = work
        for k in range(work.size):
            if work[k] > 1e300:
                chosen = kept
        return chosen[0] * x
    return power(x, which)


REFUSED = {
    1: (EnzymeNoDerivativeError, "function by its address", "return significand(x)"),
    2: (EnzymeConstStorageError, "constant memory 'work'", "work[k] = x"),
    3: (EnzymeNoDerivativeError, "function by its address", "return significand(x)"),
    5: (EnzymeRuntimeActivityError, "constant memory 'work'", "work[k] > 1e300"),
}
X, WHICH = 1.5, 7
EXPECTED = WHICH * X ** (WHICH - 1)


def by_forward(which):
    return autodiff(Forward, program, Duplicated(X, 1.0), Const(which), Const(np.zeros(3)))[0]


def by_batch(which):
    given = BatchDuplicated(X, (1.0, 2.0)), Const(which), Const(np.zeros(3))
    one, two = autodiff(Forward, program, *given)[0]
    assert two == 2.0 * one
    return one


def by_reverse(which):
    return autodiff(Reverse, program, Active(X), Const(which), Const(np.zeros(3)))[0][0]


def by_split(which):
    work = np.zeros(3)
    types = Active[float], Const[int], Const[typeof(work)]
    forward, reverse = autodiff_thunk(ReverseSplitNoPrimal, Const[typeof(program)], Active, *types)
    given = Const(program), Active(X), Const(which), Const(work)
    tape, _, _ = forward(*given)
    return reverse(*given, 1.0, tape)[0][0]


@njit
def inside(x, which):
    work = np.zeros(3)
    return autodiff(Reverse, program, Active, Active(x), Const(which), Const(work))[0][0]


def by_jitted_code(which):
    return inside(X, which)


@pytest.mark.parametrize("mode", [by_forward, by_batch, by_reverse, by_split, by_jitted_code])
def test_each_path_is_refused_where_it_runs(mode):
    assert mode(WHICH) == pytest.approx(EXPECTED)
    for which, (kind, what, line) in REFUSED.items():
        with pytest.raises(kind) as found:
            mode(which)
        assert what in found.value.what
        if mode is not by_jitted_code:
            assert line in str(found.value)
            assert found.value.where.file == __file__
    assert mode(WHICH) == pytest.approx(EXPECTED)


@njit
def small(x, n):
    if n > 5:
        return significand(x)
    return x * x * x


@njit
def slope(x, n):
    return autodiff(Reverse, small, Active, Active(x), Const(n))[0][0]


def test_derivatives_of_derivatives():
    for mode, given in (Forward, Duplicated(2.0, 1.0)), (Reverse, Active(2.0)):
        found = autodiff(mode, slope, given, Const(1))
        assert found[0] == 12.0 or found[0][0] == 12.0
        with pytest.raises(EnzymeNoDerivativeError, match="by its address"):
            autodiff(mode, slope, given, Const(9))


@njit
def slope_or_nothing(x, n):
    try:
        return autodiff(Reverse, small, Active, Active(x), Const(n))[0][0]
    except Exception:
        return -1.0


def test_refusals_that_jitted_code_catches():
    assert slope_or_nothing(2.0, 1) == 12.0
    for _ in range(3):
        assert slope_or_nothing(2.0, 9) == -1.0
    assert slope_or_nothing(2.0, 1) == 12.0


def test_the_primal_does_not_catch_them():
    """An exception handler of the program is for its own exceptions."""

    @njit
    def f(x, n):
        try:
            return power(x, n)
        except Exception:
            return 0.0

    for mode, given in (Forward, Duplicated(X, 1.0)), (Reverse, Active(X)):
        found = autodiff(mode, f, given, Const(WHICH))
        assert np.ravel(found[0])[0] == pytest.approx(EXPECTED)
        with pytest.raises(EnzymeNoDerivativeError):
            autodiff(mode, f, given, Const(60))


def test_nothing_has_been_done_behind_the_line():
    def f(x, limit):
        s = 0.0
        for k in range(x.size):
            s += x[k] * x[k]
            x[k] = 0.0
            if k >= limit:
                s += significand(s)
            x[k] = 10.0
        return s

    for limit, kept in (0, [0.0, 2.0, 3.0]), (1, [10.0, 0.0, 3.0]):
        x, dx = np.array([1.0, 2.0, 3.0]), np.zeros(3)
        with pytest.raises(EnzymeNoDerivativeError, match="significand"):
            autodiff(Reverse, f, Duplicated(x, dx), Const(limit))
        assert x.tolist() == kept
    x, dx = np.array([1.0, 2.0, 3.0]), np.zeros(3)
    autodiff(Reverse, f, Active, Duplicated(x, dx), Const(3))
    assert dx.tolist() == [2.0, 4.0, 6.0]


def test_what_every_path_needs_is_refused_at_once():
    def f(x, n):
        for k in range(n):
            x += k
        return significand(x) * x

    types = Active[float], Const[int]
    with pytest.raises(EnzymeNoDerivativeError):
        autodiff_thunk(ReverseSplitNoPrimal, Const[typeof(f)], Active, *types)


def test_active_keywords_of_functions_with_rules():
    def f(x, n):
        return by_keyword(x, scale=x) if n > 5 else by_keyword(x, scale=3.0)

    for mode, given in (Forward, Duplicated(2.0, 1.0)), (Reverse, Active(2.0)):
        assert np.ravel(autodiff(mode, f, given, Const(1))[0])[0] == 1.0
        with pytest.raises(NonConstantKeywordArgException, match="scale"):
            autodiff(mode, f, given, Const(9))


def test_the_sugar():
    @njit
    def f(x, n):
        return small(x[0], n) * x[1]

    assert gradient(Reverse, lambda x: f(x, 1), np.array([2.0, 1.0])).tolist() == [12.0, 8.0]
    with pytest.raises(EnzymeNoDerivativeError, match="by its address"):
        gradient(Reverse, lambda x: f(x, int(x[0]) + 7), np.array([2.0, 1.0]))


def test_the_sugar_tries_again_before_anything_has_run(capfd):
    def f(x, work, n):
        print("run")
        if n > 1:
            for k in range(work.size):
                work[k] = x[0] * x[1]
            return work.sum()
        return x[0] * x[1]

    work = Const(np.zeros(2))
    for n, expected in (1, [3.0, 2.0]), (5, [6.0, 4.0]):
        found = gradient(Reverse, f, np.array([2.0, 3.0]), work, Const(n))[0]
        assert found.tolist() == expected
        assert capfd.readouterr().out.split() == ["run"]
