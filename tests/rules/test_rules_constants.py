"""What inactive functions write is constant from then on, and what stood there has no more effect."""

from __future__ import annotations

import numpy as np
import pytest
from numba import float64, njit, typed, typeof, types
from numba.experimental import jitclass

from enzyme import (
    Active,
    BatchDuplicated,
    Const,
    Duplicated,
    Forward,
    Reverse,
    ReverseSplitNoPrimal,
    autodiff,
    autodiff_thunk,
    grad,
    jacfwd,
    jacrev,
)
from enzyme.errors import EnzymeConstStorageError, EnzymeNoDerivativeError
from enzyme_rules import inactive
from tests.rules.constants_written import BODIES, SIZE
from tests.rules.containers_written import ARRAY, CHANGES, Pair

pytestmark = pytest.mark.rotating(3)


def function_of(g):
    """Numbers of `out` are read before the call of an inactive function, and behind it."""

    @njit
    def f(x, out):
        before = out[0] * 3.0 + out[1] * x[1]
        g(x, out)
        behind = 0.0
        for i in range(len(out)):
            behind += out[i] * out[i] * x[i]
        return before + behind

    return f


def values():
    return np.linspace(1.0, 2.0, SIZE), np.linspace(-1.0, 1.3, SIZE)


def expected(body):
    """The gradient by hand: numbers that are written are those that they were once."""
    x, out = values()
    after = out.copy()
    body.function.py_func(x, after)
    dx = after * after
    dx[1] += out[1]
    dout = 2.0 * after * x
    dout[list(body.written)] = 0.0
    dout[0] += 3.0
    dout[1] += x[1]
    return dx, dout


@pytest.fixture(params=BODIES, ids=lambda body: body.function.py_func.__name__)
def body(request):
    inactive(request.param.function)
    return request.param


def test_reverse(body):
    (x, out), (dx, dout) = values(), expected(body)
    found = np.zeros(SIZE), np.zeros(SIZE)
    autodiff(Reverse, function_of(body.function), Active, *map(Duplicated, (x, out), found))
    np.testing.assert_allclose(found, (dx, dout), rtol=1e-14)


@pytest.mark.parametrize("batch", [False, True])
def test_forward(body, batch):
    f, gradient = function_of(body.function), np.concatenate(expected(body))
    directions = np.eye(2 * SIZE)
    found = []
    for k in range(0, 2 * SIZE, 2):
        (x, out), pair = values(), directions[k : k + 2]
        if batch:
            shadows = [tuple(d[s].copy() for d in pair) for s in (slice(SIZE), slice(SIZE, None))]
            found += autodiff(Forward, f, *map(BatchDuplicated, (x, out), shadows))[0]
        else:
            for d in pair:
                x, out = values()
                found += autodiff(
                    Forward, f, Duplicated(x, d[:SIZE].copy()), Duplicated(out, d[SIZE:].copy())
                )
    np.testing.assert_allclose(found, gradient, rtol=1e-14)


def test_split(body):
    (x, out), (dx, dout) = values(), expected(body)
    found = np.zeros(SIZE), np.zeros(SIZE)
    f = function_of(body.function)
    array = Duplicated[typeof(x)]
    augmented, reverse = autodiff_thunk(ReverseSplitNoPrimal, f, Active, array, array)
    arguments = (Const(f), *map(Duplicated, (x, out), found))
    tape, *_ = augmented(*arguments)
    reverse(*arguments, 1.0, tape)
    np.testing.assert_allclose(found, (dx, dout), rtol=1e-14)


@njit
def doubled(x, out):
    for i in range(len(x)):
        out[i] = 2.0 * x[i]


def test_arrays_of_its_own():
    """Where nothing with a derivative stands in an array, there is nothing to clear, in any order."""
    inactive(doubled)

    @njit
    def f(x):
        own, s = np.empty_like(x), 0.0
        doubled(x, own)
        for i in range(len(x)):
            s += own[i] * x[i] ** 2
        return s

    @njit
    def slope(x):
        d = np.zeros_like(x)
        autodiff(Reverse, f, Active, Duplicated(x, d))
        return d.sum()

    x, d = np.array([1.0, 3.0]), np.zeros(2)
    autodiff(Reverse, slope, Active, Duplicated(x, d))
    np.testing.assert_allclose(d, 4.0 * x)
    assert autodiff(Forward, slope, Duplicated(x, np.array([1.0, 0.0]))) == (4.0,)


