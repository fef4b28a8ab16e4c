"""Variables of a reverse pass become the values that they have."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from enzyme.backend.jit import JittedModule
from enzyme.engine.ir.instructions import Alloca, Store
from enzyme.engine.ir.parser import parse_module
from enzyme.engine.ir.printer import print_module
from enzyme.engine.ir.verifier import verify_module
from enzyme.engine.synthesis.slots import settle_slots


def settled(text):
    """The module after the variables `%a.d`, `%b.d` … of its function `f` were settled."""
    module = parse_module(text)
    function = module.functions["f"]
    slots = {}
    for i in list(function.entry.instructions):
        if isinstance(i, Alloca) and i.name.endswith(".d"):
            slots[i] = None
        elif isinstance(i, Store) and i.pointer in slots and slots[i.pointer] is None:
            slots[i.pointer] = i
    placed = [i for pair in slots.items() for i in pair if i is not None]
    function.entry.instructions = [i for i in function.entry.instructions if i not in placed]
    for i in placed:
        i.parent = None
    gone = settle_slots(function, slots)
    left = [i for i in placed if i not in gone]
    for i in left:
        i.parent = function.entry
    function.entry.instructions[:0] = left
    verify_module(module)
    return print_module(module)


def compiled(text):
    module = JittedModule(text, optimise=False)
    f = module.function("f", ctypes.c_double, ctypes.c_double, ctypes.c_int64)
    return module, f


VARIABLE = """
  %a.d = alloca double
  store double 0.0, ptr %a.d
"""


def test_what_one_block_uses():
    text = settled(f"""
define double @f(double %x, i64 %n) {{
entry:{VARIABLE}  br label %next
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
    assert not any(word in text for word in ("alloca", "store", "load", "phi", "fadd"))


def test_the_sign_of_zero_counts_without_a_flag():
    text = settled(f"""
define double @f(double %x, i64 %n) {{
entry:{VARIABLE}  br label %next
next:
  %old = load double, ptr %a.d
  %new = fadd double %old, %x
  store double 0.0, ptr %a.d
  ret double %new
}}
""")
    assert "fadd double 0.000000e+00, %x" in text


def test_a_variable_whose_address_is_used_stays():
    text = settled(f"""
declare void @g(ptr)
define double @f(double %x, i64 %n) {{
entry:{VARIABLE}  call void @g(ptr %a.d)
  %old = load double, ptr %a.d
  ret double %old
}}
""")
    assert "alloca" in text and "store" in text and "load" in text


def test_no_phi_where_the_value_is_the_same_on_all_ways():
    text = settled(f"""
define double @f(double %x, i64 %n) {{
entry:{VARIABLE}  store double %x, ptr %a.d
  %c = icmp sgt i64 %n, 0
  br i1 %c, label %loop, label %end
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %here = load double, ptr %a.d
  store double %here, ptr %a.d
  %next = add i64 %k, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  %there = load double, ptr %a.d
  ret double %there
}}
""")
    assert "ret double %x" in text and text.count("phi") == 1


def random_program(seed):
    """Blocks that read and write three variables and go to any other block, as often as there is fuel."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 12))
    names = "abc"[: int(rng.integers(1, 4))]
    lines = ["define double @f(double %x, i64 %n) {", "entry:"]
    for name in names:
        lines += [f"  %{name}.d = alloca double", f"  store double 0.0, ptr %{name}.d"]
    lines += ["  %fuel = alloca i64", "  store i64 40, ptr %fuel", "  br label %b0"]
    serial = 0
    for k in range(count):
        lines.append(f"b{k}:")
        for _ in range(int(rng.integers(0, 5))):
            name, other = rng.choice(list(names), 2)
            serial += 1
            lines.append(f"  %l{serial} = load double, ptr %{name}.d")
            what = f"%l{serial}"
            if rng.random() < 0.6:
                lines.append(f"  %s{serial} = fadd nsz double {what}, {k + 1}.25")
                what = f"%s{serial}"
            if rng.random() < 0.2:
                what = "0.0"
            lines.append(f"  store double {what}, ptr %{other}.d")
        lines += [
            f"  %f{k} = load i64, ptr %fuel",
            f"  %g{k} = sub i64 %f{k}, 1",
            f"  store i64 %g{k}, ptr %fuel",
            f"  %bit{k} = lshr i64 %n, %g{k}",
            f"  %odd{k} = and i64 %bit{k}, 1",
            f"  %alive{k} = icmp sgt i64 %g{k}, 0",
        ]
        one, other, third = rng.integers(0, count, 3)
        if rng.random() < 0.3:  # several edges to one block
            lines.append(f"  %w{k} = select i1 %alive{k}, i64 %odd{k}, i64 9")
            cases = f"i64 0, label %b{one} i64 1, label %b{other} i64 2, label %b{third}"
            lines.append(f"  switch i64 %w{k}, label %end [ {cases} ]")
        else:
            lines += [
                f"  br i1 %alive{k}, label %c{k}, label %end",
                f"c{k}:",
                f"  %o{k} = icmp eq i64 %odd{k}, 1",
                f"  br i1 %o{k}, label %b{one}, label %b{other}",
            ]
    lines.append("end:")
    total = "%x"
    for name in names:
        lines.append(f"  %e{name} = load double, ptr %{name}.d")
        lines.append(f"  %t{name} = fadd double {total}, %e{name}")
        total = f"%t{name}"
    return "\n".join([*lines, f"  ret double {total}", "}", ""])


@pytest.mark.parametrize("seed", range(60))
def test_random_control_flow(seed):
    """Same results with values as with variables, however control goes."""
    text = random_program(seed)
    changed = settled(text)
    assert ".d = alloca" not in changed and "ptr %a.d" not in changed
    _before, f = compiled(text)
    _after, g = compiled(changed)
    for n in np.random.default_rng(seed).integers(0, 1 << 40, 20):
        assert f(0.5, int(n)) == g(0.5, int(n))
