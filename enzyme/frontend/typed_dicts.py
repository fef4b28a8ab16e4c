"""Numba's typed dictionary in LLVM IR: its C functions, written so that values can be differentiated.

A dictionary is a count and, at offset 8, the address of its table: sizes, then entries in the order of insertion,
each a hash, a key and a value.  Searching, inserting and removing remain calls of the C functions; keys are
constants.  Values move when a dictionary grows, so these functions stay calls (the engine is told of them, see
`runtime_model`): `enzyme_find` gives the place of a key, `enzyme_place` the address of the value at a place,
`enzyme_insert` adds a key with a zero, so that the shadow may grow where its primal does, and `enzyme_remove` takes
one out.  Primal and shadow have the same places as long as they had the same keys at the same places when the call
began (`api.containers` tests that), and an entry keeps its place: where numba would close the gaps that removed keys
leave, `enzyme_regrow` makes room and keeps them.  C fills unused places with ones; in a larger table they are zero,
for the reverse pass still comes to the places of what was removed.  What is done to values is written by their type
(`dict_operations`).
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from enzyme.backend import symbols
from enzyme.frontend.numba_compat.layouts import (
    DICT,
    ENTRY,
    ITERATOR,
    TABLE,
    container_function,
    placed,
)
from enzyme.frontend.typed_lists import plain_end

_PREFIX = "enzyme_c_"
_CALLED = ("dict_lookup", "dict_insert", "dict_new_sized", "dict_set_method_table", "dict_delitem")

# Places: -1 none, -3 comparison of keys failed.  Status: 1 replaced, -1 no memory, -2 changed during iteration,
# -3 end of iteration, -5 comparison failed.
_TEXT = placed(
    """
