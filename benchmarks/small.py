"""Functions whose first call, or whose every call, is measured: they are no programs of a family."""

from __future__ import annotations

from math import cos, exp, log, sin

import numpy as np
from numba import njit


@njit
def warm_up(x):
    total = 0.0
    for i in range(x.shape[0]):
        total += sin(x[i]) * x[i]
    return total


@njit
def thirty_lines(x, w):
    """A two-layer network with a penalty, trained for a few steps: thirty lines of loops."""
    hidden = np.empty(w.shape[0])
    output = 0.0
    penalty = 0.0
    for i in range(w.shape[0]):
        s = 0.0
        for j in range(x.shape[0]):
            s += w[i, j] * x[j]
        if s > 0.0:
            hidden[i] = s
        else:
            hidden[i] = exp(s) - 1.0
    largest = hidden[0]
    for i in range(hidden.shape[0]):
        if hidden[i] > largest:
            largest = hidden[i]
    for i in range(hidden.shape[0]):
        output += exp(hidden[i] - largest)
    output = largest + log(output)
    for i in range(w.shape[0]):
        for j in range(w.shape[1]):
            penalty += w[i, j] * w[i, j]
    state = output
    step = 0
    while step < 10:
        state = state - 0.1 * (state - sin(state) * penalty)
        step += 1
    y = x.copy()
    for j in range(1, y.shape[0]):
        y[j] = 0.5 * (y[j] + y[j - 1])
    for j in range(y.shape[0]):
        state += y[j] * cos(y[j])
    return state + 0.01 * penalty


@njit
def square(x):
    return x * x
