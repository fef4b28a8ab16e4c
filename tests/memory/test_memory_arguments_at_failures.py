"""What a failing call holds of its arguments is given back once, also where a way to success releases as much."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from enzyme import Active, Const, Duplicated, Forward, ForwardWithPrimal, Reverse, autodiff


def misfit(which, m, n):
    if which == 7:
        e = n[13::-2] + n[:0]
        n[:0] * m[:14:2]  # may fail, too
        m[7:0:-1] = e
    return 0.0


@njit
def made(value):
    return np.full(60, value)  # of numba's run time, which counts its references


@pytest.mark.parametrize("mode", [Forward, ForwardWithPrimal, Reverse])
@pytest.mark.parametrize("annotation", [Const, Duplicated])
def test_references_to_arguments_are_counted(mode, annotation):
    m, n = made(1.0), made(0.0)
    annotated = [annotation(x, *[x.copy()] * (annotation is Duplicated)) for x in (m, n)]
    activity = (Active,) if mode is Reverse else ()
    for _ in range(3):
        before = [x.base.refcount for x in (m, n)]
        with pytest.raises(ValueError, match="broadcast"):
            autodiff(mode, misfit, *activity, Const(7), *annotated)
        assert [x.base.refcount for x in (m, n)] == before
