"""Thunks and split reverse mode: values of the two calls, tapes, misuse."""

from __future__ import annotations

import copy
import gc
import math
import pickle
import random
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest
from numba import njit
from numba.typed import List

from enzyme import (
    Active,
    BatchDuplicated,
    Const,
    Duplicated,
    DuplicatedNoNeed,
    Forward,
    ForwardWithPrimal,
    Reverse,
    ReverseSplitModified,
    ReverseSplitNoPrimal,
    ReverseSplitWidth,
    ReverseSplitWithPrimal,
    autodiff,
    autodiff_deferred,
    autodiff_deferred_thunk,
    autodiff_thunk,
    tape_type,
    typeof,
)
from enzyme.errors import (
    ActivityError,
    CompilationException,
    EnzymeRuntimeException,
    ModeError,
    ShadowLayoutError,
    ThunkCallError,
)
from tests.programs.memory import live_memory

ARRAY = Duplicated[typeof(np.zeros(2))]


def split(f, *types, mode=ReverseSplitWithPrimal, returned=Active):
    return autodiff_thunk(mode, Const[typeof(f)], returned, *types)


# --- values ---------------------------------------------------------------------------------------


def takes_and_clears(a, v):
    r = a[0] * v
    a[0] = 0.0
    return r


def test_what_is_overwritten_is_on_the_tape():
    forward, reverse = split(takes_and_clears, ARRAY, Active[float])
    a, v = Duplicated(np.array([2.2]), np.zeros(1)), Active(3.3)
    tape, primal, shadow = forward(Const(takes_and_clears), a, v)
    assert (primal, shadow, a.val[0]) == (2.2 * 3.3, None, 0.0)
    assert reverse(Const(takes_and_clears), a, v, 1.0, tape) == ((None, 2.2),)
    assert a.dval[0] == 3.3


def successor(x):
    return 1.0 + x


def test_where_nothing_is_kept_there_is_no_tape():
    forward, reverse = split(successor, Active[float], mode=ReverseSplitNoPrimal)
    f, x = Const(successor), Active(1.0)
    assert forward(f, x) == (None, None, None)
    assert reverse(f, x, 1.0, None) == ((1.0,),)
    assert reverse(f, x, 2.0, None) == ((2.0,),)
    assert tape_type(ReverseSplitNoPrimal, Const[typeof(successor)], Active, Active[float]) is type(
        None
    )


def squares(x):
    return x[0] * x[0] + x[1] * x[1]


def test_the_same_by_all_ways():
    x = np.array([3.0, 5.0])
    forward, reverse = split(squares, ARRAY)
    both = Duplicated(x, np.zeros(2))
    tape, primal, _ = forward(Const(squares), both)
    assert primal == 34.0
    reverse(Const(squares), both, 1.0, tape)
    np.testing.assert_array_equal(both.dval, [6.0, 10.0])
    for run in (autodiff, autodiff_deferred):
        both = Duplicated(x, np.zeros(2))
        run(Reverse, squares, Active, both)
        np.testing.assert_array_equal(both.dval, [6.0, 10.0])


def square(x):
    return x * x


def test_forward_thunks():
    for returned, expected in ((Duplicated, (9.8596, 6.28)), (DuplicatedNoNeed, (6.28,))):
        thunk = autodiff_thunk(Forward, Const[typeof(square)], returned, Duplicated[float])
        assert thunk(Const(square), Duplicated(3.14, 1.0)) == expected
    thunk = autodiff_thunk(ForwardWithPrimal, Const[typeof(square)], Duplicated, Duplicated[float])
    assert thunk(Const(square), Duplicated(3.14, 1.0)) == (6.28, 9.8596)
    with pytest.raises(ThunkCallError, match="takes"):
        thunk(Const(square), Const(3.14))


def twice(x):
    return 2.0 * x


def in_place(x):
    x[1] = x[0] * x[0]
    return x


