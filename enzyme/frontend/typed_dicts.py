"""Numba's typed dictionary in LLVM IR: its C functions, written so that values can be differentiated.

A dictionary is a count and, at offset 8, the address of its table: sizes, then entries in the order of insertion,
each a hash, a key and a value.  Searching and inserting remain calls of the C functions; keys are constants.  Values
move when a dictionary grows, so these functions stay calls (the engine knows them, see `known_functions`):
`enzyme_find` gives the place of a key, `enzyme_place` the address of the value at a place, and `enzyme_insert` adds a
key with a zero, so that the shadow may grow where its primal does.  Primal and shadow have the same places as long
as they had the same keys, in the same order, when the call began: `api.containers` tests that.

Not written out, so that they end in the error for external functions: taking any entry out, and everything where
values of different sizes or counted objects occur in one program, or floats are keys.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from numba import _helperlib
from numba.core import types

from enzyme.backend import symbols
from enzyme.frontend.abi import is_differentiable
from enzyme.frontend.contents import common_size, containers_in

_NEW = re.compile(
    r"call [^@]*@numba_dict_new_sized\([^,]*,[^,]*, i64 [^,]*, i64 (?:noundef )?(\d+)\)"
)
_SPELLED = re.compile(r'(float|complex|_28|_29|_2c|"|\()')
_COUNTED_VALUES = re.compile(r"\.dict_value_(?:incref|decref)\b")
_PREFIX = "enzyme_c_"
_CALLED = ("dict_lookup", "dict_insert", "dict_new_sized", "dict_set_method_table")

# Offsets in a table: 16 entries in use, 24 bytes per key, 32 per value, 40 per entry, 48 to the first entry, from
# 96 on.
# Places: -1 none, -3 comparison of keys failed.  Status: 1 replaced, -1 no memory, -2 changed during iteration,
# -3 end of iteration, -5 comparison failed.
_TEXT = """
declare i64 @enzyme_c_dict_lookup(ptr, ptr, i64, ptr)
declare i32 @enzyme_c_dict_insert(ptr, ptr, i64, ptr, ptr)
declare i32 @enzyme_c_dict_new_sized(ptr, i64, i64, i64)
declare void @enzyme_c_dict_set_method_table(ptr, ptr)
define internal noalias ptr @enzyme_new(i64 %room, i64 %key, i64 %value) noinline nounwind willreturn {
  %out = alloca ptr, align 8
  %status = call i32 @enzyme_c_dict_new_sized(ptr %out, i64 %room, i64 %key, i64 %value)
  %failed = icmp ne i32 %status, 0
  %made = load ptr, ptr %out, align 8
  %dict = select i1 %failed, ptr null, ptr %made
  ret ptr %dict
}
define internal void @enzyme_methods(ptr %dict, ptr %methods) noinline nounwind willreturn {
  call void @enzyme_c_dict_set_method_table(ptr %dict, ptr %methods)
  ret void
}
define internal i64 @enzyme_find(ptr %dict, ptr %key, i64 %hash) noinline nounwind willreturn {
  %table.at = getelementptr inbounds i8, ptr %dict, i64 8
  %table = load ptr, ptr %table.at, align 8
  %bytes.at = getelementptr inbounds i8, ptr %table, i64 32
  %bytes = load i64, ptr %bytes.at, align 8
  %value = alloca i8, i64 %bytes, align 16
  %place = call i64 @enzyme_c_dict_lookup(ptr %dict, ptr %key, i64 %hash, ptr %value)
  ret i64 %place
}
define internal i64 @enzyme_insert(ptr %dict, ptr %key, i64 %hash) noinline nounwind willreturn {
entry:
  %table.at = getelementptr inbounds i8, ptr %dict, i64 8
  %small = load ptr, ptr %table.at, align 8
  %bytes.at = getelementptr inbounds i8, ptr %small, i64 32
  %bytes = load i64, ptr %bytes.at, align 8
  %zero = alloca i8, i64 %bytes, align 16
  %old = alloca i8, i64 %bytes, align 16
  call void @llvm.memset.p0.i64(ptr %zero, i8 0, i64 %bytes, i1 false)
  %status = call i32 @enzyme_c_dict_insert(ptr %dict, ptr %key, i64 %hash, ptr %zero, ptr %old)
  %failed = icmp slt i32 %status, 0
  br i1 %failed, label %none, label %done
done:
  %table = load ptr, ptr %table.at, align 8
  %used.at = getelementptr inbounds i8, ptr %table, i64 16
  %used = load i64, ptr %used.at, align 8
  %last = sub i64 %used, 1
  ret i64 %last
none:
  %wide = sext i32 %status to i64
  ret i64 %wide
}
define internal ptr @enzyme_entry(ptr %dict, i64 %place) alwaysinline {
  %table.at = getelementptr inbounds i8, ptr %dict, i64 8
  %table = load ptr, ptr %table.at, align 8
  %size.at = getelementptr inbounds i8, ptr %table, i64 40
  %size = load i64, ptr %size.at, align 8
  %first.at = getelementptr inbounds i8, ptr %table, i64 48
  %first = load i64, ptr %first.at, align 8
  %before = mul i64 %place, %size
  %offset = add i64 %first, %before
  %entries = getelementptr inbounds i8, ptr %table, i64 96
  %entry = getelementptr inbounds i8, ptr %entries, i64 %offset
  ret ptr %entry
}
define internal ptr @enzyme_place(ptr %dict, i64 %place) noinline nounwind willreturn memory(read) {
  %entry = call ptr @enzyme_entry(ptr %dict, i64 %place)
  %table.at = getelementptr inbounds i8, ptr %dict, i64 8
  %table = load ptr, ptr %table.at, align 8
  %key.at = getelementptr inbounds i8, ptr %table, i64 24
  %key = load i64, ptr %key.at, align 8
  %wide = add i64 %key, 15
  %offset = and i64 %wide, -8
  %value = getelementptr inbounds i8, ptr %entry, i64 %offset
  ret ptr %value
}
define internal ptr @enzyme_key(ptr %dict, i64 %place) noinline nounwind willreturn memory(read) {
  %entry = call ptr @enzyme_entry(ptr %dict, i64 %place)
  %key = getelementptr inbounds i8, ptr %entry, i64 8
  ret ptr %key
}
define internal i64 @enzyme_table(ptr %dict) noinline nounwind willreturn memory(read) {
  %table.at = getelementptr inbounds i8, ptr %dict, i64 8
  %table = load i64, ptr %table.at, align 8
  ret i64 %table
}
define internal i64 @enzyme_next(ptr %dict, i64 %start) noinline nounwind willreturn memory(read) {
entry:
  %table.at = getelementptr inbounds i8, ptr %dict, i64 8
  %table = load ptr, ptr %table.at, align 8
  %used.at = getelementptr inbounds i8, ptr %table, i64 16
  %used = load i64, ptr %used.at, align 8
  br label %look
look:
  %place = phi i64 [ %start, %entry ], [ %after, %step ]
  %inside = icmp slt i64 %place, %used
  br i1 %inside, label %test, label %end
test:
  %item = call ptr @enzyme_entry(ptr %dict, i64 %place)
  %hash = load i64, ptr %item, align 8
  %removed = icmp eq i64 %hash, -1
  br i1 %removed, label %step, label %found
step:
  %after = add i64 %place, 1
  br label %look
found:
  ret i64 %place
end:
  ret i64 -1
}
define linkonce_odr i32 @numba_dict_new_sized(ptr %out, i64 %room, i64 %key, i64 %value) alwaysinline {
  %dict = call ptr @enzyme_new(i64 %room, i64 %key, i64 %value)
  store ptr %dict, ptr %out, align 8
  %failed = icmp eq ptr %dict, null
  %status = select i1 %failed, i32 -1, i32 0
  ret i32 %status
}
define linkonce_odr void @numba_dict_set_method_table(ptr %dict, ptr %methods) alwaysinline {
  call void @enzyme_methods(ptr %dict, ptr %methods)
  ret void
}
define linkonce_odr i64 @numba_dict_length(ptr %dict) alwaysinline {
  %size = load i64, ptr %dict, align 8
  ret i64 %size
}
define linkonce_odr i64 @numba_dict_lookup(ptr %dict, ptr %key, i64 %hash, ptr %out) alwaysinline {
entry:
  %place = call i64 @enzyme_find(ptr %dict, ptr %key, i64 %hash)
  %missing = icmp slt i64 %place, 0
  br i1 %missing, label %clear, label %copy
clear:
  call void @llvm.memset.p0.i64(ptr %out, i8 0, i64 BYTES, i1 false)
  br label %done
copy:
  %value = call ptr @enzyme_place(ptr %dict, i64 %place)
  call void @llvm.memcpy.p0.p0.i64(ptr %out, ptr %value, i64 BYTES, i1 false)
  br label %done
done:
  ret i64 %place
}
define linkonce_odr i32 @numba_dict_insert(ptr %dict, ptr %key, i64 %hash, ptr %value, ptr %old) alwaysinline {
entry:
  %place = call i64 @enzyme_find(ptr %dict, ptr %key, i64 %hash)
  %known = icmp sge i64 %place, 0
  br i1 %known, label %put, label %why
why:
  %incomparable = icmp ne i64 %place, -1
  br i1 %incomparable, label %out, label %new
new:
  %made = call i64 @enzyme_insert(ptr %dict, ptr %key, i64 %hash)
  %failed = icmp slt i64 %made, 0
  br i1 %failed, label %none, label %put
none:
  %narrow = trunc i64 %made to i32
  br label %out
put:
  %where = phi i64 [ %place, %entry ], [ %made, %new ]
  %good = phi i32 [ 1, %entry ], [ 0, %new ]
  %to = call ptr @enzyme_place(ptr %dict, i64 %where)
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %value, i64 BYTES, i1 false)
  br label %out
