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

import re
import weakref
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from enzyme.engine.ir.instructions import Call
from enzyme.engine.ir.module import Module
from enzyme.engine.ir.types import FLOAT_TYPES, FloatType

_PREFIX = "enzyme.items."
_LAYOUT = "enzyme.layout."
_SINGLE = "enzyme.item."
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

    @property
    def symbol(self) -> str:
        """The function whose calls say so where memory is looked at in two ways."""
        return _PREFIX + self._text

    @property
    def layout_symbol(self) -> str:
        """The function whose calls say so where it is not."""
        return _LAYOUT + self._text

    @property
    def single_symbol(self) -> str:
        """The function whose calls say that there is one such item."""
        return _SINGLE + self._text

    @property
    def _text(self) -> str:
        floats = "".join(f".{t}{offset}" for offset, t in self.floats)
        return str(self.period) + floats + "".join(f".{_POINTER}{k}" for k in self.pointers)


def items_of(symbol: str) -> Items | None:
    """What calls of a function say, if it is for views."""
    return _parsed(symbol.removeprefix(_PREFIX)) if symbol.startswith(_PREFIX) else None


def layout_of(symbol: str) -> Items | None:
    """What calls of a function say, if it is for arrays of records."""
    return _parsed(symbol.removeprefix(_LAYOUT)) if symbol.startswith(_LAYOUT) else None


def single_of(symbol: str) -> Items | None:
    """What calls of a function say, if it is for single records."""
    return _parsed(symbol.removeprefix(_SINGLE)) if symbol.startswith(_SINGLE) else None


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
        found = found or any(name.startswith(_PREFIX) for name in new)
        _looked_at[module] = count, found
    return found


def forget_items(module: Module) -> None:
    """Take the calls out."""
    stating = [
        f for f in module.functions.values() if f.name.startswith((_PREFIX, _LAYOUT, _SINGLE))
    ]
    _looked_at.pop(module, None)
    for function in module.functions.values() if stating else ():
        for call in list(function.instructions()):
            if isinstance(call, Call) and call.callee in stating:
                call.erase()
