"""The pool, in LLVM IR: memory of derivatives that is kept for the next one.

A gradient needs much memory for a short time.  Given back to the operating system at the end of each call, it would
be cleared and mapped anew, page by page, at the beginning of the next, which takes longer than the derivative.  What
the arena and the objects of a derivative give back goes to the pool, which stands between them and the allocator of
the run time.

A *block* has 16 bytes in front: its size, and a word that is the pool's (the next block) or the owner's.  Sizes are
rounded up to *classes*, eight in each power of two, and blocks of a class are on one list, last in, first out: the
next call finds the addresses of the last.  There are 32 sets of lists; a thread uses the set that its number falls on,
so that threads seldom meet, and what a thread leaves behind serves others.  A large block is looked for in all.

Each set has a lock, which nobody waits for: who finds it taken goes round the pool, to the allocator.  So nothing can
hang, neither in a child of `fork` that inherits a lock of a thread that it does not have, nor in a signal handler.

A block goes back to the allocator if the pool would hold more than `enzyme_bound_pool` said, if there is no memory for
another one, when `enzyme_empty_pool` is called, and when nobody has needed it for some time: every ten seconds the
end of a derivative gives back of each class what has been on its list all the while.

Without `pooled` nothing is kept, and sizes are not rounded.
"""

from __future__ import annotations

from string import Template

from enzyme.engine.ir.runtime_model import Storage

SETS = 32
CLASSES = 273  # to 2**40 bytes; larger blocks are never kept
SECONDS = 10
DEFAULT_BOUND = 1 << 30
_SEARCHED_EVERYWHERE = 1 << 18
_HUGE = 1 << 22
_SLACK = 1 << 18  # what a set may hold before it tells the total

