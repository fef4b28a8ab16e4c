"""What cannot be lowered: exit code 1 and one line that says where and why."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import enzyme
from enzyme.errors import EnzymeError, IRParseError
from enzyme.frontdoor.advice import in_these_words
from enzyme.frontdoor.failures import one_line

from .frontdoor_harness import command

BASE = """
@enzyme_const = external global i32
@enzyme_dup = external global i32
@enzyme_out = external global i32
@enzyme_width = external global i32
@enzyme_dupv = external global i32
declare double @__enzyme_autodiff(...)
declare double @__enzyme_fwddiff(...)
declare { double, double } @__enzyme_autodiff_pair(...)
declare void @__enzyme_autodiff_void(...)
declare double @unknown(double)
declare double @summed(ptr, ...)
define double @square(double %x) {
  %r = fmul double %x, %x
  ret double %r
}
define double @load(ptr %x) {
  %r = load double, ptr %x, align 8
  ret double %r
}
define double @power(double %x, i32 %n) {
  ret double %x
}
define { double, double } @pair(double %x) {
  %a = insertvalue { double, double } poison, double %x, 0
  %b = insertvalue { double, double } %a, double %x, 1
  ret { double, double } %b
}
define double @calls_unknown(double %x) {
  %r = call double @unknown(double %x)
  ret double %r
}
define double @by_value(ptr byval(double) %x) {
  %r = load double, ptr %x, align 8
  ret double %r
}
define double @variadic(double %x, ...) {
  ret double %x
}
define double @itself(double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @itself, double %x)
  ret double %r
}
"""


def failure(body, base=BASE, parameters="double %x, ptr %p, ptr %d, i32 %n"):
    """The one line without ``error: ``."""
    text = f"{base}define void @main({parameters}) {{\n{body}\n  ret void\n}}\n"
    code, out, err = command(["opt", "-"], text)
    assert code == 1
    assert out == ""
    assert err.startswith("error: ")
    assert err.endswith("\n")
    assert err.count("\n") == 1
    return err[len("error: ") : -1]


def call(operands, name="__enzyme_autodiff", type_="double"):
    left = "" if type_ == "void" else "%r = "
    return f"  {left}call {type_} (...) @{name}({operands})"


PLACE = "call of @__enzyme_autodiff in @main: "


@pytest.mark.parametrize(
    ("operands", "expected"),
    [
        ("", "the function to differentiate is missing"),
        ("ptr @square", "argument 0 of @square is missing"),
        (
            "ptr @square, double %x, double %x",
            "1 operand(s) too many for @square, which has 1 parameter(s)",
        ),
        ("ptr @load, ptr %p", "the shadow of argument 0 of @load is missing"),
        ("ptr @load, ptr @enzyme_dup, ptr %p", "the shadow of argument 0 of @load is missing"),
        (
            "ptr @load, ptr @enzyme_dup, ptr %p, ptr @enzyme_const",
            "the shadow of argument 0 of @load is missing: the marker enzyme_const stands in its place",
        ),
        ("ptr @square, ptr @enzyme_const", "argument 0 of @square is missing"),
        (
            "ptr @square, ptr @enzyme_out, ptr @enzyme_out, double %x",
            "argument 0 of @square is missing: the marker enzyme_out stands in its place",
        ),
        (
            "ptr @square, ptr @enzyme_width, i32 %n, double %x",
            "enzyme_width needs a number from 1 to 64 that is known here",
        ),
        (
            'ptr @square, metadata !"enzyme_vector", double %x',
            "@enzyme_vector is not supported: it stands before argument 0 of @square"
            " (it belongs into a call of __enzyme_batch)",
        ),
        (
            "ptr @load, ptr @enzyme_dupv, ptr %p, ptr %d",
            "the distance of the shadows of argument 0 of @load must be an integer, not a ptr",
        ),
        (
            "ptr @load, ptr @enzyme_out, ptr %p",
            "argument 0 of @load cannot be enzyme_out: it is not a float",
        ),
        (
            "ptr @power, double %x, ptr @enzyme_out, i32 %n",
            "argument 1 of @power cannot be enzyme_out: it is not a float",
        ),
        (
            "ptr @square, ptr @enzyme_dup, double %x, double 1.0",
            "argument 0 of @square cannot be enzyme_dup in reverse mode: it is passed by value"
            " (mark it enzyme_out)",
        ),
        ("ptr @square, i64 3", "argument 0 of @square must be a double, not a i64"),
        (
            "ptr @load, ptr %p, double %x",
            "the shadow of argument 0 of @load must be a ptr, not a double",
        ),
        ("ptr @unknown, double %x", "@unknown is only declared: its body is needed"),
        ("ptr @variadic, double %x", "@variadic takes a variable number of arguments"),
        (
            "ptr %p, double %x",
            "the function to differentiate is not known here: the first operand is not a function"
            " of the module, nor trivially one",
        ),
        (
            "ptr @by_value, ptr %p, ptr %d",
            "argument 0 of @by_value is a structure passed by value in memory (byval):"
            " its adjoint would be lost with the copy (pass a pointer to it)",
        ),
        (
            "ptr @pair, double %x",
            "@pair returns { double, double }: reverse mode starts from one float"
            " (return one number, or store the results behind a pointer with a shadow)",
        ),
    ],
)
def test_operands(operands, expected):
    assert failure(call(operands)) == PLACE + expected


def test_shadow_missing_before_the_next_argument():
    assert "the shadow of argument 0 of @load is missing" in failure(call("ptr @load, ptr %p"))


def test_out_in_forward_mode():
    message = failure(call("ptr @square, ptr @enzyme_out, double %x", "__enzyme_fwddiff"))
    assert message.endswith(
        "argument 0 of @square cannot be enzyme_out: forward mode has no adjoints"
    )


def test_integer_has_no_tangent():
    operands = "ptr @power, double %x, double 1.0, ptr @enzyme_dup, i32 %n, i32 1"
    message = failure(call(operands, "__enzyme_fwddiff"))
    assert message.endswith("argument 1 of @power cannot be enzyme_dup: a i32 has no tangent")


@pytest.mark.parametrize(
    ("operands", "name", "type_", "returns", "gives"),
    [
        (
            "ptr @square, ptr @enzyme_out, double %x",
            "__enzyme_autodiff_void",
            "void",
            "nothing",
            "double",
        ),
        (
            "ptr @square, double %x",
            "__enzyme_autodiff_pair",
            "{ double, double }",
            "{ double, double }",
            "double",
        ),
    ],
)
def test_declared_result(operands, name, type_, returns, gives):
    body = call(operands, name, type_)
    if type_ != "void":
        body += f"\n  store {type_} %r, ptr %p"
    message = failure(body)
    assert f"declared to return {returns}, but the derivative of @square gives {gives}" in message


def test_declared_result_is_used_but_there_is_none():
    body = call("ptr @load, ptr %p, ptr %d") + "\n  store double %r, ptr %p"
    assert "declared to return double, but the derivative of @load gives nothing" in failure(body)


def test_unknown_external_function():
    message = failure(call("ptr @calls_unknown, double %x"))
    assert message.startswith(PLACE)
    assert "the call of external function 'unknown'" in message


def test_derivative_of_itself():
    message = failure(call("ptr @itself, double %x"))
    assert (
        message == "call of @__enzyme_autodiff in @itself: the derivative of @itself needs itself"
    )


def test_unknown_kind_of_call():
    message = failure(
        "  call void @__enzyme_get_trace(ptr @square)",
        BASE + "declare void @__enzyme_get_trace(ptr)\n",
    )
    assert message.startswith("in @main: @__enzyme_get_trace is not supported")


@pytest.mark.parametrize("name", ["__enzyme_autodiff", "__enzyme_ignore_derivatives"])
def test_address_of_the_call(name):
    said = failure(f"  store ptr @{name}, ptr %p", f"declare double @{name}(double)\n")
    assert said == f"in @main: @{name} is used as a value; it can only be called"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "define double @f(double %x) {\n  %y = fmil double %x, %x\n",
            "line 2: expected instruction opcode",
        ),
        (
            "\n\ndefine double @f(double %x) {\n  ret double %z\n}\n",
            "line 4: use of undefined value '%z'",
        ),
        ("hello", "line 1: expected top-level entity"),
    ],
)
def test_parse_errors(text, expected):
    code, _, err = command(["opt", "-"], text)
    assert code == 1
    assert err.startswith(f"error: {expected}")
    assert err.count("\n") == 1


def test_invalid_module():
    text = "define i64 @f(i64 %x) {\n  %y = add i64 %z, 1\n  %z = add i64 %x, 1\n  ret i64 %y\n}\n"
    code, _, err = command(["opt", "-"], text)
    assert code == 1
    assert err.startswith(
        "error: the input is not valid IR: Instruction does not dominate all uses!"
    )
    assert err.count("\n") == 1


def test_source_line_of_the_program():
    """With debug information the program's own line is named."""
    text = """
declare double @__enzyme_autodiff(ptr, ...)
declare double @unknown(double)
define double @f(double %x) !dbg !5 {
  %r = call double @unknown(double %x), !dbg !8
  ret double %r, !dbg !8
}
define double @go(double %x) {
  %r = call double (ptr, ...) @__enzyme_autodiff(ptr @f, double %x)
  ret double %r
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, producer: "clang", isOptimized: true,
  runtimeVersion: 0, emissionKind: FullDebug)
!1 = !DIFile(filename: "model.c", directory: "/tmp")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !4)
!4 = !{}
!5 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 5, type: !3,
  unit: !0, spFlags: DISPFlagDefinition)
!8 = !DILocation(line: 6, column: 3, scope: !5)
"""
    code, _, err = command(["opt", "-"], text)
    assert code == 1
    assert "model.c:6" in err
    assert "unknown" in err
    assert err.count("\n") == 1


