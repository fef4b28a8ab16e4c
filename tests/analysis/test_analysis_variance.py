"""With which loops values vary."""

from __future__ import annotations

import pytest

from enzyme.engine.analysis.cfg import ControlFlow
from enzyme.engine.analysis.dominance import Dominators
from enzyme.engine.analysis.inductions import find_inductions
from enzyme.engine.analysis.loops import LoopForest
from enzyme.engine.analysis.variance import Variance
from enzyme.engine.ir.parser import parse_module

NEST = """
declare double @sin(double) memory(none)
declare double @next(double)
declare double @llvm.sqrt.f64(double)
define double @f(ptr %x, i64 %n) {
entry:
  br label %rows
rows:
  %i = phi i64 [ 0, %entry ], [ %i.next, %rows.end ]
  %row = getelementptr double, ptr %x, i64 %i
  %carried = phi double [ 0.0, %entry ], [ %value, %rows.end ]
  br label %columns
columns:
  %j = phi i64 [ 0, %rows ], [ %j.next, %columns ]
  %walk = phi ptr [ %x, %rows ], [ %walk.next, %columns ]
  %walk.row = phi ptr [ %row, %rows ], [ %walk.row.next, %columns ]
  %at = getelementptr double, ptr %x, i64 %j
  %value = load double, ptr %at
  %fixed = load double, ptr %x
  %by.row = load double, ptr %row
  %root = call double @llvm.sqrt.f64(double %value)
  %pure = call double @sin(double %fixed)
  %impure = call double @next(double %fixed)
  %sum = fadd double %value, %by.row
  %mixed = fadd double %value, %carried
  %walk.next = getelementptr i8, ptr %walk, i64 8
  %walk.row.next = getelementptr i8, ptr %walk.row, i64 8
  %j.next = add i64 %j, 1
  %more = icmp slt i64 %j.next, %n
  br i1 %more, label %columns, label %rows.end
rows.end:
  %last = fadd double %value, 1.0
  %i.next = add i64 %i, 1
  %again = icmp slt i64 %i.next, %n
  br i1 %again, label %rows, label %exit
exit:
  %after = fadd double %last, 1.0
  ret double %after
}
"""
VARIES = {
    "i": "rows",
    "j": "columns",
    "walk": "columns",
    "walk.row": "rows columns",
    "value": "columns",
    "fixed": "",
    "by.row": "rows",
    "root": "columns",
    "pure": "",
    "impure": "rows columns",
    "sum": "rows columns",
    "mixed": "rows columns",
    "last": "rows",  # the loop that it comes from is over
    "after": "",
}


def variance(written):
    """Names of the loops by name of the value; `written` are the headers of loops that write."""
    function = parse_module(NEST).functions["f"]
    cfg = ControlFlow(function)
    forest = LoopForest(cfg, Dominators(cfg))
    inductions = {}
    for loop in forest.loops:
        inductions.update(find_inductions(loop, loop.latches[0], loop.entering[0]))
    found = Variance(forest, (), inductions, lambda load, loop: loop.header.name in written)
    return {
        i.name: " ".join(loop.header.name for loop in forest.loops if loop in found.loops(i))
        for block in function.blocks
        for i in block.instructions
    }


@pytest.mark.parametrize("name", VARIES)
def test_memory_that_nobody_writes(name):
    assert variance(())[name] == VARIES[name]


def test_loads_vary_with_loops_that_write():
    found = variance({"rows"})
    assert found["value"] == "rows columns"
    assert found["fixed"] == "rows"
    assert found["by.row"] == "rows"
    assert variance({"rows", "columns"})["fixed"] == "rows columns"
