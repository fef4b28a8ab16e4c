"""Are typed lists, dictionaries and jitclass instances like their shadows, now?

An annotation compares shadow and primal when it is made; a list may have grown since, or a field
been set. So it is looked at again before every call that passes such an object. Native code
addresses the parts of a shadow by the places that the primal's parts have, so those must agree:
equal lengths of lists, the same keys at the same places in dictionaries, equal shapes of arrays in
any of them.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numba import njit, typed
from numba.core import types
from numba.extending import intrinsic
from numba.typed import dictobject

from enzyme.errors import ActivityError, ShadowLayoutError
from enzyme.frontend.abi import is_differentiable
from enzymecore import check_congruent
from enzymecore.activity_state import holds_floats
from enzymecore.structure import Kind, kind_of, parts


def holds_container(ty: types.Type) -> bool:
    """Is there an object in a value of this type whose parts may have changed since it was annotated?"""
    if isinstance(ty, types.BaseTuple):
        return any(map(holds_container, ty.types))
    return isinstance(ty, types.ListType | types.DictType | types.ClassInstanceType)


def check_containers(args: tuple[Any, ...]) -> None:
    """Raise an error unless the shadows of all containers fit.

    Raises
    ------
    ShadowLayoutError
        A list and its shadow have different lengths, a dictionary and its shadow have other keys
        or the same at other places, or one container is passed twice with two shadows.
    ActivityError
        A container is its own shadow.
    """
    known: dict[int, tuple[int, int]] = {}
    for position, arg in enumerate(args):
        if not hasattr(arg, "dval"):
            continue
        for path, primal, shadow in _pairs(arg.val, arg.dval):
            name = f"shadow of argument {position}{path and f' at {path}'}"
            mine, theirs = _address(primal), _address(shadow)
            if mine == theirs:
                raise ActivityError(
                    what=f"argument {position}{path and f' at {path}'} is its own shadow",
                    why="that means a constant where runtime activity is on, and it is off",
                    todo=(
                        "use Const(x) if no derivative is wanted",
                        "use Duplicated(x, make_zero(x)) to differentiate with respect to it",
                    ),
                )
            before = known.setdefault(mine, (position, theirs))
            if before[1] != theirs and not isinstance(primal, np.ndarray):
                raise ShadowLayoutError(
                    what=f"arguments {before[0]} and {position} are the same container, but have "
                    "different shadows",
                    why="a write through one argument must reach the derivative of the other",
                    todo="pass the same shadow twice",
                )
            _check_places(primal, shadow, name)


def _pairs(primal: Any, shadow: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """The objects in a value, and arrays in them, each with its shadow and the text that leads there."""
    kind = kind_of(primal)
    if kind not in _WALKED or type(primal) is not type(shadow):
        return
    if kind in _OBJECTS:
        if kind is not Kind.JITCLASS and not is_differentiable(primal._numba_type_):
            return
        yield path, primal, shadow
        item = getattr(primal, "_dtype", None) or getattr(primal, "_numba_type_", None)
        if isinstance(getattr(item, "value_type", item), types.Number):
            return
    elif kind is Kind.ARRAY:
        if path and primal.size and holds_floats(primal.dtype):
            yield path, primal, shadow
        return
    for (step, part), (_, twin) in zip(parts(primal, kind), parts(shadow, kind), strict=False):
        yield from _pairs(part, twin, path + step)


_OBJECTS = (Kind.TYPED_LIST, Kind.TYPED_DICT, Kind.JITCLASS)
_WALKED = (*_OBJECTS, Kind.TUPLE, Kind.NAMEDTUPLE, Kind.ARRAY)


def _address(x: Any) -> int:
    if isinstance(x, np.ndarray):
        return int(x.__array_interface__["data"][0])
    if isinstance(x, typed.List | typed.Dict):
        return int(x._opaque.data)
    return int(_address_of(x))


def _check_places(primal: Any, shadow: Any, name: str) -> None:
    if isinstance(primal, typed.Dict) and not _same_places(primal, shadow):
        check_congruent(primal, shadow, name)
        raise ShadowLayoutError(
            what=f"{name} differs from its primal in the places of its keys",
            why="keys were added in another order, or removed from one of the two",
            todo="make both anew: x = x.copy(), and the shadow with make_zero(x)",
        )
    if isinstance(primal, typed.List) and len(primal) != len(shadow):
        check_congruent(primal, shadow, name)
    if isinstance(primal, np.ndarray):
        check_congruent(primal, shadow, name)


@intrinsic
def _data_pointer(typing_context, instance):  # type: ignore[no-untyped-def]
    def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
        pointer = context.make_helper(builder, signature.args[0], args[0]).data
        return builder.ptrtoint(pointer, context.get_value_type(types.intp))

    return types.intp(instance), generate


@njit
def _address_of(instance):  # type: ignore[no-untyped-def]
    """Where a jitclass instance has its fields."""
    return _data_pointer(instance)


@njit
def _same_places(primal, shadow):  # type: ignore[no-untyped-def]
    if len(primal) != len(shadow):
        return False
    for key in primal:
        number = hash(key)
        place, _ = dictobject._dict_lookup(primal, key, number)
        other, _ = dictobject._dict_lookup(shadow, key, number)
        if place != other:
            return False
    return True
