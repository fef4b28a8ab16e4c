"""What an entry says, as bytes: plain data, numba's types, and what the program itself has, by its place there.

Nothing of the user's is written: types of arguments and classes stand as references to those of the program that
asks. Classes and functions of libraries go by their names.
"""

from __future__ import annotations

import io
import pickle
import types as pytypes
from collections.abc import Sequence
from typing import Any

from numba.extending import is_jitted

from enzyme.disk.fingerprint import Unknown, find

# Where what is written may come from.
_ROOTS = frozenset("enzyme enzymecore numba numpy collections copyreg".split())
_BUILTINS = frozenset("bytearray complex frozenset object range set slice".split())


def _belongs(module: str, name: str) -> bool:
    """May an entry refer to this by its name?"""
    root = module.partition(".")[0]
    return root in _ROOTS or (root == "builtins" and name in _BUILTINS)


class _Writer(pickle.Pickler):
    def __init__(self, file: io.BytesIO, known: Sequence[Sequence[Any]]) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self._known = {id(x): k for k, forms in enumerate(known) for x in forms}

    def persistent_id(self, x: Any) -> int | None:
        found = self._known.get(id(x))
        if found is None and is_jitted(x):
            raise Unknown(f"{x} in what would be kept")
        if found is None and isinstance(x, (type, pytypes.FunctionType)):
            module, name = x.__module__, x.__qualname__
            if not _belongs(module, name) or find(module, name) is not x:
                raise Unknown(f"{module}.{name} in what would be kept")
        return found


class _Reader(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, known: Sequence[Any]) -> None:
        super().__init__(file)
        self._known = known

    def persistent_load(self, reference: int) -> Any:
        return self._known[reference]

    def find_class(self, module: str, name: str) -> Any:
        if _belongs(module, name):
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"{module}.{name} does not belong there")


def write(content: Any, known: Sequence[Sequence[Any]]) -> bytes:
    """Bytes for `content`; what of it is in `known`, in one form or another, is referred to by its position.

    Raises
    ------
    Unknown
        If it refers to something of the user's that is not known.
    """
    file = io.BytesIO()
    try:
        _Writer(file, known).dump(content)
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        raise Unknown(f"{error}") from error
    return file.getvalue()


def read(data: bytes, known: Sequence[Any]) -> Any:
    """The content of bytes that `write` made, in a program with the same things in `known`.

    Examples
    --------
    >>> class Mine: pass
    >>> read(write({"class": Mine}, [[Mine]]), [Mine])["class"] is Mine
    True
    """
    return _Reader(io.BytesIO(data), known).load()
