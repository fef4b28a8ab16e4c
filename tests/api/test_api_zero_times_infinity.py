"""A zero derivative stays zero behind whatever the program divides by, takes the logarithm of, or throws away."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numba import njit

from enzyme import (
    Active,
    BatchDuplicated,
    Const,
    Duplicated,
    Forward,
    Reverse,
    autodiff,
    clear_strong_zero,
    hessian,
    set_strong_zero,
)

pytestmark = pytest.mark.rotating(27)

INF, NAN = math.inf, math.nan


def gradient_of(f, x, *constants, mode=Reverse):
    dx = np.zeros_like(x)
    autodiff(mode, f, Active, Duplicated(x, dx), *map(Const, constants))
    return dx


def slopes(f, x, *constants, step=1e-6):
    """Central differences; forward mode beside them."""
    found, tangents = np.zeros_like(x), np.zeros_like(x)
    for k in np.ndindex(x.shape):
        unit = np.zeros_like(x)
        unit[k] = 1.0
        found[k] = (f(x + step * unit, *constants) - f(x - step * unit, *constants)) / (2 * step)
        (tangents[k],) = autodiff(Forward, f, Duplicated(x, unit), *map(Const, constants))
    return found, tangents


# What a branch or a choice throws away ------------------------------------------------------------
# Each case: x, its place k in the numbers below, and what is known of the derivative there.


@njit
def thrown_away(x, w, k):
    """W is infinite or NaN; the other side is x * x."""
    y = x[0]
    if k == 0:
        return y * w if y > 0.0 else y * y
    if k == 1:  # nested choices
        return (y * w if w < 1.0 else 3.0 * y * w) if y > 0.0 else y * y
    if k == 2:  # a chain of operations
        return ((y * w + 1.0) * y - w) * w if y > 0.0 else y * y
    if k == 3:  # computed first, used on one way only
        t = y * w
        u = t * y
        if y > 0.0:
            return u + t
        return y * y
    if k == 4:  # a quotient behind the product
        return (y * w) / (1.0 + y * y * w) if y > 0.0 else y * y
    if k == 5:  # of functions that have no branch of their own
        return math.sin(y * w) * math.exp(y * w) if y > 0.0 else y * y
    if k == 6:  # two that share a part
        t = y * w
        a = t if y > 0.0 else y
        b = t * 2.0 if y > 0.5 else y
        return a * b
    if k == 7:  # a constant
        return y * math.inf if y > 0.0 else y * y
    s = 0.0
    for j in range(3):  # in a loop, for some rounds
        t = y * w
        s += t if y > j else y * y / 3.0
    return s


PLACES = range(9)


@pytest.mark.parametrize("w", [INF, -INF, NAN])
@pytest.mark.parametrize("place", PLACES)
def test_what_is_thrown_away_has_no_derivative(place, w):
    x = np.array([-0.75])
    assert gradient_of(thrown_away, x, w, place)[0] == pytest.approx(-1.5, rel=1e-14)
    assert gradient_of(thrown_away, x, w, place, mode=clear_strong_zero(Reverse))[0] == -1.5
    (tangent,) = autodiff(Forward, thrown_away, Duplicated(x, np.ones(1)), Const(w), Const(place))
    assert tangent == pytest.approx(-1.5, rel=1e-14)


def test_in_batches_and_in_single_precision():
    x, lanes = np.array([-0.75]), (np.zeros(1), np.zeros(1))
    autodiff(Reverse, thrown_away, Active, BatchDuplicated(x, lanes), Const(INF), Const(2))
    assert lanes[0][0] == lanes[1][0] == -1.5
    x, dx = np.array([-0.75], np.float32), np.zeros(1, np.float32)
    w = Const(np.float32(INF))
    autodiff(Reverse, thrown_away, Active, Duplicated(x, dx), w, Const(2))
    assert dx[0] == -1.5


OPERATIONS = {
    "product": "x * w",
    "quotient": "x * x / w * x",
    "log": "math.log(x * w) if x * w > 0.0 else w * x * x * w",
    "sqrt": "math.sqrt(abs(x * w)) * x + np.cbrt(x * w)",
    "exp": "math.exp(x * w) * w + np.expm1(w) * np.sinh(x)",
    "pow": "abs(x) ** w * w",
    "trigonometry": "math.sin(x * w) * w + math.cos(w) * np.arcsin(x * w) + np.arctan(w) * x",
    "inverse": "np.arccosh(x) * np.arctanh(w) + math.atan2(x, w) * w + np.arcsinh(w) * x",
    "tanh": "math.tanh(x * w) * x + math.erf(x * w)",
    "hypot": "math.hypot(x, w) * w",
    "remainder": "np.fmod(x, w) * w",
    "gamma": "math.lgamma(x) * w",
    "choice": "max(x * w, w) * min(w, x)",
}
SPECIAL = np.array([0.0, -0.0, 5e-324, -1e-310, 1e-200, 1.0, -2.0, 1e200, INF, -INF, NAN])


def _operation():
    lines = ["def operation(k, x, w):"]
    for k, text in enumerate(OPERATIONS.values()):
        lines += [f"    if k == {k}:", f"        return {text}"]
    scope = {"math": math, "np": np}
    exec("\n".join([*lines, "    return x"]), scope)
    return njit(error_model="numpy")(scope["operation"])


operation = _operation()


@njit(error_model="numpy")
def dropped(x, w, k, way, use):
    """What comes of the operation is computed, and not used."""
    t = operation(k, x, w)
    if way == 0:
        u = t * x * w
        return u + t if use else 3.0 * x * x
    if way == 1:
        return (t if use else x * x) + (t * w if use else 2.0 * x * x)
    kept = np.empty(2)
    kept[0], kept[1] = t * w, x * x
    return 3.0 * (kept[0] if use else kept[1])


@njit
def dropped_slope(x, w, k, way, use):
    return autodiff(
        Reverse, dropped, Active, Active(x), Active(w), Const(k), Const(way), Const(use)
    )[0][0]


def everywhere(f, ways):
    """The derivatives of both modes in x and w, for each way, operation and pair of special numbers."""

    @njit
    def run(found):
        for way in range(ways):
            for k in range(found.shape[1]):
                for a, x in enumerate(SPECIAL):
                    for b, w in enumerate(SPECIAL):
                        at = found[way, k, a, b]
                        c, d, e = Const(k), Const(way), Const(False)
                        r = autodiff(Reverse, f, Active, Active(x), Active(w), c, d, e)
                        at[0], at[1] = r[0][0], r[0][1]
                        u, v = Duplicated(x, 1.0), Duplicated(w, 0.0)
                        at[2] = autodiff(Forward, f, u, v, c, d, e)[0]
                        u, v = Duplicated(x, 0.0), Duplicated(w, 1.0)
                        at[3] = autodiff(Forward, f, u, v, c, d, e)[0]

    found = np.full((ways, len(OPERATIONS), len(SPECIAL), len(SPECIAL), 4), NAN)
    run(found)
    return found


def same(found, expected):
    """Equal but for the order in which a machine adds up six times a number."""
    return np.isclose(found, expected, rtol=4e-16, atol=0.0, equal_nan=True)


def test_special_numbers_in_what_is_not_used():
    found = everywhere(dropped, 3)
    slope = 6.0 * SPECIAL[:, None]
    for part, expected in enumerate((slope, 0.0, slope, 0.0)):
        right = same(found[..., part], np.broadcast_to(expected, found.shape[:-1]))
        if part == 3:  # x * x is used, and its slope infinite with x
            right |= ~np.isfinite(SPECIAL)[:, None]
        assert right.all(), (part, np.argwhere(~right)[:5])


def test_special_numbers_in_second_derivatives_of_what_is_not_used():
    found = everywhere(dropped_slope, 2)
    wrong = np.argwhere(found != np.array([6.0, 0.0, 6.0, 0.0]))
    assert not len(wrong), wrong[:5]


@njit
def complex_choice(z, w):
    t = z[0] * w
    return (t * t).real if z[0].real > 0.0 else (z[0] * z[0]).real


@njit
def choices_of_arrays(x, w, k):
    """Whole arrays are computed and stored first; `w` is infinite where it is not used."""
    use = np.isfinite(w)
    if k == 0:
        return np.where(use, x * w, x).sum()
    if k == 1:
        return np.where(use, np.where(x > 0.5, x * w, x * x), x).sum()
    if k == 2:
        return (np.where(use, np.exp(-x * w), x * x) * x).sum()
    t = np.empty_like(x)
    for i in range(x.size):
        t[i] = x[i] * w[i]
    s = 0.0
    for i in range(x.size):
        if use[i]:
            s += t[i]
        else:
            s += x[i]
    return s


@pytest.mark.parametrize("place", range(4))
def test_choices_of_arrays(place):
    x = np.array([0.3, 0.7, 1.1, 0.9, 0.4])
    w = np.array([1.0, INF, 2.0, NAN, -1.0])
    found = gradient_of(choices_of_arrays, x, w, place)
    differences, tangents = slopes(choices_of_arrays, x, w, place)
    np.testing.assert_allclose(found, differences, atol=1e-8)
    np.testing.assert_allclose(found, tangents, rtol=1e-13)


def test_choices_of_complex_numbers():
    z, dz = np.array([-1.0 + 2.0j]), np.zeros(1, complex)
    autodiff(Reverse, complex_choice, Active, Duplicated(z, dz), Const(complex(INF, 1.0)))
    assert dz[0] == pytest.approx(-2.0 - 4.0j)


# What the program's own arithmetic makes infinite -------------------------------------------------


@njit
def double_where(x, k):
    """Guards that JAX needs a second `where` for."""
    if k == 0:
        return np.where(x > 0.0, np.log(x), 0.0).sum()
    if k == 1:
        return np.where(x != 0.0, np.sin(x) / x, 1.0).sum()
    if k == 2:
        return np.where(x > 0.0, np.sqrt(x) * x, x).sum()
    if k == 3:
        return np.where(np.abs(x) < 1.0, np.arcsin(x), x).sum()
    if k == 4:
        return np.where(x > 30.0, x, np.log1p(np.exp(x))).sum()
    if k == 5:
        return np.where(x > 0.0, x**0.3, 2.0 * x).sum()
    if k == 6:
        return np.where(x != 0.0, 1.0 / x, x).sum()
    if k == 7:
        return np.where(np.hypot(x, x) > 0.0, x / np.hypot(x, x), x).sum()
    return (np.exp(-1.0 / x**2) * np.where(x != 0.0, 1.0, 0.0)).sum()


@pytest.mark.parametrize("place", range(9))
def test_one_where_is_enough(place):
    x = np.array([0.5, 0.0, -0.0, 2.0, -3.0, 800.0, 0.25])
    with np.errstate(all="ignore"):
        found = gradient_of(double_where, x, place)
    apart = x != 0.0  # differences do not see the point itself
    differences, tangents = slopes(double_where, x, place)
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found[apart], differences[apart], rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(found, tangents, rtol=1e-12)


@njit
def log_sum_exp(x):
    m = x.max()
    return m + np.log(np.exp(x - m).sum())


@njit
def softplus_of_quotient(x):
    return np.log(1.0 + np.exp(-1.0 / x)).sum()


@njit
def soft_dtw(p, D, form):
    gamma = p[0]
    n, m = D.shape
    R = np.full((n + 1, m + 1), np.inf)
    R[0, 0] = 0.0
    beta = 1.0 / gamma
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            if form == 0:
                a, b, c = -R[i - 1, j - 1] / gamma, -R[i - 1, j] / gamma, -R[i, j - 1] / gamma
            else:
                a, b, c = -R[i - 1, j - 1] * beta, -R[i - 1, j] * beta, -R[i, j - 1] * beta
            top = max(a, b, c)
            total = np.exp(a - top) + np.exp(b - top) + np.exp(c - top)
            R[i, j] = p[1] * D[i - 1, j - 1] - gamma * (np.log(total) + top)
    return R[n, m]


def test_log_sum_exp_of_minus_infinity():
    x = np.array([0.5, -INF, 1.5, -INF])
    expected = np.exp(x - log_sum_exp(x))
    np.testing.assert_allclose(gradient_of(log_sum_exp, x), expected, rtol=1e-14)


@pytest.mark.parametrize("form", [0, 1])
def test_temperature_of_soft_dynamic_time_warping(form):
    p, D = np.array([0.5, 1.3]), np.random.default_rng(0).random((4, 5))
    differences, tangents = slopes(soft_dtw, p, D, form)
    found = gradient_of(soft_dtw, p, D, form)
    np.testing.assert_allclose(found, differences, rtol=1e-8)
    np.testing.assert_allclose(found, tangents, rtol=1e-13)
    assert np.isnan(gradient_of(soft_dtw, p, D, form, mode=clear_strong_zero(Reverse))[0])


@njit
def hidden_markov(p, emissions, observed):
    """Log likelihood, in logarithms; the chain moves to the right, so that half of its matrix is zero."""
    n = len(p) // 2
    A = np.zeros((n, n))
    for i in range(n):
        A[i, i] = 1.0 if i == n - 1 else p[i]
        if i < n - 1:
            A[i, i + 1] = 1.0 - p[i]
    log_A, log_E = np.log(A), np.log(emissions * p[n:].reshape((n, 1)))
    alpha = np.full(n, -np.inf)
    alpha[0] = 0.0
    for o in observed:
        new = np.empty(n)
        for j in range(n):
            terms = alpha + log_A[:, j]
            top = terms.max()
            if top == -np.inf:
                new[j] = -np.inf
            else:
                new[j] = top + np.log(np.exp(terms - top).sum())
        alpha = new + log_E[:, o]
    top = alpha.max()
    return top + np.log(np.exp(alpha - top).sum())


def test_hidden_markov_model_with_zero_probabilities():
    p = np.array([0.6, 0.3, 0.5, 1.0, 0.9, 1.1])
    emissions = np.array([[0.7, 0.3, 0.0], [0.0, 0.4, 0.6], [0.5, 0.5, 0.0]])
    observed = np.array([0, 1, 1, 2, 2, 1])
    differences, tangents = slopes(hidden_markov, p, emissions, observed)
    found = gradient_of(hidden_markov, p, emissions, observed)
    np.testing.assert_allclose(found, differences, rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(found, tangents, rtol=1e-12, atol=1e-14)


@njit
def accumulated(p, emissions, observed):
    """The same; sums of probabilities are accumulated, and begin at the logarithm of zero."""
    n = len(p) // 2
    log_A = np.full((n, n), -np.inf)
    for i in range(n):
        log_A[i, i] = 0.0 if i == n - 1 else np.log(p[i])
        if i < n - 1:
            log_A[i, i + 1] = np.log(1.0 - p[i])
    log_E = np.log(emissions * p[n:].reshape((n, 1)))
    alpha = np.full(n, -np.inf)
    alpha[0] = 0.0
    for o in observed:
        new = np.full(n, -np.inf)
        for i in range(n):
            for j in range(n):
                new[j] = np.logaddexp(new[j], alpha[i] + log_A[i, j])
        alpha = new + log_E[:, o]
    total = -np.inf
    for a in alpha:
        total = np.logaddexp(total, a)
    return total


def test_sums_of_probabilities_that_begin_at_zero():
    p = np.array([0.6, 0.3, 0.5, 1.0, 0.9, 1.1])
    emissions = np.array([[0.7, 0.3, 0.0], [0.0, 0.4, 0.6], [0.5, 0.5, 0.0]])
    observed = np.array([0, 1, 1, 2, 2, 1])
    given = emissions, observed
    wanted = gradient_of(hidden_markov, p, *given)
    np.testing.assert_allclose(gradient_of(accumulated, p, *given), wanted, rtol=1e-12, atol=1e-14)
    found = hessian(lambda p: accumulated(p, *given))(p)
    step = 1e-6
    differences = [
        (gradient_of(accumulated, p + d, *given) - gradient_of(accumulated, p - d, *given))
        / (2 * step)
        for d in step * np.eye(len(p))
    ]
    np.testing.assert_allclose(found, differences, rtol=1e-6, atol=1e-6)


def begin_at_zero(a):
    u = np.logaddexp(-np.inf, np.log(a[1]))
    return np.logaddexp(u, np.log(a[0]))


def begin_at_zero_twice(a):
    first = np.log(a[0])
    left = np.logaddexp(-np.inf, first + np.log(a[2]))
    right = np.logaddexp(-np.inf, first + np.log(a[1]))
    return np.logaddexp(left, right)


@pytest.mark.parametrize(
    ("f", "a"), [(begin_at_zero, [0.5, 0.0]), (begin_at_zero_twice, [0.5, 0.3, 0.0])]
)
def test_a_probability_of_zero(f, a):
    """What is zero times infinity is zero, as it is in the gradient."""
    a = np.array(a)
    slopes_there = np.where(a, 1.0 / np.where(a, a, 1.0), 0.0)
    np.testing.assert_allclose(gradient_of(njit(f), a), slopes_there, rtol=1e-14)
    np.testing.assert_allclose(hessian(f)(a), -np.diag(slopes_there**2), rtol=1e-13)


# Infinite arguments: what nothing less than strong zeros promises ---------------------------------
# Each function is finite at infinity, and so are its derivatives there.

AT_INFINITY = {
    "reciprocal": (lambda z: 1.0 / z, lambda z: 1.0 / (1.0 + z * z), lambda z: z**-3.0),
    "saturating": (
        lambda z: math.tanh(z),
        lambda z: math.erf(z),
        lambda z: math.atan(z),
        lambda z: math.exp(-abs(z)),
        lambda z: math.erfc(z),
    ),
    "chosen": (lambda z: min(z, 2.0), lambda z: max(-z, 2.0), lambda z: 1.0 if z > 0.0 else z * z),
}
BEFORE = {  # ways to infinity, from x = inf or from a finite number that overflows
    "itself": (lambda x, y: x, INF),
    "product": (lambda x, y: x * y, INF),
    "square": (lambda x, y: x * x + y, INF),
    "overflow": (lambda x, y: x * x * y, 1e300),
    "power": (lambda x, y: y**x, 1e300),
    "exponential": (lambda x, y: math.exp(x), 1e300),
    "root": (lambda x, y: math.sqrt(x) * y, INF),
    "stored": (None, INF),
}


def behind(before, function):
    """`function` of what `before` makes, or of what was stored beside a NaN that nobody reads."""
    g = njit(function)
    if before is None:

        @njit(error_model="numpy")
        def f(x, y):
            made = np.empty(2)
            made[0] = math.sin(x) * y
            made[1] = x * y
            return g(made[1])

        return f
    h = njit(before)

    @njit(error_model="numpy")
    def f(x, y):
        return g(h(x, y))

    return f


@pytest.mark.parametrize("way", BEFORE)
@pytest.mark.parametrize("kind", AT_INFINITY)
def test_strong_zeros_of_infinite_numbers(kind, way):
    """The derivative is zero in both modes, whatever is infinite between."""
    before, x = BEFORE[way]
    for function in AT_INFINITY[kind]:
        f = behind(before, function)
        ((dx, dy),) = autodiff(set_strong_zero(Reverse), f, Active, Active(x), Active(3.0))
        assert (dx, dy) == (0.0, 0.0)
        for tangents in ((1.0, 0.0), (0.0, 1.0)):
            x_, y_ = map(Duplicated, (x, 3.0), tangents)
            assert autodiff(set_strong_zero(Forward), f, x_, y_) == (0.0,), tangents


# Where a guard decides, the second derivative is that of the product ------------------------------


@njit
def flat(x, k):
    """At x = 1 the derivative that travels backwards is zero, and not thrown away."""
    if k == 0:
        return (1.0 / x - 1.0) ** 2
    if k == 1:
        return math.log(x) ** 2
    if k == 2:
        return (math.sqrt(x) - 1.0) ** 2 + (x**2.5 - 1.0) ** 3
    if k == 3:
        return (math.asin(x / 2.0) - math.asin(0.5)) ** 2
    return (math.exp(x) - math.e) ** 2 * math.tan(x)


@njit
def flat_reverse(x, k):
    return autodiff(Reverse, flat, Active, Active(x), Const(k))[0][0]


@njit
def flat_forward(x, k):
    return autodiff(Forward, flat, Duplicated(x, 1.0), Const(k))[0]


@njit
def flat_strong(x, k):
    return autodiff(set_strong_zero(Reverse), flat, Active, Active(x), Const(k))[0][0]


@pytest.mark.parametrize("inner", [flat_reverse, flat_forward, flat_strong])
def test_second_derivatives_where_the_first_is_zero(inner):
    exact = [2.0, 2.0, 0.5, 2.0 / 3.0, 2.0 * math.e**2 * math.tan(1.0)]
    for k, expected in enumerate(exact):
        assert inner(1.0, k) == pytest.approx(0.0, abs=1e-15)
        (forward,) = autodiff(Forward, inner, Duplicated(1.0, 1.0), Const(k))
        ((reverse, _),) = autodiff(Reverse, inner, Active, Active(1.0), Const(k))
        assert (forward, reverse) == (pytest.approx(expected), pytest.approx(expected)), k


def test_third_derivative_where_the_first_is_zero():
    @njit
    def second(x):
        return autodiff(Reverse, flat_reverse, Active, Active(x), Const(0))[0][0]

    assert autodiff(Forward, second, Duplicated(1.0, 1.0))[0] == pytest.approx(-12.0)


# Products of numbers that are far from one --------------------------------------------------------
# The derivative does not vanish, nor its product in the program's order: the partial alone does, or another order.


@njit
def far(x, one, k):
    if k == 0:
        return math.log(one / (one + math.exp(-x)))
    if k == 1:
        return one / (one + math.exp(-x))
    if k == 2:
        return one / (math.exp(-x) * (one + one))
    return math.exp(x) / (one + math.exp(x) * math.exp(-x))


FAR = {  # slope and curvature, in terms of exp(x)
    0: (lambda e: 1.0 / (1.0 + e), lambda e: -e / (1.0 + e) ** 2),
    1: (lambda e: e / (1.0 + e) ** 2, lambda e: e * (1.0 - e) / (1.0 + e) ** 3),
    2: (lambda e: e / 2.0, lambda e: e / 2.0),
    3: (lambda e: e / 2.0, lambda e: e / 2.0),
}


@njit
def far_reverse(x, one, k):
    return autodiff(Reverse, far, Active, Active(x), Const(one), Const(k))[0][0]


@njit
def far_forward(x, one, k):
    return autodiff(Forward, far, Duplicated(x, one), Const(one), Const(k))[0]


# The last of them where the adjoint of a denominator, 1/b², is below the smallest number: but for the first function,
# the tangents alone can be had.
FAR_POINTS = {
    np.float64: ([-2.0, -30.0, -300.0, -340.0, -350.0], [-400.0, -500.0, -600.0, -700.0]),
    np.float32: ([-2.0, -20.0, -30.0, -35.0], [-50.0, -52.0, -60.0, -80.0]),
}


@pytest.mark.parametrize("number", FAR_POINTS)
def test_a_product_does_not_vanish_with_its_partial(number):
    one = number(1)
    modes = [Forward, Reverse, set_strong_zero(Forward), set_strong_zero(Reverse)]
    near, beyond = FAR_POINTS[number]
    tight = 2e-5 if number is np.float32 else 1e-12
    for k, (slope, curvature) in FAR.items():
        for x in map(number, near + beyond):
            expected = pytest.approx(slope(math.exp(x)), rel=tight, abs=0.0)
            for mode in modes if k == 0 or x in near else modes[::2]:
                found = _derivative(mode, far, x, one, k)
                assert found == expected, (mode, k, x, found)
        for x in map(number, near):
            rounding = (
                2.0 * float(np.finfo(number).eps) if k == 0 else 0.0
            )  # of a difference of ones
            expected = pytest.approx(curvature(math.exp(x)), rel=10 * tight, abs=rounding)
            for inner in (far_reverse, far_forward):
                for mode in modes[:2]:
                    found = _derivative(mode, inner, x, one, k)
                    assert found == expected, (inner, mode, k, x, found)


def _derivative(mode, f, x, one, k):
    if "Forward" in str(mode):
        return autodiff(mode, f, Duplicated(x, one), Const(one), Const(k))[0]
    return autodiff(mode, f, Active, Active(x), Const(one), Const(k))[0][0]


@njit
def rooted(y, k):
    if k == 0:
        return math.sqrt(1.0 / (1.0 + y * y)) * y
    return y / math.sqrt(1.0 + y * y)


@njit
def rooted_alone(y):
    return math.sqrt(1.0 / (1.0 + y * y)) * y


@njit
def rooted_slope(y, k):
    return autodiff(Reverse, rooted, Active, Active(y), Const(k))[0][0]


@njit
def rooted_alone_slope(y):
    return autodiff(Reverse, rooted_alone, Active, Active(y))[0][0]


@pytest.mark.parametrize("y", [1e3, 1e60, 1e90, 1e103, 1e120])
def test_a_product_keeps_its_order_in_compiled_code(y):
    rounding = 4.0 * float(np.finfo(float).eps) / y
    near_zero = pytest.approx(y**-3.0 * (1.0 + y**-2.0) ** -1.5, rel=0.0, abs=rounding)
    assert rooted_alone_slope(y) == near_zero
    for k in (0, 1):
        assert rooted_slope(y, k) == near_zero, k
        assert autodiff(Reverse, rooted, Active, Active(y), Const(k))[0][0] == near_zero, k
