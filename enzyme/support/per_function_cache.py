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


# Attributes with tables of functions that were written around derivatives.
_AROUND: set[str] = set()
_MADE_OF = "__enzyme_made_of__"


def around_derivatives(attribute: str) -> str:
    """Say that tables kept in this attribute hold functions that call derivatives of their owner: with those they are
    out of date."""
    _AROUND.add(attribute)
    return attribute


def forget_around(owner: Any) -> None:
    """Drop the functions that were written around derivatives of `owner`, and `owner` if it is such a one.

    Examples
    --------
    >>> def f():
    ...     return 1
    >>> table_of(f, around_derivatives("_kept"))["x"] = 3
    >>> forget_around(f)
    >>> table_of(f, "_kept")
    {}
    """
    made_of = owner.__dict__.get(_MADE_OF)
    around = None if made_of is None or not made_of.belongs_to(owner) else made_of.value()
    for attribute in _AROUND:
        owner.__dict__.pop(attribute, None)
        if around is not None:
            around.__dict__.pop(attribute, None)


def is_around(made: Any, owner: Any) -> Any:
    """Say that `made` is a function around a derivative of `owner`: it goes with derivatives of its own, too."""
    made.__dict__[_MADE_OF] = PerFunctionCache(made, weakref.ref(owner))
    return made


def nothing() -> None:
    """What an attached table becomes when its function is pickled."""
