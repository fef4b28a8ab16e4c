"""Where something stands in a long list, for code that goes through the list in order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

# So far from the last place one after the other is looked at here; beyond, `list.index` is quicker.
_NEAR = 32


def place_near(last: int, items: Sequence[T], wanted: T) -> int:
    """The index of `wanted`, looked for around the index `last` first, by identity; ValueError if it is not there.

    >>> letters = list("abcdef")
    >>> place_near(3, letters, "c"), place_near(9, letters, "f")
    (2, 5)
    >>> place_near(0, letters, "q")
    Traceback (most recent call last):
        ...
    ValueError: 'q' is not in list
    """
    count = len(items)
    for step in range(_NEAR):
        if last + step < count and items[last + step] is wanted:
            return last + step
        if step <= last < count + step and items[last - step] is wanted:
            return last - step
    return items.index(wanted)
