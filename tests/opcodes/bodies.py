"""For each instruction, constant and kind of metadata: programs that hold it, and what comes of them.

A program is the body of ``double @f(double %x)`` that gives `%t`; what stands before a line of dashes stands outside of
the function.  `RIGHT` are those whose derivatives must be right; a pair of an error and words is one that must end in
exactly this error, which has these words.
"""

# ruff: noqa: E501

from __future__ import annotations

from functools import partial

from enzyme.engine.ir.opcodes import BINARY_FLOAT, BINARY_INT, CASTS, INSTRUCTIONS
from enzyme.errors import (
    EnzymeConstStorageError,
    EnzymeError,
    EnzymeNoDerivativeError,
    EnzymeRuntimeActivityError,
)

RIGHT = None
Verdict = tuple[type[EnzymeError], str] | None
Case = tuple[Verdict, str]

SQUARE = "%t = fmul double %x, %x"
CONST_STORAGE = (EnzymeConstStorageError, "the global variable 'g'")
ATOMIC = (EnzymeNoDerivativeError, "an atomic operation (")
PACKED = (EnzymeNoDerivativeError, "floats packed into an integer")
UNPACKED = (EnzymeNoDerivativeError, "a float unpacked from an integer")
MEMBER = (EnzymeNoDerivativeError, "in an integer member")
AS_NUMBER = (EnzymeNoDerivativeError, "an address that is computed as a number")
NOWHERE = (EnzymeNoDerivativeError, "a store through a pointer of unknown origin")
SCALABLE = (EnzymeNoDerivativeError, "a vector of scalable length")
UNKNOWN = (EnzymeRuntimeActivityError, "used as differentiable data")
G = "@g = internal global [2 x double] zeroinitializer\n"
K = "@k = private constant [2 x double] [double 3.0, double 4.0]\n"
PERSONALITY = "declare i32 @__gxx_personality_v0(...)\n"
CALLEE = """
define double @h(double %v) noinline {
  %w = fmul double %v, %v
  ret double %w
}
"""


def refused(what: str) -> Verdict:
    return EnzymeNoDerivativeError, what


def on_bits(opcode: str) -> Verdict:
    return refused(f"the operation '{opcode}' on the bits of a float")


CASES: dict[str, list[Case]] = {}
CONSTANT_CASES: dict[str, list[Case]] = {}
METADATA_CASES: dict[str, list[Case]] = {}


def add(cases: dict[str, list[Case]], name: str, verdict: Verdict, text: str) -> None:
    cases.setdefault(name, []).append((verdict, text))


case = partial(add, CASES)


# Integer arithmetic: as a count beside a float, and on the bits of one ---------------------------------

for _opcode in sorted(BINARY_INT):
    case(
        _opcode,
        RIGHT,
        f"""
  %n = fptosi double %x to i64
  %m = {_opcode} i64 %n, 1
  %d = sitofp i64 %m to double
  %e = fadd double %d, 2.5
  %t = fmul double %e, %x
""",
    )
    case(
        _opcode,
        on_bits(_opcode),
        f"""
  %b = bitcast double %x to i64
  %m = {_opcode} i64 {"%b, %b" if _opcode in ("and", "or") else "%b, 3"}
  %d = bitcast i64 %m to double
  %t = fmul double %d, %x
""",
    )

# Float arithmetic, on numbers and on vectors ------------------------------------------------------------

for _opcode in sorted(BINARY_FLOAT):
    case(
        _opcode,
        RIGHT,
        f"""
  %y = fadd double %x, 0.7
  %z = {_opcode} double %y, %x
  %w = {_opcode} double 5.0, %z
  %t = fmul double %w, %x
""",
    )
    case(
        _opcode,
        RIGHT,
        f"""
  %v = insertelement <2 x double> <double 1.5, double 2.5>, double %x, i64 1
  %w = {_opcode} <2 x double> <double 5.0, double 7.0>, %v
  %e = extractelement <2 x double> %w, i64 1
  %t = fmul double %e, %x
""",
    )
case("fneg", RIGHT, "%y = fneg double %x\n%t = fmul double %y, %x")

# Scalable vectors end where they are made ------------------------------------------------------------------

