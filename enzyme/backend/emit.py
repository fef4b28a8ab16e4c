"""Machine code as object files, out of modules."""

from __future__ import annotations

from collections.abc import Iterator

import llvmlite.binding as llvm

from enzyme.backend import host, passes, symbols


def object_of(module: llvm.ModuleRef, quick: bool = False) -> bytes:
    """The machine code of a module; with `quick` made without looking at more than one instruction at a time."""
    if quick:
        return passes.quick_object(module)
    with passes.without_strength_reduction():
        return bytes(host.target_machine().emit_object(module))


def called_by(module: llvm.ModuleRef) -> tuple[str, ...]:
    """The names that a module declares and its machine code may refer to."""
    return tuple(sorted(set(_called_by(module))))


def _called_by(module: llvm.ModuleRef) -> Iterator[str]:
    for symbol in (*module.functions, *module.global_variables):
        if not symbol.is_declaration:
            continue
        name = symbols.function_of(symbol.name)
        if name and (name == symbol.name or symbols.address_of(name)):
            yield name


def defined_by(module: llvm.ModuleRef) -> tuple[tuple[str, str], ...]:
    """The functions of a module that others may call, and their types."""
    return tuple(
        (function.name, str(function.global_value_type))
        for function in module.functions
        if not function.is_declaration and function.linkage != llvm.Linkage.internal
    )


def optimised(text: str) -> llvm.ModuleRef:
    """A module that is called by derivatives, from its text."""
    module = passes.parse(text)
    passes.run_after_ad(module, passes.POST_DEFAULT)
    return module
