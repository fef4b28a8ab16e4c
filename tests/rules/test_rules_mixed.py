"""Arguments that hold floats and memory: their shadow lies in a Ref."""

from typing import NamedTuple

import numpy as np
import pytest
from numba import njit, types
from numba.experimental import jitclass
from numba.typed import List

from enzyme import (
    Active,
    BatchDuplicated,
    BatchMixedDuplicated,
    Const,
    Duplicated,
    Forward,
    MixedDuplicated,
    Reverse,
    ReverseWithPrimal,
    autodiff,
    typeof,
)
from enzyme_rules import AugmentedReturn, augmented_primal, reverse
from tests.rules.growth import grown

pytestmark = pytest.mark.rotating(14)


class Pair(NamedTuple):
    x: float
    y: np.ndarray


FLOAT_AND_ARRAY = typeof((0.0, np.zeros(1)))


def product(f):
    """Register wrong rules for x * y[0]: 7 y d in the Ref, 1000 x d in place of what is in the array."""

    @augmented_primal(f)
    def augmented(config, func, RT, t: MixedDuplicated):
        kept = t.val[1][0]
        return AugmentedReturn(func.val(t.val) if config.needs_primal else None, None, kept)

    @reverse(f)
    def adjoint(config, func, dret, tape, t: MixedDuplicated):
        dx, dy = t.dval[()]
        dy[0] = 1000.0 * dret.val * t.val[0]
        t.dval[()] = (dx + 7.0 * tape * dret.val, dy)
        return (None,)

    return f


def y_and_shadow(*values):
    return Duplicated(np.array(values), np.zeros(len(values)))


def test_a_tuple_that_is_overwritten_afterwards():
    f = product(njit(lambda t: t[0] * t[1][0]))

    def h(x, y):
        r = f((x, y))
        y[0] = 0.0
        return r

    y = y_and_shadow(3.14)
    ((dx, _),) = autodiff(Reverse, h, Active, Active(2.7), y)
    assert dx == pytest.approx(21.98, rel=1e-15)
    assert (list(y.dval), list(y.val)) == ([2700.0], [0.0])


def test_named_tuples():
    @njit
    def f(t):
        return t.x * t.y[0]

    @augmented_primal(f)
    def augmented(config, func, RT, t):
        return AugmentedReturn(func.val(t.val) if config.needs_primal else None, None, None)

    @reverse(f)
    def adjoint(config, func, dret, tape, t):
        shadow = t.dval[()]
        shadow.y[0] += 10.0 * t.val.x * dret.val
        t.dval[()] = Pair(shadow.x + 100.0 * t.val.y[0] * dret.val, shadow.y)
        return (None,)

    def h(x, y):
        return f(Pair(x, y))

    y = y_and_shadow(3.0)
    assert autodiff(Reverse, h, Active, Active(2.0), y) == ((300.0, None),)
    assert list(y.dval) == [20.0]


def test_what_rules_find_in_the_ref():
    """No adjoint of the floats, and the shadows of the arrays themselves, in both rules."""

    @njit
    def f(t, seen):
        return t[0] * t[1][0]

    @augmented_primal(f)
    def augmented(config, func, RT, t, seen):
        dx, dy = t.dval[()]
        seen.val[0], seen.val[1] = dx, dy[0]
        t.dval[()] = (50.0, dy)  # what is put there now is of no effect
        primal = func.val(t.val, seen.val) if config.needs_primal else None
        return AugmentedReturn(primal, None, None)

    @reverse(f)
    def adjoint(config, func, dret, tape, t, seen):
        dx, dy = t.dval[()]
        seen.val[2], seen.val[3] = dx, dy[0]
        t.dval[()] = (1.0, dy)
        t.dval[()] = (t.dval[()][0] + 1.0, dy)
        return (None, None)

    def h(x, y, seen):
        return f((x, y), seen) + 3.0 * x + 5.0 * y[0]

    y, seen = Duplicated(np.ones(1), np.array([4.0])), np.full(4, -1.0)
    assert autodiff(Reverse, h, Active, Active(2.0), y, Const(seen)) == ((5.0, None, None),)
    assert list(seen) == [0.0, 4.0, 0.0, 9.0] and list(y.dval) == [9.0]


