"""Calls that once crashed, gave wrong derivatives or ended in errors of Python: batches, mixed values, lists."""

from __future__ import annotations

import pickle
from typing import Any, NamedTuple

import numpy as np
import pytest
from numba import njit
from numba.experimental import jitclass
from numba.typed import List

from enzyme import (
    Active,
    ActivityError,
    BatchDuplicated,
    BatchSizeError,
    Const,
    Duplicated,
    Forward,
    ForwardWithPrimal,
    MixedDuplicated,
    Reverse,
    ReverseHolomorphic,
    ReverseSplitNoPrimal,
    ReverseSplitWithPrimal,
    ReverseWithPrimal,
    ShadowLayoutError,
    ShadowTypeError,
    autodiff,
    autodiff_thunk,
    clear_err_if_const_written,
    gradient,
    jacobian,
    set_runtime_activity,
    typeof,
)
from enzyme.api.mixed import ref_to
from enzyme.errors import ThunkCallError

pytestmark = pytest.mark.rotating(21)


def product(items):
    return items[0] * items[1]


def squares(items):
    s = 0.0
    for i in range(len(items)):
        s += items[i] * items[i]
    return s


# --- thunks look at every shadow ------------------------------------------------------------------


def test_number_of_shadows_of_a_list():
    def zeros():
        return List([0.0, 0.0])

    items = List([2.0, 3.0])
    described = BatchDuplicated[typeof(items), 2]
    thunk = autodiff_thunk(Forward, Const[typeof(product)], Duplicated, described)
    thunk(Const(product), BatchDuplicated(items, (zeros(), zeros())))
    for shadows in ((zeros(),), (zeros(), zeros(), zeros())):
        with pytest.raises(ThunkCallError):
            thunk(Const(product), BatchDuplicated(items, shadows))


def test_shadow_list_of_another_type():
    items = List(np.ones(4))
    forward, reverse = autodiff_thunk(
        ReverseSplitWithPrimal, Const[typeof(squares)], Active, Duplicated[typeof(items)]
    )
    given = Duplicated(items, List(np.zeros(4)))
    tape, _, _ = forward(Const(squares), given)
    reverse(Const(squares), given, 1.0, tape)
    wrong = Duplicated(items, List(np.zeros(4, np.float32)), False)
    with pytest.raises(ShadowTypeError):
        forward(Const(squares), wrong)


def test_shadow_number_of_another_type():
    thunk = autodiff_thunk(
        Forward, Const[typeof(squares)], Duplicated, Duplicated[typeof(np.ones(1))]
    )
    assert thunk

    def twice(x):
        return 2.0 * x

    thunk = autodiff_thunk(Forward, Const[typeof(twice)], Duplicated, Duplicated[float])
    assert thunk(Const(twice), Duplicated(3.0, 1.0)) == (6.0, 2.0)
    for wrong in ("a", None, 1j, np.ones(1)):
        with pytest.raises(ShadowTypeError):
            thunk(Const(twice), Duplicated(3.0, wrong, False))


def test_arrays_in_the_seed():
    def both(x, y):
        return x, y

    y, dy = np.array([3.0]), np.zeros(1)
    forward, reverse = autodiff_thunk(
        ReverseSplitNoPrimal,
        Const[typeof(both)],
        MixedDuplicated,
        Active[float],
        Duplicated[typeof(y)],
    )
    given = Active(2.0), Duplicated(y, dy)
    for wrong in (np.ones(1), np.ones(3)):
        tape, _, _ = forward(Const(both), *given)
        with pytest.raises(ShadowLayoutError, match="in the seed"):
            reverse(Const(both), *given, (1.0, wrong), tape)
        reverse(Const(both), *given, (1.0, dy), tape)


# --- holomorphic mode -----------------------------------------------------------------------------


def test_holomorphic_mixed():
    ref = [(0j, np.zeros(1) + 0j)]
    t = (2j, np.array([3 + 1j]))
    autodiff(ReverseHolomorphic, lambda t: t[0] * t[1][0], Active, MixedDuplicated(t, ref))
    np.testing.assert_allclose([ref[0][0], ref[0][1][0]], [3 + 1j, 2j], rtol=1e-15)
    ref = [0j]
    autodiff(ReverseHolomorphic, lambda z: z * z, MixedDuplicated(1j, ref))
    assert ref == [2j]


def test_holomorphic_batch_of_one():
    with pytest.raises(BatchSizeError, match="three lanes"):
        autodiff(ReverseHolomorphic, product, BatchDuplicated(np.ones(2) + 0j, (np.ones(2) + 0j,)))


