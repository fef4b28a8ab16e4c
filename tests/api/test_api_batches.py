"""Batches: several shadows at once, in every mode; shapes of results, layouts, errors."""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest
from numba import float64, njit, types
from numba.experimental import jitclass
from numba.typed import Dict, List

from enzyme import (
    Active,
    ActivityError,
    BatchDuplicated,
    BatchDuplicatedNoNeed,
    BatchSizeError,
    Const,
    Duplicated,
    DuplicatedNoNeed,
    Forward,
    ForwardWithPrimal,
    Reverse,
    ReverseSplitNoPrimal,
    ReverseSplitWidth,
    ReverseSplitWithPrimal,
    ReverseWithPrimal,
    ShadowLayoutError,
    autodiff,
    autodiff_thunk,
    onehot,
    typeof,
)
from enzyme.errors import ThunkCallError
from tests.programs.memory import assert_alive, live_memory

pytestmark = pytest.mark.rotating(21)


def square(x):
    return x * x


def rosenbrock(x, y):
    return (1.0 - x) ** 2 + 100.0 * (y - x * x) ** 2


def weighted(x, a):
    s = 0.0
    for i in range(len(x)):
        s += math.sin(x[i]) * a + x[i] * x[i]
    return s


# --- shapes of results ----------------------------------------------------------------------------

THREE = BatchDuplicated(3.0, (1.0, 2.0, 3.0))


@pytest.mark.parametrize(
    ("mode", "wanted", "expected"),
    [
        (Forward, (), ((6.0, 12.0, 18.0),)),
        (Forward, (Duplicated,), (9.0, (6.0, 12.0, 18.0))),
        (Forward, (DuplicatedNoNeed,), ((6.0, 12.0, 18.0),)),
        (Forward, (BatchDuplicated,), (9.0, (6.0, 12.0, 18.0))),
        (Forward, (BatchDuplicatedNoNeed,), ((6.0, 12.0, 18.0),)),
        (Forward, (Const,), ()),
        (ForwardWithPrimal, (), ((6.0, 12.0, 18.0), 9.0)),
        (ForwardWithPrimal, (BatchDuplicated,), ((6.0, 12.0, 18.0), 9.0)),
        (ForwardWithPrimal, (Const,), (9.0,)),
    ],
)
def test_forward_results(mode, wanted, expected):
    assert autodiff(mode, square, *wanted, THREE) == expected


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ((), (6.0,)),
        ((Duplicated,), (9.0, 6.0)),
        ((DuplicatedNoNeed,), (6.0,)),
        ((BatchDuplicated,), (9.0, (6.0,))),
        ((BatchDuplicatedNoNeed,), ((6.0,),)),
    ],
)
def test_one_lane(wanted, expected):
    """Only a batch asked for as the result is a tuple."""
    assert autodiff(Forward, square, *wanted, BatchDuplicated(3.0, (1.0,))) == expected


def test_one_lane_in_reverse():
    dx = np.zeros(2)
    found = autodiff(
        ReverseWithPrimal,
        weighted,
        BatchDuplicated(np.array([0.0, 0.0]), (dx,)),
        Active(3.0),
    )
    assert found == ((None, 0.0), 0.0)
    np.testing.assert_array_equal(dx, [3.0, 3.0])


def test_nothing_varies():
    """The return activity alone says how many lanes there are."""
    wanted = BatchDuplicated[float, 3]
    assert autodiff(Forward, square, wanted, Const(3.0)) == (9.0, (0.0, 0.0, 0.0))


def test_rosenbrock():
    x, y = BatchDuplicated(1.0, (1.0, 0.0)), BatchDuplicated(3.0, (0.0, 1.0))
    assert autodiff(Forward, rosenbrock, Duplicated, x, y) == (400.0, (-800.0, 400.0))


