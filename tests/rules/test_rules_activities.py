"""The annotations and return activities that rules see."""

import numpy as np
import pytest
from numba import njit

from enzyme import (
    Active,
    BatchDuplicated,
    BatchDuplicatedNoNeed,
    Const,
    Duplicated,
    DuplicatedNoNeed,
    Forward,
    ForwardWithPrimal,
    Reverse,
    ReverseWithPrimal,
    autodiff,
)
from enzyme_rules import AugmentedReturn, augmented_primal, forward, reverse

pytestmark = pytest.mark.rotating(3)


def spying():
    """x * y[0] with rules that write down what they see: [x, y, RT], forward from 0, reverse from 3."""

    @njit
    def f(x, y, seen):
        return x * y[0]

    def register(kind, RT, code):
        if kind == "forward":

            @forward(f)
            def tangent(config, func, RT: RT, x, y, seen):
                if isinstance(x, Const):
                    seen.val[0] = 1
                if isinstance(x, (Duplicated, DuplicatedNoNeed)):
                    seen.val[0] = 3
                if isinstance(x, (BatchDuplicated, BatchDuplicatedNoNeed)):
                    seen.val[0] = 5
                if isinstance(x, Active):
                    seen.val[0] = 2
                if isinstance(y, Const):
                    seen.val[1] = 1
                if isinstance(y, (Duplicated, DuplicatedNoNeed)):
                    seen.val[1] = 3
                if isinstance(y, (BatchDuplicated, BatchDuplicatedNoNeed)):
                    seen.val[1] = 5
                seen.val[2] = code
                primal = func.val(x.val, y.val, seen.val)
                if not config.needs_shadow:
                    return primal if config.needs_primal else None
                if config.width == 1:
                    return Duplicated(primal, 1.0) if config.needs_primal else 1.0
                if config.needs_primal:
                    return BatchDuplicated(primal, (1.0, 1.0))
                return (1.0, 1.0)

        else:

            @augmented_primal(f)
            def augmented(config, func, RT: RT, x, y, seen):
                seen.val[5] = code
                primal = func.val(x.val, y.val, seen.val) if config.needs_primal else None
                return AugmentedReturn(primal, None, None)

    for code, RT in enumerate(
        (Const, Active, Duplicated, DuplicatedNoNeed, BatchDuplicated, BatchDuplicatedNoNeed), 1
    ):
        register("forward", RT, code)
        register("reverse", RT, code)

    @reverse(f)
    def adjoint(config, func, dret, tape, x, y, seen):
        if isinstance(x, Const):
            seen.val[3] = 1
        if isinstance(x, Active):
            seen.val[3] = 2
        if isinstance(y, Const):
            seen.val[4] = 1
        if isinstance(y, (Duplicated, DuplicatedNoNeed)):
            seen.val[4] = 3
        if isinstance(y, (BatchDuplicated, BatchDuplicatedNoNeed)):
            seen.val[4] = 5
        if not isinstance(x, Active):
            return (None, None, None)
        return (1.0 if config.width == 1 else (1.0, 1.0), None, None)

    return f


def zeros():
    return np.zeros(6, np.int64)


ONE, PAIR = np.ones(1), (np.ones(1), np.ones(1))
X = {1: Const(2.0), 3: Duplicated(2.0, 1.0), 5: BatchDuplicated(2.0, (1.0, 1.0))}
Y = {1: Const(ONE), 3: Duplicated(ONE, np.ones(1)), 5: BatchDuplicated(ONE, PAIR)}


@pytest.mark.parametrize("x", [1, 3, 5])
@pytest.mark.parametrize("y", [1, 3, 5])
def test_forward(x, y):
    if x * y == 1 or {x, y} == {3, 5}:
        pytest.skip("constant, or of two widths")
    f, batch = spying(), 5 in (x, y)
    for mode, RT in ((Forward, 6 if batch else 4), (ForwardWithPrimal, 5 if batch else 3)):
        seen = zeros()
        autodiff(mode, f, X[x], Y[y], Const(seen))
        assert list(seen[:3]) == [x, y, RT]


