"""Every array of a result holds one reference: also what tangents share with values, as arrays of integers."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from numba import njit

from enzyme import (
    Active,
    BatchDuplicated,
    Const,
    Duplicated,
    DuplicatedNoNeed,
    Forward,
    ForwardWithPrimal,
    ReverseSplitNoPrimal,
    ReverseSplitWithPrimal,
    autodiff,
    autodiff_thunk,
    jacfwd,
    jvp,
    linearize,
    typeof,
    vjp,
)
from tests.programs.memory import live_memory

pytestmark = pytest.mark.rotating(14)


@njit
def beside(x):
    return x * x, np.arange(3)


@njit
def inside(x):
    return x * x, (np.arange(3), x, np.full(3, x)), x > 1.0


@njit
def alone(x):
    return np.full(3, x), np.arange(3), np.arange(3.0)


@njit
def twice(x):
    a, b = np.arange(3), np.full(2, x)
    return x * x, a, a, b, b


@njit
def wide(x):
    return np.full(2, x), np.arange(3), np.zeros(2, np.bool_)


def jobs(f: Any) -> dict[str, Callable[[], Any]]:
    def split(mode: Any) -> Any:
        ahead, back = autodiff_thunk(mode, Const[typeof(f)], Duplicated, Active[float])
        tape, *found = ahead(Const(f), Active(2.5))
        back(Const(f), Active(2.5), tape)
        return tuple(found)

    def two() -> Any:
        return BatchDuplicated(2.5, (1.0, 2.0))

    return {
        "with primal": lambda: autodiff(ForwardWithPrimal, f, Duplicated, Duplicated(2.5, 1.0)),
        "forward": lambda: autodiff(Forward, f, Duplicated, Duplicated(2.5, 1.0)),
        "no need": lambda: autodiff(Forward, f, DuplicatedNoNeed, Duplicated(2.5, 1.0)),
        "constant": lambda: autodiff(ForwardWithPrimal, f, Const, Duplicated(2.5, 1.0)),
        "batch": lambda: autodiff(ForwardWithPrimal, f, BatchDuplicated, two()),
        "jvp": lambda: jvp(f, (2.5,), (1.0,)),
        "jacfwd": lambda: jacfwd(f)(2.5),
        "vjp": lambda: vjp(f, 2.5)[0],
        "linearize": lambda: linearize(f, 2.5)[0],
        "split": lambda: split(ReverseSplitWithPrimal),
        "split without primal": lambda: split(ReverseSplitNoPrimal),
        "compiled": njit(lambda: autodiff(ForwardWithPrimal, f, Duplicated, Duplicated(2.5, 1.0))),
        "compiled, forward": njit(lambda: autodiff(Forward, f, Duplicated, Duplicated(2.5, 1.0))),
        "compiled, jvp": njit(lambda: jvp(f, (2.5,), (1.0,))),
        "compiled, batch": njit(
            lambda: autodiff(Forward, f, BatchDuplicated, BatchDuplicated(2.5, (1.0, 2.0)))
        ),
    }


def _arrays(x: Any) -> Iterator[Any]:
    if isinstance(x, np.ndarray):
        yield x
    elif isinstance(x, tuple):
        for part in x:
            yield from _arrays(part)


@pytest.mark.parametrize("f", [beside, inside, alone, twice, wide], ids=lambda f: f.__name__)
def test_references(f: Any) -> None:
    for name, job in jobs(f).items():
        if "split" in name and f not in (alone, wide):
            continue  # results of floats beside memory
        found = job()
        holders: dict[int, list[Any]] = {}
        for array in _arrays(found):
            if hasattr(array.base, "refcount"):
                holders.setdefault(array.ctypes.data, []).append(array.base)
        for bases in holders.values():
            assert bases[0].refcount == len(set(map(id, bases))), name
        array = bases = None
        del found, holders
        gc.collect()
        before = live_memory()
        for _ in range(20):
            job()
        gc.collect()
        assert live_memory() == before, name
