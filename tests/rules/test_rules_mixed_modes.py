"""Right rules for mixed arguments in programs: every mode agrees with differentiation without rules."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from enzyme import (
    Active,
    BatchDuplicated,
    BatchMixedDuplicated,
    Const,
    Duplicated,
    Forward,
    MixedDuplicated,
    Reverse,
    ReverseSplitWithPrimal,
    ReverseWithPrimal,
    autodiff,
    autodiff_thunk,
    gradient,
    typeof,
)
from enzyme.api.mixed import ref_to
from enzyme_rules import AugmentedReturn, augmented_primal, reverse
from tests.rules.mixed import energy

pytestmark = pytest.mark.rotating(14)

ENERGY = energy()
RNG = np.random.default_rng(11)


def looped(f):
    """Calls at depth, in a loop that changes the array, with arrays of the program's own."""

    @njit
    def inner(x, y):
        return f((x * x, y)) + f((x, y * x))

    @njit
    def h(v):
        y = v[1:].copy()
        s = v[0]
        for i in range(2 * len(y)):
            s = 0.5 * s + 0.1 * inner(0.3 * s, y)
            if i % 2 == 0:
                y[i % len(y)] *= 0.9 + 0.1 * s
        return s

    return h


def recursive(f):
    @njit
    def power(t, n):
        if n == 0:
            return t[0]
        return 0.1 * f((power(t, n - 1), t[1]))

    @njit
    def h(v):
        return power((v[0], v[1:]), 3)

    return h


@pytest.fixture(scope="module", params=[looped, recursive], ids=lambda make: make.__name__)
def programs(request):
    return request.param(ENERGY.ruled), request.param(ENERGY.plain)


def adjoints(h, v, seeds):
    """Gradients by an output in memory, so that every lane has a seed of its own."""

    @njit
    def stored(v, out):
        out[0] = h(v)

    shadows, outs = tuple(np.zeros_like(v) for _ in seeds), tuple(np.array([s]) for s in seeds)
    if len(seeds) == 1:
        args = Duplicated(v.copy(), shadows[0]), Duplicated(np.zeros(1), outs[0])
    else:
        args = BatchDuplicated(v.copy(), shadows), BatchDuplicated(np.zeros(1), outs)
    autodiff(Reverse, stored, Const, *args)
    return shadows


@pytest.mark.parametrize("width", [1, 2, 3])
def test_the_law(programs, width):
    ruled, plain = programs
    v, w, seeds = RNG.uniform(0.5, 1.0, 4), RNG.normal(size=4), RNG.normal(size=width)
    (ahead,) = autodiff(Forward, ruled, Duplicated(v.copy(), w.copy()))
    found = adjoints(ruled, v, seeds)
    for seed, mine, its in zip(seeds, found, adjoints(plain, v, seeds), strict=True):
        assert mine @ w == pytest.approx(seed * ahead, rel=1e-12)
        np.testing.assert_allclose(mine, its, rtol=1e-12)


def test_split_mode(programs):
    """Tapes of several calls are used in another order."""
    ruled, plain = programs
    kind = Duplicated[typeof(np.zeros(4))]
    ahead, back = autodiff_thunk(ReverseSplitWithPrimal, Const[typeof(ruled)], Active, kind)
    given = [Duplicated(RNG.uniform(0.5, 1.0, 4), np.zeros(4)) for _ in range(3)]
    begun = [(v, v.val.copy(), ahead(Const(ruled), v)) for v in given]
    for v, before, (tape, primal, _) in reversed(begun):
        assert primal == pytest.approx(plain(before.copy()), rel=1e-14)
        back(Const(ruled), v, 2.0, tape)
        np.testing.assert_allclose(v.dval, adjoints(plain, before, [2.0])[0], rtol=1e-12)


@pytest.fixture(scope="module")
def with_numbers_on_tape():
    """x * x * y[0] of (x, y), and its rules."""

    @njit
    def f(t):
        return t[0] * t[0] * t[1][0]

    @augmented_primal(f)
    def augmented(config, func, RT, t):
        primal = func.val(t.val) if config.needs_primal else None
        return AugmentedReturn(primal, None, t.val[1][0])

    @reverse(f)
    def adjoint(config, func, dret: Active, tape, t):
        x, (dx, dy) = t.val[0], t.dval[()]
        dy[0] += x * x * dret.val
        t.dval[()] = (dx + 2.0 * x * tape * dret.val, dy)
        return (None,)

    return f


@pytest.mark.parametrize("mode", [Forward, Reverse])
def test_derivatives_of_derivatives(with_numbers_on_tape, mode):
    """The rules are differentiated with the Refs that they use."""

    def bending(f):
        @njit
        def h(v):
            y = v.copy()
            s = v[0]
            for _ in range(3):
                s = 0.5 * s + 0.1 * f((s * v[1], y))
                y[0] *= s
            return s

        @njit
        def slope(v):
            d = np.zeros_like(v)
            autodiff(Reverse, h, Active, Duplicated(v, d))
            return (d * d).sum()

        v = np.array([0.6, 0.8])
        if mode is Forward:
            return autodiff(Forward, slope, Duplicated(v, np.ones(2)))[0]
        dv = np.zeros(2)
        autodiff(Reverse, slope, Active, Duplicated(v, dv))
        return dv

    plain = njit(lambda t: t[0] * t[0] * t[1][0])
    np.testing.assert_allclose(bending(with_numbers_on_tape), bending(plain), rtol=1e-12)


def test_compiled_callers():
    h = looped(ENERGY.ruled)

    @njit
    def run(v):
        d = np.zeros_like(v)
        autodiff(Reverse, h, Active, Duplicated(v.copy(), d))
        return d

    v = RNG.uniform(0.5, 1.0, 4)
    np.testing.assert_allclose(run(v), adjoints(looped(ENERGY.plain), v, [1.0])[0], rtol=1e-12)


def test_mixed_annotations_of_the_caller():
    """The function with rules is what the derivative is asked of."""
    t = 2.0, np.array([1.0, 2.0])
    ref = ref_to((1.0, np.ones(2)))
    found = autodiff(ReverseWithPrimal, ENERGY.ruled, Active, MixedDuplicated(t, ref))
    assert found == ((None,), 10.0)
    assert ref[()][0] == 6.0 and list(ref[()][1]) == [5.0, 9.0]
    dx, dy = gradient(Reverse, ENERGY.ruled, t)
    assert dx == 5.0 and list(dy) == [4.0, 8.0]


def test_mixed_batches_of_the_caller():
    f = ENERGY.ruled

    def stored(out, t):
        out[0] = f(t)

    refs = tuple(ref_to((0.0, np.zeros(2))) for _ in range(3))
    outs = tuple(np.array([s]) for s in (1.0, 2.0, 3.0))
    t = BatchMixedDuplicated((2.0, np.array([1.0, 2.0])), refs)
    autodiff(Reverse, stored, Const, BatchDuplicated(np.zeros(1), outs), t)
    assert [ref[()][0] for ref in refs] == [5.0, 10.0, 15.0]
    assert [list(ref[()][1]) for ref in refs] == [[4.0, 8.0], [8.0, 16.0], [12.0, 24.0]]