_F, _I, _P = "<vscale x 2 x double>", "<vscale x 2 x i64>", "<vscale x 2 x ptr>"
_C, _N, _S = "<vscale x 2 x i1>", "<vscale x 2 x i32>", "<vscale x 2 x float>"
_FAR = "<vscale x 2 x ptr addrspace(1)>"
_OF_LETTERS = {"i": _I, "f": _F, "p": _P, "v": _I}
_NARROWED = {"trunc": (_I, _N), "zext": (_N, _I), "sext": (_N, _I), "fptrunc": (_F, _S)}
_NARROWED |= {"fpext": (_S, _F), "addrspacecast": (_P, _FAR), "bitcast": (_I, _F)}
_SCALABLE: dict[str, tuple[str, str]] = {
    "fneg": (_F, f"{_F} zeroinitializer"),
    "icmp": (_C, f"eq {_I} zeroinitializer, zeroinitializer"),
    "fcmp": (_C, f"oeq {_F} zeroinitializer, zeroinitializer"),
    "select": (_F, f"{_C} zeroinitializer, {_F} zeroinitializer, {_F} zeroinitializer"),
    "freeze": (_F, f"{_F} zeroinitializer"),
    "insertelement": (_F, f"{_F} poison, double %x, i64 0"),
    "shufflevector": (_F, f"{_F} poison, {_F} poison, {_N} zeroinitializer"),
    "extractvalue": (_F, f"{{ {_F} }} zeroinitializer, 0"),
    "load": (_F, f"{_F}, ptr @s"),
    "getelementptr": (_P, f"i8, ptr @s, {_I} zeroinitializer"),
    "alloca": ("ptr", _F),
    "call": (_F, f"{_F} @m()"),
}
for _name in sorted(BINARY_INT | BINARY_FLOAT):
    _type = _OF_LETTERS[INSTRUCTIONS[_name].operands[0]]
    _SCALABLE[_name] = _type, f"{_type} zeroinitializer, zeroinitializer"
for _name in sorted(CASTS):
    _types = _OF_LETTERS[INSTRUCTIONS[_name].operands], _OF_LETTERS[INSTRUCTIONS[_name].result]
    _source, _target = _NARROWED.get(_name, _types)
    _SCALABLE[_name] = _target, f"{_source} zeroinitializer to {_target}"
for _name, (_type, _text) in _SCALABLE.items():
    case(
        _name,
        SCALABLE,
        f"""
@s = external global i8
declare {_F} @m()
-----
  %v = {_name} {_text}
  store volatile {_type} %v, ptr @s
  {SQUARE}
""",
    )
case(
    "phi",
    SCALABLE,
    f"""
@s = external global i8
-----
  br label %a
a:
  %v = phi {_F} [ zeroinitializer, %0 ]
  store volatile {_F} %v, ptr @s
  {SQUARE}
""",
)

# Comparison and choice -----------------------------------------------------------------------------------------

case(
    "icmp",
    RIGHT,
    "%n = fptosi double %x to i64\n%c = icmp sgt i64 %n, 0\n%d = uitofp i1 %c to double\n%t = fmul double %d, %x",
)
case(
    "fcmp",
    RIGHT,
    "%c = fcmp ogt double %x, 0.5\n%d = uitofp i1 %c to double\n%t = fmul double %d, %x",
)
case(
    "select",
    RIGHT,
    "%c = fcmp ogt double %x, 0.5\n%y = fmul double %x, %x\n%s = select i1 %c, double %y, double 1.0\n%t = fmul double %s, %x",
)
case(
    "select",
    RIGHT,
    """
  %v = insertelement <2 x double> <double 1.0, double 2.0>, double %x, i64 1
  %c = fcmp ogt <2 x double> %v, <double 0.5, double 0.5>
  %s = select <2 x i1> %c, <2 x double> %v, <2 x double> zeroinitializer
  %e = extractelement <2 x double> %s, i64 1
  %t = fmul double %e, %e
""",
)
case(
    "select",
    RIGHT,
    "%b = bitcast double %x to i64\n%c = fcmp ogt double %x, 0.5\n%s = select i1 %c, i64 %b, i64 0\n%d = bitcast i64 %s to double\n%t = fmul double %d, %d",
)
case(
    "select",
    RIGHT,
    """
  %a = insertvalue { double, i64 } { double 0.0, i64 3 }, double %x, 0
  %c = fcmp ogt double %x, 0.5
  %s = select i1 %c, { double, i64 } %a, { double, i64 } { double 1.0, i64 4 }
  %d = extractvalue { double, i64 } %s, 0
  %t = fmul double %d, %d
""",
)
case(
    "phi",
    RIGHT,
    """
  %c = fcmp ogt double %x, 0.5
  br i1 %c, label %a, label %b
a:
  %y = fmul double %x, %x
  br label %b
b:
  %p = phi double [ %x, %0 ], [ %y, %a ]
  %t = fmul double %p, %x
""",
)
case("freeze", RIGHT, "%y = freeze double %x\n%t = fmul double %y, %y")
case(
    "freeze",
    RIGHT,
    "%b = bitcast double %x to i64\n%f = freeze i64 %b\n%d = bitcast i64 %f to double\n%t = fmul double %d, %d",
)
case(
    "freeze",
    RIGHT,
    "%a = insertvalue { double, i32 } undef, double %x, 0\n%f = freeze { double, i32 } %a\n%d = extractvalue { double, i32 } %f, 0\n%t = fmul double %d, %d",
)
case(
    "freeze",
    RIGHT,
    "%m = alloca double\nstore double %x, ptr %m\n%p = freeze ptr %m\n%d = load double, ptr %p\n%t = fmul double %d, %d",
)

