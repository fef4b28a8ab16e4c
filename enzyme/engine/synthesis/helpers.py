"""Small functions that generated code calls, written in IR and added to a module when first used.

The *arena* of one derivative call owns everything that must live until the reverse pass is over: cache storage
(a doubly linked list of blocks) and held runtime objects (a growing array of pointers).  It is emptied in one
place, whether the call succeeds or fails, so no path can leak.  A held object that cannot have escaped carries
a tag in bit 0; after a failure its reference count is set to one before it is released, because the primal does
not release what it owns when it raises.
"""

from __future__ import annotations

from enzyme.engine.ir.module import Function, Module
from enzyme.engine.ir.parser import parse_module

ARENA_SIZE = 32

_ALLOCATE = """
declare ptr @malloc(i64)
define internal noalias ptr @enzyme.allocate(ptr %arena, i64 %size) noinline {
entry:
  %wide = add i64 %size, 32
  %overflow = icmp ugt i64 %size, 1152921504606846976
  br i1 %overflow, label %failed, label %get
get:
  %block = call ptr @malloc(i64 %wide)
  %none = icmp eq ptr %block, null
  br i1 %none, label %failed, label %link
link:
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
failed:
  ret ptr null
}
"""

_GROW = """
declare ptr @realloc(ptr, i64)
declare ptr @enzyme.allocate(ptr, i64)
define internal ptr @enzyme.grow(ptr %arena, ptr %old, i64 %size) noinline {
entry:
  %fresh = icmp eq ptr %old, null
  br i1 %fresh, label %new, label %again
new:
  %made = call ptr @enzyme.allocate(ptr %arena, i64 %size)
  ret ptr %made
again:
  %block = getelementptr i8, ptr %old, i64 -32
  %wide = add i64 %size, 32
  %moved = call ptr @realloc(ptr %block, i64 %wide)
  %none = icmp eq ptr %moved, null
  br i1 %none, label %failed, label %link
link:
  %next = load ptr, ptr %moved
  %place = getelementptr i8, ptr %moved, i64 8
  %back = load ptr, ptr %place
  store ptr %moved, ptr %back
  %last = icmp eq ptr %next, null
  br i1 %last, label %done, label %relink
relink:
  %theirs = getelementptr i8, ptr %next, i64 8
  store ptr %moved, ptr %theirs
  br label %done
done:
  %data = getelementptr i8, ptr %moved, i64 32
  ret ptr %data
failed:
  ret ptr null
}
"""

_HOLD = """
declare ptr @realloc(ptr, i64)
define internal void @enzyme.hold(ptr %arena, ptr %object, i64 %tag) noinline {
entry:
  %list.at = getelementptr i8, ptr %arena, i64 8
  %count.at = getelementptr i8, ptr %arena, i64 16
  %room.at = getelementptr i8, ptr %arena, i64 24
  %list = load ptr, ptr %list.at
  %count = load i64, ptr %count.at
  %room = load i64, ptr %room.at
  %full = icmp eq i64 %count, %room
  br i1 %full, label %grow, label %put
grow:
  %double = shl i64 %room, 1
  %empty = icmp eq i64 %room, 0
  %more = select i1 %empty, i64 8, i64 %double
  %size = shl i64 %more, 3
  %moved = call ptr @realloc(ptr %list, i64 %size)
  store ptr %moved, ptr %list.at
  store i64 %more, ptr %room.at
  br label %put
put:
  %now = phi ptr [ %list, %entry ], [ %moved, %grow ]
  %place = getelementptr i64, ptr %now, i64 %count
  %bits = ptrtoint ptr %object to i64
  %tagged = or i64 %bits, %tag
  store i64 %tagged, ptr %place
  %next = add i64 %count, 1
  store i64 %next, ptr %count.at
  RETAIN
  ret void
}
"""

