"""Variables of a reverse pass: which become values, and where the others begin."""

from __future__ import annotations

import pytest

from enzyme.engine.ir.instructions import Alloca, Store
from enzyme.engine.ir.parser import parse_module
from enzyme.engine.ir.printer import print_function
from enzyme.engine.synthesis.slots import settle_slots


def settled(text, name="f"):
    """The function after its variables `%a.d`, `%b.d` … were settled, and the names of those that are left."""
    function = parse_module(text).functions[name]
    slots = {}
    for i in list(function.entry.instructions):
        if isinstance(i, Store) and isinstance(i.pointer, Alloca) and i.pointer.name.endswith(".d"):
            slots[i.pointer] = i
    placed = [i for pair in slots.items() for i in pair]
    function.entry.instructions = [i for i in function.entry.instructions if i not in placed]
    for i in placed:
        i.parent = None
    gone = settle_slots(function, slots)
    for i in placed:
        if i not in gone:
            i.parent = function.entry
    function.entry.instructions[:0] = [i for i in placed if i not in gone]
    return print_function(function)


VARIABLES = """
  %a.d = alloca double
  store double 0.0, ptr %a.d
"""


def test_what_one_block_uses_is_a_value():
    text = settled(f"""
define double @f(double %x) {{
entry:{VARIABLES}  br label %next
next:
  %old = load double, ptr %a.d
  %new = fadd nsz double %old, %x
  store double %new, ptr %a.d
  %taken = load double, ptr %a.d
  store double 0.0, ptr %a.d
  %r = fmul double %taken, %taken
  ret double %r
}}
""")
    assert "fmul double %x, %x" in text
    assert "alloca" not in text and "store" not in text and "load" not in text


def test_the_sign_of_zero_counts_without_a_flag():
    text = settled(f"""
define double @f(double %x) {{
entry:{VARIABLES}  br label %next
next:
  %old = load double, ptr %a.d
  %new = fadd double %old, %x
  store double 0.0, ptr %a.d
  ret double %new
}}
""")
    assert "fadd double 0.000000e+00, %x" in text


def test_what_is_left_in_a_variable_is_still_there_in_the_next_round():
    text = settled(f"""
define double @f(double %x) {{
entry:{VARIABLES}  br label %loop
loop:
  %old = load double, ptr %a.d
  %new = fadd nsz double %old, %x
  store double %new, ptr %a.d
  %more = fcmp olt double %new, 10.0
  br i1 %more, label %loop, label %end
end:
  ret double %new
}}
""")
    assert text.index("store double 0.0") < text.index("loop:")
    assert text.count("load") == 1


CYCLES = {
    "a loop": "br label %head",
    # Entered in its middle as well, it is no loop in the usual sense.
    "a cycle with two entries": "br i1 %early, label %head, label %middle",
}


@pytest.mark.parametrize("enters", CYCLES.values(), ids=CYCLES)
def test_a_variable_that_a_cycle_carries_begins_before_it(enters):
    text = settled(f"""
define double @f(double %x, i1 %early, i1 %more) {{
entry:{VARIABLES}  br label %before
before:
  {enters}
head:
  %one = load double, ptr %a.d
  %sum = fadd nsz double %one, %x
  store double %sum, ptr %a.d
  br label %middle
middle:
  br i1 %more, label %last, label %head
last:
  %two = load double, ptr %a.d
  store double 0.0, ptr %a.d
  br label %tail
tail:
  ret double %two
}}
""")
    zero = text.index("store double 0.0")
    assert text.index("before:") < zero < text.index("head:")


def test_a_variable_begins_where_it_is_needed():
    text = settled(f"""
define double @f(double %x, i1 %c) {{
entry:{VARIABLES}  br i1 %c, label %fork, label %end
fork:
  br i1 %c, label %left, label %merge
left:
  store double %x, ptr %a.d
  br label %merge
merge:
  %taken = load double, ptr %a.d
  store double 0.0, ptr %a.d
  br label %end
end:
  %r = phi double [ %taken, %merge ], [ 0.0, %entry ]
  ret double %r
}}
""")
    assert text.index("fork:") < text.index("store double 0.0") < text.index("left:")