def test_duplicated_results_are_seeded_in_their_shadow():
    forward, reverse = split(twice, ARRAY, returned=Duplicated)
    x = Duplicated(np.array([3.0, 5.0]), np.zeros(2))
    tape, primal, shadow = forward(Const(twice), x)
    np.testing.assert_array_equal(primal, [6.0, 10.0])
    np.testing.assert_array_equal(shadow, [0.0, 0.0])
    shadow[:] = [1.0, 10.0]
    assert reverse(Const(twice), x, tape) == ((None,),)
    np.testing.assert_array_equal(x.dval, [2.0, 20.0])
    np.testing.assert_array_equal(shadow, [0.0, 0.0])


def test_the_shadow_of_a_returned_argument_is_its_own():
    forward, reverse = split(in_place, ARRAY, returned=Duplicated)
    x = Duplicated(np.array([3.14, 0.0]), np.array([0.0, 2.7]))
    tape, primal, shadow = forward(Const(in_place), x)
    assert np.shares_memory(primal, x.val) and np.shares_memory(shadow, x.dval)
    reverse(Const(in_place), x, tape)
    np.testing.assert_allclose(x.dval, [16.956, 0.0])


def test_no_need_for_the_primal():
    forward, _ = split(twice, ARRAY, returned=DuplicatedNoNeed)
    x = Duplicated(np.ones(2), np.zeros(2))
    _, primal, shadow = forward(Const(twice), x)
    assert primal is None
    np.testing.assert_array_equal(shadow, [0.0, 0.0])


def test_complex_seeds():
    forward, reverse = split(square, Active[complex])
    for seed, expected in ((1, 6.2 - 5.4j), (1j, 5.4 + 6.2j)):
        x = Active(3.1 + 2.7j)
        tape, primal, _ = forward(Const(square), x)
        assert primal == (3.1 + 2.7j) ** 2
        ((found,),) = reverse(Const(square), x, seed, tape)
        assert found == pytest.approx(expected)


def pair(x):
    return x * x, 3.0 * x


def test_tuples_have_seeds_like_themselves():
    forward, reverse = split(pair, Active[float])
    x = Active(2.0)
    tape, primal, _ = forward(Const(pair), x)
    assert primal == (4.0, 6.0)
    assert reverse(Const(pair), x, (1.0, 10.0), tape) == ((34.0,),)
    tape, _, _ = forward(Const(pair), x)
    with pytest.raises(ThunkCallError):
        reverse(Const(pair), x, 1.0, tape)


def test_single_precision_is_kept():
    kind = Active[typeof(np.float32(1.0))]
    forward, reverse = split(square, kind)
    x = Active(np.float32(1.5))
    tape, primal, _ = forward(Const(square), x)
    ((found,),) = reverse(Const(square), x, 1.0, tape)
    assert (type(primal), type(found), found) == (np.float32, np.float32, 3.0)


def test_constant_results():
    forward, reverse = split(in_place, ARRAY, returned=Const)
    x = Duplicated(np.array([3.0, 0.0]), np.array([0.0, 1.0]))
    tape, _, shadow = forward(Const(in_place), x)
    assert shadow is None
    reverse(Const(in_place), x, tape)
    np.testing.assert_allclose(x.dval, [6.0, 0.0])


def test_overlapping_arguments():
    """The derivative that promises nothing about overlap takes over, and the tape knows."""

    @njit
    def f(a, b):
        a[0] = a[0] * b[1]
        return a[0] * b[0]

    forward, reverse = split(f, ARRAY, ARRAY)
    x, dx = np.array([2.0, 3.0]), np.zeros(2)
    both = Duplicated(x, dx), Duplicated(x, dx)
    tape, primal, _ = forward(Const(f), *both)
    assert primal == 36.0
    reverse(Const(f), *both, 1.0, tape)
    np.testing.assert_allclose(dx, [2 * 2 * 9.0, 2 * 4 * 3.0])


