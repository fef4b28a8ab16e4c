"""Fresh memory whose address is rounded to a boundary lies on it, and what rounds it becomes a constant distance."""

from __future__ import annotations

import pytest

from enzyme.engine.ir.parser import parse_module
from enzyme.engine.ir.printer import print_function
from enzyme.engine.preprocess.aligned_memory import align_memory
from enzyme.frontdoor.c_library import C_LIBRARY

TEXT = """
target datalayout = "e-m:e-i64:64-n8:16:32:64-S128"
declare ptr @malloc(i64)
declare ptr @calloc(i64, i64)
declare ptr @llvm.ptrmask.p0.i64(ptr, i64)

define {kind} @f(i64 %n, ptr %given) {{
  {body}
  ret {kind} %r
}}
"""
MADE = "%p = call ptr @malloc(i64 %n)\n  "


def aligned(body: str, kind: str = "i64") -> str:
    module = parse_module(TEXT.format(body=body, kind=kind), C_LIBRARY)
    align_memory(module)
    return print_function(module.functions["f"])


@pytest.mark.parametrize(
    ("body", "distance"),
    [
        ("%a = ptrtoint ptr %p to i64\n  %r = and i64 %a, -64", ""),
        (
            "%q = getelementptr i8, ptr %p, i64 63\n  %a = ptrtoint ptr %q to i64\n  %r = and i64 %a, -64",
            "sub i64 %a, 63",
        ),
        (
            "%a = ptrtoint ptr %p to i64\n  %b = add i64 %a, 72\n  %r = and i64 %b, -64",
            "sub i64 %b, 8",
        ),
        ("%a = ptrtoint ptr %p to i64\n  %r = and i64 %a, 63", "ret i64 0"),
        (
            "%a = ptrtoint ptr %p to i64\n  %b = sub i64 8, %a\n  %r = and i64 %b, 63",
            "ret i64 8",
        ),
    ],
)
def test_a_distance_is_constant(body, distance):
    text = aligned(MADE + body)
    assert "@aligned_alloc(i64 64, i64 %n)" in text
    assert "and i64" not in text
    assert distance in text


def test_the_widest_boundary_counts():
    body = "%a = ptrtoint ptr %p to i64\n  %b = and i64 %a, -256\n  %c = and i64 %a, 31\n  %r = add i64 %b, %c"
    assert "@aligned_alloc(i64 256, i64 %n)" in aligned(MADE + body)


def test_an_allocator_gives_narrow_boundaries_by_itself():
    text = aligned(MADE + "%a = ptrtoint ptr %p to i64\n  %r = and i64 %a, 15")
    assert "@malloc(i64 %n)" in text
    assert "ret i64 0" in text


def test_variables_on_the_stack_lie_on_a_boundary():
    body = "%p = alloca i8, i64 %n\n  %a = ptrtoint ptr %p to i64\n  %r = and i64 %a, -32"
    assert "alloca i8, i64 %n, align 32" in aligned(body)


def test_masks_of_pointers():
    body = "%q = getelementptr i8, ptr %p, i64 40\n  %r = call ptr @llvm.ptrmask.p0.i64(ptr %q, i64 -32)"
    text = aligned(MADE + body, "ptr")
    assert "getelementptr i8, ptr %q, i64 -8" in text
    assert "@aligned_alloc(i64 32, i64 %n)" in text


@pytest.mark.parametrize(
    "body",
    [
        "%a = ptrtoint ptr %given to i64\n  %r = and i64 %a, -64",
        MADE + "%a = ptrtoint ptr %p to i64\n  %r = and i64 %a, -65536",
        MADE + "%a = ptrtoint ptr %p to i64\n  %r = and i64 %a, 62",
        MADE
        + "%q = getelementptr i8, ptr %p, i64 %n\n  %a = ptrtoint ptr %q to i64\n  %r = and i64 %a, -64",
        "%p = call ptr @calloc(i64 %n, i64 8)\n  %a = ptrtoint ptr %p to i64\n  %r = and i64 %a, -64",
    ],
)
def test_what_is_not_known_stays(body):
    text = aligned(body)
    assert "and i64 %a" in text
    assert "aligned_alloc" not in text
