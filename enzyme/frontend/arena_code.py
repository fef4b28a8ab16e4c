"""Machine code of the arena and the pool; see `arena`."""

from __future__ import annotations

from enzyme.backend.emit import called_by, defined_by, object_of, optimised
from enzyme.engine.synthesis.arena import arena_text
from enzyme.frontend.numba_compat.layouts import MEMINFO, placed
from enzyme.frontend.pieces import Piece
from enzyme.frontend.runtime_model import NUMBA

# As numba's functions, but for where memory comes from. Nothing asks for objects to grow.
_OBJECTS = """
@enzyme_objects = internal constant { ptr, ptr, ptr, ptr }
  { ptr @enzyme_object_room, ptr @enzyme_object_wider, ptr @enzyme_object_gone, ptr null }
declare ptr @enzyme_numba_object(i64, ptr)

define internal ptr @enzyme_object_room(i64 %size, ptr %opaque) {
  %room = call ptr @enzyme_take(i64 %size)
  ret ptr %room
}

define internal ptr @enzyme_object_wider(ptr %room, i64 %size, ptr %opaque) {
  %wider = call ptr @enzyme_widen(ptr %room, i64 %size)
  ret ptr %wider
}

define internal void @enzyme_object_gone(ptr %room, ptr %opaque) {
  call void @enzyme_give(ptr %room)
  ret void
}

define noalias ptr @enzyme_new_object(i64 %size) nounwind {
  %made = call ptr @enzyme_numba_object(i64 %size, ptr @enzyme_objects)
  ret ptr %made
}

define noalias ptr @enzyme_new_aligned_object(i64 %size, i32 %align) nounwind {
entry:
  %boundary = zext i32 %align to i64
  %twice = shl i64 %boundary, 1
  %wide = add i64 %size, %twice
  %made = call ptr @enzyme_numba_object(i64 %wide, ptr @enzyme_objects)
  %none = icmp eq ptr %made, null
  br i1 %none, label %out, label %align.data
align.data:
  %data.at = getelementptr i8, ptr %made, i64 $meminfo_data
  %data = load ptr, ptr %data.at
  %address = ptrtoint ptr %data to i64
  %least = sub i64 %boundary, 1
  %beyond = add i64 %address, %least
  %past = urem i64 %beyond, %boundary
  %aligned = sub i64 %beyond, %past
  %first = inttoptr i64 %aligned to ptr
  store ptr %first, ptr %data.at
  %size.at = getelementptr i8, ptr %made, i64 $meminfo_size
  store i64 %size, ptr %size.at
  br label %out
out:
  ret ptr %made
}
"""


def make() -> Piece:
    """Compile it."""
    module = optimised(arena_text(NUMBA) + placed(_OBJECTS, meminfo=MEMINFO))
    return Piece(object_of(module), defined_by(module), called_by(module))
