"""Small functions that generated code calls: the arena's, and moves of adjoints and parts of records."""

from __future__ import annotations

from enzyme.engine.ir.module import Function, Module
from enzyme.engine.ir.parser import parse_module
from enzyme.engine.ir.types import function_type
from enzyme.engine.synthesis.arena import SIGNATURES, arena_text

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
  store TYPE zeroinitializer, ptr %t
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
  store TYPE zeroinitializer, ptr %jt
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


# Parts of records: `count` times, `stride` bytes apart.
_APART = {
    "enzyme.move_adjoint_apart": _MOVE_ADJOINT.replace("i64 %count)", "i64 %count, i64 %stride)")
    .replace("enzyme.move_adjoint", "enzyme.move_adjoint_apart")
    .replace(
        "%t = getelementptr TYPE, ptr %target, i64 %i",
        "%i.at = mul i64 %i, %stride\n  %t = getelementptr i8, ptr %target, i64 %i.at",
    )
    .replace("getelementptr TYPE, ptr %source, i64 %i", "getelementptr i8, ptr %source, i64 %i.at")
    .replace(
        "%jt = getelementptr TYPE, ptr %target, i64 %j",
        "%j.at = mul i64 %j, %stride\n  %jt = getelementptr i8, ptr %target, i64 %j.at",
    )
    .replace("getelementptr TYPE, ptr %source, i64 %j", "getelementptr i8, ptr %source, i64 %j.at"),
    "enzyme.clear_apart": """
define internal void @enzyme.clear_apart.TYPE(ptr %target, i64 %count, i64 %stride) {
entry:
  br label %test
test:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %more = icmp ult i64 %i, %count
  br i1 %more, label %loop, label %done
loop:
  %i.at = mul i64 %i, %stride
  %t = getelementptr i8, ptr %target, i64 %i.at
  store TYPE zeroinitializer, ptr %t
  %i.next = add nuw i64 %i, 1
  br label %test
done:
  ret void
}
""",
    "enzyme.fill_apart": """
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
define internal void @enzyme.fill_apart(ptr %target, i64 %count, i64 %stride, i8 %value, i64 %size) {
entry:
  br label %test
test:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %more = icmp ult i64 %i, %count
  br i1 %more, label %loop, label %done
loop:
  %i.at = mul i64 %i, %stride
  %t = getelementptr i8, ptr %target, i64 %i.at
  call void @llvm.memset.p0.i64(ptr %t, i8 %value, i64 %size, i1 false)
  %i.next = add nuw i64 %i, 1
  br label %test
done:
  ret void
}
""",
    "enzyme.copy_apart": """
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
define internal void @enzyme.copy_apart(ptr %target, ptr %source, i64 %count, i64 %stride, i64 %size) {
entry:
  %up = icmp ult ptr %target, %source
  br label %test
test:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %more = icmp ult i64 %i, %count
  br i1 %more, label %loop, label %done
loop:
  %i.next = add nuw i64 %i, 1
  %from.end = sub i64 %count, %i.next
  %k = select i1 %up, i64 %i, i64 %from.end
  %k.at = mul i64 %k, %stride
  %t = getelementptr i8, ptr %target, i64 %k.at
  %s = getelementptr i8, ptr %source, i64 %k.at
  call void @llvm.memmove.p0.p0.i64(ptr %t, ptr %s, i64 %size, i1 false)
  br label %test
done:
  ret void
}
""",
}


def helper(module: Module, name: str) -> Function:
    """The helper of this name, declared or defined in the module from now on.

    ``enzyme.move_adjoint.<type>`` (target, source, count): for each element, add the target's adjoint to the
    source's and clear it, in the order that is right for overlapping memory.

    For parts of records, `stride` bytes apart: ``enzyme.move_adjoint_apart.<type>`` (target, source, count,
    stride), ``enzyme.clear_apart.<type>`` (target, count, stride), ``enzyme.copy_apart`` (target, source, count,
    stride, size), ``enzyme.fill_apart`` (target, count, stride, value, size).
    """
    found = module.functions.get(name)
    if found is not None:
        return found
    if name in SIGNATURES:
        ret, parameters, suffix = SIGNATURES[name]
        made = module.declare(name, function_type(ret, parameters), suffix)
        if name == "enzyme_allocate":
            made.prefix = "noalias"
        return made
    text = _APART.get(name)
    if text is None:
        stem, _, type_ = name.rpartition(".")
        text = {**_APART, "enzyme.move_adjoint": _MOVE_ADJOINT}[stem].replace("TYPE", type_)
    merge(module, parse_module(text))
    return module.functions[name]


def define_arena(module: Module) -> None:
    """Make the module stand alone: define the arena's functions that it declares."""
    known = (module.functions.get(name) for name in SIGNATURES)
    if any(function is not None and function.is_declaration for function in known):
        merge(module, parse_module(arena_text(module.runtime, linkage="internal")))


def merge(module: Module, snippet: Module) -> None:
    """Move globals and functions of a snippet into a module; they define what the module declares."""
    for variable in snippet.globals.values():
        module.globals[variable.name] = variable
    for function in list(snippet.functions.values()):
        mine = module.functions.get(function.name)
        if function.is_declaration:
            function.replace_uses_with(module.declare(function.name, function.function_type))
            continue
        if mine is not None:
            mine.replace_uses_with(function)
            del module.functions[mine.name]
        module.add_function(function)
