"""The arena, in LLVM IR.

The *arena* of one derivative call owns everything that must live until the reverse pass is over: cache storage
(a doubly linked list of blocks) and held runtime objects (a growing array of pointers).  It is emptied in one
place, whether the call succeeds or fails, so no path can leak.  How memory is had and objects are counted says the
`RuntimeModel`.  A held object carries a tag in its low bits: PLAIN memory is freed, anything else is a reference
counted object of the runtime; an UNESCAPED object's count
is set to one after a failure before it is released, because the primal does not release what it owns when it
raises.  What a HOLDER refers to (the arrays in a list) is then not released with it: the arena holds that too.
An OWNER has memory besides: its own function for the end is told by a size of zero to free that and no more.
For the same reason references that the primal took to its arguments are counted and let go of after a failure.

When the list of held objects cannot grow, the object is retained for good: lost, but never freed too early.

Blocks of more than a page go back to a small pool shared by all calls, so that a second call of a gradient finds
its memory warm; blocks below and above 64 KiB have slots of their own, lest many small ones keep a large one out.
The pool is lock free (slots are exchanged atomically).  Growing storage doubles while it is small and grows by half
from a mebibyte on, so that it is never much larger than what it holds.

A process that makes many derivatives links one copy of the arena (`arena_text`) and the modules only declare it;
a module that must stand alone gets the functions as its own.
"""

from __future__ import annotations

from string import Template

from enzyme.engine.ir.runtime_model import CountedObjects, RuntimeModel
from enzyme.engine.ir.types import I1, I64, PTR, VOID, Type, struct_type

# An arena: first block, held objects, their number, room for them.
ARENA_TYPE = struct_type([PTR, PTR, I64, I64])
ARENA_BYTES = 32
GROWN_TYPE = struct_type([PTR, I64])

UNESCAPED, PLAIN, HOLDER, OWNER = 1, 2, 3, 5

SIGNATURES: dict[str, tuple[Type, list[Type], str]] = {
    "enzyme_allocate": (PTR, [PTR, I64], "nounwind"),
    "enzyme_grow": (GROWN_TYPE, [PTR, PTR, I64, I64], "nounwind cold"),
    "enzyme_hold": (VOID, [PTR, PTR, I64], "nounwind"),
    "enzyme_open": (PTR, [], "nounwind"),
    "enzyme_close": (VOID, [PTR, I1], "nounwind"),
    "enzyme_release": (VOID, [PTR, I1], "nounwind"),
    "enzyme_release_many": (VOID, [PTR, I64], "nounwind cold"),
    "enzyme_discard": (VOID, [PTR, I64], "nounwind cold"),
    "enzyme_adopt": (VOID, [PTR, PTR], "nounwind"),
    "enzyme_end_all": (VOID, [PTR, I64], "nounwind cold"),
}