# A set: lock, bytes that the total does not know of, then for each class the first block, how many there are, and how
# many there have been at least since the last look.
_HEADER, _LIST = 64, 16
_SET_BYTES = -(-(_HEADER + _LIST * CLASSES) // 64) * 64

_POOL = """
@enzyme_pool = internal global [$sets x [$set_bytes x i8]] zeroinitializer, align 64
@enzyme_pool_total = internal global i64 0
@enzyme_pool_bound = internal global i64 $bound
@enzyme_pool_looked = internal global i64 0

declare noalias ptr @$malloc(i64)
declare ptr @$realloc(ptr, i64)
declare void @$free(ptr)
declare i64 @pthread_self()
declare i64 @time(ptr)
declare i64 @llvm.umax.i64(i64, i64)
declare i64 @llvm.umin.i64(i64, i64)
declare i64 @llvm.ctlz.i64(i64, i1)

define internal i64 @enzyme_class_of(i64 %size) alwaysinline {
entry:
  %least = call i64 @llvm.umax.i64(i64 %size, i64 64)
  %last = sub i64 %least, 1
  %zeros = call i64 @llvm.ctlz.i64(i64 %last, i1 true)
  %shift = sub i64 60, %zeros
  %eighth = lshr i64 %last, %shift
  %eighths = shl i64 %shift, 3
  %sum = add i64 %eighths, %eighth
  %class = sub i64 %sum, 31
  ret i64 %class
}

define internal i64 @enzyme_rounded(i64 %size) alwaysinline {
entry:
  %least = call i64 @llvm.umax.i64(i64 %size, i64 64)
  %last = sub i64 %least, 1
  %zeros = call i64 @llvm.ctlz.i64(i64 %last, i1 true)
  %shift = sub i64 60, %zeros
  %eighth = lshr i64 %last, %shift
  %next = add i64 %eighth, 1
  %class.size = shl i64 %next, %shift
  %bytes = select i1 $pooled, i64 %class.size, i64 %size
  ret i64 %bytes
}

define internal i64 @enzyme_own_set() alwaysinline {
entry:
  %thread = call i64 @pthread_self()
  %page = lshr i64 %thread, 12
  %mixed = mul i64 %page, -7046029254386353131
  %high = lshr i64 %mixed, 32
  %set = urem i64 %high, $sets
  ret i64 %set
}

define internal i1 @enzyme_lock(ptr %set) {
entry:
  br label %test
test:
  %left = phi i32 [ 100, %entry ], [ %less, %again ]
  %tried = cmpxchg ptr %set, i32 0, i32 1 acquire monotonic
  %got = extractvalue { i32, i1 } %tried, 1
  br i1 %got, label %yes, label %again
again:
  %less = sub i32 %left, 1
  %more = icmp ne i32 %less, 0
  br i1 %more, label %test, label %no
yes:
  ret i1 true
no:
  ret i1 false
}

define internal void @enzyme_unlock(ptr %set) alwaysinline {
entry:
  store atomic i32 0, ptr %set release, align 4
  ret void
}

define internal void @enzyme_count(ptr %set, i64 %bytes) alwaysinline {
entry:
  %own.at = getelementptr i8, ptr %set, i64 8
  %old = load i64, ptr %own.at
  %own = add i64 %old, %bytes
  %shifted = add i64 %own, $slack
  %small = icmp ult i64 %shifted, $twice_slack
  br i1 %small, label %keep, label %tell
keep:
  store i64 %own, ptr %own.at
  ret void
tell:
  %total = atomicrmw add ptr @enzyme_pool_total, i64 %own monotonic
  store i64 0, ptr %own.at
  ret void
}

define internal ptr @enzyme_pop(ptr %set, i64 %class, i64 %reach) {
entry:
  %beyond = add i64 %class, %reach
  %end = call i64 @llvm.umin.i64(i64 %beyond, i64 $classes)
  br label %list
list:
  %k = phi i64 [ %class, %entry ], [ %k.next, %next ]
  %skipped = mul i64 %k, $list
  %offset = add i64 %skipped, $header
  %list.at = getelementptr i8, ptr %set, i64 %offset
  %seen = load ptr, ptr %list.at
  %none = icmp eq ptr %seen, null
  br i1 %none, label %next, label %try
next:
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, %end
  br i1 %more, label %list, label %nothing
try:
  %locked = call i1 @enzyme_lock(ptr %set)
  br i1 %locked, label %take, label %nothing
take:
  %block = load ptr, ptr %list.at
  %gone = icmp eq ptr %block, null
  br i1 %gone, label %missed, label %found
missed:
  call void @enzyme_unlock(ptr %set)
  br label %nothing
found:
  %following.at = getelementptr i8, ptr %block, i64 -8
  %following = load ptr, ptr %following.at
  store ptr %following, ptr %list.at
  %number.at = getelementptr i8, ptr %list.at, i64 8
  %number = load i32, ptr %number.at
  %fewer = sub i32 %number, 1
  store i32 %fewer, ptr %number.at
  %least.at = getelementptr i8, ptr %list.at, i64 12
  %least = load i32, ptr %least.at
  %lower = icmp ult i32 %fewer, %least
  %least.now = select i1 %lower, i32 %fewer, i32 %least
  store i32 %least.now, ptr %least.at
  %size.at = getelementptr i8, ptr %block, i64 -16
  %size = load i64, ptr %size.at
  %change = sub i64 0, %size
  call void @enzyme_count(ptr %set, i64 %change)
  call void @enzyme_unlock(ptr %set)
  ret ptr %block
nothing:
  ret ptr null
}

define internal ptr @enzyme_kept(i64 %size, i64 %reach) noinline {
entry:
  br i1 $pooled, label %search, label %nothing
search:
  %class = call i64 @enzyme_class_of(i64 %size)
  %known = icmp ult i64 %class, $classes
  br i1 %known, label %begin, label %nothing
begin:
  %own = call i64 @enzyme_own_set()
  %large = icmp uge i64 %size, $everywhere
  %end = select i1 %large, i64 $sets, i64 1
  br label %look
look:
  %k = phi i64 [ 0, %begin ], [ %k.next, %next ]
  %sum = add i64 %own, %k
  %index = urem i64 %sum, $sets
  %set = getelementptr [$set_bytes x i8], ptr @enzyme_pool, i64 %index
  %block = call ptr @enzyme_pop(ptr %set, i64 %class, i64 %reach)
  %none = icmp eq ptr %block, null
  br i1 %none, label %next, label %found
next:
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, %end
  br i1 %more, label %look, label %nothing
found:
  ret ptr %block
nothing:
  ret ptr null
}

define internal ptr @enzyme_new_block(i64 %size) noinline {
entry:
  %bytes = call i64 @enzyme_rounded(i64 %size)
  %wide = add i64 %bytes, 16
  %made = call ptr @$malloc(i64 %wide)
  %none = icmp eq ptr %made, null
  br i1 %none, label %short, label %use
short:
  %freed = call i64 @enzyme_empty_pool()
  %second = call ptr @$malloc(i64 %wide)
  %never = icmp eq ptr %second, null
  br i1 %never, label %failed, label %use
use:
  %memory = phi ptr [ %made, %entry ], [ %second, %short ]
  store i64 %bytes, ptr %memory
  %block = getelementptr i8, ptr %memory, i64 16
  call void @enzyme_advise(ptr %memory, i64 %wide)
  ret ptr %block
failed:
  ret ptr null
}

define internal noalias ptr @enzyme_take(i64 %size) noinline {
entry:
  %absurd = icmp ugt i64 %size, 1152921504606846976
  br i1 %absurd, label %failed, label %look
look:
  %kept = call ptr @enzyme_kept(i64 %size, i64 8)
  %none = icmp eq ptr %kept, null
  br i1 %none, label %new, label %found
new:
  %made = call ptr @enzyme_new_block(i64 %size)
  ret ptr %made
found:
  ret ptr %kept
failed:
  ret ptr null
}

define internal ptr @enzyme_widen(ptr %block, i64 %size) noinline {
entry:
  %bytes = call i64 @enzyme_rounded(i64 %size)
  %wide = add i64 %bytes, 16
  %memory = getelementptr i8, ptr %block, i64 -16
  %made = call ptr @$realloc(ptr %memory, i64 %wide)
  %none = icmp eq ptr %made, null
  br i1 %none, label %short, label %use
short:
  %freed = call i64 @enzyme_empty_pool()
  %second = call ptr @$realloc(ptr %memory, i64 %wide)
  %never = icmp eq ptr %second, null
  br i1 %never, label %failed, label %use
use:
  %now = phi ptr [ %made, %entry ], [ %second, %short ]
  store i64 %bytes, ptr %now
  %moved = getelementptr i8, ptr %now, i64 16
  call void @enzyme_advise(ptr %now, i64 %wide)
  ret ptr %moved
failed:
  ret ptr null
}

define internal void @enzyme_give(ptr %block) noinline {
entry:
  %memory = getelementptr i8, ptr %block, i64 -16
  br i1 $pooled, label %judge, label %drop
judge:
  %size = load i64, ptr %memory
  %class = call i64 @enzyme_class_of(i64 %size)
  %known = icmp ult i64 %class, $classes
  %total = load i64, ptr @enzyme_pool_total
  %more = add i64 %total, %size
  %bound = load i64, ptr @enzyme_pool_bound
  %modest = icmp sle i64 %more, %bound
  %wanted = and i1 %known, %modest
  br i1 %wanted, label %try, label %drop
try:
  %index = call i64 @enzyme_own_set()
  %set = getelementptr [$set_bytes x i8], ptr @enzyme_pool, i64 %index
  %locked = call i1 @enzyme_lock(ptr %set)
  br i1 %locked, label %push, label %drop
push:
  %skipped = mul i64 %class, $list
  %offset = add i64 %skipped, $header
  %list.at = getelementptr i8, ptr %set, i64 %offset
  %first = load ptr, ptr %list.at
  %following.at = getelementptr i8, ptr %block, i64 -8
  store ptr %first, ptr %following.at
  store ptr %block, ptr %list.at
  %number.at = getelementptr i8, ptr %list.at, i64 8
  %number = load i32, ptr %number.at
  %one.more = add i32 %number, 1
  store i32 %one.more, ptr %number.at
  call void @enzyme_count(ptr %set, i64 %size)
  call void @enzyme_unlock(ptr %set)
  ret void
drop:
  call void @$free(ptr %memory)
  ret void
}

define internal i64 @enzyme_give_up(i1 %all) noinline {
entry:
  br label %set
set:
  %k = phi i64 [ 0, %entry ], [ %k.next, %set.done ]
  %before = phi i64 [ 0, %entry ], [ %total, %set.done ]
  %at = getelementptr [$set_bytes x i8], ptr @enzyme_pool, i64 %k
  br label %list
list:
  %c = phi i64 [ 0, %set ], [ %c.next, %list.done ]
  %so.far = phi i64 [ %before, %set ], [ %total, %list.done ]
  %skipped = mul i64 %c, $list
  %offset = add i64 %skipped, $header
  %list.at = getelementptr i8, ptr %at, i64 %offset
  %seen = load ptr, ptr %list.at
  %none = icmp eq ptr %seen, null
  br i1 %none, label %list.done, label %try
try:
  %locked = call i1 @enzyme_lock(ptr %at)
  br i1 %locked, label %detach, label %list.done
detach:
  %first = load ptr, ptr %list.at
  %number.at = getelementptr i8, ptr %list.at, i64 8
  %number = load i32, ptr %number.at
  %least.at = getelementptr i8, ptr %list.at, i64 12
  %least = load i32, ptr %least.at
  %gone = select i1 %all, i32 %number, i32 %least
  br label %walk
walk:
  %block = phi ptr [ %first, %detach ], [ %following, %step ]
  %left = phi i32 [ %gone, %detach ], [ %less, %step ]
  %bytes = phi i64 [ 0, %detach ], [ %bytes.more, %step ]
  %end = icmp eq i32 %left, 0
  br i1 %end, label %cut, label %step
step:
  %following.at = getelementptr i8, ptr %block, i64 -8
  %following = load ptr, ptr %following.at
  %size.at = getelementptr i8, ptr %block, i64 -16
  %size = load i64, ptr %size.at
  %bytes.more = add i64 %bytes, %size
  %less = sub i32 %left, 1
  br label %walk
cut:
  store ptr %block, ptr %list.at
  %fewer = sub i32 %number, %gone
  store i32 %fewer, ptr %number.at
  store i32 %fewer, ptr %least.at
  %change = sub i64 0, %bytes
  call void @enzyme_count(ptr %at, i64 %change)
  call void @enzyme_unlock(ptr %at)
  br label %free.test
free.test:
  %old = phi ptr [ %first, %cut ], [ %next.old, %free.one ]
  %freed.all = icmp eq ptr %old, %block
  br i1 %freed.all, label %list.done, label %free.one
free.one:
  %next.at = getelementptr i8, ptr %old, i64 -8
  %next.old = load ptr, ptr %next.at
  %memory = getelementptr i8, ptr %old, i64 -16
  call void @$free(ptr %memory)
  br label %free.test
list.done:
  %here = phi i64 [ 0, %list ], [ 0, %try ], [ %bytes, %free.test ]
  %total = add i64 %so.far, %here
  %c.next = add i64 %c, 1
  %c.more = icmp ult i64 %c.next, $classes
  br i1 %c.more, label %list, label %set.done
set.done:
  %k.next = add i64 %k, 1
  %k.more = icmp ult i64 %k.next, $sets
  br i1 %k.more, label %set, label %out
out:
  ret i64 %total
}

define $linkage i64 @enzyme_empty_pool() nounwind noinline {
entry:
  %freed = call i64 @enzyme_give_up(i1 true)
  ret i64 %freed
}

define internal void @enzyme_look_after_pool() {
entry:
  br i1 $pooled, label %ask, label %out
ask:
  %now = call i64 @time(ptr null)
  %last = load i64, ptr @enzyme_pool_looked
  %age = sub i64 %now, %last
  %old = icmp uge i64 %age, $seconds
  br i1 %old, label %try, label %out
try:
  %set = cmpxchg ptr @enzyme_pool_looked, i64 %last, i64 %now monotonic monotonic
  %mine = extractvalue { i64, i1 } %set, 1
  br i1 %mine, label %look, label %out
look:
  %freed = call i64 @enzyme_give_up(i1 false)
  br label %out
out:
  ret void
}

define $linkage i64 @enzyme_pool_bytes() nounwind noinline {
entry:
  %told = load i64, ptr @enzyme_pool_total
  br label %set
set:
  %k = phi i64 [ 0, %entry ], [ %k.next, %set ]
  %sum = phi i64 [ %told, %entry ], [ %more, %set ]
  %at = getelementptr [$set_bytes x i8], ptr @enzyme_pool, i64 %k
  %own.at = getelementptr i8, ptr %at, i64 8
  %own = load i64, ptr %own.at
  %more = add i64 %sum, %own
  %k.next = add i64 %k, 1
  %again = icmp ult i64 %k.next, $sets
  br i1 %again, label %set, label %out
out:
  ret i64 %more
}

define $linkage void @enzyme_bound_pool(i64 %bytes) nounwind noinline {
entry:
  store i64 %bytes, ptr @enzyme_pool_bound
  %held = call i64 @enzyme_pool_bytes()
  %many = icmp sgt i64 %held, %bytes
  br i1 %many, label %empty, label %out
empty:
  %freed = call i64 @enzyme_give_up(i1 true)
  br label %out
out:
  ret void
}
"""

# Huge pages for large blocks: fewer pages to map, and to look up. The whole mapping is asked about, or it would be cut
# in pieces that cannot be moved when they grow.
_ADVISED = """
declare i32 @$advise(ptr, i64, i32)

define internal void @enzyme_advise(ptr %memory, i64 %bytes) {
entry:
  %great = icmp uge i64 %bytes, $huge
  br i1 %great, label %ask, label %out
ask:
  %address = ptrtoint ptr %memory to i64
  %page = and i64 %address, -4096
  %from = inttoptr i64 %page to ptr
  %to = add i64 %address, %bytes
  %length = sub i64 %to, %page
  %ignored = call i32 @$advise(ptr %from, i64 %length, i32 14)
  br label %out
out:
  ret void
}
"""
_NOT_ADVISED = """
define internal void @enzyme_advise(ptr %memory, i64 %bytes) {
  ret void
}
"""


def pool_text(storage: Storage, linkage: str, pooled: bool) -> str:
    """The pool's functions as IR, over the allocator of a run time."""
    parts = {
        "sets": SETS,
        "set_bytes": _SET_BYTES,
        "classes": CLASSES,
        "header": _HEADER,
        "list": _LIST,
        "slack": _SLACK,
        "twice_slack": 2 * _SLACK,
        "seconds": SECONDS,
        "bound": DEFAULT_BOUND,
        "everywhere": _SEARCHED_EVERYWHERE,
        "huge": _HUGE,
        "linkage": linkage,
        "pooled": "true" if pooled else "false",
        "malloc": storage.allocate,
        "realloc": storage.reallocate,
        "free": storage.free,
        "advise": storage.advise,
    }
    advised = _ADVISED if storage.advise else _NOT_ADVISED
    return Template(_POOL + advised).substitute(parts)
