"""Odd but valid IR is differentiated correctly in both modes, or refused in one line that names the construct."""

from __future__ import annotations

import ctypes
import re

import numpy as np
import pytest

from enzyme.backend.jit import JittedModule
from enzyme.frontdoor.lower import lower

from .frontdoor_harness import command, opt
from .odd_ir import REFUSED, RIGHT

HEAD = "declare double @__enzyme_autodiff(...)\ndeclare double @__enzyme_fwddiff(...)\n"
CALLS = """
define double @df(double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @f, double %x)
  ret double %r
}
define double @dff(double %x) {
  %r = call double (...) @__enzyme_fwddiff(ptr @f, double %x, double 1.0)
  ret double %r
}
"""
_DEFINED = re.compile(r"^(?:define [^@]*@([\w.]+)\(|@([\w.]+) = |\$([\w.]+) = |(%[\w.]+) = )", re.M)
_NODE = re.compile(r"!(\d+)\b")
CHUNKS = 4


def function(text):
    """What stands outside of the function, and the function."""
    outside, dashes, inside = text.rpartition("-----\n")
    attributes = ""
    inside = inside.lstrip("\n")
    if inside.startswith("attributes: "):
        attributes, _, inside = inside.removeprefix("attributes: ").partition("\n")
    return outside if dashes else "", f"define double @f(double %x) {attributes} {{\n{inside}}}\n"


def numbered(text, number):
    """The program with names of its own, so that many stand in one module; declarations apart."""
    outside, body = function(text)
    whole = outside + body + CALLS
    names = {name for found in _DEFINED.findall(outside + body + CALLS) for name in found if name}
    for name in sorted(n for n in names if not n.startswith("llvm.")):
        mark, plain = ("%", name[1:]) if name[0] == "%" else (r"[@$]", name)
        whole = re.sub(rf"({mark}){re.escape(plain)}(?![\w.])", rf"\g<1>{plain}_{number}", whole)
    whole = _NODE.sub(lambda m: f"!{int(m[1]) + 100 * number}", whole)
    declared = [line for line in whole.splitlines() if line.startswith("declare ")]
    rest = [line for line in whole.splitlines() if not line.startswith("declare ")]
    return declared, "\n".join(rest)


def tolerance(text):
    return 5e-3 if "half" in text or ("float" in text and "i64" not in text) else 1e-7


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_right(chunk):
    names = list(RIGHT)[chunk::CHUNKS]
    declared, parts = {}, []
    for number, name in enumerate(names):
        mine, rest = numbered(RIGHT[name], number)
        declared.update(dict.fromkeys(mine))
        parts.append(rest)
    lowered = opt(HEAD + "\n".join([*declared, *parts]))
    module = JittedModule(lowered, optimise=False)
    double = ctypes.c_double
    for number, name in enumerate(names):
        f, reverse, forward = (
            module.function(f"{word}_{number}", double, double) for word in ("f", "df", "dff")
        )
        x, h = 1.25, 2.0**-10
        slope = (8 * (f(x + h) - f(x - h)) - (f(x + 2 * h) - f(x - 2 * h))) / (12 * h)
        near = pytest.approx(slope, rel=tolerance(RIGHT[name]), abs=1e-9)
        assert (name, reverse(x)) == (name, near)
        assert (name, forward(x)) == (name, pytest.approx(reverse(x), rel=1e-12))


# LLVM takes a call of another type for one that is never reached; our verifier does not take it.
MALFORMED = {"call of another type": [pytest.mark.unverified]}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=MALFORMED.get(name, [])) for name in REFUSED]
)
def test_refused(name):
    words, text = REFUSED[name]
    code, out, err = command(["opt", "-"], HEAD + "".join(function(text)) + CALLS)
    assert (code, out) == (1, "")
    assert words in err
    assert err.startswith("error: ") and err.count("\n") == 1
    assert "internal" not in err and ".primal" not in err


def nested_structs(depth):
    return "%n0 = type { double }\n" + "".join(
        f"%n{k} = type {{ %n{k - 1} }}\n" for k in range(1, depth)
    )


# Things inside each other deeper than any compiler writes them: the readers recur, so there is a limit.
DEEP = {
    "a type": "define void @f() {\n  %a = alloca " + "[1 x " * 3000 + "double" + "]" * 3000,
    "a struct": "@g = global " + "{ " * 800 + "double" + " }" * 800 + " zeroinitializer",
    "structs with names": nested_structs(400) + "@g = global %n399 zeroinitializer",
    "a constant": "@g = global "
    + "[1 x " * 300
    + "i8"
    + "]" * 300
    + " "
    + "["
    + "".join("[1 x " * (299 - k) + "i8" + "]" * (299 - k) + " [" for k in range(299))
    + "i8 1"
    + "]" * 300,
}


@pytest.mark.parametrize("name", DEEP)
def test_nesting(name):
    text = DEEP[name]
    if text.startswith("define"):
        text += "\n  ret void\n}\n"
    code, _, err = command(["opt", "-"], text)
    assert code == 1
    assert "nested more than 50 deep" in err
    assert "internal" not in err and err.count("\n") == 1


TWO_AS_ONE = """
declare void @__enzyme_autodiff(...)
declare void @__enzyme_fwddiff(...)
define void @f(ptr %x, i64 %k) {
  %from = getelementptr float, ptr %x, i64 %k
  %v = load float, ptr %from
  %first = load float, ptr %x
  %s = fmul float %v, %first
  store i64 0, ptr %x, align 4
  %to = getelementptr float, ptr %x, i64 2
  store float %s, ptr %to
  ret void
}
define void @adjoint(ptr %x, ptr %d, i64 %k) {
  call void (...) @__enzyme_autodiff(ptr @f, ptr %x, ptr %d, i64 %k)
  ret void
}
define void @again(ptr %x, ptr %xt, ptr %d, ptr %dt, i64 %k) {
  call void (...) @__enzyme_fwddiff(ptr @adjoint, ptr %x, ptr %xt, ptr %d, ptr %dt, i64 %k)
  ret void
}
"""


def test_two_floats_are_cleared_by_one_integer_also_in_a_second_derivative():
    module = JittedModule(lower(TWO_AS_ONE))
    x, xt, d, dt = (np.array(v, np.float32) for v in ([4, 3, 0], [0, 1, 0], [0, 0, 5], [0, 0, 0]))
    given = [a.ctypes.data for a in (x, xt, d, dt)]
    module.function("again", None, *[ctypes.c_void_p] * 4, ctypes.c_int64)(*given, 1)
    assert (x == [0, 0, 12]).all() and (xt == [0, 0, 4]).all()
    assert (d == [15, 20, 0]).all() and (dt == [5, 0, 0]).all()