def test_one_line():
    assert (
        one_line(EnzymeError(what="a\n b", why="c", where="d", todo=("e", "f"))) == "d: a b: c (e)"
    )
    assert one_line(IRParseError("odd", line=3, text="  x  y")) == "line 3: odd: x y"
    assert one_line(KeyError()) == "KeyError"


def test_two_types_name_their_function():
    text = """
declare double @__enzyme_fwddiff(...)
declare double @__enzyme_autodiff(...)
define double @bits(double %x) {
  %i = bitcast double %x to i64
  %k = sitofp i64 %i to double
  %r = fmul double %k, %x
  ret double %r
}
define double @go(double %x) {
  %r = call double (...) CALL
  ret double %r
}"""
    for call in (
        "@__enzyme_autodiff(ptr @bits, double %x)",
        "@__enzyme_fwddiff(ptr @bits, double %x, double 1.0)",
    ):
        code, _, err = command(["opt", "-"], text.replace("CALL", call))
        assert code == 1
        assert "in @bits: %k = sitofp i64 %i to double: the same bytes are used as two types" in err


# What only users in Python can do.
PYTHON = re.compile(
    r"(?<!__enzyme_)\b(?:Python|Const|Duplicated|Active|make_zero|easy_rule|enzyme_rules|set_runtime_activity"
    r"|clear_err_if_const_written|ignore_derivatives|autodiff|tuples)\b|\bif c else|\.copy\("
)


