"""Whole programs with factorisations, against differences: likelihoods, total least squares, a function of a matrix."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from enzyme import Active, Const, Duplicated, Forward, Reverse, autodiff

pytestmark = pytest.mark.rotating(18)

RNG = np.random.default_rng(2)
TIMES = np.linspace(0.0, 3.0, 7)
SIGNAL = np.sin(TIMES) + 0.1 * RNG.standard_normal(7)


@njit
def gaussian_process(t, times, signal):
    """The negative logarithm of the likelihood of a length, a height and noise."""
    n = len(times)
    k = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            d = (times[i] - times[j]) / t[0]
            k[i, j] = t[1] * t[1] * np.exp(-0.5 * d * d)
        k[i, i] += t[2] * t[2]
    factor = np.linalg.cholesky(k)
    z = np.linalg.solve(factor, signal)
    logarithm = 0.0
    for i in range(n):
        logarithm += np.log(factor[i, i])
    return 0.5 * np.dot(z, z) + logarithm


@njit
def process_gradient(t, times, signal):
    dt = np.zeros_like(t)
    autodiff(Reverse, gaussian_process, Active, Duplicated(t, dt), Const(times), Const(signal))
    return dt


@njit
def kalman(t, times, signal):
    """The same of a filter with a position and a velocity, noise of the state and of what is seen."""
    step = np.array([[1.0, 0.5], [0.0, 1.0]])
    noise = np.array([[t[0], 0.0], [0.1 * t[1], t[0]]])
    seen = np.array([[1.0, 0.2], [0.0, 1.0]])
    x, p = np.zeros(2), np.eye(2)
    total = 0.0
    for k in range(len(signal)):
        x = np.dot(step, x)
        p = np.dot(np.dot(step, p), step.T) + np.dot(noise, noise.T)
        s = np.dot(np.dot(seen, p), seen.T) + np.eye(2) * t[2]
        root = np.linalg.cholesky(s)
        error = np.array([signal[k], times[k]]) - np.dot(seen, x)
        whitened = np.linalg.solve(root, error)
        total += 0.5 * np.dot(whitened, whitened) + np.log(root[0, 0] * root[1, 1])
        gain = np.linalg.solve(s, np.dot(seen, p)).T.copy()
        x = x + np.dot(gain, error)
        p = p - np.dot(np.dot(gain, seen), p)
    return total


@njit
def total_least_squares(t, times, signal):
    """The slope of a line with errors in both coordinates."""
    points = np.empty((len(times), 2))
    for i in range(len(times)):
        points[i, 0] = times[i] * t[0] + t[1]
        points[i, 1] = signal[i] * t[2] - t[0] * t[1]
    vh = np.linalg.svd(points, False)[2]
    return -vh[1, 0] / vh[1, 1]


@njit
def spectral(t, times, signal):
    """An element of the logarithm of a matrix."""
    n = len(times)
    a = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            a[i, j] = np.exp(-t[0] * abs(times[i] - times[j])) * t[1]
        a[i, i] += t[2]
    w, v = np.linalg.eigh(a)
    return (v[0] * np.log(w) * v[3]).sum()


START = np.array([0.8, 1.1, 0.4])


def by_differences(f, t, h=1e-6):
    return np.array([(f(t + e) - f(t - e)) / (2 * h) for e in np.eye(len(t)) * h])


@pytest.mark.parametrize("f", [gaussian_process, kalman, total_least_squares, spectral])
def test_gradient(f):
    found = np.zeros(3)
    autodiff(Reverse, f, Active, Duplicated(START, found), Const(TIMES), Const(SIGNAL))
    by = by_differences(lambda t: f(t, TIMES, SIGNAL), START)
    np.testing.assert_allclose(found, by, rtol=1e-7, atol=1e-8)


def test_hessian_of_a_gaussian_process():
    by = by_differences(lambda t: process_gradient(t, TIMES, SIGNAL), START)
    rows = [
        autodiff(Forward, process_gradient, Duplicated(START, e), Const(TIMES), Const(SIGNAL))[0]
        for e in np.eye(3)
    ]
    np.testing.assert_allclose(rows, by, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(rows, np.transpose(rows), rtol=1e-11, atol=1e-11)
