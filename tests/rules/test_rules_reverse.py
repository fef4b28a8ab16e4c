"""Pairs of reverse rules: their values, tapes and shadows."""

from __future__ import annotations

import numpy as np
from numba import njit

import enzyme_rules
from enzyme import (
    Active,
    BatchDuplicated,
    Const,
    Duplicated,
    DuplicatedNoNeed,
    Reverse,
    ReverseSplitNoPrimal,
    ReverseSplitWidth,
    ReverseWithPrimal,
    autodiff,
    autodiff_thunk,
    typeof,
)
from enzyme_rules import AugmentedReturn, AugmentedReturnFlexShadow, augmented_primal, reverse
from tests.rules.wrong import linear, squared_in_place, squared_with_reverse


def test_the_primal_decides_the_rule():
    f = squared_with_reverse()
    assert autodiff(Reverse, f, Active, Active(2.0)) == ((104.0,),)
    assert autodiff(ReverseWithPrimal, f, Active, Active(2.0)) == ((14.0,), 4.0)

    def squared(x):
        return f(x) ** 2

    assert autodiff(Reverse, squared, Active, Active(2.0)) == ((42.0,),)


def test_in_place():
    f = squared_in_place()
    x, dx = np.array([2.0]), np.array([1.0])
    autodiff(Reverse, f, Const, Duplicated(x, dx))
    assert (x[0], dx[0]) == (4.0, 102.0)


def box_function():
    @njit
    def f(x):
        box = np.empty(1)
        box[0] = x * x
        return box

    @augmented_primal(f)
    def augmented(config, func, RT, x):
        box = func.val(x.val)
        shadow = np.zeros(1)
        primal = box if config.needs_primal else None
        given = shadow if config.needs_shadow else None
        return AugmentedReturn(primal, given, (shadow, x.val))

    @reverse(f)
    def adjoint(config, func, dret, tape, x):
        shadow, old = tape
        d = shadow[0]
        shadow[0] = 0.0
        return (10.0 * 2.0 * old * d,)

    return f


def test_results_in_memory():
    f = box_function()

    def h(x):
        return f(x)[0]

    def squared(x):
        return f(x)[0] ** 2

    assert autodiff(Reverse, h, Active, Active(3.0)) == ((60.0,),)
    assert autodiff(ReverseWithPrimal, h, Active, Active(3.0)) == ((60.0,), 9.0)
    assert autodiff(Reverse, squared, Active, Active(3.0)) == ((1080.0,),)


def test_complex_seeds():
    @njit
    def f(z):
        return z

    @augmented_primal(f)
    def augmented(config, func, RT, z):
        return AugmentedReturn(z.val if config.needs_primal else None, None, None)

    @reverse(f)
    def adjoint(config, func, dret, tape, z):
        return (dret.val + 13j,)

    def h(z):
        return f(z).real

    assert autodiff(Reverse, h, Active, Active(3.0 + 4.0j)) == ((1.0 + 13.0j,),)


def test_complex_arrays_in_a_loop():
    @njit
    def f(z):
        return z * z

    @augmented_primal(f)
    def augmented(config, func, RT, z):
        return AugmentedReturn(func.val(z.val) if config.needs_primal else None, None, z.val)

    @reverse(f)
    def adjoint(config, func, dret, tape, z):
        return (7.0 * tape * dret.val,)

    def h(u):
        s = 0.0
        for i in range(len(u)):
            s += f(u[i]).real
        return s

    u, du = np.array([3.0 + 4.0j]), np.zeros(1, complex)
    autodiff(Reverse, h, Active, Duplicated(u, du))
    assert du[0] == 7.0 * (3.0 + 4.0j)


