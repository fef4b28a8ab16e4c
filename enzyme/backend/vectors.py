"""How wide the vectors of a derivative are.

LLVM halves the vectors of Intel processors with AVX-512, because the first of them slowed down for full ones. Those
since Sapphire Rapids do not, and a loop that streams through caches and shadows is a sixth faster with full vectors.
A loop that calls a scalar function for each number is slower: the other numbers wait in memory while it runs.
"""

from __future__ import annotations

import re

import llvmlite.binding as llvm

from enzyme.backend import host

_SCALAR_FUNCTION = re.compile(r"(double|float) \((double|float)(, (double|float))*\)")
# Intrinsics of numbers that are instructions for vectors, too.
_INSTRUCTIONS = frozenset(
    "sqrt fabs fma fmuladd copysign floor ceil trunc rint nearbyint roundeven"
    " minnum maxnum minimum maximum minimumnum maximumnum".split()
)


def target_machine_for(module: llvm.ModuleRef) -> llvm.TargetMachine:
    """The host, with full vectors where they are fast and nothing is called number by number."""
    if host.full_vectors_are_fast() and not calls_scalar_functions(module):
        return host.target_machine(full_vectors=True)
    return host.target_machine()


def calls_scalar_functions(module: llvm.ModuleRef) -> bool:
    """Does the module call functions of numbers that it does not define, as `exp`?"""
    return any(
        function.is_declaration
        and _SCALAR_FUNCTION.fullmatch(str(function.global_value_type))
        and not _is_instruction(function.name)
        for function in module.functions
    )


def _is_instruction(name: str) -> bool:
    parts = name.split(".")
    return parts[0] == "llvm" and parts[1] in _INSTRUCTIONS
