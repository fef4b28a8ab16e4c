"""Derivatives that are out of date: whoever changes the rules of a function drops what was compiled with it.

Every function of a program remembers which derivatives it is part of, by the table that keeps them; it holds no
derivative alive. Functions that were written around those derivatives go with them; the user's own jitted functions
that call them keep what they were compiled with.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from enzyme.frontend.numba_compat.callables import forget_implementations
from enzyme.support.per_function_cache import PerFunctionCache, forget_around
from enzyme_rules.registry import listen, python_function

_ATTRIBUTE = "__enzyme_dependents__"
_state = threading.local()

Entry = tuple[weakref.ref[Any], str, Any]


@contextmanager
def collected() -> Iterator[dict[int, Any]]:
    """The functions of all programs that are compiled meanwhile, by identity."""
    before = getattr(_state, "found", None)
    _state.found = {}
    try:
        yield _state.found
        if before is not None:
            before.update(_state.found)
    finally:
        _state.found = before


def note(functions: Sequence[weakref.ref[Any]]) -> None:
    """These are part of the program that is being compiled."""
    found = getattr(_state, "found", None)
    if found is not None:
        for reference in functions:
            function = reference()
            if function is not None:
                function = python_function(function)
                found[id(function)] = function


def attach(functions: dict[int, Any], owner: Any, attribute: str, key: Any) -> None:
    """Forget `key` in the table that `owner` has as `attribute` when the rules of one of the functions change."""
    entry: Entry = (weakref.ref(owner), attribute, key)
    for function in functions.values():
        kept = function.__dict__.get(_ATTRIBUTE)
        if kept is None or not kept.belongs_to(function):
            kept = function.__dict__[_ATTRIBUTE] = PerFunctionCache(function, [])
        kept.value.append(entry)


def _drop(function: Any) -> None:
    kept = getattr(function, "__dict__", {}).get(_ATTRIBUTE)
    if kept is None or not kept.belongs_to(function):
        return
    entries, kept.value = kept.value, []
    for reference, attribute, key in entries:
        owner = reference()
        if owner is None:
            continue
        table = owner.__dict__.get(attribute)
        if table is not None:
            table.forget(key) if hasattr(table, "forget") else table.value.pop(key, None)
        forget_around(owner)
    if entries:
        forget_implementations("enzyme.functional.")


listen(_drop)
