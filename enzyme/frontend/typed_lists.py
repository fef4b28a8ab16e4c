"""Numba's typed list in LLVM IR: its C functions, written so that they can be differentiated.

The list is a header (length, bytes per item, room, whether it may change, two functions for counted items) and
the address of its items.  Two functions stay calls, because items move when a list grows:
`enzyme_items` asks for their address, `enzyme_resize` changes the length.  The engine is told of both
(`runtime_model`): the reverse pass asks a shadow for its items anew, so a shadow may grow where its primal does.  New
items of a shadow must be zero: room that is added is filled with zeros here, the room that an argument has when the
call begins is cleared by `api.containers`.

Unlike the C functions these never give room back.  What is done to items is written by their type
(`list_operations`); the header has numba's functions that count them, for C and for the end of a list.
"""

from __future__ import annotations

from enzyme.frontend.numba_compat.layouts import LIST, placed


def plain_end(kind: str) -> str:
    """The end of an object that owns a list or a dictionary in which no references are counted. A shadow of which
    nothing was made yet owns none."""
    return f"""
define internal void @enzyme_plain_{kind}_end(ptr %place, i64 %size, ptr %unused) nounwind {{
entry:
  %owned = load ptr, ptr %place, align 8
  %none = icmp eq ptr %owned, null
  br i1 %none, label %done, label %free
free:
  call void @numba_{kind}_free(ptr %owned)
  br label %done
done:
  ret void
}}
"""


