"""Jitted functions as plain Python: a witness that shares nothing with the compiler, and costs no compilation."""

from __future__ import annotations

from types import CellType, FunctionType
from typing import Any

import numpy as np
from numba.core.dispatcher import Dispatcher
from numba.np.ufunc.dufunc import DUFunc


def interpreted(function: Any) -> Any:
    """The Python function of a jitted one, for which the functions that it calls are Python's, too."""
    return _plain(function, {})


def _plain(value: Any, known: dict[int, Any]) -> Any:
    if id(value) in known:
        return known[id(value)]
    if isinstance(value, Dispatcher):
        return _function(value.py_func, known, id(value))
    if isinstance(value, DUFunc):
        return np.vectorize(_function(value._dispatcher.py_func, known, id(value._dispatcher)))
    if isinstance(value, FunctionType) and value.__module__.startswith("tests."):
        return _function(value, known, id(value))
    if type(value) is tuple:
        return tuple(_plain(v, known) for v in value)
    return value


def _function(function: FunctionType, known: dict[int, Any], key: int) -> FunctionType:
    """A copy whose globals and closure are plain; functions may be recursive."""
    scope: dict[str, Any] = {}
    cells = tuple(CellType() for _ in function.__closure__ or ())
    made = FunctionType(function.__code__, scope, function.__name__, function.__defaults__, cells)
    made.__kwdefaults__ = function.__kwdefaults__
    known[key] = made
    scope["__builtins__"] = function.__globals__["__builtins__"]
    for name in _names(function.__code__):
        if name in function.__globals__:
            scope[name] = _plain(function.__globals__[name], known)
    for cell, old in zip(cells, function.__closure__ or ()):
        cell.cell_contents = _plain(old.cell_contents, known)
    return made


def _names(code: Any) -> set[str]:
    """Names of globals that the code, or code inside it, may read."""
    found = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, type(code)):
            found |= _names(constant)
    return found
