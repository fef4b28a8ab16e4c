"""What a global pointed to before a derivative began has no shadow: a derivative that needs one ends the process.

The shadows of globals begin as zeros. So a pointer that the program itself set in the function has a shadow, and one
from before has null, which derivatives must not go through: to LLVM such code cannot be reached. They pass each
pointer that they read, and whose shadow they use, to a function that is written here, with the shadow.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from enzyme.engine.analysis.known_functions import CHECK_SHADOW
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.datalayout import DataLayout
from enzyme.engine.ir.module import Function, Module, new_function
from enzyme.engine.ir.parser import parse_module
from enzyme.engine.ir.types import I1, I64, PTR, VOID, ArrayType, FloatType, StructType, Type
from enzyme.engine.ir.types import VectorType as Vector
from enzyme.engine.ir.values import ConstInt, GlobalVariable
from enzyme.engine.synthesis.helpers import merge
from enzyme.frontdoor.messages import ending

_MISSING, _HOLDS = "enzyme.missing_shadow", "enzyme.holds_pointer"
_ADDRESS = 8
_ODD = re.compile(r"[^\w.$]")


def may_point(kind: Type) -> bool:
    """May there be an address in memory of this type? Unions and buffers are of integers."""
    if isinstance(kind, ArrayType | Vector):
        return may_point(kind.element)
    if isinstance(kind, StructType):
        return any(map(may_point, kind.elements or ()))
    return not isinstance(kind, FloatType)


def define_checks(module: Module, names: Iterable[str]) -> None:
    """Write the function that checks pointers; the named globals are those with shadows of ours."""
    if CHECK_SHADOW not in module.functions:
        return
    found = [v for n in names if isinstance(v := module.globals.get(n), GlobalVariable)]
    _write_missing(module, found, list(names))
    merge(module, parse_module(_TEXT, module.runtime))


def _write_missing(module: Module, held: list[GlobalVariable], names: list[str]) -> Function:
    """A function that takes a pointer without a shadow, and says which global it comes from."""
    made = new_function(module, _MISSING, VOID, [(PTR, "pointer")])
    made.prefix = "internal"
    made.suffix = "noreturn noinline nounwind cold"
    layout = DataLayout.of(module)
    b = Builder(made.append_block("entry"))
    for number, variable in enumerate(held):
        steps = layout.size_of(variable.value_type) // _ADDRESS
        asked = b.call_named(_HOLDS, I1, [variable, ConstInt(I64, steps), made.args[0]])
        here, other = made.append_block("here"), made.append_block("other")
        b.cond_br(asked, here, other)
        b.at_end(here)
        b.call(ending(module, f"{_MISSING}.{number}", _message([variable.name])), [])
        b.unreachable()
        b.at_end(other)
    b.call(ending(module, f"{_MISSING}.any", _message(names)), [])
    b.unreachable()
    return made


def _message(names: list[str]) -> str:
    shown = " or ".join("@" + _ODD.sub("?", name) for name in names)
    return (
        f"enzyme: a derivative goes through a pointer in the global {shown} that was set before it began: that memory"
        " has no shadow. Set the pointer in the function that is differentiated, pass the memory as an argument with"
        " a shadow (enzyme_dup), or give the global a shadow (!enzyme_shadow)"
    )


_TEXT = f"""
declare void @{_MISSING}(ptr)

define internal void @{CHECK_SHADOW}(ptr %pointer, ptr %shadow) alwaysinline nounwind {{
  %none = icmp eq ptr %shadow, null
  %some = icmp ne ptr %pointer, null
  %missing = and i1 %none, %some
  br i1 %missing, label %fail, label %done
fail:
  call void @{_MISSING}(ptr %pointer)
  unreachable
done:
  ret void
}}

define internal i1 @{_HOLDS}(ptr %place, i64 %steps, ptr %wanted) noinline nounwind {{
  br label %next
next:
  %k = phi i64 [ 0, %0 ], [ %following, %look ]
  %more = icmp ult i64 %k, %steps
  br i1 %more, label %look, label %end
look:
  %address = getelementptr ptr, ptr %place, i64 %k
  %held = load ptr, ptr %address, align 1
  %following = add i64 %k, 1
  %same = icmp eq ptr %held, %wanted
  br i1 %same, label %end, label %next
end:
  %found = phi i1 [ false, %next ], [ true, %look ]
  ret i1 %found
}}
"""
