"""More of `bodies`: constants and metadata."""

# ruff: noqa: E501

from __future__ import annotations

from functools import partial

from tests.opcodes.bodies import (
    CALLEE,
    CONST_STORAGE,
    CONSTANT_CASES,
    METADATA_CASES,
    NOWHERE,
    RIGHT,
    SQUARE,
    UNKNOWN,
    G,
    K,
    add,
    refused,
)
from tests.opcodes.memory_bodies import CALL_K as _K
from tests.opcodes.memory_bodies import CLEAN as _CLEAN
from tests.opcodes.memory_bodies import COPY as _COPY
from tests.opcodes.memory_bodies import DEBUG as _DEBUG
from tests.opcodes.memory_bodies import FUNCLET as _FUNCLET

_CHOSEN = """-----
  %m = alloca double
  store double %x, ptr %m
  %a = insertvalue { ptr, i64 } { ptr null, i64 1 }, ptr %m, 0
  %c = fcmp ogt double %x, 0.5
  br i1 %c, label %u, label %w
u:
  br label %w
w:
  %f = phi { ptr, i64 } [ %a, %0 ], [ SECOND, %u ]
  %p = extractvalue { ptr, i64 } %f, 0
  %l = load double, ptr %p
  %t = fmul double %l, %x
"""
_LANES_CHOSEN = """-----
  %m = alloca double
  store double %x, ptr %m
  %a = insertelement <2 x ptr> zeroinitializer, ptr %m, i64 0
  %c = fcmp ogt double %x, 0.5
  %f = select i1 %c, <2 x ptr> SECOND, <2 x ptr> %a
  %p = extractelement <2 x ptr> %f, i64 0
  %l = load double, ptr %p
  %t = fmul double %l, %x
"""
_KEPT = """-----
  %m = alloca double
  %h = alloca ptr
  store double %x, ptr %m
  store ptr %m, ptr %h
  %c = fcmp ogt double %x, 0.5
  br i1 %c, label %u, label %w
u:
  store ptr SECOND, ptr %h
  br label %w
w:
  %p = load ptr, ptr %h
  %l = load double, ptr %p
  %t = fmul double %l, %x
"""

# Constants ---------------------------------------------------------------------------------------------------------

_STORED = "store double %x, ptr {0}\n%l = load double, ptr {0}\n%t = fmul double %l, %l"
_PLACE = "getelementptr ([2 x double], ptr @g, i64 0, i64 1)"
_FACTOR = "%t = fmul double %l, %x"

