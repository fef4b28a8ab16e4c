"""Machine code from object files, loaded into the process; `emit` makes them."""

from __future__ import annotations

import ctypes

import llvmlite.binding as llvm

from enzyme.backend import host, symbols


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
