"""Second derivatives through every row: scalar functions, linear algebra and moves of memory, in all orders of modes.

A rule may read what its primal leaves behind, so the derivative of that must be there too.
"""

from __future__ import annotations

import numpy as np
import pytest

from enzyme.backend import symbols
from enzyme.engine.derivatives import catalogue
from enzyme.engine.derivatives.decompositions import base_of
from enzyme.engine.derivatives.routines import ROUTINES
from tests.derivatives.nested_harness import check_second_order

pytestmark = pytest.mark.rotating(18)

# Where 0 < x < 1 is no place for a function, and rows whose operands are not all double.
PLACES = {"acosh": 1.6, "llvm.acosh": 1.6}
INTEGERS = {
    "__powidf2": "di", "llvm.powi": "di", "ldexp": "di", "llvm.ldexp": "di", "numba_ldexp": "di",
    "scalbn": "di", "scalbln": "dl", "jn": "id", "yn": "id",
}  # fmt: skip
COMPLEX = {
    f"c{f}"
    for f in "acos acosh asin asinh atan atanh cos cosh exp log sin sinh sqrt tan tanh".split()
}
TEXTS = {"d": "double", "i": "i32", "l": "i64"}
OF_NO_NUMBER = """
__finite __fpclassify __isinf __isnan __signbit finite isinf isnan ilogb llrint llround lrint lround
llvm.fptosi.sat llvm.fptoui.sat llvm.get.rounding llvm.is.fpclass llvm.llrint llvm.llround llvm.lrint llvm.lround
""".split()
# Structs and vectors, as x86 has them, have tests of their own, and so have functions that derivatives bring along.
OTHER = """
__divdc3 __muldc3 cabs carg cpow enzyme.cpow llvm.frexp llvm.modf llvm.sincos llvm.sincospi nexttoward
numba_gamma numba_lgamma
""".split()


def is_of_double(name: str) -> bool:
    shorter = name[:-1]
    return not (name[-1] in "fl" and shorter in catalogue.all_symbols()) and name[-3:] not in (
        "sc3",
        "xc3",
    )


def scalar_rows() -> dict[str, str]:
    """Names to the letters of their operands."""
    found = {}
    for name in catalogue.all_symbols():
        skipped = name.startswith(("enzyme.", "llvm.vector.", "llvm.x86.", "scipy.")) or name in (
            *OF_NO_NUMBER,
            *OTHER,
        )
        if skipped or not is_of_double(name) or name.endswith(("si2", "sf2", "xf2")):
            continue
        row = catalogue.lookup(name)
        if name in COMPLEX:
            found[name] = "dd"
        else:
            found[name] = INTEGERS.get(
                name, "d" * max(1, len(row.rules))
            )  # floor and its like have no rule
    return found


def call_of(name: str, letters: str, k: int) -> tuple[str, str]:
    """Declaration, and code that calls the row for number k of the vectors."""
    symbol, ret = name, "{ double, double }" if name in COMPLEX else "double"
    if name.startswith("llvm."):
        symbol += ".f64" + ".i32" * (letters == "di")
    given, code = [], ""
    for position, letter in enumerate(letters):
        if letter == "d":
            at = f"%x{k}.{position}"
            code += f"  {at}.at = getelementptr double, ptr %x, i64 {4 * k + position}\n"
            code += f"  {at} = load double, ptr {at}.at\n"
            given.append(f"double {at}")
        else:
            given.append(f"{TEXTS[letter]} 3")
    code += f"  %r{k} = call {ret} @{symbol}({', '.join(given)})\n"
    if name in COMPLEX:
        for part in (0, 1):
            code += f"  %r{k}.{part} = extractvalue {ret} %r{k}, {part}\n"
        code += f"  %r{k}.v = fmul double %r{k}.0, %r{k}.1\n"
    value = f"%r{k}.v" if name in COMPLEX else f"%r{k}"
    code += f"  %y{k} = getelementptr double, ptr %y, i64 {k}\n  store double {value}, ptr %y{k}\n"
    return f"declare {ret} @{symbol}({', '.join(TEXTS[c] for c in letters)})\n", code


