"""``realloc`` in copies of primals: memory of the new size, a copy, and ``free``.

How much is to be copied, only the allocator knows. So copies of primals that call ``realloc`` note the sizes of what
they allocate, and ask for them; both functions are written into the module when all derivatives are made. Sizes are
forgotten when a derivative begins. Memory that came from elsewhere ends the process with a message.
"""

from __future__ import annotations

from collections.abc import Iterable

from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.instructions import Call
from enzyme.engine.ir.module import Function, Module
from enzyme.engine.ir.parser import parse_module
from enzyme.engine.ir.types import I1, I64, PTR, VOID
from enzyme.engine.ir.values import ConstInt, Value, zero_of
from enzyme.engine.synthesis.helpers import merge
from enzyme.frontdoor.messages import ending

NOTE, NOTED, FORGET = "enzyme.note_size", "enzyme.noted_size", "enzyme.forget_sizes"
_UNKNOWN = "enzyme.unknown_memory"
_MESSAGE = "enzyme: a derivative called realloc for memory that its primal did not allocate"
# Operands with the size, or with count and size.
_ALLOCATE = {"malloc": (0,), "calloc": (0, 1), "aligned_alloc": (1,)}


def resizes(functions: Iterable[Function]) -> bool:
    """Does one of the functions call ``realloc``?"""
    return any(
        isinstance(i, Call) and i.callee_name == "realloc" and _is_declared(i)
        for f in functions
        for i in f.instructions()
    )


def _is_declared(call: Call) -> bool:
    plain = isinstance(call.callee, Function) and call.callee.is_declaration
    return plain and call.opcode == "call"


def note_sizes(function: Function) -> None:
    """Let a copy note what it allocates, and copy what it resizes."""
    for call in [i for i in function.instructions() if isinstance(i, Call) and _is_declared(i)]:
        b = Builder()
        if call.callee_name in _ALLOCATE:
            sizes = [call.arguments[k] for k in _ALLOCATE[call.callee_name]]
            b.behind(call)
            size = sizes[0] if len(sizes) == 1 else b.imul(sizes[0], sizes[1])
            b.call_named(NOTE, VOID, [call, size], declaration_suffix="nounwind")
        elif call.callee_name == "realloc":
            b.before(call)
            call.replace_uses_with(_resized(b, *call.arguments))
            call.erase()


def _resized(b: Builder, old: Value, size: Value) -> Value:
    known = b.call_named(NOTED, I64, [old], declaration_suffix="nounwind")
    made = b.call_named("malloc", PTR, [size])
    made.ret_attributes = "noalias"
    b.call_named(NOTE, VOID, [made, size])
    kept = b.select(b.icmp("ult", known, size), known, size)
    length = b.select(b.icmp("eq", made, zero_of(PTR)), zero_of(I64), kept)
    b.call_named("llvm.memcpy.p0.p0.i64", VOID, [made, old, length, ConstInt(I1, 0)])
    b.call_named("free", VOID, [old])
    return made


def define_sizes(module: Module) -> None:
    """Write the functions that a module declares."""
    if NOTED not in module.functions:
        return
    ending(module, _UNKNOWN, _MESSAGE)
    merge(module, parse_module(_TEXT, module.runtime))


# A list of places with their sizes, last first, and a lock. A place that is allocated again stands in it again.
_TEXT = """
@enzyme.sizes = internal global ptr null
@enzyme.sizes.taken = internal global i32 0
declare ptr @malloc(i64)
declare void @free(ptr)
declare void @abort()
declare void @enzyme.unknown_memory()

define internal void @enzyme.sizes.lock() noinline nounwind {
  br label %again
again:
  %was = atomicrmw xchg ptr @enzyme.sizes.taken, i32 1 acquire, align 4
  %free = icmp eq i32 %was, 0
  br i1 %free, label %mine, label %again
mine:
  ret void
}

define internal ptr @enzyme.sizes.find(ptr %place) noinline nounwind {
  %first = load ptr, ptr @enzyme.sizes, align 8
  br label %next
next:
  %noted = phi ptr [ %first, %0 ], [ %following, %other ]
  %none = icmp eq ptr %noted, null
  br i1 %none, label %end, label %look
look:
  %its = load ptr, ptr %noted, align 8
  %same = icmp eq ptr %its, %place
  br i1 %same, label %end, label %other
other:
  %link = getelementptr i8, ptr %noted, i64 16
  %following = load ptr, ptr %link, align 8
  br label %next
end:
  ret ptr %noted
}

define internal void @enzyme.note_size(ptr %place, i64 %size) noinline nounwind {
  %nothing = icmp eq ptr %place, null
  br i1 %nothing, label %done, label %begin
begin:
  call void @enzyme.sizes.lock()
  %fresh = call ptr @malloc(i64 24)
  %short = icmp eq ptr %fresh, null
  br i1 %short, label %fail, label %fill
fail:
  call void @abort()
  unreachable
fill:
  store ptr %place, ptr %fresh, align 8
  %link = getelementptr i8, ptr %fresh, i64 16
  %first = load ptr, ptr @enzyme.sizes, align 8
  store ptr %first, ptr %link, align 8
  store ptr %fresh, ptr @enzyme.sizes, align 8
  %field = getelementptr i8, ptr %fresh, i64 8
  store i64 %size, ptr %field, align 8
  store atomic i32 0, ptr @enzyme.sizes.taken release, align 4
  br label %done
done:
  ret void
}

define internal i64 @enzyme.noted_size(ptr %place) noinline nounwind {
  %nothing = icmp eq ptr %place, null
  br i1 %nothing, label %zero, label %begin
zero:
  ret i64 0
begin:
  call void @enzyme.sizes.lock()
  %noted = call ptr @enzyme.sizes.find(ptr %place)
  %unknown = icmp eq ptr %noted, null
  br i1 %unknown, label %fail, label %found
fail:
  call void @enzyme.unknown_memory()
  unreachable
found:
  %field = getelementptr i8, ptr %noted, i64 8
  %size = load i64, ptr %field, align 8
  store atomic i32 0, ptr @enzyme.sizes.taken release, align 4
  ret i64 %size
}

define internal void @enzyme.forget_sizes() noinline nounwind {
  call void @enzyme.sizes.lock()
  %first = load ptr, ptr @enzyme.sizes, align 8
  br label %next
next:
  %noted = phi ptr [ %first, %0 ], [ %following, %drop ]
  %none = icmp eq ptr %noted, null
  br i1 %none, label %end, label %drop
drop:
  %link = getelementptr i8, ptr %noted, i64 16
  %following = load ptr, ptr %link, align 8
  call void @free(ptr %noted)
  br label %next
end:
  store ptr null, ptr @enzyme.sizes, align 8
  store atomic i32 0, ptr @enzyme.sizes.taken release, align 4
  ret void
}
"""
