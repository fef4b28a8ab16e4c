"""Are typed lists, dictionaries and jitclass instances like their shadows, now?

An annotation compares shadow and primal when it is made; a list may have grown since, or a field
been set. So it is looked at again before every call that passes such an object. Native code
addresses the parts of a shadow by the places that the primal's parts have, so those must agree:
equal lengths of lists, the same keys at the same places in dictionaries, equal shapes
of arrays in any of them. And no object may be primal and shadow, or grow under two names.

A shadow list may grow where its primal does, and its new items must be zero: what stands behind its items, in room
that it has already, is cleared here.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numba import njit, typed
from numba.core import types

from enzyme.api.overlaps import alike, share
from enzyme.contract.apart import between_lanes, own_shadow, shadows_unlike
from enzyme.errors import ShadowLayoutError
from enzyme.frontend.leaves import is_differentiable
from enzyme.frontend.numba_compat.functions import dict_lookup
from enzyme.frontend.numba_compat.layouts import DICT, LIST, TABLE, word
from enzymecore import check_congruent, named_shadows
from enzymecore.activity_state import holds_floats
from enzymecore.numba_types import object_address
from enzymecore.structure import Kind, kind_of, parts


@dataclass(frozen=True, slots=True)
class _Use:
    """One object in an argument; `shadow` is the address of its shadow, in one lane of a batch."""

    position: int
    path: str
    is_array: bool
    primal: int
    shadow: int | None
    lane: int = 0

    def __str__(self) -> str:
        return f"argument {self.position}" + (f" at {self.path}" if self.path else "")


def check_containers(args: tuple[Any, ...], writes: Callable[[int], bool]) -> None:
    """Raise an error unless the shadows of all containers fit.

    What a function does to lists, dictionaries and instances is not seen from outside: they count as changed. Of the
    numbers in arrays `writes` says whether those of an argument may be.

    Raises
    ------
    ShadowLayoutError
        A list and its shadow have different lengths, a dictionary and its shadow have other keys
        or the same at other places, or the shadow of one object is used for another.
    ActivityError
        An object is its own shadow.
    """
    uses = [use for position, arg in enumerate(args) for use in _uses(position, arg)]
    by_primal: dict[int, _Use] = {}
    by_lane: dict[tuple[int, int], _Use] = {}
    for use in uses:
        by_primal.setdefault(use.primal, use)
        by_lane.setdefault((use.primal, use.lane), use)
    by_shadow: dict[int, _Use] = {}
    lane_of: dict[int, _Use] = {}
    for use in uses:
        if use.shadow in by_primal:
            _refuse_primal(use, by_primal[use.shadow])
        if use.shadow is not None:
            lane = lane_of.setdefault(use.shadow, use)
            if lane.lane != use.lane:
                raise between_lanes(f"shadow {lane.lane} of {lane} is shadow {use.lane} of {use}")
        if use.is_array:
            continue
        first = by_lane[use.primal, use.lane]
        if first.shadow != use.shadow:
            raise ShadowLayoutError(
                what=f"{first} and {use} are the same object, but have different shadows",
                why="a change through one must reach the derivative of the other",
                todo=(
                    "annotate it in the same way twice, with the same shadow",
                    "or pass a copy the second time; gradient and jacobian take no shadows",
                ),
            )
        if use.shadow is not None:
            other = by_shadow.setdefault(use.shadow, use)
            if other.primal != use.primal:
                raise ShadowLayoutError(
                    what=f"{other} and {use} have the same shadow, and are changed",
                    why="one shadow cannot change like both",
                    todo="make a shadow for each with make_zero(x)",
                )
    _check_ranges(args, writes)


def _check_ranges(args: tuple[Any, ...], writes: Callable[[int], bool]) -> None:
    """No array of a shadow may overlap one of a primal, of another lane, or that of another primal; and those of
    primals that overlap, and are written to, do so in the same way."""
    found = [
        _Piece(*_range(x), lane, position, path, name, x)
        for position, arg in enumerate(args)
        for lane, (name, value) in enumerate([("", arg.val), *named_shadows(arg)])
        for path, x in _arrays(value)
        if isinstance(x, np.ndarray) and x.size and holds_floats(x.dtype)
    ]
    by_place = {(one.lane, one.position, one.path): one.array for one in found}
    lanes = max((one.lane for one in found), default=0)
    reaching: list[_Piece] = []
    for one in sorted(found, key=lambda piece: piece[:3]):
        reaching = [other for other in reaching if other.end > one.start]
        for other in reaching:
            if not share(one.array, other.array):
                continue
            first, second = (by_place.get((0, x.position, x.path)) for x in (one, other))
            if one.lane != other.lane:
                raise ShadowLayoutError(
                    what=f"{one} shares memory with {other}",
                    why="derivatives would be written over values that are still needed",
                    todo="make the shadow with make_zero(x)",
                )
            if one.lane and not alike(first, second, one.array, other.array):
                raise ShadowLayoutError(
                    what=f"{one} shares memory with {other}, but their primals do not in the same way",
                    why="beside lists, dictionaries and instances all arrays count as changed",
                    todo="make a shadow for each with make_zero(x)",
                )
            if one.lane or not (writes(one.position) or writes(other.position)):
                continue
            for lane in range(1, lanes + 1):
                mine, theirs = (by_place.get((lane, x.position, x.path)) for x in (one, other))
                if not alike(one.array, other.array, mine, theirs):
                    raise shadows_unlike(
                        f"{other} and {one} share memory that is written to, but their shadows do not share theirs "
                        "in the same way"
                    )
        reaching.append(one)


class _Piece(NamedTuple):
    """An array in an argument, or in a shadow of it: lanes of shadows count from one."""

    start: int
    end: int
    lane: int
    position: int
    path: str
    name: str
    array: Any

    def __str__(self) -> str:
        whose = f"the {self.name} of argument" if self.name else "argument"
        return f"{whose} {self.position}" + (f" at {self.path}" if self.path else "")


def _arrays(value: Any) -> Iterator[tuple[str, Any]]:
    """The arrays in a value, and other objects that are looked at."""
    return iter([("", value)]) if isinstance(value, np.ndarray) else _objects(value)


def _range(x: Any) -> tuple[int, int]:
    """First address of an array and the one after the last."""
    start = int(x.__array_interface__["data"][0])
    spans = [(n - 1) * stride for n, stride in zip(x.shape, x.strides, strict=True)]
    low, high = sum(min(s, 0) for s in spans), sum(max(s, 0) for s in spans)
    return start + low, start + high + x.itemsize


def places_of(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """What native code relies on in the objects of annotations: where they are, and how long."""
    return tuple(
        (path, address_of(x), x.shape if isinstance(x, np.ndarray) else _length(x))
        for arg in args
        for value in (arg.val, *(shadow for _, shadow in named_shadows(arg)))
        for path, x in _objects(value)
    )


def addresses(x: Any) -> set[int]:
    """Where the lists, dictionaries and instances in a value are, and the arrays in them."""
    return {address_of(found) for _, found in _objects(x)}


def _length(x: Any) -> int:
    return len(x) if isinstance(x, typed.List | typed.Dict) else 0


def _refuse_primal(use: _Use, other: _Use) -> None:
    if use.primal == use.shadow:
        raise own_shadow(f"{use} is its own shadow")
    raise ShadowLayoutError(
        what=f"the shadow of {use} is {other}",
        why="derivatives would be written over values that are still needed",
        todo="make the shadow with make_zero(x)",
        path=use.path,
    )


def _uses(position: int, arg: Any) -> Iterator[_Use]:
    """The objects in one annotation, whose shadows are compared on the way."""
    primals = list(_objects(arg.val))
    lanes = list(named_shadows(arg))
    for lane, (name, value) in enumerate(lanes):
        if isinstance(arg.val, np.ndarray):  # annotations may be made without a check
            check_congruent(arg.val, value, f"{name} of argument {position}")
        shadows = list(_objects(value))
        if [path for path, _ in shadows] != [path for path, _ in primals]:
            check_congruent(arg.val, value, f"{name} of argument {position}")
        for (path, primal), (_, twin) in zip(primals, shadows, strict=True):
            _check_places(
                primal, twin, f"{name} of argument {position}" + (f" at {path}" if path else "")
            )
            is_array = isinstance(primal, np.ndarray)
            yield _Use(position, path, is_array, address_of(primal), address_of(twin), lane)
    if not lanes:
        for path, primal in primals:
            yield _Use(position, path, isinstance(primal, np.ndarray), address_of(primal), None)


_OBJECTS = (Kind.TYPED_LIST, Kind.TYPED_DICT, Kind.INSTANCE)
_WALKED = (*_OBJECTS, Kind.LIST, Kind.TUPLE, Kind.NAMEDTUPLE, Kind.ARRAY)


def _objects(x: Any) -> Iterator[tuple[str, Any]]:
    """The objects in a value that may hold derivatives, and arrays in them, with the way there; what is in an object
    to which several ways lead once."""
    pending = [("", x)]
    inside: set[int] = set()
    while pending:
        path, x = pending.pop()
        kind = kind_of(x)
        if kind not in _WALKED:
            continue
        if kind is Kind.ARRAY:
            if path and x.size and holds_floats(x.dtype):
                yield path, x
            continue
        if kind in _OBJECTS:
            if kind is not Kind.INSTANCE and not is_differentiable(x._numba_type_):
                continue
            yield path, x
            item = getattr(x, "_dtype", None) or getattr(x, "_numba_type_", None)
            place = address_of(x)
            if isinstance(getattr(item, "value_type", item), types.Number) or place in inside:
                continue
            inside.add(place)
        pending.extend(reversed([(path + step, part) for step, part in parts(x, kind)]))


def address_of(x: Any) -> int:
    """Where an array has its first element, or another object its content."""
    if isinstance(x, np.ndarray):
        return int(x.__array_interface__["data"][0])
    return object_address(x)


def _check_places(primal: Any, shadow: Any, name: str) -> None:
    if isinstance(primal, typed.Dict):
        if places_in_use(primal) != places_in_use(shadow) or not _same_places(primal, shadow):
            check_congruent(primal, shadow, name)
            raise ShadowLayoutError(
                what=f"{name} differs from its primal in the places of its keys",
                why="keys were added in another order, or removed from one of the two",
                todo="make both anew: x = x.copy(), and the shadow with make_zero(x)",
            )
    elif isinstance(primal, typed.List):
        if len(primal) != len(shadow):
            check_congruent(primal, shadow, name)
        _clear_room(shadow)
    elif isinstance(primal, np.ndarray):
        check_congruent(primal, shadow, name)


def _clear_room(shadow: Any) -> None:
    """Fill the room behind the items of a list with zeros."""
    at = word(address_of(shadow), 0)
    length, size, room, items = (word(at, LIST[n]) for n in ("length", "bytes", "room", "items"))
    if room > length:
        ctypes.memset(items + length * size, 0, (room - length) * size)


def places_in_use(dictionary: Any) -> int:
    """How many places a dictionary uses, those of removed keys included."""
    table = word(word(address_of(dictionary), 0), DICT["table"])
    return word(table, TABLE["used"])


@njit
def _same_places(primal, shadow):  # type: ignore[no-untyped-def]
    if len(primal) != len(shadow):
        return False
    for key in primal:
        number = hash(key)
        place, _ = dict_lookup(primal, key, number)
        other, _ = dict_lookup(shadow, key, number)
        if place != other:
            return False
    return True
