"""Many threads compile and call the same and different derivatives at once."""

from __future__ import annotations

import random
import threading
import time

import numpy as np
import pytest
from numba import float64, int64, njit

from enzyme import (
    Active,
    Const,
    Duplicated,
    Forward,
    Reverse,
    ReverseSplitWithPrimal,
    autodiff,
    autodiff_thunk,
)

SECONDS = 3.0


def functions(count):
    def make(k):
        def f(x, y):
            s = 0.0
            z = x.copy()
            for i in range(len(x)):
                s += np.sin(x[i] * (k + 1)) * y
                z[i] = z[i] * z[i] * 0.5
                if s > k:
                    s -= x[i] * z[i - 1]
            return s + z.sum()

        return njit(f)

    return [make(k) for k in range(count)]


def test_sixteen_threads():
    made = functions(6)
    known: dict[tuple[int, int], float] = {}
    lock, problems = threading.Lock(), []
    end = time.monotonic() + SECONDS

    def work(seed):
        chosen = random.Random(seed)
        try:
            while time.monotonic() < end:
                k, n = chosen.randrange(len(made)), chosen.choice([3, 50, 1000])
                x, dx = np.linspace(0.1, 1.1, n), np.zeros(n)
                if chosen.random() < 0.3:
                    arguments = Duplicated(x, np.ones(n)), Duplicated(1.3, 0.0)
                    _, total = autodiff(Forward, made[k], Duplicated, *arguments)
                else:
                    autodiff(Reverse, made[k], Active, Duplicated(x, dx), Active(1.3))
                    total = dx.sum()
                with lock:
                    expected = known.setdefault((k, n), total)
                assert abs(expected - total) <= 1e-10 * max(1.0, abs(total))
        except BaseException as error:
            problems.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems
    assert len(known) >= len(made)


def ticks_during(call):
    """How often another thread of Python runs while `call` does."""
    count, stop = [0], threading.Event()

    def tick():
        while not stop.is_set():
            count[0] += 1
            time.sleep(1e-3)

    thread = threading.Thread(target=tick)
    thread.start()
    while not count[0]:
        time.sleep(1e-3)
    before = count[0]
    call()
    after = count[0]
    stop.set()
    thread.join()
    return after - before


@pytest.mark.parametrize("mode", ["combined", "forward", "split"])
@pytest.mark.parametrize("nogil", [False, True])
def test_a_derivative_gives_up_the_lock_of_the_interpreter_if_the_function_does(mode, nogil):
    @njit(nogil=nogil)
    def logistic(x, n):
        for _ in range(n):
            x = 3.5 * x * (1.0 - x)
        return x

    pair = autodiff_thunk(
        ReverseSplitWithPrimal, Const(logistic), Active, Active[float64], Const[int64]
    )
    calls = {
        "combined": lambda n: autodiff(Reverse, logistic, Active, Active(0.3), Const(n)),
        "forward": lambda n: autodiff(Forward, logistic, Duplicated(0.3, 1.0), Const(n)),
        "split": lambda n: pair[0](Const(logistic), Active(0.3), Const(n)),
    }
    call = calls[mode]
    call(10)
    begin = time.monotonic()
    call(1_000_000)
    seconds = time.monotonic() - begin
    # About 0.3 seconds: the other thread cannot run in them, or as often as it wants to.
    ticks = ticks_during(lambda: call(int(1_000_000 * 0.3 / seconds)))
    assert ticks > 10 if nogil else ticks < 5
