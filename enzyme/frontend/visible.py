"""Which arguments refer to memory, and of which types the test for overlap (`overlap`) sees all of it."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from collections.abc import Sequence

from numba.core import types

from enzyme.frontend.leaves import LeafKind, is_fixed, leaves
from enzyme.frontend.numba_compat.models import NumPyRandomGeneratorType
from enzyme.frontend.plans import CallPlan


class ArgumentsOverlap(Exception):
    """Raised by a derivative before it does anything: its arrays may share memory."""


# What has memory of its own, in which no program keeps numbers.
_NO_NUMBERS = (types.UnicodeType, types.Bytes, types.DType, NumPyRandomGeneratorType)


def holds_memory(ty: types.Type) -> bool:
    """Does an argument of this type refer to memory that a program can write?"""
    if is_fixed(ty) or isinstance(ty, _NO_NUMBERS):
        return False
    return any(leaf.kind.is_memory or leaf.kind is LeafKind.OPAQUE for leaf in leaves(ty))


def is_visible(ty: types.Type) -> bool:
    """Can the test below see all writable memory of an argument of this type?"""
    if isinstance(ty, types.Array | types.Record):
        return True
    if isinstance(ty, types.BaseTuple):
        return all(map(is_visible, ty.types))
    return not holds_memory(ty)


def is_apart(ty: types.Type) -> bool:
    """Is this a container of numbers, in memory that no array refers to?"""
    if isinstance(ty, types.DictType):
        return not holds_memory(ty.key_type) and not holds_memory(ty.value_type)
    return isinstance(ty, types.ListType | types.List) and not holds_memory(ty.dtype)


def can_be_copied(ty: types.Type) -> bool:
    """Does compiled code copy what a value refers to?"""
    if isinstance(ty, types.BaseTuple):
        return all(map(can_be_copied, ty.types))
    return is_apart(ty) or (is_visible(ty) and not isinstance(ty, types.Record))


def all_visible(argtypes: Sequence[types.Type]) -> bool:
    """Can the promise of distinct arguments be checked for these types?"""
    holding = [ty for ty in argtypes if holds_memory(ty)]
    return len(holding) < 2 or all(map(is_visible, holding))


def is_needed(plan: CallPlan) -> bool:
    """Is there anything that could overlap?"""
    constants = constants_of(plan)
    arrays = sum(
        count_of(plan.argtypes[index]) if index in constants else 1
        for role, index in plan.parameters
        if role in ("primal", "shadow") and holds_memory(plan.argtypes[index])
    )
    return arrays > 1


def constants_of(plan: CallPlan) -> frozenset[int]:
    """The arguments without a shadow: their arrays may not even overlap each other."""
    shadows = {index for role, index in plan.parameters if role == "shadow"}
    return frozenset(index for role, index in plan.parameters if role == "primal") - shadows


def count_of(ty: types.Type) -> int:
    """How many arrays, or other things with memory, there are in a value."""
    if isinstance(ty, types.BaseTuple):
        counts: list[int] = [count_of(member) for member in ty.types]
        return sum(counts)
    return int(holds_memory(ty))