def test_everything_that_a_tuple_holds():
    """Numbers of all kinds, tuples in tuples; what is no float stays as it is."""

    @njit
    def f(t):
        a, z, n, condition, (u, v), s = t
        return a * z.real * n * v[0] * s * (u if condition else 1.0)

    @augmented_primal(f)
    def augmented(config, func, RT, t):
        return AugmentedReturn(func.val(t.val) if config.needs_primal else None, None, None)

    @reverse(f)
    def adjoint(config, func, dret, tape, t):
        a, z, n, condition, (u, v), s = t.val
        dv = t.dval[()][4][1]
        d = dret.val * func.val(t.val)
        dv[0] += d / v[0]
        du = d / u if condition else 0.0
        t.dval[()] = (d / a, complex(d / z.real), 100, not condition, (du, dv), np.float32(d / s))
        if t.dval[()][2:4] != (n, condition):
            raise ValueError("numbers that are no floats have changed")
        return (None,)

    @njit
    def plain(t):
        a, z, n, condition, (u, v), s = t
        return a * z.real * n * v[0] * s * (u if condition else 1.0)

    def derivatives(f, condition):
        def h(a, z, n, condition, u, v, s):
            return f((a, z, n, condition, (u, v), s))

        v = y_and_shadow(2.0)
        args = Active(1.5), Active(2.0 + 1.0j), Const(3), Const(condition), Active(0.5), v
        (found,) = autodiff(Reverse, h, Active, *args, Active(np.float32(1.25)))
        return [d for d in found if d is not None] + list(v.dval)

    for condition in (True, False):
        np.testing.assert_allclose(derivatives(f, condition), derivatives(plain, condition))


def test_constant_floats_beside_active_memory():
    """The annotation follows from the type of the argument, not from the activity of its parts."""
    f = product(njit(lambda t: t[0] * t[1][0]))
    y = y_and_shadow(3.0)
    assert autodiff(Reverse, lambda y: f((2.0, y)), Active, y) == ((None,),)
    assert list(y.dval) == [2000.0]


@jitclass([("v", types.float64)])
class Cell:
    def __init__(self, v):
        self.v = v


def test_typed_lists_and_instances():
    @njit
    def f(t):
        return t[0] * t[1][0] * t[2].v

    @augmented_primal(f)
    def augmented(config, func, RT, t):
        return AugmentedReturn(func.val(t.val) if config.needs_primal else None, None, None)

    @reverse(f)
    def adjoint(config, func, dret, tape, t):
        (x, many, cell), (dx, dmany, dcell), d = t.val, t.dval[()], dret.val
        dmany[0] += x * cell.v * d
        dcell.v += x * many[0] * d
        t.dval[()] = (dx + many[0] * cell.v * d, dmany, dcell)
        return (None,)

    def given(x, many, cell):
        return f((x, many, cell))

    dmany, dcell = List([0.0]), Cell(0.0)
    args = Active(2.0), Duplicated(List([3.0]), dmany), Duplicated(Cell(5.0), dcell)
    assert autodiff(Reverse, given, Active, *args) == ((15.0, None, None),)
    assert (list(dmany), dcell.v) == ([10.0], 6.0)

    def made(x, y):
        return f((x, List([x * y]), Cell(y)))

    assert autodiff(Reverse, made, Active, Active(2.0), Active(3.0)) == ((36.0, 24.0),)


