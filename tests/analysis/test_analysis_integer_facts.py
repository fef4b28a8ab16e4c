"""Integers that cannot be zero where comparisons came out as they did: every 4-bit value against the answer."""

from __future__ import annotations

import itertools

import pytest

from enzyme.engine.analysis.integer_facts import excludes_zero, is_counted_from_one
from enzyme.engine.ir.parser import parse_module

BITS = 4
VALUES = range(-(1 << BITS - 1), 1 << BITS - 1)
# What is asked about, as LLVM writes it and as Python computes it; None where it wraps, which its words rule out.
WRITTEN = {
    "%n": lambda n: n,
    "add i4 %n, 3": lambda n: n + 3,
    "sub i4 %n, 2": lambda n: n - 2,
    "shl nsw i4 %n, 1": lambda n: n * 2 if n * 2 in VALUES else None,
    "mul nsw i4 %n, -3": lambda n: n * -3 if n * -3 in VALUES else None,
    "shl i4 %n, 1": lambda n: n * 2,
    "mul i4 %n, 0": lambda n: 0,
    "sext i4 %n to i8": lambda n: n,
    "zext i4 %n to i8": lambda n: n % 16,
}
TESTED = {"%n": lambda n: n, "add i4 %n, 2": lambda n: n + 2, "sub i4 %n, 5": lambda n: n - 5}
PREDICATES = "eq ne slt sle sgt sge ult ule ugt uge".split()


def wrapped(value):
    return (value + 8) % 16 - 8


def outcome(predicate, left, right):
    if predicate[0] == "u":
        left, right = left % 16, right % 16
    return {
        "eq": left == right,
        "ne": left != right,
        "lt": left < right,
        "le": left <= right,
        "gt": left > right,
        "ge": left >= right,
    }[predicate if predicate in ("eq", "ne") else predicate[1:]]


def parsed(written, tested, predicate, constant):
    lines = ["define i1 @f(i4 %n) {"]
    if written != "%n":
        lines.append(f"  %v = {written}")
    if tested != "%n":
        lines.append(f"  %t = {tested}")
    left = "%n" if tested == "%n" else "%t"
    lines += [f"  %c = icmp {predicate} i4 {left}, {constant}", "  ret i1 %c", "}"]
    function = parse_module("\n".join(lines)).functions["f"]
    found = {i.name: i for i in function.instructions() if i.name}
    return found.get("v", function.args[0]), found["c"]


@pytest.mark.parametrize("written", WRITTEN)
def test_an_integer_that_may_be_zero_is_never_said_not_to_be(written):
    said = 0
    for tested, predicate, constant in itertools.product(TESTED, PREDICATES, (-8, -3, 0, 2, 7)):
        value, test = parsed(written, tested, predicate, constant)
        for holds in (True, False):
            here = [
                WRITTEN[written](n)
                for n in VALUES
                if outcome(predicate, wrapped(TESTED[tested](n)), constant) is holds
            ]
            possible = [wrapped(v) for v in here if v is not None]
            answer = excludes_zero(value, [(test, holds)])
            said += answer
            assert not (answer and 0 in possible), (tested, predicate, constant, holds)
            # What is the argument plus a constant is decided exactly.
            if written.split()[0] in ("%n", "add", "sub"):
                assert answer is (0 not in possible), (tested, predicate, constant, holds)
    assert bool(said) is (written not in ("shl i4 %n, 1", "mul i4 %n, 0"))


LOOP = """
define void @f(i64 %n, i32 %s) {{
entry:
  br label %loop
loop:
  %k = phi i64 [ {start}, %entry ], [ %next, %loop ]
  {value}
  %next = add {flags} i64 %k, {step}
  %c = icmp ult i64 %next, %n
  br i1 %c, label %loop, label %out
out:
  ret void
}}
"""


@pytest.mark.parametrize(
    ("start", "value", "flags", "step", "nonzero"),
    [
        ("1", "%v = add nsw i64 %k, 0", "nuw nsw", "1", True),
        ("0", "%v = add nuw nsw i64 %k, 1", "nuw nsw", "1", True),
        ("0", "%v = add nuw nsw i64 %k, 1", "nuw nsw", "2", True),
        ("0", "%v = add nsw i64 %k, 0", "nuw nsw", "1", False),
        ("1", "%v = add nsw i64 %k, 0", "", "1", False),
        ("3", "%v = add nsw i64 %k, 0", "nsw", "-1", False),
        ("-1", "%v = add nsw i64 %k, 1", "nsw", "1", False),
        ("%n", "%v = add nsw i64 %k, 1", "nuw nsw", "1", False),
        ("1", "%v = add i64 %k, 1", "nuw nsw", "1", False),
        ("1", "%v = add nuw i64 %k, 0", "nuw", "1", True),
        ("-5", "%v = add nuw i64 %k, 2", "nuw", "1", True),
        ("-5", "%v = add nsw i64 %k, 2", "nuw", "1", False),
        ("0", "%z = zext i32 %s to i64\n  %v = add nsw i64 %z, 1", "nuw", "1", True),
        ("0", "%z = sext i32 %s to i64\n  %v = add nsw i64 %z, 1", "nuw", "1", False),
    ],
)
def test_counters_that_begin_at_one_and_grow_are_not_zero(start, value, flags, step, nonzero):
    text = LOOP.format(start=start, value=value, flags=flags, step=step)
    function = parse_module(text).functions["f"]
    (asked,) = (i for i in function.instructions() if i.name == "v")
    assert is_counted_from_one(asked) is nonzero


def test_two_counters_that_rest_on_each_other():
    """One starts at zero: nothing that was found on the way holds."""
    text = """
define void @f(i1 %c) {
entry:
  br label %loop
loop:
  %a = phi i64 [ 1, %entry ], [ %b, %loop ]
  %b = phi i64 [ 0, %entry ], [ %a, %loop ]
  br i1 %c, label %loop, label %out
out:
  ret void
}
"""
    a, b = parse_module(text).functions["f"].blocks[1].phis()
    assert not is_counted_from_one(a) and not is_counted_from_one(b)
