"""Rules that speak of values: what they return, and what they are given, is memory that nobody else changes."""

from __future__ import annotations

import numpy as np
import pytest
from numba import carray, cfunc, njit

import enzyme_rules
from enzyme import (
    Active,
    Const,
    Duplicated,
    Forward,
    Reverse,
    autodiff,
    custom_jvp,
    custom_vjp,
    grad,
    jacfwd,
    jacrev,
    jvp,
)
from enzyme.errors import CustomRuleError

X = np.array([1.3, -0.4, 2.2])


def handed_on():
    """The tangent of the argument is that of the result."""
    f = custom_jvp(lambda x: x + 1.0)
    f.defjvp(lambda p, t: (f(p[0]), t[0]))
    return f


def returned():
    """The argument is the result, and so are their tangents."""
    f = custom_jvp(lambda x: x)
    f.defjvp(lambda p, t: (p[0], t[0]))
    return f


def views():
    f = custom_jvp(lambda x: x[::-1])
    f.defjvp(lambda p, t: (p[0][::-1], t[0][::-1]))
    return f


def turned():
    """The tangent is a view, the result is not."""
    f = custom_jvp(lambda x: x[::-1].copy())
    f.defjvp(lambda p, t: (f(p[0]), t[0][::-1]))
    return f


def kept():
    """The result is a residual."""
    f = custom_vjp(lambda x: np.exp(x))

    def fwd(x):
        y = np.exp(x)
        return y, y

    f.defvjp(fwd, lambda y, ct: (y * ct,))
    return f


def turned_in_place():
    """The rule makes its result of the cotangent that it was given."""
    f = custom_vjp(lambda x: 2.0 * x)

    def bwd(kept, ct):
        ct *= 2.0
        return (ct,)

    f.defvjp(lambda x: (2.0 * x, None), bwd)
    return f


def plain(name):
    """The function itself, of which the rule says the truth."""
    return {
        "handed_on": njit(lambda x: x + 1.0),
        "returned": njit(lambda x: x),
        "views": njit(lambda x: x[::-1]),
        "turned": njit(lambda x: x[::-1].copy()),
        "kept": njit(lambda x: np.exp(x)),
        "turned_in_place": njit(lambda x: 2.0 * x),
    }[name]


def written_behind(f):
    """Result and argument are written to behind the call, and read."""

    @njit
    def body(x):
        z = 3.0 * x
        y = f(z)
        first = y * y
        y[0] = 0.5
        y[1] *= z[2]
        z[2] = y[1] * x[0]
        return first + y * z

    return body


FORWARD, REVERSE = [handed_on, returned, views, turned], [handed_on, turned, kept, turned_in_place]


@pytest.mark.parametrize("make", FORWARD, ids=lambda make: make.__name__)
def test_tangents(make):
    body, truth = written_behind(make()), written_behind(plain(make.__name__))
    np.testing.assert_allclose(jacfwd(body)(X), jacfwd(truth)(X), rtol=1e-13)


@pytest.mark.parametrize("make", REVERSE, ids=lambda make: make.__name__)
def test_adjoints(make):
    body, truth = written_behind(make()), written_behind(plain(make.__name__))
    np.testing.assert_allclose(jacrev(body)(X), jacrev(truth)(X), rtol=1e-13)
    if make in FORWARD:
        np.testing.assert_allclose(
            jacfwd(jacrev(body))(X), jacfwd(jacrev(truth))(X), rtol=1e-13, atol=1e-13
        )


def test_two_results_are_two():
    f = custom_jvp(lambda x: (x + 0.0, x + 0.0))
    f.defjvp(lambda p, t: (f(p[0]), (t[0], t[0])))

    @njit
    def body(x):
        a, b = f(x)
        a[0] = 2.0
        b *= 3.0
        return a * b * x

    expected = np.diag([6 * 2 * X[0], 9 * X[1] ** 2, 9 * X[2] ** 2])
    np.testing.assert_allclose(jacfwd(body)(X), expected)
    np.testing.assert_allclose(jacrev(body)(X), expected)


