"""Every registered program obeys the law of `harness`: J forward, J transposed, finite differences."""

from __future__ import annotations

import os
import zlib

import pytest

from tests.programs import batches, harness, partial, variants
from tests.programs.suite import CASES


def test_there_are_enough_programs():
    assert len(CASES) >= 480
    assert len({case.function for case in CASES.values()}) >= 300


# Every width, constants and all modes for every program take long: where the environment asks for them.
WIDTHS = (2, 4)
CONSTANTS_IN = 3


@pytest.mark.parametrize("name", [name for name in CASES if not name.startswith("regressions.")])
def test_program(name):
    case = CASES[name]
    harness.check(case)
    if "ALL_WIDTHS" in os.environ:
        for width in WIDTHS:
            batches.check(case, width)
    elif not case.single:
        batches.check(case, WIDTHS[zlib.crc32(name.encode()) % 2])
    if "ALL_CONSTANTS" in os.environ or zlib.crc32(name.encode()) % CONSTANTS_IN == 0:
        partial.check(case)
    if "ALL_MODES" in os.environ:
        for mode in variants.MODES:
            variants.check(case, mode)