_RELEASE = """
declare void @free(ptr)
define internal void @enzyme.release(ptr %arena, i1 %failed) noinline {
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
  %bits = and i64 %tagged, -2
  %own = inttoptr i64 %bits to ptr
  %tag = trunc i64 %tagged to i1
  %force = and i1 %tag, %failed
  br i1 %force, label %reset, label %drop
reset:
  RESET
  br label %drop
drop:
  DROP
  br label %objects
blocks:
  call void @free(ptr %list)
  %first = load ptr, ptr %arena
  br label %walk
walk:
  %block = phi ptr [ %first, %blocks ], [ %next, %step ]
  %end = icmp eq ptr %block, null
  br i1 %end, label %out, label %step
step:
  %next = load ptr, ptr %block
  call void @free(ptr %block)
  br label %walk
out:
  ret void
}
"""

_COUNTED = {
    "RETAIN": "call void @NRT_incref(ptr %object)",
    "RESET": "store i64 1, ptr %own",
    "DROP": "call void @NRT_decref(ptr %own)",
}
_PLAIN = {"RETAIN": "", "RESET": "", "DROP": "call void @free(ptr %own)"}

_MOVE_ADJOINT = """
define internal void @enzyme.move_adjoint.TYPE(ptr %target, ptr %source, i64 %count) {
entry:
  %empty = icmp eq i64 %count, 0
  br i1 %empty, label %done, label %choose
choose:
  %down = icmp ult ptr %target, %source
  %last = sub i64 %count, 1
  br i1 %down, label %down.loop, label %up.loop
up.loop:
  %i = phi i64 [ 0, %choose ], [ %i.next, %up.loop ]
  %t = getelementptr TYPE, ptr %target, i64 %i
  %s = getelementptr TYPE, ptr %source, i64 %i
  %d = load TYPE, ptr %t
  store TYPE 0.0, ptr %t
  %old = load TYPE, ptr %s
  %new = fadd TYPE %old, %d
  store TYPE %new, ptr %s
  %i.next = add nuw i64 %i, 1
  %more = icmp ult i64 %i.next, %count
  br i1 %more, label %up.loop, label %done
down.loop:
  %j = phi i64 [ %last, %choose ], [ %j.next, %down.loop ]
  %jt = getelementptr TYPE, ptr %target, i64 %j
  %js = getelementptr TYPE, ptr %source, i64 %j
  %jd = load TYPE, ptr %jt
  store TYPE 0.0, ptr %jt
  %jold = load TYPE, ptr %js
  %jnew = fadd TYPE %jold, %jd
  store TYPE %jnew, ptr %js
  %j.next = sub i64 %j, 1
  %jmore = icmp ne i64 %j, 0
  br i1 %jmore, label %down.loop, label %done
done:
  ret void
}
"""


def helper(module: Module, name: str) -> Function:
    """The helper of this name, defined in the module from now on.

    ``enzyme.move_adjoint.<type>`` (target, source, count): for each element, add the target's adjoint to the
    source's and clear it, in the order that is right for overlapping memory.
    """
    found = module.functions.get(name)
    if found is not None and not found.is_declaration:
        return found
    if name.startswith("enzyme.move_adjoint."):
        text = _MOVE_ADJOINT.replace("TYPE", name.rpartition(".")[2])
    elif name == "enzyme.allocate":
        text = _ALLOCATE
    elif name == "enzyme.grow":
        helper(module, "enzyme.allocate")
        text = _GROW
    elif name in ("enzyme.hold", "enzyme.release"):
        text = _HOLD if name == "enzyme.hold" else _RELEASE
        counted = module.functions.get("NRT_decref") is not None or module.functions.get("NRT_incref") is not None
        for word, code in (_COUNTED if counted else _PLAIN).items():
            text = text.replace(word, code)
        if counted:
            text = "declare void @NRT_incref(ptr)\ndeclare void @NRT_decref(ptr)\n" + text
    else:
        raise KeyError(name)
    _merge(module, parse_module(text))
    return module.functions[name]


def _merge(module: Module, snippet: Module) -> None:
    for function in list(snippet.functions.values()):
        if function.is_declaration:
            function.replace_uses_with(module.declare(function.name, function.function_type))
        else:
            module.add_function(function)
