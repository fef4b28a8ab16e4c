"""Allocations that store the address they made, as allocations that return it.

``posix_memalign(&p, align, size)`` gives memory through a pointer to a pointer. The analyses follow the result of a
call; what a function without a body stores they do not see.
"""

from __future__ import annotations

from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.instructions import Call
from enzyme.engine.ir.module import Function, Module
from enzyme.engine.ir.types import I32, I64, PTR, function_type
from enzyme.engine.ir.values import ConstInt, zero_of

_OUT_OF_MEMORY = 12  # ENOMEM


def return_allocations(function: Function) -> None:
    """Let ``aligned_alloc`` do what ``posix_memalign`` does in this function."""
    module = function.module
    assert module is not None
    for i in [i for i in function.instructions() if isinstance(i, Call)]:
        if i.callee_name == "posix_memalign" and i.opcode == "call" and _is_declared(i):
            _rewrite(module, i)


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