def test_complex():
    z = BatchDuplicated(3.0 + 7.0j, (1.0 + 0j, 2.0 + 0j, 3.0 + 0j))
    assert autodiff(Forward, square, z) == ((6 + 14j, 12 + 28j, 18 + 42j),)
    z = BatchDuplicated(3.1 + 2.7j, (1.0 + 0j, 1j))
    (found,) = autodiff(Forward, square, z)
    np.testing.assert_allclose(found, (6.2 + 5.4j, -5.4 + 6.2j), rtol=1e-15)
    (found,) = autodiff(Forward, cmath.sqrt, z)
    np.testing.assert_allclose(found[1], 1j * found[0], rtol=1e-14)


@pytest.mark.parametrize("width", [2, 10, 40])
def test_any_width(width):
    tangents = tuple(float(k) for k in range(1, width + 1))
    (found,) = autodiff(Forward, math.sin, BatchDuplicated(2.0, tangents))
    np.testing.assert_allclose(found, [k * math.cos(2.0) for k in tangents], rtol=1e-15)


def test_single_precision():
    x = np.array([0.5, 1.5], np.float32)
    shadows = tuple(np.zeros(2, np.float32) for _ in range(2))
    ((_, da),) = autodiff(Reverse, weighted, BatchDuplicated(x, shadows), Active(np.float32(2.0)))
    assert [type(d) for d in da] == [np.float32, np.float32]
    np.testing.assert_allclose(shadows[1], 2 * np.cos(x) + 2 * x, rtol=1e-6)
    (found,) = autodiff(
        Forward, square, BatchDuplicated(np.float32(3.0), onehot(np.float32(1)) * 2)
    )
    assert found == (6.0, 6.0) and all(type(d) is np.float32 for d in found)


def test_tuples_and_arrays_as_results():
    def f(x):
        return x[0] * x[1], 2.0 * x

    x = np.array([2.0, 3.0])
    primal, lanes = autodiff(Forward, f, Duplicated, BatchDuplicated(x, onehot(x)))
    assert primal[0] == 6.0 and [lane[0] for lane in lanes] == [3.0, 2.0]
    np.testing.assert_array_equal([lane[1] for lane in lanes], 2 * np.eye(2))

    def same(x):
        return x

    e = onehot(x)
    (found,) = autodiff(Forward, same, BatchDuplicated(x, e))
    assert found[0] is not found[1]
    np.testing.assert_array_equal(found, np.eye(2))


# --- reverse mode ---------------------------------------------------------------------------------


def test_output_arrays():
    def powers(out, x):
        out[0] = x
        out[1] = x * x
        out[2] = x * x * x

    out = np.zeros(3)
    seeds = onehot(out)
    found = autodiff(Reverse, powers, BatchDuplicated(out, seeds), Active(2.0))
    assert found == ((None, (1.0, 4.0, 12.0)),)
    np.testing.assert_array_equal(seeds, np.zeros((3, 3)))


def test_references():
    def store(out, x):
        out[()] = x * x

    one, ten = np.array(1.0), np.array(10.0)
    given = BatchDuplicated(np.array(0.0), (one, ten))
    assert autodiff(Reverse, store, given, Active(2.0)) == ((None, (4.0, 40.0)),)
    assert one == ten == 0.0


def test_active_result_seeds_every_lane():
    def rows(out, a, b):
        for i in range(4):
            for j in range(5):
                out[i, j] = (out[i - 1, j] if i > 0 else 0.0) * a + b
        return out[-1].sum()

    given = BatchDuplicated(np.zeros((4, 5)), (np.zeros((4, 5)), np.zeros((4, 5))))
    found = autodiff(Reverse, rows, given, Active(1.0), Active(2.0))
    assert found == ((None, (60.0, 60.0), (20.0, 20.0)),)


def test_inactive_leaves_of_adjoints():
    def f(pair, out):
        out[0] = pair[0] * pair[1] * pair[1]

    given = BatchDuplicated(np.zeros(1), (np.ones(1), np.full(1, 2.0)))
    (found,) = autodiff(Reverse, f, Active((3, 2.0)), given)
    assert found == (((0, 12.0), (0, 24.0)), None)


