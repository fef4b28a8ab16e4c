"""Which arguments a rule is told to change before the reverse pass."""

from __future__ import annotations

import numpy as np
from numba import njit

from enzyme import (
    Active,
    Const,
    Duplicated,
    Reverse,
    autodiff,
)
from enzyme_rules import (
    AugmentedReturn,
    augmented_primal,
    overwritten,
    reverse,
)


def watching():
    """sum(x) + sum(y) with a rule that writes down which of them changes later."""

    @njit
    def f(x, y, told):
        return x[0] + y[0]

    @augmented_primal(f)
    def augmented(config, func, RT, x, y, told):
        told.val[0] = len(overwritten(config))
        for i, changed in enumerate(config.overwritten):
            told.val[1 + i] = changed
        primal = x.val[0] + y.val[0] if config.needs_primal else None
        return AugmentedReturn(primal, None, None)

    @reverse(f)
    def adjoint(config, func, dret, tape, x, y, told):
        for i in range(len(config.overwritten)):
            told.val[1 + i] += 10 * config.overwritten[i]
        x.dval[0] += dret.val
        y.dval[0] += dret.val
        return (None, None, None)

    return f


def overwritten_in(h):
    told = np.full(5, -1, np.int64)
    x, y = Duplicated(np.ones(1), np.zeros(1)), Duplicated(np.ones(1), np.zeros(1))
    autodiff(Reverse, h, Active, x, y, Const(told))
    return told[0], list(told[1:4])


def test_what_callers_overwrite():
    f = watching()

    def neither(x, y, told):
        return f(x, y, told)

    def second(x, y, told):
        r = f(x, y, told)
        y[0] = 0.0
        return r

    def both(x, y, told):
        x[0] = 3.0
        r = f(x, y, told)
        y[0] = 0.0
        x[0] = r
        return r

    assert overwritten_in(neither) == (4, [0, 0, 0])
    assert overwritten_in(second) == (4, [0, 0, 11])
    assert overwritten_in(both) == (4, [0, 11, 11])