def texts_of(tree):
    """The strings of a source but docstrings; what is put into them is `x`."""
    inner = set()
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr):
            inner.add(body[0].value)
        if isinstance(node, ast.JoinedStr):
            inner.update(part for part in ast.walk(node) if part is not node)
            yield "".join(v.value if isinstance(v, ast.Constant) else "x" for v in node.values)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in inner:
            yield node.value


def test_advice_is_not_for_python():
    """Everything that the engine may advise is said in the words of the program that asked, or not said."""
    advice = [
        text
        for source in (Path(enzyme.__file__).parent / "engine").rglob("*.py")
        for text in texts_of(ast.parse(source.read_text()))
        if PYTHON.search(text) and " " in text and "\n" not in text
    ]
    assert len(advice) > 10
    said = [text for given in advice for text in in_these_words((given,))]
    assert [text for text in said if PYTHON.search(text)] == []
    assert len(said) > len(advice) / 2


def test_markers_of_merged_calls():
    """Clang makes one call of two that differ in a marker."""
    text = """
define double @df(double %x, i1 %c) {
  %one = load i32, ptr @enzyme_const
  %two = load i32, ptr @enzyme_out
  %marker = select i1 %c, i32 %one, i32 %two
  %r = call double (...) @__enzyme_autodiff(ptr @square, i32 %marker, double %x)
  ret double %r
}
"""
    code, out, err = command(["opt", "-"], BASE + text)
    assert (code, out) == (1, "")
    said = (
        "in front of argument 0 of @square stands one of several markers: enzyme_const, enzyme_out"
    )
    assert said in err
