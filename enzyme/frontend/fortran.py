"""Routines of BLAS and LAPACK that compiled code calls by their address, as SciPy exports them to Cython.

A routine becomes a symbol with `FORTRAN` in front of its name. Programs get definitions of those that have a formula
(`engine.derivatives.blas`), which end in the engine's routines; derivatives call the library. That is found when
machine code is loaded.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

import functools
import importlib
import re
import sys
from collections.abc import Iterable
from typing import Any

import llvmlite.binding as llvm

from enzyme.backend import host, symbols
from enzyme.backend.emit import called_by, defined_by, object_of, optimised
from enzyme.engine.derivatives.blas.names import FORTRAN, read_name
from enzyme.engine.derivatives.decompositions import KERNELS, base_of
from enzyme.engine.derivatives.linear_calls import PREFIX, is_complex
from enzyme.engine.derivatives.routines import ROUTINES
from enzyme.frontend import pieces
from enzyme.frontend.capsules import CFunction, exported

MODULES = ("scipy.linalg.cython_blas", "scipy.linalg.cython_lapack")
_RESULTS = {"void": "v", "int": "i"}
_OF_KIND = re.compile(r"__pyx_t_\w+_(?:blas|lapack)_([sd])")
_INTERNAL = re.compile(rf"^define internal(?= [^@\n]*@{PREFIX})", re.MULTILINE)
_LETTERS = {"s": "f", "d": "d"}
# The engine's routines that are the library's own, and the kernels that are formulas.
DECOMPOSITIONS = frozenset(name for name in ROUTINES if base_of(name)) | KERNELS


def _described(name: str, result: str, parameters: list[str]) -> CFunction | None:
    """A routine by its exported name and its type in C; None if its result is a complex number."""
    found = _OF_KIND.fullmatch(result)
    letter = _LETTERS[found[1]] if found else _RESULTS.get(result)
    if letter is None or not all(p.endswith("*") for p in parameters):
        return None
    return CFunction(FORTRAN + name, letter, "p" * len(parameters))


@functools.cache
def _of(module: str) -> dict[int, CFunction]:
    return {
        address: described
        for name, result, parameters, address in exported(module)
        if (described := _described(name, result, parameters)) is not None
    }


def function_at(address: int) -> CFunction | None:
    """The routine behind an address; whoever holds it has loaded the module that it is from."""
    for module in MODULES:
        found = _of(module).get(address) if module in sys.modules else None
        if found is not None:
            return found
    return None


@functools.cache
def _addresses() -> dict[str, int]:
    return {f.symbol: address for module in MODULES for address, f in _of(module).items()}


def address_of(symbol: str) -> int | None:
    """Where a routine is in this process, which loads SciPy for it."""
    try:
        for module in MODULES:
            importlib.import_module(module)
    except ImportError:
        return None
    return _addresses().get(symbol)


symbols.provide(FORTRAN, address_of)


def define_in(program: llvm.ModuleRef) -> None:
    """Let the program's calls of routines that have a formula end in the engine's."""
    found = [f for f in program.functions if f.is_declaration and f.name.startswith(FORTRAN)]
    named = [(f, name) for f in found if (name := read_name(f.name)) is not None]
    if named:
        entries = _entries()
        given = [(f.name, name, entries.Signature(*_types(f))) for f, name in named]
        link(program, entries.module_text(given))


def _types(function: llvm.ValueRef) -> tuple[str, tuple[str, ...]]:
    """Those of the result and the parameters."""
    result, _, listed = str(function.global_value_type).partition(" (")
    return result, tuple(listed.rstrip(")").split(", "))


def _entries() -> Any:
    """What writes definitions, with all formulas: few programs need them."""
    from enzyme.engine.derivatives.blas import entries, formulas  # noqa: F401

    return entries


def define_kernels_in(derivative: llvm.ModuleRef, called: Iterable[str], kind: str) -> None:
    """Give a derivative that is differentiated itself the formulas of a kind among what it calls."""
    for name in KERNELS.intersection(called):
        link(derivative, _kernel(name, kind))


def _kernel(name: str, kind: str) -> str:
    return _open(_entries().kernel_text(name, kind, sorted(KERNELS).index(name)))


def _open(text: str) -> str:
    """A text of which other modules may call what has a name of the engine's."""
    return _INTERNAL.sub("define", text)


def link(program: llvm.ModuleRef, text: str) -> None:
    """Give a module what a text defines."""
    part = llvm.parse_assembly(text)
    part.triple, part.data_layout = program.triple, program.data_layout
    program.link_in(part)


def decompositions(kind: str) -> pieces.Piece:
    """The engine's routines for eigenvalues and singular values of a kind, by the library, and their kernels."""
    module = llvm.parse_assembly("")
    module.triple = host.triple()
    for kernel in sorted(KERNELS):
        link(module, _kernel(kernel, kind))
    for routine in sorted(DECOMPOSITIONS - KERNELS):
        base = base_of(routine)
        stem = base.replace("sy", "he") if is_complex(kind) else base
        family = read_name(f"{FORTRAN}{kind}{stem}")
        assert family is not None
        link(module, _open(_entries().routine_text(routine, kind, family)))
    module = optimised(str(module))
    return pieces.Piece(object_of(module), defined_by(module), called_by(module))