def test_complex_jacobians():
    def f(v):
        return np.array([v * v, 1 / v])

    z = 3.4 + 2.7j
    expected = [2 * z, -1 / z**2]
    np.testing.assert_allclose(jacobian(ReverseHolomorphic, f, z), expected, rtol=1e-14)
    np.testing.assert_allclose(jacobian(Forward, f, z), expected, rtol=1e-14)
    with pytest.raises(ActivityError, match="ambiguous"):
        jacobian(Reverse, f, z)
    v = np.array([z, 1j])
    found = jacobian(ReverseHolomorphic, lambda v: v * v[::-1], v)
    np.testing.assert_allclose(found, [[1j, z], [1j, z]], rtol=1e-15)


# --- runtime activity -----------------------------------------------------------------------------


def test_constants_of_one_call_are_not_those_of_the_next():
    def h(x, items, a, b, first):
        for _ in range(3):
            items.append(x)
        r = a if first else b
        return items[-1] * r[0]

    a, b = np.array([2.0]), np.array([3.0])
    zeros = np.zeros(1)

    def adjoint(mode, a, b, annotate):
        items = List([1.0])
        return autodiff(mode, h, Active(2.0), annotate(items), a, b, Const(True))[0][0]

    mode = set_runtime_activity(Reverse)
    for given in (
        (mode, Duplicated(a, a), Duplicated(b, b), lambda x: Duplicated(x, x)),
        (mode, Duplicated(a, zeros), Duplicated(b, b), lambda x: Duplicated(x, x)),
        (mode, Duplicated(a, a), Duplicated(b, b), lambda x: Duplicated(x, x)),
        (clear_err_if_const_written(mode), Duplicated(a, zeros), Const(b), Const),
        (clear_err_if_const_written(mode), Duplicated(a, a), Const(b), Const),
    ):
        assert adjoint(*given) == 0.0


# --- memory of containers -------------------------------------------------------------------------


def in_place(items, y):
    items[0] = items[0] * y
    return items[0] * y


def in_place_array(items, y):
    items[0][0] = items[0][0] * y
    return items[0][0] * y


def test_lanes_of_lists():
    shadow, array = List([0.0]), np.zeros(1)
    with pytest.raises(ShadowLayoutError, match="written on its own"):
        autodiff(Reverse, in_place, BatchDuplicated(List([2.0]), (shadow, shadow)), Active(3.0))
    shadows = List([array]), List([array])
    given = BatchDuplicated(List([np.array([2.0])]), shadows)
    with pytest.raises(ShadowLayoutError, match="written on its own"):
        autodiff(Reverse, in_place_array, given, Active(3.0))
    base = np.zeros(3)
    shadows = List([base[:2]]), List([base[1:]])
    given = BatchDuplicated(List([np.array([2.0, 1.0])]), shadows)
    with pytest.raises(ShadowLayoutError, match="shares memory"):
        autodiff(Reverse, in_place_array, given, Active(3.0))


def test_one_list_as_constant_and_not():
    items = List([2.0])
    with pytest.raises(ShadowLayoutError, match="the same object"):
        autodiff(
            Reverse,
            lambda a, b, y: in_place_of(a, y) * b[0],
            Duplicated(items, List([0.0])),
            Const(items),
            Active(3.0),
        )


@njit
def in_place_of(items, y):
    items[0] = items[0] * y
    return items[0]


def test_shadow_in_a_list_over_another_argument():
    b = np.array([1.0, 2.0, 3.0])
    kept = b.copy()
    given = Duplicated(List([np.array([2.0, 3.0])]), List([b[1:]]))
    with pytest.raises(ShadowLayoutError, match="shares memory"):
        autodiff(Reverse, lambda items, o: items[0][0] * o[1], given, Const(b))
    np.testing.assert_array_equal(b, kept)
    # What lies side by side in one block of memory is apart.
    both = np.zeros(4)
    given = Duplicated(List([np.array([2.0, 3.0])]), List([both[:2]]))
    autodiff(Reverse, lambda items, o: items[0][0] * o[1], given, Const(both[2:]))


# --- functions and classes that are pickled -------------------------------------------------------


class Local(NamedTuple):
    v: np.ndarray
    k: float

    def __call__(self, y):
        return self.v[0] * y * self.k


