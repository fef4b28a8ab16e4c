"""Functions of libraries that a program only declares, and whose bodies the copies of primals get from here.

LLVM's library of C++ holds ``std::sort`` of numbers ready-made, and what becomes of an object that pointers share when
the last of them goes; its headers have templates for everything else.
"""

from __future__ import annotations

from collections.abc import Iterator
from string import Template

from enzyme.engine.analysis.metakinds import access_type
from enzyme.engine.ir.instructions import Call, Load
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
# What std::shared_ptr counts with: a table of virtual functions, and how many share the object and how many only look
# at it, each less one.  The fifth virtual function gives the memory back.
_RELEASE_WEAK = Template("""
define internal void @$name(ptr %count) {
entry:
  %weak.at = getelementptr i64, ptr %count, i64 2
  %before = atomicrmw add ptr %weak.at, i64 -1 acq_rel
  %last = icmp eq i64 %before, 0
  br i1 %last, label %release, label %done
release:
  %table = load ptr, ptr %count
  %virtual.at = getelementptr ptr, ptr %table, i64 4
  %virtual = load ptr, ptr %virtual.at
  call void %virtual(ptr %count)
  br label %done
done:
  ret void
}
""")
_LOCK = Template("""
define internal ptr @$name(ptr %count) nounwind {
entry:
  %shared.at = getelementptr i64, ptr %count, i64 1
  %first = load atomic i64, ptr %shared.at seq_cst, align 8
  br label %look
look:
  %seen = phi i64 [ %first, %entry ], [ %now, %try ]
  %gone = icmp eq i64 %seen, -1
  br i1 %gone, label %done, label %try
try:
  %more = add i64 %seen, 1
  %pair = cmpxchg ptr %shared.at, i64 %seen, i64 %more seq_cst seq_cst
  %now = extractvalue { i64, i1 } %pair, 0
  %taken = extractvalue { i64, i1 } %pair, 1
  br i1 %taken, label %done, label %look
done:
  %found = phi ptr [ null, %look ], [ %count, %try ]
  ret ptr %found
}
""")
_NOTHING = Template("define internal void @$name(ptr %count) nounwind {\n  ret void\n}\n")


# By their names: the body, and what is filled in beside its name.
_SUPPLIED: dict[str, tuple[Template, dict[str, object]]] = {
    "_ZNSt3__16__sortIRNS_6__lessIddEEPdEEvT0_S5_T_": (_SORT, {"type": "double", "size": 8}),
    "_ZNSt3__16__sortIRNS_6__lessIffEEPfEEvT0_S5_T_": (_SORT, {"type": "float", "size": 4}),
    "_ZNSt3__119__shared_weak_count14__release_weakEv": (_RELEASE_WEAK, {}),
    "_ZNSt3__119__shared_weak_count4lockEv": (_LOCK, {}),
    "_ZNSt3__119__shared_weak_countD2Ev": (_NOTHING, {}),
    "_ZNSt3__114__shared_countD2Ev": (_NOTHING, {}),
}


def call_supplied(function: Function) -> None:
    """Let calls of such functions go to the bodies from here."""
    module = function.module
    assert module is not None
    for call in [i for i in function.instructions() if isinstance(i, Call)]:
        callee = call.callee
        if isinstance(callee, Function) and callee.is_declaration and callee.name in _SUPPLIED:
            call.set_operand(len(call.operands) - 1, _supplied(module, callee.name))


def _supplied(module: Module, name: str) -> Function:
    own = _PREFIX + name
    if own not in module.functions:
        body, filled = _SUPPLIED[name]
        merge(module, parse_module(body.substitute(filled, name=own), C_LIBRARY))
        _tag_tables(module, module.functions[own])
    return module.functions[own]


def _tag_tables(module: Module, function: Function) -> None:
    """Say of addresses of tables of virtual functions that they are that, as the module does, if it does."""
    loads = [
        i
        for i in function.instructions()
        if isinstance(i, Load) and i.type.is_pointer and i.pointer in function.args
    ]
    tag = next((t for t in _tags(module) if _is_of_tables(module, t)), None) if loads else None
    if tag is not None:
        for load in loads:
            load.metadata["tbaa"] = tag


def _tags(module: Module) -> Iterator[str]:
    for function in module.functions.values():
        for i in function.instructions():
            if "tbaa" in i.metadata:
                yield i.metadata["tbaa"]


def _is_of_tables(module: Module, tag: str) -> bool:
    node = access_type(module, tag)
    return node is not None and '"vtable pointer"' in module.metadata.get(node, "")