# A block: next, back (address of what points here), bytes of data, unused; then the data.
_ARENA = """
@enzyme_pool = internal global [24 x ptr] zeroinitializer

declare noalias ptr @$malloc(i64)
declare ptr @$realloc(ptr, i64)
declare void @$free(ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare i64 @llvm.umax.i64(i64, i64)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
$declarations

define internal ptr @enzyme_take(i64 %size, i64 %limit) noinline {
entry:
  %small = icmp ult i64 %size, 65536
  %first = select i1 %small, i64 8, i64 0
  %end = select i1 %small, i64 24, i64 8
  br label %slot
slot:
  %k = phi i64 [ %first, %entry ], [ %k.next, %next ]
  %place = getelementptr ptr, ptr @enzyme_pool, i64 %k
  %seen = load ptr, ptr %place
  %none = icmp eq ptr %seen, null
  br i1 %none, label %next, label %grab
grab:
  %block = atomicrmw xchg ptr %place, ptr null acq_rel
  %lost = icmp eq ptr %block, null
  br i1 %lost, label %next, label %judge
judge:
  %size.at = getelementptr i8, ptr %block, i64 16
  %has = load i64, ptr %size.at
  %enough = icmp uge i64 %has, %size
  %modest = icmp ule i64 %has, %limit
  %fits = and i1 %enough, %modest
  br i1 %fits, label %found, label %back
back:
  %put = cmpxchg ptr %place, ptr null, ptr %block acq_rel acquire
  %kept = extractvalue { ptr, i1 } %put, 1
  br i1 %kept, label %next, label %drop
drop:
  call void @$free(ptr %block)
  br label %next
next:
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, %end
  br i1 %more, label %slot, label %nothing
found:
  ret ptr %block
nothing:
  ret ptr null
}

define internal void @enzyme_give(ptr %block) noinline {
entry:
  %size.at = getelementptr i8, ptr %block, i64 16
  %has = load i64, ptr %size.at
  %kept.size = icmp uge i64 %has, $pooled
  %small = icmp ult i64 %has, 65536
  %first = select i1 %small, i64 8, i64 0
  %end = select i1 %small, i64 24, i64 8
  br i1 %kept.size, label %slot, label %drop
slot:
  %k = phi i64 [ %first, %entry ], [ %k.next, %next ]
  %place = getelementptr ptr, ptr @enzyme_pool, i64 %k
  %seen = load ptr, ptr %place
  %none = icmp eq ptr %seen, null
  br i1 %none, label %try, label %next
try:
  %put = cmpxchg ptr %place, ptr null, ptr %block acq_rel acquire
  %kept = extractvalue { ptr, i1 } %put, 1
  br i1 %kept, label %done, label %next
next:
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, %end
  br i1 %more, label %slot, label %drop
drop:
  call void @$free(ptr %block)
  br label %done
done:
  ret void
}

define internal ptr @enzyme_link(ptr %arena, ptr %block) {
entry:
  %first = load ptr, ptr %arena
  store ptr %first, ptr %block
  %back = getelementptr i8, ptr %block, i64 8
  store ptr %arena, ptr %back
  store ptr %block, ptr %arena
  %alone = icmp eq ptr %first, null
  br i1 %alone, label %done, label %relink
relink:
  %theirs = getelementptr i8, ptr %first, i64 8
  store ptr %block, ptr %theirs
  br label %done
done:
  %data = getelementptr i8, ptr %block, i64 32
  ret ptr %data
}

define $linkage noalias ptr @enzyme_allocate(ptr %arena, i64 %size) nounwind noinline {
entry:
  %overflow = icmp ugt i64 %size, 1152921504606846976
  br i1 %overflow, label %failed, label %sized
sized:
  %pooled = icmp uge i64 %size, 4096
  br i1 %pooled, label %pool, label %get
pool:
  %limit = shl i64 %size, 2
  %warm = call ptr @enzyme_take(i64 %size, i64 %limit)
  %cold = icmp eq ptr %warm, null
  br i1 %cold, label %get, label %use
get:
  %wide = add i64 %size, 32
  %block = call ptr @$malloc(i64 %wide)
  %none = icmp eq ptr %block, null
  br i1 %none, label %failed, label %fresh
fresh:
  %size.at = getelementptr i8, ptr %block, i64 16
  store i64 %size, ptr %size.at
  br label %use
use:
  %got = phi ptr [ %warm, %pool ], [ %block, %fresh ]
  %data = call ptr @enzyme_link(ptr %arena, ptr %got)
  ret ptr %data
failed:
  ret ptr null
}

define $linkage { ptr, i64 } @enzyme_grow(ptr %arena, ptr %old, i64 %capacity, i64 %entry.size) nounwind cold noinline {
entry:
  %held = mul i64 %capacity, %entry.size
  %plenty = icmp uge i64 %held, 1048576
  %half = lshr i64 %capacity, 1
  %step = select i1 %plenty, i64 %half, i64 %capacity
  %wider = add i64 %capacity, %step
  %empty = icmp eq i64 %capacity, 0
  %heavy = icmp uge i64 %entry.size, 1024
  %first = select i1 %heavy, i64 4, i64 32
  %more = select i1 %empty, i64 %first, i64 %wider
  %size = mul i64 %more, %entry.size
  br i1 %empty, label %new, label %again
new:
  %made = call ptr @enzyme_allocate(ptr %arena, i64 %size)
  %n0 = insertvalue { ptr, i64 } undef, ptr %made, 0
  %n1 = insertvalue { ptr, i64 } %n0, i64 %more, 1
  ret { ptr, i64 } %n1
again:
  %block = getelementptr i8, ptr %old, i64 -32
  %next = load ptr, ptr %block
  %back.at = getelementptr i8, ptr %block, i64 8
  %back = load ptr, ptr %back.at
  %pooled = icmp uge i64 %size, 4064
  br i1 %pooled, label %pool, label %move
pool:
  %close = call ptr @enzyme_take(i64 %size, i64 -1)
  %distant = icmp eq ptr %close, null
  br i1 %distant, label %larger, label %copy
larger:
  %much = call i64 @llvm.umax.i64(i64 %size, i64 65536)
  %found = call ptr @enzyme_take(i64 %much, i64 -1)
  %cold = icmp eq ptr %found, null
  br i1 %cold, label %move, label %copy
copy:
  %warm = phi ptr [ %close, %pool ], [ %found, %larger ]
  %target = getelementptr i8, ptr %warm, i64 32
  %used = mul i64 %capacity, %entry.size
  call void @llvm.memcpy.p0.p0.i64(ptr %target, ptr %old, i64 %used, i1 false)
  call void @enzyme_give(ptr %block)
  br label %link
move:
  %wide = add i64 %size, 32
  %moved = call ptr @$realloc(ptr %block, i64 %wide)
  %none = icmp eq ptr %moved, null
  br i1 %none, label %failed, label %sized
sized:
  %size.at = getelementptr i8, ptr %moved, i64 16
  store i64 %size, ptr %size.at
  br label %link
link:
  %now = phi ptr [ %warm, %copy ], [ %moved, %sized ]
  store ptr %next, ptr %now
  %now.back = getelementptr i8, ptr %now, i64 8
  store ptr %back, ptr %now.back
  store ptr %now, ptr %back
  %last = icmp eq ptr %next, null
  br i1 %last, label %done, label %relink
relink:
  %theirs = getelementptr i8, ptr %next, i64 8
  store ptr %now, ptr %theirs
  br label %done
done:
  %now.size.at = getelementptr i8, ptr %now, i64 16
  %now.size = load i64, ptr %now.size.at
  %room = udiv i64 %now.size, %entry.size
  %data = getelementptr i8, ptr %now, i64 32
  %d0 = insertvalue { ptr, i64 } undef, ptr %data, 0
  %d1 = insertvalue { ptr, i64 } %d0, i64 %room, 1
  ret { ptr, i64 } %d1
failed:
  %f = insertvalue { ptr, i64 } zeroinitializer, i64 %capacity, 1
  ret { ptr, i64 } %f
}

define $linkage void @enzyme_hold(ptr %arena, ptr %object, i64 %tag) nounwind noinline {
entry:
  %list.at = getelementptr i8, ptr %arena, i64 8
  %count.at = getelementptr i8, ptr %arena, i64 16
  %room.at = getelementptr i8, ptr %arena, i64 24
  %nothing = icmp eq ptr %object, null
  br i1 %nothing, label %out, label %look
look:
  %list = load ptr, ptr %list.at
  %count = load i64, ptr %count.at
  %room = load i64, ptr %room.at
  %full = icmp eq i64 %count, %room
  br i1 %full, label %grow, label %put
grow:
  %double = shl i64 %room, 1
  %empty = icmp eq i64 %room, 0
  %more = select i1 %empty, i64 16, i64 %double
  %size = shl i64 %more, 3
  %moved = call ptr @$realloc(ptr %list, i64 %size)
  %failed = icmp eq ptr %moved, null
  br i1 %failed, label %ask, label %grown
grown:
  store ptr %moved, ptr %list.at
  store i64 %more, ptr %room.at
  br label %put
put:
  %now = phi ptr [ %list, %look ], [ %moved, %grown ]
  %place = getelementptr i64, ptr %now, i64 %count
  %bits = ptrtoint ptr %object to i64
  %tagged = or i64 %bits, %tag
  store i64 %tagged, ptr %place
  %next = add i64 %count, 1
  store i64 %next, ptr %count.at
  br label %ask
ask:
  %counted = icmp ne i64 %tag, 2
  br i1 %counted, label %retain, label %out
retain:
  $retain
  br label %out
out:
  ret void
}

define $linkage void @enzyme_release(ptr %arena, i1 %failed) nounwind noinline {
entry:
  %list.at = getelementptr i8, ptr %arena, i64 8
  %count.at = getelementptr i8, ptr %arena, i64 16
  %list = load ptr, ptr %list.at
  %count = load i64, ptr %count.at
  br label %objects
objects:
  %left = phi i64 [ %count, %entry ], [ %index, %drop ]
  %done = icmp eq i64 %left, 0
  br i1 %done, label %blocks, label %object
object:
  %index = sub i64 %left, 1
  %place = getelementptr i64, ptr %list, i64 %index
  %tagged = load i64, ptr %place
  %bits = and i64 %tagged, -8
  %own = inttoptr i64 %bits to ptr
  %low = and i64 %tagged, 7
  %counted = icmp ne i64 %low, 2
  br i1 %counted, label %object.counted, label %object.plain
object.plain:
  call void @$free_held(ptr %own)
  br label %drop
object.counted:
  %tag = trunc i64 %tagged to i1
  %force = and i1 %tag, %failed
  br i1 %force, label %reset, label %let.go
reset:
  $reset
  br label %let.go
let.go:
  $drop
  br label %drop
drop:
  br label %objects
blocks:
  call void @$free(ptr %list)
  %first = load ptr, ptr %arena
  br label %walk
walk:
  %block = phi ptr [ %first, %blocks ], [ %next, %step ]
  %end = icmp eq ptr %block, null
  br i1 %end, label %out, label %step
step:
  %next = load ptr, ptr %block
  call void @enzyme_give(ptr %block)
  br label %walk
out:
  ret void
}
"""