of_constant = partial(add, CONSTANT_CASES)
of_constant(
    "integer",
    RIGHT,
    "%n = fptosi double %x to i64\n%m = add i64 %n, 3\n%l = sitofp i64 %m to double\n" + _FACTOR,
)
of_constant("float", RIGHT, "%t = fmul double %x, 0x400921FB54442D18")
of_constant(
    "null",
    RIGHT,
    "%c = icmp eq ptr null, null\n%l = select i1 %c, double %x, double 1.0\n" + _FACTOR,
)
of_constant(
    "undef",
    RIGHT,
    "%v = insertelement <2 x double> undef, double %x, i64 0\n%l = extractelement <2 x double> %v, i64 0\n"
    + _FACTOR,
)
of_constant(
    "poison",
    RIGHT,
    "%v = insertelement <2 x double> poison, double %x, i64 0\n%l = extractelement <2 x double> %v, i64 0\n"
    + _FACTOR,
)
of_constant(
    "zeroinitializer",
    RIGHT,
    "%v = insertelement <2 x double> zeroinitializer, double %x, i64 0\n%w = fmul <2 x double> %v, %v\n%t = extractelement <2 x double> %w, i64 0",
)
of_constant("none", refused("('invoke')"), CALLEE + _FUNCLET + _CLEAN + _K.replace("ARG", "%x"))
of_constant(
    "string",
    RIGHT,
    '@k = private constant [8 x i8] c"\\00\\00\\00\\00\\00\\00\\08@"\n-----\n%l = load double, ptr @k\n'
    + _FACTOR,
)
of_constant(
    "aggregate",
    RIGHT,
    K
    + "-----\n%p = getelementptr double, ptr @g, i64 1\n%l = load double, ptr %p\n".replace(
        "@g", "@k"
    )
    + _FACTOR,
)
of_constant(
    "aggregate",
    RIGHT,
    K + _CHOSEN.replace("SECOND", "{ ptr getelementptr (double, ptr @k, i64 1), i64 2 }"),
)
of_constant(
    "aggregate",
    CONST_STORAGE,
    G
    + _CHOSEN.replace("SECOND", "{ ptr @g, i64 2 }").replace(
        "%l = load", "store double %x, ptr %p\n%l = load"
    ),
)
of_constant(
    "splat",
    RIGHT,
    "%v = insertelement <2 x double> splat (double 4.0), double %x, i64 0\n%w = fmul <2 x double> %v, splat (double 3.0)\n%l = extractelement <2 x double> %w, i64 0\n"
    + _FACTOR,
)
of_constant(
    "splat",
    CONST_STORAGE,
    G + "-----\n%p = extractelement <2 x ptr> splat (ptr @g), i64 1\n" + _STORED.format("%p"),
)
of_constant("splat", RIGHT, K + _LANES_CHOSEN.replace("SECOND", "splat (ptr @k)"))
of_constant("variable", CONST_STORAGE, G + "-----\n" + _STORED.format("@g"))
of_constant("variable", RIGHT, K + "-----\n%l = load double, ptr @k\n" + _FACTOR)
of_constant(
    "variable",
    UNKNOWN,
    "@h = private constant { double, ptr } { double 3.0, ptr null }\n"
    + _KEPT.replace("SECOND", "@h"),
)
of_constant("function", RIGHT, CALLEE + "-----\n%l = call double @h(double %x)\n" + _FACTOR)
of_constant(
    "alias", CONST_STORAGE, G + "@h = internal alias double, ptr @g\n-----\n" + _STORED.format("@h")
)
of_constant(
    "alias",
    UNKNOWN,
    "@k = private constant double 3.0\n@h = internal alias double, ptr @k\n"
    + _KEPT.replace("SECOND", "@h"),
)
of_constant(
    "blockaddress",
    refused("the address of a block ('blockaddress')"),
    "br label %a\na:\n%c = icmp eq ptr blockaddress(@f, %a), null\n%l = select i1 %c, double 1.0, double %x\n"
    + _FACTOR,
)
of_constant(
    "dso_local_equivalent",
    RIGHT,
    CALLEE
    + "-----\n%c = icmp eq ptr dso_local_equivalent @h, null\n%l = select i1 %c, double 1.0, double %x\n"
    + _FACTOR,
)
of_constant(
    "no_cfi",
    RIGHT,
    CALLEE
    + "-----\n%c = icmp eq ptr no_cfi @h, null\n%l = select i1 %c, double 1.0, double %x\n"
    + _FACTOR,
)
of_constant(
    "ptrauth",
    refused("an address that is signed ('ptrauth')"),
    G + "-----\n" + _STORED.format("ptrauth (ptr @g, i32 0)"),
)
of_constant(
    "asm", RIGHT, '%c = call i64 asm "", "=r,0"(i64 3)\n%l = sitofp i64 %c to double\n' + _FACTOR
)
of_constant(
    "metadata",
    RIGHT,
    "declare void @llvm.dbg.value(metadata, metadata, metadata)\n!0 = !{}\n-----\ncall void @llvm.dbg.value(metadata double %x, metadata !0, metadata !DIExpression())\n"
    + SQUARE,
)
of_constant("getelementptr", CONST_STORAGE, G + "-----\n" + _STORED.format(_PLACE))
of_constant(
    "getelementptr",
    CONST_STORAGE,
    G
    + _COPY
    + f"-----\n%m = alloca double\nstore double %x, ptr %m\ncall void @llvm.memcpy.p0.p0.i64(ptr {_PLACE}, ptr %m, i64 8, i1 false)\n%p = getelementptr double, ptr @g, i64 1\n%l = load double, ptr %p\n"
    + _FACTOR,
)
of_constant(
    "getelementptr",
    CONST_STORAGE,
    G
    + f"define void @h(ptr %p, double %v) noinline {{\nstore double %v, ptr %p\nret void\n}}\n-----\ncall void @h(ptr {_PLACE}, double %x)\n%l = load double, ptr {_PLACE}\n"
    + _FACTOR,
)
of_constant(
    "getelementptr", RIGHT, K + _KEPT.replace("SECOND", "getelementptr (double, ptr @k, i64 1)")
)
of_constant(
    "addrspacecast",
    CONST_STORAGE,
    "@g = internal addrspace(1) global double 0.0\n-----\n"
    + _STORED.format("addrspacecast (ptr addrspace(1) @g to ptr)"),
)
of_constant(
    "addrspacecast",
    UNKNOWN,
    "@k = private addrspace(1) constant double 3.0\n"
    + _KEPT.replace("SECOND", "addrspacecast (ptr addrspace(1) @k to ptr)"),
)
for _number in ("ptrtoint (ptr @g to i64)", "ptrtoaddr (ptr @g to i64)"):
    _name = _number.split()[0]
    of_constant(
        _name,
        RIGHT,
        f"{G}-----\n%c = icmp eq i64 {_number}, 0\n%l = select i1 %c, double 1.0, double %x\n"
        + _FACTOR,
    )
    of_constant(
        _name,
        NOWHERE,
        f"{G}-----\n%i = add i64 {_number}, 8\n%p = inttoptr i64 %i to ptr\nstore double %x, ptr %p\n%l = load double, ptr {_PLACE}\n"
        + _FACTOR,
    )
