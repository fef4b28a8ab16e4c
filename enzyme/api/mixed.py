"""Mixed annotations: what is held by value has its shadow in a Ref, from where it is taken and put back.

Native code gets the content of the Ref: adds to the memory in it, and returns the adjoints of what is held by value.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from enzyme.errors import ShadowLayoutError
from enzymecore import (
    Annotation,
    BatchMixedDuplicated,
    check_congruent,
    named_shadows,
)
from enzymecore.structure import Kind, field_names, kind_of


def contents(position: int, arg: Annotation) -> Any:
    """What the Ref of an argument holds, or a tuple of that for a batch; compared with the primal."""
    found = []
    batch = isinstance(arg, BatchMixedDuplicated)
    for ref in arg.dval if batch else (arg.dval,):  # type: ignore[attr-defined]
        if isinstance(ref, np.ndarray) and not ref.flags.writeable:
            raise ShadowLayoutError(
                what=f"argument {position}: the Ref is a read-only array",
                why="derivatives are put into it",
                todo="make it writeable, or take a list of one element",
            )
    for name, shadow in named_shadows(arg):
        check_congruent(arg.val, shadow, f"{name} of argument {position}")
        found.append(shadow)
    return tuple(found) if batch else found[0]


def add_adjoints(arg: Annotation, adjoints: Any) -> None:
    """Add the adjoints of what is held by value; those of memory are there already."""
    batch = isinstance(arg, BatchMixedDuplicated)
    refs = arg.dval if batch else (arg.dval,)  # type: ignore[attr-defined]
    shadows = (shadow for _, shadow in named_shadows(arg))
    for ref, shadow, d in zip(refs, shadows, adjoints if batch else (adjoints,), strict=True):
        put(ref, _sum(shadow, d))


def put(ref: Any, value: Any) -> None:
    """Let a Ref hold `value`."""
    if isinstance(ref, list):
        ref[0] = value
    else:
        ref.reshape(-1)[0] = value


def _sum(shadow: Any, adjoint: Any) -> Any:
    if isinstance(shadow, tuple):
        members = list(map(_sum, shadow, adjoint))
        return shadow._make(members) if hasattr(shadow, "_make") else tuple(members)
    if isinstance(shadow, float | complex | np.inexact):
        return type(shadow)(shadow + adjoint)
    if kind_of(shadow) is Kind.STRUCT:  # a value of a type that an extension of numba made
        for name in field_names(shadow):
            old = getattr(shadow, name)
            new = _sum(old, getattr(adjoint, name))
            if new is not old:
                setattr(shadow, name, new)
    return shadow


def ref_to(value: Any) -> Any:
    """A new Ref that holds `value`: a 0-d array, of objects for anything but a number."""
    if isinstance(value, float | complex | np.inexact):
        return np.array(value)
    made = np.empty((), object)
    made.reshape(-1)[0] = value
    return made
