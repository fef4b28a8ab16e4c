"""What numba's typed list does to its items, for our target: by their type, not by calls of C with their bytes.

Numba's own intrinsics hand an item to C as an address and a number of bytes; there its references are counted through
a table of functions.  Here the item is stored where it belongs and counted as any value is, so LLVM and the engine see
numbers, addresses and references.  Length, room and mutability stay with the functions of `typed_lists`.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import njit
from numba.core import cgutils, types
from numba.extending import intrinsic

from enzyme.frontend.functions.views import state_items
from enzyme.frontend.numba_compat import functions
from enzyme.frontend.numba_compat.functions import ListStatus, list_is_mutable

_STATUS, _WORD = ir.IntType(32), ir.IntType(64)
_POINTER = ir.IntType(8).as_pointer()
BAD_INDEX, IMMUTABLE = -1, -5
MANY = 64


def call(builder: Any, name: str, result: Any, *arguments: Any) -> Any:
    """Call a function of the module that will be linked."""
    fnty = ir.FunctionType(result, [a.type for a in arguments])
    return builder.call(cgutils.get_or_insert_function(builder.module, fnty, name), arguments)


def write(context: Any, builder: Any, ty: types.Type, value: Any, place: Any) -> None:
    """Put a value where a container has its items: part by part, so that each is stored as what it is."""
    data = context.data_model_manager[ty].as_data(builder, value)
    if _count(data.type) <= MANY:
        _write_parts(builder, data, place, None)
        return
    held = cgutils.alloca_once_value(builder, data)
    size = context.get_constant(types.intp, context.get_abi_sizeof(data.type))
    alignment = context.get_abi_alignment(data.type)
    cgutils.raw_memcpy(builder, place, held, size, 1, alignment)


def _members(ty: Any) -> list[Any]:
    if isinstance(ty, ir.ArrayType):
        return [ty.element] * ty.count
    return list(ty.elements) if isinstance(ty, ir.LiteralStructType) else []


def _count(ty: Any) -> int:
    """How many numbers and addresses a value has."""
    if isinstance(ty, ir.ArrayType):
        return int(ty.count) * _count(ty.element)
    return sum(map(_count, ty.elements)) if isinstance(ty, ir.LiteralStructType) else 1


def _write_parts(builder: Any, data: Any, place: Any, alignment: int | None) -> None:
    if not isinstance(data.type, ir.ArrayType | ir.LiteralStructType):
        builder.store(data, place, align=alignment)
        return
    if getattr(data.type, "packed", False):
        alignment = 1
    for k in range(len(_members(data.type))):
        part = builder.extract_value(data, k)
        _write_parts(builder, part, cgutils.gep_inbounds(builder, place, 0, k), alignment)


def read(context: Any, builder: Any, ty: types.Type, place: Any) -> Any:
    """The value that a container has at a place; its references are not counted."""
    return context.data_model_manager[ty].load_from_data_pointer(builder, place)


def is_counted(context: Any, ty: types.Type) -> bool:
    """Are there objects in a value of this type whose references are counted?"""
    return bool(context.data_model_manager[ty].contains_nrt_meminfo())


def emit_container(
    context: Any, builder: Any, ty: types.Type, content: types.Type, data: Any, what: str
) -> Any:
    """The object that owns a list or dictionary of C at `data`. Its end is ours: it takes a shadow of which nothing was
    made yet, and knows where references in the content are counted."""
    kind = "" if is_counted(context, content) else "plain_"
    shape = ir.FunctionType(ir.VoidType(), [_POINTER, _WORD, _POINTER])
    end = cgutils.get_or_insert_function(builder.module, shape, f"enzyme_{kind}{what}_end")
    size = context.get_constant(types.uintp, 8)
    made = context.make_helper(builder, ty)
    made.data = data
    made.meminfo = context.nrt.meminfo_alloc_dtor(builder, size, end)
    slot = context.nrt.meminfo_data(builder, made.meminfo)
    builder.store(data, builder.bitcast(slot, data.type.as_pointer()))
    return made._getvalue()


def _place(context: Any, builder: Any, ty: Any, header: Any, index: Any) -> Any:
    items = call(builder, "enzyme_items", _POINTER, header)
    item = context.get_data_type(ty.item_type).as_pointer()
    return cgutils.gep(builder, builder.bitcast(items, item), index)


def _length(builder: Any, header: Any) -> Any:
    return builder.load(builder.bitcast(header, _WORD.as_pointer()))


def _result(builder: Any, first: Any) -> Any:
    return cgutils.alloca_once_value(builder, first)


def _checked(builder: Any, header: Any, index: Any) -> tuple[Any, Any]:
    """A place for the status, which says what is wrong, and the condition that nothing is."""
    mutable = call(builder, "numba_list_is_mutable", _STATUS, header)
    fixed = builder.icmp_signed("==", mutable, mutable.type(0))
    inside = builder.icmp_unsigned("<", index, _length(builder, header))
    wrong = builder.select(inside, _STATUS(0), _STATUS(BAD_INDEX))
    status = _result(builder, builder.select(fixed, _STATUS(IMMUTABLE), wrong))
    return status, builder.icmp_signed("==", builder.load(status), _STATUS(0))


@intrinsic
def _append(typingctx, items, item):  # type: ignore[no-untyped-def]
    def codegen(context, builder, sig, args):  # type: ignore[no-untyped-def]
        ty, header = sig.args[0], functions.container_data(context, builder, sig.args[0], args[0])
        length = _length(builder, header)
        longer = builder.add(length, length.type(1))
        status = call(builder, "numba_list_resize", _STATUS, header, longer)
        with builder.if_then(builder.icmp_signed(">=", status, status.type(0))):
            place = _place(context, builder, ty, header, length)
            write(context, builder, ty.item_type, args[1], place)
            context.nrt.incref(builder, ty.item_type, args[1])
        return status

    return types.int32(items, items.item_type), codegen


@intrinsic
def _setitem(typingctx, items, index, item):  # type: ignore[no-untyped-def]
    def codegen(context, builder, sig, args):  # type: ignore[no-untyped-def]
        ty, header = sig.args[0], functions.container_data(context, builder, sig.args[0], args[0])
        status, good = _checked(builder, header, args[1])
        with builder.if_then(good):
            place = _place(context, builder, ty, header, args[1])
            context.nrt.incref(builder, ty.item_type, args[2])
            old = read(context, builder, ty.item_type, place)
            write(context, builder, ty.item_type, args[2], place)
            context.nrt.decref(builder, ty.item_type, old)
        return builder.load(status)

    return types.int32(items, index, item), codegen


@intrinsic
def _delitem(typingctx, items, index):  # type: ignore[no-untyped-def]
    def codegen(context, builder, sig, args):  # type: ignore[no-untyped-def]
        ty, header = sig.args[0], functions.container_data(context, builder, sig.args[0], args[0])
        status, good = _checked(builder, header, args[1])
        with builder.if_then(good):
            place = _place(context, builder, ty, header, args[1])
            old = read(context, builder, ty.item_type, place)
            less = builder.sub(_length(builder, header), _WORD(1))
            size = context.get_constant(types.intp, context.get_abi_sizeof(place.type.pointee))
            state_items(builder, place, place.type.pointee, context.target_data)
            behind = builder.mul(builder.sub(less, args[1]), size)
            cgutils.raw_memmove(builder, place, cgutils.gep(builder, place, 1), behind, 1)
            builder.store(call(builder, "enzyme_resize", _STATUS, header, less), status)
            context.nrt.decref(builder, ty.item_type, old)
        return builder.load(status)

    return types.int32(items, index), codegen


@njit
def _delete_slice(items, start, stop, step):  # type: ignore[no-untyped-def]
    """Move what stays to the front, then shorten the list."""
    if not list_is_mutable(items):
        return ListStatus.LIST_ERR_IMMUTABLE
    if step < 0:
        count = max(0, (start - stop - step - 1) // -step)
        start, stop, step = start + (count - 1) * step, start + 1, -step
    kept = doomed = start
    for k in range(start, len(items)):
        if k == doomed and k < stop:
            doomed += step
        else:
            items[kept] = items[k]
            kept += 1
    for _ in range(len(items) - kept):
        del items[len(items) - 1]
    return ListStatus.LIST_OK


@intrinsic
def _make_list(typingctx, itemty, ptr):  # type: ignore[no-untyped-def]
    """The object that owns a list."""
    made = types.ListType(itemty.instance_type)

    def codegen(context, builder, sig, args):  # type: ignore[no-untyped-def]
        return emit_container(context, builder, made, made.item_type, args[1], "list")

    return made(itemty, ptr), codegen


REPLACED = {
    functions.list_append: _append,
    functions.list_setitem: _setitem,
    functions.list_delitem: _delitem,
    functions.list_delete_slice: _delete_slice,
    functions.list_make: _make_list,
}
