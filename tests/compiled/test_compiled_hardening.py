"""What an attack and a review found in derivatives in jitted code."""

from __future__ import annotations

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
    Reverse,
    ReverseSplitWidth,
    ReverseWithPrimal,
    Split,
    autodiff,
    autodiff_thunk,
    gradient,
    jacobian,
    typeof,
)
from enzyme.errors import ActivityError, ShadowLayoutError, ShadowTypeError
from tests.programs.memory import live_memory

pytestmark = pytest.mark.rotating(14)


@njit("float64(Tuple((float64,float64[:])))")
def declared(t):
    return t[0] * t[1][0]


@njit
def total(x):
    return np.sum(x * x)


@njit
def doubled(x):
    return x * 2.0


def test_members_of_tuples_are_converted():
    @njit
    def run(x):
        return autodiff(ReverseWithPrimal, declared, Active, Const((2, x)))

    assert run(np.full(2, 1.5)) == ((None,), 3.0)


def test_strides_that_are_no_multiples_of_items():
    records = np.zeros(4, np.dtype([("a", "f8"), ("b", "i4")]))
    records["a"] = [1.0, 2.0, 3.0, 4.0]

    @njit
    def run(x):
        return gradient(Reverse, total, x)

    np.testing.assert_array_equal(run(records["a"]), [2.0, 4.0, 6.0, 8.0])


def test_annotations_that_were_not_checked():
    @njit
    def run(annotated):
        return autodiff(Reverse, total, Active, annotated)

    memory = np.zeros(10)
    for shadow, kind in (
        (memory[4::-1][:4], ShadowLayoutError),
        (np.zeros(4, np.float32), ShadowTypeError),
    ):
        with pytest.raises(kind):
            run(Duplicated(np.ones(4), shadow, check=False))
    with pytest.raises(ShadowLayoutError):
        run(Duplicated(np.ones(4), np.zeros(3), check=False))
    assert not memory.any()


@njit
def overwriting(x):
    x[0] = 2.0 * x[0]
    return x[0]


@njit
def first_of_tuple(t):
    return t[0][0]


def test_read_only_shadows():
    @njit
    def forward(x, dx):
        return autodiff(Forward, overwriting, Duplicated(x, dx))

    @njit
    def of_tuple(x, dx):
        return autodiff(Reverse, first_of_tuple, Active, Duplicated((x,), (dx,)))

    shadow = np.ones(2)
    shadow.flags.writeable = False
    for run in (forward, of_tuple):
        with pytest.raises(ShadowLayoutError, match="read-only"):
            run(np.ones(2), shadow)

    @njit
    def only_read(x, dx):
        return autodiff(Forward, total, Duplicated(x, dx))

    assert only_read(np.ones(2), shadow) == (4.0,)


def test_functions_that_write_run_on_copies():
    @njit
    def consuming(x, y):
        s = 0.0
        for i in range(x.size):
            s += x[i] * y[i]
            y[i] = 0.0
        return s

    @njit
    def run(x, y):
        return gradient(Forward, consuming, x, y), gradient(Forward, consuming, x, Const(y))

    x, y = np.ones(3), np.array([10.0, 20.0, 30.0])
    both, one = run(x, y)
    np.testing.assert_array_equal(both[0], y)
    np.testing.assert_array_equal(both[1], x)
    np.testing.assert_array_equal(one[0], y)


def test_one_array_twice_in_a_tuple():
    @njit
    def product(t):
        return t[0][0] * t[1][0]

    @njit
    def run(x):
        return gradient(Reverse, product, (x, x))

    for found in run(np.array([3.0])):
        np.testing.assert_array_equal(found, [3.0])


WIDE = ReverseSplitWidth(Split(Reverse, return_shadow=False), 2)
FORWARD, REVERSE = autodiff_thunk(
    WIDE, Const[typeof(doubled)], Duplicated, BatchDuplicated[typeof(np.ones(1)), 2]
)


@njit
def without_shadow(x, d1, d2):
    tape, _, _ = FORWARD(Const(doubled), BatchDuplicated(x, (d1, d2)))
    return REVERSE(Const(doubled), BatchDuplicated(x, (d1, d2)), tape)


@njit
def zero_tangent(x):
    return autodiff(Forward, doubled, DuplicatedNoNeed, Const(x))


def test_results_that_nobody_gets_are_released():
    x, d1, d2 = np.ones(3), np.zeros(3), np.zeros(3)
    for _ in range(2):
        before = live_memory()
        without_shadow(x, d1, d2)
        assert not zero_tangent(x)[0].any()
    assert live_memory() == before


@njit
def may_raise(x):
    y = x * 2.0
    if x[0] > 900.0:
        raise ValueError("large")
    return y[0] * y[1] * x[0]


@njit
def once(x, dx):
    return autodiff(Reverse, may_raise, Active, Duplicated(x, dx))


@njit
def twice(x, dx, v, dv):
    autodiff(Reverse, once, Const, Duplicated(x, dx), Duplicated(v, dv))


@njit
def slope(x):
    return gradient(Reverse, may_raise, x)


@njit
def curvature(x):
    return jacobian(Forward, slope, x)


def test_exceptions_inside_third_derivatives():
    x = np.array([1.0, 2.0])
    expected = np.zeros((2, 2, 2))
    expected[0, 0, 1] = expected[0, 1, 0] = expected[1, 0, 0] = 8.0
    np.testing.assert_array_equal(jacobian(Forward, curvature, x), expected)
    before = None
    for k in range(30):
        arrays = [np.full(2, 1000.0), *(np.zeros(2) for _ in range(7))]
        pairs = [Duplicated(arrays[2 * i], arrays[2 * i + 1]) for i in range(4)]
        for mode in (Forward, Reverse):
            with pytest.raises(ValueError, match="large"):
                autodiff(mode, twice, Const, *pairs)
        noise = [np.full(2 + n % 7, 7.0) for n in range(50)]
        assert all((values == 7.0).all() for values in noise)
        if k == 3:
            before = live_memory()
    assert live_memory() == before


def test_advice_is_what_compiled_code_takes():
    @njit
    def mixed(x):
        return autodiff(Reverse, lambda p: p[0] * p[1][0], Active, Duplicated((2.0, x), (0.0, x)))

    @njit
    def complex_result(z):
        return autodiff(Reverse, lambda z: z * z, Active, Active(z))

    for f, x in ((mixed, np.ones(2)), (complex_result, 1j)):
        with pytest.raises(ActivityError) as caught:
            f(x)
        assert "MixedDuplicated" not in str(caught.value)
        assert "ReverseHolomorphic" not in str(caught.value)
