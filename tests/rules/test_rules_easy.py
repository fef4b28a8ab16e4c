"""Rules out of partials that are stated once."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numba import njit, objmode

from enzyme import (
    Active,
    BatchDuplicated,
    Const,
    Duplicated,
    Forward,
    ForwardWithPrimal,
    Reverse,
    ReverseWithPrimal,
    autodiff,
    grad,
    hessian,
    jacfwd,
    jacobian,
)
from enzyme.errors import CustomRuleError
from enzyme_rules import CONSTANT, easy_rule, rules_of

pytestmark = pytest.mark.rotating(35)

COUNTS = {"partial": 0, "setup": 0}


def count(what):
    COUNTS[what] += 1


@njit
def evaluated():
    with objmode():
        count("partial")


@njit
def set_up():
    with objmode():
        count("setup")


def counted(run):
    """What a call returns and how often it asked for partials and for what they share."""
    COUNTS["partial"] = COUNTS["setup"] = 0
    return run(), COUNTS["partial"], COUNTS["setup"]


def counting_sine():
    @njit
    def mysin(x):
        return np.sin(x)

    def partial(omega, x):
        evaluated()
        return np.exp(x)

    easy_rule(mysin, (partial,), types=(np.float32,))
    return mysin


SINGLE = np.float32(2.0), np.float32(1.2)


def test_types_restrict_a_rule():
    mysin = counting_sine()
    (found,), partials, _ = counted(lambda: autodiff(Forward, mysin, Duplicated(*SINGLE)))
    assert found == pytest.approx(1.2 * math.exp(2.0), rel=1e-6) and partials == 1
    assert type(found) is np.float32
    (found,), partials, _ = counted(lambda: autodiff(Forward, mysin, Duplicated(2.0, 1.2)))
    assert found == pytest.approx(1.2 * math.cos(2.0)) and partials == 0


def test_partials_are_computed_once():
    mysin = counting_sine()
    x, d = SINGLE
    batch = BatchDuplicated(x, (d, d + d, d))
    (found,), partials, _ = counted(lambda: autodiff(Forward, mysin, batch))
    assert found[1] == pytest.approx(2.4 * math.exp(2.0), rel=1e-6) and partials == 1
    found, partials, _ = counted(lambda: autodiff(Reverse, mysin, Active, Active(x)))
    assert found[0][0] == pytest.approx(math.exp(2.0), rel=1e-6) and partials == 1

    def h(x, out):
        out[0] = mysin(x)

    zero, one = np.zeros(1, np.float32), np.ones(1, np.float32)
    out = BatchDuplicated(zero, (one.copy(), 3 * one))
    found, partials, _ = counted(lambda: autodiff(Reverse, h, Const, Active(x), out))
    assert found[0][0] == pytest.approx((math.exp(2.0), 3 * math.exp(2.0)), rel=1e-6)
    assert partials == 1


def test_constant_partials():
    @njit
    def mymul(x, y):
        return x * y

    def partial(omega, x, y):
        evaluated()
        return math.exp(x)

    easy_rule(mymul, (partial, CONSTANT))
    args = Active(2.0), Active(3.1)
    found, partials, _ = counted(lambda: autodiff(Reverse, mymul, Active, *args))
    assert found == ((math.exp(2.0), 0.0),) and partials == 1
    found, partials, _ = counted(lambda: autodiff(Reverse, mymul, Active, Const(2.0), args[1]))
    assert found == ((None, 0.0),) and partials == 0
    tangent, partials, _ = counted(
        lambda: autodiff(ForwardWithPrimal, mymul, Const(2.0), Duplicated(3.1, 1.0))
    )
    assert tangent == (0.0, 2.0 * 3.1) and partials == 0


def test_tuples():
    @njit
    def both(x, y):
        return np.sin(x), np.cos(y)

    rows = (
        (lambda omega, x, y: np.exp(x), lambda omega, x, y: 0.0),
        (lambda omega, x, y: 0.0, lambda omega, x, y: 0.123456),
    )
    easy_rule(both, rows)
    ((first, second),) = autodiff(Forward, both, Duplicated(2.0, 1.2), Duplicated(0.5, 2.7))
    assert first == pytest.approx(1.2 * math.exp(2.0))
    assert second == pytest.approx(0.3333312)

    def h(x, y):
        a, b = both(x, y)
        return 2.0 * a + 10.0 * b

    ((x, y),) = autodiff(Reverse, h, Active, Active(2.0), Active(0.5))
    assert (x, y) == pytest.approx((2.0 * math.exp(2.0), 1.23456))


def three_to_two():
    @njit
    def f(x):
        return np.array([x[0] * x[1], x[2] ** 2])

    def partial(omega, x):
        evaluated()
        return np.array([[x[1] + 1.0, x[0], 0.5], [3.0, 0.0, 2.0 * x[2]]])

    easy_rule(f, (partial,))
    return f


X = np.array([2.7, 3.1, 9.2])
J = np.array([[4.1, 2.7, 0.5], [3.0, 0.0, 18.4]])


def test_arrays_in_forward_mode():
    f, dx = three_to_two(), np.array([1.2, -0.3, 0.7])
    (found,), partials, _ = counted(lambda: autodiff(Forward, f, Duplicated(X, dx)))
    np.testing.assert_allclose(found, J @ dx)
    assert partials == 1
    np.testing.assert_allclose(jacobian(Forward, f, X), J)


def test_jacobians_in_reverse_mode():
    np.testing.assert_allclose(jacobian(Reverse, three_to_two(), X, 2), J)


@pytest.mark.parametrize("width", [1, 2, 3])
def test_arrays_in_reverse_mode(width):
    f, rng = three_to_two(), np.random.default_rng(width)

    def h(x, out):
        out[:] = f(x)

    dx0 = [rng.normal(size=3) for _ in range(width)]
    dy = [rng.normal(size=2) for _ in range(width)]
    dx, dout = tuple(d.copy() for d in dx0), tuple(d.copy() for d in dy)
    if width == 1:
        args = Duplicated(X, dx[0]), Duplicated(np.zeros(2), dout[0])
    else:
        args = BatchDuplicated(X, dx), BatchDuplicated(np.zeros(2), dout)
    _, partials, _ = counted(lambda: autodiff(Reverse, h, Const, *args))
    for lane in range(width):
        np.testing.assert_allclose(dx[lane], dx0[lane] + J.T @ dy[lane])
    assert partials == 1


def test_what_partials_share():
    @njit
    def norm(x, y):
        return math.sqrt(x * x + y * y)

    def setup(x, y):
        set_up()
        return math.atan2(y, x)

    easy_rule(
        norm,
        (lambda angle, r, x, y: math.cos(angle), lambda angle, r, x, y: math.sin(angle) + 0.0 * r),
        setup=setup,
    )
    args = Active(3.0), Active(4.0)
    (adjoints, _), _, setups = counted(lambda: autodiff(ReverseWithPrimal, norm, Active, *args))
    assert adjoints == pytest.approx((0.6, 0.8)) and setups == 1

    def h(x, y, c):
        return x * norm(c, c) + y

    args += (Const(3.0),)
    (adjoints,), _, setups = counted(lambda: autodiff(Reverse, h, Active, *args))
    assert adjoints[2] is None and setups == 0


def test_the_primal_is_called_omega():
    @njit
    def f(x):
        return math.exp(x)

    easy_rule(f, lambda omega, x: omega)
    assert autodiff(Reverse, f, Active, Active(2.0)) == ((math.exp(2.0),),)
    assert autodiff(Forward, f, Duplicated(2.0, 3.0)) == (3.0 * math.exp(2.0),)


def test_one_function_for_all():
    @njit
    def f(x, y):
        return x * y

    @easy_rule(f)
    def partials(omega, x, y):
        return (10.0 * y, 100.0 * x)

    assert autodiff(Reverse, f, Active, Active(2.0), Active(3.0)) == ((30.0, 200.0),)
    assert autodiff(Forward, f, Duplicated(2.0, 1.0), Duplicated(3.0, 1.0)) == (230.0,)


@njit
def mixed(x, y):
    return x * y[0], x * y, x * y[1] * (1.0 + 2.0j), 3


@easy_rule(mixed)
def partials_of_mixed(omega, x, y):
    """Numbers, literals and arrays, real and complex; None where an argument is not read."""
    return (
        (y[0], np.array([x, 0.0])),
        (y, x * np.eye(2)),
        (y[1] * (1.0 + 2.0j), np.array([0.0, x * (1.0 + 2.0j)])),
        (None, 0),
    )


def test_one_function_for_several_results():
    """One of them is a literal, which a tuple in numba keeps as such."""
    x, y = 3.0, np.array([2.0, 5.0])
    args = Duplicated(x, 1.0), Duplicated(y, np.array([10.0, 100.0]))
    (tangent,) = autodiff(Forward, mixed, *args)
    assert tangent[0] == 32.0 and tangent[2] == 305.0 + 610.0j
    np.testing.assert_array_equal(tangent[1], [32.0, 305.0])


@njit
def numbers(x, y, z):
    return x * y, z * x, 3


@easy_rule(numbers)
def partials_of_numbers(omega, x, y, z):
    return ((y, x, None), (z, 0, x), (False, 1, 0.0))


def test_one_function_for_several_numbers():
    def h(x, y, z):
        a, b, n = numbers(x, y, z)
        return a * b.imag * n

    args = (3.0, 2.0, 5.0 + 7.0j)
    assert autodiff(Reverse, h, Active, *map(Active, args)) == ((252.0, 189.0, 54.0j),)
    assert autodiff(Forward, h, *(Duplicated(v, 1.0 + 0.0 * v) for v in args)) == (441.0,)
    batch = BatchDuplicated(3.0, (1.0, 2.0)), Const(2.0), BatchDuplicated(args[2], (0j, 1j))
    assert autodiff(Forward, h, *batch) == ((252.0, 504.0 + 54.0),)


def test_one_function_for_one_argument():
    """The only argument of several results, and the only member of a tuple."""

    @njit
    def f(x):
        return x * x, (x + 1.0) * 1j

    @njit
    def g(x):
        return (x * x,)

    easy_rule(f, lambda omega, x: ((2.0 * x,), (1j,)))
    easy_rule(g, lambda omega, x: ((2.0 * x,),))

    def h(x):
        return f(x)[0] * f(x)[1].imag + g(x)[0]

    assert autodiff(Forward, h, Duplicated(3.0, 1.0)) == (39.0,)
    assert autodiff(Reverse, h, Active, Active(3.0)) == ((39.0,),)


def test_one_function_for_arrays_in_a_tuple():
    @njit
    def f(x, y):
        return x * y, 2.0 * y

    easy_rule(f, lambda omega, x, y: ((y, x * np.eye(2)), (None, 2.0 * np.eye(2))))

    def h(x, y):
        a, b = f(x, y)
        return a.sum() * b[0]

    y, dy = np.array([2.0, 5.0]), np.zeros(2)
    assert autodiff(Reverse, h, Active, Active(3.0), Duplicated(y, dy)) == ((28.0, None),)
    assert dy.tolist() == [54.0, 12.0]


def test_a_complex_partial_of_something_real():
    """The real part counts, in both modes: they stay adjoint."""

    @njit
    def f(z):
        return z.real * z.real + z.imag

    easy_rule(f, lambda omega, z: 2.0 * z.real - 1j)
    assert autodiff(Forward, f, Duplicated(3.0 + 2.0j, 10.0 + 1.0j)) == (61.0,)
    assert autodiff(Reverse, f, Active, Active(3.0 + 2.0j)) == ((6.0 + 1.0j,),)


def two_results(x, y):
    return x * y, x + y


def single_result(x, y):
    return x * y


def nested_results(x, y):
    return x, (x, y)


CONSTANT_ONE = (lambda o, x, y: 1.0,) * 2


@pytest.mark.parametrize("mode", [Forward, Reverse])
@pytest.mark.parametrize(
    ("function", "partials", "message"),
    [
        (two_results, lambda o, x, y: (y, 1.0), "two_results.* are UniTuple.float64 x 2., where"),
        (two_results, lambda o, x, y: ((y,), (1.0,)), r"\(result_1_by_x, result_1_by_y\)\) is due"),
        (two_results, lambda o, x, y: [y, x], "a tuple of 2 results, and takes 2 arguments"),
        (two_results, CONSTANT_ONE, "those of a single result, where"),
        (two_results, (CONSTANT_ONE,), "those of 1 result in a tuple, where"),
        (single_result, lambda o, x, y: y, r"\(single_result_by_x, single_result_by_y\) is due"),
        (single_result, lambda o, x, y: (y, x, x), "returns a single result, not a tuple"),
        (single_result, (CONSTANT_ONE,) * 2, "those of 2 results in a tuple"),
        (
            single_result,
            lambda o, x, y: (y, [x]),
            "of the result of .* by y is list.* number is due",
        ),
        (single_result, (CONSTANT, lambda o, x, y: np.ones(2)), "by y is array.* number is due"),
        (nested_results, lambda o, x, y: ((1, 1), (1, 1)), "result of type UniTuple"),
    ],
)
def test_what_partials_are_not(mode, function, partials, message):
    """One error in words, with the place where the user stated them."""
    easy_rule(function, partials)
    f = njit(function)
    alone = function is single_result

    def h(x, y):
        found = f(x, y)
        return x * (found if alone else found[0])

    args = [Duplicated(v, 1.0) if mode is Forward else Active(v) for v in (3.0, 2.0)]
    with pytest.raises(TypeError, match=message) as caught:
        autodiff(mode, h, *([] if mode is Forward else [Active]), *args)
    assert isinstance(caught.value, CustomRuleError)
    assert str(caught.value).startswith(f"{__file__}:") and "linear.py" not in str(caught.value)


@pytest.mark.parametrize("mode", [Forward, Reverse])
def test_a_number_or_none(mode):
    @njit
    def f(x):
        return 2.0 * x if x > 0.0 else None

    easy_rule(f, lambda omega, x: 2.0)

    def h(x):
        return x * f(x)

    args = [Duplicated(3.0, 1.0)] if mode is Forward else [Active, Active(3.0)]
    with pytest.raises(CustomRuleError, match="f, which has rules, returns a value or None"):
        autodiff(mode, h, *args)


def test_one_number_in_place_of_a_jacobian():
    @njit
    def f(x):
        return 2.0 * x

    easy_rule(f, lambda omega, x: 2.0)
    with pytest.raises(CustomRuleError, match="where an array of 2 dimensions is due"):
        autodiff(Forward, f, Duplicated(X, X))


def test_complex_partials():
    """Forward multiplies, reverse multiplies with the conjugate."""

    @njit
    def f(z):
        return z * z

    easy_rule(f, (lambda omega, z: 3.0 * z + 1j,))
    z, p = 2.0 + 1.0j, 3.0 * (2.0 + 1.0j) + 1j
    assert autodiff(Forward, f, Duplicated(z, 1.0 + 2.0j)) == (p * (1.0 + 2.0j),)

    def h(z):
        return f(z).real

    assert autodiff(Reverse, h, Active, Active(z)) == ((p.conjugate(),),)


INF = math.inf


def test_zero_times_an_infinite_partial():
    """For numbers, arrays by numbers, arrays by arrays and numbers by arrays; the engine's own derivatives do so."""

    @njit
    def log(x):
        return np.log(x)

    @njit
    def scale(x, k):
        return x * k

    @njit
    def norm(x):
        return x[0] + x[1]

    easy_rule(log, lambda omega, x: np.divide(1.0, x))
    rows = (
        lambda o, x, k: np.array([[INF, 0.0, 0.0], [0.0, k, 0.0], [0.0, 0.0, k]]),
        lambda o, x, k: np.array([np.nan, x[1], x[2]]),
    )
    easy_rule(scale, rows)
    easy_rule(norm, lambda omega, x: np.array([INF, 1.0, 2.0]))

    def h(x, k):
        y = scale(x, k)
        return np.exp(2.0 * log(x[0])) + y[1] + 2.0 * y[2] + x[0] * norm(x)

    x, dx = np.array([0.0, 3.0, 4.0]), np.zeros(3)
    ((_, dk),) = autodiff(Reverse, h, Active, Duplicated(x, dx), Active(2.0))
    assert dk == 11.0 and dx.tolist() == [3.0, 2.0, 4.0]
    tangent = Duplicated(x, np.array([0.0, 1.0, 1.0]))
    assert autodiff(Forward, h, tangent, Duplicated(2.0, 0.0)) == (6.0,)