# --- modified between -----------------------------------------------------------------------------


def first_two(x):
    return x[0] * x[1]


def test_promises_make_the_tape_empty():
    known = Const[typeof(first_two)], Active, ARRAY
    free = ReverseSplitModified(ReverseSplitWithPrimal, (False, False))
    kept = ReverseSplitModified(ReverseSplitWithPrimal, (False, True))
    assert tape_type(free, *known) is type(None)
    for mode in (kept, ReverseSplitWithPrimal):
        forward, reverse = split(first_two, ARRAY, mode=mode)
        x = Duplicated(np.array([3.0, 5.0]), np.zeros(2))
        tape, _, _ = forward(Const(first_two), x)
        assert tape.nbytes == 16
        x.val[:] = 100.0
        reverse(Const(first_two), x, 1.0, tape)
        np.testing.assert_array_equal(x.dval, [5.0, 3.0])


def test_flags_for_other_arguments():
    def f(n, x):
        s = 0.0
        for i in range(n):
            s += x[i] * x[i]
        return s

    mode = ReverseSplitModified(ReverseSplitWithPrimal, (False, False, True))
    forward, reverse = split(f, Const[int], ARRAY, mode=mode)
    x = Duplicated(np.array([3.0, 5.0]), np.zeros(2))
    tape, primal, _ = forward(Const(f), Const(2), x)
    x.val[:] = 0.0
    reverse(Const(f), Const(2), x, 1.0, tape)
    assert primal == 34.0
    np.testing.assert_array_equal(x.dval, [6.0, 10.0])


@pytest.mark.parametrize("flags", [(), (True,), (False, True, False)])
def test_flags_are_one_for_the_function_and_one_for_each_argument(flags):
    mode = ReverseSplitModified(ReverseSplitWithPrimal, flags)
    with pytest.raises(ModeError, match=f"has {len(flags)} flags, but the call has 2"):
        split(first_two, ARRAY, mode=mode)


class Line(NamedTuple):
    slope: np.ndarray

    def __call__(self, x):
        return self.slope[0] * x[0]


def test_the_flag_of_a_callable_object():
    """It is the first one, not that of the first argument."""
    f, x = Line(np.array([2.0])), np.array([3.0])
    known = Duplicated[typeof(f)], Active, ARRAY
    for flags in (False, False), (True, False), (False, True), (True, True):
        forward, reverse = autodiff_thunk(
            ReverseSplitModified(ReverseSplitWithPrimal, flags), *known
        )
        both = Duplicated(f, Line(np.zeros(1))), Duplicated(x.copy(), np.zeros(1))
        tape, _, _ = forward(*both)
        for changed, array in zip(flags, (f.slope, both[1].val), strict=True):
            if changed:
                array += 100.0
        reverse(*both, 1.0, tape)
        assert (both[0].dval.slope[0], both[1].dval[0]) == (3.0, 2.0)
        f.slope[0] = 2.0


def test_shadows_of_results_start_at_zero():
    with pytest.raises(ModeError, match="shadow_init"):
        split(first_two, ARRAY, mode=replace(ReverseSplitWithPrimal, shadow_init=True))


# --- tapes ----------------------------------------------------------------------------------------


@njit
def chain(x, n):
    y = x.copy()
    for _ in range(n):
        for i in range(len(y)):
            y[i] = math.sin(y[i]) * 1.1
    return y.sum()


def chain_gradient(x, n):
    y, d = x.copy(), np.ones(len(x))
    for _ in range(n):
        d *= 1.1 * np.cos(y)
        y = np.sin(y) * 1.1
    return d


