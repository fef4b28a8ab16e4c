"""Modules of LLVM IR as Python sees them: attributes are functions, which can be called."""

from __future__ import annotations

import ctypes
import functools
import os
from pathlib import Path
from typing import Any

from enzyme.backend.jit import JittedModule
from enzyme.backend.objects import UnresolvedSymbolError
from enzyme.engine.ir import module as ir
from enzyme.engine.ir.printer import print_module
from enzyme.engine.ir.types import DOUBLE, FLOAT, PTR, VOID, IntType, Type
from enzyme.errors import EnzymeError
from enzyme.frontdoor.lower import lower, read_module
from enzyme.frontdoor.reading import text_of

_FLOATS: dict[Type, Any] = {DOUBLE: ctypes.c_double, FLOAT: ctypes.c_float}
_INTEGERS = {
    1: ctypes.c_bool,
    8: ctypes.c_int8,
    16: ctypes.c_int16,
    32: ctypes.c_int32,
    64: ctypes.c_int64,
}
_ARRAYS = "buffers: an array of NumPy, a ctypes array, or None"


def load(source: str | bytes | os.PathLike[str]) -> Module:
    r"""The module in LLVM IR as text, in bitcode, or in a file with either.

    Parameters
    ----------
    source
        Text with more than one line, bytes, or the name of a file.

    Raises
    ------
    EnzymeError
        If it is no LLVM IR.
    OSError
        If there is no such file.

    Examples
    --------
    >>> module = load("define double @half(double %x) {\n  %y = fmul double %x, 0.5\n  ret double %y\n}")
    >>> module.functions
    ('half',)
    >>> module.half(3.0)
    1.5
    """
    if isinstance(source, bytes):
        return Module(text_of(source))
    if isinstance(source, str) and "\n" in source:
        return Module(source)
    return Module(text_of(Path(source).read_bytes()))


class Module:
    r"""One module. Calls of ``__enzyme_*`` in it are replaced by derivatives when one of its functions is called.

    Examples
    --------
    >>> module = load("define i32 @next(i32 %k) {\n  %n = add i32 %k, 1\n  ret i32 %n\n}")
    >>> module.next
    <function i32 next(i32)>
    >>> module.next(41)
    42
    """

    def __init__(self, text: str) -> None:
        self._ir = read_module(text)
        self.text = print_module(self._ir)
        self._derivatives: dict[object, Any] = {}
        self._made: dict[str, Function] = {}

    @property
    def functions(self) -> tuple[str, ...]:
        """Names of the functions that are defined in the module."""
        return tuple(name for name, f in self._ir.functions.items() if not f.is_declaration)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.functions]

    def __getattr__(self, name: str) -> Function:
        if name.startswith("_"):  # while an object is copied, nothing is there yet
            raise AttributeError(
                f"the module defines no function '{name}': ask for module['{name}']"
            )
        try:
            return self[name]
        except KeyError as error:
            raise AttributeError(error.args[0]) from None

    def __getitem__(self, name: str) -> Function:
        made = self._made.get(name)
        if made is None:
            function = self._ir.functions.get(name)
            if function is None or function.is_declaration:
                raise KeyError(f"the module defines no function '{name}'")
            made = self._made[name] = Function(self, function)
        return made

    @functools.cached_property
    def _compiled(self) -> JittedModule:
        return machine_code(self.text)


def machine_code(text: str) -> JittedModule:
    """A module, its calls of ``__enzyme_*`` lowered, as code in this process; `EnzymeError` if it lacks anything."""
    try:
        return JittedModule(lower(text))
    except UnresolvedSymbolError as error:
        raise EnzymeError(
            what=f"the program calls what is not defined in this process: {', '.join(error.names)}",
            why="a module says how functions of other libraries are called, not where they are",
            todo=(
                "load the library that has them before: ctypes.CDLL(name, mode=ctypes.RTLD_GLOBAL)",
                "or make a program or a shared library of it: python -m enzyme clang",
            ),
        ) from None


class Function:
    """One function of a module. Numbers are converted to the types of its parameters; a pointer takes a buffer.

    A pointer says nothing of what it leads to, so the type of an array's elements is not checked.
    """

    def __init__(self, module: Module, function: ir.Function) -> None:
        self.module = module
        self.name = function.name
        self.parameters: tuple[Type, ...] = function.function_type.params
        self.result: Type = function.function_type.ret
        self.is_variadic = function.function_type.vararg

    def __repr__(self) -> str:
        parameters = ", ".join(map(str, self.parameters))
        return f"<function {self.result} {self.name}({parameters})>"

    def __call__(self, *arguments: Any) -> Any:
        self.check_count(len(arguments))
        passed = [
            pass_as(t, a, f"argument {k} of {self.name}")
            for k, (t, a) in enumerate(zip(self.parameters, arguments, strict=True))
        ]
        return self._native(*passed)

    def check_count(self, given: int) -> None:
        """Raise `TypeError` if so many arguments do not fit."""
        if given != len(self.parameters) or self.is_variadic:
            more = "variadic: it cannot be called" if self.is_variadic else f"given {given}"
            raise TypeError(f"{self.name} takes {len(self.parameters)} argument(s), {more}")

    @functools.cached_property
    def _native(self) -> Any:
        kinds = [ctype_of(t, f"argument {k} of {self.name}") for k, t in enumerate(self.parameters)]
        result = (
            None if self.result is VOID else ctype_of(self.result, f"the result of {self.name}")
        )
        return self.module._compiled.function(self.name, result, *kinds)


def ctype_of(type_: Type, shown: str) -> Any:
    """The type of ctypes for a parameter or a result."""
    if type_ is PTR:
        return ctypes.c_void_p
    found = _FLOATS.get(type_)
    if found is None and isinstance(type_, IntType):
        found = _INTEGERS.get(type_.bits)
    if found is None:
        raise EnzymeError(
            what=f"{shown} has the type {type_}, which Python cannot pass",
            todo="let the function take numbers, and pointers to anything else",
        )
    return found


def pass_as(type_: Type, value: Any, shown: str) -> Any:
    """A value of Python's as the function takes it."""
    if type_ is not PTR:
        kind = ctype_of(type_, shown)
        if type_.is_float:
            return kind(float(value))
        number = int(value)
        if number != value:
            raise TypeError(f"{shown} is an integer, not {value!r}")
        if isinstance(type_, IntType) and number.bit_length() > type_.bits:
            raise OverflowError(f"{shown} has {type_.bits} bits, too few for {number}")
        return kind(number)
    if value is None or isinstance(value, ctypes.c_void_p):
        return value
    if isinstance(value, ctypes.Array | ctypes.Structure):
        return ctypes.c_void_p(ctypes.addressof(value))
    interface = getattr(value, "__array_interface__", None)
    if interface is None:
        raise TypeError(f"{shown} is a pointer and takes {_ARRAYS}; not {type(value).__name__}")
    if interface.get("strides") is not None:
        raise TypeError(f"{shown} must be an array without gaps, in C's order")
    return ctypes.c_void_p(interface["data"][0])
