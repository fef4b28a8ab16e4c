"""Random programs over arrays that are overwritten: reverse mode agrees with forward mode."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from enzyme import Active, Const, Duplicated, Forward, Reverse, autodiff
from tests.fuzz.overwritten import Overwritten

pytestmark = pytest.mark.rotating(100)


@pytest.mark.parametrize("number", range(400))
def test_law(number):
    text = Overwritten(number).text()
    scope: dict = {"np": np}
    exec(text, scope)
    f = njit(scope["f"])
    for n in (1, 2, 3, 0):
        rng = np.random.default_rng(n)
        size = 2 * n + 4
        inputs = rng.uniform(0.4, 1.6, size), rng.uniform(0.2, 0.9, size)
        directions = [rng.normal(size=size) for _ in inputs]
        given = [Duplicated(a.copy(), np.zeros(size)) for a in inputs]
        autodiff(Reverse, f, Active, *given, Const(n))
        along = [Duplicated(a.copy(), d.copy()) for a, d in zip(inputs, directions, strict=True)]
        (slope,) = autodiff(Forward, f, *along, Const(n))
        found = sum(g.dval @ d for g, d in zip(given, directions, strict=True))
        scale = max(1.0, abs(slope), *(abs(g.dval).max() for g in given))
        assert abs(found - slope) <= 1e-10 * scale, f"{n}\n{text}"