@njit
def fibonacci_like(n, x, y):
    if n < 2:
        return x if n == 0 else y
    return 0.5 * fibonacci_like(n - 1, x, y) + 0.25 * fibonacci_like(n - 2, x, y) * x


def test_calls_that_stay_calls():
    x = BatchDuplicated(1.2, (1.0, 0.0, 2.0))
    y = BatchDuplicated(0.7, (0.0, 1.0, 1.0))
    (wide,) = autodiff(Forward, fibonacci_like, Const(6), x, y)
    ((_, dx, dy),) = autodiff(Reverse, fibonacci_like, Const(6), Active(1.2), Active(0.7))
    np.testing.assert_allclose(wide, (dx, dy, 2 * dx + dy), rtol=1e-14)

    def through(out, x, y):
        out[0] = fibonacci_like(6, x, y)

    seeds = np.ones(1), np.full(1, -3.0)
    given = BatchDuplicated(np.zeros(1), seeds)
    ((_, dxs, dys),) = autodiff(Reverse, through, given, Active(1.2), Active(0.7))
    np.testing.assert_allclose([dxs, dys], [[dx, -3 * dx], [dy, -3 * dy]], rtol=1e-14)


# --- containers -----------------------------------------------------------------------------------


def test_lists():
    def grow(items, x):
        for k in range(50):
            items.append(x * items[k])
        return items[3] * items[20]

    def fresh(value):
        made = List([value])
        return made

    alone = fresh(0.0)
    ((_, dx),) = autodiff(Reverse, grow, Duplicated(fresh(1.1), alone), Active(0.9))
    shadows = fresh(0.0), fresh(0.0)
    given = BatchDuplicated(fresh(1.1), shadows)
    ((_, adjoints),) = autodiff(Reverse, grow, given, Active(0.9))
    np.testing.assert_allclose(adjoints, (dx, dx), rtol=1e-14)
    assert [len(s) for s in shadows] == [51, 51]
    np.testing.assert_allclose([s[0] for s in shadows], [alone[0]] * 2, rtol=1e-14)


def test_dictionaries():
    def f(d, x):
        d["k"] = d["k"] * x
        return d["k"] * d["k"]

    def fresh(value):
        made = Dict.empty(types.unicode_type, float64)
        made["k"] = value
        return made

    shadows = fresh(0.0), fresh(0.0)
    ((_, dx),) = autodiff(Reverse, f, BatchDuplicated(fresh(3.0), shadows), Active(2.0))
    assert dx == (36.0, 36.0)
    assert [s["k"] for s in shadows] == [24.0, 24.0]


@jitclass([("w", float64[::1]), ("c", float64)])
class Cell:
    def __init__(self, w, c):
        self.w = w
        self.c = c


def test_instances():
    def f(cell):
        cell.c = cell.w[0] * cell.c
        return cell.c * cell.w[1]

    shadows = Cell(np.zeros(2), 0.0), Cell(np.zeros(2), 0.0)
    autodiff(Reverse, f, BatchDuplicated(Cell(np.array([2.0, 3.0]), 5.0), shadows))
    for shadow in shadows:
        np.testing.assert_array_equal(shadow.w, [15.0, 10.0])
        assert shadow.c == 6.0


def test_products():
    """BLAS, in every lane."""

    def f(a, b, out):
        out[:] = a @ b

    a, b = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[5.0, 6.0], [7.0, 8.0]])
    seeds = tuple(e for e in onehot(np.zeros((2, 2))))
    das = tuple(np.zeros((2, 2)) for _ in seeds)
    kept = [s.copy() for s in seeds]
    autodiff(
        Reverse, f, BatchDuplicated(a, das), Const(b), BatchDuplicated(np.zeros((2, 2)), seeds)
    )
    np.testing.assert_array_equal(das, [s @ b.T for s in kept])
    das = onehot(a)
    douts = tuple(np.zeros((2, 2)) for _ in das)
    autodiff(
        Forward, f, BatchDuplicated(a, das), Const(b), BatchDuplicated(np.zeros((2, 2)), douts)
    )
    np.testing.assert_array_equal(douts, [d @ b for d in das])


