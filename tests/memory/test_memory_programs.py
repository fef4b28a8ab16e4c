"""Gradients keep no memory: numba's allocation counts, and the resident memory of the process.

`mi_*` counts array headers, `alloc`/`free` blocks of any kind.  A plain numba function leaks its
temporaries when it raises; a derivative must not, for it is called in loops of optimisers.
"""

from __future__ import annotations

import gc
import math
import os
import threading

import numpy as np
import pytest
from numba import njit
from numba.core.runtime import _nrt_python, rtsys

from enzyme import Active, Const, Duplicated, Forward, Reverse, ReverseWithPrimal, autodiff

pytestmark = pytest.mark.rotating(27)

_nrt_python.memsys_enable_stats()
PAGE = os.sysconf("SC_PAGE_SIZE")


def resident():
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * PAGE


def alive():
    gc.collect()
    stats = rtsys.get_allocation_stats()
    return stats.alloc - stats.free, stats.mi_alloc - stats.mi_free


def assert_flat(call, times=1000, slack=1 << 20):
    """`call` leaves no block of numba alive, and the process no larger than `slack` bytes."""
    for _ in range(3):
        call()
    before = alive()
    call()
    assert alive() == before, "one call left memory alive, or freed it twice"
    for _ in range(times // 10):
        call()
    start = resident()
    for _ in range(times):
        call()
    assert alive() == before
    assert resident() - start < slack, f"grew by {resident() - start} bytes in {times} calls"


# --- programs that allocate -----------------------------------------------------------------------


@njit
def power_iteration(a, x, steps):
    for _ in range(steps):
        y = np.zeros(len(x))
        for i in range(len(x)):
            for j in range(len(x)):
                y[i] += a[i, j] * x[j]
        x = y / math.sqrt((y * y).sum())
    return x[0]


@njit
def temporaries_on_branches(x, a, steps):
    s = a
    for k in range(steps):
        if k % 3 == 0:
            t = x * s
            s = 0.1 * t.sum()
        elif s > 0.0:
            t = np.empty(2 * len(x))
            t[:] = s
            s = s * t[3]
        else:
            continue
        if s > 50.0:
            break
    return s


@njit
def swapped_buffers(x, a, steps):
    b = np.empty_like(x)
    for _ in range(steps):
        for i in range(len(x)):
            b[i] = math.sin(a * x[i]) + x[i - 1]
        x, b = b, x
    return x[0]


@njit
def recursive(x, n):
    t = x * 0.5
    if n <= 0:
        return t
    return t + recursive(t, n - 1) * x[0]


@njit
def total_of_recursive(x, a, n):
    return recursive(x, n).sum() * a


@njit
def descend(x, a, depth):
    if depth == 0:
        return x[0] * a
    t = x * a
    return 0.5 * descend(t, a, depth - 1) + 0.5 * descend(x, a * t[1], depth - 1)


@njit
def while_with_copies(x, a, bound):
    y = x.copy()
    k = 0
    while y[0] * y[0] < bound and k < 50:
        z = y.copy()
        z[0] = y[0] * a + 0.1
        y = z
        k += 1
    return y[0]


X = np.linspace(0.1, 0.9, 20)
PROGRAMS = {
    "temporaries on branches": (temporaries_on_branches, 1.1, 20),
    "swapped buffers": (swapped_buffers, 1.1, 20),
    "returned through recursion": (total_of_recursive, 1.1, 4),
    "recursion with temporaries": (descend, 1.1, 4),
    "while with copies": (while_with_copies, 1.5, 100),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_reverse_mode_is_flat(name):
    function, a, n = PROGRAMS[name]
    dx = np.zeros_like(X)
    x = X.copy()

    def call():
        x[:] = X
        autodiff(Reverse, function, Active, Duplicated(x, dx), Active(a), Const(n))

    assert_flat(call)


@pytest.mark.parametrize("name", PROGRAMS)
def test_forward_mode_is_flat(name):
    function, a, n = PROGRAMS[name]
    x, dx = X.copy(), np.ones_like(X)

    def call():
        x[:], dx[:] = X, 1.0
        autodiff(Forward, function, Duplicated(x, dx), Duplicated(a, 1.0), Const(n))

    assert_flat(call)


def test_new_array_in_each_iteration():
    a = np.eye(20) + 0.01
    da, dx = np.zeros_like(a), np.zeros_like(X)

    def call():
        autodiff(Reverse, power_iteration, Active, Duplicated(a, da), Duplicated(X, dx), Const(10))

    assert_flat(call)


def test_array_results_are_released():
    @njit
    def scaled(x, a):
        return x * a

    def call():
        dx = np.ones_like(X)
        _, result = autodiff(ReverseWithPrimal, scaled, Const, Duplicated(X, dx), Active(2.0))
        assert result[3] == 2.0 * X[3]
        (shadow,) = autodiff(Forward, scaled, Duplicated(X, dx), Duplicated(2.0, 1.0))
        assert shadow.shape == X.shape

    assert_flat(call)


def test_big_caches_are_freed():
    @njit
    def long_chain(x, steps):
        s = x
        for _ in range(steps):
            s = math.sin(s) + 0.5 * x * s
        return s

    small = autodiff(Reverse, long_chain, Active, Active(0.3), Const(10))
    assert np.isfinite(small[0][0])
    start = resident()
    for _ in range(5):
        autodiff(Reverse, long_chain, Active, Active(0.3), Const(5_000_000))
    # The caches of one call are at least 40 MB; what a pool keeps must not grow with the calls.
    kept = resident() - start
    for _ in range(10):
        autodiff(Reverse, long_chain, Active, Active(0.3), Const(5_000_000))
    assert resident() - start - kept < 16 << 20
    assert kept < 200 << 20


def test_big_temporaries_are_freed():
    @njit
    def big(x, n, steps):
        s = x
        for _ in range(steps):
            t = np.full(n, s)
            s = math.sin(t[n - 1]) + 0.1 * t.mean()
        return s

    def call():
        autodiff(Reverse, big, Active, Active(0.3), Const(200_000), Const(8))

    assert_flat(call, times=30, slack=8 << 20)


# --- exceptions -----------------------------------------------------------------------------------


@njit
def raise_after_allocation(x, limit):
    t = x * 2.0
    u = np.zeros((len(x), 2))
    if x[0] > limit:
        raise ValueError("after allocation")
    u[0, 0] = t[0]
    return u.sum()


@njit
def raise_in_loop(x, limit):
    s = 0.0
    for i in range(len(x)):
        t = x * s
        s += t[i] + x[i]
        if s > limit:
            raise ValueError("in loop")
    return s


@njit
def raise_in_while(x, limit):
    s = x[0]
    y = x
    k = 0
    while k < 20:
        y = y * 1.1 + s
        s = s + y[k % len(y)]
        if s > limit:
            raise ValueError("in while")
        k += 1
    return s


@njit
def raise_with_either(x, limit):
    y = x if limit < 1.0 else x * limit
    s = 0.0
    for i in range(len(y)):
        s += y[i]
        if s > limit and limit < 5.0:
            raise ValueError("either array")
        if i == 2:
            y = y + 1.0
    return s


@njit
def _inner(x, limit):
    t = x * 0.5
    s = (t * x).sum()
    if s > limit:
        raise ValueError("in a call")
    return t * s


@njit
def raise_in_call(x, limit):
    y = x.copy()
    for _ in range(5):
        y = y + _inner(y, limit)
    return y.sum()


@njit
def _recursive(x, limit, depth):
    t = x * 1.5
    if depth == 0:
        return t[0]
    if t[0] > limit:
        raise ValueError("in recursion")
    s = _recursive(t, limit, depth - 1)
    return s * t[1] + 0.1 * _recursive(t * 0.5, limit, depth - 1)


@njit
def raise_in_recursion(x, limit):
    u = x + 1.0
    return _recursive(u, limit, 4) * u[0]


@njit
def _always_raises(x, n):
    if n > 5 and n < 3:  # numba wants a return, LLVM finds that there is none
        return 0.0
    if n <= 0 or x[n] > 1e3:
        raise ValueError("in a callee that always raises")
    x[n] *= 0.5
    return _always_raises(x, n - 1) + x[0]


@njit
def raise_in_callee_without_return(x, limit):
    t = x * 1.5
    s = 0.0
    for i in range(len(x)):
        if s > limit:
            s += _always_raises(t, len(x) - 1)
        s += t[i] * x[i]
    return s


@njit
def raise_from_assert(x, limit):
    t = np.empty(len(x))
    for i in range(len(x)):
        t[i] = x[i] ** 2
        if t[i] >= limit:
            raise AssertionError
    return t.sum()


@njit
def raise_from_division(x, limit):
    t = x * limit
    s = 0.0
    for i in range(len(x)):
        y = t + x[i]
        s += 1.0 / (t[i] if limit > 2.0 else 0.0) + y[0]
    return s


RAISING = {
    # function, a limit that raises, a limit that does not
    "after allocation": (raise_after_allocation, 0.0, 10.0),
    "in a loop": (raise_in_loop, 1.0, 1e300),
    "in a while": (raise_in_while, 3.0, 1e300),
    "the argument or another": (raise_with_either, 0.01, 10.0),
    "another or the argument": (raise_with_either, 1.0, 10.0),
    "at once in a while": (raise_in_while, -1.0, 1e300),
    "in a call": (raise_in_call, 20.0, 1e300),
    "in a recursion": (raise_in_recursion, 4.0, 1e300),
    "in a callee without return": (raise_in_callee_without_return, 0.01, 1e300),
    "from an assert": (raise_from_assert, 0.5, 10.0),
    "from a division": (raise_from_division, 1.0, 3.0),
}


@pytest.mark.parametrize("mode", ["reverse", "forward"])
@pytest.mark.parametrize("name", RAISING)
def test_exceptions_leak_nothing(name, mode):
    function, raising, passing = RAISING[name]
    expected = ZeroDivisionError if "division" in name else (ValueError, AssertionError)
    dx = np.zeros_like(X)

    def derivative(limit):
        if mode == "reverse":
            return autodiff(Reverse, function, Active, Duplicated(X, dx), Active(limit))
        return autodiff(Forward, function, Duplicated(X, dx), Duplicated(limit, 0.0))

    def call():
        with pytest.raises(expected):
            derivative(raising)
        derivative(passing)

    assert_flat(call, times=1000)


def test_the_exception_is_the_one_of_the_primal():
    x = X.copy()
    with pytest.raises(ValueError, match="in loop") as ours:
        autodiff(Reverse, raise_in_loop, Active, Duplicated(x, np.zeros_like(x)), Active(1.0))
    with pytest.raises(ValueError) as plain:
        raise_in_loop(x, 1.0)
    assert ours.value.args == plain.value.args


# --- threads --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PROGRAMS)
def test_threads_share_a_derivative(name):
    function, a, n = PROGRAMS[name]

    def gradient(scale):
        x = X * scale
        dx = np.zeros_like(x)
        ((_, da, _),) = autodiff(Reverse, function, Active, Duplicated(x, dx), Active(a), Const(n))
        return np.append(dx, da)

    scales = np.linspace(0.5, 1.0, 8)
    expected = [gradient(scale) for scale in scales]
    wrong = []
    barrier = threading.Barrier(len(scales))

    def work(index):
        barrier.wait()
        for _ in range(100):
            found = gradient(scales[index])
            if not np.array_equal(found, expected[index]):
                wrong.append((index, found))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(scales))]
    before = alive()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert alive() == before


