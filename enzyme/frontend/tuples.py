"""numba's types of tuples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numba.core import types

__all__ = ["tuple_type"]


def tuple_type(members: Sequence[Any], cls: Any = None) -> Any:
    """The type of tuples of these members; `cls` is the class of a named tuple. One with ``__enzyme_type__`` has a type
    of its own."""
    make = getattr(cls, "__enzyme_type__", None)
    if make is not None:
        return make([types.unliteral(member) for member in members], cls)
    return types.BaseTuple.from_types(members, cls)
