"""The tester over all activities: scalars, arrays, tuples, keyword arguments, callables with data."""

from __future__ import annotations

from collections import namedtuple
from itertools import product

import numpy as np
import pytest
from numba import njit

from enzyme import (
    Active,
    BatchDuplicated,
    BatchDuplicatedNoNeed,
    BatchMixedDuplicated,
    Const,
    Duplicated,
    DuplicatedNoNeed,
    MixedDuplicated,
    typeof,
)
from enzyme_testutils import (
    all_or_batch,
    are_activities_compatible,
    check_adjoint,
    parametrize_activities,
    test_forward,
    test_reverse,
)

pytestmark = pytest.mark.rotating(27)

TYPES = (np.float32, np.float64, np.complex64, np.complex128)
BATCH = (BatchDuplicated, BatchDuplicatedNoNeed, BatchMixedDuplicated)
SINGLE = (Duplicated, DuplicatedNoNeed, MixedDuplicated)


def test_compatible_activities():
    """All pairs and triples: batches do not stand beside forms with one shadow."""
    everything = (Const, Active, *SINGLE, *BATCH)
    for count in (2, 3):
        for chosen in product(everything, repeat=count):
            mixed = any(c in BATCH for c in chosen) and any(c in SINGLE for c in chosen)
            assert are_activities_compatible(*chosen) is not mixed
            assert all_or_batch(*chosen) is not mixed
    assert not all_or_batch(BatchDuplicated[float, 2], BatchDuplicated[float, 3])
    assert not all_or_batch(BatchDuplicated(1.0, (1.0,)), BatchDuplicated(1.0, (1.0, 2.0)))


@njit
def product_of(x, y):
    return x * y


@njit
def scaled_sum(x, y):
    x *= 2.0
    return (x * y).sum()


@njit
def scaled_in_place(x, y):
    x *= y
    return x


@pytest.mark.parametrize("T", TYPES)
@parametrize_activities(
    (Const, Duplicated, DuplicatedNoNeed, BatchDuplicated, BatchDuplicatedNoNeed),
    x=(Const, Duplicated, BatchDuplicated),
    y=(Const, Duplicated, BatchDuplicated),
)
def test_scalars_forward(T, ret, x, y):
    test_forward(product_of, ret, (T(1.7), x), (T(-2.3), y))


@pytest.mark.parametrize("T", TYPES)
@parametrize_activities((Const, Active), x=(Const, Active), y=(Const, Active))
def test_scalars_reverse(T, ret, x, y):
    test_reverse(product_of, ret, (T(1.7), x), (T(-2.3), y))


def arrays(T):
    x, y = np.array([0.5, -1.5, 2.5]), np.array([1.1, -0.3, 0.7])
    if np.dtype(T).kind == "c":
        x = x + 1j * y
    return x.astype(T), y.astype(T)


@pytest.mark.parametrize("T", [np.float64, np.complex64])
@parametrize_activities(
    (Const, Duplicated, DuplicatedNoNeed, BatchDuplicated, BatchDuplicatedNoNeed),
    x=(Const, Duplicated, BatchDuplicated),
    y=(Const, Duplicated, BatchDuplicated),
)
def test_arrays_forward(T, ret, x, y):
    a, b = arrays(T)
    test_forward(product_of, ret, (a, x), (b, y))
    if x is not Const:
        test_forward(scaled_in_place, ret, (a, x), (b, y))


@pytest.mark.parametrize("T", [np.float32, np.complex128])
@parametrize_activities(
    (Const, Duplicated, BatchDuplicated),
    x=(Const, Duplicated, BatchDuplicated),
    y=(Const, Duplicated, BatchDuplicated),
)
def test_arrays_reverse(T, ret, x, y):
    a, b = arrays(T)
    test_reverse(product_of, ret, (a, x), (b, y))
    if x is not Const:
        test_reverse(scaled_in_place, ret, (a, x), (b, y))


@parametrize_activities(
    (Const, Active), x=(Duplicated, BatchDuplicated), y=(Const, Duplicated, BatchDuplicated)
)
def test_mutated_and_reduced(ret, x, y):
    for T in (np.float32, np.complex128):
        a, b = arrays(T)
        test_reverse(scaled_sum, ret, (a, x), (b, y))
        check_adjoint(scaled_sum, ret, (a, x), (b, y))


Pair = namedtuple("Pair", "a b")


@njit
def squares(p, s):
    p.a[0] *= s
    return (p.a.sum() * s, Pair(p.b * s, p.a * 2.0))


@pytest.mark.parametrize(
    ("ret", "p", "s"),
    [(MixedDuplicated, Duplicated, Active), (BatchMixedDuplicated, BatchDuplicated, Active)],
)
def test_results_with_floats_and_memory(ret, p, s):
    pair = Pair(np.ones(3), np.arange(2.0))
    test_reverse(squares, ret, (pair, p), (2.0, s))
    check_adjoint(squares, ret, (pair, p), (2.0, s))


@pytest.mark.parametrize("p", [Duplicated, BatchDuplicated])
def test_tuples_forward(p):
    ret = Duplicated if p is Duplicated else BatchDuplicated
    test_forward(squares, ret, (Pair(np.ones(3), np.arange(2.0)), p), (2.0, p))


@njit
def mixed(t):
    t[1][0] *= t[0]
    return t[0] * t[1][0]


