"""Functions called with null pointers get a form in which these are known."""

from __future__ import annotations

import re

import pytest

from enzyme.engine.ir.parser import parse_module
from enzyme.engine.ir.printer import print_module
from enzyme.engine.ir.verifier import verify_module
from enzyme.engine.preprocess.null_arguments import separate_null_arguments
from enzyme.frontend.runtime_model import NUMBA

CALLEE = """
declare void @keep(ptr)
define internal fastcc i32 @callee(ptr %a, ptr %b, i64 %n) {
  call void @keep(ptr %a)
  call void @keep(ptr %b)
  ret i32 0
}
"""
CALL = "call fastcc i32 @callee(ptr {}, ptr {}, i64 0)"


def separated(*calls, callee=CALLEE):
    lines = "\n".join(f"  {call}" for call in calls)
    text = f"{callee}\ndefine void @f(ptr %x, ptr %y) {{\n{lines}\n  ret void\n}}\n"
    module = parse_module(text, NUMBA)
    separate_null_arguments(module)
    verify_module(module)
    return print_module(module)


def definition(text, function):
    return re.search(rf"define [^@\n]*@{re.escape(function)}\(.*?\n}}", text, re.DOTALL).group()


def called(text, function="f"):
    return re.findall(r"call \w* ?\w+ @([\w.]+)\(", definition(text, function))


def test_a_form_for_each_choice_of_nulls():
    calls = [("%x", "%y"), ("null", "%y"), ("%x", "null"), ("null", "%x"), ("null", "null")]
    text = separated(*(CALL.format(*pair) for pair in calls))
    plain, first, second, again, both = called(text)
    assert plain == "callee"
    assert first == again
    assert len({plain, first, second, both}) == 4
    assert called(text, first) == ["keep", "keep"]
    body = definition(text, first)
    assert body.startswith(f"define internal fastcc i32 @{first}(ptr %a, ptr %b, i64 %n)")
    assert "@keep(ptr null)" in body
    assert "@keep(ptr %b)" in body


@pytest.mark.parametrize(
    ("name", "callee"),
    [
        ("callee", CALLEE.replace("call void @keep(ptr %a)", "")),
        ("callee", "declare fastcc i32 @callee(ptr, ptr, i64)"),
        ("enzyme_resize", CALLEE.replace("@callee", "@enzyme_resize")),
    ],
)
def test_what_ignores_the_pointer_has_no_body_or_is_known_stays(name, callee):
    call = CALL.replace("callee", name).format("null", "%x")
    assert ".null" not in separated(call, callee=callee)


def test_recursion_keeps_to_the_form():
    callee = CALLEE.replace(
        "  ret i32 0",
        "  %s = call fastcc i32 @callee(ptr %a, ptr %b, i64 0)\n"
        "  %t = call fastcc i32 @callee(ptr %b, ptr %a, i64 0)\n  ret i32 0",
    )
    text = separated(CALL.format("null", "%x"), callee=callee)
    (first,) = called(text)
    same, turned = called(text, first)[2:]
    assert same == first
    assert turned != first
    assert called(text, turned)[2:] == [turned, first]