def test_a_function_that_calls_itself():
    @custom_jvp
    def power(x, n):
        if n <= 0:
            return 1.0
        return x * power(x, n - 1)

    power.defjvp(lambda p, t: (power(p[0], p[1]), p[1] * power(p[0], p[1] - 1) * t[0]))
    assert power(3.0, 3) == 27.0
    assert grad(lambda x: power(x, 3))(3.0) == 27.0


def transposed():
    f = custom_vjp(lambda a: a.T)
    f.defvjp(lambda a: (a.T, None), lambda kept, ct: (ct.T,))
    return f, np.ones((2, 3))


def in_fortran_order():
    f = custom_vjp(lambda a: np.asfortranarray(a))
    f.defvjp(lambda a: (np.asfortranarray(a), None), lambda kept, ct: (ct,))
    return f, np.ones((2, 3))


def column():
    f = custom_vjp(lambda a: a[:, 0])

    def bwd(a, ct):
        found = np.zeros_like(a)
        found[:, 0] = ct
        return (found,)

    f.defvjp(lambda a: (a[:, 0], a), bwd)
    return f, np.array([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0]])


@pytest.mark.parametrize("make", [transposed, in_fortran_order, column])
def test_layouts(make):
    f, expected = make()
    np.testing.assert_array_equal(
        grad(lambda a: f(a).sum())(np.arange(6.0).reshape(2, 3)), expected
    )


@njit
def rounded(x):
    return np.round(x)


@enzyme_rules.forward(rounded)
def straight_through(config, func, RT, x):
    if config.needs_primal and config.needs_shadow:
        return Duplicated(func.val(x.val), x.dval)
    if config.needs_shadow:
        return x.dval
    return func.val(x.val) if config.needs_primal else None


@njit
def with_a_copy(x):
    return x, 1.0 * x


@enzyme_rules.forward(with_a_copy)
def of_with_a_copy(config, func, RT, x):
    if config.needs_primal and config.needs_shadow:
        return Duplicated(func.val(x.val), (x.dval, x.dval))
    if config.needs_shadow:
        return x.dval, x.dval
    return func.val(x.val) if config.needs_primal else None


def test_a_result_that_is_the_argument_beside_one_that_is_not():
    @njit
    def body(x):
        z = 1.0 * x
        a, b = with_a_copy(z)
        a[0] = 5.0
        return z * b

    t = np.array([1.0, 2.0, 3.0])
    np.testing.assert_allclose(jvp(body, (X,), (t,))[1], [5.0, 4.0 * X[1], 6.0 * X[2]])


def test_a_tangent_handed_on_by_a_forward_rule():
    @njit
    def body(x):
        y = rounded(x)
        y *= 10.0
        return (y * x).sum()

    t = np.array([1.0, 2.0, 3.0])
    expected = 10 * (np.round(X) * t).sum() + 10 * (X * t).sum()
    assert jvp(body, (X,), (t,))[1] == pytest.approx(expected)
    assert autodiff(Forward, body, Duplicated(X, t))[0] == pytest.approx(expected)
    np.testing.assert_array_equal(t, [1.0, 2.0, 3.0])


# Who writes to arguments ----------------------------------------------------------------------------


def into(out, x):
    out[:] = x * x
    return out.sum()


def written_by_jvp():
    f = custom_jvp(into)
    f.defjvp(lambda p, t: (p[0].sum(), (2.0 * p[1] * t[1]).sum()))
    return f


def written_by_vjp():
    f = custom_vjp(into)
    f.defvjp(lambda out, x: (x.sum(), x), lambda x, ct: (None, 2.0 * x * ct))
    return f


def written_with_partials():
    f = njit(into)
    enzyme_rules.easy_rule(f, (enzyme_rules.CONSTANT, lambda o, out, x: 2.0 * x))
    return f


@pytest.mark.parametrize("make", [written_by_jvp, written_by_vjp, written_with_partials])
def test_functions_that_write_to_arguments(make):
    f = make()

    @njit
    def body(x):
        out = np.zeros(3)
        return f(out, x) * out[1]

    with pytest.raises(CustomRuleError, match="into writes to its argument out"):
        grad(body)(X)


