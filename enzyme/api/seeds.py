"""Seeds and shadows of the reverse call: are they of the right types, and those of the forward call?"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba.core import types

from enzyme.api.containers import places_of
from enzyme.api.places import call_site, place
from enzyme.api.tapes import Tape
from enzyme.contract.tapes import other_shadow
from enzyme.errors import ShadowLayoutError
from enzymecore import named_shadows
from enzymecore.activity_state import holds_floats
from enzymecore.structure import arrays_in


def batch_of_seeds(convert: Callable[[Any], Any], width: int) -> Callable[[Any], Any]:
    """The converter of a tuple of `width` seeds."""
    if width == 1:
        return convert

    def all_of(seeds: Any) -> Any:
        if not isinstance(seeds, tuple) or len(seeds) != width:
            raise TypeError(f"the seeds of a batch are a tuple of {width}")
        return tuple(map(convert, seeds))

    return all_of


def only_seed(convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The converter of a tuple of one seed."""

    def only(seeds: Any) -> Any:
        if not isinstance(seeds, tuple) or len(seeds) != 1:
            raise TypeError("the seeds of a batch are a tuple")
        return convert(seeds[0])

    return only


def seed_converter(restype: types.Type) -> Callable[[Any], Any]:
    """A function that makes a seed of the type that native code takes, or raises TypeError."""
    if isinstance(restype, types.Float):
        return float
    if isinstance(restype, types.Complex):
        return complex

    def convert(seed: Any) -> Any:
        if isinstance(restype, types.BaseTuple) and isinstance(seed, tuple):
            members = zip(restype.types, seed, strict=True)
            made = [seed_converter(member)(value) for member, value in members]
            cls = getattr(restype, "instance_class", None)
            return cls(*made) if cls not in (None, tuple) else tuple(made)
        if numba.typeof(seed) != restype:
            raise TypeError(f"a seed is of type {restype}")
        return seed

    return convert


def same_content(given: Any, held: Any) -> bool:
    """Is the memory in the content of a Ref what it was?"""
    one, other = dict(arrays_in(given)), dict(arrays_in(held))
    if one.keys() != other.keys():
        return False
    return all(_place(one[path]) == _place(other[path]) for path in one)


def same_shadow(given: Any, held: Any) -> bool:
    """Is the shadow in another object the same memory?"""
    return bool(dict(arrays_in(given))) and same_content(given, held)


def _place(x: np.ndarray) -> tuple[Any, ...]:
    return x.__array_interface__["data"][0], x.shape, x.strides, x.dtype


def check_places(tape: Tape, held: tuple[Any, ...]) -> None:
    """Lists and dictionaries must be as the forward call left them, for they are addressed by place."""
    if places_of(held) != tape.places:
        raise ShadowLayoutError(
            what="a list or dictionary has changed its size or its memory since the forward call of this tape",
            why="the reverse call goes on with the places of the forward call",
            todo="change values between the two calls, but neither lengths nor keys",
            where=call_site(),
        )


def wrong_shadow(position: int) -> None:
    raise place(other_shadow(f"argument {position} has another shadow"), call_site())


def seed_is_known(seed: Any, args: tuple[Any, ...]) -> bool:
    """Are the arrays in a seed those of shadows? Without a tape there are no others that matter."""
    known = {_place(x) for arg in args for _, s in named_shadows(arg) for _, x in arrays_in(s)}
    return all(_place(x) in known or not holds_floats(x.dtype) for _, x in arrays_in(seed))


def wrong_seed() -> None:
    raise ShadowLayoutError(
        what="the arrays in the seed are not those of the shadow that the forward call returned",
        why="the derivative with respect to the arrays of a result is read from their shadows",
        todo="write into the arrays of the shadow, and pass them with the seeds of the floats",
        where=call_site(),
    )
