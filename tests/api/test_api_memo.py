"""Compiled once, found fast, right under threads; arrays that share memory; running out of it."""

from __future__ import annotations

import functools
import gc
import threading
import weakref

import numpy as np
import pytest
from numba import njit

from enzyme import (
    Active,
    Const,
    Duplicated,
    Forward,
    Reverse,
    ReverseMode,
    ReverseWithPrimal,
    autodiff,
    make_zero,
)
from enzyme.api import compile as compiling
from tests.counting import calls


@pytest.fixture
def compiled(monkeypatch):
    """Signatures of the derivatives that were compiled, with their promise."""
    found = []
    original = compiling.Program.thunk

    def thunk(self, distinct, **options):
        found.append((self.signature, distinct))
        return original(self, distinct, **options)

    monkeypatch.setattr(compiling.Program, "thunk", thunk)
    return found


def test_second_call_compiles_nothing(compiled):
    def f(x):
        return x * x

    for _ in range(3):
        assert autodiff(Reverse, f, Active, Active(3.0)) == ((6.0,),)
    assert len(compiled) == 1
    autodiff(ReverseMode(), f, Active, Active(4.0))  # an equal mode
    assert len(compiled) == 1
    autodiff(Reverse, f, Active(3.0))
    autodiff(ReverseWithPrimal, f, Active, Active(3.0))
    autodiff(Reverse, f, Active, Active(np.float32(3)))
    autodiff(Forward, f, Duplicated(1.0, 1.0))
    assert len(compiled) == 5


def test_kinds_of_values_have_their_own_code(compiled):
    def f(x, n):
        return x[0] * n

    x = np.ones(2)
    for n in (2, 2.0, True, np.int8(2), 2**63, np.uint64(2)):
        for array in (x, x[::-1], np.ones(2, np.float32)):
            got = autodiff(Reverse, f, Active, Duplicated(array, make_zero(array)), Const(n))
            assert got == ((None, None),)
    assert len(compiled) == 15  # large ints and uint64 are one


def test_functions_as_values(compiled):
    def apply(g, x):
        return g(x)

    def twice(x):
        return 2 * x

    for _ in range(2):
        assert autodiff(Reverse, apply, Active, Const(twice), Active(1.0)) == ((None, 2.0),)
        assert autodiff(Reverse, apply, Active, Const(lambda x: x), Active(1.0)) == ((None, 1.0),)
    assert len(compiled) == 3  # each lambda is another function


def test_derivatives_die_with_their_function():
    def f(x):
        return x * x

    autodiff(Reverse, f, Active, Active(3.0))
    alive = weakref.ref(f)
    del f
    gc.collect()
    assert alive() is None


def test_decorators_copy_no_derivatives():
    def f(x):
        return x * x

    autodiff(Reverse, f, Active, Active(3.0))

    @functools.wraps(f)
    def g(x):
        return x * x * x

    assert autodiff(Reverse, g, Active, Active(3.0)) == ((27.0,),)


def test_fast():
    """A derivative that was compiled is called with a handful of steps in Python."""

    @njit
    def f(x):
        return x * x

    x = Active(1.0)
    autodiff(Reverse, f, Active, x)
    assert calls(lambda: autodiff(Reverse, f, Active, x)) < 12


def test_threads(compiled):
    def f(x, y):
        return x * y

    results, errors = [], []
    barrier = threading.Barrier(8)

    def work(k):
        try:
            barrier.wait()
            for i in range(50):
                results.append(autodiff(Reverse, f, Active, Active(float(k)), Active(i)))
        except BaseException as error:
            errors.append(error)

    workers = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not errors and len(results) == 400
    assert sorted(r[0][1] for r in results) == sorted(float(k) for k in range(8) for _ in range(50))
    assert len(compiled) == 1


# --- arrays that share memory -----------------------------------------------------------------------


def axpy(x, y):
    for i in range(len(x)):
        y[i] = y[i] + 2.0 * x[i]


def test_overlap_is_seen_at_each_call(compiled):
    b, db = np.arange(6.0), np.ones(6)

    def call(x, dx, y, dy):
        autodiff(Reverse, axpy, Const, Duplicated(x, dx), Duplicated(y, dy))

    call(b[:3], db[:3], b[3:], db[3:])
    assert [d for _, d in compiled] == [True]
    call(b[:4], db[:4], b[1:5], db[1:5])
    call(b[:4], db[:4], b[1:5], db[1:5])
    call(b[:3], db[:3], b[3:], db[3:])
    assert [d for _, d in compiled] == [True, False]