# --- thunks ---------------------------------------------------------------------------------------


def test_forward_thunk():
    thunk = autodiff_thunk(
        Forward, Const[typeof(square)], Duplicated, BatchDuplicated[typeof(1.0), 2]
    )
    assert thunk(Const(square), BatchDuplicated(3.0, (1.0, 2.0))) == (9.0, (6.0, 12.0))
    with pytest.raises(ThunkCallError):
        thunk(Const(square), BatchDuplicated(3.0, (1.0, 2.0, 3.0)))
    with pytest.raises(ThunkCallError):
        thunk(Const(square), Duplicated(3.0, 1.0))


def test_split_with_seeds():
    mode = ReverseSplitWidth(ReverseSplitWithPrimal, 2)
    forward, reverse = autodiff_thunk(mode, Const[typeof(square)], Active, Active[complex])
    z = Active(3.1 + 2.7j)
    tape, primal, shadow = forward(Const(square), z)
    assert shadow is None and primal == (3.1 + 2.7j) ** 2
    ((adjoints,),) = reverse(Const(square), z, (1.0, 1j), tape)
    np.testing.assert_allclose(adjoints, (6.2 - 5.4j, 5.4 + 6.2j), rtol=1e-15)
    tape, _, _ = forward(Const(square), z)
    for wrong in (1.0, (1.0,), [1.0, 1j], (1.0, 1j, 1.0)):
        with pytest.raises(ThunkCallError):
            reverse(Const(square), z, wrong, tape)


def test_split_with_a_returned_array():
    def double(x):
        return x * 2.0

    x = np.array([3.0, 5.0])
    given = BatchDuplicated(x, (np.zeros(2), np.zeros(2)))
    forward, reverse = autodiff_thunk(
        ReverseSplitNoPrimal,
        Const[typeof(double)],
        BatchDuplicated,
        BatchDuplicated[typeof(x), 2],
    )
    tape, primal, shadow = forward(Const(double), given)
    assert primal is None and isinstance(shadow, tuple) and len(shadow) == 2
    dys = np.array([1.0, 2.0]), np.array([10.0, 20.0])
    for s, dy in zip(shadow, dys, strict=True):
        np.testing.assert_array_equal(s, [0.0, 0.0])
        s[:] = dy
    reverse(Const(double), given, tape)
    for dx, dy in zip(given.dval, dys, strict=True):
        np.testing.assert_array_equal(dx, 2 * dy)


def test_split_of_one_lane():
    def double(x):
        return x * 2.0

    x = np.array([3.0])
    given = BatchDuplicated(x, (np.zeros(1),))
    forward, reverse = autodiff_thunk(
        ReverseSplitNoPrimal,
        Const[typeof(double)],
        BatchDuplicated[typeof(x), 1],
        BatchDuplicated[typeof(x), 1],
    )
    tape, _, (shadow,) = forward(Const(double), given)
    shadow[:] = 1.0
    reverse(Const(double), given, tape)
    assert given.dval[0][0] == 2.0


# --- errors, overlap, memory ----------------------------------------------------------------------

X = np.array([1.0, 2.0])


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (
            lambda: autodiff(
                Forward,
                rosenbrock,
                BatchDuplicated(1.0, (1.0, 2.0)),
                BatchDuplicated(1.0, (1.0, 2.0, 3.0)),
            ),
            "2 in argument 0, 3 in argument 1",
        ),
        (
            lambda: autodiff(
                Forward, rosenbrock, BatchDuplicated(1.0, (1.0, 2.0)), Duplicated(1.0, 1.0)
            ),
            "2 in argument 0, 1 in argument 1",
        ),
        (lambda: autodiff(Forward, square, BatchDuplicated(1.0, ())), "zero shadows"),
        (
            lambda: autodiff(
                Forward, square, BatchDuplicated[float, 3], BatchDuplicated(1.0, (1.0, 2.0))
            ),
            "different numbers",
        ),
        (
            lambda: autodiff_thunk(
                ReverseSplitWidth(ReverseSplitWithPrimal, 3),
                Const[typeof(weighted)],
                Active,
                BatchDuplicated[typeof(X), 2],
                Active[float],
            ),
            "3 in the mode",
        ),
    ],
)
def test_sizes(call, match):
    with pytest.raises(BatchSizeError, match=match):
        call()


