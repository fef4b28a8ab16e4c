"""Calls that fail and whose caller goes on: exceptions that are caught, generators that come to their end.

All callees stay calls, because they call themselves or are called from two places.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from tests.programs.cases import program


@njit
def _goes_down(x, v, n):
    if n == 0:
        if v[0] > 1.0:
            raise ValueError("too large")
        return x * v[0]
    v[n] = v[n] * x
    return math.sin(_goes_down(x * v[n], v, n - 1)) + x


@program(
    lambda rng: (0.3, np.array([0.5, 0.7, 0.8, 0.9])),
    lambda rng: (0.8, rng.uniform(1.1, 1.5, 4)),
    lambda rng: (0.8, rng.uniform(0.1, 0.2, 4)),
    keeps=True,
)
@njit
def caught_after_writing(x, v):
    """What was written before the exception counts."""
    t = x
    for k in range(3):
        try:
            t += _goes_down(x + k, v, 3)
        except Exception:
            t += x * v[1]
        v[0] += 0.3
    return t


@njit
def _catches_itself(x, v, n):
    v[n] *= x
    if n == 0:
        if v[0] < 0.5:
            raise ValueError("too small")
        return v[0]
    try:
        return _catches_itself(x * 0.9, v, n - 1) * v[n]
    except Exception:
        v[0] += v[n] * x
        return math.sin(v[n])


@program(
    lambda rng: (0.3, rng.uniform(0.5, 1.5, 4)),
    lambda rng: (0.9, rng.uniform(1.0, 1.5, 4)),
    keeps=True,
)
@njit
def caught_by_the_callee(x, v):
    return _catches_itself(x, v, 3) + v.sum() * x


@njit
def _deep(x, v, n):
    v[n] = math.sin(v[n] * x)
    if n == 0:
        assert v[0] < 0.4
        return v[0]
    return x * _deep(x + v[n], v, n - 1)


@njit
def _between(x, v):
    """Hands on what is raised below, after a write of its own."""
    v[1] *= x
    s = _deep(x, v, 2)
    v[1] *= s
    return s


@program(
    lambda rng: (0.5, rng.uniform(0.5, 1.5, 3)),
    lambda rng: (0.5, rng.uniform(0.1, 0.2, 3)),
    keeps=True,
)
@njit
def caught_from_far_below(x, v):
    t = 0.0
    for _ in range(2):
        try:
            t += _between(x, v)
        except Exception:
            t += v[1] * v[2]
            v[2] *= x
    return t


@njit
def _numbers(x, y):
    s = y
    for i in range(len(x)):
        yield s * x[i]
        s = math.sin(s + x[i])
        while s > 0.5:
            s *= 0.7
            if s < 0.52:
                yield s


@program(
    lambda rng: (np.array([0.1, -0.1, 0.6, 0.1, -0.5, 0.4]), 0.7),
    lambda rng: (rng.uniform(-1.0, 1.0, 5), 0.2),
    lambda rng: (np.empty(0), 0.3),
    keeps=True,
)
@njit
def generators_with_several_ends(x, y):
    t = y
    for v in _numbers(x, y):
        t += v * v
    for v in _numbers(x, y):
        t += v * v
    return t


@njit
def _squares_until(x, v, most):
    s = x
    for i in range(len(v)):
        v[i] = v[i] * s
        s = s + v[i] * v[i]
        if s > most:
            return
        yield s


@program(
    lambda rng: (0.5, rng.uniform(0.5, 1.5, 5)),
    lambda rng: (0.1, rng.uniform(0.1, 0.2, 4)),
    keeps=True,
)
@njit
def generators_that_write_before_they_end(x, v):
    t = 1.0
    for s in _squares_until(x, v, 2.5):
        t *= s
    for s in _squares_until(x, v, 9.0):
        t += s * x
    return t + v.sum()


@njit
def _inner(x, y):
    for i in range(3):
        yield x[i] * y


@njit
def _outer(x, y):
    for i in range(3):
        for v in _inner(x, y * x[i]):
            yield v * y


@program(lambda rng: (rng.uniform(0.5, 1.5, 3), 0.5), keeps=True)
@njit
def generators_inside_generators(x, y):
    t = y
    for v in _outer(x, y):
        t += v * v
    return t
