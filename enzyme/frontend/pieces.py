"""Machine code that all derivatives of a process share: the arena, hooks, kernels of linear algebra.

Each piece is made when it is first needed, or taken from disk, where derivatives are kept.
"""

from __future__ import annotations

import ctypes
import logging
import pickle
from collections.abc import Callable
from dataclasses import astuple
from typing import Any

from enzyme.backend import symbols
from enzyme.backend.objects import LoadedObject
from enzyme.disk import made_by
from enzyme.disk.store import Store
from enzymecore.record import record

_logger = logging.getLogger("enzyme")


@record
class Piece:
    """An object file, the functions in it with their types, and what it calls."""

    data: bytes
    defined: tuple[tuple[str, str], ...]
    called: tuple[str, ...]


class Loaded:
    """A piece in this process; its functions are known to the JIT."""

    def __init__(self, piece: Piece) -> None:
        self.piece = piece
        self._code = LoadedObject(piece.data)
        for name, shape in piece.defined:
            symbols.register(name, self.address(name), shape)

    def address(self, name: str) -> int:
        """Address of a function."""
        return self._code.get_pointer_to_function(name)

    def function(self, name: str, restype: Any, *argtypes: Any) -> Any:
        """The function as a ctypes callable."""
        return ctypes.CFUNCTYPE(restype, *argtypes)(self.address(name))


_loaded: dict[str, Loaded] = {}
_shelf: Store | None = None


def use(store: Store) -> None:
    """Look for pieces in a store from now on, and keep there what is made."""
    global _shelf
    _shelf = store


def in_use() -> bool:
    """Is anything kept on disk?"""
    return _shelf is not None


def is_loaded(name: str) -> bool:
    """Is the piece of this name in the process?"""
    return name in _loaded


def load(name: str, make: Callable[[], Piece]) -> Loaded:
    """The piece of this name, loaded once per process."""
    if name not in _loaded:
        key = f"{made_by.digest()}.{name}"
        piece = _taken(key)
        if piece is None:
            piece = make()
            missing = symbols.missing(piece.called)  # looks for them
            assert not missing, f"{name} calls {missing}"
            if _shelf is not None:
                _shelf.write(key, pickle.dumps(astuple(piece)))
        _loaded[name] = Loaded(piece)
    return _loaded[name]


def _taken(key: str) -> Piece | None:
    data = None if _shelf is None else _shelf.read(key)
    if data is None:
        return None
    try:
        piece = Piece(*pickle.loads(data))
    except Exception as error:
        _logger.warning("%s is not understood: %s", key, error)
        return None
    return None if symbols.missing(piece.called) else piece