# Casts ----------------------------------------------------------------------------------------------------------------

for _name, _source in {"zext": "i32", "sext": "i32"}.items():
    case(
        _name,
        RIGHT,
        f"""
  %n = fptosi double %x to {_source}
  %m = {_name} {_source} %n to i64
  %d = sitofp i64 %m to double
  %t = fmul double %d, %x
""",
    )
case(
    "trunc",
    RIGHT,
    "%n = fptosi double %x to i64\n%m = trunc i64 %n to i32\n%d = sitofp i32 %m to double\n%t = fmul double %d, %x",
)
case(
    "trunc",
    on_bits("trunc"),
    "%b = bitcast double %x to i64\n%h = trunc i64 %b to i32\n%f = bitcast i32 %h to float\n%d = fpext float %f to double\n%t = fmul double %d, %x",
)
case(
    "trunc",
    RIGHT,
    "%b = bitcast double %x to i64\n%w = zext i64 %b to i128\n%n = trunc i128 %w to i64\n%d = bitcast i64 %n to double\n%t = fmul double %d, %x",
)
for _name in ("zext", "sext"):
    case(
        _name,
        on_bits(_name),
        f"%s = fptrunc double %x to float\n%b = bitcast float %s to i32\n%w = {_name} i32 %b to i64\n%d = bitcast i64 %w to double\n%t = fmul double %d, %x",
    )
for _name in ("sitofp", "uitofp"):
    case(
        _name,
        RIGHT,
        f"%n = fptosi double %x to i64\n%d = {_name} i64 %n to double\n%t = fmul double %d, %x",
    )
for _name in ("fptosi", "fptoui"):
    case(
        _name,
        RIGHT,
        f"%n = {_name} double %x to i64\n%d = uitofp i64 %n to double\n%t = fmul double %d, %x",
    )
for _name, _types in {"fpext": ("float", "double"), "fptrunc": ("double", "float")}.items():
    case(
        _name,
        RIGHT,
        "%s = fptrunc double %x to float\n%q = fmul float %s, %s\n%t = fpext float %q to double",
    )
case(
    "fpext",
    RIGHT,
    "%s = fpext double %x to x86_fp80\n%q = fmul x86_fp80 %s, %s\n%t = fptrunc x86_fp80 %q to double",
)
for _name in ("ptrtoint", "ptrtoaddr"):
    case(
        _name,
        RIGHT,
        f"""
  %m = alloca [4 x double]
  store double %x, ptr %m
  %p = getelementptr double, ptr %m, i64 2
  %i = {_name} ptr %m to i64
  %j = {_name} ptr %p to i64
  %k = sub i64 %j, %i
  %d = sitofp i64 %k to double
  %l = load double, ptr %m
  %t = fmul double %d, %l
""",
    )
    case(
        "inttoptr",
        RIGHT if _name == "ptrtoint" else AS_NUMBER,
        f"%m = alloca double\nstore double %x, ptr %m\n%i = {_name} ptr %m to i64\n%c = fcmp ogt double %x, 0.5\n%s = select i1 %c, i64 %i, i64 0\n%p = inttoptr i64 %s to ptr\n%t = load double, ptr %p",
    )
