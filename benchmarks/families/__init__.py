"""The benchmark programs by family; a file each, with the adjoints written by hand and versions for JAX beside it."""

from __future__ import annotations

from benchmarks.families import adbench, arrays, expressions, irregular, learning, linear, scalar
from benchmarks.program import Program

FAMILIES: dict[str, tuple[Program, ...]] = {
    "scalar": scalar.PROGRAMS,
    "arrays": arrays.PROGRAMS,
    "expressions": expressions.PROGRAMS,
    "linear": linear.PROGRAMS,
    "learning": learning.PROGRAMS,
    "irregular": irregular.PROGRAMS,
    "adbench": adbench.PROGRAMS,
}

PROGRAMS = {program.name: program for family in FAMILIES.values() for program in family}
FAMILY_OF = {program.name: name for name, family in FAMILIES.items() for program in family}

assert len(PROGRAMS) == sum(map(len, FAMILIES.values())), "two programs of one name"
