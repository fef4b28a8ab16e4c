"""The benchmark programs by family; a file each, with the adjoints written by hand and versions for JAX beside it.

A family is imported when it is asked for: a process that runs one program needs no other.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from benchmarks.program import Program

    FAMILIES: dict[str, tuple[Program, ...]]
    PROGRAMS: dict[str, Program]
    FAMILY_OF: dict[str, str]

NAMES = ("scalar", "arrays", "expressions", "linear", "learning", "irregular", "adbench")


def family(name: str) -> tuple[Program, ...]:
    """The programs of one family."""
    found: tuple[Program, ...] = import_module(f"{__name__}.{name}").PROGRAMS
    return found


def __getattr__(name: str) -> Any:
    if name not in ("FAMILIES", "PROGRAMS", "FAMILY_OF"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    families = {each: family(each) for each in NAMES}
    programs = {program.name: program for family in families.values() for program in family}
    assert len(programs) == sum(map(len, families.values())), "two programs of one name"
    of = {program.name: each for each, family in families.items() for program in family}
    globals().update(FAMILIES=families, PROGRAMS=programs, FAMILY_OF=of)
    return globals()[name]
