"""Words of Enzyme's that nobody reads are errors; what only looks like one is not."""

from __future__ import annotations

import pytest

from enzyme.frontdoor.annotations import refuse_unread
from enzyme.frontdoor.failures import FrontDoorError, one_line

from .frontdoor_harness import command

MODULE = """
{globals}
declare double @__enzyme_autodiff(...)
declare double @log(double){declaration}
define double @f(double %x{argument}){attributes} {{
  %y = call double @log(double %x){call}
  {body}
  %r = fmul double %y, %x
  ret double %r
}}
define double @go(double %x) {{
  %r = call double (...) @__enzyme_autodiff(ptr @f, double %x{operand})
  ret double %r
}}
{end}
"""
PARTS = ("globals", "declaration", "argument", "attributes", "call", "body", "end")

# What is put where, and what the error says of it.
UNREAD = {
    "a gradient for fwdsplit": (
        "globals",
        "@__enzyme_register_splitderivative_f = global [1 x ptr] [ptr @f]",
        "must hold the addresses of 3 function(s)",
    ),
    "a declaration that does not exist": (
        "globals",
        "@__enzyme_from_the_future = internal constant i32 0",
        "@__enzyme_from_the_future is not supported",
    ),
    "a marker that does not exist": (
        "body",
        "%m = load i32, ptr @enzyme_often",
        "in @f: @enzyme_often is not supported",
    ),
    "a marker in a constant": (
        "globals",
        "@table = global [2 x ptr] [ptr null, ptr @enzyme_often]",
        "in @table: @enzyme_often is not supported",
    ),
    "a known marker as a value": (
        "body",
        "%m = load i32, ptr @enzyme_dup\n  store volatile i32 %m, ptr @place",
        "in @f: @enzyme_dup is used as a value; it can only mark an operand of a derivative",
    ),
    "the address of a call in a constant": (
        "globals",
        "@P = global ptr @__enzyme_autodiff",
        "in @P: @__enzyme_autodiff is used as a value; it can only be declared and called",
    ),
    "an alias of a call": (
        "globals",
        "@P = alias double (...), ptr @__enzyme_fwddiff_mine\n"
        "define double @__enzyme_fwddiff_mine(...) {\n  ret double 0.0\n}",
        "@__enzyme_fwddiff_mine is used as a value",
    ),
    "a mangled call": (
        "body",
        "call void @_Z18__enzyme_get_tracePv(ptr @f)",
        "in @f: @_Z18__enzyme_get_tracePv is not supported",
    ),
    "an attribute of a function": (
        "attributes",
        ' "enzyme_types"="{[-1]:Float@double}"',
        'in @f: the attribute "enzyme_types" is not supported',
    ),
    "an attribute with a value": (
        "declaration",
        ' "enzyme_often"="exp"',
        'in @log: the attribute "enzyme_often" is not supported',
    ),
    "an attribute of a parameter": (
        "argument",
        ', ptr "enzyme_inactive" %p',
        'in a parameter of @f: the attribute "enzyme_inactive" is not supported',
    ),
    "a group of attributes": (
        "end",
        'declare void @other() #7\nattributes #7 = { nounwind "enzyme_preserve" }',
        'in @other: the attribute "enzyme_preserve" is not supported',
    ),
    "metadata of a global": (
        "globals",
        "@g = global double 1.0, !enzyme_shadow !0",
        "in @g: the metadata !enzyme_shadow does not hold a global",
    ),
    "metadata with a name": (
        "end",
        "!enzyme_custom = !{!0}",
        "the metadata !enzyme_custom is not supported",
    ),
    "a string in metadata": (
        "call",
        ', !note !{!"enzyme_active"}',
        'the metadata !"enzyme_active" is not supported',
    ),
    "an annotation of C": (
        "globals",
        '@.str = private unnamed_addr constant [16 x i8] c"enzyme_often\\00\\00\\00\\00", section "llvm.metadata"',
        'the annotation "enzyme_often" is not supported',
    ),
}


