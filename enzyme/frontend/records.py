"""Records of our own target: copied field by field.

Numba copies a record as an array of bytes, in which LLVM and the engine see no numbers.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, has-type, misc"

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from llvmlite import ir
from numba.core import datamodel, types
from numba.np.numpy_support import as_dtype

from enzyme.frontend.numba_compat.programs import RecordModel, default_manager

_BYTE = ir.IntType(8)


class TypedRecordModel(RecordModel):
    """The value points to bytes, as numba's does; the data are a packed struct of the same size."""

    def __init__(self, manager: Any, record: types.Record) -> None:
        super().__init__(manager, record)
        self._data_type = ir.LiteralStructType(list(_elements(manager, record)), packed=True)

    def get_data_type(self) -> ir.Type:
        return self._data_type

    def as_data(self, builder: Any, value: Any) -> Any:
        return builder.load(builder.bitcast(value, self._data_type.as_pointer()), align=1)


def _elements(manager: Any, record: types.Record) -> Iterator[ir.Type]:
    """The fields in order, and as bytes what lies between them or belongs to a field that overlaps another."""
    end = 0
    for field in sorted(record.fields.values(), key=lambda field: field.offset):
        if field.offset < end:
            continue
        if field.offset > end:
            yield ir.ArrayType(_BYTE, field.offset - end)
        model = manager[field.type]
        nested = isinstance(field.type, types.NestedArray)
        yield model.as_storage_type() if nested else model.get_data_type()
        end = field.offset + as_dtype(field.type).itemsize
    if end < record.size:
        yield ir.ArrayType(_BYTE, record.size - end)


def data_models() -> Any:
    """Numba's data models with ours of records; models that are registered later are there as well."""
    manager = datamodel.DataModelManager().chain(default_manager)
    manager.register(types.Record, TypedRecordModel)
    return manager
