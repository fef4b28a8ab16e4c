"""What a plain Python function takes from outside: is it still what it was when the function was compiled?

Numba takes global and captured values for constants of the moment of compilation. Of a function that is decorated
with ``@njit`` the user knows that: value and derivative both go on with the first ones. A plain function follows
its globals, so its derivative must too.
"""

from __future__ import annotations

import dis
import types as pytypes
from collections.abc import Iterator
from typing import Any

import numpy as np

_MISSING = object()
# Stands for what is looked into each time: it is the same object as no other.
_LOOKED_INTO = object()
# A method of objects that are called in code in place of what a function was made into: that function, as it is now.
ROOT = "__enzyme_root__"
_VALUES = (int, float, complex, str, bytes, np.generic)


def _content(x: Any) -> Any:
    """Equal for values that compile to the same constants; other objects stand for themselves."""
    if isinstance(x, np.ndarray):
        return x.dtype, x.shape, x.tobytes()
    if isinstance(x, _VALUES):
        return type(x), repr(x)  # keeps zeros of both signs apart
    if isinstance(x, tuple | list):
        return type(x), tuple(map(_content, x))
    root = getattr(type(x), ROOT, None)
    return _Same(x) if root is None else (_Same(x), _Same(root(x)))


class _Same:
    """An object compared by identity, and kept alive, so that its identity stays its own."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.value is other.value

    __hash__ = None  # type: ignore[assignment]


def _known_as(x: Any) -> Any:
    """What tells by being the same object that the content is the same, too."""
    return _LOOKED_INTO if _may_change(x) else x


def _may_change(x: Any) -> bool:
    """May the content of an object change while it stays the same object?"""
    if isinstance(x, np.ndarray) or hasattr(type(x), ROOT):
        return True
    return isinstance(x, list) or (isinstance(x, tuple) and any(map(_may_change, x)))


class Root:
    """What an object stands for, of which only that is known: the same as `Captured`."""

    __slots__ = ("_root",)

    def __init__(self, x: Any) -> None:
        self._root = getattr(x, ROOT)()

    def changed(self, x: Any) -> bool:
        """Does it stand for another function now?"""
        return getattr(x, ROOT)() is not self._root


class Captured:
    """The globals, cells, defaults and attributes of modules that a function reads, and their values.

    Examples
    --------
    >>> def scaled(x):
    ...     return factor * x
    >>> scaled.__globals__["factor"] = 2.0
    >>> captured = Captured(scaled)
    >>> captured.changed(scaled)
    False
    >>> scaled.__globals__["factor"] = 3.0
    >>> captured.changed(scaled)
    True
    """

    __slots__ = ("_cells", "_code", "_defaults", "_names")

    def __init__(self, function: pytypes.FunctionType) -> None:
        self._code = function.__code__
        defaults = _defaults_of(function)
        self._defaults = _known_as(defaults), _content(defaults)
        self._names: list[tuple[dict[str, Any], str, Any, Any]] = []
        names, attributes = _names_in(function.__code__)
        seen: set[int] = set()
        for name in names:
            self._watch(function.__globals__, name, attributes, seen)
        self._cells = []
        for cell in function.__closure__ or ():
            value = _inside(cell)
            self._cells.append((cell, _known_as(value), _content(value)))
            self._enter(value, attributes, seen)

    def _watch(
        self, space: dict[str, Any], name: str, attributes: list[str], seen: set[int]
    ) -> None:
        value = space.get(name, _MISSING)
        self._names.append((space, name, _known_as(value), _content(value)))
        self._enter(value, attributes, seen)

    def _enter(self, value: Any, attributes: list[str], seen: set[int]) -> None:
        """The attributes of a module of the user's; those of numba's own libraries do not change."""
        if not isinstance(value, pytypes.ModuleType) or id(value) in seen:
            return
        seen.add(id(value))
        if value.__name__.partition(".")[0] in _LIBRARIES:
            return
        space = vars(value)
        for name in attributes:
            if name in space:
                self._watch(space, name, attributes, seen)

    def changed(self, function: pytypes.FunctionType) -> bool:
        """Has any of the values changed?"""
        for space, name, known, content in self._names:
            if _differs(space.get(name, _MISSING), known, content):
                return True
        for cell, known, content in self._cells:
            if _differs(_inside(cell), known, content):
                return True
        return function.__code__ is not self._code or _differs(
            _defaults_of(function), *self._defaults
        )


def _differs(now: Any, known: Any, content: Any) -> bool:
    """Is a value another one than that which was `known`, and had this `content`?"""
    return now is not known and _content(now) != content


def _defaults_of(function: pytypes.FunctionType) -> Any:
    """The values of arguments that are left out: one tuple, those of keywords behind it if there are any."""
    named = function.__kwdefaults__
    return (function.__defaults__, *named.items()) if named else function.__defaults__


_LIBRARIES = frozenset(["builtins", "cmath", "enzyme", "math", "numba", "numpy", "random", "scipy"])


def _inside(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return _MISSING


def _names_in(code: pytypes.CodeType) -> tuple[list[str], list[str]]:
    """The globals and the attributes that a function and the functions in it read."""
    names: dict[str, None] = {}
    attributes: dict[str, None] = {}
    for part in _codes(code):
        for instruction in dis.get_instructions(part):
            if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
                names[instruction.argval] = None
            elif instruction.opname in ("LOAD_ATTR", "LOAD_METHOD"):
                attributes[instruction.argval] = None
    return list(names), list(attributes)


def _codes(code: pytypes.CodeType) -> Iterator[pytypes.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, pytypes.CodeType):
            yield from _codes(constant)