def test_a_thousand_outstanding_tapes():
    forward, reverse = split(chain, ARRAY, Const[int])
    rng = np.random.default_rng(0)
    f = Const(chain)

    def run(count):
        calls = []
        for k in range(count):
            x = rng.normal(size=3)
            args = Duplicated(x, np.zeros(3)), Const(1 + k % 7)
            calls.append((args, forward(f, *args)[0]))
        random.Random(1).shuffle(calls)
        for args, tape in calls:
            reverse(f, *args, 1.0, tape)
            expected = chain_gradient(args[0].val, args[1].val)
            np.testing.assert_allclose(args[0].dval, expected, rtol=1e-12)

    run(10)
    before = live_memory()
    run(1000)
    assert live_memory() == before


def test_dropped_tapes_free_what_they_keep():
    def keeps_an_array(x):
        return (x * x).sum() * x[0]

    forward, _ = split(keeps_an_array, ARRAY)
    x = Duplicated(np.ones(2), np.zeros(2))
    forward(Const(keeps_an_array), x)
    gc.collect()
    before = live_memory()
    for _ in range(100):
        tape, _, _ = forward(Const(keeps_an_array), x)
    del tape
    assert live_memory() == before


def test_a_failing_primal_leaves_nothing():
    def fails(x):
        y = x * x
        if y[0] > 3.0:
            raise ValueError("too large")
        return y.sum()

    forward, _ = split(fails, ARRAY)
    x = Duplicated(np.full(2, 2.0), np.zeros(2))
    with pytest.raises(ValueError, match="too large"):
        forward(Const(fails), x)
    before = live_memory()
    for _ in range(50):
        with pytest.raises(ValueError, match="too large"):
            forward(Const(fails), x)
    # Numba's own code keeps what is alive where an exception is raised.
    plain = njit(fails)
    with pytest.raises(ValueError, match="too large"):
        plain(x.val)
    per_call = np.subtract(live_memory(), before)
    assert per_call[0] <= 51 * 2


def test_a_function_that_never_returns():
    def raises(x):
        raise ValueError("always")

    with pytest.raises(CompilationException, match="raises never returns") as caught:
        split(raises, Active[float])
    assert caught.value.where.file == __file__


def test_threads():
    forward, reverse = split(chain, ARRAY, Const[int])

    def work(seed):
        rng = np.random.default_rng(seed)
        for _ in range(200):
            x = rng.normal(size=3)
            args = Duplicated(x, np.zeros(3)), Const(4)
            tape, _, _ = forward(Const(chain), *args)
            reverse(Const(chain), *args, 1.0, tape)
            np.testing.assert_allclose(args[0].dval, chain_gradient(x, 4), rtol=1e-12)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))


def test_one_tape_in_two_threads_is_used_once():
    forward, reverse = split(chain, ARRAY, Const[int])
    for _ in range(50):
        args = Duplicated(np.ones(3), np.zeros(3)), Const(4)
        tape, _, _ = forward(Const(chain), *args)

        def use(_, args=args, tape=tape):
            try:
                reverse(Const(chain), *args, 1.0, tape)
            except EnzymeRuntimeException:
                return 0
            return 1

        with ThreadPoolExecutor(4) as pool:
            assert sum(pool.map(use, range(4))) == 1


def scaled(x, n):
    return n * (x * x).sum()


def test_types_of_tapes():
    known = ReverseSplitWithPrimal, Const[typeof(chain)], Active, ARRAY, Const[int]
    kind = tape_type(*known)
    assert kind is tape_type(*known)
    forward, _ = autodiff_thunk(*known)
    x = Duplicated(np.ones(2), np.zeros(2))
    tape, _, _ = forward(Const(chain), x, Const(2))
    assert isinstance(tape, kind)
    assert "bytes" in repr(tape)
    mode, *rest = known
    assert autodiff_deferred_thunk(mode, kind, *rest) == autodiff_thunk(*known)
    twice_given = rest[0], rest[1], Active[float], *rest[2:]
    assert autodiff_deferred_thunk(mode, kind, *twice_given) == autodiff_thunk(*known)
    with pytest.raises(ThunkCallError, match="not the type"):
        autodiff_deferred_thunk(mode, kind, Const[typeof(scaled)], Active, ARRAY, Const[int])
    for broken in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="cannot be"):
            broken(tape)