out:
  %status = phi i32 [ -5, %why ], [ %narrow, %none ], [ %good, %put ]
  ret i32 %status
}
define linkonce_odr void @numba_dict_iter(ptr %iterator, ptr %dict) alwaysinline {
  store ptr %dict, ptr %iterator, align 8
  %table.at = getelementptr inbounds i8, ptr %iterator, i64 8
  %table = call i64 @enzyme_table(ptr %dict)
  store i64 %table, ptr %table.at, align 8
  %size.at = getelementptr inbounds i8, ptr %iterator, i64 16
  %size = load i64, ptr %dict, align 8
  store i64 %size, ptr %size.at, align 8
  %place.at = getelementptr inbounds i8, ptr %iterator, i64 24
  store i64 0, ptr %place.at, align 8
  ret void
}
define linkonce_odr i32 @numba_dict_iter_next(ptr %iterator, ptr %key, ptr %value) alwaysinline {
entry:
  %dict = load ptr, ptr %iterator, align 8
  %table.at = getelementptr inbounds i8, ptr %iterator, i64 8
  %before = load i64, ptr %table.at, align 8
  %table = call i64 @enzyme_table(ptr %dict)
  %size.at = getelementptr inbounds i8, ptr %iterator, i64 16
  %was = load i64, ptr %size.at, align 8
  %size = load i64, ptr %dict, align 8
  %same.table = icmp eq i64 %table, %before
  %same.size = icmp eq i64 %size, %was
  %same = and i1 %same.table, %same.size
  br i1 %same, label %look, label %out
look:
  %place.at = getelementptr inbounds i8, ptr %iterator, i64 24
  %start = load i64, ptr %place.at, align 8
  %place = call i64 @enzyme_next(ptr %dict, i64 %start)
  %over = icmp slt i64 %place, 0
  br i1 %over, label %out, label %give
give:
  %after = add i64 %place, 1
  store i64 %after, ptr %place.at, align 8
  %key.place = call ptr @enzyme_key(ptr %dict, i64 %place)
  store ptr %key.place, ptr %key, align 8
  %value.place = call ptr @enzyme_place(ptr %dict, i64 %place)
  store ptr %value.place, ptr %value, align 8
  br label %out
out:
  %status = phi i32 [ -2, %entry ], [ -3, %look ], [ 0, %give ]
  ret i32 %status
}
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
"""


def definitions(context: Any, text: str, argtypes: Sequence[types.Type]) -> str:
    """The functions that the program `text` may be given definitions of; "" where they stay external."""
    if "@numba_dict_" not in text:
        return ""
    size = _value_size(context, text, argtypes)
    return _TEXT.replace("BYTES", str(size)) if size else ""


def _value_size(context: Any, text: str, argtypes: Sequence[types.Type]) -> int:
    """Bytes per value of all dictionaries of the program; 0 if they differ, are not known, or are counted."""
    found = list(containers_in(argtypes, types.DictType))
    if _COUNTED_VALUES.search(text) or _has_float_keys(text) or None in found:
        return 0
    if any(is_differentiable(ty.key_type) for ty in found):
        return 0
    return common_size(context, map(int, _NEW.findall(text)), [ty.value_type for ty in found])


def _has_float_keys(text: str) -> bool:
    """Does a dictionary type in the names of numba's functions have floats among its keys?

    The names spell types with codes for brackets and commas: ``DictType_5bint64_2cfloat64_5d``.
    """
    for tail in text.split("DictType_5b")[1:]:
        depth = 0
        for part in _SPELLED.split(tail[:2000]):
            if part in ("float", "complex"):
                return True
            depth += {"_28": 1, "_29": -1}.get(part, 0)
            if part in ("_2c", '"', "(") and depth <= 0:
                break
    return False


def register_for(derivative: str) -> None:
    """Let every JIT of the process find the C functions under the names that the derivative calls."""
    if f"@{_PREFIX}" in derivative:
        for name in _CALLED:
            symbols.register(_PREFIX + name, _helperlib.c_helpers[name])
