"""Objects that grow: the functions that know how, in a derivative and in a program that it is part of."""

from __future__ import annotations

from enzyme.engine.analysis.known_functions import lookup_known
from enzyme.engine.ir.instructions import Call
from enzyme.engine.ir.module import Module

KINDS = ("items", "resize", "insert")


def release_calls(module: Module) -> None:
    """After differentiation nothing keeps these functions from being inlined."""
    for function in module.functions.values():
        row = lookup_known(function)
        if row is not None and row.kind in KINDS and not function.is_declaration:
            function.suffix = "nounwind" + " alwaysinline" * (row.kind == "items")


def share_calls(module: Module) -> None:
    """A derivative that will be differentiated is linked with others, which share these functions by their names."""
    names = module.runtime.shared
    shared = {module.functions[name] for name in names if name in module.functions}
    for function in shared:
        if not function.is_declaration:
            function.prefix = "linkonce_odr"
    for function in module.functions.values():
        for call in function.instructions():
            if isinstance(call, Call) and call.callee in shared:
                call.cc = ""
