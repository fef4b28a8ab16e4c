"""Mixed annotations: values that hold floats and memory, with their shadows in Refs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from numba import njit

from enzyme import (
    Active,
    ActivityError,
    BatchDuplicated,
    BatchMixedDuplicated,
    Const,
    Duplicated,
    Forward,
    MixedDuplicated,
    Reverse,
    ReverseSplitNoPrimal,
    ReverseSplitWithPrimal,
    ReverseWithPrimal,
    ShadowLayoutError,
    autodiff,
    autodiff_thunk,
    typeof,
)
from enzyme.api.mixed import ref_to
from enzyme.errors import ThunkCallError


def product(t):
    return t[0] * t[1][0]


def store(out, t):
    out[()] = t[0] * t[1][0]


def pair():
    return (2.7, np.array([3.14]))


def zero():
    return (0.0, np.array([0.0]))


@pytest.mark.parametrize("make", [ref_to, lambda x: [x], lambda x: ref_to(x).reshape(1)])
def test_reverse(make):
    ref = make(zero())
    found = autodiff(ReverseWithPrimal, product, Active, MixedDuplicated(pair(), ref))
    assert found == ((None,), 2.7 * 3.14)
    content = ref[0] if isinstance(ref, list) else ref.reshape(-1)[0]
    assert content[0] == 3.14 and content[1][0] == 2.7
    # As all shadows, it is added to.
    autodiff(Reverse, product, Active, MixedDuplicated(pair(), ref))
    content = ref[0] if isinstance(ref, list) else ref.reshape(-1)[0]
    assert content[0] == 6.28 and content[1][0] == 5.4


def test_batch():
    refs = ref_to(zero()), ref_to(zero())
    out = BatchDuplicated(np.array(0.0), (np.array(1.0), np.array(3.0)))
    found = autodiff(Reverse, store, out, BatchMixedDuplicated(pair(), refs))
    assert found == ((None, None),)
    np.testing.assert_allclose([r[()][0] for r in refs], [3.14, 9.42], rtol=1e-15)
    np.testing.assert_allclose([r[()][1][0] for r in refs], [2.7, 8.1], rtol=1e-15)


def test_batch_of_one():
    ref = ref_to(zero())
    out = Duplicated(np.array(0.0), np.array(1.0))
    autodiff(Reverse, store, out, BatchMixedDuplicated(pair(), (ref,)))
    assert ref[()][0] == 3.14 and ref[()][1][0] == 2.7


@pytest.mark.parametrize("dtype", [float, np.float32, complex])
def test_numbers(dtype):
    ref = ref_to(dtype(0))
    found = autodiff(Reverse, lambda x: (x * x).real, MixedDuplicated(dtype(2.75), ref))
    assert found == ((None,),) and ref[()] == 5.5 and ref.dtype == np.dtype(dtype)


def test_arrays():
    """Memory alone is what `Duplicated` is for, but may be given so too."""
    ref = ref_to(np.zeros(2))
    autodiff(Reverse, lambda x: x[0] * x[1], MixedDuplicated(np.array([2.0, 3.0]), ref))
    np.testing.assert_array_equal(ref[()], [3.0, 2.0])


def test_forward():
    tangent = ref_to((1.0, np.array([0.5])))
    (found,) = autodiff(Forward, product, MixedDuplicated(pair(), tangent))
    assert found == pytest.approx(3.14 + 2.7 * 0.5)
    tangents = ref_to((1.0, np.array([0.0]))), ref_to((0.0, np.array([1.0])))
    (found,) = autodiff(Forward, product, BatchMixedDuplicated(pair(), tangents))
    assert found == (3.14, 2.7)


class Model(NamedTuple):
    scale: float
    weights: np.ndarray
    count: int
    inner: tuple[float, np.ndarray]


def test_named_tuples():
    @njit
    def f(m, x):
        s = 0.0
        for i in range(len(x)):
            s += m.weights[i] * x[i] * m.inner[0] + m.inner[1][i] * m.count
        m.weights[0] = s
        return m.scale * m.weights[0]

    x = np.array([1.0, 2.0])
    model = Model(2.0, np.array([3.0, 4.0]), 5, (0.5, np.array([0.1, 0.2])))
    shadow = Model(0.0, np.zeros(2), 5, (0.0, np.zeros(2)))
    ref = ref_to(shadow)
    (_, value) = autodiff(ReverseWithPrimal, f, Active, MixedDuplicated(model, ref), Const(x))
    found = ref[()]
    assert isinstance(found, Model) and found.count == 5 and found.weights is shadow.weights
    assert value == 2.0 * (11.0 * 0.5 + 5 * 0.3)
    assert found.scale == value / 2.0
    np.testing.assert_allclose(found.weights, 2.0 * x * 0.5, rtol=1e-15)
    assert found.inner[0] == 22.0
    np.testing.assert_allclose(found.inner[1], [10.0, 10.0], rtol=1e-15)


# --- thunks ---------------------------------------------------------------------------------------


def both(x, y):
    return x, y


def test_returned_pair():
    y, dy = np.array([3.14]), np.array([0.0])
    forward, reverse = autodiff_thunk(
        ReverseSplitNoPrimal,
        Const[typeof(both)],
        MixedDuplicated,
        Active[float],
        Duplicated[typeof(y)],
    )
    given = Active(2.7), Duplicated(y, dy)
    tape, primal, shadow = forward(Const(both), *given)
    assert primal is None and shadow[()][0] == 0.0 and shadow[()][1] is dy
    assert reverse(Const(both), *given, (47.56, dy), tape) == ((47.56, None),)
    np.testing.assert_array_equal(dy, [0.0])


def test_returned_pair_in_a_batch():
    y, dys = np.array([3.14]), (np.array([0.0]), np.array([0.0]))
    forward, reverse = autodiff_thunk(
        ReverseSplitWithPrimal,
        Const[typeof(both)],
        BatchMixedDuplicated,
        Active[float],
        BatchDuplicated[typeof(y), 2],
    )
    given = Active(2.7), BatchDuplicated(y, dys)
    tape, primal, shadows = forward(Const(both), *given)
    assert primal[0] == 2.7 and primal[1] is y
    assert [s[()][1] is dy for s, dy in zip(shadows, dys, strict=True)] == [True, True]
    seeds = (47.0, dys[0]), (56.0, dys[1])
    assert reverse(Const(both), *given, seeds, tape) == (((47.0, 56.0), None),)


def test_returned_number():
    def same(x):
        return x

    forward, reverse = autodiff_thunk(
        ReverseSplitNoPrimal, Const[typeof(same)], MixedDuplicated, Active[float]
    )
    tape, _, shadow = forward(Const(same), Active(2.0))
    assert shadow[()] == 0.0
    assert reverse(Const(same), Active(2.0), 47.56, tape) == ((47.56,),)


def test_returned_argument():
    def square_into(x):
        x[1] = x[0] * x[0]
        return x

    y, dy = np.array([3.14, 0.0]), np.array([0.0, 2.7])
    forward, reverse = autodiff_thunk(
        ReverseSplitNoPrimal, Const[typeof(square_into)], MixedDuplicated, Duplicated[typeof(y)]
    )
    given = Duplicated(y, dy)
    tape, _, shadow = forward(Const(square_into), given)
    assert shadow[()] is dy
    reverse(Const(square_into), given, dy, tape)
    np.testing.assert_allclose(dy, [16.956, 0.0], rtol=1e-15)


def test_mixed_arguments():
    forward, reverse = autodiff_thunk(
        ReverseSplitWithPrimal, Const[typeof(product)], Active, MixedDuplicated[typeof(pair())]
    )
    ref = ref_to(zero())
    given = MixedDuplicated(pair(), ref)
    tape, primal, _ = forward(Const(product), given)
    assert primal == 2.7 * 3.14
    given.val[1][0] = np.nan  # what is needed of it is on the tape
    assert reverse(Const(product), given, 2.0, tape) == ((None,),)
    assert ref[()][0] == 6.28 and ref[()][1][0] == 5.4

    tape, _, _ = forward(Const(product), given)
    with pytest.raises(ShadowLayoutError, match="another shadow"):
        reverse(Const(product), MixedDuplicated(pair(), ref_to(zero())), 1.0, tape)
    ref[()] = zero()[0]
    ref.reshape(-1)[0] = zero()
    with pytest.raises(ShadowLayoutError, match="another shadow"):
        reverse(Const(product), given, 1.0, tape)
    with pytest.raises(ThunkCallError):
        forward(Const(product), Active(1.0))


# --- errors ---------------------------------------------------------------------------------------


def test_content_is_looked_at_in_every_call():
    given = MixedDuplicated(pair(), ref_to(zero()))
    autodiff(Reverse, product, given)
    given.dval.reshape(-1)[0] = (0.0, np.zeros(3))
    with pytest.raises(ShadowLayoutError, match="shape"):
        autodiff(Reverse, product, given)


def test_errors():
    with pytest.raises(ActivityError, match="mixed activity"):
        autodiff(Reverse, product, Active(pair()))
    with pytest.raises(ActivityError, match="exist only in split reverse mode"):
        autodiff(Reverse, product, MixedDuplicated, MixedDuplicated(pair(), ref_to(zero())))
    with pytest.raises(ActivityError, match="exist only in split reverse mode"):
        autodiff(Forward, product, MixedDuplicated, MixedDuplicated(pair(), ref_to(zero())))
    base = np.zeros(3)
    with pytest.raises(ShadowLayoutError, match="shares memory"):
        autodiff(Reverse, product, MixedDuplicated((1.0, base[:2]), ref_to((0.0, base[1:]))))
