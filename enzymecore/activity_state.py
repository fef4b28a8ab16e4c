"""What differentiable data a value or type holds, and whether it lies in memory.

The state decides which annotations make sense: ``ActiveState`` values are passed by ``Active`` in
reverse mode, ``DupState`` values by ``Duplicated``, ``MixedState`` values by ``MixedDuplicated``.
"""

from __future__ import annotations

import enum
from typing import Any

import numpy as np

from enzymecore import numba_types
from enzymecore.descriptors import (
    ArrayType,
    ClassType,
    DictType,
    FunctionType,
    ListType,
    NumbaType,
    ObjectType,
    RecordType,
    ScalarType,
    StructType,
    TupleType,
    TypeDescriptor,
)
from enzymecore.structure import Kind, is_float_buffer, kind_of, kind_of_class, parts

__all__ = [
    "ActiveState",
    "ActivityState",
    "AnyState",
    "DupState",
    "MixedState",
    "active_register_state",
    "holds_floats",
]


class ActivityState(enum.Enum):
    """Where the differentiable data of a value lies. States combine with ``|``.

    Examples
    --------
    >>> ActiveState | DupState
    MixedState
    >>> AnyState | ActiveState
    ActiveState
    """

    AnyState = 0
    ActiveState = 1
    DupState = 2
    MixedState = 3

    def __or__(self, other: ActivityState) -> ActivityState:
        return ActivityState(self.value | other.value)

    def __repr__(self) -> str:
        return self.name

    __str__ = __repr__


AnyState = ActivityState.AnyState
ActiveState = ActivityState.ActiveState
DupState = ActivityState.DupState
MixedState = ActivityState.MixedState


def active_register_state(x: Any) -> ActivityState:
    """Return the activity state of a value, or of a type given by its descriptor.

    Returns
    -------
    ActivityState
        ``AnyState``: no differentiable data. ``ActiveState``: only immutable differentiable data.
        ``DupState``: all of it behind mutable memory. ``MixedState``: both. Lists, dicts and object
        arrays are ``DupState`` whatever they hold: a float may be put into them.

    Examples
    --------
    >>> import numpy as np
    >>> from enzymecore import typeof
    >>> active_register_state((1.0, 2))
    ActiveState
    >>> active_register_state(np.zeros(3))
    DupState
    >>> active_register_state(typeof((1.0, np.zeros(3))))
    MixedState
    >>> active_register_state("text")
    AnyState
    """
    if isinstance(x, TypeDescriptor):
        return _state_of_type(x)
    return _state_of_value(x, set())


def holds_floats(dtype: np.dtype[Any]) -> bool:
    """Tell whether elements of a dtype hold differentiable data, or may do so.

    Examples
    --------
    >>> import numpy as np
    >>> holds_floats(np.dtype("int64")), holds_floats(np.dtype([("n", "i8"), ("x", "f4")]))
    (False, True)
    """
    if dtype.names is not None:
        return any(holds_floats(dtype[name]) for name in dtype.names)
    if dtype.subdtype is not None:
        return holds_floats(dtype.subdtype[0])
    return dtype.kind in "fcO"


def _memory(differentiable: bool) -> ActivityState:
    """Return the state of mutable memory."""
    return DupState if differentiable else AnyState


def _state_of_value(x: Any, open_ids: set[int]) -> ActivityState:
    """Combine the states of the parts; `open_ids` are the values around `x`, in case of a cycle."""
    kind = kind_of(x)
    if kind is Kind.FLOAT:
        return ActiveState
    if kind in (Kind.LIST, Kind.DICT):
        return DupState
    if kind in (Kind.ARRAY, Kind.RECORD):
        return _memory(holds_floats(x.dtype))
    if kind in (Kind.TYPED_LIST, Kind.TYPED_DICT, Kind.INSTANCE):
        if not getattr(x, "_typed", True):
            return DupState
        return _memory(numba_types.holds_floats(x._numba_type_))
    if kind is Kind.INACTIVE and is_float_buffer(x):
        return DupState
    if kind is Kind.INACTIVE or id(x) in open_ids:
        return AnyState
    open_ids.add(id(x))
    state = AnyState
    for _, part in parts(x, kind):
        state |= _state_of_value(part, open_ids)
        if state is MixedState:
            break
    open_ids.discard(id(x))
    return _memory(state is not AnyState) if kind is Kind.STRUCT else state


def _state_of_type(described: Any) -> ActivityState:
    """Combine the states of the parts of a descriptor."""
    match described:
        case ScalarType():
            dtype = described.dtype
            return ActiveState if dtype is not None and dtype.kind in "fc" else AnyState
        case ArrayType() | RecordType():
            return _memory(holds_floats(described.dtype))
        case StructType() if kind_of_class(described.cls) is Kind.INACTIVE:
            return AnyState
        case TupleType() | StructType():
            state = AnyState
            for part in described.types:
                state |= _state_of_type(part)
            return state
        case ListType() | DictType():
            return DupState
        case ClassType() | FunctionType():
            return AnyState
        case NumbaType():
            return _memory(numba_types.holds_floats(described.numba_type))
        case ObjectType():
            # Nothing is known of the fields; a class that is inactive has no parts to look at.
            return _memory(kind_of_class(described.cls) is not Kind.INACTIVE)
        case type():
            # An annotation class stands for an annotation of a value of that type.
            return _state_of_type(getattr(described, "eltype", None))
        case _:
            return AnyState
