"""Memory that is looked at as items of two types: the program says what they hold.

These are views of arrays and buffers as items of another type, and records with fields that overlap. See
`engine.ir.items`. Where neither side has floats, or both have the same at the same places, nothing need be said.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, has-type, no-untyped-call, untyped-decorator"

from __future__ import annotations

import itertools
from collections.abc import Iterator
from operator import itemgetter
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic, overload, register_jitable
from numba.np import arrayobj
from numba.np.numpy_support import as_dtype

from enzyme.engine.ir.items import Items, Says
from enzyme.engine.ir.types import FLOAT_TYPES, FloatType
from enzyme.frontend.functions.stated import TARGET, implements
from enzyme.frontend.leaves import numbers_in


def floats_in(ty: types.Type) -> Iterator[tuple[int, FloatType]]:
    """Offset and type of every float in an item."""
    return ((offset, FLOAT_TYPES[name]) for offset, name in numbers_in(ty) if name is not None)


def items_of_type(ty: types.Type) -> Items:
    """What items of a type are."""
    return Items.of(as_dtype(ty).itemsize, floats_in(ty))


def state_layout(builder: Any, data: Any, record: types.Record) -> None:
    """What the items of an array of records are, if nobody need look at them in two ways."""
    _state_record(builder, data, items_of_type(record), record, Says.LAYOUT)


def state_record_there(builder: Any, data: Any, record: types.Record) -> None:
    """What a record is, wherever it is."""
    whole = Items(record.size, tuple(sorted(floats_in(record), key=itemgetter(0))))
    _state_record(builder, data, whole, record, Says.SINGLE)


def _state_record(builder: Any, data: Any, items: Items, record: types.Record, says: Says) -> None:
    if items.floats and not overlaps(record):
        _state(builder, data, items, says)


def state_items(builder: Any, data: Any, item: ir.Type, target_data: Any) -> None:
    """What the items of a list are, by their type in LLVM."""
    parts = list(_parts(item, target_data, 0))
    floats = tuple((at, FLOAT_TYPES[str(ty)]) for at, ty in parts if str(ty) in FLOAT_TYPES)
    pointers = tuple(at for at, ty in parts if isinstance(ty, ir.PointerType))
    made = Items(item.get_abi_size(target_data), floats, pointers)
    _state(builder, data, made, Says.LAYOUT)


def _parts(ty: ir.Type, target_data: Any, at: int) -> Iterator[tuple[int, ir.Type]]:
    """Offset and type of every primitive in an item."""
    if isinstance(ty, ir.BaseStructType):
        for index, part in enumerate(ty.elements):
            offset = ty.get_element_offset(target_data, index)
            yield from _parts(part, target_data, at + offset)
    elif isinstance(ty, ir.ArrayType):
        for index in range(ty.count):
            offset = index * ty.element.get_abi_size(target_data)
            yield from _parts(ty.element, target_data, at + offset)
    else:
        yield at, ty


def _state(builder: Any, data: Any, items: Items, says: Says = Says.VIEWED) -> None:
    module, symbol = builder.module, items.symbol(says)
    function = module.globals.get(symbol)
    if function is None:
        kind = ir.FunctionType(ir.VoidType(), [ir.IntType(8).as_pointer()])
        function = ir.Function(module, kind, symbol)
        for attribute in ("inaccessiblememonly", "nounwind"):
            function.attributes.add(attribute)
        function.args[0].add_attribute("captures(none)")
    builder.call(function, [builder.bitcast(data, ir.IntType(8).as_pointer())])


def state_view(builder: Any, data: Any, one: types.Type, other: types.Type) -> None:
    """Memory is looked at as items of two types."""
    sides = [items_of_type(ty) for ty in (one, other)]
    if sides[0] != sides[1] and any(side.floats for side in sides):
        for side in sides:
            _state(builder, data, side)


def overlaps(ty: types.Type) -> bool:
    """Is it a record in which a float shares bytes with another field?"""
    if not isinstance(ty, types.Record):
        return False
    fields = sorted(ty.fields.values(), key=lambda field: field.offset)
    ends = itertools.accumulate((f.offset + as_dtype(f.type).itemsize for f in fields), max)
    shared = any(end > after.offset for end, after in zip(ends, fields[1:], strict=False))
    return (shared and any(True for _ in floats_in(ty))) or any(overlaps(f.type) for f in fields)


def state_record(context: Any, builder: Any, ty: types.Type, value: Any) -> None:
    """A field is read or written: of a record in which fields overlap, or of an array of them."""
    if overlaps(ty):
        _state(builder, value, items_of_type(ty))
    elif isinstance(ty, types.Array) and overlaps(ty.dtype):
        data = arrayobj.make_array(ty)(context, builder, value).data
        _state(builder, data, items_of_type(ty.dtype))


def holds_unions(ty: types.Type) -> bool:
    """Is it a record in which fields overlap, or an array of them?"""
    return overlaps(ty.dtype if isinstance(ty, types.Array) else ty)


@implements(arrayobj.array_view)
def array_view(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    """``a.view(dtype)``."""
    viewed = arrayobj.array_view(context, builder, sig, args)
    (source, _), made = sig.args, sig.return_type
    data = arrayobj.make_array(made)(context, builder, viewed).data
    state_view(builder, data, source.dtype, made.dtype)
    return viewed


_intrinsic: Any = intrinsic  # what it makes is called without the typing context


@_intrinsic
def _state_buffer(typingctx: Any, buffer: Any, made: Any) -> Any:
    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        for ty, array in zip(sig.args, args, strict=True):
            _state(
                builder,
                arrayobj.make_array(ty)(context, builder, array).data,
                items_of_type(ty.dtype),
            )
        return context.get_dummy_value()

    return types.none(buffer, made), codegen


@overload(np.frombuffer, target=TARGET)
def np_frombuffer(buffer: Any, dtype: Any = float, count: Any = -1, offset: Any = 0) -> Any:
    """``np.frombuffer(buffer, dtype, count, offset)``."""
    view = register_jitable(arrayobj.impl_np_frombuffer(buffer, dtype, count, offset))
    if not isinstance(buffer, types.Array):
        return view

    def impl(buffer: Any, dtype: Any = float, count: Any = -1, offset: Any = 0) -> Any:
        made = view(buffer, dtype, count, offset)
        _state_buffer(buffer, made)
        return made

    return impl
