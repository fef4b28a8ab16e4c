"""Arms of selects that are known whenever they are taken, and those that are not."""

from __future__ import annotations

from enzyme.engine.analysis.cfg import ControlFlow
from enzyme.engine.analysis.dominance import Dominators
from enzyme.engine.analysis.loops import LoopForest
from enzyme.engine.ir.parser import parse_module
from enzyme.engine.ir.printer import print_instruction
from enzyme.engine.preprocess.steady_selects import settle_selects


def settled(text):
    """The selects of `@f` after the pass, by name."""
    function = parse_module(text).functions["f"]
    cfg = ControlFlow(function)
    settle_selects(function, LoopForest(cfg, Dominators(cfg)))
    return {
        i.name: print_instruction(i).strip().partition(" = ")[2]
        for block in function.blocks
        for i in block.instructions
        if i.opcode == "select"
    }


NEST = """
define i64 @f(i64 %n, i64 %start) {
entry:
  %wide = icmp ugt i64 %n, 1
  br label %rows
rows:
  %i = phi i64 [ 0, %entry ], [ %i.next, %rows.end ]
  %p = phi i64 [ FIRST, %entry ], [ %s.out, %rows.end ]
  CHANGING
  br label %columns
columns:
  %j = phi i64 [ 0, %rows ], [ %j.next, %columns ]
  %q = phi i64 [ %p, %rows ], [ %s, %columns ]
  %s = SELECT
  %j.next = add i64 %j, 1
  %more = icmp slt i64 %j.next, %n
  br i1 %more, label %columns, label %rows.end
rows.end:
  %s.out = phi i64 [ %s, %columns ]
  %i.next = add i64 %i, 1
  %again = icmp slt i64 %i.next, %n
  br i1 %again, label %rows, label %exit
exit:
  ret i64 %s.out
}
"""


def nest(select, first="0", changing=""):
    text = NEST.replace("SELECT", select).replace("FIRST", first).replace("CHANGING", changing)
    return settled(text)["s"]


def test_an_index_that_stands_still_through_a_nest():
    assert nest("select i1 %wide, i64 %i, i64 %q") == "select i1 %wide, i64 %i, i64 0"
    assert nest("select i1 %wide, i64 %q, i64 %j") == "select i1 %wide, i64 0, i64 %j"


def test_it_may_stand_still_at_an_argument():
    made = nest("select i1 %wide, i64 %i, i64 %q", first="%start")
    assert made == "select i1 %wide, i64 %i, i64 %start"


def test_a_condition_that_changes_needs_the_earlier_value():
    made = nest("select i1 %odd, i64 %i, i64 %q", changing="%odd = trunc i64 %i to i1")
    assert made == "select i1 %odd, i64 %i, i64 %q"


def test_what_the_loop_changes_by_itself_is_kept():
    text = NEST.replace("SELECT", "select i1 %wide, i64 %i, i64 %q").replace("FIRST", "0")
    text = text.replace("CHANGING", "").replace("[ %s, %columns ]\n  %s", "[ %j, %columns ]\n  %s")
    assert settled(text)["s"] == "select i1 %wide, i64 %i, i64 %q"


def test_a_select_on_another_condition_is_no_way_through():
    text = NEST.replace("SELECT", "select i1 %wide, i64 %i, i64 %t\n").replace("FIRST", "0")
    text = text.replace("CHANGING", "%odd = trunc i64 %n to i1")
    text = text.replace("  %s = ", "  %t = select i1 %odd, i64 %q, i64 %j\n  %s = ")
    assert settled(text)["s"] == "select i1 %wide, i64 %i, i64 %t"