def test_an_infinite_tangent_times_a_partial_of_zero():
    """As in reverse mode, where the partial comes first."""

    @njit
    def f(x):
        return x * x

    easy_rule(f, lambda omega, x: x - 0.5 * np.pi)

    def h(x):
        return f(np.arcsin(x))

    assert autodiff(Forward, h, Duplicated(1.0, 1.0)) == (0.0,)
    assert autodiff(Reverse, h, Active, Active(1.0)) == ((0.0,),)


def test_zero_times_an_infinite_complex_partial():
    @njit
    def f(x):
        return x * (2.0 + 1.0j)

    easy_rule(f, lambda omega, x: complex(2.0, INF))
    assert autodiff(Forward, f, Duplicated(1.0, 0.0)) == (0.0,)
    assert autodiff(Reverse, lambda x: f(x).real, Active, Active(1.0)) == ((2.0,),)


@pytest.mark.parametrize("mode", [Forward, Reverse])
def test_products_that_are_zero_have_a_derivative(mode):
    """With respect to the tangent or the seed."""

    @njit
    def f(x):
        return 3.0 * x

    easy_rule(f, lambda omega, x: 3.0)

    @njit
    def scaled(x, t):
        return t * f(x)

    @njit
    def slope(x, t):
        if mode is Forward:
            return autodiff(Forward, f, Duplicated(x, t))[0]
        return autodiff(Reverse, scaled, Active, Active(x), Const(t))[0][0]

    assert slope(0.5, 0.0) == 0.0
    assert autodiff(Forward, slope, Const(0.5), Duplicated(0.0, 1.0)) == (3.0,)
    assert autodiff(Reverse, slope, Active, Const(0.5), Active(0.0)) == ((None, 3.0),)


