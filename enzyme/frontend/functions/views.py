"""Views of arrays as items of another type: the program says what both sides hold.

See `engine.ir.items`. Where neither side has floats, or both have the same at the same places, nothing need be said.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, has-type, no-untyped-call, untyped-decorator"

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.np import arrayobj
from numba.np.numpy_support import as_dtype

from enzyme.engine.ir.items import Items
from enzyme.engine.ir.types import FLOAT_TYPES, FloatType
from enzyme.frontend.functions.stated import implements

_NAMES = {types.float64: "double", types.float32: "float", types.float16: "half"}


def floats_in(ty: types.Type, start: int = 0) -> Iterator[tuple[int, FloatType]]:
    """Offset and type of every float in an item."""
    if isinstance(ty, types.Record):
        for field in ty.fields.values():
            yield from floats_in(field.type, start + field.offset)
    elif isinstance(ty, types.NestedArray):
        size = as_dtype(ty.dtype).itemsize
        for index in range(ty.nitems):
            yield from floats_in(ty.dtype, start + index * size)
    elif isinstance(ty, types.Complex):
        yield from floats_in(ty.underlying_float, start)
        yield from floats_in(ty.underlying_float, start + ty.bitwidth // 16)
    elif ty in _NAMES:
        yield start, FLOAT_TYPES[_NAMES[ty]]


def items_of_type(ty: types.Type) -> Items:
    """What items of a type are."""
    return Items.of(as_dtype(ty).itemsize, floats_in(ty))


def _state(builder: Any, data: Any, items: Items) -> None:
    module = builder.module
    function = module.globals.get(items.symbol)
    if function is None:
        kind = ir.FunctionType(ir.VoidType(), [ir.IntType(8).as_pointer()])
        function = ir.Function(module, kind, items.symbol)
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


@implements(arrayobj.array_view)
def array_view(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    """``a.view(dtype)``."""
    viewed = arrayobj.array_view(context, builder, sig, args)
    (source, _), made = sig.args, sig.return_type
    data = arrayobj.make_array(made)(context, builder, viewed).data
    state_view(builder, data, source.dtype, made.dtype)
    return viewed