# --- misuse ---------------------------------------------------------------------------------------


def test_a_tape_is_used_once():
    forward, reverse = split(squares, ARRAY)
    x = Duplicated(np.ones(2), np.zeros(2))
    tape, _, _ = forward(Const(squares), x)
    reverse(Const(squares), x, 1.0, tape)
    assert tape.nbytes == 0 and "used" in repr(tape)
    with pytest.raises(EnzymeRuntimeException, match="used already"):
        reverse(Const(squares), x, 1.0, tape)


def test_tapes_of_other_thunks():
    forward, _ = split(squares, ARRAY)
    _, reverse = split(first_two, ARRAY)
    x = Duplicated(np.ones(2), np.zeros(2))
    tape, _, _ = forward(Const(squares), x)
    for wrong in (tape, None, 3):
        with pytest.raises(ThunkCallError, match="tape"):
            reverse(Const(first_two), x, 1.0, wrong)


def test_other_shadows():
    forward, reverse = split(squares, ARRAY)
    x = Duplicated(np.ones(2), np.zeros(2))
    tape, _, _ = forward(Const(squares), x)
    with pytest.raises(ShadowLayoutError, match="another shadow"):
        reverse(Const(squares), Duplicated(x.val, np.zeros(2)), 1.0, tape)
    with pytest.raises(ShadowLayoutError, match="another shadow"):
        reverse(Const(squares), Duplicated(np.ones(1), np.zeros(1)), 1.0, tape)
    # The same memory by another object will do; so will other numbers, which are not looked at.
    reverse(Const(squares), Duplicated(x.val[:], x.dval[:]), 1.0, tape)
    np.testing.assert_array_equal(x.dval, [2.0, 2.0])


def test_other_sizes_do_no_harm():
    forward, reverse = split(chain, ARRAY, Const[int])
    x = Duplicated(np.ones(3), np.zeros(3))
    tape, _, _ = forward(Const(chain), x, Const(2))
    reverse(Const(chain), x, Const(10**9), 1.0, tape)
    np.testing.assert_allclose(x.dval, chain_gradient(np.ones(3), 2))


@pytest.mark.parametrize(
    "wrong",
    [
        (),
        (Const(squares),),
        (Const(squares), Active(1.0)),
        (Const(squares), Duplicated(np.ones((2, 2)), np.ones((2, 2)))),
        (Const(squares), Duplicated(np.ones(2), np.ones(2)), 1.0),
        (squares, Duplicated(np.ones(2), np.ones(2))),
        (Const(first_two), Duplicated(np.ones(2), np.ones(2))),
        (Const(squares), np.ones(2)),
    ],
)
def test_wrong_arguments(wrong):
    forward, _ = split(squares, ARRAY)
    with pytest.raises(ThunkCallError, match="the order is") as caught:
        forward(*wrong)
    assert caught.value.expected == ("Const[squares]", "Duplicated[array(float64, 1d, C)]")
    assert len(caught.value.found) == len(wrong)
    assert "test_api_split.py" in str(caught.value)


def test_messages_name_functions_and_count_lanes():
    def other(x):
        return x[0] * x[1]

    mode = ReverseSplitWidth(ReverseSplitNoPrimal, 2)
    known = Const[typeof(first_two)], Active, BatchDuplicated[typeof(np.ones(2)), 2]
    forward, reverse = autodiff_thunk(mode, *known)
    batch = {n: BatchDuplicated(np.ones(2), tuple(np.zeros(2) for _ in range(n))) for n in (2, 3)}
    right = Const(first_two), batch[2]
    tape = forward(*right)[0]
    for call, message in [
        (
            lambda: forward(Const(other), batch[2]),
            r"takes \(Const\[first_two\].*not \(Const\[other\]",
        ),
        (lambda: forward(Const(first_two), batch[3]), r", 2\]\), not .*, 3\]\)"),
        (
            lambda: reverse(*right, (1.0, 1.0, 1.0), tape),
            "tuple of 2 seeds, tape.*not.*tuple of 3,",
        ),
        (lambda: reverse(*right, 1.0, tape), "tuple of 2 seeds, tape.*not.*float,"),
    ]:
        with pytest.raises(ThunkCallError, match=message):
            call()
    other.__name__ = "first_two"
    with pytest.raises(ThunkCallError, match="another function first_two"):
        forward(Const(other), batch[2])


