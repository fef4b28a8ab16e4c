"""Derivatives of derivatives, by differentiating jitted functions that call `autodiff`."""

from __future__ import annotations

import math
import os

import numpy as np
import pytest
from numba import njit, types
from numba.experimental import jitclass
from numba.typed import Dict, List

from enzyme import (
    Active,
    BatchDuplicated,
    Const,
    Duplicated,
    DuplicatedNoNeed,
    Forward,
    Reverse,
    autodiff,
    gradient,
    jacobian,
)
from enzyme.errors import EnzymeNoDerivativeError
from tests.programs import harness, nested, test_programs_law  # noqa: F401  (registers the programs)
from tests.programs.cases import CASES

pytestmark = pytest.mark.rotating(35)

# --- values of the specification (semantics 5.6) --------------------------------------------------


def test_forward_over_forward():
    @njit
    def f(x, y):
        return (x + y) ** 2

    @njit
    def by_x(x, y):
        return autodiff(Forward, f, Duplicated(x, 1.0), Const(y))[0]

    assert autodiff(Forward, by_x, Const(2.0), Duplicated(3.0, 1.0)) == (2.0,)


def test_reverse_over_reverse_and_further():
    @njit
    def first(x):
        return gradient(Reverse, math.sin, x)

    @njit
    def second(x):
        return gradient(Reverse, first, x)

    @njit
    def third(x):
        return autodiff(Forward, second, Duplicated(x, 1.0))[0]

    assert gradient(Reverse, first, 3.1) == pytest.approx(-math.sin(3.1), abs=1e-15)
    assert gradient(Reverse, second, 3.1) == pytest.approx(-math.cos(3.1), abs=1e-15)
    assert gradient(Reverse, third, 3.1) == pytest.approx(math.sin(3.1), abs=1e-15)
    assert gradient(Reverse, lambda x: gradient(Reverse, math.sin, x), 3.1) == pytest.approx(
        -math.sin(3.1), abs=1e-15
    )


@njit
def quadratic(x, y):
    y[0] = x[0] * x[0] + x[1] * x[0]


@njit
def adjoint_of_quadratic(x, dx, y, dy):
    autodiff(Reverse, quadratic, Const, Duplicated(x, dx), DuplicatedNoNeed(y, dy))


def test_forward_over_reverse():
    x, bx, y, by = np.array([2.0, 2.0]), np.zeros(2), np.zeros(1), np.ones(1)
    dx, dbx, dy, dby = np.array([1.0, 0.0]), np.zeros(2), np.zeros(1), np.zeros(1)
    autodiff(
        Forward, adjoint_of_quadratic, Const,
        Duplicated(x, dx), Duplicated(bx, dbx), Duplicated(y, dy), Duplicated(by, dby),
    )  # fmt: skip
    np.testing.assert_array_equal(bx, [6.0, 2.0])
    np.testing.assert_array_equal(dbx, [2.0, 1.0])
    assert dy[0] == 6.0


def test_batch_over_reverse():
    x, dx = np.array([2.0, 2.0]), np.zeros(2)
    directions = np.array([1.0, 0.0]), np.array([0.0, 1.0])
    rows = np.zeros(2), np.zeros(2)
    autodiff(
        Forward, adjoint_of_quadratic, Const,
        BatchDuplicated(x, directions), BatchDuplicated(dx, rows),
        Const(np.zeros(1)), Const(np.ones(1)),
    )  # fmt: skip
    np.testing.assert_array_equal(dx, [6.0, 2.0])
    np.testing.assert_array_equal(rows, [[2.0, 1.0], [1.0, 0.0]])


def test_tangent_of_a_jacobian():
    @njit
    def curve(x):
        return np.array([math.sin(x), math.sin(2 * x)])

    @njit
    def by_rows(x):
        return jacobian(Reverse, curve, x)

    @njit
    def by_columns(x):
        return jacobian(Forward, curve, x)

    expected = [-0.11226778856988433, 0.8973655504289612]
    for function in (by_rows, by_columns):
        (found,) = autodiff(Forward, function, Duplicated(3.1, 2.7))
        np.testing.assert_allclose(found, expected, rtol=1e-14)


@njit
def objective(x):
    x1, x2, x3, x4 = x
    s3, s4 = math.sin(x3) ** 2, math.sin(x4) ** 2
    return (
        -4 + x1**2 + x2**2 + (x3 + x4) ** 2 + x3 + 2 * s3 + x1**2 * x2**2 + x4 + (x4 - 1) ** 2
        + x2**4 + (x3**2 + (x1 + x4) ** 2) ** 2 + ((s4 - 4) + x2**2 * x3**2 + x1) ** 2
        + math.sin(x4) ** 4
    )  # fmt: skip


