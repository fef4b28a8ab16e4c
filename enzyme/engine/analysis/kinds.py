"""What the caller of the engine states of parameters: their activities, and which are an array together."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Activity(enum.Enum):
    """What a parameter or return value carries, as in `enzymecore`'s annotations.

    A whole value of a language may be `MIXED`: `ACTIVE` where it holds floats, `DUPLICATED` where it holds memory.
    For the engine, whose parameters are single values, there is no such thing.
    """

    CONST = "const"
    ACTIVE = "active"
    DUPLICATED = "duplicated"
    DUPLICATED_NO_NEED = "duplicated_no_need"
    MIXED = "mixed"

    @property
    def has_shadow(self) -> bool:
        return self in (Activity.DUPLICATED, Activity.DUPLICATED_NO_NEED, Activity.MIXED)

    @property
    def has_adjoint(self) -> bool:
        """Does reverse mode return something of it?"""
        return self in (Activity.ACTIVE, Activity.MIXED)


class DiffMode(enum.Enum):
    FORWARD = "forward"
    REVERSE = "reverse"
    SPLIT = "split reverse"


@dataclass(frozen=True, slots=True)
class ArrayParameter:
    """An array without gaps that comes as parameters: the numbers of the one with its address and of those with its
    shape, the axis along which elements are neighbours last, and the bytes of an element; and those of the parameters
    that say again how many elements there are, and of how many bytes, if they come."""

    data: int
    shape: tuple[int, ...]
    item_size: int
    items: int | None = None
    item_bytes: int | None = None
