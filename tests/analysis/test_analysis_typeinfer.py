"""Type analysis of small functions, one rule at a time, and of whole numba modules by snapshot."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from enzyme.engine.analysis import typeinfer
from enzyme.engine.analysis.typeinfer import TypeMemo, analyse_types
from enzyme.engine.analysis.typetree import UNKNOWN, IllegalTypeAnalysisException
from enzyme.engine.ir.known_function import KnownFunction
from enzyme.engine.ir.parser import parse_module
from enzyme.frontend.runtime_model import NUMBA
from tests.counting import calls

SNAPSHOTS = Path(__file__).with_name("snapshots")
DOUBLES = "{[-1]:Pointer, [-1,-1]:Float@double}"


def analyse(text, *seeds):
    module = parse_module(text, NUMBA)
    function = next(f for f in module.functions.values() if f.blocks)
    return analyse_types(module, function, seeds)


def value(types, name):
    function = types.function
    for found in (*function.args, *function.instructions()):
        if found.name == name:
            return found
    raise KeyError(name)


def tree(types, name):
    return str(types.of(value(types, name)))


def kinds(types, name, size):
    return [(o, k.text) for o, k in types.memory_kinds(value(types, name), size)]


def kinds_behind(types, name, offset, size):
    """The kinds of `size` bytes that stand `offset` bytes behind a pointer."""
    return [k for o, k in kinds(types, name, offset + size) if o >= offset]


# Flow of facts ----------------------------------------------------------------------------------


def test_load_of_double_types_the_pointer():
    types = analyse("define double @f(ptr %p) {\n %x = load double, ptr %p\n ret double %x\n}")
    assert tree(types, "p") == "{[-1]:Pointer, [-1,0]:Float@double}"
    assert tree(types, "x") == "{[-1]:Float@double}"


def test_store_types_the_memory():
    types = analyse(
        "define void @f(ptr %p, float %x) {\n %q = getelementptr i8, ptr %p, i64 4\n"
        " store float %x, ptr %q\n ret void\n}"
    )
    assert tree(types, "p") == "{[-1]:Pointer, [-1,4]:Float@float}"


def test_variable_index_means_every_offset():
    types = analyse(
        "define double @f(ptr %p, i64 %i) {\n %q = getelementptr double, ptr %p, i64 %i\n"
        " %x = load double, ptr %q\n ret double %x\n}"
    )
    assert tree(types, "q") == DOUBLES
    assert tree(types, "i") == "{[-1]:Integer}"
    assert types.element_kinds(value(types, "q"))[0] == 8


def test_seed_flows_to_an_integer_load():
    types = analyse("define i64 @f(ptr %p) {\n %x = load i64, ptr %p\n ret i64 %x\n}", DOUBLES)
    assert types.is_float_bits(value(types, "x"))
    assert str(types.returned()) == "{[-1]:Float@double}"


def test_bitcast_shows_the_bits_both_ways():
    types = analyse(
        "define double @f(i64 %b, double %x) {\n %y = bitcast i64 %b to double\n"
        " %c = bitcast double %x to i64\n %d = add i64 %c, 1\n ret double %y\n}"
    )
    assert types.is_float_bits(value(types, "b"))
    assert types.is_float_bits(value(types, "c"))
    assert not types.is_float_bits(value(types, "d"))


def test_backwards_through_load_and_phi():
    types = analyse(
        """define double @f(ptr %p, ptr %q, i1 %c) {
entry:
  %a = load i64, ptr %p
  %b = load i64, ptr %q
  br i1 %c, label %l, label %r
l:
  br label %r
r:
  %m = phi i64 [ %a, %entry ], [ %b, %l ]
  %y = bitcast i64 %m to double
  ret double %y
}"""
    )
    assert tree(types, "p") == "{[-1]:Pointer, [-1,0]:Float@double}"
    assert tree(types, "q") == "{[-1]:Pointer, [-1,0]:Float@double}"


def test_masks_of_the_sign_keep_a_float():
    types = analyse(
        """define i64 @f(double %x) {
  %b = bitcast double %x to i64
  %abs = and i64 %b, 9223372036854775807
  %neg = xor i64 %b, -9223372036854775808
  %sign = and i64 %b, -9223372036854775808
  %top = lshr i64 %b, 52
  %copy = or i64 %abs, %sign
  ret i64 %copy
}"""
    )
    for name, is_float in (("abs", 1), ("neg", 1), ("copy", 1), ("sign", 0), ("top", 0)):
        assert types.is_float_bits(value(types, name)) == bool(is_float), name


def test_arithmetic_is_weaker_than_a_cast():
    types = analyse(
        "define double @f(i64 %b) {\n %c = sub i64 6910469410427058089, %b\n"
        " %y = bitcast i64 %c to double\n ret double %y\n}"
    )
    assert types.is_float_bits(value(types, "c"))
    assert tree(types, "b") == "{[-1]:Integer}"


@pytest.mark.parametrize(
    "element, constant, found",
    [
        ("double", "i64 -4624296097384025293", [(0, "Float@double")]),  # -0.3
        ("double", "i64 9221120237041090560", [(0, "Float@double")]),  # nan
        ("double", "i64 -9223372036854775808", [(0, "Float@double")]),  # -0.0
        ("double", "i64 8", [(0, "Integer")]),
        ("double", "i64 -1", [(0, "Integer")]),
        ("double", "i64 9223372036854775807", [(0, "Integer")]),
        ("float", "i32 1056964608", [(0, "Float@float")]),  # 0.5
        ("float", "i32 3", [(0, "Integer")]),
        ("float", "i64 4539628425463136256", [(0, "Float@float"), (4, "Float@float")]),
        ("float", "i64 1056964608", [(0, "Float@float"), (4, "Float@float")]),  # 0.5 and 0.0
        ("i64", "i64 -4624296097384025293", [(0, "Integer")]),
    ],
)
def test_constants_that_may_be_floats_are_what_stands_around_them(element, constant, found):
    """Others are sizes or flags, as in a header before elements."""
    types = analyse(
        f"""define void @f(ptr %p, i64 %i, {element} %x) {{
  %q = getelementptr {element}, ptr %p, i64 %i
  store {element} %x, ptr %q
  store {constant}, ptr %p
  ret void
}}""",
        "{[-1]:Pointer}",
        "{[-1]:Integer}",
        "{[-1]:Integer}" if element == "i64" else "{}",
    )
    assert kinds(types, "p", 8 if constant.startswith("i64") else 4) == found


def test_constants_that_are_chosen():
    types = analyse(
        """define void @f(ptr %p, i64 %i, double %x, i1 %c) {
  %q = getelementptr double, ptr %p, i64 %i
  store double %x, ptr %q
  %y = select i1 %c, i64 -4624296097384025293, i64 4602678819172646912
  store i64 %y, ptr %p
  ret void
}"""
    )
    assert types.is_float_bits(value(types, "y"))


def test_nothing_is_guessed_about_copied_bytes():
    types = analyse(
        "define void @f(ptr %p, ptr %q) {\n %x = load i64, ptr %p\n store i64 %x, ptr %q\n ret void\n}"
    )
    assert tree(types, "x") == "{}"
    assert kinds(types, "p", 8) == [(0, "Unknown")]


def test_small_copy_of_two_floats_stays_two_floats():
    types = analyse(
        """define float @f(ptr %p, ptr %q) {
  %x = load i64, ptr %p
  store i64 %x, ptr %q
  %h = getelementptr i8, ptr %q, i64 4
  %a = load float, ptr %q
  %b = load float, ptr %h
  %s = fadd float %a, %b
  ret float %s
}"""
    )
    assert kinds(types, "p", 8) == [(0, "Float@float"), (4, "Float@float")]
    assert tree(types, "x") == "{[0]:Float@float, [4]:Float@float}"


@pytest.mark.parametrize("seeded", [0, 1])
def test_memcpy_carries_both_ways(seeded):
    seeds = ["", "", ""]
    seeds[seeded] = DOUBLES
    types = analyse(
        """define void @f(ptr %p, ptr %q, i64 %n) {
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 %n, i1 false)
  ret void
}
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)""",
        *seeds,
    )
    for name in "pq":
        assert types.element_kinds(value(types, name))[1][0][1].text == "Float@double"
    assert tree(types, "n") == "{[-1]:Integer}"


def test_memcpy_of_a_struct_moves_fields():
    types = analyse(
        """define void @f(ptr %p, double %x, i64 %i, ptr %a) {
  %s = alloca { double, i64, ptr }
  %g = getelementptr double, ptr %a, i64 %i
  store double %x, ptr %s
  %s8 = getelementptr i8, ptr %s, i64 8
  store i64 %i, ptr %s8
  %s16 = getelementptr i8, ptr %s, i64 16
  store ptr %a, ptr %s16
  %q = getelementptr i8, ptr %p, i64 32
  call void @llvm.memcpy.p0.p0.i64(ptr %q, ptr %s, i64 24, i1 false)
  ret void
}
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)"""
    )
    assert kinds(types, "q", 24) == [(0, "Float@double"), (8, "Integer"), (16, "Pointer")]
    assert kinds_behind(types, "p", 32, 16) == ["Float@double", "Integer"]


def test_header_before_an_array_is_no_contradiction():
    types = analyse(
        """define double @f(ptr %list, i64 %i) {
  %n = load i64, ptr %list
  %c = icmp slt i64 %i, %n
  %data = getelementptr i8, ptr %list, i64 24
  %e = getelementptr double, ptr %data, i64 %i
  %x = load double, ptr %e
  ret double %x
}"""
    )
    assert kinds(types, "list", 8) == [(0, "Integer")]
    assert kinds(types, "data", 8) == [(0, "Float@double")]


def test_header_known_byte_by_byte_holds_no_elements():
    header = ", ".join(f"[-1,{byte}]:Integer" for byte in range(8))
    types = analyse(
        """define void @f(ptr %list, ptr %new, i64 %i) {
  %e = getelementptr { double, i64 }, ptr %list, i64 %i, i32 0
  %x = load double, ptr %e
  call void @llvm.memcpy.p0.p0.i64(ptr %new, ptr %list, i64 8, i1 false)
  ret void
}
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)""",
        "{[-1]:Pointer, " + header + "}",
        "",
        "",
    )
    assert kinds(types, "new", 8) == [(0, "Integer")]


def test_elements_begin_behind_all_of_the_header():
    header = ", ".join(f"[-1,{byte}]:Integer" for byte in range(17))
    types = analyse(
        """define void @f(ptr %list, i64 %i) {
  %e = getelementptr double, ptr %list, i64 %i
  %x = load double, ptr %e
  ret void
}""",
        "{[-1]:Pointer, " + header + "}",
        "",
    )
    assert "[-1,24]:Float@double" in tree(types, "list")
    assert kinds(types, "list", 32) == [(0, "Integer"), (24, "Float@double")]


def test_array_of_structs_keeps_its_period():
    types = analyse(
        """define double @f(ptr %p, i64 %i) {
  %a = getelementptr { double, i64 }, ptr %p, i64 %i, i32 0
  %b = getelementptr { double, i64 }, ptr %p, i64 %i, i32 1
  %x = load double, ptr %a
  %k = load i64, ptr %b
  %y = sitofp i64 %k to double
  ret double %y
}"""
    )
    period, listed = types.element_kinds(value(types, "a"))
    assert period == 16
    assert [(o, k.text) for o, k in listed] == [(0, "Float@double"), (8, "Integer")]


def test_pointer_induction_becomes_a_stride():
    types = analyse(
        """define double @f(ptr %p) {
entry:
  br label %loop
loop:
  %q = phi ptr [ %p, %entry ], [ %next, %loop ]
  %x = load double, ptr %q
  %next = getelementptr i8, ptr %q, i64 8
  %c = fcmp olt double %x, 0.0
  br i1 %c, label %loop, label %done
done:
  ret double %x
}"""
    )
    assert tree(types, "p") == DOUBLES


def test_linked_list_terminates():
    types = analyse(
        """define double @f(ptr %p) {
entry:
  br label %loop
loop:
  %q = phi ptr [ %p, %entry ], [ %next, %loop ]
  %x = load double, ptr %q
  %slot = getelementptr i8, ptr %q, i64 8
  %next = load ptr, ptr %slot
  %c = icmp eq ptr %next, null
  br i1 %c, label %done, label %loop
done:
  ret double %x
}"""
    )
    assert tree(types, "p") == "{[-1]:Pointer, [-1,0]:Float@double, [-1,8]:Pointer}"


CHOSEN = """define double @f(ptr %x, ptr %box, i1 %c, i64 %i) {{
  %other = getelementptr i8, ptr %box, i64 8
  %w = load ptr, ptr %other
  %at = getelementptr double, ptr %x, i64 %i
  %chosen = select i1 %c, ptr %at, ptr %box
  {use}
  ret double 0.0
}}"""


def test_objects_of_a_chosen_place_stay_apart():
    types = analyse(
        CHOSEN.format(use="%v = load double, ptr %chosen"),
        DOUBLES,
        "",
        "",
        "",
    )
    assert tree(types, "box") == "{[-1]:Pointer, [-1,0]:Float@double, [-1,8]:Pointer}"
    assert tree(types, "x") == DOUBLES


def test_places_around_a_chosen_place():
    use = """%next = getelementptr i8, ptr %chosen, i64 16
  store double 0.0, ptr %next
  %twice = select i1 %c, ptr %next, ptr %w
  %v = load double, ptr %twice"""
    types = analyse(CHOSEN.format(use=use))
    expected = "{[-1]:Pointer, [-1,8]:Pointer, [-1,8,0]:Float@double, [-1,16]:Float@double}"
    assert tree(types, "box") == expected
    assert tree(types, "x") == DOUBLES


CHOSEN_BITS = """define void @f(ptr %x, ptr %y, ptr %out, i1 %c) {{
  %chosen = select i1 %c, ptr %x, ptr %y
  {}
  ret void
}}"""


def test_bits_at_a_chosen_place_are_told_by_its_objects():
    text = CHOSEN_BITS.format(
        "%v = load i64, ptr %chosen  store i64 %v, ptr %out".replace("  ", "\n")
    )
    types = analyse(text, DOUBLES, "", "", "")
    assert tree(types, "out") == "{[-1]:Pointer, [-1,0]:Float@double}"
    text = CHOSEN_BITS.format("store i64 0, ptr %chosen")
    types = analyse(text, DOUBLES, DOUBLES, "", "")
    assert kinds(types, "chosen", 8) == [(0, "Float@double")]


@pytest.mark.parametrize("use", ["%v = load ptr, ptr %chosen", "store ptr %w, ptr %chosen"])
def test_objects_from_which_a_pointer_is_chosen_are_alike(use):
    """Where that points to, items behind a header, only the objects may tell."""
    types = analyse(CHOSEN.format(use=use))
    assert tree(types, "at") == tree(types, "box") == "{[-1]:Pointer, [-1,-1]:Pointer}"


def test_a_choice_of_one_object_or_nothing_is_the_object():
    text = CHOSEN_BITS.format("%v = load double, ptr %chosen").replace("ptr %y\n", "ptr undef\n")
    types = analyse(text, DOUBLES, "", "", "")
    assert tree(types, "chosen") == DOUBLES


def test_a_list_that_begins_at_a_chosen_place_terminates():
    types = analyse(
        """define void @f(ptr %a, ptr %b, i1 %c, i64 %n) {
entry:
  %in = getelementptr i8, ptr %a, i64 16
  store ptr %in, ptr %a
  %chosen = select i1 %c, ptr %a, ptr %b
  br label %loop
loop:
  %p = phi ptr [ %chosen, %entry ], [ %q, %loop ]
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %q = load ptr, ptr %p
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %out
out:
  ret void
}"""
    )
    assert tree(types, "b").startswith("{[-1]:Pointer")


def test_many_choices_in_a_row():
    lines = ["%s0 = select i1 %c, ptr %x, ptr %y"]
    for i in range(1500):
        lines.append(f"%s{i + 1} = select i1 %c, ptr %x, ptr %s{i}")
    body = "\n".join(lines)
    types = analyse(f"""define double @f(ptr %x, ptr %y, i1 %c) {{
  {body}
  %v = load double, ptr %s1500
  ret double %v
}}""")
    assert tree(types, "y") == tree(types, "x") == "{[-1]:Pointer, [-1,0]:Float@double}"


def test_counts_at_a_chosen_place():
    use = """%v = load i64, ptr %chosen
  %n = sitofp i64 %v to double"""
    types = analyse(CHOSEN.format(use=use), "{[-1]:Pointer, [-1,-1]:Integer}", "", "", "")
    assert (
        tree(types, "box")
        == "{[-1]:Pointer, "
        + ", ".join(f"[-1,{k}]:Integer" for k in range(8))
        + ", [-1,8]:Pointer}"
    )


def test_chosen_objects_that_are_handed_on_are_alike():
    use = """call void @g(ptr %chosen)"""
    with pytest.raises(IllegalTypeAnalysisException, match="two types"):
        analyse(
            CHOSEN.format(use=use) + "\ndeclare void @g(ptr)",
            DOUBLES,
            "",
            "",
            "",
        )


def test_structs_in_registers():
    types = analyse(
        """define { double, i64 } @f(ptr %p, i64 %i) {
  %v = load { double, i64 }, ptr %p
  %k = extractvalue { double, i64 } %v, 1
  %g = getelementptr i8, ptr %p, i64 %k
  %w = insertvalue { double, i64 } %v, i64 %i, 1
  ret { double, i64 } %w
}"""
    )
    assert tree(types, "v").startswith("{[0]:Float@double, [8]:Integer")
    assert str(types.returned()).startswith("{[0]:Float@double, [8]:Integer")


def test_tbaa_is_evidence():
    types = analyse(
        """define void @f(ptr %p) {
  %x = load i64, ptr %p, !tbaa !0
  call void @use(i64 %x)
  ret void
}
declare void @use(i64)
!0 = !{!1, !1, i64 0}
!1 = !{!"long", !2, i64 0}
!2 = !{!"omnipotent char", !3, i64 0}
!3 = !{!"Simple C/C++ TBAA"}"""
    )
    assert tree(types, "x") == "{[-1]:Integer}"


def test_globals_have_the_types_of_their_initialisers():
    types = analyse(
        """@t = internal constant { double, ptr, i32 } { double 1.0, ptr @s, i32 7 }
