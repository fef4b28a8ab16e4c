"""Machine code as object files: made, and loaded into the process."""

from __future__ import annotations

import ctypes
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


class LoadedObject:
    """The machine code of an object file in this process, where it stays: objects of the program's refer to it.

    What it calls must be known to the JIT (`symbols.are_there`): LLVM ends the process where something is missing.
    """

    def __init__(self, data: bytes) -> None:
        self.data = data
        symbols.register_generated()
        host.initialise()
        self._engine = llvm.create_mcjit_compiler(
            llvm.parse_assembly(""), host.new_target_machine()
        )
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(data))
        self._engine.finalize_object()
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._engine))

    def get_pointer_to_function(self, name: str) -> int:
        """Address of a function that the object defines."""
        found = self._engine.get_function_address(name)
        if not found:
            raise KeyError(name)
        return int(found)

    def place_of(self, name: str) -> ctypes.c_void_p:
        """A variable of the object that holds an address."""
        found = self._engine.get_global_value_address(name)
        if not found:
            raise KeyError(name)
        return ctypes.c_void_p.from_address(found)
