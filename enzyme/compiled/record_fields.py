"""The floats in a record, as compiled code writes them: `.a`, `.inner.a`, `.matrix[0, 1]`."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

import itertools
from collections.abc import Iterator

from numba.core import types
from numba.np.numpy_support import as_dtype


def is_records(ty: types.Type) -> bool:
    """Is this an array of records?"""
    return isinstance(ty, types.Array) and isinstance(ty.dtype, types.Record)


def numbers_in(ty: types.Type, source: str = "") -> Iterator[tuple[str, types.Type]]:
    """The way to each float or complex number behind a record, and its type."""
    if isinstance(ty, types.Record):
        for name, field in ty.fields.items():
            yield from numbers_in(field.type, f"{source}.{name}")
    elif isinstance(ty, types.NestedArray):
        for place in itertools.product(*map(range, ty.shape)):
            yield from numbers_in(ty.dtype, f"{source}[{', '.join(map(str, place))}]")
    elif isinstance(ty, types.Float | types.Complex):
        yield source, ty


def has_complex(ty: types.Type) -> bool:
    """Is this a complex number, or are there some in a record?"""
    return any(isinstance(kind, types.Complex) for _, kind in numbers_in(ty))


def shown(ty: types.Type) -> str:
    """A type in words: of records it is the dtype, which numba spells at length."""
    if is_records(ty):
        return f"array of records {as_dtype(ty.dtype)}"
    return f"record {as_dtype(ty)}" if isinstance(ty, types.Record) else str(ty)