_INT = "ptrtoint (ptr @g to i64)"
of_constant(
    "inttoptr",
    NOWHERE,
    G + "-----\n" + _STORED.format(f"inttoptr (i64 add (i64 {_INT}, i64 8) to ptr)"),
)
of_constant(
    "inttoptr",
    NOWHERE,
    "%c = fcmp ogt double %x, 9.0\nbr i1 %c, label %a, label %b\na:\nstore double %x, ptr inttoptr (i64 4096 to ptr)\n%m = load double, ptr inttoptr (i64 4096 to ptr)\nbr label %b\nb:\n%l = phi double [ %m, %a ], [ %x, %0 ]\n"
    + _FACTOR,
)
of_constant(
    "inttoptr",
    UNKNOWN,
    G + _KEPT.replace("SECOND", f"inttoptr (i64 add (i64 {_INT}, i64 8) to ptr)"),
)
of_constant(
    "bitcast",
    RIGHT,
    G
    + f"-----\n%c = fcmp oeq double bitcast (i64 {_INT} to double), 0.0\n%l = select i1 %c, double 2.0, double %x\n"
    + _FACTOR,
)
_SUM = (
    "%d = sitofp i64 %n to double\n%c = fcmp olt double %d, 0.0\n%l = select i1 %c, double 2.0, double %x\n"
    + _FACTOR
)
for _name, _text in {
    "trunc": f"zext i32 trunc (i64 {_INT} to i32) to i64",
    **{_op: f"or i64 {_op} (i64 {_INT}, i64 {_INT}), 1" for _op in ("add", "sub", "xor")},
}.items():
    of_constant(_name, RIGHT, f"{G}-----\n%n = {_text}\n{_SUM}")
_PAIR = f"<2 x i64> <i64 {_INT}, i64 2>"
_POINTERS = "<2 x ptr> <ptr @k, ptr getelementptr (double, ptr @k, i64 1)>"
for _name, _text in {
    "extractelement": f"i64 extractelement ({_PAIR}, i64 1)",
    "insertelement": f"<2 x i64> insertelement ({_PAIR}, i64 3, i64 0)",
    "shufflevector": f"<2 x i64> shufflevector ({_PAIR}, <2 x i64> poison, <2 x i32> <i32 1, i32 0>)",
}.items():
    _lane = f"%n = extractelement {_text}, i64 0" if _text[0] == "<" else f"%n = or {_text}, 1"
    of_constant(_name, RIGHT, f"{G}-----\n{_lane}\n{_SUM}")

_BOTH = "<2 x ptr> <ptr @k, ptr @k>"
of_constant(
    "splat",
    UNKNOWN,
    K + _KEPT.replace("SECOND", "extractelement (<2 x ptr> splat (ptr @k), i64 1)"),
)
of_constant("bitcast", UNKNOWN, K + _KEPT.replace("SECOND", "bitcast (ptr @k to ptr)"))
of_constant(
    "extractelement", UNKNOWN, K + _KEPT.replace("SECOND", f"extractelement ({_BOTH}, i64 1)")
)
for _text in (
    f"insertelement ({_BOTH}, ptr @k, i64 0)",
    f"shufflevector ({_BOTH}, {_BOTH}, <2 x i32> <i32 1, i32 0>)",
):
    of_constant(_text.split()[0], UNKNOWN, K + _LANES_CHOSEN.replace("SECOND", _text))

# Metadata ----------------------------------------------------------------------------------------------------------

