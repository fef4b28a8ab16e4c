"""What is compiled of a function hangs at the function, and dies with it."""

from __future__ import annotations

import weakref
from typing import Any


class PerFunctionCache:
    """A value kept in the attributes of one object, and of no other.

    Decorators copy the attributes of a function to another one; `belongs_to` tells. A pickled or deeply
    copied function starts without.

    Examples
    --------
    >>> def f():
    ...     return 1
    >>> kept = PerFunctionCache(f, [3])
    >>> kept.belongs_to(f), kept.belongs_to(print), kept.value
    (True, False, [3])
    """

    __slots__ = ("_owner", "value")

    def __init__(self, owner: Any = None, value: Any = None) -> None:
        self._owner = None if owner is None else weakref.ref(owner)
        self.value = value

    def belongs_to(self, x: Any) -> bool:
        return self._owner is not None and self._owner() is x

    def __reduce__(self) -> Any:
        return PerFunctionCache, ()


def table_of(owner: Any, attribute: str) -> dict[Any, Any]:
    """The dictionary that is kept in an attribute of an object, and of no other that has got its attributes.

    Examples
    --------
    >>> def f():
    ...     return 1
    >>> table_of(f, "_kept")["x"] = 3
    >>> table_of(f, "_kept")
    {'x': 3}
    """
    kept = owner.__dict__.get(attribute)
    if kept is None or not kept.belongs_to(owner):
        kept = owner.__dict__[attribute] = PerFunctionCache(owner, {})
    found: dict[Any, Any] = kept.value
    return found


def nothing() -> None:
    """What an attached table becomes when its function is pickled."""
