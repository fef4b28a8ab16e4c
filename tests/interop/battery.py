"""Functions that every host gets: name, function, and what it takes."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

RNG = np.random.default_rng(11)
V, W, M = RNG.normal(size=3), RNG.normal(size=3), RNG.normal(size=(3, 2))
TABLE = RNG.normal(size=5)


@njit
def helper(x, k):
    return math.tanh(x * k)


def scratch(x):
    work = np.zeros(x.shape[0])
    work[0] = x[0]
    for i in range(1, x.shape[0]):
        work[i] = 0.5 * work[i - 1] + x[i] * x[i]
        work[i - 1] *= x[i]
    return work


def newton(a):
    x = a
    while abs(x * x - a) > 1e-13 * a:
        x = 0.5 * (x + a / x)
    return x


def overwritten(x):
    y = x.copy()
    for _ in range(3):
        for i in range(len(y)):
            y[i] = math.sin(y[i]) + 0.1 * y[i - 1]
    return y.sum()


def written_argument(x):
    x[0] = x[1] * x[2]
    x *= 2.0
    return x * x


def branches(x):
    return x * x if x > 0.5 else 0.25 * x + 3.0 * x * x * x


def recurrence(x, a, b):
    s = 0.0
    out = np.empty_like(x)
    for i in range(len(x)):
        s = a * s + b * x[i] * x[i]
        out[i] = s
    return out


def guarded(x):
    if x.min() < -100.0:
        raise ValueError("too small")
    return np.exp(x) * x


def with_list(x):
    parts = [x[0]]
    for i in range(1, len(x)):
        parts.append(parts[-1] * x[i])
    return parts[-1] + parts[0]


def looked_up(x, table, index):
    return (table[index] * x).sum() + table[0] * x[0] ** 2


def spiral(x, y):
    z = complex(x, y)
    for _ in range(3):
        z = 0.3 * z * z + 1j * x
    return abs(z) + z.real


def waves(x):
    z = np.exp(1j * x) * (x + 2j)
    return (z * np.conj(z)).real + z.imag


def counted(x, calls):
    calls[0] += 1
    return calls[0] * x * x


BATTERY = {
    "square": (lambda x: x * x, (1.3,)),
    "two numbers": (lambda x, y: math.sin(x) * y + y * y, (0.4, 1.7)),
    "sum of squares": (lambda x: (x * x).sum(), (V,)),
    "elementwise": (lambda x: np.sin(x) * x, (V,)),
    "vector and number": (lambda x, a: a * x * x, (V, 0.7)),
    "inner product": (lambda x, y: x @ y, (V, W)),
    "matrix and vector": (lambda m, x: m.T @ (x * x), (M, V)),
    "matrices": (lambda m: m @ m.T, (M,)),
    "norm": (lambda x: math.sqrt((x * x).sum()), (V,)),
    "two outputs": (lambda x: ((x * x).sum(), np.exp(x)), (V,)),
    "a count beside": (lambda x: (x * x * x, (x > 0).sum()), (V,)),
    "three outputs": (lambda x, y: (x * y, x.sum() * y, y[0] ** 3), (V, W)),
    "scratch": (scratch, (V,)),
    "while": (newton, (2.7,)),
    "in place": (overwritten, (V,)),
    "writes its argument": (written_argument, (V,)),
    "branch": (branches, (0.3,)),
    "other branch": (branches, (0.8,)),
    "recurrence": (recurrence, (V, 0.3, 1.2)),
    "guarded": (guarded, (V,)),
    "list": (with_list, (V,)),
    "helper": (lambda x: helper(x, 2.0) * x, (0.6,)),
    "jitted": (njit(lambda x: np.cos(x).sum()), (V,)),
    "constants": (looked_up, (V, TABLE, np.array([4, 0, 2]))),
    "closure": ((lambda k: lambda x: np.tanh(k * x))(1.5), (V,)),
    "returns its argument": (lambda x: (x, x.sum()), (V,)),
    "complex number": (spiral, (0.4, 0.7)),
    "complex numbers": (waves, (V,)),
    "arrays of its own": (lambda x: (TABLE[:3] * x * x).sum() + TABLE[4] * x[1] ** 3, (V,)),
    "writes a constant": (counted, (V, np.array([2, 5]))),
}


def called(f, *args):
    """What a function returns, which may write to its arguments."""
    return f(*(x.copy() if isinstance(x, np.ndarray) else x for x in args))


# Those that are run in single precision, too.
SINGLE = (
    "square", "two numbers", "elementwise", "vector and number", "matrix and vector", "two outputs",
    "scratch", "branch", "constants", "complex numbers",
)  # fmt: skip


def in_single_precision(args):
    """The arguments with floats of single precision."""
    return tuple(
        np.float32(x)
        if isinstance(x, float)
        else x.astype(np.float32)
        if isinstance(x, np.ndarray) and x.dtype.kind == "f"
        else x
        for x in args
    )
