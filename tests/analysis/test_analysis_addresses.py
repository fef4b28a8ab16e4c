"""Addresses: what is a multiple of what."""

from __future__ import annotations

import pytest

from enzyme.engine.analysis.addresses import gep_steps, spacing
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
