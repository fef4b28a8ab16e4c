"""All registered programs: importing their modules registers them."""

from __future__ import annotations

from tests.programs import (  # noqa: F401
    programs_algorithms,
    programs_arrays,
    programs_calls,
    programs_constants,
    programs_constructs,
    programs_dictionaries,
    programs_dynamics,
    programs_failures,
    programs_function_values,
    programs_handed_out,
    programs_linear_algebra,
    programs_lists,
    programs_reductions,
    programs_scalar,
    programs_statistics,
    programs_typed_lists,
)
from tests.programs.cases import CASES

__all__ = ["CASES"]
