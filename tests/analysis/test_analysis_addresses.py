"""Addresses: what is a multiple of what."""

from __future__ import annotations

import pytest

from enzyme.engine.analysis.addresses import distance, gep_steps, spacing
from enzyme.engine.ir.datalayout import DataLayout
from enzyme.engine.ir.parser import parse_module

INDICES = {
    "%n": 1,
    "%twelve": 12,
    "%shifted": 16,
    "%sum": 4,
    "%counted": 24,
    "%chosen": 6,
    "%halved": 1,
    "%powers": 1,
    "%wide": 40,
    "%nothing": 0,
}
TEXT = """
define void @f(ptr %p, i64 %n, i32 %small, i1 %c) {
entry:
  br label %loop
loop:
  %counted = phi i64 [ 0, %entry ], [ %next, %loop ]
  %powers = phi i64 [ 1, %entry ], [ %tripled, %loop ]
  %nothing = phi i64 [ 0, %entry ], [ %still, %loop ]
  %next = add nuw nsw i64 %counted, 24
  %tripled = mul i64 %powers, 3
  %still = mul i64 %nothing, 5
  %twelve = mul i64 %n, 12
  %shifted = shl i64 %n, 4
  %sum = sub i64 %twelve, %shifted
  %chosen = select i1 %c, i64 18, i64 %twelve
  %halved = lshr i64 %twelve, 1
  %five = mul nsw i32 %small, 5
  %extended = sext i32 %five to i64
  %wide = shl nsw i64 %extended, 3
  %bytes = getelementptr i8, ptr %p, i64 INDEX
  %doubles = getelementptr double, ptr %p, i64 INDEX
  br i1 %c, label %loop, label %exit
exit:
  ret void
}
"""


@pytest.mark.parametrize("index", INDICES)
def test_spacing(index):
    module = parse_module(TEXT.replace("INDEX", index))
    geps = [i for i in module.functions["f"].instructions() if i.opcode == "getelementptr"]
    found = [gep_steps(gep, DataLayout("e-i64:64")) for gep in geps]
    assert [spacing(steps) for _, _, steps in found] == [INDICES[index], 8 * INDICES[index]]


# Constants that stand in an index beside what only the run knows.
DISTANCES = {
    "%n": (0, 1),
    "%further": (8, 1),
    "%back": (-8, 1),
    "%counted": (0, 24),
    "%from_eight": (8, 16),
    "%walking": (8, 1),
    "%two_places": (0, 8),
    "%product": (0, 1),
    "%constant": (24, 0),
    "%wraps": (184, 192),
    "%eight_less": (-8, 0),
}
HIDDEN = """
define void @f(ptr %p, i64 %n, i64 %stride, i1 %c) {
entry:
  br label %loop
loop:
  %counted = phi i64 [ 0, %entry ], [ %next, %loop ]
  %from_eight = phi i64 [ 8, %entry ], [ %sixteen_on, %loop ]
  %walking = phi i64 [ 8, %entry ], [ %one_on, %loop ]
  %next = add nuw nsw i64 %counted, 24
  %sixteen_on = add i64 %from_eight, 16
  %one_on = add i64 %walking, %stride
  %items = mul i64 %n, %stride
  %further = add i64 %items, 8
  %back = sub i64 %items, 8
  %two_places = select i1 %c, i64 0, i64 8
  %one_more = add i64 %n, 1
  %product = mul i64 %one_more, %stride
  %constant = shl i64 3, 3
  %less = add i64 %counted, 2305843009213693951
  %wraps = shl i64 %less, 3
  %eight_less = shl i64 2305843009213693951, 3
  %bytes = getelementptr i8, ptr %p, i64 INDEX
  br i1 %c, label %loop, label %exit
exit:
  ret void
}
"""


@pytest.mark.parametrize("index", DISTANCES)
def test_constants_hidden_in_an_index(index):
    module = parse_module(HIDDEN.replace("INDEX", index))
    (gep,) = [i for i in module.functions["f"].instructions() if i.opcode == "getelementptr"]
    _, _, steps = gep_steps(gep, DataLayout("e-i64:64"))
    assert distance(steps) == DISTANCES[index]
