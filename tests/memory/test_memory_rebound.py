"""A variable that is a local array first and an argument later: what each call lets go of is what it took."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numba import njit
from numba.core.runtime import _nrt_python, rtsys

from enzyme import (
    Active,
    BatchDuplicated,
    Const,
    Duplicated,
    Forward,
    Reverse,
    ReverseSplitWithPrimal,
    autodiff,
    autodiff_thunk,
    typeof,
)

FIRST = {
    "zeros": "z = np.zeros(n + 12)",
    "a copy": "z = x.copy()",
    "the other": "z = w",
    "a view": "z = x[1:]",
}
LOOP = {
    "read": "for j in range(n):\n            m[j] = x[i] * z[j]",
    "written": "for j in range(n):\n            z[j] = x[i] * z[j]\n            m[j] += z[j]",
    "whole": "m[:n] = x[i] * z[:n]",
    "nothing": "pass",
}
THEN = {
    "an argument": "z = w",
    "if at all": "if i > 0:\n            z = w",
    "exchanged": "z, m = m, z",
    "made anew": "z = z * 0.5",
    "of the loop": "z = w\n        m = np.zeros(n + 12)",
}
LAST = {
    "multiplied": "for i in range(n):\n        m[i] = m[i] * x[i]",
    "nothing": "pass",
}


def _program(first, loop, then, last):
    scope: dict = {"np": np}
    exec(
        f"def f(x, w, n):\n    {FIRST[first]}\n    m = np.zeros(n + 12)\n    for i in range(n):\n"
        f"        {LOOP[loop]}\n        {THEN[then]}\n    {LAST[last]}\n    return z[0] + m[0]\n",
        scope,
    )
    return njit(scope["f"])


def _inputs():
    rng = np.random.default_rng(0)
    return rng.uniform(0.5, 1.5, 24), rng.uniform(0.5, 1.5, 24)


def _forward(f, n):
    given = [Duplicated(a, np.ones_like(a)) for a in _inputs()]
    return autodiff(Forward, f, *given, Const(n))[0]


def _batch(f, n):
    given = [BatchDuplicated(a, (np.ones_like(a), np.zeros_like(a))) for a in _inputs()]
    (lanes,) = autodiff(Forward, f, *given, Const(n))
    assert lanes[1] == 0.0
    return lanes[0]


def _reverse(f, n):
    given = [Duplicated(a, np.zeros_like(a)) for a in _inputs()]
    autodiff(Reverse, f, Active, *given, Const(n))
    return sum(d.dval.sum() for d in given)


def _split(f, n):
    given = [Duplicated(a, np.zeros_like(a)) for a in _inputs()]
    types = [Duplicated[typeof(a)] for a in _inputs()]
    forward, reverse = autodiff_thunk(
        ReverseSplitWithPrimal, Const[typeof(f)], Active, *types, Const[int]
    )
    tape, _, _ = forward(Const(f), *given, Const(n))
    reverse(Const(f), *given, Const(n), 1.0, tape)
    return sum(d.dval.sum() for d in given)


def _references(call, f, n):
    """Objects made and not given back by three calls, and their result."""
    _nrt_python.memsys_enable_stats()
    call(f, n)
    before = rtsys.get_allocation_stats()
    results = [call(f, n) for _ in range(3)]
    after = rtsys.get_allocation_stats()
    assert len(set(results)) == 1
    return (after.mi_alloc - before.mi_alloc) - (after.mi_free - before.mi_free), results[0]


@pytest.mark.rotating(10)
@pytest.mark.parametrize(
    ("first", "loop", "then", "last"), list(itertools.product(FIRST, LOOP, THEN, LAST))
)
def test_table(first, loop, then, last):
    f = _program(first, loop, then, last)
    for n in (0, 1, 2, 3):
        values = []
        for call in (_forward, _batch, _reverse, _split):
            left, value = _references(call, f, n)
            assert left == 0, (n, call)
            values.append(value)
        np.testing.assert_allclose(values, values[0], rtol=1e-12)


def test_counts_are_not_taken_out_in_pairs():
    """LLVM's pass for that does not know by what the derivative lets go, and an array was given back twice."""
    f = _program("zeros", "read", "an argument", "multiplied")
    for _ in range(3):
        assert _references(_forward, f, 2)[0] == 0