def test_scalar_rows():
    rows = {
        name: letters
        for name, letters in scalar_rows().items()
        if name.startswith("llvm.") or symbols.address_of(name) is not None
    }
    assert len(rows) > 90
    rng = np.random.default_rng(3)
    x, declared, body = rng.uniform(0.2, 0.8, 4 * len(rows)), "", ""
    for k, (name, letters) in enumerate(rows.items()):
        x[4 * k] = PLACES.get(name, x[4 * k])
        declaration, code = call_of(name, letters, k)
        declared, body = declared + declaration, body + code
    text = f"{declared}define void @rows(ptr noalias %x, ptr noalias %y) {{\n{body}  ret void\n}}\n"
    check_second_order(text, "rows", [x, np.zeros(len(rows))])


# Linear algebra -------------------------------------------------------------------------------------
# Each on matrices of two rows, in memory of its own; K is the kind, T its number, Z zero, ONE one.

FACTORS = "i64 2, i64 2, ptr %a{0}, i64 2, ptr %p{0}"
CALLS = {
    "dotu": "T @enzyme_dotu_K(i64 4, ptr %a, ptr %b)",
    "dotc": "T @enzyme_dotc_K(i64 4, ptr %a, ptr %b)",
    "gemv": "void @enzyme_gemv_K(i8 116, i64 2, i64 2, T ONE, ptr %a, i64 2, ptr %b, T ONE, ptr %c)",
    "gemm": "void @enzyme_gemm_K(i8 110, i8 116, i64 2, i64 2, i64 2, T ONE, ptr %a, i64 2, ptr %b, i64 2, T ONE,"
    " ptr %c, i64 2)",
    "nrm2": "double @enzyme_nrm2_K(i64 4, ptr %a, i64 1)",
    "sumsq": "double @enzyme_sumsq_K(i64 4, ptr %a, i64 1)",
    "gesv": "i32 @enzyme_gesv_K(i64 2, i64 2, ptr %a, i64 2, ptr %p, ptr %b, i64 2)",
    "gesvlu": "i32 @enzyme_gesvlu_K(i64 2, i64 2, ptr %a, i64 2, ptr %p, ptr %b, i64 2)",
    "getrf": "i32 @enzyme_getrf_K(i64 2, i64 2, ptr %a, i64 2, ptr %p)",
    "getri": "i32 @enzyme_getri_K(i64 2, ptr %a, i64 2, ptr %p)",
}
ATTRIBUTES = "nounwind willreturn nomerge memory(argmem: readwrite)"


MOVE = "  call void @llvm.memcpy.p0.p0.i64(ptr {}, ptr {}, i64 {}, i1 false)\n"


def linear_text(kind: str) -> tuple[str, int, int]:
    """All routines of a kind in one function; how many numbers go in and out."""
    size = 8 if kind == "z" else 4  # doubles in a matrix
    ins, outs = 3 * size, 3 * size + 2  # of a routine
    number = "{ double, double }" if kind == "z" else "double"
    one = "{ double 1.0, double 0.0 }" if kind == "z" else "1.0"
    declared, body = "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)\n", ""
    for k, (name, call) in enumerate(CALLS.items()):
        call = call.replace("_K(", f"_{kind}(").replace("T ONE", f"{number} {one}")
        call = call.replace("T @", f"{number} @")
        head, _, arguments = call.partition("(")
        types = ", ".join(part.strip().rsplit(" ", 1)[0] for part in split(arguments[:-1]))
        declared += f"declare {head}({types}) {ATTRIBUTES}\n"
        for j, memory in enumerate("abc"):
            here = f"%{memory}{k}"
            body += f"  {here} = alloca [{size} x double]\n"
            body += f"  {here}.x = getelementptr double, ptr %x, i64 {ins * k + size * j}\n"
            body += MOVE.format(here, f"{here}.x", 8 * size)
        body += f"  %p{k} = alloca [2 x i32]\n"
        if name == "getri":  # of factors
            body += f"  call i32 @enzyme_getrf_{kind}({FACTORS.format(k)})\n"
        for memory in "abcp":
            call = call.replace(f"%{memory}", f"%{memory}{k}")
        result = call.split(" @")[0]
        body += f"  {'' if result == 'void' else f'%r{k} = '}call {call}\n"
        for j, memory in enumerate("abc"):
            if name == "gesv" and memory == "a":  # which no program reads
                continue
            here = f"%{memory}{k}"
            body += f"  {here}.y = getelementptr double, ptr %y, i64 {outs * k + size * j}\n"
            body += MOVE.format(f"{here}.y", here, 8 * size)
        if result not in ("void", "i32"):
            body += f"  %r{k}.y = getelementptr double, ptr %y, i64 {outs * k + ins}\n"
            body += f"  store {result} %r{k}, ptr %r{k}.y\n"
    head = "define void @routines(ptr noalias %x, ptr noalias %y)"
    return f"{declared}{head} {{\n{body}  ret void\n}}\n", ins * len(CALLS), outs * len(CALLS)


