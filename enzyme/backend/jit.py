"""Machine code from IR text, without numba: for `.ll` files and tests of the engine."""

from __future__ import annotations

import ctypes
from typing import Any

import llvmlite.binding as llvm

from enzyme.backend import host, passes, symbols
from enzyme.backend.emit import object_of
from enzyme.backend.objects import UnresolvedSymbolError, check_defined


class JittedModule:
    r"""A loaded module; addresses stay valid as long as this object lives.

    `symbol_addresses` adds definitions by address. With `optimise`, the text goes through
    `passes.run_after_ad` first; `module` is what was compiled.

    >>> module = JittedModule("define double @twice(double %x) {\n %y = fadd double %x, %x\n"
    ...                       " ret double %y\n}")
    >>> module.function("twice", ctypes.c_double, ctypes.c_double)(1.5)
    3.0
    """

    def __init__(
        self,
        text: str,
        *,
        optimise: bool = True,
        options: passes.PostOptions = passes.POST_DEFAULT,
        symbol_addresses: dict[str, int] | None = None,
    ) -> None:
        self.module = passes.parse(text)
        if optimise:
            passes.run_after_ad(self.module, options)
        else:
            passes.set_host(self.module)
        symbols.check_shapes(self.module)
        added = symbol_addresses or {}
        missing = symbols.unresolved(self.module, added)
        if missing:
            raise UnresolvedSymbolError(missing)
        self._engine = llvm.create_mcjit_compiler(
            llvm.parse_assembly(""), host.new_target_machine()
        )
        for symbol in (*self.module.functions, *self.module.global_variables):
            if symbol.is_declaration and symbol.name in added:
                self._engine.add_global_mapping(symbol, added[symbol.name])
        code = object_of(self.module)
        check_defined(code, added)
        self._engine.set_object_cache(getbuffer_func=lambda _: code)
        self._engine.add_module(self.module)
        self._engine.finalize_object()
        self._engine.run_static_constructors()

    def stay(self) -> None:
        """Keep the code in memory until the process ends, also while the interpreter goes down."""
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._engine))

    def address(self, name: str) -> int:
        """Address of a function or a global that the module defines."""
        found = self._engine.get_function_address(name)
        if not found:
            found = self._engine.get_global_value_address(name)
        if not found:
            raise KeyError(name)
        return int(found)

    def function(self, name: str, restype: Any, *argtypes: Any) -> Any:
        """The function as a ctypes callable."""
        return ctypes.CFUNCTYPE(restype, *argtypes)(self.address(name))

    @property
    def text(self) -> str:
        return str(self.module)