def test_two_easy_rules_of_one_function():
    @njit
    def f(x):
        return x * x

    easy_rule(f, (lambda omega, x: np.float32(5.0),), types=(np.float32,))
    easy_rule(f, (lambda omega, x: 6.0,), types=(float,))
    assert len(rules_of(f).easy) == 2
    assert autodiff(Reverse, f, Active, Active(1.0)) == ((6.0,),)
    assert autodiff(Reverse, f, Active, Active(np.float32(1.0))) == ((5.0,),)
    easy_rule(f, (lambda omega, x: 7.0,), types=(float,))
    assert autodiff(Reverse, f, Active, Active(1.0)) == ((7.0,),)


def test_partials_that_are_no_partials():
    def f(x, y):
        return x

    for wrong in ((lambda o, x, y: 1.0,), 3.0, (1.0, 2.0), ((CONSTANT,), (CONSTANT,))):
        with pytest.raises(TypeError, match="partial"):
            easy_rule(f, wrong)
    assert not rules_of(f)


@njit
def twice_all(x):
    return x * 2.0


easy_rule(twice_all, (lambda omega, x: 20.0 * np.eye(x.size),))


@njit
def twice_one(x):
    return x * 2.0


easy_rule(twice_one, (lambda omega, x: 20.0,))

# What is done with the result, and the derivative of that by it.
USES = {
    "dot product": (lambda y: y @ np.array([1.0, 3.0]), lambda y: np.array([1.0, 3.0])),
    "dot product with itself": (lambda y: np.dot(y, y), lambda y: 2.0 * y),
    "norm": (lambda y: np.linalg.norm(y), lambda y: y / np.linalg.norm(y)),
    "matrix": (lambda y: (np.ones((2, 2)) @ y).sum(), lambda y: 2.0 + 0.0 * y),
    "a rule": (lambda y: twice_one(y[0]), lambda y: np.array([20.0, 0.0])),
    "both": (lambda y: twice_one(y @ y), lambda y: 40.0 * y),
}


