"""The memory that derivatives keep for the next one: it is found again, bounded, and given back."""

from __future__ import annotations

import ctypes
import os
import resource
import threading

import numpy as np
import pytest
from numba import njit
from numba.core.runtime import _nrt_python

from enzyme import (
    Active,
    BatchDuplicated,
    Const,
    Duplicated,
    DuplicatedNoNeed,
    Forward,
    Reverse,
    ReverseSplitNoPrimal,
    ReverseWithPrimal,
    autodiff,
    autodiff_thunk,
    typeof,
)
from enzyme.api import bound_pool, empty_pool, pool_bytes
from enzyme.engine.synthesis.pool import CLASSES, SECONDS, SETS
from enzyme.frontend import arena
from tests.memory import poison
from tests.memory.pool_check import Pool, work
from tests.memory.separate import output_of
from tests.programs.memory import live_memory

pytestmark = pytest.mark.rotating(21)

pooled = pytest.mark.skipif(
    poison.SWITCH in os.environ, reason="nothing is kept where memory is poisoned"
)
MIB = 1 << 20


# --- the pool alone -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def one_pool():
    return Pool(counted=True)


@pytest.fixture
def pool(one_pool):
    one_pool.reset()
    return one_pool


def storage(pool, *sizes):
    """A call that needs storage of these sizes; where it was."""
    arena = pool.open()
    found = [pool.allocate(arena, size) for size in sizes]
    if None not in found:
        assert sum(sizes) <= pool.held(arena) <= sum(sizes) + 16 * len(sizes)
    pool.close(arena, False)
    return found


def test_the_next_call_finds_the_memory_of_the_last(pool):
    sizes = [8, 1023, 1024, 4096, 5000, 5000, 5000, 3 * MIB, 8, 33]
    first = storage(pool, *sizes)
    assert len(set(first)) == len(sizes)
    pool.left = 0
    assert storage(pool, *sizes) == first