def test_functions_can_be_pickled_by_value():
    """Numba pickles classes that no module holds, with all attributes of their methods."""
    cloudpickle = pytest.importorskip("numba.cloudpickle")
    scope: dict[str, Any] = {"NamedTuple": NamedTuple, "Any": Any, "__name__": "__main__"}
    text = "class S(NamedTuple):\n    v: Any\n    k: float\n    def __call__(self, y):\n"
    exec(text + "        return self.v[0] * y * self.k\ndef f(x):\n    return x * x\n", scope)
    S, f = scope["S"], scope["f"]
    s = S(np.array([2.0]), 3.0)
    assert autodiff(Reverse, s, Active, Active(3.0)) == ((6.0,),)
    ref = [S(np.zeros(1), 0.0)]
    assert autodiff(Reverse, MixedDuplicated(s, ref), Active, Active(5.0)) == ((6.0,),)
    assert ref[0].k == 10.0 and ref[0].v[0] == 15.0
    assert autodiff(Reverse, f, Active(3.0)) == ((6.0,),)
    autodiff_thunk(ReverseSplitNoPrimal, Const[typeof(f)], Active, Active[float])
    again = pickle.loads(cloudpickle.dumps(f))
    assert again(3.0) == 9.0
    assert autodiff(Reverse, again, Active(3.0)) == ((6.0,),)


# --- results --------------------------------------------------------------------------------------


def test_results_of_several_types():
    (found,) = autodiff(Forward, lambda x: (x, np.float32(x), 3), Duplicated(3.0, 1.0))
    assert found == (1.0, 1.0, 3)
    (found,) = autodiff(Forward, lambda x: (x, 1, True, np.float32(x)), Duplicated(3.0, 1.0))
    assert found == (1.0, 1, True, 1.0)


@pytest.mark.parametrize(
    "x",
    [np.arange(6.0)[::2], np.arange(3.0)[::-1], np.asfortranarray(np.ones((2, 3)))],
    ids=["strided", "backwards", "fortran"],
)
def test_jacobian_of_any_layout(x):
    expected = np.zeros(x.shape * 2)
    for index in np.ndindex(x.shape):
        expected[index + index] = 2 * x[index]
    for mode in (Forward, Reverse):
        np.testing.assert_array_equal(jacobian(mode, lambda x: x * x, x), expected)
    x.flags.writeable = False
    np.testing.assert_array_equal(jacobian(Reverse, lambda x: x * x, x), expected)


def test_nothing_to_differentiate():
    assert gradient(ForwardWithPrimal, lambda x, y: x * y, Const(2.0), Const(3.0)).val == 6.0
    assert gradient(ForwardWithPrimal, lambda x: x.sum(), np.ones(0)) == ((), 0.0)
    for mode in (Forward, Reverse):
        assert gradient(mode, lambda x: 2.0 * x, Const(3.0)) is None
        assert jacobian(mode, lambda x: x * x, Const(np.ones(2))) is None
    found = jacobian(ReverseWithPrimal, lambda x: x * x, Const(np.ones(2)))
    assert found.derivs is None and found.val.tolist() == [1.0, 1.0]
    for f in (lambda x: 3, lambda x: None):
        for call in (gradient, jacobian):
            with pytest.raises(ActivityError, match="holds no floats"):
                call(Forward, f, np.ones(2))
    assert jacobian(Reverse, lambda x: x * x, np.ones(0, np.float32)).dtype == np.float32


def test_shapes_and_types():
    x = np.array([2.0, 3.0, 4.0])
    for mode in (Forward, Reverse):
        assert jacobian(mode, lambda x: np.array(x[0]), x).shape == (3,)
        assert jacobian(mode, lambda x: x[0], x).shape == (1, 3)
    found = gradient(Forward, lambda t: t[0] * t[1], (3.0, np.float32(2)))
    assert found == (2.0, 3.0) and [type(d) for d in found] == [float, np.float32]


@jitclass([])
class Empty:
    def __init__(self):
        pass

    def double(self, x):
        return 2.0 * x


class Rows(NamedTuple):
    v: np.ndarray

    def arr(self, y):
        return self.v * y


def test_jacobian_of_methods():
    rows = Rows(np.array([1.0, 2.0]))
    for mode in (Forward, Reverse):
        np.testing.assert_array_equal(jacobian(mode, rows.arr, 5.0).ravel(), [1.0, 2.0])
        np.testing.assert_array_equal(jacobian(mode, Empty().double, np.ones(2)), 2 * np.eye(2))


def test_refs_that_cannot_be_written():
    ref = np.array(0.0)
    ref.flags.writeable = False
    with pytest.raises(ShadowLayoutError, match="read-only"):
        autodiff(Reverse, lambda x: x * x, MixedDuplicated(2.7, ref))
    assert ref_to(2.0).flags.writeable
