"""Frozen data classes that are made quickly.

`dataclasses` writes the source of six methods for a frozen class and compiles each, a millisecond in all; a process
that takes a derivative from disk needs dozens of these classes and is done after some milliseconds itself. Here it
writes `__init__` alone; the other methods are the same functions for all records.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import FrozenInstanceError, dataclass, field
from reprlib import recursive_repr
from typing import Any, TypeVar, dataclass_transform, overload

T = TypeVar("T")

__all__ = ["record"]


@overload
def record(cls: type[T], /) -> type[T]: ...
@overload
def record(*, kw_only: bool = ...) -> Callable[[type[T]], type[T]]: ...
@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(cls: Any = None, /, *, kw_only: bool = False) -> Any:
    """What ``dataclass(frozen=True)`` makes of a class, with fields and all; `__repr__` may be the class's own.

    Examples
    --------
    >>> @record
    ... class Point:
    ...     x: float
    ...     y: float = 0.0
    >>> Point(1.0), Point(1.0) == Point(1.0, 0.0), Point(1.0) == (1.0, 0.0)
    (Point(x=1.0, y=0.0), True, False)
    >>> Point(1.0).x = 2.0
    Traceback (most recent call last):
        ...
    dataclasses.FrozenInstanceError: cannot assign to field 'x'
    """
    if cls is None:
        return lambda cls: _made(cls, kw_only)
    return _made(cls, kw_only)


def _made(cls: Any, kw_only: bool) -> Any:
    made = dataclass(cls, repr=False, eq=False, kw_only=kw_only)
    fields = made.__dataclass_fields__.values()
    made.__record_compared__ = tuple(f.name for f in fields if f.compare)
    made.__record_shown__ = tuple(f.name for f in fields if f.repr)
    for name, method in _METHODS.items():
        if getattr(made, name) is getattr(object, name):  # the class and its bases leave it to us
            setattr(made, name, method)
    return made


def _compared(x: Any) -> tuple[Any, ...]:
    values = x.__dict__
    return tuple([values[name] for name in x.__record_compared__])


@recursive_repr()
def _repr(self: Any) -> str:
    shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__record_shown__)
    return f"{type(self).__qualname__}({shown})"


def _eq(self: Any, other: object) -> Any:
    if type(self) is not type(other):
        return NotImplemented
    return self is other or _compared(self) == _compared(other)


def _hash(self: Any) -> int:
    return hash(_compared(self))


def _setattr(self: Any, name: str, value: Any) -> None:
    """Set each field once, as `__init__` does."""
    values = self.__dict__
    if name in values or name not in self.__dataclass_fields__:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")
    values[name] = value


def _delattr(self: Any, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


_METHODS = {
    "__repr__": _repr,
    "__eq__": _eq,
    "__hash__": _hash,
    "__setattr__": _setattr,
    "__delattr__": _delattr,
}
