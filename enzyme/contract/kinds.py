"""What a value of a type holds, and which annotation goes with it."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from numba.core import types

from enzyme.engine.analysis.kinds import Activity
from enzyme.frontend.leaves import LeafKind, is_fixed, leaves
from enzymecore import (
    Active,
    ActiveState,
    ActivityState,
    AnyState,
    BatchDuplicated,
    BatchDuplicatedNoNeed,
    BatchMixedDuplicated,
    Const,
    Duplicated,
    DuplicatedNoNeed,
    DupState,
    MixedDuplicated,
)

BATCH = (BatchDuplicated, BatchDuplicatedNoNeed, BatchMixedDuplicated)
MIXED = (MixedDuplicated, BatchMixedDuplicated)
ACTIVITIES = {
    Const: Activity.CONST,
    Active: Activity.ACTIVE,
    Duplicated: Activity.DUPLICATED,
    DuplicatedNoNeed: Activity.DUPLICATED_NO_NEED,
    BatchDuplicated: Activity.DUPLICATED,
    BatchDuplicatedNoNeed: Activity.DUPLICATED_NO_NEED,
    MixedDuplicated: Activity.MIXED,
    BatchMixedDuplicated: Activity.MIXED,
}


def by_value(ty: types.Type) -> bool:
    """Does a value of this type hold floats by value?"""
    return any(leaf.kind is LeafKind.FLOAT for leaf in leaves(ty))


def in_memory(ty: types.Type) -> bool:
    """Does a value of this type hold floats in memory?"""
    return any(leaf.differentiable and leaf.kind is not LeafKind.FLOAT for leaf in leaves(ty))


def is_empty(ty: types.Type) -> bool:
    """Does a value of this type carry no data at run time?"""
    if is_fixed(ty) or isinstance(ty, types.DTypeSpec):
        return True
    if isinstance(ty, types.BaseTuple):
        return all(map(is_empty, ty.types))
    return False


def buffer_in(ty: types.Type) -> types.Type | None:
    """A buffer that is no array of NumPy (`array.array`, `memoryview`, `bytearray`) in values of this type."""
    if isinstance(ty, types.BaseTuple):
        return next(filter(None, map(buffer_in, ty.types)), None)
    return ty if isinstance(ty, types.Buffer) and not isinstance(ty, types.Array) else None


def state_of(ty: types.Type) -> ActivityState:
    """Where the floats of a value of this type are."""
    values = ActiveState if by_value(ty) else AnyState
    return values | (DupState if in_memory(ty) else AnyState)


_CONTAINERS = (
    types.ListType | types.DictType | types.ClassInstanceType | types.StructRef | types.List
)


def holds_container(ty: types.Type) -> bool:
    """Is there an object in a value of this type whose parts may have changed since it was annotated?"""
    if isinstance(ty, types.BaseTuple):
        return any(map(holds_container, ty.types))
    return isinstance(ty, _CONTAINERS)
