"""Allocations that store the address they made, as allocations that return it.

``posix_memalign(&p, align, size)`` gives memory through a pointer to a pointer. The analyses follow the result of a
call; what a function without a body stores they do not see.
"""

from __future__ import annotations

import re

from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.instructions import Call
from enzyme.engine.ir.known_function import ALIGNMENT
from enzyme.engine.ir.module import Function, Module
from enzyme.engine.ir.types import I1, I32, I64, PTR, VOID, function_type
from enzyme.engine.ir.values import ConstInt, Value, zero_of

_OUT_OF_MEMORY = 12  # ENOMEM
_RUST = re.compile(
    r"__rust_(alloc|alloc_zeroed|dealloc|realloc|no_alloc_shim_is_unstable(?:_v2)?)$"
)


def grows_vector(function: Function) -> bool:
    """Is it one of the functions by which Rust's vectors get other memory, whose address they leave in memory?"""
    return "raw_vec" in function.name


def return_allocations(function: Function) -> None:
    """Let ``aligned_alloc`` do what ``posix_memalign`` does in this function."""
    module = function.module
    assert module is not None
    for i in [i for i in function.instructions() if isinstance(i, Call)]:
        if i.callee_name == "posix_memalign" and i.opcode == "call" and _is_declared(i):
            _rewrite(module, i)


def call_of_c(function: Function) -> None:
    """Let Rust's allocator be C's in this function, which is what it calls itself.

    ``__rust_alloc(size, alignment)``, ``__rust_alloc_zeroed``, ``__rust_dealloc(pointer, size, alignment)`` and
    ``__rust_realloc(pointer, old size, alignment, size)`` have mangled names.
    """
    module = function.module
    assert module is not None
    for call in [i for i in function.instructions() if isinstance(i, Call) and i.opcode == "call"]:
        found = _RUST.search(call.callee_name)
        if found is None or not isinstance(call.callee, Function) or call.callee.blocks:
            continue
        b = Builder()
        b.before(call)
        kind, operands = found.group(1), call.arguments
        if kind == "dealloc":
            b.call_named("free", VOID, [operands[0]])
        elif kind.startswith("no_alloc_shim"):
            if call.users:
                continue
        elif kind == "realloc":
            made = _moved(b, *operands)
            made.name = call.name
            call.replace_uses_with(made)
        else:
            size, alignment = operands
            wide = _is_wide(alignment)
            if kind == "alloc_zeroed":
                if wide:
                    continue
                made = b.call_named("calloc", PTR, [ConstInt(I64, 1), size], call.name)
            elif wide:
                made = b.call_named("aligned_alloc", PTR, [alignment, size], call.name)
            else:
                made = b.call_named("malloc", PTR, [size], call.name)
            made.ret_attributes = "noalias"
            call.replace_uses_with(made)
        call.erase()


def _is_wide(alignment: Value) -> bool:
    """May it be more than what ``malloc`` gives?"""
    return not isinstance(alignment, ConstInt) or alignment.value > ALIGNMENT


def _moved(b: Builder, place: Value, before: Value, alignment: Value, size: Value) -> Call:
    """Memory of another size with what the old holds, which is freed; null, and nothing is freed, if there is none."""
    if _is_wide(alignment):
        made = b.call_named("aligned_alloc", PTR, [alignment, size])
    else:
        made = b.call_named("malloc", PTR, [size])
    made.ret_attributes = "noalias"
    failed = b.icmp("eq", made, zero_of(PTR))
    kept = b.select(b.icmp("ult", before, size), before, size)
    length = b.select(failed, ConstInt(I64, 0), kept)
    b.call_named("llvm.memcpy.p0.p0.i64", VOID, [made, place, length, ConstInt(I1, 0)])
    b.call_named("free", VOID, [b.select(failed, zero_of(PTR), place)])
    return made


def _is_declared(call: Call) -> bool:
    """Is it the C function, and not one of the module?"""
    types = [a.type for a in call.arguments]
    plain = isinstance(call.callee, Function) and call.callee.is_declaration
    return plain and call.type is I32 and types == [PTR, I64, I64]


def _rewrite(module: Module, call: Call) -> None:
    place, alignment, size = call.arguments
    allocate = module.declare("aligned_alloc", function_type(PTR, [I64, I64]), "nounwind")
    b = Builder()
    b.before(call)
    made = b.call(allocate, [alignment, size], "memory")
    made.ret_attributes = "noalias"
    b.store(made, place)
    failed = b.icmp("eq", made, zero_of(PTR))
    status = b.select(failed, ConstInt(I32, _OUT_OF_MEMORY), ConstInt(I32, 0), call.name)
    call.replace_uses_with(status)
    call.erase()