def split(arguments: str) -> list[str]:
    """Arguments apart; structs hold commas."""
    parts, depth = [""], 0
    for letter in arguments:
        depth += (letter == "{") - (letter == "}")
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.replace("{ double 1.0, double 0.0 }", "1") for part in parts]


@pytest.mark.parametrize("kind", ["d", "z"])
def test_linear_algebra(kind):
    # Eigenvalues and singular values are nested by themselves, in tests/frontdoor: their library is the program's.
    assert set(CALLS) == {name for name in ROUTINES if not base_of(name)}
    text, ins, outs = linear_text(kind)
    x = np.random.default_rng(5).standard_normal(ins)
    check_second_order(text, "routines", [x, np.zeros(outs)], rtol=3e-5)


# Memory ---------------------------------------------------------------------------------------------

MEMORY = """
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare noalias ptr @malloc(i64)
declare noalias ptr @calloc(i64, i64)
declare void @free(ptr)
define double @cube(double %v) noinline {
  %s = fmul double %v, %v
  %c = fmul double %s, %v
  ret double %c
}
define void @memory(ptr noalias %x, ptr noalias %y) {
entry:
  %w = call ptr @malloc(i64 64)
  %z = call ptr @calloc(i64 8, i64 8)
  call void @llvm.memcpy.p0.p0.i64(ptr %w, ptr %x, i64 64, i1 false)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %w.at = getelementptr double, ptr %w, i64 %i
  %v = load double, ptr %w.at
  %c = call double @cube(double %v)
  %after = getelementptr double, ptr %w, i64 1
  call void @llvm.memmove.p0.p0.i64(ptr %after, ptr %w, i64 48, i1 false)
  store double %c, ptr %w
  %u = load double, ptr %w.at
  %p = fmul double %u, %v
  %z.at = getelementptr double, ptr %z, i64 %i
  %old = load double, ptr %z.at
  %sum = fadd double %old, %p
  store double %sum, ptr %z.at
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, 6
  br i1 %more, label %loop, label %done
done:
  call void @llvm.memcpy.p0.p0.i64(ptr %y, ptr %w, i64 64, i1 false)
  call void @llvm.memset.p0.i64(ptr %w, i8 0, i64 32, i1 false)
  %y.z = getelementptr double, ptr %y, i64 8
  call void @llvm.memcpy.p0.p0.i64(ptr %y.z, ptr %z, i64 64, i1 false)
  %y.w = getelementptr double, ptr %y, i64 16
  call void @llvm.memcpy.p0.p0.i64(ptr %y.w, ptr %w, i64 64, i1 false)
  call void @free(ptr %w)
  call void @free(ptr %z)
  ret void
}
"""


def test_memory():
    x = np.random.default_rng(5).uniform(0.5, 1.2, 8)
    check_second_order(MEMORY, "memory", [x, np.zeros(24)])
