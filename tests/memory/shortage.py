"""Derivatives when memory is short: ``python -m tests.memory.shortage``, for a process of its own.

Limits the memory of the process and asks every mode for more: each must raise MemoryError, keep no array that numba
would not keep, and work again afterwards.
"""

from __future__ import annotations

import mmap
import resource
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit

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
    typeof,
)
from tests.programs.memory import live_memory

SMALL, LARGE = 10, 4_000_000  # of which one array fits
ROOM = 48 << 20


@njit
def one_array(x, n):
    w = np.zeros(n)
    w[0] = x
    for i in range(1, n):
        w[i] = w[i - 1] * 0.999 + x
    return w[n - 1]


@njit
def filled(x, n):
    w = np.empty(n)
    for i in range(n):
        w[i] = x * i
    return w


@njit
def in_recursion(x, n):
    if n < 3:
        return x
    w = filled(x, n)
    return w[n // 2] / n + in_recursion(x, n // 2)


@njit
def growing(x, kept, n, last):
    """Longer from call to call: what fails is a call inside, and callers hold arrays of their own."""
    w = filled(x * kept[0], n)
    if n >= last:
        return w
    deeper = growing(x, kept, n * 8, last)
    return deeper[: n // 2] * w[n // 3]


@njit
def returned(x, n):
    kept = np.full(3, x)
    last = growing(x, kept, 10, n)
    return last[1] / n + kept[1]


@njit
def behind_others(x, n):
    kept = [np.full(4, x * i) for i in range(3)]
    w = np.full(n, x)
    return (w * kept[2][1])[n // 2] + kept[1].sum()


@njit
def copied(x, n):
    """Two arrays that are not large, and a copy of one of them for each step."""
    m = n // 40 + 8
    u, d = np.full(m, x), np.zeros(m)
    for _ in range(200):
        for i in range(1, m - 1):
            d[i] = x * (u[i - 1] - u[i + 1]) - x * u[i] * u[i] * u[i]
        for i in range(m):
            u[i] += 0.01 * d[i]
    return u[m // 2]


def modes(function: Any) -> Iterator[tuple[str, Callable[[int], Any]]]:
    """A call of each mode, for a size."""

    def forward(n: int) -> Any:
        return np.sum(autodiff(Forward, function, Duplicated(1.5, 1.0), Const(n))[0])

    def batch(n: int) -> Any:
        return np.sum(autodiff(Forward, function, BatchDuplicated(1.5, (0.0, 1.0)), Const(n))[0][1])

    yield "forward", forward
    yield "batch", batch
    if function is filled:
        return
    yield "reverse", lambda n: autodiff(Reverse, function, Active, Active(1.5), Const(n))[0][0]
    first, second = autodiff_thunk(
        ReverseSplitNoPrimal, Const[typeof(function)], Active, Active[float], Const[int]
    )

    def split(n: int) -> Any:
        tape, _, _ = first(Const(function), Active(1.5), Const(n))
        return second(Const(function), Active(1.5), Const(n), 1.0, tape)[0][0]

    yield "split", split


def kept_after(call: Callable[[int], Any], name: str) -> int:
    """Objects that are left of a call with more memory than there is; prints `name` where it raised MemoryError."""
    blocks, objects = live_memory()
    try:
        call(LARGE)
    except MemoryError:
        print(name, flush=True)
    left = live_memory()
    assert left[0] - blocks <= left[1] - objects + 2, (
        name
    )  # numba counts blocks that it did not get
    return left[1] - objects


def main() -> None:
    functions = copied, one_array, filled, in_recursion, returned, behind_others
    calls = [
        (function, f"{function.__name__}, {mode}", call)
        for function in functions
        for mode, call in modes(function)
    ]
    expected = [call(SMALL) for _, _, call in calls]
    for function in functions:
        function(1.5, SMALL)
    size = int(Path("/proc/self/statm").read_text().split()[0]) * mmap.PAGESIZE
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (size + ROOM, hard))
    # Numba keeps what callers hold when a callee raises.
    own = {f: kept_after(partial(f, 1.5), f"{f.__name__}, primal") for f in functions}
    for (function, name, call), value in zip(calls, expected):
        assert kept_after(call, name) <= 3 * own[function], name
        assert call(SMALL) == value, name


if __name__ == "__main__":
    main()