def test_which_rule_is_taken():
    """Mixed annotations are patterns, and classes to ask for, like the others."""

    @njit
    def f(t, s):
        return t[0] * t[1][0] * s

    @augmented_primal(f)
    def augmented(config, func, RT, *args):
        primal = args[0].val[0] * args[0].val[1][0] * args[1].val
        return AugmentedReturn(primal if config.needs_primal else None, None, None)

    def register(T, code):
        @reverse(f)
        def adjoint(config, func, dret, tape, t: T, s):
            if isinstance(t, (Const, Duplicated, BatchDuplicated, Active)):
                return None
            if isinstance(t, BatchMixedDuplicated):
                for ref in t.dval:
                    ref[()] = (code, ref[()][1])
            elif isinstance(t, MixedDuplicated):
                t.dval[()] = (code, t.dval[()][1])
            return (None, None)

    register(MixedDuplicated, 10.0)
    register(BatchMixedDuplicated, 20.0)

    def h(x, y):
        return f((x, y), 2.0)

    assert autodiff(Reverse, h, Active, Active(1.0), y_and_shadow(1.0)) == ((10.0, None),)
    y = BatchDuplicated(np.ones(1), (np.zeros(1), np.zeros(1)))
    assert autodiff(Reverse, h, Active, Active(1.0), y) == (((20.0, 20.0), None),)

    @reverse(f)
    def of_this_type(config, func, dret, tape, t: MixedDuplicated[FLOAT_AND_ARRAY], s):
        t.dval[()] = (30.0, t.dval[()][1])
        return (None, None)

    assert autodiff(Reverse, h, Active, Active(1.0), y_and_shadow(1.0)) == ((30.0, None),)


def test_several_arguments():
    """Adjoints go to the arguments that they belong to, also where results are not needed."""

    @njit
    def f(a, t, b, u):
        return a * t[0] * t[1][0] * b * u[1] * u[0][0]

    @augmented_primal(f)
    def augmented(config, func, RT, a, t, b, u):
        primal = func.val(a.val, t.val, b.val, u.val) if config.needs_primal else None
        return AugmentedReturn(primal, None, None)

    @reverse(f)
    def adjoint(config, func, dret, tape, a, t, b, u):
        d = dret.val
        t.dval[()] = (20.0 * d, t.dval[()][1])
        u.dval[()] = (u.dval[()][0], 40.0 * d)
        t.dval[()][1][0] += 200.0 * d
        u.dval[()][0][0] += 400.0 * d
        return (10.0 * d, None, 30.0 * d, None)

    def h(a, b, c, e, y, z):
        return f(a, (c, y), b, (z, e))

    y, z = y_and_shadow(1.0), y_and_shadow(1.0)
    scalars = [Active(float(k)) for k in range(1, 5)]
    found = autodiff(ReverseWithPrimal, h, Active, *scalars, y, z)
    assert found == ((10.0, 30.0, 20.0, 40.0, None, None), 24.0)
    assert (list(y.dval), list(z.dval)) == ([200.0], [400.0])


def test_changes_that_rules_are_told_of():
    @njit
    def f(t, u, told):
        return t[0] * t[1][0] + u[0] * u[1][0]

    @augmented_primal(f)
    def augmented(config, func, RT, t, u, told):
        for i, changed in enumerate(config.overwritten):
            told.val[i] = changed
        primal = func.val(t.val, u.val, told.val) if config.needs_primal else None
        return AugmentedReturn(primal, None, None)

    @reverse(f)
    def adjoint(config, func, dret, tape, t, u, told):
        return (None, None, None)

    def h(x, y, z, told):
        r = f((x, y), (x, z), told)
        z[0] = 0.0
        return r

    told = np.full(4, -1, np.int64)
    args = Active(1.0), y_and_shadow(1.0), y_and_shadow(1.0), Const(told)
    autodiff(Reverse, h, Active, *args)
    assert list(told) == [0, 0, 1, 0]


def test_forward_mode_knows_tangents_as_tuples():
    f = product(njit(lambda t: t[0] * t[1][0]))

    def h(x, y):
        return f((x, y))

    y = Duplicated(np.array([3.0]), np.array([10.0]))
    assert autodiff(Forward, h, Duplicated(2.0, 1.0), y) == (23.0,)


def test_nothing_stays_behind():
    f = product(njit(lambda t: t[0] * t[1][0]))

    def h(x, y):
        s = x
        for i in range(4):
            s += 0.1 * f((s, y * i))
        return s

    y = y_and_shadow(1.0, 2.0)
    assert grown(lambda: autodiff(Reverse, h, Active, Active(2.0), y)) == (0, 0)