# An arena on the heap, and eight bytes for the address of a frame.
_ARENA += """
define $linkage ptr @enzyme_open() nounwind noinline {
entry:
  %made = call ptr @$malloc(i64 40)
  %none = icmp eq ptr %made, null
  br i1 %none, label %out, label %clear
clear:
  call void @llvm.memset.p0.i64(ptr %made, i8 0, i64 40, i1 false)
  br label %out
out:
  ret ptr %made
}

define $linkage void @enzyme_close(ptr %arena, i1 %failed) nounwind noinline {
entry:
  call void @enzyme_release(ptr %arena, i1 %failed)
  call void @$free(ptr %arena)
  ret void
}

define $linkage i64 @enzyme_held(ptr %arena) nounwind noinline {
entry:
  br label %walk
walk:
  %place = phi ptr [ %arena, %entry ], [ %block, %step ]
  %total = phi i64 [ 0, %entry ], [ %more, %step ]
  %block = load ptr, ptr %place
  %end = icmp eq ptr %block, null
  br i1 %end, label %out, label %step
step:
  %size.at = getelementptr i8, ptr %block, i64 16
  %size = load i64, ptr %size.at
  %more = add i64 %total, %size
  br label %walk
out:
  ret i64 %total
}
"""

# One arena becomes the owner of all that another one owns, without force: it owns what was allocated there itself.
_ARENA += """
define $linkage void @enzyme_adopt(ptr %arena, ptr %other) nounwind noinline {
entry:
  %theirs = load ptr, ptr %other
  br label %blocks
blocks:
  %block = phi ptr [ %theirs, %entry ], [ %next, %move ]
  %end = icmp eq ptr %block, null
  br i1 %end, label %objects, label %move
move:
  %next = load ptr, ptr %block
  %moved = call ptr @enzyme_link(ptr %arena, ptr %block)
  br label %blocks
objects:
  %list.at = getelementptr i8, ptr %other, i64 8
  %count.at = getelementptr i8, ptr %other, i64 16
  %list = load ptr, ptr %list.at
  %count = load i64, ptr %count.at
  br label %object
object:
  %k = phi i64 [ 0, %objects ], [ %k.next, %next.object ]
  %more = icmp ult i64 %k, %count
  br i1 %more, label %take, label %done
take:
  %place = getelementptr i64, ptr %list, i64 %k
  %tagged = load i64, ptr %place
  %bits = and i64 %tagged, -8
  %own = inttoptr i64 %bits to ptr
  %low = and i64 %tagged, 7
  %counted = icmp ne i64 %low, 2
  %tag = select i1 %counted, i64 0, i64 2
  call void @enzyme_hold(ptr %arena, ptr %own, i64 %tag)
  br i1 %counted, label %drop, label %next.object
drop:
  $drop
  br label %next.object
next.object:
  %k.next = add i64 %k, 1
  br label %object
done:
  call void @$free(ptr %list)
  call void @llvm.memset.p0.i64(ptr %other, i8 0, i64 32, i1 false)
  ret void
}
"""