def test_overlapping_arguments_are_right():
    wanted = np.zeros((6, 6))
    for k in range(6):
        b = np.eye(6)[k]
        axpy(b[:5], b[1:])
        wanted[:, k] = b
    for k in range(6):
        b, db = np.arange(6.0), np.eye(6)[k]
        autodiff(Reverse, axpy, Const, Duplicated(b[:5], db[:5]), Duplicated(b[1:], db[1:]))
        np.testing.assert_array_equal(db, wanted[k])
        b, db = np.arange(6.0), np.eye(6)[k]
        autodiff(Forward, axpy, Const, Duplicated(b[:5], db[:5]), Duplicated(b[1:], db[1:]))
        np.testing.assert_array_equal(db, wanted[:, k])


def dot(x, y):
    s = 0.0
    for i in range(len(x)):
        s += x[i] * y[i]
    return s


def test_partial_derivative_where_one_array_is_read_twice():
    x, dx, dy = np.arange(3.0), np.zeros(3), np.zeros(3)
    autodiff(Reverse, dot, Active, Duplicated(x, dx), Const(x))
    assert dx.tolist() == [0.0, 1.0, 2.0]
    autodiff(Reverse, dot, Active, Duplicated(x, dx), Duplicated(x, dy))
    assert dx.tolist() == [0.0, 2.0, 4.0] and dy.tolist() == [0.0, 1.0, 2.0]
    autodiff(Reverse, dot, Active, Duplicated(x, dx), Duplicated(x, dx))
    assert dx.tolist() == [0.0, 4.0, 8.0]


def test_one_shadow_for_two_primals():
    x, y, d = np.arange(3.0), np.ones(3), np.zeros(3)
    autodiff(Reverse, dot, Active, Duplicated(x, d), Duplicated(y, d))
    assert d.tolist() == [1.0, 2.0, 3.0]


def test_interleaved_shadow_is_allowed():
    b = np.zeros((3, 2))
    b[:, 0] = [1.0, 2.0, 3.0]
    x, dx = b[:, 0], b[:, 1]
    autodiff(Reverse, dot, Active, Duplicated(x, dx), Const(np.ones(3)))
    assert dx.tolist() == [1.0, 1.0, 1.0]


def test_empty_and_reversed_arrays():
    e = np.zeros(0)
    autodiff(Reverse, dot, Active, Duplicated(e, np.zeros(0)), Duplicated(e, np.zeros(0)))
    b, d = np.arange(3.0), np.zeros(3)
    autodiff(Reverse, dot, Active, Duplicated(b[::-1], d[::-1]), Const(np.arange(3.0)))
    assert d.tolist() == [2.0, 1.0, 0.0]


def test_read_only_primal():
    x, dx = np.arange(3.0), np.zeros(3)
    x.flags.writeable = False
    autodiff(Reverse, dot, Active, Duplicated(x, dx), Const(np.ones(3)))
    assert dx.tolist() == [1.0, 1.0, 1.0]
    shadow = np.ones(3)
    shadow.flags.writeable = False
    assert autodiff(Forward, dot, Duplicated(x, shadow), Const(x)) == (3.0,)


# --- memory -----------------------------------------------------------------------------------------


def test_running_out_of_memory_is_a_memory_error():
    import ctypes

    from numba import types
    from numba.core.registry import cpu_target

    from enzyme.engine.analysis.kinds import Activity, DiffMode
    from enzyme.frontend.intrinsic import build_thunk
    from enzyme.frontend.memory_error import HOOK
    from enzyme.frontend.target import compile_primal

    assert ctypes and cpu_target
    text = f"""
declare void @{HOOK}()
define {{ i32, double }} @grad(ptr %r, ptr %dr, ptr %e, double %x) {{
  call void @{HOOK}()
  ret {{ i32, double }} {{ i32 -1, double 0.0 }}
}}
"""
    for nogil in (False, True):
        primal = compile_primal(njit(nogil=nogil)(lambda x: x * x), (types.float64,))
        thunk = build_thunk(
            primal.text + text,
            "grad",
            primal,
            (Activity.ACTIVE,),
            DiffMode.REVERSE,
            return_activity=Activity.ACTIVE,
        )
        with pytest.raises(MemoryError):
            thunk.call(1.0, 1.0)
