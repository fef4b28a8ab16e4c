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


@pytest.mark.parametrize(
    "name", [name for name in harness.CASES if not name.startswith("regressions.")]
)
def test_program(name):
    harness.check(harness.CASES[name])


# Both widths for every program take long: all of them where the environment asks for it.
WIDTHS = (2, 4)


@pytest.mark.parametrize("name", list(harness.CASES))
def test_program_in_batches(name):
    chosen = WIDTHS if "ALL_WIDTHS" in os.environ else (WIDTHS[zlib.crc32(name.encode()) % 2],)
    for width in chosen:
        batches.check(harness.CASES[name], width)
