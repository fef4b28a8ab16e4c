"""What `make_zero` and its forms make of each kind of value in numba's types.

`enzymecore.zeros` does it for values of Python, by the same kinds (`enzymecore.structure`).

| kind | `make_zero` | in place |
|---|---|---|
| inactive | the same object, or a copy of an array | stays |
| number | zero of its type | an error; stays in what came from `make_zero` |
| array of numbers | zeros with its strides | zeros |
| array of records | a copy with zeros for floats | zeros for floats |
| tuple | a tuple of its class, part by part | part by part |
| typed list or dictionary of numbers | one of as many zeros, with the same keys | zeros |
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

import enum

from numba.core import types

from enzyme.frontend.leaves import is_differentiable, is_fixed


class Zero(enum.Enum):
    """A kind of value, as far as zeros are concerned."""

    INACTIVE = enum.auto()
    NUMBER = enum.auto()
    ARRAY = enum.auto()
    RECORDS = enum.auto()
    TUPLE = enum.auto()
    NUMBERS = enum.auto()  # a typed list, or the values of a typed dictionary
    OTHER = enum.auto()  # containers: which objects are in them twice takes a memo to tell


def kind_of(ty: types.Type) -> Zero:
    """The kind of a value of this type."""
    if is_fixed(ty) or not is_differentiable(ty):
        return Zero.INACTIVE
    if isinstance(ty, types.Float | types.Complex):
        return Zero.NUMBER
    if isinstance(ty, types.Array):
        return Zero.RECORDS if isinstance(ty.dtype, types.Record) else Zero.ARRAY
    if isinstance(ty, types.ListType | types.DictType):
        item = ty.item_type if isinstance(ty, types.ListType) else ty.value_type
        return Zero.NUMBERS if isinstance(item, types.Float | types.Complex) else Zero.OTHER
    return Zero.TUPLE if isinstance(ty, types.BaseTuple) else Zero.OTHER


def steps(ty: types.BaseTuple) -> list[str]:
    """How the parts of a tuple are named on the way to them."""
    names = ty.fields if isinstance(ty, types.BaseNamedTuple) else None
    return [f".{n}" for n in names] if names else [f"[{k}]" for k in range(len(ty))]
