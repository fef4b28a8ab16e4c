"""What the items of an array are, as a program says it where it looks at memory as items of another type.

Behind such a view, integers may be halves of floats, or floats and integers in turn. Types of instructions do not
tell: who only moves items as integers never says what they are. So the front end states both sides of the view, by a
call of a function that is declared and never defined: ``enzyme.items.16.double0.float8`` says of its operand that it
points to items of 16 bytes, each with a double at its start and a float 8 bytes on. Of other bytes nothing is said.

Of the items of an array of records, or of a typed list, the front end says the same (``enzyme.layout.16.double0``),
where nobody looks at them in another way: types of instructions tell little of what is only moved. Where one record is
moved, it says what stands at that address (``enzyme.item.16.double0``), and nothing of what is behind it.

The calls have no effect. They stay in derivatives that are differentiated again, and `forget_items` takes them out when
none will be.
"""

from __future__ import annotations

import enum
import re
import weakref
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from enzyme.engine.ir.instructions import Call
from enzyme.engine.ir.module import Module
from enzyme.engine.ir.types import FLOAT_TYPES, FloatType


class Says(enum.Enum):
    """What a statement says of an address, and how the functions begin whose calls say so."""

    # Memory that is looked at in two ways has such items, one behind the other.
    VIEWED = "enzyme.items."
    # So has memory that is looked at in one way.
    LAYOUT = "enzyme.layout."
    # There is one such item.
    SINGLE = "enzyme.item."


_POINTER = "ptr"
_PART = re.compile(r"([a-z]\w*?)(\d+)")


@dataclass(frozen=True, slots=True)
class Items:
    """Items of `period` bytes with floats at some offsets, and pointers at others (in layouts only)."""

    period: int
    floats: tuple[tuple[int, FloatType], ...]
    pointers: tuple[int, ...] = ()

    @staticmethod
    def of(period: int, floats: Iterable[tuple[int, FloatType]]) -> Items:
        """The shortest items that repeat in this way."""
        listed = tuple(sorted(set(floats), key=lambda place: (place[0], place[1].bits)))
        for count in range(len(listed), 1, -1):
            part, rest = divmod(period, count)
            first = tuple((o, t) for o, t in listed if o < part)
            whole = tuple((o + k * part, t) for k in range(count) for o, t in first)
            if not rest and whole == listed:
                return Items(part, first)
        return Items(period, listed)

    def symbol(self, says: Says) -> str:
        """The function whose calls say so."""
        floats = "".join(f".{t}{offset}" for offset, t in self.floats)
        pointers = "".join(f".{_POINTER}{offset}" for offset in self.pointers)
        return f"{says.value}{self.period}{floats}{pointers}"


def stated(symbol: str) -> tuple[Says, Items] | None:
    """What calls of a function say, if it is for that."""
    for says in Says if symbol.startswith("enzyme.") else ():
        if symbol.startswith(says.value):
            return says, _parsed(symbol.removeprefix(says.value))
    return None


def _parsed(text: str) -> Items:
    period, *parts = text.split(".")
    found = [match for match in map(_PART.fullmatch, parts) if match]
    floats = tuple((int(m[2]), FLOAT_TYPES[m[1]]) for m in found if m[1] != _POINTER)
    return Items(int(period), floats, tuple(int(m[2]) for m in found if m[1] == _POINTER))


# Of each module, how many functions have been looked at, and the answer: it is asked for every call.
_looked_at: weakref.WeakKeyDictionary[Module, tuple[int, bool]] = weakref.WeakKeyDictionary()


def looks_twice(module: Module | None) -> bool:
    """Does a program look at memory as items of two types?"""
    if module is None:
        return False
    count = len(module.functions)
    seen, found = _looked_at.get(module, (0, False))
    if count != seen:
        new = islice(module.functions, seen if seen < count else 0, None)
        found = found or any(name.startswith(Says.VIEWED.value) for name in new)
        _looked_at[module] = count, found
    return found


def forget_items(module: Module) -> None:
    """Take the calls out."""
    stating = [f for f in module.functions.values() if stated(f.name) is not None]
    _looked_at.pop(module, None)
    for function in module.functions.values() if stating else ():
        for call in list(function.instructions()):
            if isinstance(call, Call) and call.callee in stating:
                call.erase()