case(
    "inttoptr",
    RIGHT,
    "%p = inttoptr i64 4096 to ptr\n%c = icmp eq ptr %p, null\n%s = select i1 %c, double 2.0, double %x\n%t = fmul double %s, %x",
)
case(
    "inttoptr",
    refused("pointer made by 'inttoptr'"),
    "%c = fcmp ogt double %x, 9.0\nbr i1 %c, label %a, label %b\na:\n%p = inttoptr i64 4096 to ptr\nstore double %x, ptr %p\n%l = load double, ptr %p\nbr label %b\nb:\n%t = phi double [ %l, %a ], [ %x, %0 ]",
)
case(
    "bitcast",
    RIGHT,
    "%b = bitcast double %x to i64\n%d = bitcast i64 %b to double\n%t = fmul double %d, %d",
)
case(
    "bitcast",
    refused("a float looked at as another type"),
    "%b = bitcast double %x to <2 x float>\n%d = bitcast <2 x float> %b to double\n%t = fmul double %d, %x",
)
case(
    "bitcast",
    RIGHT,
    "%v = insertelement <2 x double> poison, double %x, i64 0\n%b = bitcast <2 x double> %v to <2 x i64>\n%e = extractelement <2 x i64> %b, i64 0\n%d = bitcast i64 %e to double\n%t = fmul double %d, %x",
)
case(
    "addrspacecast",
    RIGHT,
    "%m = alloca double\n%p = addrspacecast ptr %m to ptr addrspace(1)\n%q = addrspacecast ptr addrspace(1) %p to ptr\nstore double %x, ptr %q\n%l = load double, ptr %m\n%t = fmul double %l, %l",
)

# Aggregates and vectors ------------------------------------------------------------------------------------------------

_AGGREGATE = """
  %n = fptosi double %x to i64
  %a = insertvalue { i64, [2 x double] } { i64 1, [2 x double] zeroinitializer }, double %x, 1, 1
  %b = insertvalue { i64, [2 x double] } %a, i64 %n, 0
  %i = extractvalue { i64, [2 x double] } %b, 0
  %r = extractvalue { i64, [2 x double] } %b, 1
  %e = extractvalue [2 x double] %r, 1
  %d = sitofp i64 %i to double
  %t = fmul double %d, %e
"""
_OF_BITS = """
  %b = bitcast double %x to i64
  %a = insertvalue { i64, double } undef, i64 %b, 0
  %c = insertvalue { i64, double } %a, double %x, 1
  %i = extractvalue { i64, double } %c, 0
  %d = bitcast i64 %i to double
  %e = extractvalue { i64, double } %c, 1
  %t = fmul double %d, %e
"""
_OF_POINTERS = """
  %m = alloca double
  store double %x, ptr %m
  %a = insertvalue { ptr, double } undef, ptr %m, 0
  %b = insertvalue { ptr, double } %a, double %x, 1
  %p = extractvalue { ptr, double } %b, 0
  %v = extractvalue { ptr, double } %b, 1
  %l = load double, ptr %p
  %t = fmul double %l, %v
"""
_LANES = """
  %i = fptosi double %x to i64
  %v = insertelement <2 x double> <double 1.0, double 2.0>, double %x, i64 0
  %w = insertelement <2 x double> %v, double %x, i64 %i
  %j = sub i64 1, %i
  %s = shufflevector <2 x double> %w, <2 x double> undef, <4 x i32> <i32 1, i32 poison, i32 0, i32 undef>
  %q = fmul <4 x double> %s, %s
  %a = extractelement <4 x double> %q, i64 0
  %b = extractelement <2 x double> %w, i64 %j
  %t = fmul double %a, %b
"""
_LANES_OF_POINTERS = """
  %m = alloca [2 x double]
  %n = getelementptr double, ptr %m, i64 1
  %v = insertelement <2 x ptr> poison, ptr %m, i64 0
  %w = insertelement <2 x ptr> %v, ptr %n, i64 1
  %s = shufflevector <2 x ptr> %w, <2 x ptr> poison, <2 x i32> <i32 1, i32 0>
  %p = extractelement <2 x ptr> %s, i64 0
  store double %x, ptr %p
  %l = load double, ptr %n
  %t = fmul double %l, %l
"""
_RETURNED_BITS = """
define { i64, double } @h(double %v) noinline {
  %b = bitcast double %v to i64
  %a = insertvalue { i64, double } { i64 0, double 1.0 }, i64 %b, 0
  ret { i64, double } %a
}
-----
  %c = call { i64, double } @h(double %x)
  %i = extractvalue { i64, double } %c, 0
  %d = bitcast i64 %i to double
  %t = fmul double %d, %x
"""
for _name in ("extractvalue", "insertvalue"):
    case(_name, RIGHT, _AGGREGATE)
    case(_name, MEMBER, _OF_BITS)
    case(_name, MEMBER, _RETURNED_BITS)
    case(_name, RIGHT, _OF_POINTERS)
for _name in ("extractelement", "insertelement", "shufflevector"):
    case(_name, RIGHT, _LANES)
    case(_name, RIGHT, _LANES_OF_POINTERS)
