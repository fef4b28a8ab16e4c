"""A close look at calls whose arrays may share memory: is it allowed, and with which derivative?

Allowed is: arrays that overlap, if nobody writes to them, or if their shadows overlap in the same way;
one shadow for several primals, if nobody writes to them. A shadow may share memory with a primal in forward mode only,
where nobody writes to either.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np

from enzyme.api.compile import Program
from enzyme.errors import ActivityError, ShadowLayoutError
from enzymecore import check_congruent, named_shadows
from enzymecore.activity_state import holds_floats
from enzymecore.structure import arrays_in, kind_of, parts


def examine(program: Program, args: tuple[Any, ...]) -> None:
    """Raise an error unless the derivative without promises about overlap is right for `args`."""
    primals = [dict(_arrays_in(arg.val)) for arg in args]
    lanes: list[list[_Arrays]] = [[{} for _ in args] for _ in range(program.signature.width)]
    for position, arg in enumerate(args):
        for lane, (name, shadow) in zip(lanes, named_shadows(arg), strict=False):
            lane[position] = dict(_arrays_in(shadow))
            what = f"{name} of argument {position}"
            _examine_one(position, arg.val, shadow, primals[position], lane[position], what)
            _examine_shadows(program, position, lane[position], primals, what)
    for shadows in lanes:
        _examine_arguments(program, primals, shadows)
    _examine_lanes(program, lanes)


_Arrays = dict[str, Any]


def _arrays_in(x: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every array in a value with the way there, also those that are in it twice."""
    kind = kind_of(x)
    if kind.immutable_struct:
        for step, part in parts(x, kind):
            yield from _arrays_in(part, path + step)
    else:
        yield from ((path + step, array) for step, array in arrays_in(x))


def _examine_lanes(program: Program, lanes: list[list[_Arrays]]) -> None:
    """Shadows of different lanes may share memory only where nothing is written to them."""
    for (i, one), (j, other) in combinations(enumerate(lanes), 2):
        for k, mine in enumerate(one):
            for m, theirs in enumerate(other):
                reads = program.signature.forward and not (program.writes(k) or program.writes(m))
                if reads:
                    continue
                for a in mine.values():
                    for b in theirs.values():
                        if holds_floats(a.dtype) and share(a, b):
                            raise ShadowLayoutError(
                                what=f"shadow {i} of argument {k} shares memory with shadow {j} "
                                f"of argument {m}",
                                why="every shadow of a batch is written on its own",
                                todo="make a shadow for each with make_zero(x)",
                            )


def _examine_arguments(program: Program, primals: list[_Arrays], shadows: list[_Arrays]) -> None:
    """The arrays of all arguments, in one lane."""
    arrays = [(i, path, x) for i, found in enumerate(primals) for path, x in found.items()]
    for (i, path, first), (j, other_path, second) in combinations(arrays, 2):
        if not holds_floats(first.dtype) or not (program.writes(i) or program.writes(j)):
            continue
        mine, theirs = shadows[i].get(path), shadows[j].get(other_path)
        if _alike(first, second, mine, theirs):
            continue
        one, other = _place_name(i, path), _place_name(j, other_path)
        if share(first, second):
            raise ShadowLayoutError(
                what=f"{one} and {other} share memory that is written to, but their "
                "shadows do not share theirs in the same way",
                why="a write through one argument must reach the derivative of the other",
                todo=(
                    "pass views of one shadow, cut out like the primals",
                    "or a copy of one of the two: x.copy(); gradient and jacobian take no shadows",
                ),
            )
        if mine is not None and theirs is not None and share(mine, theirs):
            raise ShadowLayoutError(
                what=f"the shadows of {one} and {other} share memory, and the function writes to one of the two",
                why="one cell cannot hold two derivatives: where a value is overwritten, its derivative is taken out",
                todo="make a shadow for each with make_zero(x), and add them up afterwards",
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


def own_shadow(what: str) -> ActivityError:
    """The error for a value that is given as its own shadow."""
    return ActivityError(
        what=what,
        why="that means a constant where runtime activity is on, for whole arguments and parts of tuples",
        todo=(
            "use Const(x) if no derivative is wanted",
            "use Duplicated(x, make_zero(x)) to differentiate with respect to it",
        ),
    )


def _examine_shadows(
    program: Program, position: int, shadows: _Arrays, primals: list[_Arrays], what: str
) -> None:
    """No shadow may share memory with a primal, if one of both is written to."""
    for path, shadow in shadows.items():
        if not holds_floats(shadow.dtype):
            continue
        for other, arrays in enumerate(primals):
            if program.signature.forward and not (
                program.writes(position) or program.writes(other)
            ):
                continue
            for primal in arrays.values():
                if share(shadow, primal):
                    at = f" at {path}" if path else ""
                    whose = "its primal" if other == position else f"argument {other}"
                    raise ShadowLayoutError(
                        what=f"the {what}{at} shares memory with {whose}",
                        why="derivatives would be written over values that are still needed",
                        todo="make the shadow with make_zero(x)",
                        path=path,
                    )


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


def _alike(first: Any, second: Any, mine: Any, theirs: Any) -> bool:
    """Do the shadows of two overlapping arrays overlap in the same way?"""
    if mine is None or theirs is None:
        return mine is None and theirs is None
    return _start(second) - _start(first) == _start(theirs) - _start(mine)