def test_shadows_that_do_not_fit():
    forward, _ = split(squares, ARRAY)
    frozen = np.zeros(2)
    frozen.flags.writeable = False
    with pytest.raises(ShadowLayoutError, match=r"read-only|writeable"):
        forward(Const(squares), Duplicated(np.ones(2), frozen))
    with pytest.raises(ShadowLayoutError):
        forward(Const(squares), Duplicated(np.ones(2), np.zeros(3), check=False))
    thunk = autodiff_thunk(Forward, Const[typeof(in_place)], Duplicated, ARRAY)
    with pytest.raises(ShadowLayoutError, match=r"read-only|writeable"):
        thunk(Const(in_place), Duplicated(np.ones(2), frozen))


def test_wrong_seeds():
    forward, reverse = split(square, Active[float])
    x = Active(2.0)
    tape, _, _ = forward(Const(square), x)
    for wrong in ("text", None, 1j, np.ones(2)):
        with pytest.raises(ThunkCallError):
            reverse(Const(square), x, wrong, tape)
    assert reverse(Const(square), x, 1, tape) == ((4.0,),)


def test_misuse_of_the_builder():
    f = Const[typeof(square)]
    with pytest.raises(ModeError, match="Split"):
        autodiff_thunk(Reverse, f, Active, Active[float])
    with pytest.raises(ActivityError, match="before there are values"):
        autodiff_thunk(ReverseSplitWithPrimal, f, Active, Active)
    with pytest.raises(ActivityError, match="before there are values"):
        autodiff_thunk(ReverseSplitWithPrimal, f, Active, Active(2.0))
    with pytest.raises(ActivityError, match="annotation class"):
        autodiff_thunk(ReverseSplitWithPrimal, f, 3, Active[float])
    with pytest.raises(ActivityError, match="which function"):
        autodiff_thunk(ReverseSplitWithPrimal, Const, Active, Active[float])
    with pytest.raises(ActivityError, match="immutable"):
        autodiff_thunk(ReverseSplitWithPrimal, f, Duplicated, Active[float])
    with pytest.raises(ActivityError, match="holds memory"):
        autodiff_thunk(ReverseSplitWithPrimal, Const[typeof(twice)], Active, ARRAY)
    with pytest.raises(ActivityError, match="has tapes"):
        tape_type(Forward, f, Duplicated, Duplicated[float])
    with pytest.raises(ActivityError, match="immutable"):
        autodiff_thunk(ReverseSplitWithPrimal, f, BatchDuplicated, Active[float])
    with pytest.raises(TypeError, match="missing"):
        autodiff_thunk(ReverseSplitWithPrimal, f, Active)


def test_overlap_without_a_tape():
    """With promises nothing is kept where arguments keep apart; a write through one reaches the other."""

    @njit
    def f(a, b):
        a[0] = 2.0 * b[0]
        return b[0] * b[1]

    mode = ReverseSplitModified(ReverseSplitWithPrimal, (False, False, False))
    forward, reverse = split(f, ARRAY, ARRAY, mode=mode)
    x, dx = np.array([3.0, 5.0]), np.zeros(2)
    both = Duplicated(x, dx), Duplicated(x, dx)
    tape, primal, _ = forward(Const(f), *both)
    assert primal == 30.0
    reverse(Const(f), *both, 1.0, tape)
    np.testing.assert_array_equal(dx, [10.0, 6.0])

    def g(a, b):
        return a[0] * b[0]

    forward, reverse = split(g, ARRAY, ARRAY, mode=mode)
    dx = np.zeros(2)
    both = Duplicated(x, dx), Duplicated(x, dx)
    tape, primal, _ = forward(Const(g), *both)
    reverse(Const(g), *both, 1.0, tape)
    assert tape is None
    np.testing.assert_array_equal(dx, [12.0, 0.0])


