"""Files that are no modules, or say what cannot be: one line, status 1, and nothing is written."""

# ruff: noqa: E501

from __future__ import annotations

import random

import llvmlite.binding
import pytest

from .frontdoor_harness import PROGRAMS, command

GOOD = (PROGRAMS / "heat_stencil.ll").read_text()
DECLARED = """
@enzyme_dup = external global i32
@enzyme_out = external global i32
@enzyme_const = external global i32
@enzyme_width = external global i32
@enzyme_tape = external global i32
@enzyme_allocated = external global i32
declare double @__enzyme_autodiff(...)
declare double @__enzyme_fwddiff(...)
declare ptr @__enzyme_augmentfwd(...)
declare void @__enzyme_reverse(...)
declare double @__enzyme_batch(...)
define double @f(double %x) {
  %y = fmul double %x, %x
  ret double %y
}
define double @load(ptr %x) {
  %y = load double, ptr %x
  ret double %y
}
"""


def asked(body, before=""):
    """A module that asks for something."""
    return f"{DECLARED}{before}\ndefine double @go(double %x, ptr %p, i32 %n) {{\n  {body}\n  ret double 0.0\n}}\n"


def call(operands, word="__enzyme_autodiff", type_="double"):
    return asked(f"%r = call {type_} (...) @{word}({operands})")


TEXTS = {
    "nothing of IR": "hello",
    "a number": "42",
    "C": "int main() { return 0; }",
    "an open brace": "define void @f() {",
    "a closing brace": "}",
    "no type": "define @f() { ret void }",
    "two functions of one name": "define void @f() {\n  ret void\n}\ndefine void @f() {\n  ret void\n}",
    "an unknown instruction": "define double @f(double %x) {\n  %y = fgurgle double %x\n  ret double %y\n}",
    "an unknown type": "define float128 @f() {\n  ret void\n}",
    "a value before it is there": "define i64 @f(i64 %x) {\n  %y = add i64 %z, 1\n  %z = add i64 %x, 1\n  ret i64 %y\n}",
    "a value of another type": "define i64 @f(double %x) {\n  ret i64 %x\n}",
    "no terminator": "define void @f() {\n  %x = alloca i32\n}",
    "a block twice": "define void @f() {\na:\n  br label %a\na:\n  ret void\n}",
    "a phi at the wrong place": "define i32 @f() {\n  br label %a\na:\n  %x = add i32 1, 1\n  %y = phi i32 [ 0, %0 ]\n  ret i32 %y\n}",
    "a phi of too few": "define i32 @f(i1 %c) {\n  br i1 %c, label %a, label %a\na:\n  %y = phi i32 [ 0, %0 ]\n  ret i32 %y\n}",
    "a cycle of types": "%a = type { %b }\n%b = type { %a }\n@x = global %a zeroinitializer",
    "a cycle of aliases": "@a = alias i32, ptr @b\n@b = alias i32, ptr @a",
    "a huge integer type": "@x = global i99999999999 0",
    "an open string": '@x = global [3 x i8] c"ab',
    "a string of another length": '@x = global [3 x i8] c"ab"',
    "metadata without a node": "define void @f() !dbg !7 {\n  ret void\n}",
    "a division of addresses": "define void @f(ptr %x) {\n  %y = udiv ptr %x, %x\n  ret void\n}",
    "an unknown attribute group": "define void @f() #3 {\n  ret void\n}\nattributes #3 = {",
    "no function": call(""),
    "null": call("ptr null, double %x"),
    "an integer as function": call("i32 3, double %x"),
    "a global as function": call("ptr @enzyme_dup, double %x"),
    "a pointer of the caller's": call("ptr %p, double %x"),
    "itself": call("ptr @__enzyme_autodiff, double %x"),
    "printf": asked(
        "%r = call double (...) @__enzyme_autodiff(ptr @printf)", "declare i32 @printf(ptr, ...)"
    ),
    "no argument": call("ptr @f"),
    "too many": call("ptr @f, double %x, double %x, double %x"),
    "a string": call('ptr @f, metadata !"hello", double %x'),
    "an unknown marker": call('ptr @f, metadata !"enzyme_sometimes", double %x'),
    "two markers": call("ptr @f, ptr @enzyme_out, ptr @enzyme_const, double %x"),
    "only a marker": call("ptr @enzyme_dup"),
    "no shadow": call("ptr @load, ptr @enzyme_dup, ptr %p"),
    "width of nothing": call("ptr @f, ptr @enzyme_width"),
    "width of zero": call("ptr @f, ptr @enzyme_width, i32 0, double %x"),
    "a negative width": call("ptr @f, ptr @enzyme_width, i32 -1, double %x"),
    "a huge width": call("ptr @f, ptr @enzyme_width, i32 1000000, double %x"),
    "a width that is not known": call("ptr @f, ptr @enzyme_width, i32 %n, double %x"),
    "a width that is a float": call("ptr @f, ptr @enzyme_width, double 2.0, double %x"),
    "a marker for a batch": call('ptr @f, metadata !"enzyme_vector", double %x'),
    "a tape without memory": call(
        "ptr @f, ptr @enzyme_tape, ptr %p, double %x", "__enzyme_augmentfwd", "ptr"
    ),
    "a tape of no size": call(
        "ptr @f, ptr @enzyme_allocated, double %x", "__enzyme_augmentfwd", "ptr"
    ),
    "a small tape": call(
        "ptr @f, ptr @enzyme_allocated, i64 4, ptr @enzyme_tape, ptr %p, double %x",
        "__enzyme_augmentfwd",
        "ptr",
    ),
    "a tape in one call": call("ptr @f, ptr @enzyme_tape, ptr %p, double %x"),
    "no tape": asked("call void (...) @__enzyme_reverse(ptr @f, double %x, double 1.0)"),
    "no seed": asked("call void (...) @__enzyme_reverse(ptr @f, double %x)"),
    "a batch of none": call("ptr @f, double %x", "__enzyme_batch"),
    "a batch without markers": call(
        "ptr @f, ptr @enzyme_width, i32 2, double %x, double %x", "__enzyme_batch"
    ),
    "a stored call": asked("store ptr @__enzyme_autodiff, ptr %p"),
    "a table of calls": asked("", "@t = global ptr @__enzyme_autodiff"),
    "a gradient of one": asked("", "@__enzyme_register_gradient_f = global [1 x ptr] [ptr @f]"),
    "a gradient of numbers": asked(
        "", "@__enzyme_register_gradient_f = global [3 x i64] [i64 1, i64 2, i64 3]"
    ),
    "a gradient elsewhere": asked("", "@__enzyme_register_gradient_f = external global [3 x ptr]"),
    "a derivative of another type": asked(
        "%r = call double (...) @__enzyme_fwddiff(ptr @f, double %x, double 1.0)",
        "@__enzyme_register_derivative_f = global [2 x ptr] [ptr @f, ptr @load]",
    ),
    "like nothing": asked("", "@__enzyme_function_like_f = global [2 x ptr] [ptr @f, ptr null]"),
    "like what is not known": asked(
        "%r = call double (...) @__enzyme_autodiff(ptr @f, double %x)",
        '@n = constant [4 x i8] c"foo\\00"\n@__enzyme_function_like_f = global [2 x ptr] [ptr @f, ptr @n]',
    ),
    "an inactive number": asked("", "@__enzyme_inactivefn_f = global i64 7"),
    "an inactive and a ruled function": asked(
        "",
        "@__enzyme_inactivefn_f = global ptr @f\n@__enzyme_register_derivative_f = global [2 x ptr] [ptr @f, ptr @f]",
    ),
    "an allocation of nothing": asked(
        "", "@__enzyme_allocation_like_f = global [1 x ptr] [ptr @f]"
    ),
    "a used declaration": asked(
        "%r = load ptr, ptr @__enzyme_inactivefn_f", "@__enzyme_inactivefn_f = global ptr @f"
    ),
}