@s = internal constant [2 x i8] c"ab"
define i64 @f() {
  %x = load i64, ptr @t
  ret i64 %x
}"""
    )
    assert types.is_float_bits(value(types, "x"))
    target = types.function.module.globals["t"]
    assert [k.text for _, k in types.memory_kinds(target, 20)] == [
        "Float@double",
        "Pointer",
        "Integer",
    ]


# Known functions and calls ------------------------------------------------------------------------


def test_libm_results_behind_pointers():
    types = analyse(
        """define void @f(double %x, ptr %e, ptr %i) {
  %m = call double @frexp(double %x, ptr %e)
  %r = call float @modff(float 1.0, ptr %i)
  ret void
}
declare double @frexp(double, ptr)
declare float @modff(float, ptr)"""
    )
    assert kinds(types, "e", 4) == [(0, "Integer")]
    assert kinds(types, "i", 4) == [(0, "Float@float")]


def test_blas_reads_its_type_character():
    types = analyse(
        """define void @f(ptr %x, ptr %r) {
  %s = call i32 @numba_xxnrm2(i8 115, i64 3, ptr %x, i64 1, ptr %r)
  ret void
}
declare i32 @numba_xxnrm2(i8, i64, ptr, i64, ptr)"""
    )
    assert types.element_kinds(value(types, "x"))[1] == types.memory_kinds(value(types, "r"), 4)
    assert kinds(types, "r", 4) == [(0, "Float@float")]


def test_what_is_stated_of_a_function_counts():
    module = parse_module(
        "define void @f(ptr %p) {\n call void @mystery(ptr %p)\n ret void\n}\ndeclare void @mystery(ptr)"
    )
    assert tree(analyse_types(module, module.functions["f"]), "p") == "{[-1]:Pointer}"
    module.functions["mystery"].known = KnownFunction("mystery", "pure", pointees=((0, DOUBLES),))
    assert tree(analyse_types(module, module.functions["f"]), "p") == DOUBLES


def test_calls_carry_types_in_and_out():
    types = analyse(
        """define i64 @f(ptr %p) {
  %a = call i64 @get(ptr %p)
  ret i64 %a
}
define internal i64 @get(ptr %q) {
  %x = load i64, ptr %q
  ret i64 %x
}""",
        DOUBLES,
    )
    assert types.is_float_bits(value(types, "a"))
    call = value(types, "a")
    assert types.callee(call) is not None
    assert tree(types.callee(call), "q") == DOUBLES


def test_each_call_has_its_own_context():
    types = analyse(
        """define void @f(ptr %p, ptr %q) {
  %a = call i64 @get(ptr %p)
  %b = call i64 @get(ptr %q)
  ret void
}
define internal i64 @get(ptr %q) {
  %x = load i64, ptr %q
  ret i64 %x
}""",
        DOUBLES,
        "{[-1]:Pointer, [-1,-1]:Integer}",
    )
    assert tree(types, "a") == "{[-1]:Float@double}"
    assert tree(types, "b") == "{[-1]:Integer}"


def test_callee_teaches_the_caller():
    types = analyse(
        """define void @f(ptr %p) {
  call void @fill(ptr %p)
  ret void
}
define internal void @fill(ptr %q) {
  store double 0.0, ptr %q
  ret void
}"""
    )
    assert tree(types, "p") == "{[-1]:Pointer, [-1,0]:Float@double}"


WALK = """define i64 @walk(ptr %p, i64 %n) {
entry:
  %c = icmp eq i64 %n, 0
  br i1 %c, label %stop, label %go
go:
  %m = sub i64 %n, 1
  %r = call i64 @walk(ptr %p, i64 %m)
  ret i64 %r
stop:
  %x = load i64, ptr %p
  ret i64 %x
}"""


def test_recursion_reaches_a_fixed_point():
    types = analyse(WALK, DOUBLES, "{[-1]:Integer}")
    assert tree(types, "r") == "{[-1]:Float@double}"


def calls_of_walk(count):
    """A recursive function that is called with memory of which one more double is known from call to call."""
    lines = ["define i64 @f(double %x) {"]
    for k in range(count):
        lines.append(f"  %s{k} = alloca [{count} x double]")
        for j in range(k + 1):
            lines.append(f"  %q{k}.{j} = getelementptr i8, ptr %s{k}, i64 {8 * j}")
            lines.append(f"  store double %x, ptr %q{k}.{j}")
        lines.append(f"  %r{k} = call i64 @walk(ptr %s{k}, i64 5)")
    lines.append(f"  ret i64 %r{count - 1}")
    return "\n".join([*lines, "}", WALK])


def test_recursion_has_so_many_contexts(monkeypatch):
    """Of those that a recursive function may have beyond that, each is solved as one that knows less."""
    monkeypatch.setattr(typeinfer, "_MOST_RECURSIONS", 2)
    runs = []
    run = typeinfer._Session._run
    monkeypatch.setattr(
        typeinfer._Session, "_run", lambda *given: (runs.append(given), run(*given))[1]
    )
    work = []
    for count in (4, 24):
        runs.clear()
        types = analyse(calls_of_walk(count))
        assert {tree(types, f"r{k}") for k in range(count)} == {"{[-1]:Float@double}"}
        work.append(len(runs))
    assert work[0] == work[1]


# Contradictions -----------------------------------------------------------------------------------


def test_two_uses_of_one_place_are_a_contradiction():
    with pytest.raises(IllegalTypeAnalysisException) as caught:
        analyse(
            """define double @f(ptr %p, ptr %q) {
  %k = load i64, ptr %p
  %g = getelementptr i8, ptr %q, i64 %k
  %x = load double, ptr %p
  ret double %x
}"""
        )
    assert "%g = getelementptr" in str(caught.value)
    assert "%x = load" in str(caught.value)


def test_a_seed_binds_every_offset():
    with pytest.raises(IllegalTypeAnalysisException, match="parameter %p as the caller says"):
        analyse(
            "define void @f(ptr %p, float %x) {\n %q = getelementptr i8, ptr %p, i64 8\n"
            " store float %x, ptr %q\n ret void\n}",
            DOUBLES,
            "",
        )


def test_overlapping_floats_are_a_contradiction():
    with pytest.raises(IllegalTypeAnalysisException):
        analyse(
            "define float @f(ptr %p) {\n store double 1.0, ptr %p\n %x = load float, ptr %p\n ret float %x\n}"
        )


def test_wrong_number_of_seeds():
    with pytest.raises(ValueError, match="3 seeds for 1 parameters"):
        analyse("define void @f(ptr %p) {\n ret void\n}", "", "", "")


# Whole modules --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["arrsum", "tmp", "retarr", "power", "fill", "cplx"])
def test_numba_module(name):
    """Set UPDATE_SNAPSHOTS=1 to write the snapshots again."""
    module = parse_module((SNAPSHOTS / f"numba_{name}.ll").read_text(), NUMBA)
    entry = next(f for f in module.functions.values() if f.blocks and "internal" not in f.prefix)
    found = str(analyse_types(module, entry))
    path = SNAPSHOTS / f"numba_{name}.types.txt"
    if os.environ.get("UPDATE_SNAPSHOTS"):
        path.write_text(found)
    assert found == path.read_text()


def test_no_float_access_of_a_numba_module_is_unknown():
    """Everything that is loaded or stored as a float, and every array behind it, is known as such."""
    module = parse_module((SNAPSHOTS / "numba_power.ll").read_text(), NUMBA)
    entry = next(f for f in module.functions.values() if f.blocks and "internal" not in f.prefix)
    types = analyse_types(module, entry)
    for instruction in entry.instructions():
        if instruction.opcode == "load" and instruction.type.is_float:
            assert [k.text for _, k in types.memory_kinds(instruction.pointer, 8)] == [
                "Float@double"
            ]
        elif instruction.opcode == "load" and instruction.name.startswith("data.i"):
            assert len(types.of(instruction)) > 1


def test_work_is_linear():
    def program(count):
        lines = []
        for k in range(count):
            lines += [
                f"  %g{k} = getelementptr double, ptr %p, i64 %i{k - 1 if k else ''}",
                f"  %x{k} = load double, ptr %g{k}",
                f"  store double %x{k}, ptr %q",
                f"  %i{k} = add i64 %i, {k}",
            ]
        text = "define void @f(ptr %p, ptr %q, i64 %i) {\n" + "\n".join(lines) + "\n  ret void\n}"
        module = parse_module(text)
        return module, module.functions["f"]

    small, large = (calls(analyse_types, *program(count)) for count in (250, 1000))
    assert large < 4.1 * small


# Releases that LLVM joined -----------------------------------------------------------------------


def test_releasing_one_of_two_objects_does_not_make_them_alike():
    types = analyse(
        "declare void @NRT_decref(ptr)\n"
        "define void @f(ptr %numbers, ptr %names, double %x, ptr %name, i1 %c) {\n"
        "entry:\n store double %x, ptr %numbers\n store ptr %name, ptr %names\n"
        " br i1 %c, label %then, label %end\n"
        "then:\n br label %end\n"
        "end:\n %gone = phi ptr [ %numbers, %entry ], [ %names, %then ]\n"
        " call void @NRT_decref(ptr %gone)\n ret void\n}"
    )
    assert tree(types, "numbers") == "{[-1]:Pointer, [-1,0]:Float@double}"
    assert tree(types, "names") == "{[-1]:Pointer, [-1,0]:Pointer}"


# Functions that call each other ---------------------------------------------------------------------

IN_CIRCLES = """
define ptr @c(ptr %q, i64 %n) {
  %x = call ptr @a(ptr %q, i64 %n)
  %y = call ptr @b(ptr %q, i64 %n)
  %w = call ptr @d(i64 %n)
  ret ptr %w
}
define ptr @d(i64 %n) {
  %m = call ptr @malloc(i64 8)
  store double 1.0, ptr %m
  ret ptr %m
}
declare ptr @malloc(i64)
define ptr @a(ptr %q, i64 %n) {
  %r = call ptr @g(ptr %q, i64 %n)
  %s = call ptr @c(ptr %q, i64 %n)
  ret ptr %s
}
define ptr @g(ptr %q, i64 %n) {
  %x = call ptr @a(ptr %q, i64 %n)
  ret ptr %x
}
define ptr @b(ptr %q, i64 %n) {
  %r = call ptr @g(ptr %q, i64 %n)
  ret ptr %r
}
define ptr @root(ptr %q, i64 %n) {
  %z = call ptr @c(ptr %q, i64 %n)
  %r = call ptr @b(ptr %q, i64 %n)
  ret ptr %r
}
"""


@pytest.mark.parametrize("entry", ["root", "c", "a"])
def test_what_is_found_in_a_circle_of_calls_does_not_depend_on_the_order(entry):
    """`b` uses what `g` assumed of `a`, of which more is known later."""
    module = parse_module(IN_CIRCLES, NUMBA)
    seeds = ["{[-1]:Pointer}", "{[-1]:Integer}"]
    memo = TypeMemo()
    for name in (entry, "root"):
        types = analyse_types(module, module.functions[name], seeds, memo=memo)
    again = analyse_types(module, module.functions["root"], seeds)
    assert str(types) == str(again)
    result = next(i for i in module.functions["root"].instructions() if i.name == "r")
    assert str(again.of(result)) == "{[-1]:Pointer, [-1,0]:Float@double}"


ITEMS = """
define double @f(ptr %t, i64 %i, i64 %stride, i64 %k) {
  %away = mul i64 %i, %stride
  %item = getelementptr i8, ptr %t, i64 %away
  %a = load double, ptr %item
  %n.place = getelementptr i8, ptr %item, i64 8
  %n = load i64, ptr %n.place
  %hidden = add i64 %away, 16
  %m.place = getelementptr i8, ptr %t, i64 %hidden
  %m = load i64, ptr %m.place
  %to = getelementptr i8, ptr %t, i64 %k
  %to.place = getelementptr i8, ptr %to, i64 16
  store i64 %m, ptr %to.place
  %b = load double, ptr PLACE
  %x = sitofp i64 %n to double
  %y = fmul double %a, %x
  %z = fmul double %y, %b
  ret double %z
}
"""


def test_fields_of_records_whose_distance_only_the_run_knows():
    types = analyse(ITEMS.replace("PLACE", "%to.place"))
    assert kinds(types, "item", 24) == [(0, "Float@double"), (8, "Integer"), (16, "Float@double")]
    assert tree(types, "m") == "{[0]:Float@double}"
    assert types.element_kinds(value(types, "t"))[1] == [(0, UNKNOWN)]


def test_what_nothing_tells_of_fields_is_unknown():
    types = analyse(ITEMS.replace("PLACE", "%item"))
    assert kinds(types, "item", 24) == [(0, "Float@double"), (8, "Integer"), (16, "Unknown")]


def test_one_field_of_two_types_is_a_contradiction():
    with pytest.raises(IllegalTypeAnalysisException, match="two types"):
        analyse(ITEMS.replace("PLACE", "%n.place"))


def test_two_arrays_in_a_record():
    types = analyse("""
