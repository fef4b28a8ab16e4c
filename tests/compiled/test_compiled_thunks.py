"""Thunks, tapes and types of tapes inside jitted functions."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit
from numba.experimental import jitclass

from enzyme import (
    Active,
    BatchDuplicated,
    Const,
    Duplicated,
    Forward,
    Reverse,
    ReverseSplitNoPrimal,
    ReverseSplitWidth,
    ReverseSplitWithPrimal,
    autodiff,
    autodiff_deferred_thunk,
    autodiff_thunk,
    tape_type,
    typeof,
)
from enzyme.errors import ActivityError, EnzymeRuntimeException, ShadowLayoutError, ThunkCallError
from tests.programs.memory import live_memory


@njit
def product(a, v):
    r = a[0] * v
    a[0] = 0.0
    return r


@njit
def other_product(a, v):
    return a[0] * v


@njit
def doubled(x):
    return x * 2.0


ARRAY = np.array([2.2])
TYPES = Duplicated[typeof(ARRAY)], Active[float]
SIGNATURE = (ReverseSplitWithPrimal, Const[typeof(product)], Active, *TYPES)
FORWARD, REVERSE = autodiff_thunk(*SIGNATURE)
TAPE = tape_type(*SIGNATURE)
OTHER_FORWARD, _ = autodiff_thunk(
    ReverseSplitWithPrimal, Const[typeof(other_product)], Active, *TYPES
)


@njit
def with_made_thunk(a, da, v):
    tape, primal, shadow = FORWARD(Const(product), Duplicated(a, da), Active(v))
    return REVERSE(Const(product), Duplicated(a, da), Active(v), 1.0, tape), primal, shadow


@njit
def with_own_thunk(a, da, v):
    forward, reverse = autodiff_thunk(
        ReverseSplitWithPrimal,
        Const[typeof(product)],
        Active,
        Duplicated[typeof(a)],
        Active[float],
    )
    tape, primal, shadow = forward(Const(product), Duplicated(a, da), Active(v))
    return reverse(Const(product), Duplicated(a, da), Active(v), 1.0, tape), primal, shadow


@njit
def with_deferred_thunk(a, da, v):
    forward, reverse = autodiff_deferred_thunk(
        ReverseSplitWithPrimal, TAPE, Const[typeof(product)], Active, Active[float],
        Duplicated[typeof(a)], Active[float],
    )  # fmt: skip
    tape, primal, shadow = forward(Const(product), Duplicated(a, da), Active(v))
    return reverse(Const(product), Duplicated(a, da), Active(v), 1.0, tape), primal, shadow


@jitclass
class Holder:
    tape: TAPE

    def __init__(self, tape):
        self.tape = tape


@njit
def with_tape_in_a_field(a, da, v):
    tape, primal, shadow = FORWARD(Const(product), Duplicated(a, da), Active(v))
    holder = Holder(tape)
    return REVERSE(Const(product), Duplicated(a, da), Active(v), 1.0, holder.tape), primal, shadow


@pytest.mark.parametrize(
    "run", [with_made_thunk, with_own_thunk, with_deferred_thunk, with_tape_in_a_field]
)
def test_values(run):
    a, da = np.array([2.2]), np.zeros(1)
    adjoints, primal, shadow = run(a, da, 3.3)
    assert adjoints == ((None, 2.2),)
    assert primal == pytest.approx(7.26) and shadow is None
    assert da[0] == 3.3 and a[0] == 0.0


@njit
def many(count, step):
    primals = [np.full(1, 2.0 + i) for i in range(count)]
    shadows = [np.zeros(1) for _ in range(count)]
    tapes = [
        FORWARD(Const(product), Duplicated(primals[i], shadows[i]), Active(float(i)))[0]
        for i in range(count)
    ]
    s = 0.0
    for i in range(count - 1, -1, -step):
        annotated = Duplicated(primals[i], shadows[i])
        s += REVERSE(Const(product), annotated, Active(float(i)), 1.0, tapes[i])[0][1]
    return s, shadows


def test_tapes_may_be_dropped():
    assert many(6, 3)[0] == 7.0 + 4.0
    before = live_memory()
    total, shadows = many(1000, 3)
    assert total == sum(2.0 + i for i in range(999, -1, -3))
    assert [d[0] for d in shadows[:4]] == [0.0, 0.0, 0.0, 3.0]
    del shadows
    assert live_memory() == before


@njit
def twice(a, da, v):
    tape, _, _ = FORWARD(Const(product), Duplicated(a, da), Active(v))
    for _ in range(2):
        REVERSE(Const(product), Duplicated(a, da), Active(v), 1.0, tape)


@njit
def with_other_shadow(a, da, v):
    tape, _, _ = FORWARD(Const(product), Duplicated(a, da), Active(v))
    return REVERSE(Const(product), Duplicated(a, da.copy()), Active(v), 1.0, tape)


def test_misuse_at_run_time():
    with pytest.raises(EnzymeRuntimeException, match="used already"):
        twice(np.array([2.2]), np.zeros(1), 3.3)
    with pytest.raises(ShadowLayoutError, match="than in the forward call"):
        with_other_shadow(np.array([2.2]), np.zeros(1), 3.3)


@njit
def without_tape(a, da, v):
    return REVERSE(Const(product), Duplicated(a, da), Active(v), 1.0)


@njit
def with_other_tape(a, da, v):
    tape, _, _ = OTHER_FORWARD(Const(other_product), Duplicated(a, da), Active(v))
    return REVERSE(Const(product), Duplicated(a, da), Active(v), 1.0, tape)


@njit
def with_other_function(a, da, v):
    return FORWARD(Const(other_product), Duplicated(a, da), Active(v))


@njit
def with_other_activity(a, da, v):
    return FORWARD(Const(product), Duplicated(a, da), Const(v))


@njit
def returned(a, da, v):
    return FORWARD(Const(product), Duplicated(a, da), Active(v))


def test_tapes_stay_in_compiled_code():
    with pytest.raises(ActivityError, match="leaves compiled code"):
        returned(np.ones(1), np.zeros(1), 1.0)


def test_read_only_shadow():
    da = np.zeros(1)
    da.flags.writeable = False
    with pytest.raises(ShadowLayoutError, match="read-only"):
        with_made_thunk(np.ones(1), da, 1.0)


@njit
def total(x):
    return (x * x).sum()


@njit
def batch_made_here(x, d1, d2):
    forward, reverse = autodiff_thunk(
        ReverseSplitNoPrimal, Const[typeof(total)], Active, BatchDuplicated[typeof(x), 2]
    )
    tape, _, _ = forward(Const(total), BatchDuplicated(x, (d1, d2)))
    return reverse(Const(total), BatchDuplicated(x, (d1, d2)), (1.0, 2.0), tape)


def test_batch_made_in_compiled_code():
    x, d1, d2 = np.arange(3.0), np.zeros(3), np.zeros(3)
    assert batch_made_here(x, d1, d2) == ((None,),)
    np.testing.assert_array_equal(d1, 2 * x)
    np.testing.assert_array_equal(d2, 4 * x)


@pytest.mark.parametrize(
    ("run", "text"),
    [
        (without_tape, "the order is: function, arguments, seed"),
        (with_other_tape, "is not the tape of a call"),
        (with_other_function, "takes"),
        (with_other_activity, r"Active\[float64\]"),
    ],
)
def test_misuse_of_types(run, text):
    with pytest.raises(ThunkCallError, match=text) as found:
        run(np.array([2.2]), np.zeros(1), 3.3)
    assert __file__ in str(found.value)


BATCH_FORWARD, BATCH_REVERSE = autodiff_thunk(
    ReverseSplitWidth(ReverseSplitNoPrimal, 2),
    Const[typeof(doubled)],
    Duplicated,
    BatchDuplicated[typeof(ARRAY), 2],
)


@njit
def seeded_in_the_shadow(x, d1, d2):
    tape, primal, shadows = BATCH_FORWARD(Const(doubled), BatchDuplicated(x, (d1, d2)))
    shadows[0][:] = 1.0
    shadows[1][:] = 3.0
    return BATCH_REVERSE(Const(doubled), BatchDuplicated(x, (d1, d2)), tape), primal


def test_batch_with_a_duplicated_result():
    d1, d2 = np.zeros(3), np.zeros(3)
    before = live_memory()
    assert seeded_in_the_shadow(np.ones(3), d1, d2) == (((None,),), None)
    assert live_memory() == before
    np.testing.assert_array_equal(d1, [2.0] * 3)
    np.testing.assert_array_equal(d2, [6.0] * 3)


@njit
def square(x):
    return x * x


TANGENT = autodiff_thunk(Forward, Const[typeof(square)], Duplicated, Duplicated[float])


@njit
def slope(x):
    return TANGENT(Const(square), Duplicated(x, 1.0))[1]


def test_forward_thunk():
    assert slope(3.14) == 6.28
    assert autodiff(Forward, slope, Duplicated(3.0, 1.0)) == (2.0,)


@njit
def product_by_thunk(a, v):
    return with_made_thunk(a, np.zeros(1), v)[1]


def test_tapes_cannot_be_differentiated():
    with pytest.raises(ActivityError, match="a tape cannot be differentiated"):
        autodiff(
            Reverse, product_by_thunk, Active, Duplicated(np.ones(1), np.zeros(1)), Active(2.0)
        )
