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
    jacobian,
)
from enzyme_rules import CONSTANT, easy_rule, rules_of

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
