"""The derivative with respect to a container has the members that the container was given with.

A function may put another array in the place of one, exchange them, append, and take out; the shadow follows it. What
`gradient` returns belongs to the value before the call, so it gets those members back: the derivative with respect to
an array is in the shadow that the array had. Entries that are taken out have no place any more.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from typing import Any

from numba.core import types

from enzyme.api.containers import address_of, places_in_use
from enzyme.errors import ShadowLayoutError
from enzymecore import numba_types
from enzymecore.structure import Kind, kind_of, namedtuple_make, parts

__all__ = ["Members"]

_LISTS = (Kind.LIST, Kind.TYPED_LIST)
_TUPLES = (Kind.TUPLE, Kind.NAMEDTUPLE)
_COMPILED = (Kind.TYPED_LIST, Kind.TYPED_DICT, Kind.INSTANCE)
_WALKED = (Kind.LIST, *_COMPILED, *_TUPLES)


class Members:
    """What a shadow consists of now: its entries, and what those consist of if they are no numbers."""

    def __init__(self, shadow: Any, path: str, known: dict[int, Members] | None = None) -> None:
        self.shadow, self.path = shadow, path
        self.kind = kind_of(shadow)
        self.members: dict[Any, Members] = {}
        self.keys: list[Any] = []
        self.places = 0
        self.is_restored = False
        if self.kind not in _WALKED or _is_empty(shadow, self.kind):
            return
        known = {} if known is None else known
        if self.kind in _COMPILED:  # an instance may be a part of itself
            known[address_of(shadow)] = self
        if self.kind is Kind.INSTANCE:
            self.keys = list(numba_types.instance_fields(shadow))
        elif self.kind is Kind.TYPED_DICT:
            self.keys = list(shadow)
            self.places = places_in_use(shadow)
        else:
            self.keys = list(range(len(shadow)))
        if _holds_numbers(shadow, self.kind):
            return
        for key, (step, part) in zip(self.keys, parts(shadow, self.kind), strict=True):
            kind = kind_of(part)
            if kind is Kind.ARRAY or kind in _WALKED:
                found = known.get(address_of(part)) if kind in _COMPILED else None
                self.members[key] = found or Members(part, path + step, known)

    def restored(self, now: Any) -> Any:
        """The shadow with the members that it had; `now` is what stands in its place.

        Raises
        ------
        ShadowLayoutError
            Entries were taken out.
        """
        if self.kind in _TUPLES:
            items = [self._member(key, item) for key, item in enumerate(now)]
            return namedtuple_make(self.shadow, items)
        if not self.is_restored:
            self.is_restored = True
            self._restore()
        return self.shadow

    def _member(self, key: Any, now: Any) -> Any:
        return self.members[key].restored(now) if key in self.members else now

    def _restore(self) -> None:
        if self.kind in _LISTS:
            if len(self.shadow) < len(self.keys):
                raise self._removed("list")
            while len(self.shadow) > len(self.keys):
                self.shadow.pop()
        elif self.kind is Kind.TYPED_DICT:
            self._restore_keys()
        if self.kind is Kind.INSTANCE and self.members:
            now = zip(self.keys, numba_types.field_values(self.shadow), strict=True)
            values = [self._member(name, value) for name, value in now]
            numba_types.set_field_values(self.shadow, values)
        else:
            for key, member in self.members.items():
                self.shadow[key] = member.restored(self.shadow[key])

    def _restore_keys(self) -> None:
        now = list(self.shadow)
        new = now[len(self.keys) :]
        same = now[: len(self.keys)] == self.keys
        # A key that was removed and came again is a new entry; a table that has grown has only the last ones.
        if not same or places_in_use(self.shadow) not in (len(now), self.places + len(new)):
            raise self._removed("dictionary")
        for key in new:
            del self.shadow[key]

    def _removed(self, what: str) -> ShadowLayoutError:
        return ShadowLayoutError(
            what=f"the function takes entries out of the {what} {self.path}",
            why="what is not there at the end has no place for a derivative",
            todo="let the function work on a copy: x = x.copy()",
        )


def _is_empty(x: Any, kind: Kind) -> bool:
    """Was this made without items, so that it does not know their type?"""
    return kind in (Kind.TYPED_LIST, Kind.TYPED_DICT) and not numba_types.has_items_type(x)


def _holds_numbers(x: Any, kind: Kind) -> bool:
    """Is this a list or dictionary of numbers? They stand in the cells of the container itself."""
    if kind is Kind.LIST:
        return not x or (kind_of(x[0]) is not Kind.ARRAY and kind_of(x[0]) not in _WALKED)
    if kind not in (Kind.TYPED_LIST, Kind.TYPED_DICT):
        return False
    item = getattr(x, "_dtype", None) or x._numba_type_
    return isinstance(getattr(item, "value_type", item), types.Number | types.Boolean)
