"""What failures say: which part, which index, both values, the limit, how to have it again."""

from __future__ import annotations

import re

import numpy as np
import pytest
from numba import njit

import enzyme_rules
from enzyme import Active, BatchDuplicated, Const, Duplicated
from enzyme_testutils import (
    DerivativeTestError,
    test_approx,
    test_forward,
    test_msg,
    test_reverse,
)
from enzyme_testutils.comparison import Tolerance, leaves
from enzymecore import DuplicatedNoNeed


def failure(run, *args, **options):
    with pytest.raises(DerivativeTestError) as caught:
        run(*args, **options)
    return str(caught.value)


def cubes_with_a_wrong_rule():
    """x³ element by element; the rule forgets what lane one and element two get."""

    @njit
    def cubes(x, out):
        for i in range(len(x)):
            out[i] = x[i] ** 3

    @enzyme_rules.forward(cubes)
    def rule(func, RT, x, out):
        for i in range(len(x.val)):
            out.val[i] = x.val[i] ** 3
            for lane in range(2):
                wrong = 0.5 if lane == 1 and i == 2 else 1.0
                out.dval[lane][i] = wrong * 3 * x.val[i] ** 2 * x.dval[lane][i]

    return cubes


def test_a_report_names_everything():
    x = np.array([1.0, 2.0, 3.0])
    text = failure(
        test_forward,
        cubes_with_a_wrong_rule(),
        Const,
        (x, BatchDuplicated),
        (np.zeros(3), BatchDuplicated),
        rng=3,
    )
    assert re.search(r"test_forward: .*cubes\(x: BatchDuplicated\[float64\[::1\]\], out: ", text)
    assert "1 of " in text and " checks failed" in text
    assert "1) the tangent of argument 1 (out), lane 1 disagrees with finite differences" in text
    assert "Mismatched elements: 1 / 3" in text and "at [2]: AD" in text
    assert re.search(r"distance \d.*, allowed \d.*e-0", text)
    assert "AD: [" in text and "finite differences: [" in text
    assert "tolerance: rtol=1e-09, atol=1e-09" in text and text.endswith("reproduce: rng=3")


def test_the_name_and_the_limits_are_those_given():
    @njit
    def twice(x):
        return 2.0 * x

    @enzyme_rules.forward(twice)
    def rule(func, RT, x):
        return 2.001 * x.dval

    def run(**options):
        test_forward(twice, DuplicatedNoNeed, (1.0, Duplicated), **options)

    text = failure(run, testset_name="twice, on Monday")
    assert text.startswith("twice, on Monday\n1 of ") and "pytest --enzyme-seed=0" in text
    run(rtol=1e-2)
    run(atol=1.0)
    assert "rtol=1e-09, atol=0.0001" in failure(run, atol=1e-4)


def test_everything_is_collected():
    @njit
    def f(x, y):
        return x * y

    @enzyme_rules.augmented_primal(f)
    def augmented(config, func, RT, x, y):
        primal = x.val + y.val if enzyme_rules.needs_primal(config) else None
        return enzyme_rules.AugmentedReturn(primal, None, None)

    @enzyme_rules.reverse(f)
    def reverse(config, func, dret, tape, x, y):
        return (y.val * dret.val + 1.0, x.val * dret.val - 1.0)

    text = failure(test_reverse, f, Active, (2.0, Active), (3.0, Active))
    assert "3 of " in text
    assert "1) the value of the result is not that of the function" in text
    assert "2) the active derivative of argument 0 (x) disagrees" in text
    assert "3) the active derivative of argument 1 (y) disagrees" in text


def test_inaccurate_differences_are_no_proof():
    @njit
    def jump(x):
        return x if x > 1.0 else 0.0

    text = failure(test_forward, jump, Duplicated, (1.0, Duplicated))
    assert "cannot be checked: finite differences are too inaccurate here" in text
    assert "a point that is farther from kinks and jumps" in text


@pytest.mark.parametrize(
    ("x", "y", "problem"),
    [
        (1.0, 2.0, "distance 1, allowed 2e-09"),
        ((1.0,), [1.0], "the types differ: tuple and list"),
        ((1.0,), (1.0, 2.0), "the lengths differ: 1 and 2"),
        ({"a": 1.0}, {"b": 1.0}, "the keys or fields differ: ['a'] and ['b']"),
        (np.ones(2), np.ones(3), "the shapes differ: (2,) and (3,)"),
        (np.ones(2, np.float32), np.ones(2), "the types of the elements differ"),
        (np.float32(1.0), np.float64(1.0), "the types differ"),
        (1.0, 1.0 + 0j, "the types differ"),
        ([{"k": (0.0, 1.0)}], [{"k": (0.0, 1.5)}], "at [0]['k'][1]: distance 0.5"),
        (np.nan, np.nan, "distance inf"),
        (np.inf, -np.inf, "distance inf"),
        (np.array([1.0, np.nan]), np.array([1.0, np.nan]), "Max absolute difference: nan, at [1]"),
        ("a", "b", "'a' is not 'b'"),
        (3, 4, "3 is not 4"),
        (np.arange(2), np.arange(2) + 1, "the elements differ"),
        (np.zeros(1, [("a", "f8")]), np.ones(1, [("a", "f8")]), "at ['a']: distance 1"),
    ],
)
def test_differences(x, y, problem):
    assert problem in failure(test_approx, x, y)


def test_what_is_equal():
    held = [1.0]
    held.append(held)
    for x in (np.inf, np.array([1.0, -np.inf]), held, "text", None, {"a": (1, 2.0)}, 1e300):
        test_approx(x, x)
    test_approx(np.array([1.0, 1e9]), np.array([1.0 + 1e-3, 1e9]))  # in the norm
    test_approx(np.full(3, 1e200), np.full(3, 1e200) * (1 + 1e-12))
    assert all(leaf.ok for leaf in leaves((1.0, 2), (1.0, 3), Tolerance(0, 0), inactive=False))


def test_conditions():
    size = 3
    test_msg("fine", size == 3)
    test_msg("fine", lambda: size == 3)
    text = failure(test_msg, "the sizes differ", False)
    assert "Problem: the sizes differ" in text
    with pytest.raises(DerivativeTestError) as caught:
        test_msg("the sizes differ", size == 2)
    assert str(caught.value).splitlines() == [
        "the condition does not hold: size == 2",
        "Problem: the sizes differ",
        "  size: 3",
    ]
    with pytest.raises(DerivativeTestError) as caught:
        test_msg("", lambda: len("ab") == size)
    assert str(caught.value).splitlines() == [
        "the condition does not hold: len('ab') == size",
        "  size: 3",
    ]
    left = iter([1, 2])
    with pytest.raises(DerivativeTestError) as caught:
        test_msg("", lambda bound=5: next(left) == bound)
    assert next(left) == 2 and "bound:" not in str(caught.value)
    with pytest.raises(DerivativeTestError) as caught:
        test_msg("no such key", lambda: {}["key"] == 1)
    assert "the condition cannot be evaluated" in str(caught.value)
    assert "Problem: no such key\n  KeyError: 'key'" in str(caught.value)


def test_conditions_in_blocks():
    with test_msg("fine"):
        assert True
    with (
        pytest.raises(DerivativeTestError, match=r"Problem: two sizes\n.*3"),
        test_msg("two sizes"),
    ):
        raise AssertionError("2 is not 3")
    with (
        pytest.raises(DerivativeTestError, match=r"(?s)Problem: a key.*KeyError"),
        test_msg("a key"),
    ):
        {}["key"]