# Release an object `count` times.
_ARENA += """
define $linkage void @enzyme_release_many(ptr %own, i64 %count) nounwind cold noinline {
entry:
  br label %test
test:
  %left = phi i64 [ %count, %entry ], [ %next, %again ]
  %more = icmp sgt i64 %left, 0
  br i1 %more, label %again, label %out
again:
  %next = sub i64 %left, 1
  $drop
  br label %test
out:
  ret void
}
"""

# The same for an object just made: what would end it must not look into it, for it is not filled yet.
_ARENA += """
define $linkage void @enzyme_discard(ptr %own, i64 %count) nounwind cold noinline {
entry:
  %none = icmp eq ptr %own, null
  br i1 %none, label %out, label %made
made:
  $empty
  call void @enzyme_release_many(ptr %own, i64 %count)
  br label %out
out:
  ret void
}
"""

# After a failure, end the objects in a table, of which nobody else knows; null stands for none.
_ARENA += """
define $linkage void @enzyme_end_all(ptr %table, i64 %count) nounwind cold noinline {
entry:
  br label %test
test:
  %k = phi i64 [ 0, %entry ], [ %k.next, %next ]
  %more = icmp ult i64 %k, %count
  br i1 %more, label %look, label %out
look:
  %place = getelementptr ptr, ptr %table, i64 %k
  %own = load ptr, ptr %place
  %none = icmp eq ptr %own, null
  br i1 %none, label %next, label %made
made:
  $reset_alone
  $drop
  br label %next
next:
  %k.next = add i64 %k, 1
  br label %test
out:
  ret void
}
"""