DECLARATIONS = {
    "@enzyme_often": "@enzyme_often = external global i32",
    "@enzyme_dup": "@enzyme_dup = external global i32",
    "@place": "@place = global i32 0",
    "@_Z18__enzyme_get_tracePv": "declare void @_Z18__enzyme_get_tracePv(ptr)",
    "!0": "!0 = !{}",
}


def module(part, text):
    parts = {**dict.fromkeys(PARTS, ""), part: text}
    made = MODULE.format(**parts, operand=", ptr null, ptr null" if part == "argument" else "")
    return "\n".join(line for word, line in DECLARATIONS.items() if word in text) + made


@pytest.mark.parametrize("case", UNREAD)
def test_unread_words(case):
    part, text, expected = UNREAD[case]
    code, out, err = command(["opt", "-"], module(part, text))
    assert (code, out) == (1, "")
    assert expected in err, err
    assert err.startswith("error: ") and err.count("\n") == 1


# Programs in which nothing speaks to the compiler.
HARMLESS = {
    "text": ("globals", '@s = constant [11 x i8] c"enzyme_dup\\00"'),
    "names of locals": ("body", "%enzyme_width = fadd double %x, 1.0"),
    "a type": (
        "globals",
        "%struct.enzyme_state = type { i32 }\n@s = global %struct.enzyme_state zeroinitializer",
    ),
    "part of another name": ("globals", "@my_enzyme_count = global i32 0"),
    "a file": ("globals", 'source_filename = "enzyme_test.c"'),
    "a definition of a marker": ("globals", "@enzyme_out = global i32 0"),
}


@pytest.mark.parametrize("case", HARMLESS)
def test_what_only_looks_like_one(case):
    code, out, err = command(["opt", "-"], module(*HARMLESS[case]))
    assert (code, err) == (0, "")
    assert "__enzyme" not in out


def test_marker_copied_through_the_stack():
    """As clang -O0 passes one through a local variable."""
    text = """
@enzyme_const = external global i32
declare double @__enzyme_autodiff(...)
define double @f(double %x, double %y) {
  %r = fmul double %y, %x
  ret double %r
}
define double @go(double %x) {
  %slot = alloca i32
  %other = alloca i32
  %m = load i32, ptr @enzyme_const
  store i32 %m, ptr %slot
  %n = load i32, ptr %slot
  store i32 %n, ptr %other
  %o = load i32, ptr %other
  %r = call double (...) @__enzyme_autodiff(ptr @f, double %x, i32 %o, double 3.0)
  ret double %r
}
"""
    code, out, err = command(["opt", "-"], text)
    assert (code, err) == (0, "")
    assert "enzyme_const" not in out


def test_what_was_lowered_before_is_lowered_again():
    """The compiler's own names are no annotations."""
    text = """
declare double @__enzyme_autodiff(...)
declare void @__enzyme_fwddiff_go(...)
define double @f(ptr %x, i64 %n) {
  br label %loop
loop:
  %s = phi double [ 1.0, %0 ], [ %t, %loop ]
  %i = phi i64 [ 0, %0 ], [ %j, %loop ]
  %p = getelementptr double, ptr %x, i64 %i
  %v = load double, ptr %p
  %w = call double @sin(double %v)
  %t = fmul double %s, %w
  %j = add i64 %i, 1
  %more = icmp ult i64 %j, %n
  br i1 %more, label %loop, label %end
end:
  ret double %t
}
declare double @sin(double)
define void @go(ptr %x, ptr %d, i64 %n) {
  call double (...) @__enzyme_autodiff(ptr @f, ptr %x, ptr %d, i64 %n)
  ret void
}
"""
    code, once, err = command(["opt", "-"], text)
    assert (code, err) == (0, "")
    assert "@enzyme_" in once
    code, again, err = command(["opt", "-"], once)
    assert (code, err) == (0, "")
    assert "@enzyme_" in again


def test_the_place_is_the_first_in_the_text():
    with pytest.raises(FrontDoorError) as error:
        refuse_unread(
            'define void @a() {\n}\ndefine void @b() "enzyme_x" {\n}\n@enzyme_y = global i32 0'
        )
    assert one_line(error.value).startswith('in @b: the attribute "enzyme_x" is not supported')
