"""Loads from an address that is chosen from constant and active memory go to where the choice is known."""

from __future__ import annotations

import pytest

from enzyme.engine.analysis.kinds import Activity
from enzyme.engine.ir.parser import parse_module
from enzyme.engine.ir.verifier import verify_module
from enzyme.engine.preprocess.separate import separate_constants

JOINED = """
define double @f(ptr %x, ptr %k, i1 %c, i1 %d, i64 %i) {
entry:
  br i1 %c, label %a, label %b
a:
  br i1 %d, label %join, label %out
b:
  br label %join
join:
  %p = phi ptr [ %x, %a ], [ ARM, %b ]
  %j = phi i64 [ %i, %a ], [ 3, %b ]
  BEFORE
  %at = getelementptr double, ptr %p, i64 INDEX
  %v = load double, ptr %at
  br label %out
out:
  %r = phi double [ 0.0, %a ], [ %v, %join ]
  ret double %r
}
declare void @g()
"""


def separated(text, *constant):
    """The loads of floats after the pass: block and base of the address."""
    return {
        (i.parent.name, getattr(i.pointer, "operands", [i.pointer])[0].name)
        for i in separated_loads(text, *constant)
    }


def separated_loads(text, *constant):
    module = parse_module(text)
    function = module.functions["f"]
    kinds = [Activity.CONST if a.name in constant else Activity.DUPLICATED for a in function.args]
    separate_constants(function, kinds)
    verify_module(module)
    return [i for i in function.instructions() if i.opcode == "load" and i.type.is_float]


def joined(arm="%k", before="", index="%j"):
    return JOINED.replace("ARM", arm).replace("BEFORE", before).replace("INDEX", index)


def test_a_load_goes_back_to_its_branches():
    loads = separated(joined(), "k", "i")
    assert {base for _, base in loads} == {"k", "x"}
    assert {block for block, _ in loads} == {"b", "join.from"}  # one edge got a block


def test_memory_behind_a_constant_is_constant():
    text = joined("%w").replace("br i1 %c", "%w = load ptr, ptr %k\n  br i1 %c", 1)
    assert {base for _, base in separated(text, "k")} == {"w", "x"}
    assert {base for _, base in separated(text)} == {"p"}


@pytest.mark.parametrize("constant", [(), ("x", "k")])
def test_memory_of_one_kind_stays_together(constant):
    assert separated(joined(), *constant) == {("join", "p")}


@pytest.mark.parametrize(
    "change",
    [
        {"before": "store double 1.0, ptr %x"},
        {"before": "call void @g()"},
        {"before": "%l = add i64 %j, 1", "index": "%l"},
    ],
)
def test_a_load_that_cannot_move_stays(change):
    assert separated(joined(**change), "k") == {("join", "p")}


def test_a_pointer_that_walks_stays():
    text = """
define double @f(ptr %x, ptr %k, i64 %n) {
entry:
  br label %loop
loop:
  %p = phi ptr [ %x, %entry ], [ %q, %loop ]
  %q = phi ptr [ %k, %entry ], [ %p, %loop ]
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr double, ptr %p, i64 %i
  %v = load double, ptr %at
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %out
out:
  ret double %v
}"""
    assert separated(text, "k") == {("loop", "p")}


def test_a_select_of_a_select_is_taken_apart():
    text = """
define double @f(ptr %x, ptr %y, ptr %k, i1 %c, i1 %d) {
entry:
  %p = select i1 %c, ptr %y, ptr %k
  %q = select i1 %d, ptr %x, ptr %p
  %at = getelementptr double, ptr %q, i64 2
  %v = load double, ptr %at
  ret double %v
}"""
    loads = separated(text, "k")
    assert {base for _, base in loads} == {"x", "y", "k"}


def test_a_choice_out_of_a_choice_of_another_block_stays():
    """Its edge has a block with a phi of one pointer, which is as mixed as before."""
    text = """
define double @f(ptr %x, ptr %k, i1 %c, i1 %d) {
entry:
  %p = select i1 %c, ptr %x, ptr %k
  br i1 %d, label %join, label %e
e:
  br label %join
join:
  %q = phi ptr [ %p, %entry ], [ %x, %e ]
  %v = load double, ptr %q
  ret double %v
}"""
    assert {block for block, _ in separated(text, "k")} == {"join.from", "e"}


def test_two_edges_from_one_block():
    text = """
define double @f(ptr %x, ptr %k, i1 %c, i1 %d) {
entry:
  br i1 %c, label %e, label %g
e:
  br i1 %d, label %join, label %join
g:
  br label %join
join:
  %q = phi ptr [ %k, %e ], [ %k, %e ], [ %x, %g ]
  %at = getelementptr i8, ptr %q, i64 8
  %v = load double, ptr %at
  ret double %v
}"""
    assert separated(text, "k") == {("e", "k"), ("g", "x")}


@pytest.mark.parametrize(("choices", "loads"), [(3, 16), (12, 1)])
def test_many_choices_stay_together(choices, loads):
    """Each select doubles what the next one chooses from."""
    lines = ["%s0 = select i1 %c, ptr %x, ptr %k"]
    for i in range(choices):
        lines.append(f"%g{i} = getelementptr i8, ptr %s{i}, i64 8")
        lines.append(f"%s{i + 1} = select i1 %d, ptr %g{i}, ptr %s{i}")
    lines.append(f"%at = getelementptr i8, ptr %s{choices}, i64 8")
    body = "\n  ".join(lines)
    text = f"""
define double @f(ptr %x, ptr %k, i1 %c, i1 %d) {{
  {body}
  %v = load double, ptr %at
  ret double %v
}}"""
    assert len(separated_loads(text, "k")) == loads
