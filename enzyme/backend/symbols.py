"""Makes C library functions known to the JIT by name.

MCJIT looks names up in the process first; the mathematics library is not always among what the
process exports. Higher layers register what only they know (numba's runtime) with `register`.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import re
from collections.abc import Callable, Iterable, Sequence

import llvmlite.binding as llvm

from enzyme.backend.call_sites import CallMismatchError

# What the code generator calls on its own: for ``frem``, and for a sine beside a cosine.
_GENERATED = tuple(f"{name}{type_}" for name in ("fmod", "sincos") for type_ in ("", "f", "l"))
VECTOR_LIBRARY = "libmvec.so.1"  # of glibc
# Arithmetic of complex numbers, of integers of 128 bits and of floats that the processor does not have.
_COMPILER_RUNTIME = "libgcc_s.so.1"
_LANES = re.compile(r"^(nx)?v\d+")
_OF_TYPE = {"f32": "f", "f64": "", "f80": "l"}


@functools.cache
def _libraries() -> tuple[ctypes.CDLL, ...]:
    from ctypes.util import find_library

    found = [ctypes.CDLL(None)]
    for path in (find_library("m"), find_library("c"), _COMPILER_RUNTIME):
        if path:
            with contextlib.suppress(OSError):
                found.append(ctypes.CDLL(path))
    return tuple(found)


def address_of(name: str) -> int | None:
    """Address of a C library function in this process; None if there is none."""
    known = llvm.address_of_symbol(name)
    if known:
        return known
    for library in _libraries():
        try:
            function = getattr(library, name)
        except AttributeError:
            continue
        return ctypes.cast(function, ctypes.c_void_p).value
    return None


def addresses_of(name: str) -> list[int]:
    """All addresses that a function of the C library has here: a loader may give another one than LLVM."""
    found = [llvm.address_of_symbol(name)]
    for library in _libraries():
        with contextlib.suppress(AttributeError):
            found.append(ctypes.cast(getattr(library, name), ctypes.c_void_p).value)
    return [address for address in found if address]


_shapes: dict[str, str] = {}
_providers: dict[str, Callable[[str], int | None]] = {}


def provide(prefix: str, find: Callable[[str], int | None]) -> None:
    """Let every JIT of the process resolve names that begin like this: `find` gives the address of one, or None."""
    _providers[prefix] = find


def register(name: str, address: int, shape: str = "") -> None:
    """Let every JIT of the process resolve `name`; with the type of the function, calls are compared with it."""
    llvm.add_symbol(name, address)
    if shape:
        _shapes[name] = shape


def register_from(module: llvm.ModuleRef, name: str, address: int) -> None:
    """Let every JIT of the process resolve a function that a loaded module defines."""
    register(name, address, str(module.get_function(name).global_value_type))


def check_shapes(module: llvm.ModuleRef) -> None:
    """Raise `CallMismatchError` unless the module declares registered functions as they are."""
    for function in module.functions:
        shape = _shapes.get(function.name, "") if function.is_declaration else ""
        if shape and shape != str(function.global_value_type):
            raise CallMismatchError(
                f"@{function.name} is {shape}, and declared as {function.global_value_type}"
            )


def unresolved(module: llvm.ModuleRef, provided: Iterable[str] = ()) -> tuple[str, ...]:
    """Declarations of `module` for which the JIT would find nothing; loading would abort.

    What the C library has is registered where the JIT would not see it.
    """
    known = set(provided)
    names = []
    register_generated()
    for symbol in (*module.functions, *module.global_variables):
        name = symbol.name
        if not symbol.is_declaration or name in known:
            continue
        if name.startswith("llvm."):
            _find(function_of(name))
        elif not _find(name):
            names.append(name)
    return tuple(names)


def register_generated() -> None:
    """Let the JIT resolve what the code generator calls on its own."""
    for name in _GENERATED:
        _find(name)


def missing(names: Sequence[str]) -> list[str]:
    """Those of these that the JIT does not find. What the C library has is registered, its functions of vectors too."""
    if any(name.startswith("_ZGV") for name in names):
        with contextlib.suppress(RuntimeError):
            llvm.load_library_permanently(VECTOR_LIBRARY)
    return [name for name in names if not _find(name)]


def function_of(name: str) -> str:
    """The function of the C library that an intrinsic may become: ``sinf`` of ``llvm.sin.f32``; any other is itself."""
    if not name.startswith("llvm."):
        return name
    _, name, *types = name.split(".")
    return name + _OF_TYPE.get(_LANES.sub("", types[0]) if types else "", "")


def find(name: str) -> int | None:
    """The address of a function of the C library or of one that somebody provides; None if there is none."""
    found = next((f for prefix, f in _providers.items() if name.startswith(prefix)), address_of)
    return found(name)


def _find(name: str) -> bool:
    """Let the JIT resolve a function of the C library; is there one?"""
    if llvm.address_of_symbol(name):
        return True
    address = find(name)
    if address is None:
        return False
    register(name, address)
    return True
