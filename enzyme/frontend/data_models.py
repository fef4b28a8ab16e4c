"""Data models of our own target, from which LLVM and the engine learn more than from numba's.

Records are copied field by field: numba copies a record as an array of bytes, in which nobody sees numbers.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, has-type, misc"

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from llvmlite import ir
from numba.core import datamodel, types
from numba.np.numpy_support import as_dtype

from enzyme.frontend.functions.views import state_layout, state_record_there
from enzyme.frontend.numba_compat.models import default_manager
from enzyme.frontend.numba_compat.programs import ArrayModel, RecordModel

_BYTE = ir.IntType(8)


class TypedRecordModel(RecordModel):
    """The value points to bytes, as numba's does; the data are a packed struct of the same size."""

    def __init__(self, manager: Any, record: types.Record) -> None:
        super().__init__(manager, record)
        elements = [type_ for _, _, type_ in _parts(manager, record)]
        self._data_type = ir.LiteralStructType(elements, packed=True)
        self._gaps = list(_gaps(manager, record, []))

    def get_data_type(self) -> ir.Type:
        return self._data_type

    def as_data(self, builder: Any, value: Any) -> Any:
        state_record_there(builder, value, self._fe_type)
        data = builder.load(builder.bitcast(value, self._data_type.as_pointer()), align=1)
        for path, gap in self._gaps:
            data = builder.insert_value(data, ir.Constant(gap, ir.Undefined), path)
        return data


def _gaps(manager: Any, ty: types.Type, path: list[int]) -> Iterator[tuple[list[int], ir.Type]]:
    """The parts that belong to no field: what is there is not copied, for nobody says that it is no number. Records in
    which fields overlap are copied whole."""
    if isinstance(ty, types.NestedArray):
        for indices in itertools.product(*map(range, ty.shape)):
            yield from _gaps(manager, ty.dtype, [*path, *indices])
    if not isinstance(ty, types.Record):
        return
    fields = {field.offset: field.type for field in ty.fields.values()}
    covered = [start + k for start, part in fields.items() for k in range(as_dtype(part).itemsize)]
    if len(fields) < len(ty.fields) or len(covered) > len(set(covered)):
        return
    for index, (start, end, type_) in enumerate(_parts(manager, ty)):
        if start in fields:
            yield from _gaps(manager, fields[start], [*path, index])
        elif set(covered).isdisjoint(range(start, end)):
            yield [*path, index], type_


def _parts(manager: Any, record: types.Record) -> Iterator[tuple[int, int, ir.Type]]:
    """Where each element begins and ends, and its type: the fields in order, and as bytes what lies between them or
    belongs to a field that overlaps another."""
    end = 0
    for field in sorted(record.fields.values(), key=lambda field: field.offset):
        if field.offset < end:
            continue
        if field.offset > end:
            yield end, field.offset, ir.ArrayType(_BYTE, field.offset - end)
        model = manager[field.type]
        nested = isinstance(field.type, types.NestedArray)
        type_ = model.as_storage_type() if nested else model.get_data_type()
        end = field.offset + as_dtype(field.type).itemsize
        yield field.offset, end, type_
    if end < record.size:
        yield end, record.size, ir.ArrayType(_BYTE, record.size - end)


class RecordArrayModel(ArrayModel):
    """In an array of records, contiguous, the stride of the last axis is known to the compiler: the size of a record,
    which is known, too. (That of the first, of an array in Fortran's order.)

    Else a field of it is an array with a stride that may be any number, and each byte may be one of its numbers. NumPy
    gives axes of one element any stride, too; no address depends on it. What a record is is said as well.
    """

    def from_argument(self, builder: Any, value: Any) -> Any:
        made = super().from_argument(builder, value)
        ty = self._fe_type
        if ty.layout not in ("C", "F") or ty.ndim == 0 or not isinstance(ty.dtype, types.Record):
            return made
        state_layout(builder, self.get(builder, made, "data"), ty.dtype)
        axis = 0 if ty.layout == "F" else ty.ndim - 1
        size = ir.Constant(ir.IntType(types.intp.bitwidth), ty.dtype.size)
        made = builder.insert_value(made, size, [self.get_field_position("itemsize")])
        return builder.insert_value(made, size, [self.get_field_position("strides"), axis])


def data_models() -> Any:
    """Numba's data models with ours of records; models that are registered later are there as well."""
    manager = datamodel.DataModelManager().chain(default_manager)
    manager.register(types.Record, TypedRecordModel)
    manager.register(types.Array, RecordArrayModel)
    return manager