@pytest.mark.parametrize("x", [1, 2])
@pytest.mark.parametrize("y", [1, 3, 5])
def test_reverse(x, y):
    if x * y == 1:
        pytest.skip("constant")
    f = spying()
    for mode in (Reverse, ReverseWithPrimal):
        seen = zeros()
        autodiff(mode, f, Active, {1: Const(2.0), 2: Active(2.0)}[x], Y[y], Const(seen))
        assert list(seen[3:]) == [x, y, 2]


def callers():
    f = spying()

    def compared(x, y, seen):
        return x if f(x, y, seen) > 0.0 else 2.0 * x

    def dropped(x, y, seen):
        f(x, y, seen)
        return x

    return compared, dropped


@pytest.mark.parametrize("h", callers())
def test_tangents_that_nobody_uses(h):
    seen = zeros()
    found = autodiff(Forward, h, Duplicated(2.0, 1.0), Const(ONE), Const(seen))
    assert (found, seen[2]) == ((1.0,), 1)


@pytest.mark.parametrize("h", callers())
def test_adjoints_that_nobody_uses(h):
    """The return activity is Const; the rule runs all the same, and what it returns counts."""
    seen = zeros()
    found = autodiff(Reverse, h, Active, Active(2.0), Const(ONE), Const(seen))
    assert (found, seen[5]) == (((2.0, None, None),), 1)


def test_constant_calls_are_the_plain_primal():
    """No rule is asked, not even whether it fits."""

    @njit
    def f(x):
        return x * x

    @forward(f)
    def tangent(func, RT, x: Duplicated):
        return 0.0

    @augmented_primal(f)
    def augmented(config, func, RT, x: Active):
        return AugmentedReturn(None, None, None)

    @reverse(f)
    def adjoint(config, func, dret, tape, x: Active):
        return (0.0,)

    def h(x, c):
        return x * f(c)

    assert autodiff(Forward, h, Duplicated(2.0, 1.0), Const(3.0)) == (9.0,)
    assert autodiff(Reverse, h, Active, Active(2.0), Const(3.0)) == ((9.0, None),)


def test_integers_are_constant():
    @njit
    def f(n, x):
        return x * n

    @augmented_primal(f)
    def augmented(config, func, RT, n: Const[int], x: Active):
        primal = func.val(n.val, x.val) if config.needs_primal else None
        return AugmentedReturn(primal, None, None)

    @reverse(f)
    def adjoint(config, func, dret, tape, n: Const, x: Active[float]):
        return (None, 10.0 * n.val * dret.val)

    def h(n, x):
        return f(n, x)

    assert autodiff(Reverse, h, Active, Const(3), Active(2.0)) == ((None, 30.0),)


def test_functions_are_constant():
    @njit
    def double(x):
        return 2.0 * x

    @njit
    def f(g, n, x):
        return g(x) * n

    @augmented_primal(f)
    def augmented(config, func, RT, g: Const, n: Const, x: Active):
        primal = func.val(g.val, n.val, x.val) if config.needs_primal else None
        return AugmentedReturn(primal, None, None)

    @reverse(f)
    def adjoint(config, func, dret, tape, g: Const, n: Const, x: Active):
        return (None, None, 10.0 * n.val * dret.val)

    def h(x):
        return f(double, 3, x)

    assert autodiff(Reverse, h, Active, Active(2.0)) == ((30.0,),)


def test_active_tuples_and_complex_numbers():
    @njit
    def f(t, z):
        return t[0] * t[1] * z

    @augmented_primal(f)
    def augmented(config, func, RT: Active, t: Active, z: Active):
        return AugmentedReturn(func.val(t.val, z.val) if config.needs_primal else None, None, None)

    @reverse(f)
    def adjoint(config, func, dret, tape, t: Active, z: Active):
        d = (dret.val * z.val.conjugate()).real
        return ((t.val[1] * d, 100.0 * d), dret.val * t.val[0] * t.val[1])

    def h(a, b, z):
        return f((a, b), z).real

    args = Active(2.0), Active(3.0), Active(1.0 + 2.0j)
    assert autodiff(Reverse, h, Active, *args) == ((3.0, 100.0, 6.0 + 0.0j),)
