"""Pointers that are made by anything but indexing lead to the shadow as they lead to the memory, or are refused."""

from __future__ import annotations

import ctypes
import itertools
import re

import pytest

from enzyme.backend.jit import JittedModule

from .frontdoor_harness import command, opt

# %p is the beginning of eight doubles, %nil is zero; %q is to be %p again.
RIGHT = {
    "a function of the module": """
define internal ptr @next(ptr %a, i64 %n) noinline {
  %b = getelementptr i8, ptr %a, i64 %n
  ret ptr %b
}
-----
  %q = call ptr @next(ptr %p, i64 %nil)
""",
    "ptrmask": """
declare ptr @llvm.ptrmask.p0.i64(ptr, i64)
-----
  %p1 = getelementptr i8, ptr %p, i64 9
  %q = call ptr @llvm.ptrmask.p0.i64(ptr %p1, i64 -16)
""",
    "ptrmask by a number": """
declare ptr @llvm.ptrmask.p0.i64(ptr, i64)
-----
  %p1 = getelementptr double, ptr %p, i64 1
  %m = sub i64 -64, %nil
  %q = call ptr @llvm.ptrmask.p0.i64(ptr %p1, i64 %m)
""",
    "launder": """
declare ptr @llvm.launder.invariant.group.p0(ptr)
declare ptr @llvm.strip.invariant.group.p0(ptr)
-----
  %p1 = call ptr @llvm.launder.invariant.group.p0(ptr %p)
  %q = call ptr @llvm.strip.invariant.group.p0(ptr %p1)
""",
    "annotation": """
declare ptr @llvm.ptr.annotation.p0.p0(ptr, ptr, ptr, i32, ptr)
-----
  %q = call ptr @llvm.ptr.annotation.p0.p0(ptr %p, ptr @nil, ptr @nil, i32 1, ptr null)
""",
    "freeze, another address space": """
  %p1 = freeze ptr %p
  %p2 = addrspacecast ptr %p1 to ptr addrspace(1)
  %q = addrspacecast ptr addrspace(1) %p2 to ptr
""",
    "members": """
  %s = insertvalue {ptr, i64} poison, ptr %p, 0
  %t = insertvalue {ptr, i64} %s, i64 %nil, 1
  %f = freeze {ptr, i64} %t
  %q = extractvalue {ptr, i64} %f, 0
""",
    "lanes": """
  %s = insertelement <2 x ptr> zeroinitializer, ptr %p, i64 %nil
  %t = shufflevector <2 x ptr> %s, <2 x ptr> poison, <4 x i32> <i32 1, i32 0, i32 1, i32 0>
  %c = icmp eq i64 %nil, 0
  %u = select i1 %c, <4 x ptr> %t, <4 x ptr> zeroinitializer
  %i = add i64 %nil, 1
  %q = extractelement <4 x ptr> %u, i64 %i
""",
    "indexed lanes": """
  %s = getelementptr double, ptr %p, <2 x i64> <i64 0, i64 1>
  %q = extractelement <2 x ptr> %s, i64 %nil
""",
    "vectors in memory": """
  %m = getelementptr i8, ptr %p, i64 32
  %s = insertelement <2 x ptr> zeroinitializer, ptr %p, i64 %nil
  store volatile <2 x ptr> %s, ptr %m
  %t = load volatile <2 x ptr>, ptr %m
  %q = extractelement <2 x ptr> %t, i64 %nil
""",
    "copied as an integer": """
  %m = getelementptr i8, ptr %p, i64 32
  %n = getelementptr i8, ptr %p, i64 48
  store volatile ptr %p, ptr %m
  %i = load volatile i64, ptr %m
  store volatile i64 %i, ptr %n
  %q = load volatile ptr, ptr %n
""",
    "copied as integers": """
  %m = getelementptr i8, ptr %p, i64 32
  %m1 = getelementptr i8, ptr %p, i64 40
  %n = getelementptr i8, ptr %p, i64 48
  store volatile ptr %p, ptr %m
  store volatile ptr null, ptr %m1
  %i = load volatile <2 x i64>, ptr %m
  store volatile <2 x i64> %i, ptr %n
  %q = load volatile ptr, ptr %n
""",
    "kept as a number": """
  %m = alloca i64
  %i = ptrtoint ptr %p to i64
  store volatile i64 %i, ptr %m
  %j = load volatile i64, ptr %m
  %q = inttoptr i64 %j to ptr
""",
    "written as a number": """
  %m = getelementptr i8, ptr %p, i64 32
  %i = ptrtoint ptr %p to i64
  store volatile i64 %i, ptr %m
  %q = load volatile ptr, ptr %m
""",
}
USES = {
    "read": """
  store double %x, ptr %p
  {make}
  %l = load double, ptr %q
""",
    "written": """
  {make}
  store double %x, ptr %q
  %l = load double, ptr %p
""",
}
MEMORY = {
    "heap": "%p = call ptr @aligned_alloc(i64 64, i64 64)",
    "stack": "%p = alloca [8 x double], align 64",
}
HEAD = """
@nil = internal global i64 0
declare double @__enzyme_autodiff(...)
declare double @__enzyme_fwddiff(...)
declare ptr @aligned_alloc(i64, i64)
"""
FUNCTION = """
define double @f_{n}(double %x) {{
  %nil = load volatile i64, ptr @nil
  {memory}
  {use}
  %square = fmul double %l, %l
  ret double %square
}}
define double @df_{n}(double %x) {{
  %r = call double (...) @__enzyme_autodiff(ptr @f_{n}, double %x)
  ret double %r
}}
define double @dff_{n}(double %x) {{
  %r = call double (...) @__enzyme_fwddiff(ptr @f_{n}, double %x, double 1.0)
  ret double %r
}}
"""


