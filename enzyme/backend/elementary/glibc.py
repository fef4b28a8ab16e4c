"""The vector functions of glibc, which are quicker and wrong by up to four units in the last place."""

from __future__ import annotations

import functools

import llvmlite.binding as llvm

from enzyme.backend import host
from enzyme.backend.symbols import VECTOR_LIBRARY

# The letter in names for each set of instructions, and the bits of its vectors.
_SETS = (("avx512f", "e", 512), ("avx2", "d", 256), ("sse2", "b", 128))
_BITS = {"double": 64, "float": 32}


@functools.cache
def _is_there() -> bool:
    """Has this process the library, in the form for processors of the x86 family?"""
    if not host.triple().startswith("x86_64"):
        return False
    try:
        llvm.load_library_permanently(VECTOR_LIBRARY)
    except RuntimeError:
        return False
    return True


@functools.cache
def vector_functions(
    name: str, kind: str, operands: int, features: str
) -> tuple[tuple[int, str], ...]:
    """The numbers of lanes for which the library has a function of the C library, and its symbols, on a
    processor with these features."""
    if not _is_there():
        return ()
    has = features.split(",")
    in_c = name + ("f" if kind == "float" else "")
    made: list[tuple[int, str]] = []
    for needed, letter, bits in _SETS:
        lanes = bits // _BITS[kind]
        made_name = f"_ZGV{letter}N{lanes}{'v' * operands}_{in_c}"
        if f"+{needed}" in has and llvm.address_of_symbol(made_name):
            made.append((lanes, made_name))
    return tuple(made)
