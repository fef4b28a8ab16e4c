"""Random loops obey the law; FUZZ_SEED chooses those of the day."""

from __future__ import annotations

import os

import pytest

from tests.fuzz.loops import FAMILIES, failure

PROGRAMS = 4


@pytest.mark.parametrize("family", FAMILIES)
def test_random_loops(family):
    first = int(os.environ.get("FUZZ_SEED", "0")) * PROGRAMS
    for seed in range(first, first + PROGRAMS):
        found = failure(family, seed)
        assert found is None, found
