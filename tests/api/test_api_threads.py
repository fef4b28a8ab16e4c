"""Many threads compile and call the same and different derivatives at once."""

from __future__ import annotations

import random
import threading
import time

import numpy as np
from numba import njit

from enzyme import Active, Duplicated, Forward, Reverse, autodiff

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
