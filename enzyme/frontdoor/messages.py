"""Functions that end the process with a message, where a derivative comes to what has none."""

from __future__ import annotations

from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.module import Function, Module, new_function
from enzyme.engine.ir.types import I8, I32, I64, VOID, array_type
from enzyme.engine.ir.values import ConstInt, ConstString, GlobalVariable


def ending(module: Module, name: str, message: str) -> Function:
    """The function of this name, which writes a line to the standard error stream and aborts."""
    found = module.functions.get(name)
    if found is not None:
        return found
    kind = array_type(len(message) + 1, I8)
    text = GlobalVariable(
        name + ".text", kind, True, ConstString(kind, f'c"{message}\\0A"'), "private"
    )
    module.globals[text.name] = text
    made = new_function(module, name, VOID, [])
    made.suffix = "noreturn noinline nounwind cold"
    b = Builder(made.append_block("entry"))
    b.call_named("write", I64, [ConstInt(I32, 2), text, ConstInt(I64, len(message) + 1)])
    b.call_named("abort", VOID, [])
    b.unreachable()
    return made