def test_lists_keep_their_length_between_the_calls():
    def f(x):
        s = 0.0
        for i in range(len(x)):
            x[i] = x[i] * x[i]
            s += x[i]
        return s

    x, dx = List([1.0, 2.0, 3.0]), List([0.0, 0.0, 0.0])
    forward, reverse = split(f, Duplicated[typeof(x)])
    args = Duplicated(x, dx)
    tape, primal, _ = forward(Const(f), args)
    assert primal == 14.0
    x[0] = 100.0
    reverse(Const(f), args, 1.0, tape)
    assert list(dx) == [2.0, 4.0, 6.0]
    for changed in ("the shadow", "both"):
        x, dx = List([1.0, 2.0, 3.0]), List([0.0, 0.0, 0.0])
        args = Duplicated(x, dx)
        tape, _, _ = forward(Const(f), args)
        if changed == "the shadow":
            dx.pop()
        else:
            for _ in range(99):
                x.append(1.0)
                dx.append(0.0)
        with pytest.raises(ShadowLayoutError, match="since the forward call"):
            reverse(Const(f), args, 1.0, tape)


def room_full_of_nan(*items):
    """A list behind whose items there is room, which holds what nobody put there for us."""
    made = List(items)
    for _ in range(20):
        made.append(np.nan)
    for _ in range(20):
        made.pop()
    return made


def test_new_items_of_a_shadow_are_zero_whatever_was_there():
    """By every way to make a list longer, in an argument and inside of one, with and without a tape."""

    def grow(lists, y):
        x = lists[0]
        x.append(x[0] * y)
        x.insert(0, y * y)
        x.extend(lists[1])
        x.pop()
        x.append(x[1] * y)
        return x[-1] * x[0] + x[2]

    def arguments():
        pair = room_full_of_nan(2.0, 3.0), room_full_of_nan(5.0, 7.0)
        shadows = room_full_of_nan(0.0, 0.0), room_full_of_nan(0.0, 0.0)
        return pair, shadows, Duplicated(pair, shadows)

    pair, shadows, lists = arguments()
    ((_, expected),) = autodiff(Reverse, grow, Active, lists, Active(1.5))
    gradient = list(map(list, shadows))
    assert expected == 3 * 2.0 * 1.5**2
    assert gradient[0][:2] == [1.5**3, 1.0]
    assert not any(gradient[0][2:])
    pair, shadows, lists = arguments()
    forward, reverse = split(grow, Duplicated[typeof(pair)], Active[float])
    tape, _, _ = forward(Const(grow), lists, Active(1.5))
    assert not any(map(any, shadows))
    assert reverse(Const(grow), lists, Active(1.5), 1.0, tape) == ((None, expected),)
    assert list(map(list, shadows)) == gradient


RECORD = np.dtype([("a", "f8")])


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        (lambda x: [x[0] ** 2, x[1] * x[0]], "Python list or set"),
        (lambda x: (x * x, [x[0] ** 2]), "Python list or set"),
        (lambda x: [[x[0] ** 2], [x[1]]], "Python list or set"),
        (lambda x: np.zeros(2, RECORD)[0], "returns a record"),
    ],
)
def test_results_that_cannot_be_seeded(returned, words):
    """Seeds that are written into a copy would be lost."""
    kind = Const[typeof(njit(returned))]
    with pytest.raises(ActivityError, match=words):
        autodiff_thunk(ReverseSplitWithPrimal, kind, Duplicated, Duplicated[typeof(np.ones(2))])
