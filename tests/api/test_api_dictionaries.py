"""Typed dictionaries as arguments: what becomes of them, their shadows and the adjoints."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit, typed, types

from enzyme import (
    Active,
    Const,
    Duplicated,
    Forward,
    Reverse,
    ReverseWithPrimal,
    autodiff,
    make_zero,
)
from enzyme.errors import (
    ActivityError,
    EnzymeConstStorageError,
    EnzymeNoDerivativeError,
    ShadowLayoutError,
)

pytestmark = pytest.mark.rotating(18)

VALUES = {3: 10.0, 1: 2.0, 7: -1.5, 100: 0.3}


def dictionary(values, key=types.int64, value=types.float64):
    made = typed.Dict.empty(key, value)
    for k, v in values.items():
        made[k] = v
    return made


def twice(*args, **kwargs):
    primal = dictionary(*args, **kwargs)
    return Duplicated(primal, make_zero(primal))


def scaled(p, x):
    return p[3] * x


def over_keys(p, x):
    s = 0.0
    for k in p:
        s += p[k] * p[k] * x * k
    return s


def over_items_then_changed(p, x):
    s = 0.0
    for k, v in p.items():
        s += v * v * x * k
    p[3] *= x
    p[1] = p[3] * p[7]
    return s + p[1]


def grown(p, x):
    for i in range(40):
        p[200 + i] = 0.1 * x * i * p[3]
        p[3] = p[3] * 0.9 + 0.01 * p[200 + i]
    s = 0.0
    for v in p.values():
        s += v * v
    return s


def with_defaults(p, x):
    if 3 in p and 4 not in p:
        return p.get(3, x) * p.get(55, x * x) * len(p) + p.setdefault(9, x) * x
    return x


def copied(p, x):
    q = p.copy()
    q[3] *= x
    return q[3] * p[3]


@njit
def bump(p, key, x):
    p[key] = p[key] * x
    return p[key]


def through_calls(p, x):
    s = 0.0
    for k in (3, 1, 7):
        s += bump(p, k, x) * k
    return s + p[1]


PROGRAMS = (scaled, over_keys, over_items_then_changed, grown, with_defaults, copied, through_calls)


@pytest.mark.parametrize("f", PROGRAMS)
def test_both_modes_agree_with_each_other_and_with_differences(f):
    jitted, x = njit(f), 1.3
    expected = dictionary(VALUES)
    value = jitted(expected, x)
    p = twice(VALUES)
    (_, of_x), primal = autodiff(ReverseWithPrimal, f, Active, p, Active(x))
    assert primal == value
    assert dict(p.val) == dict(expected)
    gradient = {**{k: p.dval[k] for k in VALUES}, "x": of_x}
    for name, adjoint in gradient.items():
        q = twice(VALUES)
        if name != "x":
            q.dval[name] = 1.0
        direction = Duplicated(x, float(name == "x"))
        _, tangent = autodiff(Forward, f, Duplicated, q, direction)
        assert tangent == pytest.approx(adjoint, rel=1e-12, abs=1e-12)

        def at(step, name=name):
            shifted = {k: v + step * (k == name) for k, v in VALUES.items()}
            return jitted(dictionary(shifted), x + step * (name == "x"))

        assert tangent == pytest.approx((at(1e-6) - at(-1e-6)) / 2e-6, rel=1e-6, abs=1e-6)


def test_the_shadow_grows_with_its_primal():
    p = twice({1: 2.0})

    def insert(p, x):
        for i in range(100):
            p[i] = x * i
        return p[1] * p[99]

    assert autodiff(Reverse, insert, Active, p, Active(3.0)) == ((None, 2 * 3.0 * 99),)
    assert list(p.val) == list(p.dval)
    assert set(p.dval.values()) == {0.0}


def test_a_seed_in_the_shadow_of_an_output():
    p = twice({1: 0.0, 2: 5.0})
    p.dval[1], p.dval[2] = 1.0, 10.0

    def store(p, x):
        p[1] = x * x

    assert autodiff(Reverse, store, Const, p, Active(3.0)) == ((None, 6.0),)
    assert dict(p.dval) == {1: 0.0, 2: 10.0}


@pytest.mark.parametrize(
    ("key", "first", "second"),
    [
        (types.unicode_type, "a", "bb"),
        (types.UniTuple(types.int64, 2), (1, 2), (2, 1)),
        (types.int32, np.int32(1), np.int32(-1)),
        (types.boolean, True, False),
    ],
)
def test_kinds_of_keys(key, first, second):
    p = twice({first: 2.0, second: 3.0}, key)

    @njit
    def f(p, first, second, x):
        return p[first] * p[second] ** 2 * x

    args = (p, Const(first), Const(second), Active(5.0))
    assert autodiff(Reverse, f, Active, *args) == ((None, None, None, 18.0),)
    assert dict(p.dval) == {first: 45.0, second: 60.0}


def test_kinds_of_values():
    p = twice({1: 1.0 + 2j, 2: 2.0 - 1j}, value=types.complex128)
    autodiff(Reverse, lambda p, x: (p[1] * p[2] * x).real, Active, p, Active(3.0))
    assert dict(p.dval) == {1: 6 + 3j, 2: 3 - 6j}

    p = twice({1: np.float32(2.0)}, value=types.float32)
    autodiff(Reverse, lambda p, x: p[1] * p[1] * x, Active, p, Active(np.float32(3.0)))
    assert dict(p.dval) == {1: 12.0}

    def pairs(p, x):
        a, b = p[1]
        p[2] = (a * b, x)
        return p[2][0] * p[2][1]

    p = twice({1: (1.0, 2.0), 2: (2.0, 5.0)}, value=types.UniTuple(types.float64, 2))
    assert autodiff(Reverse, pairs, Active, p, Active(3.0)) == ((None, 2.0),)
    assert dict(p.dval) == {1: (6.0, 3.0), 2: (0.0, 0.0)}


def test_a_dictionary_of_integers_is_constant():
    p = twice({1: 2, 2: 3}, value=types.int64)

    def f(p, x):
        p[7] = 4
        return p[1] * x * len(p)

    assert autodiff(Reverse, f, Active, p, Active(3.0)) == ((None, 6.0),)
    assert dict(p.val) == {1: 2, 2: 3, 7: 4}


def test_a_dictionary_in_a_tuple():
    p = dictionary({1: 2.0})
    primal, tangent = (p, 2.0), (make_zero(p), 1.0)
    f = njit(lambda t, x: t[0][1] * x * t[1])
    result = autodiff(Forward, f, Duplicated, Duplicated(primal, tangent), Duplicated(3.0, 0.0))
    assert result == (12.0, 6.0)


def test_a_missing_key_raises_as_it_does_without_derivative():
    p = twice(VALUES)
    with pytest.raises(KeyError, match="55"):
        autodiff(Reverse, lambda p, x: p[55] * x, Active, p, Active(2.0))


def test_a_constant_dictionary():
    p = dictionary(VALUES)
    assert autodiff(Reverse, scaled, Active, Const(p), Active(2.0)) == ((None, 10.0),)

    def through(p, x):
        p[3] = x * x
        return p[3] * x

    with pytest.raises(EnzymeConstStorageError, match="'p'"):
        autodiff(Reverse, through, Active, Const(p), Active(2.0))


def test_keys_may_be_removed_from_a_constant():
    p = dictionary(VALUES)

    def f(p, x):
        del p[3]
        return p[1] * x

    assert autodiff(Reverse, f, Active, Const(p), Active(2.0)) == ((None, 2.0),)
    assert 3 not in p


def keys_come_and_go(p, x):
    for i in range(60):
        p[200 + i] = x * i * p[3]
        if i % 3 == 1 and i % 5 > 0:
            del p[200 + i - 1]
        if i % 5 == 4:
            p[3] += p.pop(200 + i, 0.0) * 0.001
    k, v = p.popitem()
    p[1] *= v * k
    return p[1] + p[3]


def test_places_are_kept_where_keys_are_removed():
    p = twice(VALUES)
    ((_, dx),) = autodiff(Reverse, keys_come_and_go, Active, p, Active(1.5))
    given = {k: p.dval[k] for k in VALUES}
    plain = njit(keys_come_and_go)
    h = 1e-6
    high, low = (plain(dictionary(VALUES), 1.5 + s) for s in (h, -h))
    np.testing.assert_allclose(dx, (high - low) / (2 * h), rtol=1e-7)
    for key in VALUES:
        high, low = (plain(dictionary({**VALUES, key: VALUES[key] + s}), 1.5) for s in (h, -h))
        np.testing.assert_allclose(given[key], (high - low) / (2 * h), rtol=1e-7, atol=1e-8)
    assert list(p.val) == list(p.dval)
    autodiff(Reverse, scaled, Active, p, Active(1.5))  # both have the same gaps


def test_a_key_that_is_differentiated():
    """It is kept by the dictionary, so it could be read back."""

    def kept(p, x):
        p[x] = p[1.5]
        return p[x]

    p = twice({1.5: 2.0}, types.float64)
    with pytest.raises(EnzymeNoDerivativeError, match="a dictionary key that depends") as caught:
        autodiff(Reverse, kept, Active, p, Active(3.0))
    assert "test_api_dictionaries.py" in str(caught.value)
    autodiff(Reverse, kept, Active, p, Const(3.0))
    assert dict(p.dval) == {1.5: 1.0, 3.0: 0.0}


def test_the_shadow_must_have_the_same_keys_at_the_same_places():
    primal = dictionary({1: 2.0, 2: 3.0})
    annotation = Duplicated(primal, make_zero(primal))
    primal[5] = 1.0
    with pytest.raises(ShadowLayoutError, match="also 5"):
        autodiff(Reverse, over_keys, Active, annotation, Active(3.0))

    other_order = dictionary({2: 0.0, 1: 0.0, 5: 0.0})
    with pytest.raises(ShadowLayoutError, match="places of its keys"):
        autodiff(Reverse, over_keys, Active, Duplicated(primal, other_order), Active(3.0))

    del primal[1]
    with pytest.raises(ShadowLayoutError, match="places of its keys"):
        autodiff(Reverse, over_keys, Active, Duplicated(primal, make_zero(primal)), Active(3.0))
    compact = primal.copy()
    autodiff(Reverse, over_keys, Active, Duplicated(compact, make_zero(compact)), Active(3.0))


def test_keys_removed_before_the_call():
    """What is left keeps its places, and new keys get the next in primal and shadow only if both have the same gaps."""
    primal, shadow = (dictionary({i: 1.0 for i in (3, *range(100))}) for _ in range(2))
    for k in range(5, 100):
        del primal[k]
    for other in (make_zero(primal), dictionary({i: 0.0 for i in range(5)})):
        with pytest.raises(ShadowLayoutError, match="places of its keys"):
            autodiff(Reverse, grown, Active, Duplicated(primal, other), Active(3.0))
    for k in range(5, 100):
        del shadow[k]
    for k in shadow:
        shadow[k] = 0.0
    autodiff(Reverse, grown, Active, Duplicated(primal, shadow), Active(3.0))
    compact, expected = (dictionary({i: v for i in (3, *range(5))}) for v in (1.0, 0.0))
    autodiff(Reverse, grown, Active, Duplicated(compact, expected), Active(3.0))
    assert dict(shadow) == dict(expected)


def test_its_own_shadow():
    p = dictionary(VALUES)
    with pytest.raises(ActivityError, match="its own shadow"):
        autodiff(Reverse, scaled, Active, Duplicated(p, p), Active(3.0))


def test_one_dictionary_with_two_shadows():
    p = dictionary(VALUES)
    f = njit(lambda p, q, x: p[3] * q[1] * x)
    with pytest.raises(ShadowLayoutError, match="argument 0 and argument 1 are the same object"):
        one, other = (Duplicated(p, make_zero(p)) for _ in range(2))
        autodiff(Reverse, f, Active, one, other, Active(3.0))
    one = Duplicated(p, make_zero(p))
    autodiff(Reverse, f, Active, one, Duplicated(p, one.dval), Active(3.0))
    assert (one.dval[3], one.dval[1]) == (6.0, 30.0)