# -1: index, -2: no memory, -3: changed during iteration, -4: end of iteration, -5: not mutable.
_TEXT = placed(
    """
declare ptr @realloc(ptr, i64)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define internal ptr @enzyme_items(ptr %list) noinline nounwind willreturn memory(argmem: read) {
  %at = getelementptr inbounds i8, ptr %list, i64 $list_items
  %items = load ptr, ptr %at, align 8
  ret ptr %items
}
define linkonce_odr ptr @numba_list_base_ptr(ptr %list) alwaysinline {
  %items = call ptr @enzyme_items(ptr %list)
  ret ptr %items
}
define linkonce_odr i64 @numba_list_size_address(ptr %list) alwaysinline {
  %address = ptrtoint ptr %list to i64
  ret i64 %address
}
define linkonce_odr i64 @numba_list_length(ptr %list) alwaysinline {
  %size = load i64, ptr %list, align 8
  ret i64 %size
}
define linkonce_odr i64 @numba_list_allocated(ptr %list) alwaysinline {
  %at = getelementptr inbounds i8, ptr %list, i64 $list_room
  %room = load i64, ptr %at, align 8
  ret i64 %room
}
define linkonce_odr i32 @numba_list_is_mutable(ptr %list) alwaysinline {
  %at = getelementptr inbounds i8, ptr %list, i64 $list_mutable
  %mutable = load i32, ptr %at, align 8
  ret i32 %mutable
}
define linkonce_odr void @numba_list_set_is_mutable(ptr %list, i64 %mutable) alwaysinline {
  %at = getelementptr inbounds i8, ptr %list, i64 $list_mutable
  %word = trunc i64 %mutable to i32
  store i32 %word, ptr %at, align 8
  ret void
}
declare noalias ptr @malloc(i64)
define internal i32 @enzyme_resize(ptr %list, i64 %size) noinline nounwind willreturn {
entry:
  %room.at = getelementptr inbounds i8, ptr %list, i64 $list_room
  %room = load i64, ptr %room.at, align 8
  %fits = icmp sge i64 %room, %size
  br i1 %fits, label %done, label %check
check:
  %huge = icmp ugt i64 %size, 1099511627776
  br i1 %huge, label %none, label %grow
grow:
  %eighth = lshr i64 %size, 3
  %more = add i64 %eighth, 6
  %new.room = add i64 %size, %more
  %bytes.at = getelementptr inbounds i8, ptr %list, i64 $list_bytes
  %bytes = load i64, ptr %bytes.at, align 8
  %old.length = mul i64 %room, %bytes
  %length = mul i64 %new.room, %bytes
  %wide = add i64 %length, 7
  %aligned = and i64 %wide, -8
  %items.at = getelementptr inbounds i8, ptr %list, i64 $list_items
  %items = load ptr, ptr %items.at, align 8
  %moved = call ptr @realloc(ptr %items, i64 %aligned)
  %failed = icmp eq ptr %moved, null
  br i1 %failed, label %none, label %use
use:
  %added = sub i64 %length, %old.length
  %fresh = getelementptr inbounds i8, ptr %moved, i64 %old.length
  call void @llvm.memset.p0.i64(ptr %fresh, i8 0, i64 %added, i1 false)
  store ptr %moved, ptr %items.at, align 8
  store i64 %new.room, ptr %room.at, align 8
  br label %done
done:
  store i64 %size, ptr %list, align 8
  ret i32 0
none:
  ret i32 -2
}
define linkonce_odr i32 @numba_list_resize(ptr %list, i64 %size) alwaysinline {
entry:
  %mutable = call i32 @numba_list_is_mutable(ptr %list)
  %fixed = icmp eq i32 %mutable, 0
  br i1 %fixed, label %out, label %go
go:
  %status = call i32 @enzyme_resize(ptr %list, i64 %size)
  br label %out
out:
  %result = phi i32 [ -5, %entry ], [ %status, %go ]
  ret i32 %result
}
define linkonce_odr i32 @numba_list_new(ptr %out, i64 %bytes, i64 %room) alwaysinline {
entry:
  %list = call ptr @malloc(i64 $list_list_size)
  %failed = icmp eq ptr %list, null
  br i1 %failed, label %none, label %fill
fill:
  store i64 0, ptr %list, align 8
  %bytes.at = getelementptr inbounds i8, ptr %list, i64 $list_bytes
  store i64 %bytes, ptr %bytes.at, align 8
  %room.at = getelementptr inbounds i8, ptr %list, i64 $list_room
  store i64 0, ptr %room.at, align 8
  %mutable.at = getelementptr inbounds i8, ptr %list, i64 $list_mutable
  store i32 1, ptr %mutable.at, align 8
  %incref.at = getelementptr inbounds i8, ptr %list, i64 $list_retain
  store ptr null, ptr %incref.at, align 8
  %decref.at = getelementptr inbounds i8, ptr %list, i64 $list_release
  store ptr null, ptr %decref.at, align 8
  %items.at = getelementptr inbounds i8, ptr %list, i64 $list_items
  store ptr null, ptr %items.at, align 8
  %wanted = icmp eq i64 %room, 0
  br i1 %wanted, label %done, label %reserve
reserve:
  %status = call i32 @enzyme_resize(ptr %list, i64 %room)
  %short = icmp slt i32 %status, 0
  br i1 %short, label %none, label %empty
empty:
  store i64 0, ptr %list, align 8
  br label %done
done:
  store ptr %list, ptr %out, align 8
  ret i32 0
none:
  ret i32 -2
}
define linkonce_odr void @numba_list_set_method_table(ptr %list, ptr %methods) alwaysinline {
  %retain = load ptr, ptr %methods, align 8
  %release.of = getelementptr inbounds i8, ptr %methods, i64 8
  %release = load ptr, ptr %release.of, align 8
  %retain.at = getelementptr inbounds i8, ptr %list, i64 $list_retain
  store ptr %retain, ptr %retain.at, align 8
  %release.at = getelementptr inbounds i8, ptr %list, i64 $list_release
  store ptr %release, ptr %release.at, align 8
  ret void
}
declare void @numba_list_free(ptr)
define internal void @enzyme_list_free(ptr %list) noinline nounwind {
  call void @numba_list_free(ptr %list)
  ret void
}
define internal void @enzyme_list_end(ptr %place, i64 %size, ptr %unused) nounwind {
entry:
  %list = load ptr, ptr %place, align 8
  %none = icmp eq ptr %list, null
  br i1 %none, label %done, label %there
there:
  %bare = icmp eq i64 %size, 0
  br i1 %bare, label %keep, label %free
keep:
  %release.at = getelementptr inbounds i8, ptr %list, i64 $list_release
  store ptr null, ptr %release.at, align 8
  br label %free
free:
  call void @enzyme_list_free(ptr %list)
  br label %done
done:
  ret void
}
"""
    + plain_end("list"),
    list=LIST,
)


def definitions(text: str) -> str:
    """The functions that a program calls, whose symbols `text` has; "" if it has no typed list."""
    return _TEXT if "@numba_list_" in text or "@enzyme_items" in text else ""
