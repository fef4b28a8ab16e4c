"""Counts calls that compiled code makes: ``python -m tests.memory.counted`` prints them as JSON.

In a process of its own, before anything is compiled, `malloc` and functions of the C library are
replaced, for compiled code only, by ones that count.
"""

from __future__ import annotations

import ctypes
import json
import math
import os

import llvmlite.binding as llvm
import numpy as np
from numba import njit

SIZES: list[int] = []
CALLS: dict[str, int] = {}
_KEPT: list[object] = []


def count_allocations() -> None:
    """Note the size of every `malloc` and `realloc`."""
    library = ctypes.CDLL(None)
    pointer, size = ctypes.c_void_p, ctypes.c_size_t
    library.malloc.restype, library.malloc.argtypes = pointer, [size]
    library.realloc.restype, library.realloc.argtypes = pointer, [pointer, size]

    def malloc(count):
        SIZES.append(count)
        return library.malloc(count)

    def realloc(old, count):
        SIZES.append(count)
        return library.realloc(old, count)

    _replace("malloc", ctypes.CFUNCTYPE(pointer, size)(malloc))
    _replace("realloc", ctypes.CFUNCTYPE(pointer, pointer, size)(realloc))


def count_calls(name: str) -> None:
    """Count the calls of a function of one number."""
    function = getattr(math, name)

    def counting(x):
        CALLS[name] = CALLS.get(name, 0) + 1
        return function(x)

    _replace(name, ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(counting))


def _replace(name: str, function: object) -> None:
    _KEPT.append(function)
    llvm.add_symbol(name, ctypes.cast(function, ctypes.c_void_p).value)


@njit
def counted_nest(x, steps):
    """Keeps a number per element and step; makes no array."""
    for _ in range(steps):
        for i in range(len(x)):
            x[i] = x[i] * x[i] + 0.1
    return x[0]


@njit
def uncounted_loop(x, tolerance):
    s = x
    while abs(s * s - x) > tolerance:
        s = s - 1e-4 * (s * s - x)
    return s


@njit
def pairs(x, cutoff):
    """An energy with a cut-off. The adjoint of a distance calls `sinh`: only for pairs that are near."""
    energy = 0.0
    for i in range(x.shape[0]):
        for j in range(i):
            r2 = 0.0
            for k in range(3):
                d = x[i, k] - x[j, k]
                r2 += math.cosh(d) - 1.0
            if r2 < cutoff * cutoff:
                energy += math.sin(r2)
    return energy


@njit
def log_sum_exp(x):
    largest = x[0]
    for i in range(len(x)):
        largest = max(largest, x[i])
    total = 0.0
    for i in range(len(x)):
        total += math.exp(x[i] - largest)
    return largest + math.log(total)


@njit
def cell(z, c, h):
    """The part of an LSTM cell that has the transcendental functions."""
    n = len(c)
    for i in range(n):
        forget = 1.0 / (1.0 + math.exp(-z[i]))
        enter = 1.0 / (1.0 + math.exp(-z[n + i]))
        leave = 1.0 / (1.0 + math.exp(-z[2 * n + i]))
        c[i] = forget * c[i] + enter * math.tanh(z[3 * n + i])
        h[i] = leave * math.tanh(c[i])
    return h.sum()


def main() -> None:
    os.environ["ENZYME_VECTOR_MATH"] = "0"  # each number is a call of the C library
    count_allocations()
    for name in ("sin", "cos", "exp", "tanh", "cosh", "sinh"):
        count_calls(name)
    from enzyme import Active, Const, Duplicated, Reverse, autodiff

    found: dict[str, object] = {}

    def large_allocations(call):
        call()
        first = max(SIZES, default=0)
        SIZES.clear()
        call()
        return first, [size for size in SIZES if size > 4096]

    def nest():
        x = Duplicated(np.full(1000, 0.3), np.ones(1000))
        autodiff(Reverse, counted_nest, Active, x, Const(50))

    def loop():
        autodiff(Reverse, uncounted_loop, Active, Active(2.0), Const(1e-10))

    found["counted nest"] = large_allocations(nest)
    found["uncounted loop"] = large_allocations(loop)

    def calls(function, *args):
        CALLS.clear()
        autodiff(Reverse, function, Active, *args)
        return dict(CALLS)

    def duplicated(x):
        return Duplicated(x, np.zeros_like(x))

    rng = np.random.default_rng(0)
    x = rng.uniform(size=(40, 3))
    near = [np.cosh(x[i] - x[j]).sum() - 3.0 < 0.2**2 for i in range(len(x)) for j in range(i)]
    found["pairs inside"] = int(sum(near)), len(near)
    found["pairs"] = calls(pairs, duplicated(x), Const(0.2))
    found["log-sum-exp"] = calls(log_sum_exp, duplicated(rng.normal(size=100)))
    arrays = [duplicated(rng.normal(size=n)) for n in (40, 10, 10)]
    found["LSTM cell"] = calls(cell, *arrays)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