def test_a_block_serves_for_less_but_not_for_much_less(pool):
    (large,) = storage(pool, MIB)
    assert storage(pool, MIB * 2 // 3) == [large]
    assert storage(pool, MIB // 3) != [large]


def test_a_large_block_is_found_in_every_thread(pool):
    def begin():
        found.extend(storage(pool, MIB))

    found = []
    begin()
    for _ in range(8):
        thread = threading.Thread(target=begin)
        thread.start()
        thread.join()
    assert len(found) == 9 and set(found) == {found[0]}


def test_what_is_kept_is_bounded(pool):
    pool.bound(10 * MIB)
    storage(pool, *[MIB] * 30)
    assert 8 * MIB < pool.bytes() <= 11 * MIB
    pool.bound(2 * MIB)
    assert pool.bytes() == 0
    pool.bound(0)
    storage(pool, *[5 * MIB] * 3)
    assert pool.bytes() < MIB


def test_what_is_kept_can_be_given_back(pool):
    pool.left = budget = 100 * MIB
    storage(pool, *[MIB] * 30, 8)
    assert pool.left < budget - 30 * MIB
    held = pool.bytes()
    assert held > 30 * MIB
    assert pool.empty() == held
    assert pool.bytes() == 0 == pool.empty()
    assert pool.left == budget


def test_what_is_kept_is_given_back_before_memory_is_short(pool):
    pool.left = 12 * MIB
    storage(pool, 6 * MIB)
    assert pool.bytes() > 6 * MIB
    (other,) = storage(pool, 9 * MIB)
    assert other is not None
    assert storage(pool, 12 * MIB) == [None]
    assert storage(pool, 9 * MIB)[0] is not None


def test_storage_that_grows_takes_what_is_kept_before_memory_is_short(pool):
    pool.left = 10 * MIB
    storage(pool, 2 * MIB, 2 * MIB, 2 * MIB)
    arena = pool.open()
    memory, capacity = pool.grow(arena, None, 0, 1000)
    while capacity * 1000 < 4 * MIB:
        memory, capacity = pool.grow(arena, memory, capacity, 1000)
        assert memory
    refused, same = pool.grow(arena, memory, capacity, 10 * MIB)
    assert refused is None and same == capacity
    pool.close(arena, False)


def test_what_nobody_needs_is_given_back_after_a_while(pool):
    pool.now += SECONDS
    storage(pool, *[MIB] * 20)
    held = pool.bytes()
    for k in range(5):
        pool.now += SECONDS - 1
        storage(pool, *[MIB] * 10)
        assert (pool.bytes() > held - MIB) == (k < 1), k
    assert 10 * MIB < pool.bytes() < 12 * MIB
    pool.now -= 100  # a clock that is set back
    storage(pool, *[MIB] * 10)
    assert 10 * MIB < pool.bytes() < 12 * MIB


def test_more_than_the_largest_class_is_not_kept(pool):
    pool.left = MIB
    for size in (1 << 40, 1 << 45, 1 << 60, (1 << 60) + 1, -1):
        assert storage(pool, size) == [None]
    assert CLASSES == 8 * (40 - 6) + 1


def test_a_lock_that_nobody_will_give_up_stops_nobody(pool):
    storage(pool, *[MIB] * 3, 8)
    pool.set_locks(1)
    assert None not in storage(pool, *[MIB] * 3, 8)
    assert pool.empty() == 0


@pytest.mark.parametrize("sets", [1, SETS])
def test_sixteen_threads_at_once(sets, monkeypatch):
    monkeypatch.setattr("enzyme.engine.synthesis.pool.SETS", sets)
    pool, problems = Pool(), []

    def stress(seed):
        try:
            work(pool, seed, 20)
            assert pool.busy(seed, 100_000) == 0
        except BaseException as error:
            problems.append(error)

    threads = [threading.Thread(target=stress, args=(seed,)) for seed in range(16)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        pool.empty()
        for thread in threads:
            thread.join(0.01)
    assert not problems
    pool.empty()
    assert pool.bytes() == 0


# --- derivatives ----------------------------------------------------------------------------------


@njit
def in_new_arrays(x, steps):
    y = np.zeros_like(x)
    for _ in range(steps):
        y = np.sin(y) + 0.1 * x
    return y


@njit
def last_of(x, steps):
    return in_new_arrays(x, steps)[-1]


@njit
def until(x, steps):
    s, k = x[0], 0
    while k < steps and s < 100.0:
        s = s + np.sin(s) * x[k % len(x)]
        k += 1
    return s


@njit
def in_recursion(x, steps):
    if steps < 2:
        return x[steps] * x[0]
    return np.sin(in_recursion(x, steps // 2)) + in_recursion(x, steps // 2 - 1) * x[1]


X = np.linspace(0.1, 0.9, 2000)
PROGRAMS = {"arrays": (last_of, 100), "while": (until, 100_000), "recursion": (in_recursion, 20000)}


def faults_of(call):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    call()
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


def calls_of(function, n):
    """A derivative in every mode."""
    x, dx = Duplicated(X, np.zeros_like(X)), np.ones_like(X)
    first, second = autodiff_thunk(
        ReverseSplitNoPrimal, Const[typeof(function)], Active, Duplicated[typeof(X)], Const[int]
    )

    def split():
        tape, _, _ = first(Const(function), x, Const(n))
        second(Const(function), x, Const(n), 1.0, tape)

    yield "reverse", lambda: autodiff(Reverse, function, Active, x, Const(n))
    yield "split", split
    yield "forward", lambda: autodiff(Forward, function, Duplicated(X, dx), Const(n))
    both = BatchDuplicated(X, (dx, 2.0 * dx))
    yield "batch", lambda: autodiff(Forward, function, both, Const(n))


@pooled
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_second_call_maps_no_memory(name):
    function, n = PROGRAMS[name]
    for mode, call in calls_of(function, n):
        call()
        empty_pool()
        first, second = faults_of(call), min(faults_of(call) for _ in range(3))
        assert second < 10, (mode, first, second)
        if mode in ("reverse", "split"):
            assert first > 100, (mode, first)


@pooled
def test_arrays_that_leave_come_back():
    x = Duplicated(X, np.ones_like(X))

    def derivative():
        return autodiff(Forward, in_new_arrays, DuplicatedNoNeed, x, Const(50))[0]

    expected = derivative().copy()
    alive = live_memory()
    kept = [derivative() for _ in range(20)]
    assert live_memory()[1] - alive[1] == 20
    addresses = {shadow.ctypes.data for shadow in kept}
    assert len(addresses) == 20 and all(address % 32 == 0 for address in addresses)
    for shadow in kept:
        np.testing.assert_array_equal(shadow, expected)
        assert memoryview(shadow.base).nbytes == X.nbytes
    del shadow
    held = pool_bytes()
    thread = threading.Thread(target=kept.clear)
    thread.start()
    thread.join()
    assert pool_bytes() >= held + 20 * X.nbytes
    assert live_memory() == alive


@pooled
def test_tapes_that_are_dropped_in_another_thread_come_back():
    first, _ = autodiff_thunk(
        ReverseSplitNoPrimal, Const[typeof(last_of)], Active, Duplicated[typeof(X)], Const[int]
    )
    alive = live_memory()
    tapes = [first(Const(last_of), Duplicated(X, np.zeros_like(X)), Const(20))[0] for _ in range(5)]
    held = pool_bytes()
    thread = threading.Thread(target=tapes.clear)
    thread.start()
    thread.join()
    assert pool_bytes() > held + 5 * 20 * X.nbytes
    assert live_memory() == alive


@pooled
def test_a_bound_holds_for_derivatives():
    def call():
        autodiff(ReverseWithPrimal, last_of, Active, Duplicated(X, np.zeros_like(X)), Const(500))

    try:
        bound_pool(4 * MIB)
        call()
        assert pool_bytes() < 5 * MIB
    finally:
        bound_pool(1 << 30)
    call()
    assert pool_bytes() > 8 * MIB
    held = pool_bytes()
    assert empty_pool() >= held
    with pytest.raises(ValueError, match="-1 bytes"):
        bound_pool(-1)
    with pytest.raises(TypeError):
        bound_pool(1.5)


def test_a_derivative_of_a_derivative_keeps_its_memory():
    @njit
    def slope(x, n):
        dx = np.zeros_like(x)
        autodiff(Reverse, last_of, Active, Duplicated(x, dx), Const(n))
        return dx.sum()

    def call():
        x = Duplicated(X[:100].copy(), np.zeros(100))
        autodiff(Reverse, slope, Active, x, Const(200))
        return x.dval

    expected = call()
    before = live_memory()
    assert min(faults_of(call) for _ in range(3)) < 10 or poison.SWITCH in os.environ
    np.testing.assert_array_equal(call(), expected)
    assert live_memory() == before


def test_children_and_the_end_of_the_interpreter():
    assert output_of("at_exit") == "(3000,)\n"


@pooled
@pytest.mark.parametrize("width", [1, 3])
def test_forward_mode_lets_go_of_what_the_function_lets_go_of(width):
    shadows = tuple(k * np.ones_like(X) for k in range(1, width + 1))
    x = BatchDuplicated(X, shadows)
    results = []
    for steps in (10, 500):
        empty_pool()
        results.append(autodiff(Forward, last_of, x, Const(steps)))
        assert 0 < pool_bytes() < 6 * (1 + width) * X.nbytes, steps
    assert np.isfinite(np.sum(results))


def test_what_the_arena_lets_go_of():
    """Objects that it holds alone go, those that others hold, or that it took long ago, stay."""
    module = arena.register()
    word = ctypes.c_void_p
    make = ctypes.CFUNCTYPE(word, ctypes.c_size_t)(_nrt_python.c_helpers["MemInfo_alloc"])
    hold = module.function("enzyme_hold", None, word, word, ctypes.c_int64)
    let_go = module.function("enzyme_let_go", None, word, word)
    one = module.function("enzyme_open", word)()
    before = live_memory()
    objects = [make(8) for _ in range(100)]
    for made in objects:
        hold(one, made, 0)
    expected = before[1] + len(objects)
    for k in (99, 50, 98, 40, 97, 0):  # 64 are looked through
        let_go(objects[k], one)
        expected -= k >= 40
        assert live_memory()[1] == expected, k
    hold(one, objects[60], 0)
    let_go(objects[60], one)  # which the arena holds twice
    let_go(None, one)
    assert live_memory()[1] == expected
    for k, made in enumerate(objects):
        if k not in (0, 40, 50, 60, 97, 98, 99):
            let_go(made, one)
    module.function("enzyme_close", None, word, ctypes.c_bool)(one, False)
    assert live_memory() == before
