"""Every registered program obeys the law of `harness`: J forward, J transposed, finite differences."""

from __future__ import annotations

import pytest

from tests.programs import (  # noqa: F401  (importing registers the programs)
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
