"""A few of the mutated modules and of the random programs in C of long runs (`mutations`, `random_c`)."""

from __future__ import annotations

import os

import pytest

from enzyme.frontdoor.clang import find_clang

from . import mutations, random_c

EXHAUSTIVE = bool(os.environ.get("EXHAUSTIVE"))
MUTANTS = 2000 if EXHAUSTIVE else 80
PROGRAMS = 40 if EXHAUSTIVE else 2


def test_mutated_modules():
    texts = mutations.corpus(with_c=False)
    mutations.warm_up()
    ran = mutations.run_in_forks([mutations.mutant(0, k, texts) for k in range(MUTANTS)])
    assert not [(outcome, text) for text, outcome in ran if outcome.is_failure]
    kinds = {outcome.kind for _, outcome in ran}
    assert {"module", "refused"} <= kinds


def test_an_internal_error_is_found(monkeypatch):
    """What the run looks for, it would see."""
    monkeypatch.setattr("enzyme.frontdoor.lower.lower", lambda *_, **__: 1 / 0)
    ((_, outcome),) = mutations.run_in_forks([mutations.as_source("")])
    assert outcome.is_failure
    assert outcome.kind == "internal"


@pytest.mark.skipif(find_clang() is None, reason="there is no clang")
@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_random_programs_in_c(seed):
    assert random_c.in_fork(seed).kind == "right"


@pytest.mark.skipif(find_clang() is None, reason="there is no clang")
def test_a_wrong_number_is_found(monkeypatch):
    real = random_c.lower
    monkeypatch.setattr(random_c, "lower", lambda text: real(text).replace(" fmul ", " fdiv "))
    assert random_c.in_fork(0).kind == "wrong"