@njit
def slope_of_objective(x):
    return gradient(Reverse, objective, x)


@njit
def objective_of_array(x):
    return objective((x[0], x[1], x[2], x[3]))


@njit
def gradient_of_array(x):
    return gradient(Reverse, objective_of_array, x)


HESSIAN = [
    (64, 8, -32, 50.48639500938415),
    (8, 85.30728724172722, -77.2291489669089, -6.0544199624634265),
    (-32, -77.2291489669089, 169.56456162072033, -1.891160075073147),
    (50.48639500938415, -6.0544199624634265, -1.891160075073147, 53.967425651780005),
]


def test_hessian():
    point = (0.0, 2.0, -1.0, 2.0)
    for k, row in enumerate(HESSIAN):
        direction = tuple(float(j == k) for j in range(4))
        (found,) = autodiff(Forward, slope_of_objective, Duplicated(point, direction))
        np.testing.assert_allclose(found, row, rtol=1e-13)
    x = np.array(point)
    for mode in (Forward, Reverse):
        np.testing.assert_allclose(jacobian(mode, gradient_of_array, x), HESSIAN, rtol=1e-13)

    @njit
    def hessian(x):
        return jacobian(Forward, gradient_of_array, x)

    np.testing.assert_allclose(hessian(x), HESSIAN, rtol=1e-13)


def test_curvature_of_a_loop_that_stops_at_a_tolerance():
    @njit
    def root(a):
        x = a
        while abs(x * x - a) > 1e-15 * a:
            x = 0.5 * (x + a / x)
        return x

    @njit
    def slope(a):
        return autodiff(Reverse, root, Active, Active(a))[0][0]

    expected = -0.25 * 3.0**-1.5
    assert autodiff(Forward, slope, Duplicated(3.0, 1.0))[0] == pytest.approx(expected, rel=1e-6)
    assert autodiff(Reverse, slope, Active, Active(3.0))[0][0] == pytest.approx(expected, rel=1e-6)


@njit
def may_raise(x):
    y = x * 2.0
    if x[0] < 0.0:
        raise ValueError("negative")
    return y[0] * y[0] * y[1]


@njit
def adjoint_of_may_raise(x):
    return gradient(Reverse, may_raise, x)


@njit
def hessian_of_may_raise(x):
    return jacobian(Forward, adjoint_of_may_raise, x)


def test_exceptions_of_the_innermost_function():
    x = np.array([3.0, 2.0])
    np.testing.assert_array_equal(hessian_of_may_raise(x), [[32.0, 48.0], [48.0, 0.0]])
    for _ in range(30):
        for mode in (Forward, Reverse):
            with pytest.raises(ValueError, match="negative"):
                jacobian(mode, adjoint_of_may_raise, -x)


def test_third_order():
    found = jacobian(Forward, hessian_of_may_raise, np.array([3.0, 2.0]))
    expected = np.zeros((2, 2, 2))
    expected[0, 0, 1] = expected[0, 1, 0] = expected[1, 0, 0] = 16.0
    np.testing.assert_array_equal(found, expected)


def test_recursion_is_refused():
    @njit
    def power(x, n):
        if n <= 0:
            return 1.0
        return x * power(x, n - 1) + power(x * 0.5, n - 2)

    @njit
    def slope(x, n):
        return autodiff(Reverse, power, Active, Active(x), Const(n))[0][0]

    assert slope(2.0, 3) > 0.0
    with pytest.raises(
        EnzymeNoDerivativeError, match="recursive function that is differentiated twice"
    ):
        autodiff(Forward, slope, Duplicated(2.0, 1.0), Const(3))


@njit
def folded(x, i, a):
    if i == len(x):
        return a * a
    return folded(x, i + 1, a * x[i] + 1.0) + a


@njit
def fold(x):
    return folded(x, 0, 1.0)


@njit
def tangent_of_fold(x, v):
    return autodiff(Forward, fold, Duplicated(x, v))[0]


def test_recursion_below_a_tangent():
    """The direction is only read, by a function that calls itself."""
    x, v, h = np.array([0.7, 0.3]), np.array([1.0, 2.0]), 1e-4
    steps = np.eye(2) * h
    expected = [(tangent_of_fold(x + e, v) - tangent_of_fold(x - e, v)) / (2 * h) for e in steps]
    dx = np.zeros(2)
    autodiff(Reverse, tangent_of_fold, Active, Duplicated(x, dx), Const(v))
    np.testing.assert_allclose(dx, expected, rtol=1e-7)
    for k, e in enumerate(np.eye(2)):
        found = autodiff(Forward, tangent_of_fold, Duplicated(x, e), Const(v))
        assert found == (pytest.approx(expected[k], rel=1e-7),)


