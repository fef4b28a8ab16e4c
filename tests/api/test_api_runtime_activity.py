"""Runtime activity: what is constant is found out in each call."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from numba import njit
from numba.typed import List

import enzyme
from enzyme import (
    Active,
    BatchDuplicated,
    Const,
    Duplicated,
    DuplicatedNoNeed,
    Forward,
    ForwardWithPrimal,
    MixedDuplicated,
    Reverse,
    ReverseSplitWithPrimal,
    ReverseWithPrimal,
    autodiff,
    autodiff_thunk,
    clear_err_if_const_written,
    gradient,
    make_zero,
    set_runtime_activity,
    tape_type,
    typeof,
)
from enzyme.errors import (
    EnzymeRuntimeActivityError,
    EnzymeRuntimeException,
    ShadowLayoutError,
    ThunkCallError,
)
from enzyme_rules import forward

pytestmark = pytest.mark.rotating(21)

FORWARD = set_runtime_activity(Forward)
REVERSE = set_runtime_activity(Reverse)


def choose(condition, a, b):
    return a if condition else b


def pair(condition, a, b):
    return (a if condition else b, a if condition else b)


def chosen_product(condition, a, b):
    c = a if condition else b
    return c[0] * c[1] + a[0]


def vectors():
    return np.array([1.0, 2.0]), np.array([3.0, 4.0])


@pytest.fixture
def everywhere():
    enzyme.api.set_runtime_activity(True)
    yield
    enzyme.api.set_runtime_activity(False)


def test_off():
    a, b = vectors()
    with pytest.raises(EnzymeRuntimeActivityError, match="set_runtime_activity"):
        autodiff(Forward, choose, Const(False), Duplicated(a, a.copy()), Const(b))


def test_returned_constant():
    a, b = vectors()
    da = np.array([1.0, 0.0])
    given = Duplicated(a, da), Const(b)
    primal, shadow = autodiff(FORWARD, choose, Duplicated, Const(False), *given)
    assert primal is b and shadow is b
    primal, shadow = autodiff(FORWARD, choose, Duplicated, Const(True), *given)
    assert primal is a and shadow is da
    (shadow,) = autodiff(FORWARD, choose, DuplicatedNoNeed, Const(False), *given)
    assert shadow is b
    shadow, primal = autodiff(set_runtime_activity(ForwardWithPrimal), choose, Const(False), *given)
    assert shadow is b and primal is b


def test_two_of_one_object():
    a, b = vectors()
    given = Duplicated(a, np.zeros(2)), Const(b)
    _, shadow = autodiff(FORWARD, pair, Duplicated, Const(False), *given)
    assert shadow[0] is b and shadow[1] is b


def test_batch():
    a, b = vectors()
    das = np.zeros(2), np.ones(2)
    given = BatchDuplicated(a, das), Const(b)
    (lanes,) = autodiff(FORWARD, choose, Const(False), *given)
    assert lanes[0] is b and lanes[1] is b
    (lanes,) = autodiff(FORWARD, choose, Const(True), *given)
    assert lanes[0] is das[0] and lanes[1] is das[1]
    autodiff(REVERSE, chosen_product, Const(False), *given)
    np.testing.assert_array_equal(das, [[1.0, 0.0], [2.0, 1.0]])


@pytest.mark.parametrize(("condition", "expected"), [(True, [3.0, 1.0]), (False, [1.0, 0.0])])
def test_reverse(condition, expected):
    a, b = vectors()
    da = np.zeros(2)
    found = autodiff(
        set_runtime_activity(ReverseWithPrimal),
        chosen_product,
        Const(condition),
        Duplicated(a, da),
        Const(b),
    )
    assert found == ((None, None, None), 3.0 if condition else 13.0)
    np.testing.assert_array_equal(da, expected)
    np.testing.assert_array_equal(b, [3.0, 4.0])


def test_shadow_that_is_the_primal():
    """It means a constant, in any argument and in every call anew."""
    a, b = vectors()
    da, db = np.zeros(2), np.zeros(2)

    def f(a, b):
        return a[0] * b[1]

    for first, second, expected in [
        (a, db, ([0.0, 0.0], [0.0, 1.0])),
        (da, b, ([4.0, 0.0], [0.0, 0.0])),
        (da, db, ([4.0, 0.0], [0.0, 1.0])),
        (a, b, ([0.0, 0.0], [0.0, 0.0])),
    ]:
        da[:], db[:] = 0.0, 0.0
        autodiff(REVERSE, f, Duplicated(a, first), Duplicated(b, second))
        np.testing.assert_array_equal((da, db), expected)
    np.testing.assert_array_equal(a, [1.0, 2.0])
    assert autodiff(FORWARD, f, Duplicated(a, a), Duplicated(b, np.ones(2))) == (1.0,)
    assert autodiff(FORWARD, f, Duplicated(a, a[:]), Duplicated(b, b[:])) == (0.0,)


def test_numbers_are_never_constants():
    """Equal numbers are one object in Python."""
    x = 2.0
    assert autodiff(FORWARD, lambda x: x * x, Duplicated(x, x)) == (8.0,)


class Pair(NamedTuple):
    a: np.ndarray
    b: np.ndarray


def test_parts():
    """In a tuple, a part may be constant."""
    a, b = vectors()
    da = np.zeros(2)
    autodiff(REVERSE, lambda p: p.a[0] * p.b[1], Duplicated(Pair(a, b), Pair(da, b)))
    np.testing.assert_array_equal(da, [4.0, 0.0])
    np.testing.assert_array_equal(b, [3.0, 4.0])


def grow(x, items):
    for _ in range(2500):
        items.append(x)
    return items[-1]


def test_constant_storage():
    for mode, annotate in [
        (clear_err_if_const_written(Reverse), Const),
        (REVERSE, lambda items: Duplicated(items, items)),
    ]:
        items = List([1.0])
        assert autodiff(mode, grow, Active(2.0), annotate(items)) == ((0.0, None),)
        assert len(items) == 2501 and items[-1] == 2.0
    items, shadow = List([1.0]), List([0.0])
    assert autodiff(REVERSE, grow, Active(2.0), Duplicated(items, shadow)) == ((1.0, None),)


def test_containers_of_constants():
    def f(x, held):
        return held[0][0]

    held = (np.array([1.0]), np.array([2.0]))
    assert autodiff(FORWARD, f, Duplicated(3.0, 1.0), Const(held)) == (0.0,)
    mode = set_runtime_activity(ForwardWithPrimal)
    assert autodiff(mode, f, Duplicated(3.0, 1.0), Const(held)) == (0.0, 1.0)


def test_mixed_constants():
    """A constant that holds floats beside the memory that is chosen."""

    @njit
    def f(a, t):
        c = a if a[0] > 2.0 else t[1]
        return c[0] * t[0]

    for first, expected in ((3.0, 5.0), (1.0, 0.0)):
        da = np.zeros(1)
        autodiff(REVERSE, f, Duplicated(np.array([first]), da), Const((5.0, np.array([7.0]))))
        assert da[0] == expected
    ref = [(0.0, np.zeros(1))]
    t = (5.0, np.array([7.0]))
    autodiff(REVERSE, f, Duplicated(np.array([1.0]), np.zeros(1)), MixedDuplicated(t, ref))
    assert ref[0][0] == 7.0 and ref[0][1][0] == 5.0


def test_everywhere(everywhere):
    a, b = vectors()
    assert enzyme.api.runtime_activity()
    (shadow,) = autodiff(Forward, choose, Const(False), Duplicated(a, np.zeros(2)), Const(b))
    assert shadow is b
    da = np.zeros(2)
    autodiff(Reverse, chosen_product, Const(False), Duplicated(a, da), Const(b))
    np.testing.assert_array_equal(da, [1.0, 0.0])


def test_the_switch_is_seen_by_calls_that_were_made_before():
    a, b = vectors()
    given = Const(False), Duplicated(a, np.zeros(2)), Const(b)
    with pytest.raises(EnzymeRuntimeActivityError):
        autodiff(Forward, choose, *given)
    enzyme.api.set_runtime_activity(True)
    try:
        (shadow,) = autodiff(Forward, choose, *given)
        assert shadow is b
    finally:
        enzyme.api.set_runtime_activity(False)
    with pytest.raises(EnzymeRuntimeActivityError):
        autodiff(Forward, choose, *given)


def test_gradients():
    @njit
    def f(x, y):
        z = x if x[0] > 2.0 else y
        return z[0] * x[1]

    x, y = np.array([1.0, 5.0]), np.array([4.0, 0.0])
    found = gradient(REVERSE, f, x, Const(y))
    np.testing.assert_array_equal(found[0], [0.0, 4.0])


SPLIT = set_runtime_activity(ReverseSplitWithPrimal)
VECTOR = typeof(np.zeros(2))


@pytest.mark.parametrize("kind", [Const, Duplicated])
def test_forward_thunks(kind):
    a, b = vectors()
    da = np.array([1.0, 0.0])
    types = Const[bool], Duplicated[VECTOR], kind[VECTOR]
    thunk = autodiff_thunk(FORWARD, Const[typeof(choose)], Duplicated, *types)
    other = Const(b) if kind is Const else Duplicated(b, b)
    for condition, place, tangent in (False, b, b), (True, a, da), (False, b, b):
        given = Const(condition), Duplicated(a, da), other
        primal, shadow = thunk(Const(choose), *given)
        assert primal is place and shadow is tangent


@pytest.mark.parametrize("kind", [Const, Duplicated])
def test_split_thunks(kind):
    """What is constant is seen in each call; tapes of different constants may be open together."""
    a, b = vectors()
    types = Const[bool], Duplicated[VECTOR], kind[VECTOR]
    augmented, reverse = autodiff_thunk(SPLIT, Const[typeof(chosen_product)], Active, *types)
    cls = tape_type(SPLIT, Const[typeof(chosen_product)], Active, *types)
    shadows = [None] if kind is Const else [b, np.zeros(2)]
    calls = []
    for condition in (True, False):
        for shadow in shadows:
            other = Const(b) if shadow is None else Duplicated(b, shadow)
            given = Const(chosen_product), Const(condition), Duplicated(a, np.zeros(2)), other
            tape, primal, _ = augmented(*given)
            assert isinstance(tape, cls) and primal == (3.0 if condition else 13.0)
            calls.append((condition, given, tape))
    for condition, given, tape in calls:
        assert reverse(*given, 2.0, tape) == ((None, None, None),)
        np.testing.assert_array_equal(given[2].dval, [6.0, 2.0] if condition else [2.0, 0.0])
        if kind is Duplicated and given[3].dval is not b:
            expected = [0.0, 0.0] if condition else [8.0, 6.0]
            np.testing.assert_array_equal(given[3].dval, expected)
    np.testing.assert_array_equal(b, [3.0, 4.0])
    with pytest.raises(EnzymeRuntimeException, match="used already"):
        reverse(*given, 2.0, tape)
    with pytest.raises(ThunkCallError, match="not the tape"):
        reverse(*given, 2.0, None)
    other = given[0], given[1], Duplicated(a, np.zeros(2)), given[3]
    tape, _, _ = augmented(*given)
    with pytest.raises(ShadowLayoutError, match="another shadow"):
        reverse(*other, 2.0, tape)


def test_thunks_under_the_switch_for_all_modes(everywhere):
    a, b = vectors()
    types = Const[bool], Duplicated[VECTOR], Const[VECTOR]
    known = ReverseSplitWithPrimal, Const[typeof(choose)], Duplicated, *types
    augmented, _ = autodiff_thunk(*known)
    _, primal, shadow = augmented(Const(choose), Const(False), Duplicated(a, np.zeros(2)), Const(b))
    assert primal is b and shadow is b


def test_lists_of_what_was_chosen():
    """Two entries that are one array are one array in the shadow."""

    def twice(condition, a, b):
        c = a if condition else b
        return [c, c]

    a, b = vectors()
    da = np.array([1.0, 0.0])
    for condition, tangent in (False, b), (True, da):
        given = Const(condition), Duplicated(a, da), Const(b)
        (shadow,) = autodiff(FORWARD, twice, *given)
        assert shadow[0] is tangent and shadow[1] is tangent


@njit
def put(items, x):
    items[-1][0] = x[0]


@njit
def in_list(x, c, write):
    items = [x, c]
    if write:
        put(items, x)
    return items[0][0] * items[1][1] + c[0]


@njit
def in_typed_list(x, c, write):
    items = List()
    items.append(x)
    items.append(c)
    if write:
        put(items, x)
    return items[0][0] * items[1][1] + c[0]


@njit
def in_dictionary(x, c, write):
    items = {1: x}
    items[-1] = c
    if write:
        put(items, x)
    return items[1][0] * items[-1][1] + c[0]


@pytest.mark.parametrize("f", [in_list, in_typed_list, in_dictionary])
def test_constants_held_together_with_active_memory(f):
    """No data is stored in the constant, or some is: its shadow is needed in both cases."""
    for write in (False, True):
        a, b = vectors()
        da, given = np.array([1.0, 0.0]), (Const(b), Const(write))
        assert autodiff(FORWARD, f, Duplicated(a, da), *given) == (4.0 + write,)
        da[:] = 0.0
        autodiff(REVERSE, f, Active, Duplicated(a, da), *given)
        np.testing.assert_array_equal(da, [4.0 + write, 0.0])
        for mode in (Forward, Reverse):
            with pytest.raises(EnzymeRuntimeActivityError, match="set_runtime_activity"):
                autodiff(mode, f, *[Active] * (mode is Reverse), Duplicated(a, da), *given)


def test_calls_with_rules_that_only_read_what_was_chosen():
    """Reference counts of an argument are no stores into it."""

    @njit
    def doubled(x):
        return 2.0 * x

    @forward(doubled)
    def rule(func, RT, x: Duplicated):
        tangent = 20.0 * x.dval
        return Duplicated(func.val(x.val), tangent) if issubclass(RT, Duplicated) else tangent

    def f(condition, a, b):
        return doubled(a if condition else b).sum()

    a, b = vectors()
    for condition, expected in (True, 40.0), (False, 0.0):
        given = Const(condition), Duplicated(a, np.ones(2)), Const(b)
        assert autodiff(FORWARD, f, *given) == (expected,)
    with pytest.raises(EnzymeRuntimeActivityError):
        autodiff(Forward, f, *given)


def test_nothing_is_kept():
    from tests.programs.memory import assert_alive, live_memory

    a, b = vectors()
    given = Const(False), Duplicated(a, make_zero(a)), Const(b)
    autodiff(FORWARD, choose, Duplicated, *given)
    alive = live_memory()
    for _ in range(20):
        autodiff(FORWARD, choose, Duplicated, *given)
    assert_alive(alive, "runtime activity")
