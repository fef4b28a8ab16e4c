"""Programs that take the length of their arrays for granted, called with this length and with others."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from enzyme import (
    Active,
    Const,
    Duplicated,
    Forward,
    Reverse,
    ReverseWithPrimal,
    autodiff,
    compile_report,
    explain,
)

pytestmark = pytest.mark.rotating(18)


@njit
def slope(u, p, out):
    out[0] = p[0] * (u[1] - u[0])
    out[1] = u[0] * (p[1] - u[2]) - u[1]
    out[2] = u[0] * u[1] - p[2] * u[2]


@njit
def midpoint(u0, p, steps):
    n = u0.size
    u = u0.copy()
    k = np.zeros(n)
    t = np.zeros(n)
    for _ in range(steps):
        slope(u, p, k)
        for j in range(n):
            t[j] = u[j] + 0.005 * k[j]
        slope(t, p, k)
        for j in range(n):
            u[j] += 0.01 * k[j]
    return u.sum()


@njit
def ends(u0, p, steps):
    """Two places by name, and all others in a loop: no length is likely."""
    u = u0.copy()
    for _ in range(steps):
        u[0] = u[1] * p[0]
        for j in range(1, u.size - 1):
            u[j] += 0.01 * (u[j - 1] * u[j + 1])
    return u.sum()


@njit
def fails(u0, p, steps):
    u = np.empty(u0.size)
    for i in range(u0.size):
        u[i] = u0[i]
    for _ in range(steps):
        if u[1] > 5.0:
            raise ValueError("large")
        u[0], u[1], u[2] = u[1] * p[0], u[2] + 1.0, u[0] * u[0]
    return u.sum()


def has_two_bodies(f):
    u, p = np.ones(4), np.ones(3)
    annotated = Duplicated(u, np.zeros(4)), Duplicated(p, np.zeros(3)), Const(5)
    return "likely:" in compile_report(f, Reverse, Active, *annotated)["ir"]["before"]


def test_a_second_body_is_made_where_all_places_are_named():
    assert [has_two_bodies(f) for f in (midpoint, fails, ends)] == [True, True, False]


def test_only_the_state_is_kept_at_the_likely_length():
    u, p = np.ones(3), np.ones(3)
    annotated = Duplicated(u, np.zeros(3)), Duplicated(p, np.zeros(3)), Const(5)
    storages = explain(midpoint, Reverse, Active, *annotated).functions[0].storages
    assert min(storage.bytes_per_iteration for storage in storages if storage.loops) == 24


@pytest.mark.parametrize("length", [3, 4, 6])
@pytest.mark.parametrize("mode", [Reverse, ReverseWithPrimal])
@pytest.mark.parametrize("f", [midpoint, fails, ends])
def test_derivatives_at_the_likely_length_and_at_others(f, mode, length):
    rng = np.random.default_rng(length)
    u, p = rng.uniform(0.1, 0.3, length), np.array([0.9, 1.1, 0.7])
    v, w = rng.standard_normal(length), rng.standard_normal(3)
    du, dp = np.zeros(length), np.zeros(3)
    for _ in range(2):  # the second call finds memory as the first one left it
        du[:], dp[:] = 0.0, 0.0
        found = autodiff(mode, f, Active, Duplicated(u, du), Duplicated(p, dp), Const(3))
        assert mode is Reverse or found[1] == pytest.approx(f(u, p, 3), rel=1e-14)
    (forward,) = autodiff(Forward, f, Duplicated(u, v), Duplicated(p, w), Const(3))
    assert np.dot(du, v) + np.dot(dp, w) == pytest.approx(forward, rel=1e-12)
    h = 1e-6
    moved = [f(u + t * v, p + t * w, 3) for t in (h, -h)]
    assert (moved[0] - moved[1]) / (2 * h) == pytest.approx(forward, rel=1e-6)


@pytest.mark.parametrize("length", [3, 4])
def test_the_primal_fails_in_both_bodies(length):
    u, p = np.full(length, 9.0), np.ones(3)
    with pytest.raises(ValueError, match="large"):
        autodiff(Reverse, fails, Active, Duplicated(u, np.zeros(length)), Const(p), Const(3))
