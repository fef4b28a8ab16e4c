"""Loops that read memory backwards are compiled, however short they are known to be."""

from __future__ import annotations

import re

import llvmlite.binding as llvm
import numpy as np
import pytest
from numba import njit

from enzyme import Active, Const, Duplicated, Forward, Reverse, autodiff
from enzyme.backend import passes
from enzyme.backend.descents import counted_in_steps

LOOP = """
declare i64 @llvm.smin.i64(i64, i64)
define void @f(ptr noalias %p, ptr noalias %q, i64 %n) {
entry:
  %m = call i64 @llvm.smin.i64(i64 %n, i64 MOST)
  %any = icmp sgt i64 %m, 0
  br i1 %any, label %body, label %exit
body:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %distance = mul nsw i64 %i, -STEP
  %from = getelementptr inbounds nuw i8, ptr %p, i64 %distance
  %v = load TYPE, ptr %from, align 4
  %to = getelementptr TYPE, ptr %q, i64 %i
  store TYPE %v, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %m
  br i1 %done, label %exit, label %body
exit:
  ret void
}
"""


@njit
def turned_rows(x):
    s = 0.0
    for t in range(4):
        rows = np.ones((20, 54)) * 0.3
        z = rows[t]
        z[:8] = z[:8][::-1]
        for i in range(8):
            z[i] = np.cos(z[7 - i] * x[i + 1])
        s += z.sum()
    return s


@njit
def turned(x, n):
    s = 0.0
    m = min(n, 30)
    z = x[:m].copy()
    y = z[::-1]
    for i in range(m):
        s += y[i] * x[i] ** 2
    return s


@pytest.mark.parametrize(("step", "type_"), [(2, "half"), (4, "float"), (8, "double"), (8, "i64")])
def test_short_loops_are_compiled(step, type_):
    """With one of these lengths LLVM 22 ended the process: its two models of the cost chose different widths."""
    for most in range(8, 64):
        text = LOOP.replace("MOST", str(most)).replace("STEP", str(step)).replace("TYPE", type_)
        optimised = passes.optimise_after_ad(text)
        assert "@f(" in optimised
    assert re.search(rf"<\d+ x {type_}>", optimised) is not None


def test_the_address_is_the_same():
    """The distance as LLVM computes it, of the text before and after: for a power of two, and for no other factor."""
    for step in (1, 2, 3, 8, 24, 1024):
        text = LOOP.replace("MOST", "9").replace("STEP", str(step)).replace("TYPE", "double")
        changed = counted_in_steps(text)
        assert (changed is text) == (step in (1, 3, 24))
        llvm.parse_assembly(changed).verify()
        if changed is not text:
            assert f"inbounds [{step} x i8], ptr %p" in changed
            assert "sub nsw i64 0, %i" in changed
    wrapping = LOOP.replace("STEP", "8").replace("mul nsw", "mul")
    assert "getelementptr [8 x i8], ptr %p" in counted_in_steps(wrapping)


def test_programs_that_turn_their_rows():
    x = np.linspace(0.1, 1.0, 40)
    for f, rest in ((turned_rows, ()), (turned, (Const(35),))):
        shadow, u = np.zeros_like(x), np.cos(np.arange(40.0))
        autodiff(Reverse, f, Active, Duplicated(x, shadow), *rest)
        (slope,) = autodiff(Forward, f, Duplicated(x, u), *rest)
        np.testing.assert_allclose(shadow @ u, slope, rtol=1e-12)