def test_threads_without_the_lock_of_the_interpreter():
    @njit(nogil=True)
    def chain(x, a, steps):
        y = x.copy()
        for _ in range(steps):
            y = np.sin(y * a) + 0.1 * y[0]
        return y.sum()

    def gradient(a):
        dx = np.zeros_like(X)
        ((_, da, _),) = autodiff(Reverse, chain, Active, Duplicated(X, dx), Active(a), Const(200))
        return np.append(dx, da)

    amounts = np.linspace(0.5, 1.5, 8)
    expected = [gradient(a) for a in amounts]
    found: dict[int, list[np.ndarray]] = {i: [] for i in range(8)}

    def work(index):
        for _ in range(50):
            found[index].append(gradient(amounts[index]))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for index, results in found.items():
        for result in results:
            np.testing.assert_array_equal(result, expected[index])


def test_first_calls_from_many_threads():
    @njit
    def fresh(x, a):
        return (x * x).sum() * a

    results = []

    def work():
        dx = np.zeros_like(X)
        ((_, da),) = autodiff(Reverse, fresh, Active, Duplicated(X, dx), Active(2.0))
        results.append((da, dx[3]))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 8
    np.testing.assert_allclose(results, [((X * X).sum(), 4.0 * X[3])] * 8)


def test_thunks_that_are_dropped_do_not_break_those_that_stay():
    def make(power):
        @njit
        def f(x):
            return x**power

        return f

    kept = make(3)
    autodiff(Reverse, kept, Active, Active(2.0))
    for power in range(4, 8):
        assert autodiff(Reverse, make(power), Active, Active(1.0)) == ((float(power),),)
        gc.collect()
    assert autodiff(Reverse, kept, Active, Active(2.0)) == ((12.0,),)
