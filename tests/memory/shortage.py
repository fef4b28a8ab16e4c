"""Derivatives when memory is short: ``python -m tests.memory.shortage``, for a process of its own.

Limits the memory of the process and asks every mode for more: each must raise MemoryError, keep no array of its own,
and work again afterwards.
"""

from __future__ import annotations

import mmap
import resource
from collections.abc import Callable, Iterator
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
def behind_others(x, n):
    kept = [np.full(4, x * i) for i in range(3)]
    w = np.full(n, x)
    return (w * kept[2][1])[n // 2] + kept[1].sum()


def modes(function: Any) -> Iterator[tuple[str, Callable[[int], Any]]]:
    """A call of each mode, for a size."""
    yield "forward", lambda n: autodiff(Forward, function, Duplicated(1.5, 1.0), Const(n))[0]
    yield (
        "batch",
        lambda n: autodiff(Forward, function, BatchDuplicated(1.5, (0.0, 1.0)), Const(n))[0][1],
    )
    yield "reverse", lambda n: autodiff(Reverse, function, Active, Active(1.5), Const(n))[0][0]
    first, second = autodiff_thunk(
        ReverseSplitNoPrimal, Const[typeof(function)], Active, Active[float], Const[int]
    )

    def split(n: int) -> Any:
        tape, _, _ = first(Const(function), Active(1.5), Const(n))
        return second(Const(function), Active(1.5), Const(n), 1.0, tape)[0][0]

    yield "split", split


def main() -> None:
    calls = [
        (f"{function.__name__}, {mode}", call)
        for function in (one_array, in_recursion, behind_others)
        for mode, call in modes(function)
    ]
    expected = [call(SMALL) for _, call in calls]
    size = int(Path("/proc/self/statm").read_text().split()[0]) * mmap.PAGESIZE
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (size + ROOM, hard))
    for (name, call), value in zip(calls, expected):
        blocks, objects = live_memory()
        try:
            call(LARGE)
        except MemoryError:
            print(name, flush=True)
        left = live_memory()
        assert left[1] == objects, name
        assert left[0] - blocks in (0, 1), name  # numba counts the block that it did not get
        assert call(SMALL) == value, name


if __name__ == "__main__":
    main()