def test_misuse():
    with pytest.raises(ActivityError, match="immutable"):
        autodiff(Reverse, square, BatchDuplicated(1.0, (1.0, 2.0)))
    with pytest.raises(ShadowLayoutError, match="shadow 1 of argument 0"):
        given = BatchDuplicated(X, (np.zeros(2), np.zeros(3)), False)
        autodiff(Reverse, weighted, given, Active(1.0))
    read_only = np.zeros(2)
    read_only.flags.writeable = False
    with pytest.raises(ShadowLayoutError, match="shadow 1 is a read-only array"):
        autodiff(Reverse, weighted, BatchDuplicated(X, (np.zeros(2), read_only)), Active(1.0))
    with pytest.raises(ShadowLayoutError, match="shadow 1 of argument 0 shares memory"):
        base = np.ones(3)
        given = BatchDuplicated(base[:2], (np.zeros(2), base[1:]))
        autodiff(Reverse, weighted, given, Const(1.0))


def doubled(x):
    for i in range(len(x)):
        x[i] *= 2.0


def test_lanes_that_share_memory():
    base = np.zeros(3)
    with pytest.raises(ShadowLayoutError, match="shares memory with shadow 1"):
        autodiff(Reverse, doubled, BatchDuplicated(X.copy(), (base[:2], base[1:])))
    with pytest.raises(ShadowLayoutError, match="shares memory with shadow 1"):
        autodiff(Forward, doubled, BatchDuplicated(X.copy(), (base[:2], base[:2])))
    # What is only read may be given twice.
    e = np.array([1.0, 0.0])
    (found,) = autodiff(Forward, weighted, BatchDuplicated(X, (e, e)), Const(0.0))
    assert found == (2.0, 2.0)


def test_arguments_that_share_memory():
    @njit
    def f(x, y):
        x[0] = x[0] * y[1]
        return x[0] * y[0]

    x = np.array([2.0, 3.0])
    shadows = np.zeros(2), np.zeros(2)
    both = BatchDuplicated(x, shadows)
    autodiff(Reverse, f, Active, both, both)
    np.testing.assert_array_equal(shadows, [[36.0, 24.0]] * 2)


def test_memory():
    @njit
    def f(x):
        y = x.copy()
        total = List([0.0])
        for i in range(1, len(x)):
            y = np.sin(y * x[i])
            total.append(y[0])
        return total[-1] * total[1]

    x = np.linspace(0.1, 1.0, 20)
    shadows = tuple(np.zeros(20) for _ in range(3))
    autodiff(Reverse, f, BatchDuplicated(x, shadows))
    autodiff(Forward, f, BatchDuplicated(x, shadows))
    alive = live_memory()
    for _ in range(10):
        autodiff(Reverse, f, BatchDuplicated(x, shadows))
        autodiff(Forward, f, BatchDuplicated(x, shadows))
    assert_alive(alive, "a batch")


def test_exceptions_of_the_primal():
    @njit
    def f(x, n):
        y = x * x
        if n > 3:
            raise ValueError("too many")
        return y[0] * y[1]

    shadows = np.zeros(2), np.zeros(2)
    given = BatchDuplicated(X, shadows)
    autodiff(Reverse, f, given, Const(1))
    alive = live_memory()
    for mode in (Forward, Reverse):
        with pytest.raises(ValueError, match="too many"):
            autodiff(mode, f, given, Const(4))
    assert_alive(alive, "an exception in a batch")
