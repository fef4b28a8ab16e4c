"""Which elementary functions a module needs, as a module of their own.

That must become machine code for the same processor as the module: how vectors are passed depends on it.
"""

from __future__ import annotations

import re
from collections.abc import Container

import llvmlite.binding as llvm

from enzyme.backend import host
from enzyme.backend.elementary.functions import PREFIX, module_of

_SYMBOL = re.compile(rf"{re.escape(PREFIX)}(\w+)\.(?:v(\d+))?(f64|f32)")
_KINDS = {"f64": "double", "f32": "float"}


def missing_functions(module: llvm.ModuleRef, known: Container[str], features: str) -> str:
    """The text of a module that defines what this one declares and is not known; "" if that is nothing.

    The features are those of the processor.
    """
    wanted: list[tuple[str, str, int]] = []
    for function in module.functions:
        found = _SYMBOL.fullmatch(function.name) if function.is_declaration else None
        if found is not None and found[0] not in known:
            wanted.append((found[1], _KINDS[found[3]], int(found[2] or 1)))
    return module_of(wanted, host.has_fused(features), known) if wanted else ""
