"""What a transform does to which axes, out of the arguments of a call: all that its derivative needs.

A plan is an array of integers: the norm, what else a kind of transform has, and for each axis the axis, how many
numbers it had, and how many were transformed.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-untyped-def, no-untyped-call, untyped-decorator"

from __future__ import annotations

from typing import Any

import numpy as np
from numba import typeof
from numba.core import types
from numba.extending import overload

from enzyme.ruled.apart import inlined

NORM, TYPE, ORTHOGONAL, FIRST = 0, 1, 2, 3
_EACH = 3  # axis, length before, length


@inlined
def norm_named(code):
    """The norm in words."""
    if code == 0:
        return "backward"
    if code == 1:
        return "ortho"
    return "forward"


@inlined
def other_norm(code):
    """The norm with which the transform back is the adjoint."""
    return 2 - code


def _plain(ty: Any) -> Any:
    """The type of an argument that may have been left out."""
    return typeof(ty.value) if isinstance(ty, types.Omitted) else types.unliteral(ty)


def norm_code(norm: Any) -> Any:
    """In compiled code: the number of a norm."""
    raise NotImplementedError


@overload(norm_code)
def _norm_code(norm):
    if isinstance(_plain(norm), types.NoneType):
        return lambda norm: 0

    def code(norm):
        if norm == "ortho":
            return 1
        return 2 if norm == "forward" else 0

    return code


def flag(value: Any, otherwise: Any) -> Any:
    """In compiled code: a flag as a number; `otherwise` in place of None."""
    raise NotImplementedError


@overload(flag)
def _flag(value, otherwise):
    if isinstance(_plain(value), types.NoneType):
        return lambda value, otherwise: 1 if otherwise else 0
    return lambda value, otherwise: 1 if value else 0


def listed(value: Any) -> Any:
    """In compiled code: axes or lengths as an array; none for None."""
    raise NotImplementedError


@overload(listed)
def _listed(value):
    if isinstance(_plain(value), types.NoneType):
        return lambda value: np.empty(0, np.int64)
    if isinstance(_plain(value), types.Integer | types.Boolean):

        def one(value):
            found = np.empty(1, np.int64)
            found[0] = value
            return found

        return one

    def several(value):
        found = np.empty(len(value), np.int64)
        for k in range(len(value)):
            found[k] = value[k]
        return found

    return several


@inlined
def plan_of(before, after, lengths, axes, all_axes, norm, half):
    """The plan for shapes before and after; of `half` a spectrum the lengths are on the other side.

    `half` is 1 where the result is half a spectrum, -1 where the argument is, else 0.
    """
    rank = len(before)
    count = len(axes)
    if count == 0:
        count = rank if all_axes or len(lengths) == 0 else len(lengths)
    made = np.empty(FIRST + _EACH * count, np.int64)
    made[NORM] = norm
    made[TYPE] = 0
    made[ORTHOGONAL] = 0
    for k in range(count):
        axis = axes[k] if len(axes) > 0 else rank - count + k
        axis = axis + rank if axis < 0 else axis
        for j in range(k):
            if made[FIRST + _EACH * j] == axis:
                raise ValueError("a transform along one axis twice has no derivative here")
        length = after[axis]
        if half == 1 and k == count - 1:
            length = before[axis]
            if len(lengths) > 0 and lengths[k] >= 0:
                length = lengths[k]
        made[FIRST + _EACH * k] = axis
        made[FIRST + _EACH * k + 1] = before[axis]
        made[FIRST + _EACH * k + 2] = length
    return made


@inlined
def count_of(plan):
    """How many axes."""
    return (len(plan) - FIRST) // _EACH


@inlined
def axis_of(plan, k):
    """The axis, the numbers that it had, those that were transformed."""
    at = FIRST + _EACH * k
    return plan[at], plan[at + 1], plan[at + 2]


@inlined
def axes_of(plan):
    """All axes."""
    return plan[FIRST::_EACH].copy()


@inlined
def alone(number):
    """One axis, or one length."""
    found = np.empty(1, np.int64)
    found[0] = number
    return found


@inlined
def lengths_of(plan):
    """What is transformed of each axis."""
    return plan[FIRST + 2 :: _EACH].copy()
