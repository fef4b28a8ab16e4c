"""Arrays and tapes that are alive when the interpreter ends, and in children: ``python -m tests.memory.at_exit``."""

from __future__ import annotations

import builtins
import os
import threading

import numpy as np
from numba import njit

from enzyme import (
    Active,
    Const,
    Duplicated,
    DuplicatedNoNeed,
    Forward,
    Reverse,
    ReverseSplitNoPrimal,
    autodiff,
    autodiff_thunk,
    typeof,
)


@njit(nogil=True)
def longer(x):
    y = x.copy()
    for _ in range(50):
        y = np.sin(y) * x
    return y


@njit(nogil=True)
def total(x):
    return longer(x).sum()


def gradient() -> float:
    x, dx = np.linspace(0.1, 1.0, 3000), np.zeros(3000)
    autodiff(Reverse, total, Active, Duplicated(x, dx))
    return float(dx.sum())


def in_children(expected: float) -> None:
    """While other threads are busy with derivatives, children make some, too."""
    stop = threading.Event()

    def busy() -> None:
        while not stop.is_set():
            gradient()

    threads = [threading.Thread(target=busy) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in range(4):
        child = os.fork()
        if child == 0:
            os._exit(0 if all(gradient() == expected for _ in range(3)) else 1)
        _, status = os.waitpid(child, 0)
        assert status == 0, status
    stop.set()
    for thread in threads:
        thread.join()


def main() -> None:
    (array,) = autodiff(
        Forward, longer, DuplicatedNoNeed, Duplicated(np.linspace(0.1, 1.0, 3000), np.ones(3000))
    )
    first, _ = autodiff_thunk(
        ReverseSplitNoPrimal, Const[typeof(total)], Active, Duplicated[typeof(np.zeros(1))]
    )
    tape, _, _ = first(Const(total), Duplicated(np.ones(3000), np.zeros(3000)))
    # What is in `builtins` is let go of last, and what refers to itself by the garbage collector.
    builtins.kept = array, tape, [array * 1.0]
    builtins.kept[2].append(builtins.kept)
    in_children(gradient())
    print(array.shape)


if __name__ == "__main__":
    main()
