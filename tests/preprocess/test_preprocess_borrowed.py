"""Which calls that count references are left out, and which must stay."""

from __future__ import annotations

import pytest

from enzyme.engine.ir.parser import parse_module
from enzyme.engine.ir.printer import print_module
from enzyme.engine.preprocess.borrowed import drop_borrowed_counts
from enzyme.frontend.runtime_model import NUMBA

FUNCTION = """
declare noalias ptr @NRT_MemInfo_alloc_aligned(i64, i32)
declare void @NRT_incref(ptr)
declare void @NRT_decref(ptr)
declare void @keep(ptr)

define i32 @f(ptr %x, i64 %n, i1 %c) {
entry:
  %made = call ptr @NRT_MemInfo_alloc_aligned(i64 %n, i32 32)
  BEFORE
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %end ]
  FIRST
  br i1 %c, label %one, label %other
one:
  ONE
  br label %end
other:
  OTHER
  br label %end
end:
  LAST
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  AFTER
  ret i32 0
}
"""
TAKE, GIVE = "call void @NRT_incref(ptr OBJECT)", "call void @NRT_decref(ptr OBJECT)"
PLACES = ("BEFORE", "FIRST", "ONE", "OTHER", "LAST", "AFTER")


def left(pointer, **code):
    """How many calls that count references of a pointer are left."""
    text = FUNCTION
    for place in PLACES:
        text = text.replace(place, code.get(place.lower(), ""))
    module = parse_module(text.replace("OBJECT", pointer), NUMBA)
    drop_borrowed_counts(module.functions["f"], ())
    made = print_module(module)
    return made.count(f"call void @NRT_incref(ptr {pointer}") + made.count(
        f"call void @NRT_decref(ptr {pointer}"
    )


PAIRS = {
    "in one block": {"first": f"{TAKE}\n  {GIVE}"},
    "through branches": {"first": TAKE, "last": GIVE},
    "on one side": {"one": f"{TAKE}\n  {GIVE}"},
    "around the loop": {"before": TAKE, "after": GIVE},
    "each side gives back": {"first": TAKE, "one": GIVE, "other": GIVE},
    "nested": {
        "before": TAKE,
        "first": f"{TAKE}\n  {TAKE}",
        "last": f"{GIVE}\n  {GIVE}",
        "after": GIVE,
    },
}
OTHERS = {
    "kept": {"before": TAKE},
    "more each time": {"first": TAKE},
    "on one side only": {"first": TAKE, "one": GIVE},
    "given back first": {"first": f"{GIVE}\n  {TAKE}"},
}


@pytest.mark.parametrize("name", PAIRS)
def test_pairs_of_an_argument_go(name):
    assert left("%x", **PAIRS[name]) == 0


@pytest.mark.parametrize("name", OTHERS)
def test_what_changes_the_count_of_an_argument_stays(name):
    assert left("%x", **OTHERS[name]) == sum(OTHERS[name][k].count("@") for k in OTHERS[name])


@pytest.mark.parametrize("name", PAIRS)
def test_of_an_allocation_its_end_stays(name):
    code = dict(PAIRS[name])
    code["after"] = f"{code.get('after', '')}\n  {GIVE}"
    assert left("%made", **code) == 1


@pytest.mark.parametrize("name", OTHERS)
def test_what_changes_the_count_of_an_allocation_stays(name):
    if name in ("kept",):
        return  # one reference is never given back
    code = dict(OTHERS[name])
    code["after"] = f"{code.get('after', '')}\n  {GIVE}"
    assert left("%made", **code) == sum(text.count("@") for text in code.values())


def test_an_allocation_that_others_have_is_left_alone():
    code = {"before": "call void @keep(ptr %made)", "first": f"{TAKE}\n  {GIVE}", "after": GIVE}
    assert left("%made", **code) == 3
