"""What a module exports to Cython: functions in C by name, with their types and addresses."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator
from dataclasses import dataclass

# What a parameter that is of no use to callers is called: Cython adds one to functions that Python can call, too.
_SKIPPED = "__pyx_skip_dispatch"


@dataclass(frozen=True)
class CFunction:
    """A symbol with the letters of its result and its parameters, if they are known."""

    symbol: str
    result: str = ""
    letters: str = ""


def taken_apart(signature: str) -> tuple[str, list[str]]:
    """The result and the parameters of a type in C.

    >>> taken_apart("double (long, double *, int __pyx_skip_dispatch)")
    ('double', ['long', 'double *'])
    """
    result, _, listed = signature.rstrip(")").partition(" (")
    return result, [p.strip() for p in listed.split(",") if not p.strip().endswith(_SKIPPED)]


def exported(module: str) -> Iterator[tuple[str, str, list[str], int]]:
    """The functions of a module that has been loaded: name, result, parameters, address."""
    python = ctypes.pythonapi
    python.PyCapsule_GetName.restype = ctypes.c_char_p
    python.PyCapsule_GetName.argtypes = (ctypes.py_object,)
    python.PyCapsule_GetPointer.restype = ctypes.c_void_p
    python.PyCapsule_GetPointer.argtypes = (ctypes.py_object, ctypes.c_char_p)
    for name, capsule in sys.modules[module].__pyx_capi__.items():
        signature = python.PyCapsule_GetName(capsule)
        yield (
            name,
            *taken_apart(signature.decode()),
            python.PyCapsule_GetPointer(capsule, signature),
        )