@cfunc("float64(CPointer(float64), int64)")
def total_in_c(p, n):
    s = 0.0
    for v in carray(p, n):
        s += v * v
    return s


def test_functions_of_which_nobody_knows_what_they_write():
    called = total_in_c.ctypes
    f = njit(lambda x: called(x.ctypes, x.size))
    enzyme_rules.easy_rule(f, (lambda o, x: 2.0 * x,))
    np.testing.assert_array_equal(grad(lambda x: f(x))(X), 2.0 * X)


def test_a_constant_work_array_may_be_written():
    @njit
    def f(work, x):
        work[:] = x
        return (work * work).sum()

    enzyme_rules.easy_rule(f, (enzyme_rules.CONSTANT, lambda o, work, x: 2.0 * x))
    d = np.zeros(3)
    autodiff(Reverse, f, Active, Const(np.zeros(3)), Duplicated(X, d))
    np.testing.assert_array_equal(d, 2.0 * X)


def test_a_rule_of_any_number_of_arguments():
    f = custom_vjp(lambda x, y: x * y)
    f.defvjp(lambda *a: (a[0] * a[1], a), lambda a, ct: (a[1] * ct, a[0] * ct))
    assert grad(f, argnums=(0, 1))(3.0, 5.0) == (5.0, 3.0)


def test_what_never_carries_a_derivative_may_be_written():
    @custom_jvp(nondiff_argnums=(0,))
    def summed(counts, x):
        counts[0] += 1.0
        return x.sum()

    summed.defjvp(lambda counts, p, t: (summed(counts, p[0]), t[0].sum()))

    @njit
    def body(x):
        return summed(np.zeros(1), x)

    np.testing.assert_array_equal(grad(body)(X), 1.0)


def tangent_changed():
    f = custom_jvp(lambda x: 2.0 * x)

    @f.defjvp
    def rule(primals, tangents):
        t = tangents[0]
        t *= 2.0
        return f(primals[0]), t

    return jacfwd, f, "tangents"


def argument_changed():
    f = custom_vjp(lambda x: 2.0 * x)

    def fwd(x):
        x *= 2.0
        return x, None

    f.defvjp(fwd, lambda kept, ct: (2.0 * ct,))
    return jacrev, f, "x"


def residual_changed():
    f = custom_vjp(lambda x: x * x)

    def bwd(kept, ct):
        kept *= 2.0 * ct
        return (kept,)

    f.defvjp(lambda x: (x * x, x), bwd)
    return jacrev, f, "kept"


@pytest.mark.parametrize("make", [tangent_changed, argument_changed, residual_changed])
def test_rules_that_write_to_what_they_are_given(make):
    derivative, f, name = make()
    with pytest.raises(CustomRuleError, match=f"a rule of .* writes to its argument {name}"):
        derivative(njit(lambda x: f(x) * x))(X)


# Partials -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("derivative", [jacrev, jacfwd])
def test_partials_of_another_shape(derivative):
    """As many elements as are due, in another order."""
    f = njit(lambda x: np.array([x[0] * x[1], x[2] * x[0]]))
    enzyme_rules.easy_rule(f, (lambda o, x: np.zeros((3, 2)),))
    with pytest.raises(ValueError, match="by x has another shape than is due"):
        derivative(f)(X)


def test_partials_of_other_dimensions_and_kinds():
    of_arrays, of_numbers = njit(lambda x: x * x), njit(lambda x: x * x)
    enzyme_rules.easy_rule(of_arrays, (lambda o, x: 2.0 * x,))
    enzyme_rules.easy_rule(of_numbers, (lambda o, x: 2.0 * x + 1.0j,))
    with pytest.raises(CustomRuleError, match="where an array of 2 dimensions is due"):
        jacrev(of_arrays)(X)
    with pytest.raises(CustomRuleError, match="is complex128, where a real number is due"):
        grad(of_numbers)(2.0)
