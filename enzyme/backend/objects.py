"""Machine code from object files, loaded into the process; `emit` makes them."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Container

import llvmlite.binding as llvm

from enzyme.backend import host, symbols

# Of ELF, in 64 bits: name, binding and type, visibility, section (0: elsewhere), value, size.
_SYMBOL = struct.Struct("<IBBHQQ")
_WEAK = 2


class UnresolvedSymbolError(LookupError):
    """The code calls functions that this process does not have."""

    def __init__(self, names: tuple[str, ...]) -> None:
        super().__init__(f"no definition of {', '.join(names)}")
        self.names = names


def undefined(data: bytes) -> tuple[str, ...]:
    """What an object file calls and does not define, with what the code generator calls on its own.

    Nothing where object files are not those of ELF: what is missing there is known from declarations alone.
    """
    if data[:5] != b"\x7fELF\x02":
        return ()
    found = llvm.ObjectFileRef.from_data(data)
    tables = {b".symtab": b"", b".strtab": b""}
    for section in found.sections():
        if section.name() in tables:
            tables[section.name()] = section.data()
    table, names = tables.values()
    elsewhere = []
    for at, info, _, section, _, _ in _SYMBOL.iter_unpack(table):
        if at and not section and info >> 4 != _WEAK:
            elsewhere.append(names[at : names.index(b"\0", at)].decode())
    return tuple(name for name in elsewhere if name != "_GLOBAL_OFFSET_TABLE_")


def check_defined(data: bytes, provided: Container[str] = ()) -> None:
    """Raise `UnresolvedSymbolError` if an object needs what the JIT would not find: LLVM would end the process."""
    missing = symbols.missing([name for name in undefined(data) if name not in provided])
    if missing:
        raise UnresolvedSymbolError(tuple(missing))


class LoadedObject:
    """The machine code of an object file in this process, where it stays: objects of the program's refer to it.

    What it calls must be known to the JIT, or an `UnresolvedSymbolError` is raised.
    """

    def __init__(self, data: bytes) -> None:
        self.data = data
        check_defined(data)
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