def arena_text(runtime: RuntimeModel, *, linkage: str = "", pooled: bool = True) -> str:
    """The arena's functions as IR, for programs of this run time; `pooled`: large blocks are kept for the next call."""
    storage = runtime.storage
    parts = {
        "linkage": linkage,
        "pooled": "4096" if pooled else "-1",
        "malloc": storage.allocate,
        "realloc": storage.reallocate,
        "free": storage.free,
        "free_held": storage.free_held,
        **_counting(runtime.counted),
    }
    if storage.free_held != storage.free:
        parts["declarations"] += f"\ndeclare void @{storage.free_held}(ptr)"
    return Template(_ARENA).substitute(parts)


def _counting(counted: CountedObjects | None) -> dict[str, str]:
    """What becomes of held objects; nothing is held that counts references if the run time has no such objects."""
    if counted is None:
        names = ("declarations", "retain", "reset", "reset_alone", "drop", "empty")
        return dict.fromkeys(names, "")

    def about(template: str, pointer: str, **tags: str) -> str:
        return Template(template).substitute(tags, object=pointer)

    tags = {"holder": str(HOLDER), "owner": str(OWNER)}
    return {
        "declarations": counted.declarations,
        "retain": about(counted.retain, "%object"),
        "reset": about(counted.reset, "%own", tag="%low", **tags),
        "reset_alone": about(counted.reset, "%own", tag=str(UNESCAPED), **tags),
        "drop": about(counted.release, "%own"),
        "empty": about(counted.empty, "%own"),
    }


# Growing storage in a derivative that is differentiated itself: a copy, which has a derivative.
GROWTH_BY_COPYING = """
declare noalias ptr @enzyme_allocate(ptr, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define { ptr, i64 } @enzyme_grow(ptr %arena, ptr %old, i64 %capacity, i64 %entry.size) alwaysinline {
entry:
  %none = icmp eq i64 %capacity, 0
  %twice = shl i64 %capacity, 1
  %room = select i1 %none, i64 32, i64 %twice
  %size = mul i64 %room, %entry.size
  %new = call ptr @enzyme_allocate(ptr %arena, i64 %size)
  %failed = icmp eq ptr %new, null
  br i1 %failed, label %done, label %look
look:
  br i1 %none, label %done, label %copy
copy:
  %used = mul i64 %capacity, %entry.size
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %new, ptr align 8 %old, i64 %used, i1 false)
  br label %done
done:
  %r0 = insertvalue { ptr, i64 } undef, ptr %new, 0
  %r1 = insertvalue { ptr, i64 } %r0, i64 %room, 1
  ret { ptr, i64 } %r1
}
"""
