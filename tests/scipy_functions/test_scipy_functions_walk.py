"""Every row of SciPy's functions against mpmath: first derivatives in both modes, and second ones in all four orders.

A few functions are looked at by default, of each kind one; ``EXHAUSTIVE=1`` takes all, which is some minutes.
"""

from __future__ import annotations

import os

import pytest

from enzyme.engine.derivatives.catalogue import all_entries
from enzyme.engine.derivatives.scipy.names import OURS, PREFIX
from enzyme.engine.derivatives.scipy.pointers import RESULTS
from enzyme.frontend import c_functions
from enzyme.frontend.special import making
from tests.scipy_functions.primals import CONSTANT, FUNCTIONS, INVERSES
from tests.scipy_functions.walk import (
    MODES,
    Walk,
    first_errors,
    line,
    names,
    second_errors,
    tolerance,
)

EXHAUSTIVE = bool(os.environ.get("EXHAUSTIVE"))
SAMPLE = "eval_gegenbauer expn gammainc gammaincinv j1 kl_div si".split()
CHOSEN = [n for n in names() if n != "ellipj_am"] if EXHAUSTIVE else SAMPLE


def test_every_row_has_points():
    assert {*FUNCTIONS, *INVERSES, *CONSTANT} == {*names()} - {"ellipj_am"}  # which sn stands for


def test_every_function_is_scipys_or_has_code():
    import scipy.special.cython_special  # noqa: F401

    symbols = [n for n in all_entries() if n.startswith((PREFIX, OURS))]
    of_scipy = {s for s in symbols if s.startswith(PREFIX)}
    assert len(of_scipy) > 200
    assert all(c_functions.address_of(s) for s in of_scipy)
    code = {f"{OURS}{name}" for name in (*making.functions(), *RESULTS)}
    assert code == {*symbols} - of_scipy


def test_first_derivatives():
    walk = Walk([line(name) for name in CHOSEN])
    errors, apart = first_errors(walk)
    assert not apart, apart
    bad = {key: error for key, error in errors.items() if not error.size <= tolerance(key[0], 1)}
    assert not bad, bad


@pytest.mark.parametrize("outer, inner", MODES if EXHAUSTIVE else MODES[1:2])
def test_second_derivatives(outer, inner):
    walk = Walk([line(name, twice=True) for name in CHOSEN])
    errors = second_errors(walk, outer, inner)
    bad = {key: error for key, error in errors.items() if not error.size <= tolerance(key[0], 2)}
    assert not bad, bad


def test_single_precision_is_double_rounded():
    """The variants of float share their rows with those of double."""
    singles = [n for n in all_entries() if n.startswith(PREFIX) and n.endswith("f")]
    assert singles
    for symbol in singles:
        double = all_entries()[_double(symbol)]
        assert [r is None or bool(r.lacks) for r in all_entries()[symbol].row.rules] == [
            r is None or bool(r.lacks) for r in double.row.rules
        ]


def _double(symbol: str) -> str:
    head, _, letters = symbol.rpartition(".")
    return f"{head}.{letters.replace('f', 'd')}"
