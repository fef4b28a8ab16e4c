"""Functions with right rules in programs: every mode agrees with differentiation without rules."""

from __future__ import annotations

import random

import numpy as np
import pytest
from numba import njit

from enzyme import (
    Active,
    BatchDuplicated,
    Const,
    Duplicated,
    Forward,
    Reverse,
    ReverseSplitWithPrimal,
    ReverseWithPrimal,
    autodiff,
    autodiff_thunk,
    gradient,
    jacobian,
    typeof,
)
from tests.rules.wrong import consistent

pytestmark = pytest.mark.rotating(27)

PAIR = consistent()
RNG = np.random.default_rng(5)


def straight(f):
    @njit
    def h(x):
        y = np.empty_like(x)
        for i in range(len(x)):
            y[i] = f(x[i], x[-1 - i])
        return (y * y).sum() + f(y[0], 2.0)

    return h


def nested_loops(f):
    @njit
    def h(x):
        s = 1.0
        for i in range(len(x)):
            for j in range(i + 1):
                s = f(s, x[j])
                if s > 2.0:
                    s = s - f(x[i], 1.5)
            x[i] = s * x[i]
        return s + x.sum()

    return h


def recursive(f):
    @njit
    def power(x, n):
        if n == 0:
            return f(x, x)
        return f(power(x, n - 1), x)

    @njit
    def h(x):
        s = 0.0
        for i in range(len(x)):
            s += power(x[i], i)
        return s

    return h


def while_loop(f):
    @njit
    def h(x):
        s, n = x[0], 0
        while abs(s) < 3.0 and n < 50:
            s, n = f(s, x[n % len(x)]) * 1.1, n + 1
        return s * x[1]

    return h


PROGRAMS = [straight, nested_loops, recursive, while_loop]


@pytest.fixture(scope="module", params=PROGRAMS, ids=lambda make: make.__name__)
def programs(request):
    return request.param(PAIR.ruled), request.param(njit(PAIR.plain))


def arrays(count, size=4):
    return [RNG.uniform(0.5, 1.5, size=size) for _ in range(count)]


def reverse_of(h, x, width, seeds):
    """Gradients by an output in memory, so that every lane has a seed of its own."""

    @njit
    def stored(x, out):
        out[0] = h(x)

    shadows, outs = tuple(np.zeros_like(x) for _ in seeds), tuple(np.array([s]) for s in seeds)
    if width == 1:
        args = Duplicated(x.copy(), shadows[0]), Duplicated(np.zeros(1), outs[0])
    else:
        args = BatchDuplicated(x.copy(), shadows), BatchDuplicated(np.zeros(1), outs)
    autodiff(Reverse, stored, Const, *args)
    return shadows


def forward_of(h, x, tangents):
    given = tuple(t.copy() for t in tangents)
    if len(given) == 1:
        return autodiff(Forward, h, Duplicated(x.copy(), given[0]))
    return autodiff(Forward, h, BatchDuplicated(x.copy(), given))[0]


@pytest.mark.parametrize("width", [1, 2, 3])
def test_the_law(programs, width):
    """Tangents and adjoints of one program agree with each other and with those without rules."""
    ruled, plain = programs
    (x,) = arrays(1)
    tangents, seeds = arrays(width), RNG.normal(size=width)
    ahead, back = forward_of(ruled, x, tangents), reverse_of(ruled, x, width, seeds)
    np.testing.assert_allclose(ahead, forward_of(plain, x, tangents), rtol=1e-12)
    for lane in range(width):
        assert back[lane] @ tangents[lane] == pytest.approx(seeds[lane] * ahead[lane], rel=1e-12)
    for mine, theirs in zip(back, reverse_of(plain, x, width, seeds), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12)


def test_primal_results(programs):
    ruled, plain = programs
    (x,) = arrays(1)
    _, result = autodiff(ReverseWithPrimal, ruled, Active, Duplicated(x.copy(), np.zeros(4)))
    assert result == pytest.approx(plain(x.copy()), rel=1e-14)
    assert result == ruled(x.copy())


def test_outstanding_tapes(programs):
    ruled, plain = programs
    kind = Duplicated[typeof(np.zeros(4))]
    ahead, back = autodiff_thunk(ReverseSplitWithPrimal, Const[typeof(ruled)], Active, kind)
    calls = []
    for x in arrays(30):
        given = Duplicated(x.copy(), np.zeros(4))
        calls.append((x, given, ahead(Const(ruled), given)[0]))
    random.Random(1).shuffle(calls)
    for x, given, tape in calls:
        back(Const(ruled), given, 2.0, tape)
        (expected,) = reverse_of(plain, x, 1, [2.0])
        np.testing.assert_allclose(given.dval, expected, rtol=1e-12)


def test_inside_jitted_functions(programs):
    ruled, plain = programs

    @njit
    def slope(x, dx):
        d = np.zeros_like(x)
        autodiff(Reverse, ruled, Active, Duplicated(x.copy(), d))
        return d @ dx, autodiff(Forward, ruled, Duplicated(x.copy(), dx.copy()))[0]

    x, dx = arrays(2)
    back, ahead = slope(x, dx)
    assert back == pytest.approx(ahead, rel=1e-12)
    assert ahead == pytest.approx(forward_of(plain, x, [dx])[0], rel=1e-12)


def curvature(h):
    @njit
    def squared_gradient(x):
        d = np.zeros_like(x)
        autodiff(Reverse, h, Active, Duplicated(x.copy(), d))
        return (d * d).sum()

    return squared_gradient


def test_forward_over_reverse(programs):
    """The rules themselves are differentiated: those of the tangent of an adjoint."""
    if programs[0].__qualname__.startswith("recursive"):
        pytest.skip("recursion is differentiated once only")
    ruled, plain = map(curvature, programs)
    x, dx = arrays(2)
    found = autodiff(Forward, ruled, Duplicated(x.copy(), dx.copy()))
    np.testing.assert_allclose(
        found, autodiff(Forward, plain, Duplicated(x.copy(), dx.copy())), rtol=1e-11
    )


def test_reverse_over_forward(programs):
    ruled, plain = programs
    x, dx = arrays(2)

    def along(h):
        @njit
        def directional(x, dx):
            return autodiff(Forward, h, Duplicated(x.copy(), dx.copy()))[0]

        d = np.zeros(4)
        autodiff(Reverse, directional, Active, Duplicated(x, d), Const(dx))
        return d

    np.testing.assert_allclose(along(ruled), along(plain), rtol=1e-11)


def test_sugar():
    ruled, plain = straight(PAIR.ruled), straight(njit(PAIR.plain))
    (x,) = arrays(1, 3)
    for mode in (Forward, Reverse):
        np.testing.assert_allclose(gradient(mode, ruled, x), gradient(mode, plain, x), rtol=1e-12)

    def make(f):
        @njit
        def several(x):
            return np.array([f(x[0], x[1]), f(x[1], x[2]) * x[0]])

        return several

    ruled, plain = make(PAIR.ruled), make(njit(PAIR.plain))
    expected = jacobian(Forward, plain, x)
    np.testing.assert_allclose(jacobian(Forward, ruled, x), expected, rtol=1e-12)
    np.testing.assert_allclose(jacobian(Reverse, ruled, x, 2), expected, rtol=1e-12)
