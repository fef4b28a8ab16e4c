"""Are typed lists and dictionaries like their shadows, now? Looked at before every call that passes one.

An annotation compares shadow and primal when it is made; a list may have grown since. Native code
addresses the entries of a shadow by the places that the primal's entries have, so those must agree:
equal lengths of lists, and the same keys, at the same places, in dictionaries.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from numba import njit, typed
from numba.core import types
from numba.typed import dictobject

from enzyme.errors import ActivityError, ShadowLayoutError
from enzyme.frontend.abi import is_differentiable
from enzymecore import check_congruent


def holds_container(ty: types.Type) -> bool:
    """Is there a typed list or dictionary in a value of this type?"""
    if isinstance(ty, types.BaseTuple):
        return any(map(holds_container, ty.types))
    return isinstance(ty, types.ListType | types.DictType)


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
            if before[1] != theirs:
                raise ShadowLayoutError(
                    what=f"arguments {before[0]} and {position} are the same container, but have "
                    "different shadows",
                    why="a write through one argument must reach the derivative of the other",
                    todo="pass the same shadow twice",
                )
            _check_places(primal, shadow, name)


def _pairs(primal: Any, shadow: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """The containers in a value, each with its shadow and the text that leads there."""
    if isinstance(primal, tuple):
        for index, (part, twin) in enumerate(zip(primal, shadow, strict=True)):
            yield from _pairs(part, twin, f"{path}[{index}]")
    elif isinstance(primal, typed.List | typed.Dict) and is_differentiable(primal._numba_type_):
        yield path, primal, shadow


def _address(container: Any) -> int:
    return int(container._opaque.data)


def _check_places(primal: Any, shadow: Any, name: str) -> None:
    if isinstance(primal, typed.List):
        if len(primal) != len(shadow) or not isinstance(primal._dtype, types.Number):
            check_congruent(primal, shadow, name)
    elif not _same_places(primal, shadow):
        check_congruent(primal, shadow, name)
        raise ShadowLayoutError(
            what=f"{name} differs from its primal in the places of its keys",
            why="keys were added in another order, or removed from one of the two",
            todo="make both anew: x = x.copy(), and the shadow with make_zero(x)",
        )


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
