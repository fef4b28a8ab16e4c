"""What happens to derivatives when rules come and go."""

import pytest
from numba import njit

from enzyme import (
    Active,
    Const,
    Duplicated,
    Forward,
    ForwardWithPrimal,
    Reverse,
    ReverseSplitNoPrimal,
    autodiff,
    autodiff_thunk,
    gradient,
    typeof,
)
from enzyme_rules import (
    AugmentedReturn,
    augmented_primal,
    forward,
    inactive,
    remove_rules,
    reverse,
    rules_of,
)

pytestmark = pytest.mark.rotating(3)


def square():
    @njit
    def f(x):
        return x * x

    return f


def tangent_is(f, number):
    @forward(f)
    def rule(config, func, RT, x):
        return Duplicated(func.val(x.val), number) if config.needs_primal else number

    return rule


def adjoint_is(f, number):
    @augmented_primal(f)
    def augmented(config, func, RT, x):
        return AugmentedReturn(func.val(x.val) if config.needs_primal else None, None, None)

    @reverse(f)
    def adjoint(config, func, dret, tape, x):
        return (number,)

    return augmented, adjoint


def changing(f, derivative):
    """The sequence of the contract: no rule, a rule, another one, none, inactive, none."""
    found = [derivative()]
    tangent_is(f, 12.0), adjoint_is(f, 12.0)
    found.append(derivative())
    tangent_is(f, 22.0), adjoint_is(f, 22.0)
    found.append(derivative())
    remove_rules(f)
    found.append(derivative())
    inactive(f)
    found.append(derivative())
    remove_rules(f)
    found.append(derivative())
    return found


SEQUENCE = [2.0, 12.0, 22.0, 2.0, 0.0, 2.0]


@pytest.mark.parametrize("inner", [False, True])
@pytest.mark.parametrize("ahead", [True, False])
def test_rules_come_and_go(inner, ahead):
    f = square()

    @njit
    def middle(x):
        return f(x)

    def outer(x):
        return middle(x) + 0.0

    h = outer if inner else f
    if ahead:
        found = changing(f, lambda: autodiff(Forward, h, Duplicated(1.0, 1.0))[0])
    else:
        found = changing(f, lambda: autodiff(Reverse, h, Active, Active(1.0))[0][0])
    assert found == SEQUENCE


def test_the_primal_stays():
    f = square()
    found = changing(f, lambda: autodiff(ForwardWithPrimal, f, Duplicated(3.0, 1.0))[1])
    assert found == [9.0] * 6


def test_new_thunks_and_gradients():
    f = square()

    def h(x):
        return f(x)

    def by_thunk():
        types = Const[typeof(h)], Active, Active[float]
        ahead, back = autodiff_thunk(ReverseSplitNoPrimal, *types)
        tape, _, _ = ahead(Const(h), Active(1.0))
        return back(Const(h), Active(1.0), 1.0, tape)[0][0]

    assert changing(f, by_thunk) == SEQUENCE
    assert changing(f, lambda: gradient(Forward, h, 1.0)) == SEQUENCE
    assert changing(f, lambda: gradient(Reverse, h, 1.0)) == SEQUENCE


@pytest.mark.parametrize("mode", [Forward, Reverse])
def test_inside_jitted_functions(mode):
    """Code that numba keeps is compiled anew, if it is asked for anew."""
    f = square()

    def derivative():
        @njit
        def g(x):
            if mode is Forward:
                return autodiff(Forward, f, Duplicated(x, 1.0))[0]
            return autodiff(Reverse, f, Active, Active(x))[0][0]

        return g(1.0)

    assert changing(f, derivative) == SEQUENCE


def test_jitted_functions_that_differentiate():
    """What numba has compiled it does not compile again."""
    f = square()

    @njit
    def g(x):
        return autodiff(Forward, f, Duplicated(x, 1.0))[0]

    assert changing(f, lambda: g(1.0)) == [SEQUENCE[0]] * len(SEQUENCE)


def test_removing_one_rule():
    f = square()
    tangent_is(f, 12.0)
    augmented, adjoint = adjoint_is(f, 13.0)
    remove_rules(f, augmented, adjoint)
    assert autodiff(Reverse, f, Active, Active(1.0)) == ((2.0,),)
    assert autodiff(Forward, f, Duplicated(1.0, 1.0)) == (12.0,)


def test_removing_an_easy_rule():
    from enzyme_rules import easy_rule

    f = square()

    def partial(omega, x):
        return 5.0

    easy_rule(f, (partial,))
    assert autodiff(Reverse, f, Active, Active(1.0)) == ((5.0,),)
    remove_rules(f)
    assert not rules_of(f)
    assert autodiff(Reverse, f, Active, Active(1.0)) == ((2.0,),)


def test_registration():
    def f(x):
        return x

    with pytest.raises(TypeError, match=r"it needs at least \(config, func, RT\)"):
        forward(f, config=True)(lambda func, RT: 1.0)
    with pytest.raises(TypeError, match=r"\(config, func, dret, tape\)"):
        reverse(f)(lambda config, func, dret: 1.0)
    with pytest.raises(TypeError, match="a rule is a function"):
        forward(f)(3.0)
    for wrong in (max, len, 3.0, "f"):
        with pytest.raises(TypeError, match="rules belong to Python functions"):
            forward(wrong)
    with pytest.raises(TypeError, match="annotation classes such as Duplicated"):

        @forward(f)
        def rule(func, RT, x: 3.0):
            return 1.0
