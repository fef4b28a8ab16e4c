"""Compiled functions of this library that code calls by name: known in each process, and kept with their callers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from enzyme.backend import symbols
from enzyme.frontend.numba_compat import results

# Names and bytes, those that are called before those that call them.
Kept = tuple[tuple[str, bytes], ...]


@dataclass
class _Named:
    """A function that numba compiled here, or took from bytes, and those that it calls by name."""

    result: Any
    calls: tuple[str, ...]
    data: bytes = b""


_known: dict[str, _Named] = {}


def register(name: str, result: Any, data: bytes = b"") -> None:
    """Let code call a compiled function by this name."""
    if name in _known:
        return
    symbols.register(name, results.address(result))
    calls = tuple(called for called in results.declared(result) if called in _known)
    _known[name] = _Named(result, calls, data)


def is_known(name: str) -> bool:
    return name in _known


def kept(names: Iterable[str]) -> Kept:
    """What another process needs to call those of these names that are known, and what they call."""
    found: dict[str, bytes] = {}

    def take(name: str) -> None:
        if name in found or name not in _known:
            return
        named = _known[name]
        for called in named.calls:
            take(called)
        named.data = named.data or results.bytes_of(named.result)
        found[name] = named.data

    for name in sorted(names):
        take(name)
    return tuple(found.items())


def provide(functions: Kept) -> None:
    """Let code of another process call these."""
    for name, data in functions:
        if name not in _known:
            register(name, results.result_of(data), data)
