"""Functions of libraries that a program only declares, and whose bodies the copies of primals get from here.

LLVM's library of C++ holds ``std::sort`` of numbers ready-made; its headers have templates for everything else.
"""

from __future__ import annotations

from string import Template

from enzyme.engine.ir.instructions import Call
from enzyme.engine.ir.module import Function, Module
from enzyme.engine.ir.parser import parse_module
from enzyme.engine.synthesis.helpers import merge
from enzyme.frontdoor.c_library import C_LIBRARY

_PREFIX = "enzyme.supplied."

# Sorts by a heap. The address that stands for std::less is not used.
_SORT = Template("""
define internal void @enzyme.sift.$type(ptr %a, i64 %root, i64 %n) noinline nounwind {
entry:
  %from = getelementptr $type, ptr %a, i64 %root
  %v = load $type, ptr %from
  br label %look
look:
  %hole = phi i64 [ %root, %entry ], [ %child, %move ]
  %twice = shl i64 %hole, 1
  %left = add i64 %twice, 1
  %has.left = icmp slt i64 %left, %n
  br i1 %has.left, label %choose, label %done
choose:
  %right = add i64 %left, 1
  %has.right = icmp slt i64 %right, %n
  br i1 %has.right, label %both, label %chosen
both:
  %left.at = getelementptr $type, ptr %a, i64 %left
  %right.at = getelementptr $type, ptr %a, i64 %right
  %l = load $type, ptr %left.at
  %r = load $type, ptr %right.at
  %less = fcmp olt $type %l, %r
  %larger = select i1 %less, i64 %right, i64 %left
  br label %chosen
chosen:
  %child = phi i64 [ %left, %choose ], [ %larger, %both ]
  %child.at = getelementptr $type, ptr %a, i64 %child
  %c = load $type, ptr %child.at
  %sinks = fcmp olt $type %v, %c
  br i1 %sinks, label %move, label %done
move:
  %hole.at = getelementptr $type, ptr %a, i64 %hole
  store $type %c, ptr %hole.at
  br label %look
done:
  %to = getelementptr $type, ptr %a, i64 %hole
  store $type %v, ptr %to
  ret void
}

define internal void @$name(ptr %a, ptr %end, ptr %less) noinline nounwind {
entry:
  %end.number = ptrtoint ptr %end to i64
  %a.number = ptrtoint ptr %a to i64
  %bytes = sub i64 %end.number, %a.number
  %n = sdiv exact i64 %bytes, $size
  %half = lshr i64 %n, 1
  br label %heap
heap:
  %k = phi i64 [ %half, %entry ], [ %k.next, %heaped ]
  %more = icmp sgt i64 %k, 0
  br i1 %more, label %heaped, label %sort
heaped:
  %k.next = sub i64 %k, 1
  call void @enzyme.sift.$type(ptr %a, i64 %k.next, i64 %n)
  br label %heap
sort:
  %m = phi i64 [ %n, %heap ], [ %last, %sorted ]
  %several = icmp sgt i64 %m, 1
  br i1 %several, label %sorted, label %done
sorted:
  %last = sub i64 %m, 1
  %last.at = getelementptr $type, ptr %a, i64 %last
  %x = load $type, ptr %a
  %y = load $type, ptr %last.at
  store $type %y, ptr %a
  store $type %x, ptr %last.at
  call void @enzyme.sift.$type(ptr %a, i64 0, i64 %last)
  br label %sort
done:
  ret void
}
""")
_SORTS = {
    "_ZNSt3__16__sortIRNS_6__lessIddEEPdEEvT0_S5_T_": ("double", 8),
    "_ZNSt3__16__sortIRNS_6__lessIffEEPfEEvT0_S5_T_": ("float", 4),
}


def call_supplied(function: Function) -> None:
    """Let calls of such functions go to the bodies from here."""
    module = function.module
    assert module is not None
    for call in [i for i in function.instructions() if isinstance(i, Call)]:
        callee = call.callee
        if isinstance(callee, Function) and callee.is_declaration and callee.name in _SORTS:
            call.set_operand(len(call.operands) - 1, _supplied(module, callee.name))


def _supplied(module: Module, name: str) -> Function:
    own = _PREFIX + name
    if own not in module.functions:
        type_, size = _SORTS[name]
        text = _SORT.substitute(name=own, type=type_, size=size)
        merge(module, parse_module(text, C_LIBRARY))
    return module.functions[own]