define double @f(ptr %t, i64 %i, i64 %j) {
  %item = getelementptr [48 x i8], ptr %t, i64 %i
  %a.place = getelementptr double, ptr %item, i64 %j
  %a = load double, ptr %a.place
  %m.start = getelementptr i8, ptr %item, i64 24
  %m.place = getelementptr i64, ptr %m.start, i64 %j
  %m = load i64, ptr %m.place
  %x = sitofp i64 %m to double
  %y = fmul double %a, %x
  ret double %y
}
""")
    assert kinds(types, "a.place", 8) == [(0, "Float@double")]
    assert kinds(types, "m.place", 8) == [(0, "Integer")]
    assert types.element_kinds(value(types, "t")) == (1, [(0, UNKNOWN)])


def test_integers_and_floats_of_different_size_at_distances_that_only_the_run_knows():
    types = analyse("""
define double @f(ptr %t, i64 %away) {
  %item = getelementptr i8, ptr %t, i64 %away
  %n = load i32, ptr %item
  %a.place = getelementptr i8, ptr %item, i64 8
  %a = load double, ptr %a.place
  %x = sitofp i32 %n to double
  %y = fmul double %a, %x
  ret double %y
}
""")
    assert kinds(types, "item", 4) == [(0, "Integer")]
    assert kinds(types, "a.place", 8) == [(0, "Float@double")]
