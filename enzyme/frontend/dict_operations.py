"""What numba's typed dictionary does to its values, for our target: by their type, not by calls of C with their bytes.

As `list_operations` for lists.  Keys go to C as numba hands them over; floats in keys that are kept are announced
(`enzyme_used_as_key`), because a key has no derivative.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from enzyme.frontend.list_operations import call, emit_container, is_counted, read, write
from enzyme.frontend.numba_compat import functions

_STATUS, _WORD = ir.IntType(32), ir.IntType(64)
_POINTER = ir.IntType(8).as_pointer()
REPLACED_VALUE, EMPTY, INCOMPARABLE = 1, -4, -5
_NO_SUCH_KEY = -1


def _dictionary(context: Any, builder: Any, ty: Any, value: Any) -> Any:
    return functions.container_data(context, builder, ty, value)


def _key(context: Any, builder: Any, ty: types.Type, key: Any) -> Any:
    """The address of a key for C."""
    data = context.data_model_manager[ty].as_data(builder, key)
    held = cgutils.alloca_once_value(builder, data)
    cgutils.memset_padding(builder, held)
    return builder.bitcast(held, _POINTER)


def _announce(builder: Any, data: Any) -> None:
    if isinstance(data.type, ir.DoubleType | ir.FloatType):
        suffix = "double" if isinstance(data.type, ir.DoubleType) else "float"
        call(builder, f"enzyme_used_as_key_{suffix}", ir.VoidType(), data)
    elif isinstance(data.type, ir.LiteralStructType | ir.ArrayType):
        for k in range(len(getattr(data.type, "elements", range(getattr(data.type, "count", 0))))):
            _announce(builder, builder.extract_value(data, k))


def _value_at(context: Any, builder: Any, ty: Any, dictionary: Any, place: Any) -> Any:
    address = call(builder, "enzyme_place", _POINTER, dictionary, place)
    return builder.bitcast(address, context.get_data_type(ty).as_pointer())


def _take_out(context: Any, builder: Any, ty: Any, value: Any, hashed: Any, place: Any) -> Any:
    """Remove the entry at a place; references in its value are left to the caller.  Returns the status."""
    if is_counted(context, ty.value_type):  # C would let go of what it finds
        at = _value_at(context, builder, ty.value_type, value, place)
        nothing = context.get_constant_null(ty.value_type)
        write(context, builder, ty.value_type, nothing, at)
    return call(builder, "enzyme_remove", _STATUS, value, hashed, place)


@intrinsic
def _insert(typingctx, d, key, hashval, val):  # type: ignore[no-untyped-def]
    def codegen(context, builder, sig, args):  # type: ignore[no-untyped-def]
        ty, dictionary = sig.args[0], _dictionary(context, builder, sig.args[0], args[0])
        _announce(builder, context.data_model_manager[ty.key_type].as_data(builder, args[1]))
        key = _key(context, builder, ty.key_type, args[1])
        found = call(builder, "enzyme_find", _WORD, dictionary, key, args[2])
        where = cgutils.alloca_once_value(builder, found)
        missing = builder.icmp_signed("==", found, _WORD(_NO_SUCH_KEY))
        with builder.if_then(missing):
            builder.store(call(builder, "enzyme_insert", _WORD, dictionary, key, args[2]), where)
        place = builder.load(where)
        good = builder.icmp_signed(">=", place, _WORD(0))
        with builder.if_then(good):
            at = _value_at(context, builder, ty.value_type, dictionary, place)
            context.nrt.incref(builder, ty.value_type, args[3])
            old = read(context, builder, ty.value_type, at)
            write(context, builder, ty.value_type, args[3], at)
            context.nrt.decref(builder, ty.value_type, old)
        done = builder.select(missing, _STATUS(0), _STATUS(REPLACED_VALUE))
        failed = builder.select(missing, builder.trunc(place, _STATUS), _STATUS(INCOMPARABLE))
        return builder.select(good, done, failed)

    return types.int32(d, d.key_type, types.intp, d.value_type), codegen


@intrinsic
def _lookup(typingctx, d, key, hashval):  # type: ignore[no-untyped-def]
    found = types.Tuple([types.intp, types.Optional(d.value_type)])

    def codegen(context, builder, sig, args):  # type: ignore[no-untyped-def]
        ty, dictionary = sig.args[0], _dictionary(context, builder, sig.args[0], args[0])
        key = _key(context, builder, sig.args[1], args[1])
        place = call(builder, "enzyme_find", _WORD, dictionary, key, args[2])
        out = cgutils.alloca_once_value(builder, context.make_optional_none(builder, ty.value_type))
        with builder.if_then(builder.icmp_signed(">=", place, _WORD(0))):
            at = _value_at(context, builder, ty.value_type, dictionary, place)
            value = read(context, builder, ty.value_type, at)
            context.nrt.incref(builder, ty.value_type, value)
            builder.store(context.make_optional_value(builder, ty.value_type, value), out)
        return context.make_tuple(builder, found, [place, builder.load(out)])

    return found(d, key, hashval), codegen


@intrinsic
def _delitem(typingctx, d, hashval, place):  # type: ignore[no-untyped-def]
    def codegen(context, builder, sig, args):  # type: ignore[no-untyped-def]
        ty, dictionary = sig.args[0], _dictionary(context, builder, sig.args[0], args[0])
        at = _value_at(context, builder, ty.value_type, dictionary, args[2])
        old = read(context, builder, ty.value_type, at)
        status = _take_out(context, builder, ty, dictionary, args[1], args[2])
        context.nrt.decref(builder, ty.value_type, old)
        return status

    return types.int32(d, hashval, types.intp), codegen


@intrinsic
def _popitem(typingctx, d):  # type: ignore[no-untyped-def]
    entry = types.Tuple([d.key_type, d.value_type])
    found = types.Tuple([types.int32, types.Optional(entry)])

    def codegen(context, builder, sig, args):  # type: ignore[no-untyped-def]
        ty, dictionary = sig.args[0], _dictionary(context, builder, sig.args[0], args[0])
        place = call(builder, "enzyme_last", _WORD, dictionary)
        out = cgutils.alloca_once_value(builder, context.make_optional_none(builder, entry))
        status = cgutils.alloca_once_value(builder, _STATUS(EMPTY))
        with builder.if_then(builder.icmp_signed(">=", place, _WORD(0))):
            key_at = call(builder, "enzyme_key", _POINTER, dictionary, place)
            key_at = builder.bitcast(key_at, context.get_data_type(ty.key_type).as_pointer())
            key = read(context, builder, ty.key_type, key_at)
            context.nrt.incref(builder, ty.key_type, key)
            at = _value_at(context, builder, ty.value_type, dictionary, place)
            value = read(context, builder, ty.value_type, at)
            hashed = call(builder, "enzyme_hash", _WORD, dictionary, place)
            taken = _take_out(context, builder, ty, dictionary, hashed, place)
            builder.store(taken, status)
            both = context.make_tuple(builder, entry, [key, value])
            builder.store(context.make_optional_value(builder, entry, both), out)
        return context.make_tuple(builder, found, [builder.load(status), builder.load(out)])

    return found(d), codegen


@intrinsic
def _make_dict(typingctx, keyty, valty, ptr):  # type: ignore[no-untyped-def]
    """The object that owns a dictionary."""
    made = types.DictType(keyty.instance_type, valty.instance_type)

    def codegen(context, builder, sig, args):  # type: ignore[no-untyped-def]
        return emit_container(context, builder, made, made.value_type, args[2], "dict")

    return made(keyty, valty, ptr), codegen


REPLACED = {
    functions.dict_insert: _insert,
    functions.dict_lookup: _lookup,
    functions.dict_delitem: _delitem,
    functions.dict_popitem: _popitem,
    functions.dict_make: _make_dict,
}
