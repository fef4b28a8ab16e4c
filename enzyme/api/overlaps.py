"""A close look at calls whose arrays may share memory: does it lie apart as `contract.apart` says?"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from enzyme.contract.apart import (
    Law,
    between_lanes,
    on_primal,
    own_shadow,
    shadows_together,
    shadows_unlike,
)
from enzymecore import check_congruent, named_shadows
from enzymecore.activity_state import holds_floats
from enzymecore.structure import arrays_in, kind_of, parts

if TYPE_CHECKING:
    from enzyme.api.compile import Program


def examine(program: Program, args: tuple[Any, ...]) -> None:
    """Raise an error unless the derivative without promises about overlap is right for `args`."""
    law = Law(program.signature.forward, program.writes)
    primals = [dict(_arrays_in(arg.val)) for arg in args]
    lanes: list[list[_Arrays]] = [[{} for _ in args] for _ in range(program.signature.width)]
    for position, arg in enumerate(args):
        for lane, (name, shadow) in zip(lanes, named_shadows(arg), strict=False):
            lane[position] = dict(_arrays_in(shadow))
            what = f"{name} of argument {position}"
            _examine_one(position, arg.val, shadow, primals[position], lane[position], what)
            _examine_shadows(law, position, lane[position], primals, what)
    for shadows in lanes:
        _examine_arguments(law, primals, shadows)
    _examine_lanes(law, lanes)


_Arrays = dict[str, Any]


def _arrays_in(x: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every array in a value with the way there, also those that are in it twice."""
    kind = kind_of(x)
    if kind.immutable_struct:
        for step, part in parts(x, kind):
            yield from _arrays_in(part, path + step)
    else:
        yield from ((path + step, array) for step, array in arrays_in(x))


def _examine_lanes(law: Law, lanes: list[list[_Arrays]]) -> None:
    """Shadows of different lanes may share memory only where nothing is written to them."""
    for (i, one), (j, other) in combinations(enumerate(lanes), 2):
        for k, mine in enumerate(one):
            for m, theirs in enumerate(other):
                if not law.lanes(k, m):
                    continue
                for a in mine.values():
                    for b in theirs.values():
                        if holds_floats(a.dtype) and share(a, b):
                            raise between_lanes(
                                f"shadow {i} of argument {k} shares memory with shadow {j} of argument {m}"
                            )


def _examine_arguments(law: Law, primals: list[_Arrays], shadows: list[_Arrays]) -> None:
    """The arrays of all arguments, in one lane."""
    arrays = [(i, path, x) for i, found in enumerate(primals) for path, x in found.items()]
    for (i, path, first), (j, other_path, second) in combinations(arrays, 2):
        floats = holds_floats(first.dtype) or holds_floats(second.dtype)
        if not floats or not law.alike(i, j):
            continue
        mine, theirs = shadows[i].get(path), shadows[j].get(other_path)
        if alike(first, second, mine, theirs):
            continue
        one, other = _place_name(i, path), _place_name(j, other_path)
        if share(first, second):
            raise shadows_unlike(
                f"{one} and {other} share memory that is written to, but their shadows do not share theirs in the "
                "same way"
            )
        if mine is not None and theirs is not None and share(mine, theirs):
            raise shadows_together(
                f"the shadows of {one} and {other} share memory, and the function writes to one of the two"
            )


def _place_name(position: int, path: str) -> str:
    return f"argument {position}" + (f" at {path}" if path else "")


def _examine_one(
    position: int, val: Any, dval: Any, primals: _Arrays, shadows: _Arrays, what: str
) -> None:
    """The shadow of one argument against its own primal."""
    for path, primal in primals.items():
        shadow = shadows.get(path)
        if shadow is None:
            continue
        same = shadow.size and _start(primal) == _start(shadow)
        if same and primal.shape == shadow.shape and holds_floats(primal.dtype):
            at = f" at {path}" if path else ""
            raise own_shadow(f"argument {position} is its own shadow{at}")
    check_congruent(val, dval, what)


def _examine_shadows(
    law: Law, position: int, shadows: _Arrays, primals: list[_Arrays], what: str
) -> None:
    """No shadow may share memory with a primal, if one of both is written to."""
    for path, shadow in shadows.items():
        if not holds_floats(shadow.dtype):
            continue
        for other, arrays in enumerate(primals):
            if not law.shadow_from_primal(position, other):
                continue
            for primal in arrays.values():
                if share(shadow, primal):
                    at = f" at {path}" if path else ""
                    whose = "its primal" if other == position else f"argument {other}"
                    raise on_primal(f"the {what}{at} shares memory with {whose}", path)


def _start(x: Any) -> int:
    return int(x.__array_interface__["data"][0])


def share(first: Any, second: Any) -> bool:
    """Do two arrays share an element? Where that is hard to find out: yes."""
    if not np.may_share_memory(first, second):
        return False
    shares: Any = np.shares_memory
    try:
        return bool(shares(first, second, max_work=10_000))
    except np.exceptions.TooHardError:
        return True


def alike(first: Any, second: Any, mine: Any, theirs: Any) -> bool:
    """Do the shadows of two overlapping arrays overlap in the same way?"""
    if mine is None or theirs is None:
        return mine is None and theirs is None
    return _start(second) - _start(first) == _start(theirs) - _start(mine)
