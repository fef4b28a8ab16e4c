"""The same programs compiled with `fastmath=True`, helpers and all: what JAX's order of sums is to be compared with.

XLA adds up in whatever order is fast, which `@njit` may not; numba's users say so by an option.
"""

from __future__ import annotations

import importlib.util
from functools import cache, partial
from typing import Any

import numba

from benchmarks.families import FAMILY_OF, family
from benchmarks.program import Program


def fast(program: Program) -> Program:
    return _programs(FAMILY_OF[program.name])[program.name]


@cache
def _programs(name: str) -> dict[str, Program]:
    """The programs of a family, from its file once more, in which `njit` has the option."""
    family(name)  # what it imports is imported as it is
    spec = importlib.util.find_spec(f"benchmarks.families.{name}")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    plain: Any = numba.njit
    numba.njit = partial(_njit, plain)
    try:
        spec.loader.exec_module(module)
    finally:
        numba.njit = plain
    return {program.name: program for program in module.PROGRAMS}


def _njit(plain: Any, *given: Any, **options: Any) -> Any:
    return plain(*given, **{"fastmath": True, **options})
