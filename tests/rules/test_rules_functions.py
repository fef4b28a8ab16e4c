"""Which objects may have rules, which may be rules, and how long rules live."""

from __future__ import annotations

import copy
import ctypes.util
import functools
import gc
import pickle
import weakref
from typing import NamedTuple

import numpy as np
import pytest
from numba import njit

from enzyme import Active, Const, Duplicated, Forward, Reverse, autodiff
from enzyme.errors import EnzymeNoDerivativeError
from enzyme_rules import (
    AugmentedReturn,
    augmented_primal,
    easy_rule,
    forward,
    inactive,
    remove_rules,
    reverse,
    rules_of,
)

pytestmark = pytest.mark.rotating(3)


def ten(f):
    """A forward rule that returns 10, and a pair that does."""

    @forward(f)
    def tangent(config, func, RT, x):
        return Duplicated(func.val(x.val), 10.0) if config.needs_primal else 10.0

    @augmented_primal(f)
    def augmented(config, func, RT, x):
        return AugmentedReturn(func.val(x.val) if config.needs_primal else None, None, None)

    @reverse(f)
    def adjoint(config, func, dret, tape, x):
        return (10.0 * dret.val,)

    return f


def derivatives(f):
    (ahead,) = autodiff(Forward, f, Duplicated(2.0, 1.0))
    ((back,),) = autodiff(Reverse, f, Active, Active(2.0))
    return ahead, back


def plain(x):
    return x * x


ten(plain)


def test_plain_functions():
    assert derivatives(plain) == (10.0, 10.0)
    assert derivatives(njit(plain)) == (10.0, 10.0)


def test_every_jitted_form_of_a_function():
    """Rules hang at the Python function."""

    def f(x):
        return x * x

    jitted = njit(f)
    ten(f)
    assert derivatives(jitted) == derivatives(njit(f, fastmath=True)) == (10.0, 10.0)

    @njit
    def h(x):
        return 2.0 * jitted(x)

    assert derivatives(h) == (20.0, 20.0)


@njit(cache=True)
def cached(x):
    return x * x


@njit
def calls_cached(x):
    return 3.0 * cached(x)


def test_functions_with_a_cache():
    assert calls_cached(2.0) == 12.0
    assert derivatives(calls_cached) == (12.0, 12.0)
    ten(cached)
    assert derivatives(calls_cached) == (30.0, 30.0)
    assert derivatives(cached) == (10.0, 10.0)
    assert calls_cached(2.0) == 12.0


def test_jitted_and_cached_rules():
    @njit
    def f(x):
        return x * x

    @forward(f)
    @njit(cache=True)
    def tangent(config, func, RT, x):
        return Duplicated(func.val(x.val), 5.0) if config.needs_primal else 5.0

    @augmented_primal(f)
    @njit
    def augmented(config, func, RT, x):
        return AugmentedReturn(func.val(x.val) if config.needs_primal else None, None, None)

    @reverse(f)
    @njit
    def adjoint(config, func, dret, tape, x):
        return (6.0,)

    assert derivatives(f) == (5.0, 6.0)


def test_one_rule_for_two_functions():
    @njit
    def f(x):
        return x * x

    @njit
    def g(x):
        return x * x * x

    @forward(f)
    @forward(g)
    def tangent(config, func, RT, x):
        return 7.0 * func.val(x.val)

    assert autodiff(Forward, f, Duplicated(2.0, 1.0)) == (28.0,)
    assert autodiff(Forward, g, Duplicated(2.0, 1.0)) == (56.0,)


def test_rules_that_capture():
    """Numbers and arrays of the scope of a rule are constants of its code."""
    factor, table = 3.0, np.array([10.0, 20.0])

    @njit
    def f(x):
        return x * x

    @forward(f)
    def tangent(config, func, RT, x):
        return factor * table[1]

    assert autodiff(Forward, f, Duplicated(2.0, 1.0)) == (60.0,)


def test_wrapped_copies_have_no_rules():
    @functools.wraps(plain)
    def copied(x):
        return x * x

    assert hasattr(copied, "__enzyme_rules__") and not rules_of(copied)
    assert derivatives(copied) == (4.0, 4.0)
    ten(copied)
    inactive(copied)
    assert derivatives(plain) == (10.0, 10.0) and derivatives(copied) == (0.0, 0.0)


def test_copied_sets_are_empty():
    assert rules_of(plain)
    assert rules_of(pickle.loads(pickle.dumps(plain))) is rules_of(plain)  # by name
    for again in (copy.deepcopy, copy.copy):
        assert not again(rules_of(plain))


def test_rules_go_with_functions_that_are_pickled_by_their_code():
    from numba.core.serialize import dumps, loads

    def f(x):
        return x * x

    jitted = njit(f)
    assert derivatives(ten(jitted)) == (10.0, 10.0)
    again = loads(dumps(f))
    assert again is not f
    assert derivatives(njit(again)) == (10.0, 10.0)
    remove_rules(again)
    assert derivatives(njit(again)) == (4.0, 4.0)
    assert derivatives(jitted) == (10.0, 10.0)


def closure(kept):
    table = np.full(3, 2.0)

    def f(x):
        return x * x * table[0] if kept else x

    return f