def program(make, use, memory, n=0):
    """What is declared, and the functions."""
    outside, dashes, made = make.rpartition("-----\n")
    text = FUNCTION.format(n=n, memory=MEMORY[memory], use=USES[use].format(make=made))
    return outside.splitlines() if dashes else [], text


def test_followed():
    cases = list(itertools.product(RIGHT, USES, MEMORY))
    declared, parts = {}, []
    for n, (name, use, memory) in enumerate(cases):
        lines, text = program(RIGHT[name], use, memory, n)
        declared.update(dict.fromkeys(lines))
        parts.append(text)
    lowered = opt(HEAD + "\n".join([*declared, *parts]))
    module = JittedModule(lowered, optimise=False)
    double = ctypes.c_double
    found = {
        (*case, word): module.function(f"{word}_{n}", double, double)(1.25)
        for n, case in enumerate(cases)
        for word in ("df", "dff")
    }
    assert found == dict.fromkeys(found, 2.5)


REFUSED = {
    "an intrinsic that nobody knows": (
        "call of 'llvm.vector.reverse.v2p0', which returns a pointer",
        """
declare <2 x ptr> @llvm.vector.reverse.v2p0(<2 x ptr>)
-----
  %s = insertelement <2 x ptr> zeroinitializer, ptr %p, i64 %nil
  %t = call <2 x ptr> @llvm.vector.reverse.v2p0(<2 x ptr> %s)
  %q = extractelement <2 x ptr> %t, i64 1
""",
    ),
    "a pure function that nobody knows": (
        "call of 'next', which returns a pointer",
        """
declare ptr @next(ptr) memory(none) nounwind willreturn
-----
  %q = call ptr @next(ptr %p)
""",
    ),
    "a computed address in memory": (
        "an address that is computed as a number",
        """
  %m = getelementptr i8, ptr %p, i64 32
  %i = ptrtoint ptr %p to i64
  %j = add i64 %i, %nil
  store volatile i64 %j, ptr %m
  %q = load volatile ptr, ptr %m
""",
    ),
    "an address as an argument": (
        "an address that is computed as a number",
        """
define internal double @get(i64 %i) noinline {
  %a = inttoptr i64 %i to ptr
  %l = load double, ptr %a
  ret double %l
}
-----
  %p1 = getelementptr double, ptr %p, i64 1
  store double %x, ptr %p1
  %i = ptrtoint ptr %p1 to i64
  %g = call double @get(i64 %i)
  store volatile double %g, ptr %p1
  %q = getelementptr double, ptr %p, i64 %nil
""",
    ),
    "an address as a result": (
        "an address that is computed as a number",
        """
define internal i64 @number(ptr %a, i64 %n) noinline {
  %i = ptrtoint ptr %a to i64
  %j = add i64 %i, %n
  ret i64 %j
}
-----
  %j = call i64 @number(ptr %p, i64 %nil)
  %q = inttoptr i64 %j to ptr
""",
    ),
    "parts of an address": (
        "an address that is copied as a number, in parts",
        """
  %m = getelementptr i8, ptr %p, i64 32
  %m1 = getelementptr i8, ptr %p, i64 36
  %n = getelementptr i8, ptr %p, i64 48
  %n1 = getelementptr i8, ptr %p, i64 52
  store volatile ptr %p, ptr %m
  %i = load volatile i32, ptr %m
  store volatile i32 %i, ptr %n
  %j = load volatile i32, ptr %m1
  store volatile i32 %j, ptr %n1
  %q = load volatile ptr, ptr %n
""",
    ),
    "an exchange": (
        "'atomicrmw'",
        """
  %m = alloca ptr
  store volatile ptr %p, ptr %m
  %q = atomicrmw xchg ptr %m, ptr null seq_cst
""",
    ),
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("name", REFUSED)
def test_refused(name, use):
    words, make = REFUSED[name]
    lines, text = program(make, use, "stack")
    code, out, err = command(["opt", "-"], HEAD + "\n".join([*lines, text]))
    assert (code, out) == (1, "")
    assert words in err


def test_an_address_rounded_down_has_a_shadow_on_no_boundary():
    """The shadow is as far from its object as the primal; wide accesses do not take it to be aligned."""
    lowered = opt("""
declare void @__enzyme_autodiff(...)
@enzyme_dup = external global i32
declare ptr @llvm.ptrmask.p0.i64(ptr, i64)
define void @f(ptr %p) {
  %e = getelementptr i8, ptr %p, i64 63
  %q = call ptr @llvm.ptrmask.p0.i64(ptr %e, i64 -64)
  %v = load <4 x double>, ptr %q, align 32
  %w = fmul <4 x double> %v, %v
  store <4 x double> %w, ptr %q, align 32
  ret void
}
define void @df(ptr %p, ptr %dp) {
  call void (...) @__enzyme_autodiff(ptr @f, ptr @enzyme_dup, ptr %p, ptr %dp)
  ret void
}
""")
    body = re.search(r"define void @df\(.*?\n}", lowered, re.DOTALL).group()
    assert "align 8" in body
    module = JittedModule(lowered, optimise=False)
    room = (ctypes.c_double * 64)()
    start = ctypes.addressof(room)
    p = start + -start % 64 + 8  # so that the boundary is 56 bytes on
    dp = p + 256 + 8
    number = {k: (p + 56 - start) // 8 + k for k in range(4)}
    shadow = {k: (dp + 56 - start) // 8 + k for k in range(4)}
    for k in range(4):
        room[number[k]], room[shadow[k]] = k + 1.0, 1.0
    module.function("df", None, ctypes.c_void_p, ctypes.c_void_p)(p, dp)
    assert [room[shadow[k]] for k in range(4)] == [2.0, 4.0, 6.0, 8.0]


OF_ROWS = """
declare void @__enzyme_autodiff(ptr, ...)
define double @f(ptr %rows, i64 %n) {
entry:
  br label %loop
loop:
  %j = phi i64 [ 0, %entry ], [ %j1, %loop ]
  %s = phi double [ 0.0, %entry ], [ %t, %loop ]
  %slot = getelementptr ptr, ptr %rows, i64 %j
  %row = load ptr, ptr %slot
  %p = getelementptr double, ptr %row, i64 PLACE
  %x = load double, ptr %p
  %q = getelementptr i8, ptr %p, i64 8
  %y = load double, ptr %q
  %xy = fmul double %x, %y
  %t = fadd double %s, %xy
  %j1 = add i64 %j, 1
  %more = icmp slt i64 %j1, %n
  br i1 %more, label %loop, label %out
out:
  ret double %t
}
define void @go(ptr %rows, ptr %drows, i64 %n) {
  call void (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %rows, ptr %drows, i64 %n)
  ret void
}
"""


@pytest.mark.parametrize("place", ["%j", "1"])
def test_rows_that_are_found_in_the_loop(place):
    """Neighbours in one row are none of those in the next, and a place in each row does not stand still."""
    module = JittedModule(opt(OF_ROWS.replace("PLACE", place)), optimise=False)
    numbers, shadows = [[(ctypes.c_double * 6)() for _ in range(4)] for _ in range(2)]
    for k, row in enumerate(numbers):
        row[:] = [0.3 * k + m * m for m in range(6)]
    tables = [(ctypes.c_void_p * 4)(*map(ctypes.addressof, rows)) for rows in (numbers, shadows)]
    kinds = None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64
    module.function("go", *kinds)(*tables, 4)
    for k, (row, d) in enumerate(zip(numbers, shadows, strict=True)):
        first = k if place == "%j" else 1
        expected = [0.0] * 6
        expected[first], expected[first + 1] = row[first + 1], row[first]
        assert list(d) == expected
