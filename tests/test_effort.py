"""Most derivatives of the tests are compiled quickly, a tenth as for users."""

from __future__ import annotations

import numpy as np
from numba import njit

from enzyme import Active, Duplicated, Reverse, autodiff, enzyme_code_llvm, typeof
from enzyme.backend import passes
from tests import effort
from tests.programs.suite import CASES


def test_some_programs_are_compiled_as_for_users(monkeypatch):
    monkeypatch.delenv("ALL_OPTIMISED", raising=False)
    share = sum(map(effort.is_full, CASES)) / len(CASES)
    assert 0.02 < share < 0.1
    monkeypatch.setenv("ALL_OPTIMISED", "1")
    assert all(map(effort.is_full, CASES))


def test_quick_code_computes_the_same():
    def squares(x):
        s = 0.0
        for i in range(x.size):
            s += x[i] * x[i]
        return s

    texts = []
    for options in (passes.POST_DEFAULT, passes.POST_QUICK):
        f, x = njit(squares), np.arange(9.0)
        dx = np.zeros(9)
        with passes.compiling_with(options):
            autodiff(Reverse, f, Active, Duplicated(x, dx))
            texts.append(enzyme_code_llvm(f, Active, (Duplicated[typeof(x)],)))
        np.testing.assert_array_equal(dx, 2.0 * x)
    full, quick = ("x double>" in text for text in texts)
    assert full and not quick


def test_numba_is_quick_where_we_are(monkeypatch):
    made = []
    monkeypatch.setattr(
        passes, "quick_object", lambda m, make=passes.quick_object: made.append(m) or make(m)
    )
    for options, count in ((passes.POST_DEFAULT, 0), (passes.POST_QUICK, 1)):
        f = njit(lambda x: 2.0 * x)
        with passes.compiling_with(options):
            assert f(1.5) == 3.0
        assert len(made) == count