declare i64 @enzyme_c_dict_lookup(ptr, ptr, i64, ptr)
declare i32 @enzyme_c_dict_insert(ptr, ptr, i64, ptr, ptr)
declare i32 @enzyme_c_dict_new_sized(ptr, i64, i64, i64)
declare void @enzyme_c_dict_set_method_table(ptr, ptr)
declare i32 @enzyme_c_dict_delitem(ptr, i64, i64)
declare void @numba_dict_free(ptr)
declare void @llvm.sideeffect()
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
  %table.at = getelementptr inbounds i8, ptr %dict, i64 $dict_table
  %table = load ptr, ptr %table.at, align 8
  %bytes.at = getelementptr inbounds i8, ptr %table, i64 $table_value_bytes
  %bytes = load i64, ptr %bytes.at, align 8
  %value = alloca i8, i64 %bytes, align 16
  %place = call i64 @enzyme_c_dict_lookup(ptr %dict, ptr %key, i64 %hash, ptr %value)
  ret i64 %place
}
define internal i64 @enzyme_insert(ptr %dict, ptr %key, i64 %hash) noinline nounwind willreturn {
entry:
  %table.at = getelementptr inbounds i8, ptr %dict, i64 $dict_table
  %small = load ptr, ptr %table.at, align 8
  %bytes.at = getelementptr inbounds i8, ptr %small, i64 $table_value_bytes
  %bytes = load i64, ptr %bytes.at, align 8
  %zero = alloca i8, i64 %bytes, align 16
  %old = alloca i8, i64 %bytes, align 16
  %room.at = getelementptr inbounds i8, ptr %small, i64 $table_room
  %room = load i64, ptr %room.at, align 8
  %full = icmp sle i64 %room, 0
  br i1 %full, label %count, label %add
count:
  %held = load i64, ptr %dict, align 8
  %places.at = getelementptr inbounds i8, ptr %small, i64 $table_used
  %places = load i64, ptr %places.at, align 8
  %gaps = icmp ne i64 %held, %places
  br i1 %gaps, label %regrow, label %add
regrow:
  %grown = call i32 @enzyme_regrow(ptr %dict)
  %short = icmp slt i32 %grown, 0
  br i1 %short, label %none, label %add
add:
  call void @llvm.memset.p0.i64(ptr %zero, i8 0, i64 %bytes, i1 false)
  %status = call i32 @enzyme_c_dict_insert(ptr %dict, ptr %key, i64 %hash, ptr %zero, ptr %old)
  %failed = icmp slt i32 %status, 0
  br i1 %failed, label %none, label %done
done:
  %table = load ptr, ptr %table.at, align 8
  %used.at = getelementptr inbounds i8, ptr %table, i64 $table_used
  %used = load i64, ptr %used.at, align 8
  %last = sub i64 %used, 1
  %stays = icmp eq ptr %table, %small
  br i1 %stays, label %out, label %clear
clear:
  call void @enzyme_clear_behind(ptr %dict, i64 %used)
  br label %out
out:
  ret i64 %last
none:
  %why = phi i32 [ -1, %regrow ], [ %status, %add ]
  %wide = sext i32 %why to i64
  ret i64 %wide
}
define internal ptr @enzyme_entry(ptr %dict, i64 %place) alwaysinline {
  %table.at = getelementptr inbounds i8, ptr %dict, i64 $dict_table
  %table = load ptr, ptr %table.at, align 8
  %size.at = getelementptr inbounds i8, ptr %table, i64 $table_entry_bytes
  %size = load i64, ptr %size.at, align 8
  %first.at = getelementptr inbounds i8, ptr %table, i64 $table_first_entry
  %first = load i64, ptr %first.at, align 8
  %before = mul i64 %place, %size
  %offset = add i64 %first, %before
  %entries = getelementptr inbounds i8, ptr %table, i64 $table_table_size
  %entry = getelementptr inbounds i8, ptr %entries, i64 %offset
  ret ptr %entry
}
define internal void @enzyme_clear_behind(ptr %dict, i64 %place) {
  %table.at = getelementptr inbounds i8, ptr %dict, i64 $dict_table
  %table = load ptr, ptr %table.at, align 8
  %room.at = getelementptr inbounds i8, ptr %table, i64 $table_room
  %room = load i64, ptr %room.at, align 8
  %size.at = getelementptr inbounds i8, ptr %table, i64 $table_entry_bytes
  %size = load i64, ptr %size.at, align 8
  %bytes = mul i64 %room, %size
  %first = call ptr @enzyme_entry(ptr %dict, i64 %place)
  call void @llvm.memset.p0.i64(ptr %first, i8 0, i64 %bytes, i1 false)
  ret void
}
define internal ptr @enzyme_place(ptr %dict, i64 %place) noinline nounwind willreturn memory(read) {
  %entry = call ptr @enzyme_entry(ptr %dict, i64 %place)
  %table.at = getelementptr inbounds i8, ptr %dict, i64 $dict_table
  %table = load ptr, ptr %table.at, align 8
  %key.at = getelementptr inbounds i8, ptr %table, i64 $table_key_bytes
  %key = load i64, ptr %key.at, align 8
  %wide = add i64 %key, $entry_to_value
  %offset = and i64 %wide, -8
  %value = getelementptr inbounds i8, ptr %entry, i64 %offset
  ret ptr %value
}
define internal ptr @enzyme_key(ptr %dict, i64 %place) noinline nounwind willreturn memory(read) {
  %entry = call ptr @enzyme_entry(ptr %dict, i64 %place)
  %key = getelementptr inbounds i8, ptr %entry, i64 $entry_key
  ret ptr %key
}
define internal i64 @enzyme_table(ptr %dict) noinline nounwind willreturn memory(read) {
  %table.at = getelementptr inbounds i8, ptr %dict, i64 $dict_table
  %table = load i64, ptr %table.at, align 8
  ret i64 %table
}
define internal i64 @enzyme_next(ptr %dict, i64 %start) noinline nounwind willreturn memory(read) {
entry:
  %table.at = getelementptr inbounds i8, ptr %dict, i64 $dict_table
  %table = load ptr, ptr %table.at, align 8
  %used.at = getelementptr inbounds i8, ptr %table, i64 $table_used
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
define internal void @enzyme_used_as_key_double(double %part) noinline nounwind willreturn {
  call void @llvm.sideeffect()
  ret void
}
define internal void @enzyme_used_as_key_float(float %part) noinline nounwind willreturn {
  call void @llvm.sideeffect()
  ret void
}
define internal i64 @enzyme_hash(ptr %dict, i64 %place) noinline nounwind willreturn memory(read) {
  %entry = call ptr @enzyme_entry(ptr %dict, i64 %place)
  %hash = load i64, ptr %entry, align 8
  ret i64 %hash
}
define internal i64 @enzyme_last(ptr %dict) noinline nounwind willreturn memory(read) {
entry:
  %table.at = getelementptr inbounds i8, ptr %dict, i64 $dict_table
  %table = load ptr, ptr %table.at, align 8
  %used.at = getelementptr inbounds i8, ptr %table, i64 $table_used
  %used = load i64, ptr %used.at, align 8
  br label %look
look:
  %behind = phi i64 [ %used, %entry ], [ %place, %test ]
  %place = sub i64 %behind, 1
  %none = icmp slt i64 %place, 0
  br i1 %none, label %out, label %test
test:
  %item = call ptr @enzyme_entry(ptr %dict, i64 %place)
  %hash = load i64, ptr %item, align 8
  %removed = icmp eq i64 %hash, -1
  br i1 %removed, label %look, label %out
out:
  ret i64 %place
}
define internal i32 @enzyme_remove(ptr %dict, i64 %hash, i64 %place) noinline nounwind willreturn {
entry:
  %status = call i32 @enzyme_c_dict_delitem(ptr %dict, i64 %hash, i64 %place)
  %last = call i64 @enzyme_last(ptr %dict)
  %used = add i64 %last, 1
  %table.at = getelementptr inbounds i8, ptr %dict, i64 $dict_table
  %table = load ptr, ptr %table.at, align 8
  %used.at = getelementptr inbounds i8, ptr %table, i64 $table_used
  store i64 %used, ptr %used.at, align 8
  ret i32 %status
}
define internal i32 @enzyme_regrow(ptr %dict) noinline nounwind {
entry:
  %out = alloca ptr, align 8
  %table.at = getelementptr inbounds i8, ptr %dict, i64 $dict_table
  %table = load ptr, ptr %table.at, align 8
  %used.at = getelementptr inbounds i8, ptr %table, i64 $table_used
  %used = load i64, ptr %used.at, align 8
  %key.at = getelementptr inbounds i8, ptr %table, i64 $table_key_bytes
  %key = load i64, ptr %key.at, align 8
  %bytes.at = getelementptr inbounds i8, ptr %table, i64 $table_value_bytes
  %bytes = load i64, ptr %bytes.at, align 8
  %twice = shl i64 %used, 1
  %room = add i64 %twice, 8
  %old = alloca i8, i64 %bytes, align 16
  %failure = call i32 @enzyme_c_dict_new_sized(ptr %out, i64 %room, i64 %key, i64 %bytes)
  %failed = icmp ne i32 %failure, 0
  br i1 %failed, label %none, label %start
none:
  ret i32 -1
start:
  %wide = add i64 %key, $entry_to_value
  %offset = and i64 %wide, -8
  %made = load ptr, ptr %out, align 8
  %new.at = getelementptr inbounds i8, ptr %made, i64 $dict_table
  %new = load ptr, ptr %new.at, align 8
  %new.used.at = getelementptr inbounds i8, ptr %new, i64 $table_used
  %new.room.at = getelementptr inbounds i8, ptr %new, i64 $table_room
  call void @enzyme_clear_behind(ptr %made, i64 0)
  br label %test
test:
  %place = phi i64 [ 0, %start ], [ %next, %step ]
  %more = icmp slt i64 %place, %used
  br i1 %more, label %entry.at, label %swap
entry.at:
  %from = call ptr @enzyme_entry(ptr %dict, i64 %place)
  %hash = load i64, ptr %from, align 8
  %gap = icmp eq i64 %hash, -1
  br i1 %gap, label %skip, label %copy
skip:
  %after = add i64 %place, 1
  store i64 %after, ptr %new.used.at, align 8
  %left = load i64, ptr %new.room.at, align 8
  %less = sub i64 %left, 1
  store i64 %less, ptr %new.room.at, align 8
  %to = call ptr @enzyme_entry(ptr %made, i64 %place)
  store i64 -1, ptr %to, align 8
  br label %step
copy:
  %from.key = getelementptr inbounds i8, ptr %from, i64 $entry_key
  %from.value = getelementptr inbounds i8, ptr %from, i64 %offset
  %copied = call i32 @enzyme_c_dict_insert(ptr %made, ptr %from.key, i64 %hash, ptr %from.value, ptr %old)
  store i64 -1, ptr %from, align 8
  br label %step
step:
  %next = add i64 %place, 1
  br label %test
swap:
  %methods = getelementptr inbounds i8, ptr %table, i64 $table_methods
  %new.methods = getelementptr inbounds i8, ptr %new, i64 $table_methods
  call void @llvm.memcpy.p0.p0.i64(ptr %new.methods, ptr %methods, i64 $table_methods_size, i1 false)
  store ptr %new, ptr %table.at, align 8
  store ptr %table, ptr %new.at, align 8
  call void @numba_dict_free(ptr %made)
  ret i32 0
}
define internal void @enzyme_dict_free(ptr %dict) noinline nounwind {
  call void @numba_dict_free(ptr %dict)
  ret void
}
define internal void @enzyme_dict_end(ptr %owner, i64 %size, ptr %unused) nounwind {
entry:
  %dict = load ptr, ptr %owner, align 8
  %none = icmp eq ptr %dict, null
  br i1 %none, label %done, label %there
there:
  %bare = icmp eq i64 %size, 0
  br i1 %bare, label %keep, label %free
keep:
  %table.at = getelementptr inbounds i8, ptr %dict, i64 $dict_table
  %table = load ptr, ptr %table.at, align 8
  %release.at = getelementptr inbounds i8, ptr %table, i64 $table_release
  store ptr null, ptr %release.at, align 8
  br label %free
free:
  call void @enzyme_dict_free(ptr %dict)
  br label %done
done:
  ret void
}
define linkonce_odr void @numba_dict_iter(ptr %iterator, ptr %dict) alwaysinline {
  store ptr %dict, ptr %iterator, align 8
  %table.at = getelementptr inbounds i8, ptr %iterator, i64 $iterator_table
  %table = call i64 @enzyme_table(ptr %dict)
  store i64 %table, ptr %table.at, align 8
  %size.at = getelementptr inbounds i8, ptr %iterator, i64 $iterator_count
  %size = load i64, ptr %dict, align 8
  store i64 %size, ptr %size.at, align 8
  %place.at = getelementptr inbounds i8, ptr %iterator, i64 $iterator_place
  store i64 0, ptr %place.at, align 8
  ret void
}
define linkonce_odr i32 @numba_dict_iter_next(ptr %iterator, ptr %key, ptr %value) alwaysinline {
entry:
  %dict = load ptr, ptr %iterator, align 8
  %table.at = getelementptr inbounds i8, ptr %iterator, i64 $iterator_table
  %before = load i64, ptr %table.at, align 8
  %table = call i64 @enzyme_table(ptr %dict)
  %size.at = getelementptr inbounds i8, ptr %iterator, i64 $iterator_count
  %was = load i64, ptr %size.at, align 8
  %size = load i64, ptr %dict, align 8
  %same.table = icmp eq i64 %table, %before
  %same.size = icmp eq i64 %size, %was
  %same = and i1 %same.table, %same.size
  br i1 %same, label %look, label %out
look:
  %place.at = getelementptr inbounds i8, ptr %iterator, i64 $iterator_place
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
    + plain_end("dict"),
    dict=DICT,
    table=TABLE,
    entry=ENTRY,
    iterator=ITERATOR,
)


def definitions(text: str) -> str:
    """The functions that a program calls, whose symbols `text` has; "" if it has no typed dictionary."""
    return _TEXT if "@numba_dict_" in text or "@enzyme_find" in text else ""


def register_for(derivative: str) -> None:
    """Let every JIT of the process find the C functions under the names that the derivative calls."""
    if f"@{_PREFIX}" in derivative:
        for name in _CALLED:
            symbols.register(_PREFIX + name, container_function(name))
