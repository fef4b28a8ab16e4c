"""Functions of one number that are apart only by a check: called in one place, and each is the other's derivative."""

from __future__ import annotations

import math
import re

import pytest
from numba import njit

from enzyme import Active, Reverse, autodiff, enzyme_code_typed
from enzyme.engine.analysis.cfg import ControlFlow
from enzyme.engine.ir.parser import parse_module
from enzyme.engine.preprocess.gathered_calls import gather_calls

HEAD = """
declare double @llvm.sin.f64(double)
declare double @llvm.cos.f64(double)
declare double @llvm.floor.f64(double)

define i32 @f(double %x, double %y, i1 %a, i1 %b, ptr %to) {
entry:
  %s = call double @llvm.sin.f64(double %x)
"""
FAIL = "\nfail:\n  ret i32 1\n}\n"
COS = "  %c = call double @llvm.cos.f64(double %x)\n  store double %c, ptr %to\n"
DONE = "  ret i32 0\n"
CHECK = "  br i1 %a, label %fail, label %on\non:\n"
# What stands behind the sine, and whether the cosine moves up to it.
CASES = {
    "behind a check": (CHECK + COS + DONE, True),
    "behind two": (CHECK + "  br i1 %b, label %fail, label %more\nmore:\n" + COS + DONE, True),
    "behind a plain branch": ("  br label %on\non:\n" + COS + DONE, True),
    "of another number": (CHECK + COS.replace("double %x", "double %y") + DONE, False),
    "a step function": (CHECK + COS.replace("cos", "floor") + DONE, False),
    "behind a choice": (
        "  br i1 %a, label %other, label %on\non:\n" + COS + DONE + "other:\n" + DONE,
        False,
    ),
    "entered from elsewhere": (
        "  br i1 %a, label %on, label %side\nside:\n  br i1 %b, label %fail, label %on\non:\n"
        + COS
        + DONE,
        False,
    ),
    "where a loop begins": (
        CHECK.replace("on:", "on:\n  br label %head\nhead:")
        + COS
        + "  br i1 %b, label %head, label %end\nend:\n"
        + DONE,
        False,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_moves(name):
    behind, moves = CASES[name]
    f = parse_module(HEAD + behind + FAIL).functions["f"]
    gather_calls(ControlFlow(f), [b for b in f.blocks if b.name == "fail"])
    entry = [i.name for i in f.entry.instructions]
    assert entry[: 1 + moves] == ["s", "c"][: 1 + moves]
    assert ("c" in entry) == moves


@njit
def wave(x):
    return math.sin(x) / (2.0 * math.cos(x))


@njit
def wave_later(x, y):
    c = math.cos(x)
    q = 1.0 / c
    return (q + 1.0 / y) * math.sin(x)


@njit
def newton(x, e):
    for _ in range(3):
        x -= (x - e * math.sin(x) - 0.5) / (1.0 - e * math.cos(x))
    return x


@njit
def growth(x):
    return math.sinh(x) / math.cosh(x)


PROGRAMS = {
    wave: (0.7,),
    wave_later: (0.7, 2.0),
    newton: (1.0, 0.4),
    growth: (0.7,),
}


def calls(text, name):
    return len(re.findall(rf"call [^@\n]*@llvm\.{name}\.f64", text))


@pytest.mark.parametrize("f", PROGRAMS)
def test_the_derivative_calls_nothing_again(f):
    at = PROGRAMS[f]
    annotations = tuple(Active(x) for x in at)
    derivative = enzyme_code_typed(f, Active, annotations, Reverse)
    primal, _, gradient = derivative.rpartition("define ")
    for name in ("sin", "cos", "sinh", "cosh"):
        assert calls(gradient, name) == calls(primal, name)
    found = autodiff(Reverse, f, Active, *annotations)[0]
    for k, slope in enumerate(found):
        h = 1e-6
        up, down = ([x + s * h * (j == k) for j, x in enumerate(at)] for s in (1, -1))
        assert slope == pytest.approx((f(*up) - f(*down)) / (2 * h), rel=1e-8, abs=1e-9)


def test_what_fails_still_does():
    with pytest.raises(ZeroDivisionError):
        autodiff(Reverse, wave_later, Active, Active(0.7), Active(0.0))