def test_an_argument_that_is_only_read_may_be_another_argument():
    @njit
    def product(y, x):
        return x[0] ** 2 * y[0] ** 2

    @njit
    def outer(x, start):
        dy = np.zeros(1)
        autodiff(Reverse, product, Active, Duplicated(start, dy), Const(x))
        return dy[0] * x[0]

    x, dx = np.array([2.0]), np.zeros(1)
    autodiff(Reverse, outer, Active, Duplicated(x, dx), Const(x))
    assert dx[0] == 3 * 2 * 2.0**2 * 2.0


def test_lists_of_derivatives_of_lists():
    """The lists of the two programs hold items of different sizes."""

    @njit
    def series(x):
        terms = List.empty_list(1.0)
        for k in range(12):
            terms.append(x**k / (k + 1))
        s = 0.0
        for term in terms:
            s += term
        return s

    @njit
    def outer(x):
        found = List.empty_list((1.0, 1.0))
        for k in range(3):
            slope = autodiff(Reverse, series, Active, Active(x + 0.1 * k))[0][0]
            found.append((slope, x))
        s = 0.0
        for slope, y in found:
            s += slope * y
        return s

    x = 0.7
    points = x + 0.1 * np.arange(3)
    k = np.arange(12)
    slopes = [(k[1:] * p ** (k[1:] - 1) / (k[1:] + 1)).sum() for p in points]
    curvatures = [(k[2:] * (k[2:] - 1) * p ** (k[2:] - 2) / (k[2:] + 1)).sum() for p in points]
    expected = pytest.approx(sum(slopes) + x * sum(curvatures), rel=1e-13)
    assert outer(x) == pytest.approx(x * sum(slopes), rel=1e-13)
    assert autodiff(Forward, outer, Duplicated(x, 1.0)) == (expected,)
    assert autodiff(Reverse, outer, Active, Active(x)) == ((expected,),)


def test_dictionaries_of_derivatives_of_dictionaries():
    """The dictionaries of the two programs hold values of different sizes."""
    triple = types.UniTuple(types.float64, 3)

    @njit
    def powers(x):
        found = Dict.empty(types.int64, types.float64)
        for k in range(30):
            found[k % 7] = found.get(k % 7, 1.0) * x + k
        s = 0.0
        for k in found:
            s += found[k] * found[6 - k]
        return s

    @njit
    def outer(x):
        found = Dict.empty(types.int64, triple)
        for k in range(3):
            slope = autodiff(Reverse, powers, Active, Active(x + 0.1 * k))[0][0]
            found[2 * k] = (slope, x, autodiff(Forward, powers, Duplicated(x, 1.0))[0])
        s = 0.0
        for k, (slope, y, other) in found.items():
            s += slope * y + k * other
        return s

    def polynomials():
        """The value of `powers` as a polynomial."""
        found = [np.polynomial.Polynomial([1.0])] * 7
        x = np.polynomial.Polynomial([0.0, 1.0])
        for k in range(30):
            found[k % 7] = found[k % 7] * x + k
        return sum(found[k] * found[6 - k] for k in range(7))

    x = 0.7
    first, second = polynomials().deriv(), polynomials().deriv(2)
    points = x + 0.1 * np.arange(3)
    value = x * first(points).sum() + 6.0 * first(x)
    expected = first(points).sum() + x * second(points).sum() + 6.0 * second(x)
    expected = pytest.approx(expected, rel=1e-13)
    assert outer(x) == pytest.approx(value, rel=1e-13)
    assert autodiff(Forward, outer, Duplicated(x, 1.0)) == (expected,)
    assert autodiff(Reverse, outer, Active, Active(x)) == ((expected,),)


@pytest.mark.parametrize("inner", [Forward, Reverse])
@pytest.mark.parametrize("outer", [Forward, Reverse])
def test_items_of_many_numbers(inner, outer):
    """A first derivative would keep an address instead of the numbers."""

    @njit
    def records(x):
        found = List()
        for k in range(5):
            found.append(((x * k, x * x), k, k > 1, x + 1j * x))
        s = 0.0
        for (a, b), k, wanted, z in found:
            s += a * b * k + z.real * z.imag * wanted * a
        return s

    @njit
    def values(x):
        found = Dict.empty(types.int64, types.complex128)
        for k in range(5):
            found[k] = x * x * k + 1j * x
        s = 0.0
        for z in found.values():
            s += z.real * z.imag
        return s

    for function, factor in ((records, 39.0), (values, 10.0)):

        @njit
        def slope(x, function=function):
            return gradient(inner, function, x)

        assert function(0.7) == pytest.approx(factor * 0.7**3, rel=1e-14)
        assert slope(0.7) == pytest.approx(3.0 * factor * 0.7**2, rel=1e-14)
        assert gradient(outer, slope, 0.7) == pytest.approx(6.0 * factor * 0.7, rel=1e-13)