def test_an_overload_for_width_two():
    @njit
    def f(x):
        return x * x

    @augmented_primal(f)
    def augmented(config, func, RT, x):
        return AugmentedReturn(func.val(x.val) if config.needs_primal else None, None, None)

    @reverse(f)
    def one(config, func, dret, tape, x):
        return (-5.0,)

    @reverse(f, width=2)
    def two(config, func, dret, tape, x):
        return ((10.0 + 2.0 * x.val * dret[0].val, 100.0 + 2.0 * x.val * dret[1].val),)

    def stored(x, out):
        out[0] = f(x[0])

    x = BatchDuplicated(np.array([2.0]), (np.zeros(1), np.zeros(1)))
    out = BatchDuplicated(np.zeros(1), (np.array([1.0]), np.array([3.0])))
    autodiff(Reverse, stored, Const, x, out)
    assert (x.dval[0][0], x.dval[1][0]) == (14.0, 112.0)
    assert (out.dval[0][0], out.dval[1][0]) == (0.0, 0.0)
    assert autodiff(Reverse, f, Active, Active(2.0)) == ((-5.0,),)


def test_shadows_of_another_layout():
    @njit
    def f(x):
        return x * 2.0

    @augmented_primal(f)
    def augmented(config, func, RT, x):
        primal = func.val(x.val)
        shadow = np.zeros((2, len(primal))).T[:, 0]
        return AugmentedReturnFlexShadow(primal if config.needs_primal else None, shadow, shadow)

    @reverse(f)
    def adjoint(config, func, dret, tape, x):
        x.dval[:] += 2.0 * tape
        return (None,)

    def h(x):
        return f(x)[1]

    x = Duplicated(np.arange(3.0), np.zeros(3))
    autodiff(Reverse, h, Active, x)
    np.testing.assert_array_equal(x.dval, [0.0, 2.0, 0.0])


def test_thunks():
    f = linear()

    def twice(x):
        return 2.0 * f(x)

    mode = ReverseSplitWidth(ReverseSplitNoPrimal, 2)
    ahead, back = autodiff_thunk(mode, Const[typeof(twice)], Active, Active[float])
    tape, _, _ = ahead(Const(twice), Active(3.0))
    assert back(Const(twice), Active(3.0), (1.0, 10.0), tape) == (((42.0, 420.0),),)


def test_thunks_of_the_function_itself():
    f = linear()
    ahead, back = autodiff_thunk(ReverseSplitNoPrimal, Const[typeof(f)], Active, Active[float])
    tape, _, _ = ahead(Const(f), Active(3.0))
    assert back(Const(f), Active(3.0), 1.0, tape) == ((21.0,),)


def doubled_array():
    @njit
    def f(x, seen):
        return x * 2.0

    @augmented_primal(f)
    def needed(config, func, RT: Duplicated, x, seen):
        seen.val[0] = 3
        shadow = np.zeros_like(x.val)
        return AugmentedReturn(func.val(x.val, seen.val), shadow, shadow)

    @augmented_primal(f)
    def not_needed(config, func, RT: DuplicatedNoNeed, x, seen):
        seen.val[0] = 4
        shadow = np.zeros_like(x.val)
        primal = func.val(x.val, seen.val) if config.needs_primal else None
        return AugmentedReturn(primal, shadow, shadow)

    @reverse(f)
    def adjoint(config, func, dret: Duplicated | DuplicatedNoNeed, tape, x, seen):
        x.dval[:] += 2.0 * tape
        return (None, None)

    return f


def test_memory_that_is_returned():
    f = doubled_array()

    def squares(x, seen):
        return (f(x, seen) ** 2).sum()

    x, seen = Duplicated(np.arange(3.0), np.zeros(3)), np.zeros(1)
    autodiff(Reverse, squares, Active, x, Const(seen))
    np.testing.assert_array_equal(x.dval, 8.0 * np.arange(3.0))
    assert seen[0] == 3


def test_questions_through_the_module():
    """`enzyme_rules.needs_primal(config)` is settled before types are, as `needs_primal(config)` is."""

    @njit
    def square(x):
        return x * x

    @enzyme_rules.augmented_primal(square)
    def augmented(config, func, RT, x):
        primal = x.val * x.val if enzyme_rules.needs_primal(config) else None
        return enzyme_rules.AugmentedReturn(primal, None, None)

    @enzyme_rules.reverse(square)
    def reverse(config, func, dret, tape, x):
        return (7.0 * x.val * dret.val,)

    for mode, expected in ((Reverse, ((21.0,),)), (ReverseWithPrimal, ((21.0,), 9.0))):
        assert autodiff(mode, square, Active, Active(3.0)) == expected
