"""Machine code of elementary functions, made once in a process for those that some derivative calls."""

from __future__ import annotations

import re

import llvmlite.binding as llvm

from enzyme.backend import host, symbols
from enzyme.backend.elementary.functions import PREFIX, module_of, symbol
from enzyme.backend.jit import JittedModule

_SYMBOL = re.compile(rf"{re.escape(PREFIX)}(\w+)\.(?:v(\d+))?(f64|f32)")
_KINDS = {"f64": "double", "f32": "float"}
_loaded: dict[str, JittedModule] = {}


def register_for(module: llvm.ModuleRef) -> None:
    """Let every JIT of the process resolve the elementary functions that the module declares."""
    wanted: list[tuple[str, str, int]] = []
    for function in module.functions:
        found = _SYMBOL.fullmatch(function.name) if function.is_declaration else None
        if found is not None and found[0] not in _loaded:
            wanted.append((found[1], _KINDS[found[3]], int(found[2] or 1)))
    if not wanted:
        return
    # The functions are in the form that the code generator wants.
    code = JittedModule(module_of(wanted, host.has_fused(), _loaded), optimise=False)
    for name, kind, lanes in [*wanted, *((name, kind, 1) for name, kind, _ in wanted)]:
        made = symbol(name, kind, lanes)
        if made not in _loaded:
            symbols.register_from(code.module, made, code.address(made))
            _loaded[made] = code