ARRAY = types.float64[::1]


@jitclass([("scale", types.float64), ("rows", types.DictType(types.int64, ARRAY))])
class Table:
    def __init__(self, scale):
        self.scale = scale
        self.rows = Dict.empty(types.int64, ARRAY)


@njit
def rows_of_a_table(x):
    table = Table(x[0])
    table.rows[0] = np.array([x[1], table.scale])
    table.rows[1] = table.rows[0] * table.scale
    return table.rows[1].sum()


@pytest.mark.parametrize("inner", [Forward, Reverse])
def test_instances_that_hold_dictionaries_of_arrays(inner):
    slope = njit(lambda x: gradient(inner, rows_of_a_table, x))
    x = np.array([0.7, 1.3])
    for outer in (Forward, Reverse):
        np.testing.assert_allclose(jacobian(outer, slope, x), [[2.0, 1.0], [1.0, 0.0]], rtol=1e-14)


@pytest.mark.parametrize("inner", [Forward, Reverse])
@pytest.mark.parametrize("outer", [Forward, Reverse])
def test_functions_that_derivatives_bring_along(inner, outer):
    """The inner derivative defines polygamma functions, twice here, and the outer one calls them too."""

    @njit
    def first(x):
        return math.gamma(x) * math.sin(x)

    @njit
    def slopes(x):
        return gradient(inner, first, x) + gradient(inner, math.lgamma, x * x) * math.gamma(x)

    h = 1e-5
    differences = (slopes(1.7 + h) - slopes(1.7 - h)) / (2 * h)
    assert gradient(outer, slopes, 1.7) == pytest.approx(differences, rel=1e-8)


JOINTS = {
    "products": "x * x if x > 0 else -x * x",
    "a sign inside": "(x if x > 0 else -x) * x",
    "a sign before": "(1.0 if x > 0 else -1.0) * x * x",
    "the other side": "-x * x if x <= 0 else x * x",
}


@pytest.mark.parametrize("name", JOINTS)
@pytest.mark.parametrize("inner", [Forward, Reverse], ids=["forward inside", "reverse inside"])
def test_second_derivatives_at_a_branch_are_those_of_the_side_taken(name, inner):
    """LLVM must not see |x| where the program has a branch: its derivative at zero is that of neither side."""
    scope = {}
    exec(f"def f(x):\n    return {JOINTS[name]}\n", scope)
    f = njit(scope["f"])

    if inner is Forward:

        @njit
        def slope(x):
            return autodiff(Forward, f, Duplicated(x, 1.0))[0]

    else:

        @njit
        def slope(x):
            return gradient(Reverse, f, x)

    for x, expected in ((0.0, -2.0), (-0.0, -2.0), (1.0, 2.0), (-1.0, -2.0)):
        assert autodiff(Forward, slope, Duplicated(x, 1.0))[0] == expected
        assert gradient(Reverse, slope, x) == expected


# --- the law --------------------------------------------------------------------------------------

# One of each kind; all of them where the environment asks for it.
PROGRAMS = """
algorithms.horner algorithms.pairs_with_a_cutoff algorithms.romberg algorithms.sphere_tracing.1
arrays.array_return_used arrays.bool_mask_in_loop arrays.rank4.1 arrays.small_integers arrays.swap_two_buffers
arrays.zip_two calls.comparison_counts calls.tuple_argument constructs.early_return_from_a_nest.0
dynamics.heat_2d.1 dynamics.rk4_array_expressions linear_algebra.conjugate_gradient
linear_algebra.forward_substitution linear_algebra.repeated_matmul_operator lists.cplx
typed_lists.t_append.1 typed_lists.t_loop typed_lists.t_tuples
reductions.interp_by_numpy reductions.matrix_vector_by_numpy scalar.while_true_break
statistics.hmm_forward statistics.neural_network
""".split()


def _names():
    if "ALL_NESTED" not in os.environ:
        return PROGRAMS
    return [name for name, case in CASES.items() if not case.single]


def test_names():
    assert set(PROGRAMS) <= set(CASES)


@pytest.mark.parametrize("name", _names())
@pytest.mark.parametrize("forward", [False, True], ids=["adjoint", "tangent"])
def test_law(name, forward):
    harness.check(nested.derivative_of(CASES[name], forward))