def test_twice_over_numbers_with_a_derivative():
    inactive(doubled)

    @njit
    def f(x, out):
        doubled(x, out)
        return out[0] * x[0] ** 2 + out[1] * x[1]

    @njit
    def ahead(x, out):
        d = np.array([1.0, 0.0])
        return autodiff(Forward, f, Duplicated(x, d), Duplicated(out.copy(), np.ones(2)))[0]

    @njit
    def back(x, out):
        d = np.zeros(2)
        autodiff(Reverse, f, Active, Duplicated(x, d), Duplicated(out.copy(), np.zeros(2)))
        return d[0]

    x, out, d = np.array([1.5, 3.0]), np.ones(2), np.zeros(2)
    autodiff(Reverse, ahead, Active, Duplicated(x, d), Const(out))
    np.testing.assert_allclose(d, [6.0, 0.0])
    with pytest.raises(EnzymeNoDerivativeError, match=r"tmp = np\.empty_like\(y\)"):
        autodiff(Reverse, back, Active, Duplicated(x, d), Const(out))


@njit
def by_halves(x, out):
    if len(out) > 1:
        by_halves(x[: len(x) // 2], out[: len(out) // 2])
        by_halves(x[len(x) // 2 :], out[len(out) // 2 :])
    else:
        out[0] = x[0]


@njit
def in_others(x, out):
    out[0] = 1.0
    by_halves(x, out)


def test_writes_by_functions_that_stay_calls():
    inactive(in_others)
    x, out = values()
    with pytest.raises(EnzymeConstStorageError, match="calls another one that writes"):
        autodiff(
            Reverse,
            function_of(in_others),
            Active,
            Duplicated(x, np.zeros(SIZE)),
            Duplicated(out, np.zeros(SIZE)),
        )


@jitclass([("scale", float64), ("values", float64[:])])
class Scaled:
    def __init__(self, scale, values):
        self.scale = scale
        self.values = values


@njit
def through_an_object(scaled, x, out):
    scaled.values[0] = x[0] * 2.0
    out[0] = x[1]


def test_writes_through_what_an_object_refers_to():
    inactive(through_an_object)

    @njit
    def f(x, out):
        scaled = Scaled(1.0, x * 3.0)
        through_an_object(scaled, x, out)
        return scaled.values[0] * x[0] + scaled.values[1] + out[0] * x[1]

    x, d = np.array([1.0, 2.0]), np.zeros(2)
    autodiff(Reverse, f, Active, Duplicated(x, d), Duplicated(np.zeros(2), np.zeros(2)))
    np.testing.assert_allclose(d, [2.0, 5.0])
    for direction, expected_slope in zip(np.eye(2), d, strict=True):
        shadows = Duplicated(x, direction), Duplicated(np.zeros(2), np.zeros(2))
        assert autodiff(Forward, f, *shadows) == (expected_slope,)


@pytest.fixture(params=CHANGES, ids=lambda change: change.name)
def change(request):
    return request.param


@pytest.mark.parametrize(("n", "times"), [(3, 0), (4, 3), (5, 20), (6, 2), (9, 1)])
def test_containers(change, n, times):
    make, numbers = change.make, change.numbers
    g = njit(change.function)
    inactive(g)

    @njit
    def f(x):
        made = make(x, n)
        g(made, times)
        found = numbers(made)
        return (found * found).sum()

    x, d = np.array([1.3, 0.7]), np.zeros(2)
    wanted = np.zeros(2)
    for place in change.kept(n, times):
        wanted[place % 2] += 2.0 * x[place % 2] * (place + 1) ** 2
    autodiff(Reverse, f, Active, Duplicated(x, d))
    np.testing.assert_allclose(d, wanted, rtol=1e-14)
    found = [autodiff(Forward, f, Duplicated(x, direction))[0] for direction in np.eye(2)]
    np.testing.assert_allclose(found, wanted, rtol=1e-14)


@njit
def written_and_returned(x, out):
    out[0] = 2.0 * x[0]
    return x * 3.0, out


def test_results_that_are_arrays():
    inactive(written_and_returned)

    @njit
    def f(x, out):
        before = out[0] * out[1]
        y, same = written_and_returned(x, out)
        y[0] = x[0] * x[1]
        return before + y[0] * x[0] + y[1] * x[0] + same[0] * x[1] + same[1] * x[1]

    (x, out), d, dout = (np.array([1.5, 2.0]), np.array([0.3, 0.4])), np.zeros(2), np.zeros(2)
    wanted = [2.0 * 1.5 * 2.0 + 6.0, 1.5**2 + 3.0 + 0.4], [0.4, 0.3 + 2.0]
    primal = out.copy()
    autodiff(Reverse, f, Active, Duplicated(x, d), Duplicated(primal, dout))
    np.testing.assert_allclose((d, dout), wanted, rtol=1e-14)
    for direction, slope in zip(np.eye(4), np.ravel(wanted), strict=True):
        shadows = Duplicated(x, direction[:2].copy()), Duplicated(out.copy(), direction[2:].copy())
        assert autodiff(Forward, f, *shadows)[0] == pytest.approx(slope, rel=1e-14)


def logged_in_list(x):
    log = [0.0]
    note(log, x)
    return (x * x * x).sum()


def logged_in_typed_list(x):
    log = typed.List.empty_list(float64)
    note(log, x)
    return (x * x * x).sum()


@njit
def note(log, x):
    log.append(x[0])


@jitclass([("values", float64[::1]), ("log", types.ListType(float64))])
class Logging:
    def __init__(self, values):
        self.values = values
        self.log = typed.List.empty_list(float64)


@njit
def note_in_object(logging, x):
    logging.log.append(x[0])


def logged_in_object(x):
    logging = Logging(x * x)
    note_in_object(logging, x)
    return (logging.values * x).sum()


@pytest.mark.parametrize("f", [logged_in_list, logged_in_typed_list, logged_in_object])
def test_a_log_in_second_derivatives(f):
    """Nothing with a derivative is in a list of its own; beside others in an object it is refused where it is met."""
    inactive(note)
    inactive(note_in_object)
    x = np.array([1.3, 0.7, 2.1])
    np.testing.assert_allclose(jacfwd(jacfwd(f))(x), np.diag(6.0 * x), rtol=1e-13)
    for twice in jacfwd(grad(f)), jacrev(grad(f)):
        if f is logged_in_object:
            with pytest.raises(EnzymeNoDerivativeError, match="a list or an object"):
                twice(x)
        else:
            np.testing.assert_allclose(twice(x), np.diag(6.0 * x), rtol=1e-13)


@njit
def keep_in_list(made, pair):
    made[0] = pair.values


@njit
def keep_of_list(made, pair):
    made[0] = made[1]


@njit
def keep_in_object(made, pair):
    other = Pair(1.0, made[0])
    other.values = pair.values
    made[0] = other.values


@pytest.mark.parametrize("g", [keep_in_list, keep_of_list, keep_in_object])
def test_arrays_that_find_another_place(g):
    """No number is written: an array in an argument is the same array wherever it is kept."""
    inactive(g)

    @njit
    def f(x):
        made = typed.List.empty_list(ARRAY)
        made.append(x * 5.0)
        made.append(x * x)
        g(made, Pair(1.0, x * x))
        return (made[0] * x).sum()

    x, d = np.array([1.3, 0.7]), np.zeros(2)
    autodiff(Reverse, f, Active, Duplicated(x, d))
    np.testing.assert_allclose(d, 3.0 * x * x, rtol=1e-14)
    found = [autodiff(Forward, f, Duplicated(x, direction))[0] for direction in np.eye(2)]
    np.testing.assert_allclose(found, d, rtol=1e-14)