@pytest.mark.parametrize("used", [False, True])
def test_rules_die_with_their_function(used):
    f = closure(True)

    jitted = ten(njit(f))

    def make(g):
        def h(x):
            return g(x)

        return h

    h = make(jitted)
    rule = weakref.ref(rules_of(f).forward[0].function)
    alive = weakref.ref(f), weakref.ref(rules_of(f)), rule
    if used:
        assert derivatives(jitted) == (10.0, 10.0)
        assert derivatives(h) == (10.0, 10.0)
    del f, h, jitted
    gc.collect()
    gc.collect()  # the finaliser of a dispatcher lets go of more
    assert [ref() for ref in alive] == [None] * 3


def test_callers_do_not_keep_old_derivatives():
    """What depends on rules that have changed is dropped, not only hidden."""

    @njit
    def f(x):
        return x * x

    def h(x):
        return f(x)

    ten(f)
    derivatives(h)
    old = weakref.ref(rules_of(f).forward[0].function)
    ten(f)
    assert derivatives(h) == (10.0, 10.0)
    gc.collect()
    assert old() is None


def carrying(data):
    @njit
    def f(x):
        return x * data[0]

    return f


def test_functions_with_data():
    """The function is Const for its rules, and its data are there."""
    data = np.array([3.14])
    f = carrying(data)

    @augmented_primal(f)
    def augmented(config, func: Const, RT, x):
        return AugmentedReturn(None, None, func.val(1.0))

    @reverse(f)
    def adjoint(config, func, dret, tape, x):
        return (7.0 * x.val * dret.val + 1000.0 * tape,)

    assert autodiff(Reverse, f, Active, Active(2.7)) == ((7.0 * 2.7 + 3140.0,),)


class Held(NamedTuple):
    """Zeroes its own array when it is called."""

    data: np.ndarray

    def __call__(self, x, width=0):
        r = x * x * self.data[0]
        self.data[0] = 0.0
        return r


def rules_of_held():
    """The object is the first argument, before and behind the derivative of it."""

    @augmented_primal(Held)
    def augmented(config, func, RT, self, x):
        kept = self.val.data.copy()
        primal = func.val(self.val, x.val)
        return AugmentedReturn(primal if config.needs_primal else None, None, kept)

    @reverse(Held)
    def adjoint(config, func, dret, tape, self, x):
        return (None, 7 * x.val * dret.val + 1000 * tape[0])

    @augmented_primal(Held)
    def augmented_with(config, func, RT, self, x, *, width):
        kept = self.val.data.copy()
        primal = func.val(self.val, x.val)
        return AugmentedReturn(primal if config.needs_primal else None, None, kept)

    @reverse(Held)
    def adjoint_with(config, func, dret, tape, self, x, *, width):
        return (None, 7 * x.val * dret.val + 1000 * tape[0] + 100_000 * width.val)


def test_callable_objects():
    rules_of_held()
    try:
        for annotate in (Const, lambda f: Duplicated(f, Held(np.zeros(1)))):
            f = Held(np.array([3.14]))
            assert autodiff(Reverse, annotate(f), Active, Active(2.7)) == ((3158.9,),)
            assert f.data[0] == 0.0

        called = njit(Held.__call__)

        def with_keyword(f, x):
            return called(f, x, width=9)

        f = Held(np.array([3.14]))
        assert autodiff(Reverse, with_keyword, Active, Const(f), Active(2.7)) == ((None, 903158.9),)
        assert f.data[0] == 0.0 and rules_of(f) and rules_of(Held)
    finally:
        remove_rules(Held)
    assert not rules_of(Held)
    assert autodiff(Reverse, Const(Held(np.array([1.0]))), Active, Active(3.0)) == ((6.0,),)


class Scaled:
    """An object that numba knows nothing of."""

    def __init__(self):
        self.data = np.array([3.14])

    def __call__(self, x):
        r = x * x * self.data[0]
        self.data[0] = 0.0
        return r


def test_other_callable_objects_are_refused():
    """Rules belong to functions: the message says what to do instead."""
    for wrong in (Scaled(), Scaled().__call__, Scaled, functools.partial(plain)):
        with pytest.raises(TypeError, match="write a function that calls it"):
            forward(wrong)
        assert not rules_of(wrong)


def test_functions_of_cffi():
    """Called by pointer: known by name, or without a rule there is an error, which names this way out."""
    cffi = pytest.importorskip("cffi")
    library = cffi.FFI()
    library.cdef("double cbrt(double x); double significand(double x);")
    functions = library.dlopen(ctypes.util.find_library("m"))
    cbrt, significand = functions.cbrt, functions.significand

    @njit
    def cube_root(x):
        return cbrt(x)

    @njit
    def f(x):
        return x * cube_root(x)

    @njit
    def foreign(x):
        return significand(x)

    with pytest.raises(EnzymeNoDerivativeError, match=r"enzyme_rules\.easy_rule"):
        autodiff(Reverse, foreign, Active, Active(8.0))
    assert autodiff(Reverse, f, Active, Active(8.0)) == ((pytest.approx(8.0 / 3.0),),)
    easy_rule(cube_root, (lambda omega, x: 1.0 / (3.0 * omega * omega),))
    assert autodiff(Reverse, f, Active, Active(8.0)) == ((pytest.approx(8.0 / 3.0),),)
    assert autodiff(Forward, f, Duplicated(8.0, 3.0)) == (pytest.approx(8.0),)