def check(arguments, given, tmp_path, wanted=(1,)):
    output = tmp_path / "out.ll"
    code, out, err = command([*arguments, "-o", str(output)], given)
    assert code in wanted, err
    assert out == ""
    assert output.exists() == (code == 0)
    if code:
        assert err.startswith("error: ") and err.count("\n") == 1 and err.endswith("\n")
        assert "internal error" not in err
    else:
        assert err == ""


@pytest.mark.parametrize("name", TEXTS)
def test_text(name, tmp_path):
    check(["opt", "-"], TEXTS[name], tmp_path)


def test_truncated_text(tmp_path):
    """Cut anywhere: an error, or a shorter module."""
    for length in range(1, len(GOOD), len(GOOD) // 40):
        check(["opt", "-"], GOOD[:length], tmp_path, (0, 1))
        (tmp_path / "out.ll").unlink(missing_ok=True)


def test_words_exchanged(tmp_path):
    """Words of a module in another order: an error, or another module."""
    chance = random.Random(3)
    words = GOOD.split(" ")
    for _ in range(60):
        mixed = list(words)
        first, second = (chance.randrange(len(mixed)) for _ in range(2))
        mixed[first], mixed[second] = mixed[second], mixed[first]
        check(["opt", "-"], " ".join(mixed), tmp_path, (0, 1))
        (tmp_path / "out.ll").unlink(missing_ok=True)


def test_bytes(tmp_path):
    """Bitcode that is cut, bytes that are neither, and files that are not there."""
    bitcode = llvmlite.binding.parse_assembly(GOOD).as_bitcode()
    path = tmp_path / "in.bc"
    path.write_bytes(bitcode)
    check(["opt", str(path)], "", tmp_path, (0,))
    (tmp_path / "out.ll").unlink()
    for content in (
        bitcode[: len(bitcode) // 2],
        bitcode[:4],
        b"\xff\xfe\x00",
        b"\x00" * 64,
        b"\x7fELF",
    ):
        path.write_bytes(content)
        check(["opt", str(path)], "", tmp_path)
    check(["opt", str(tmp_path / "nothing.ll")], "", tmp_path)
    check(["opt", str(tmp_path)], "", tmp_path)