_NODES = """
!0 = !{}
!1 = !{i64 0, i64 10}
!2 = !{i64 8}
!3 = !{i32 1}
!4 = !{float 2.5}
!5 = distinct !{!5, !6}
!6 = !{!"llvm.loop.unroll.count", i32 4}
!7 = !{!"branch_weights", i32 3, i32 4}
!8 = !{!"double", !9}
!9 = !{!"root"}
!10 = !{!8, !8, i64 0}
!11 = !{i64 0, i64 8, !10}
!12 = distinct !{!12}
!13 = distinct !{!13, !12}
!14 = !{!13}
!15 = distinct !{}
!16 = distinct !{!16, !17}
!17 = !{!"llvm.loop.parallel_accesses", !15}
!18 = !{!"auto-init"}
!19 = !{ptr @h}
!20 = !{!"any", !21}
!21 = !{!"other root"}
!22 = !{!20, !20, i64 0}
"""
_ACCESSED = """
  %m = alloca double
  store double %x, ptr %m, STORE
  %l = load double, ptr %m, LOAD
  %k = alloca ptr
  store ptr %m, ptr %k
  %p = load ptr, ptr %k, POINTER
  %e = load double, ptr %p
  %t = fmul double %l, %e
"""
_LOOP = """
  %n = fptosi double %x to i64
  %m = add i64 %n, 4
  %s = alloca [8 x double]
  br label %a
a:
  %i = phi i64 [ 0, %0 ], [ %j, %a ]
  %b = phi double [ %x, %0 ], [ %c, %a ]
  %q = getelementptr double, ptr %s, i64 %i
  store double %b, ptr %q, !llvm.access.group !15
  %r = load double, ptr %q, !llvm.access.group !15
  %c = fmul double %r, %x, !fpmath !4
  %j = add i64 %i, 1
  %d = icmp ult i64 %j, %m
  br i1 %d, label %a, label %e, !llvm.loop LOOP, !prof !7
e:
  %t = fmul double %c, 3.0
"""


def _accesses(store: str, load: str, pointer: str = "!nontemporal !3") -> str:
    text = _ACCESSED.replace("STORE", store).replace("LOAD", load).replace("POINTER", pointer)
    return f"{CALLEE}{_NODES}-----{text}"


of_metadata = partial(add, METADATA_CASES)
_PLAIN = "!nontemporal !3"
for _kind in ("nontemporal",):
    of_metadata(_kind, RIGHT, _accesses(_PLAIN, _PLAIN))
of_metadata("tbaa", RIGHT, _accesses("!tbaa !10", "!tbaa !10"))
of_metadata("alias.scope", RIGHT, _accesses("!alias.scope !14", "!alias.scope !14"))
of_metadata("noalias", RIGHT, _accesses(_PLAIN, _PLAIN, "!noalias !14"))
of_metadata("noundef", RIGHT, _accesses(_PLAIN, "!noundef !0"))
of_metadata("invariant.load", RIGHT, _accesses(_PLAIN, "!invariant.load !0"))
of_metadata("invariant.group", RIGHT, _accesses("!invariant.group !0", "!invariant.group !0"))
of_metadata("annotation", RIGHT, _accesses("!annotation !18", _PLAIN))
for _kind, _node in {
    "nonnull": "!0",
    "align": "!2",
    "dereferenceable": "!2",
    "dereferenceable_or_null": "!2",
}.items():
    of_metadata(_kind, RIGHT, _accesses(_PLAIN, _PLAIN, f"!{_kind} {_node}"))
of_metadata(
    "range",
    RIGHT,
    f"{CALLEE}{_NODES}-----\n%m = alloca i64\nstore i64 3, ptr %m\n%n = load i64, ptr %m, !range !1\n%l = sitofp i64 %n to double\n{_FACTOR}",
)
of_metadata(
    "tbaa.struct",
    RIGHT,
    _COPY
    + CALLEE
    + _NODES
    + "-----\n%m = alloca double\n%k = alloca double\nstore double %x, ptr %m\ncall void @llvm.memcpy.p0.p0.i64(ptr %k, ptr %m, i64 8, i1 false), !tbaa.struct !11\n%l = load double, ptr %k\n"
    + _FACTOR,
)
for _kind in ("llvm.loop", "llvm.access.group", "fpmath", "prof"):
    for _loop in ("!5", "!16"):
        of_metadata(_kind, RIGHT, CALLEE + _NODES + "-----" + _LOOP.replace("LOOP", _loop))
of_metadata(
    "unpredictable",
    RIGHT,
    f"{CALLEE}{_NODES}-----\n%c = fcmp ogt double %x, 0.5\n%l = select i1 %c, double %x, double 1.0, !unpredictable !0\n{_FACTOR}",
)
of_metadata(
    "callees",
    RIGHT,
    f"{CALLEE}{_NODES}-----\n%l = call double @h(double %x), !callees !19\n{_FACTOR}",
)
of_metadata(
    "srcloc",
    RIGHT,
    f'{CALLEE}{_NODES}-----\n%c = call i64 asm "", "=r,0"(i64 3), !srcloc !3\n%l = sitofp i64 %c to double\n{_FACTOR}',
)
of_metadata("dbg", RIGHT, _DEBUG + "  %t = fmul double %x, %x, !dbg !5")