@pytest.mark.parametrize("t", [MixedDuplicated, BatchMixedDuplicated])
def test_mixed_arguments(t):
    test_reverse(mixed, Active, ((2.7, np.array([3.14])), t))
    check_adjoint(mixed, Active, ((2.7, np.array([3.14])), t))


@njit
def of_tuple(t):
    return t[0] * t[1] ** 2


def test_active_tuples():
    test_reverse(of_tuple, Active, ((2.0, 3.0), Active))
    test_reverse(lambda t: (t[0] * t[1], t[0]), Active, ((2.0, 3.0), Active))
    test_forward(of_tuple, DuplicatedNoNeed, ((2.0, 3.0), Duplicated))


@njit
def with_keywords(x, p=1.0, n=3):
    return x**p * n


def test_keyword_arguments():
    for words in ({"p": 2.5}, {"n": 2, "p": 1.5}, {"n": 2.5}):
        test_reverse(with_keywords, Active, (2.0, Active), fkwargs=words)
        test_forward(with_keywords, Duplicated, (2.0, Duplicated), fkwargs=words)
        check_adjoint(with_keywords, Active, (2.0, Active), fkwargs=words)


class Scaled(namedtuple("Scaled", "V")):
    def __call__(self, y):
        self.V[1] *= 2.0
        return self.V[0] * y * self.V[1]


@parametrize_activities((Const, Active), f=(Const, Duplicated, BatchDuplicated), y=(Const, Active))
def test_callables_with_data(ret, f, y):
    test_reverse((Scaled(np.array([2.0, 3.0])), f), ret, (3.0, y))


@parametrize_activities(
    (Const, Duplicated, BatchDuplicated), f=(Duplicated, BatchDuplicated), y=(Const,)
)
def test_callables_with_data_forward(ret, f, y):
    test_forward((Scaled(np.array([2.0, 3.0])), f), ret, (3.0, y))


def test_shadows_of_the_user():
    """Annotations are used as they are, and copied: the call changes nothing outside."""
    x, dx = np.array([1.0, 2.0]), np.array([0.5, -0.5])
    lanes = (dx, 2 * dx, 3 * dx)
    test_forward(scaled_in_place, Duplicated, Duplicated(x, dx), Duplicated(x + 1, 2 * dx))
    test_reverse(scaled_in_place, BatchDuplicated, BatchDuplicated(x, lanes), x + 1)
    test_reverse(product_of, Active, Active(3), Active(2.0), output_tangent=2.5)
    assert x.tolist() == [1, 2] and dx.tolist() == [0.5, -0.5]
    for second in (Duplicated(x + 1, dx), Duplicated(x, dx.copy())):
        with pytest.raises(ValueError, match="one array, one shadow; two arrays, two shadows"):
            test_forward(scaled_in_place, Duplicated, Duplicated(x, dx), second)


def test_widths():
    x, lanes = np.array([1.0, 2.0]), tuple(np.ones((3, 2)))
    test_forward(product_of, BatchDuplicated, (x, BatchDuplicated[typeof(x), 3]), x + 1)
    test_forward(product_of, BatchDuplicated, BatchDuplicated(x, lanes), (x + 1, BatchDuplicated))
    with pytest.raises(ValueError, match=r"different numbers of shadows: \[2, 3\]"):
        pair = BatchDuplicated(x + 1, lanes[:2])
        test_forward(product_of, BatchDuplicated, BatchDuplicated(x, lanes), pair)


def test_shared_arrays():
    """The same array twice gets the same shadow."""
    x = np.array([1.0, 2.0, 3.0])
    test_reverse(scaled_sum, Active, (x, Duplicated), (x, Duplicated))
    test_forward(scaled_sum, Duplicated, (x, Duplicated), (x, Duplicated))
    check_adjoint(scaled_sum, Active, (x, Duplicated), (x, Duplicated))


@njit
def chosen(a, b, first):
    return (a if first else b)[0] ** 2


def test_runtime_activity():
    a, b = np.array([3.0]), np.array([4.0])
    for first in (True, False):
        test_reverse(chosen, Active, (a, Duplicated), b, first, runtime_activity=True)
        test_forward(chosen, Duplicated, (a, Duplicated), b, first, runtime_activity=True)
    with pytest.raises(ValueError, match="runtime activity needs a result that is Const or Active"):
        test_reverse(scaled_in_place, Duplicated, (a, Duplicated), b, runtime_activity=True)


@pytest.mark.parametrize(
    ("run", "args", "message"),
    [
        (test_forward, ((1.0, DuplicatedNoNeed), 1.0), "shadows for DuplicatedNoNeed are not made"),
        (test_forward, ((1.0, Duplicated), (1.0, BatchDuplicated)), "do not fit together"),
        (test_reverse, ((1.0, Active), (1.0, Active)), "result in reverse mode: Annotation"),
    ],
)
def test_unsupported_activities(run, args, message):
    from enzymecore import Annotation

    with pytest.raises(ValueError, match=message):
        run(product_of, Annotation if "mode" in message else Const, *args)


def test_the_return_activity_is_no_argument():
    with pytest.raises(ValueError, match="the activity of the result comes second"):
        test_forward(product_of, (1.0, Duplicated), (2.0, Duplicated))
    with pytest.raises(ValueError, match="result in forward mode: Active"):
        test_forward(product_of, Active, (1.0, Duplicated), 2.0)
