"""Every registered program obeys the law of `harness`: J forward, J transposed, finite differences."""

from __future__ import annotations

import os
import zlib

import pytest

from tests.programs import (  # noqa: F401  (importing registers the programs)
    batches,
    harness,
    programs_algorithms,
    programs_arrays,
    programs_calls,
    programs_constructs,
    programs_dictionaries,
    programs_dynamics,
    programs_function_values,
    programs_linear_algebra,
    programs_lists,
    programs_reductions,
    programs_scalar,
    programs_statistics,
    programs_typed_lists,
)


def test_there_are_enough_programs():
    assert len(harness.CASES) >= 480
    assert len({case.function for case in harness.CASES.values()}) >= 300


# Every width for every program takes long: where the environment asks for it.
WIDTHS = (2, 4)


@pytest.mark.parametrize(
    "name", [name for name in harness.CASES if not name.startswith("regressions.")]
)
def test_program(name):
    case = harness.CASES[name]
    harness.check(case)
    if "ALL_WIDTHS" in os.environ:
        for width in WIDTHS:
            batches.check(case, width)
    elif not case.single:
        batches.check(case, WIDTHS[zlib.crc32(name.encode()) % 2])