@pytest.mark.parametrize("name", USES)
def test_results_in_library_functions(name):
    """Whether a rule must compute the result is asked before calls have their derivatives."""
    use, slope = USES[name]
    use = njit(use)
    x, dx = np.array([0.5, 2.0]), np.zeros(2)
    autodiff(Reverse, lambda x: use(twice_all(x)), Active, Duplicated(x, dx))
    np.testing.assert_allclose(dx, 20.0 * slope(2.0 * x), rtol=1e-13)


@njit
def rounded(x):
    return 1.0 * round(x)


easy_rule(rounded, (CONSTANT,))


@pytest.mark.parametrize("jitted", [False, True])
def test_all_partials_are_constant(jitted):
    """The function has a value, and no derivative of any order."""

    def f(x):
        return rounded(x) * x * x

    g = njit(f) if jitted else f
    assert autodiff(Reverse, g, Active, Active(2.2)) == ((8.8,),)
    assert autodiff(Forward, g, Duplicated(2.2, 1.0)) == (8.8,)
    assert hessian(g)(2.2) == 4.0


def carré(x):
    return x * x


def test_names_in_any_letters():
    f = njit(carré)
    easy_rule(f, (lambda result, x: 2.0 * x,))
    assert grad(lambda x: f(x) * x)(3.0) == 27.0
    assert jacfwd(grad(lambda x: f(x) * x))(3.0) == 18.0
