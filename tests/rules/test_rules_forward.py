"""Forward rules: what they return in each configuration, and the values of deliberately wrong ones."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from enzyme import (
    Active,
    BatchDuplicated,
    Const,
    Duplicated,
    DuplicatedNoNeed,
    Forward,
    ForwardWithPrimal,
    Reverse,
    autodiff,
    autodiff_thunk,
    typeof,
)
from enzyme.errors import ForwardRuleReturnError
from enzyme_rules import AugmentedReturn, augmented_primal, forward, reverse
from tests.rules.wrong import squared_in_box, squared_in_place, squared_with_forward

pytestmark = pytest.mark.rotating(3)

BATCH = BatchDuplicated(2.0, (1.0, 3.0))


def test_the_primal_decides_the_rule():
    f = squared_with_forward()
    assert autodiff(Forward, f, Duplicated(2.0, 1.0)) == (14.0,)
    assert autodiff(ForwardWithPrimal, f, Duplicated(2.0, 1.0)) == (104.0, 4.0)

    def squared(x):
        return f(x) ** 2

    assert autodiff(Forward, squared, Duplicated(2.0, 1.0)) == (832.0,)
    assert autodiff(ForwardWithPrimal, squared, Duplicated(2.0, 1.0)) == (832.0, 16.0)


def test_batches():
    f = squared_with_forward()
    assert autodiff(Forward, f, BATCH) == ((1004.0, 1012.0),)
    assert autodiff(ForwardWithPrimal, f, BATCH) == ((10004.0, 10012.0), 4.0)

    def squared(x):
        return f(x) ** 2

    assert autodiff(Forward, squared, BATCH) == ((80032.0, 80096.0),)


def test_in_place():
    f = squared_in_place()
    x, dx = np.array([2.0]), np.array([1.0])
    assert autodiff(Forward, f, Duplicated(x, dx)) == ()
    assert (x[0], dx[0]) == (4.0, 14.0)


def test_results_in_memory():
    f = squared_in_box()

    def h(x):
        return f(x)[0]

    def squared(x):
        return f(x)[0] ** 2

    assert autodiff(ForwardWithPrimal, h, Duplicated(3.0, 1.0)) == (60.0, 9.0)
    assert autodiff(Forward, squared, Duplicated(3.0, 1.0)) == (1080.0,)


def test_results_in_memory_without_primal():
    f = squared_in_box()

    def h(x):
        return f(x)[0]

    assert autodiff(Forward, h, Duplicated(3.0, 1.0)) == (6000.0,)


def test_an_annotation_where_the_shadow_alone_is_due():
    @njit
    def f(x):
        return x * x

    @forward(f)
    def rule(config, func, RT, x):
        return Duplicated(x.val * x.val, x.dval)

    with pytest.raises(ForwardRuleReturnError, match="only the shadow is needed"):
        autodiff(Forward, f, Duplicated(2.0, 1.0))
    assert autodiff(ForwardWithPrimal, f, Duplicated(2.0, 1.0)) == (1.0, 4.0)


def test_without_the_configuration():
    """What is due follows from the return activity alone."""

    @njit
    def f(x):
        return x * x

    @forward(f)
    def both(func, RT: Duplicated, x):
        return Duplicated(func.val(x.val), 100.0 * x.dval)

    @forward(f)
    def alone(func, RT: DuplicatedNoNeed, x):
        return 10.0 * x.dval

    @forward(f)
    def constant(func, RT: Const, x):
        return func.val(x.val)

    assert autodiff(Forward, f, Duplicated(2.0, 1.0)) == (10.0,)
    assert autodiff(ForwardWithPrimal, f, Duplicated(2.0, 1.0)) == (100.0, 4.0)


def test_the_configuration_by_registration_or_by_name():
    @njit
    def f(x):
        return x * x

    @forward(f, config=True)
    def given(c, func, RT, x):
        return Duplicated(func.val(x.val), 5.0) if c.needs_primal else 3.0

    assert autodiff(Forward, f, Duplicated(2.0, 1.0)) == (3.0,)
    assert autodiff(ForwardWithPrimal, f, Duplicated(2.0, 1.0)) == (5.0, 4.0)

    @njit
    def g(x):
        return x * x

    @forward(g, config=False)
    def not_given(config, RT, x):
        return config.val(x.val) * x.dval  # the function, under another name

    assert autodiff(Forward, g, Duplicated(3.0, 1.0)) == (9.0,)


def test_the_primal_alone():
    """Where no derivative of the result is used, the rule returns the bare primal, or nothing."""

    @njit
    def f(x, y):
        y[0] = x
        return int(x) + 1

    @forward(f)
    def rule(config, func, RT: Const, x, y):
        y.dval[0] = 1000.0 * x.dval
        n = func.val(x.val, y.val)
        if config.needs_primal:
            return n
        return None

    def uses_it(x, y):
        return f(x, y) * x

    def leaves_it(x, y):
        f(x, y)
        return y[0]

    for function, result in ((uses_it, 9.0), (leaves_it, 8.0 * 1000.0)):
        y, dy = np.zeros(1), np.zeros(1)
        found = autodiff(Forward, function, Duplicated(8.5, 1.0), Duplicated(y, dy))
        assert found == (pytest.approx(result if function is uses_it else 1000.0),)
        assert (y[0], dy[0]) == (8.5, 1000.0)


def test_tangents_of_changed_arguments_in_a_batch():
    @njit
    def f(x):
        x[0] = x[0] * x[0]

    @forward(f)
    def rule(config, func, RT, x):
        for i in range(config.width):
            x.dval[i][0] *= 2.0 * x.val[0] + 1000.0 * i
        func.val(x.val)

    for count in (2, 3):
        x, shadows = np.array([3.0]), tuple(np.ones(1) for _ in range(count))
        autodiff(Forward, f, BatchDuplicated(x, shadows))
        assert x[0] == 9.0
        assert [d[0] for d in shadows] == [6.0, 1006.0, 2006.0][:count]


def test_no_forward_rule_but_a_reverse_rule():
    @njit
    def f(x):
        return x * x

    @augmented_primal(f)
    def augmented(config, func, RT, x):
        return AugmentedReturn(func.val(x.val) if config.needs_primal else None, None, None)

    @reverse(f)
    def adjoint(config, func, dret, tape, x):
        return (55.0,)

    assert autodiff(Forward, f, Duplicated(2.0, 1.0)) == (4.0,)
    assert autodiff(Reverse, f, Active, Active(2.0)) == ((55.0,),)


def test_no_reverse_rule_but_a_forward_rule():
    f = squared_with_forward()
    assert autodiff(Reverse, f, Active, Active(2.0)) == ((4.0,),)
    assert autodiff(Forward, f, Duplicated(2.0, 1.0)) == (14.0,)


def test_rules_of_jitted_functions_and_jitted_rules():
    @njit
    def f(x):
        return x * x

    @forward(f)
    @njit
    def rule(config, func, RT, x):
        return Duplicated(func.val(x.val), 7.0) if config.needs_primal else 7.0

    assert autodiff(Forward, f, Duplicated(2.0, 1.0)) == (7.0,)
    assert autodiff(Forward, f.py_func, Duplicated(2.0, 1.0)) == (7.0,)


def test_thunks():
    f = squared_with_forward()

    def twice(x):
        return 2.0 * f(x)

    thunk = autodiff_thunk(Forward, Const[typeof(twice)], DuplicatedNoNeed, Duplicated[float])
    assert thunk(Const(twice), Duplicated(2.0, 1.0)) == (28.0,)


def test_thunks_of_the_function_itself():
    f = squared_with_forward()
    thunk = autodiff_thunk(Forward, Const[typeof(f)], Duplicated, Duplicated[float])
    assert thunk(Const(f), Duplicated(2.0, 1.0)) == (4.0, 104.0)


def test_tuples_and_complex_numbers():
    @njit
    def f(x, z):
        return x * x, z * x

    @forward(f)
    def rule(config, func, RT, x, z):
        d = (100.0 * x.dval, z.dval * 1j)
        return Duplicated(func.val(x.val, z.val), d) if config.needs_primal else d

    def second(x, z):
        return f(x, z)[1] + f(x, z)[0]

    args = Duplicated(2.0, 1.0), Duplicated(1.0 + 2.0j, 3.0 + 0.0j)
    assert autodiff(Forward, f, *args) == ((100.0, 3.0j),)
    assert autodiff(Forward, second, *args) == (100.0 + 3.0j,)
