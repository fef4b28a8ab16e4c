"""The alias oracle: objects, offsets, promises, kinds, and the effects of calls."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from enzyme.engine.analysis.alias import AliasOracle
from enzyme.engine.analysis.callgraph import CallGraph
from enzyme.engine.analysis.known_functions import effects_of, row_of
from enzyme.engine.analysis.objects import UNKNOWN_OBJECT
from enzyme.engine.analysis.typeinfer import analyse_types
from enzyme.engine.ir.known_function import COUNTED
from enzyme.engine.ir.parser import parse_module
from enzyme.frontend.runtime_model import NUMBA

SNAPSHOTS = Path(__file__).with_name("snapshots")


class Case:
    """One function, its oracle, and its values by name."""

    def __init__(self, text, *, types=False, **options):
        self.module = parse_module(text, NUMBA)
        self.function = next(
            f for f in self.module.functions.values() if f.blocks and "internal" not in f.prefix
        )
        if types:
            options["types"] = analyse_types(self.module, self.function)
        self.oracle = AliasOracle(self.module, self.function, **options)
        self.named = {
            v.name: v for v in (*self.function.args, *self.function.instructions()) if v.name
        }

    def __getitem__(self, name):
        return self.named[name] if name in self.named else self.module.symbol(name)

    def all(self, opcode):
        return [i for i in self.function.instructions() if i.opcode == opcode]

    def alias(self, first, second, first_size=8, second_size=8):
        return self.oracle.may_alias(self[first], first_size, self[second], second_size)

    def origins(self, name):
        return [o.name or repr(o) for o in self.oracle.underlying(self[name])]


def simple(body, parameters="ptr %p, ptr %q, i64 %i, i64 %j", extra="", **options):
    text = f"define void @f({parameters}) {{\n{body}\n  ret void\n}}\n{extra}"
    return Case(text, **options)


MALLOC = "declare noalias ptr @malloc(i64)"
NRT = "declare noalias ptr @NRT_MemInfo_alloc_aligned(i64, i32)"
ARRAY = """
  %m = call ptr @NRT_MemInfo_alloc_aligned(i64 80, i32 32)
  %slot = getelementptr i8, ptr %m, i64 24
  %data = load ptr, ptr %slot
  %e = getelementptr double, ptr %data, i64 %i
"""


# Objects ----------------------------------------------------------------------------------------


def test_arguments_may_overlap_without_a_promise():
    assert simple("").alias("p", "q")


def test_distinct_arguments():
    case = simple("", distinct_arguments=True)
    assert not case.alias("p", "q")
    assert case.alias("p", "p")


def test_groups_keep_the_parts_of_one_argument_together():
    case = simple("", distinct_arguments=True, groups=[0, 0, 1, 2])
    assert case.alias("p", "q")


def test_noalias_parameter():
    case = simple("", "ptr noalias %p, ptr %q, ptr %r")
    assert not case.alias("p", "q")
    assert case.alias("q", "r")


def test_local_memory_is_distinct_from_everything_older():
    case = simple(
        "  %a = alloca double\n  %b = alloca double\n  %m = call ptr @malloc(i64 8)",
        extra=MALLOC + "\n@g = global double 0.0",
    )
    for first, second in (("a", "b"), ("a", "p"), ("m", "a"), ("m", "p"), ("m", "g"), ("a", "g")):
        assert not case.alias(first, second), (first, second)
    assert case.alias("p", "g")


def test_casts_phis_and_selects_are_followed():
    case = simple(
        "  %a = alloca double\n  %c = icmp eq i64 %i, 0\n  %s = select i1 %c, ptr %a, ptr %p\n"
        "  %e = getelementptr double, ptr %s, i64 %i\n  %z = select i1 %c, ptr null, ptr %q\n"
        "  %u = inttoptr i64 %i to ptr"
    )
    assert case.origins("e") == ["p", "a"] or case.origins("e") == ["a", "p"]
    assert case.origins("z") == ["q"]
    assert case.oracle.underlying(case["u"]) == (UNKNOWN_OBJECT,)


def test_data_of_a_fresh_array_belongs_to_its_allocation():
    case = simple(ARRAY, extra=NRT)
    assert case.origins("e") == ["m"]
    assert not case.alias("e", "p")
    assert not case.alias("e", "slot")


def test_data_reached_through_a_phi_of_two_arrays():
    case = simple(
        ARRAY
        + "  %m2 = call ptr @NRT_MemInfo_alloc_aligned(i64 80, i32 32)\n"
        + "  %c = icmp eq i64 %i, 0\n  %s = select i1 %c, ptr %m, ptr %m2\n"
        + "  %slot2 = getelementptr i8, ptr %s, i64 24\n  %d2 = load ptr, ptr %slot2",
        extra=NRT,
    )
    assert sorted(case.origins("d2")) == ["m", "m2"]
    assert case.alias("d2", "e")


def test_a_loaded_pointer_is_an_object_of_its_own():
    case = simple("  %x = load ptr, ptr %p\n  %a = alloca double")
    assert case.origins("x") == ["x"]
    assert case.alias("x", "q")
    assert not case.alias("x", "a")


def test_loaded_pointers_belong_to_the_argument_they_came_from():
    body = "  %x = load ptr, ptr %p\n  %y = load ptr, ptr %q"
    assert not simple(body, distinct_arguments=True, groups=[0, 1, 2, 3]).alias("x", "y")
    assert simple(body, distinct_arguments=True).alias("x", "y")
    moved = simple(body + "\n  store ptr %x, ptr %q", distinct_arguments=True, groups=[0, 1, 2, 3])
    assert moved.alias("x", "y")


# Escapes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("use", "escapes", "visible"),
    [
        ("", False, False),
        ("store double 0.0, ptr %a", False, False),
        ("store ptr %a, ptr %p", True, True),
        ("store ptr %a, ptr %ret", True, False),
        ("call void @keep(ptr %a)", True, True),
        ("call void @look(ptr %a)", False, False),
        (
            "%n = ptrtoint ptr %a to i64\n  %m = add i64 %n, 8\n  %c = icmp ult i64 %m, 99",
            False,
            False,
        ),
        ("%n = ptrtoint ptr %a to i64\n  %b = inttoptr i64 %n to ptr", True, True),
        ("%n = ptrtoint ptr %a to i64\n  store i64 %n, ptr %p", True, True),
        ("%n = icmp eq ptr %a, null", False, False),
    ],
)
def test_escapes(use, escapes, visible):
    case = simple(
        f"  %a = alloca double\n  {use}\n  %x = load ptr, ptr %p",
        "ptr noalias writeonly captures(none) %ret, ptr %p",
        extra="declare void @keep(ptr)\ndeclare void @look(ptr captures(none))",
    )
    assert case.oracle.escapes(case["a"]) == escapes
    assert case.alias("a", "x") == visible


def test_returned_array_is_not_seen_by_loads_of_this_function():
    case = simple(
        ARRAY + "  store ptr %data, ptr %ret\n  %x = load ptr, ptr %p",
        "ptr noalias writeonly captures(none) %ret, ptr %p, i64 %i",
        extra=NRT,
    )
    assert case.oracle.escapes(case["m"])
    assert not case.alias("x", "e")


# Offsets and strides ------------------------------------------------------------------------------

FIELDS = "  %a = getelementptr i8, ptr %p, i64 8\n  %b = getelementptr i8, ptr %p, i64 16"


def test_constant_offsets():
    case = simple(FIELDS)
    assert not case.alias("a", "b")
    assert case.alias("a", "b", first_size=9)
    assert case.alias("a", "b", first_size=-1)
    assert not case.alias("p", "a")


def test_same_index_different_field():
    case = simple(
        "  %a = getelementptr {double, double}, ptr %p, i64 %i, i32 0\n"
        "  %b = getelementptr {double, double}, ptr %p, i64 %i, i32 1\n"
        "  %c = getelementptr {double, double}, ptr %p, i64 %j, i32 1\n"
        "  %d = getelementptr double, ptr %p, i64 %j"
    )
    assert not case.alias("a", "b")
    assert not case.alias("a", "c"), "the stride keeps real and imaginary parts apart"
    assert case.alias("b", "c")
    assert case.alias("a", "d")


LOOP = """define void @f(ptr %p, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %a = getelementptr double, ptr %p, i64 %i
  %b = getelementptr i8, ptr %a, i64 8
  %x = load double, ptr %b
  store double %x, ptr %a
  %next = add i64 %i, 1
  %c = icmp eq i64 %next, %n
  br i1 %c, label %done, label %loop
done:
  ret void
}"""


def test_an_index_of_a_loop_meets_itself_later():
    assert Case(LOOP).alias("a", "b")


def test_the_same_fixed_index_does_not():
    case = simple(
        "  %a = getelementptr double, ptr %p, i64 %i\n  %b = getelementptr i8, ptr %a, i64 8"
    )
    assert not case.alias("a", "b")


def test_indices_used_twice_are_counted():
    case = simple(
        "  %a0 = getelementptr double, ptr %p, i64 %i\n  %a = getelementptr double, ptr %a0, i64 %i\n"
        "  %a1 = getelementptr double, ptr %a, i64 %j\n"
        "  %b0 = getelementptr double, ptr %p, i64 %i\n  %b = getelementptr double, ptr %b0, i64 %j\n"
        "  %b1 = getelementptr double, ptr %b, i64 %j\n  %b2 = getelementptr i8, ptr %b1, i64 8"
    )
    assert case.alias("a1", "b2")


# Kinds and metadata -------------------------------------------------------------------------------


def test_integers_never_overwrite_floats():
    case = simple(
        "  %x = load double, ptr %p\n  %k = load i64, ptr %q\n"
        "  %g = getelementptr double, ptr %p, i64 %k\n  store i64 %i, ptr %q\n"
        "  %s = sitofp i64 %i to double\n  store double %s, ptr %g",
        types=True,
    )
    into_q, into_g = case.all("store")
    assert not case.oracle.may_write(into_q, case["p"], 8)
    assert case.oracle.may_write(into_g, case["p"], 8)
    assert not case.oracle.may_write(into_g, case["q"], 8)


def test_tbaa():
    case = simple(
        "  %x = load i64, ptr %p, !tbaa !0\n  store i64 1, ptr %q, !tbaa !2\n"
        "  store i64 1, ptr %q, !tbaa !0\n  store i64 1, ptr %q",
        extra='!0 = !{!1, !1, i64 0}\n!1 = !{!"long", !4, i64 0}\n!2 = !{!3, !3, i64 0}\n'
        '!3 = !{!"int", !4, i64 0}\n!4 = !{!"omnipotent char", !5, i64 0}\n!5 = !{!"root"}',
    )
    answers = [case.oracle.may_write(s, case["p"], 8, case["x"]) for s in case.all("store")]
    assert answers == [False, True, True]


# Calls ------------------------------------------------------------------------------------------


def writes(case, pointer, size=8):
    return [case.oracle.may_write(c, case[pointer], size) for c in case.all("call")]


def test_reference_counts_and_mathematics_write_nothing():
    case = simple(
        "  call void @NRT_incref(ptr %p)\n  call void @NRT_decref(ptr %p)\n"
        "  %x = call double @sin(double 1.0)\n  %y = call double @llvm.exp.f64(double 1.0)",
        extra="declare void @NRT_incref(ptr)\ndeclare void @NRT_decref(ptr)\n"
        "declare double @sin(double)\ndeclare double @llvm.exp.f64(double)",
    )
    assert writes(case, "p") == [False] * 4


def test_memcpy_length_counts():
    case = simple(
        FIELDS
        + "\n  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 16, i1 false)"
        + "\n  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 %i, i1 false)",
        extra="declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)\n"
        "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)",
        distinct_arguments=True,
    )
    assert writes(case, "a") == [True, True]
    assert writes(case, "b") == [False, True]
    assert writes(case, "q") == [False, False]


def test_unknown_function_sees_what_is_visible():
    case = simple(
        "  %a = alloca double\n  %b = alloca double\n  store ptr %b, ptr %q\n  call void @g(ptr %q)",
        extra="declare void @g(ptr)\n@c = constant double 1.0\n@v = global double 1.0",
    )
    assert [writes(case, n)[0] for n in ("p", "a", "b", "c", "v")] == [
        True,
        False,
        True,
        False,
        True,
    ]


@pytest.mark.parametrize(
    ("attributes", "parameter", "expected"),
    [
        ("memory(none)", "", (False, False)),
        ("memory(read)", "", (False, False)),
        ("memory(argmem: readwrite)", "", (True, False)),
        ("memory(argmem: read)", "", (False, False)),
        ("memory(read, argmem: readwrite)", "", (True, False)),
        ("memory(argmem: readwrite)", "readonly", (False, False)),
        ("readonly", "", (False, False)),
        ("", "readonly", (True, True)),
        ("nounwind", "", (True, True)),
    ],
)
def test_attributes_through_groups(attributes, parameter, expected):
    case = simple(
        "  call void @g(ptr %p)",
        extra=f"declare void @g(ptr {parameter}) #0\nattributes #0 = {{ {attributes} }}",
        distinct_arguments=True,
    )
    assert (writes(case, "p")[0], writes(case, "q")[0]) == expected


DEFINED = """define void @f(ptr %p, ptr %q) {
  call void @outer(ptr %p, ptr %q)
  ret void
}
define internal void @outer(ptr %to, ptr %from) {
  %a = alloca double
  store double 2.0, ptr %a
  call void @inner(ptr %to, ptr %from)
  ret void
}
define internal void @inner(ptr %to, ptr %from) {
  %x = load double, ptr %from
  store double %x, ptr %to
  ret void
}"""


def test_summaries_of_defined_functions():
    case = Case(DEFINED, distinct_arguments=True)
    (call,) = case.all("call")
    row = case.oracle.effects(call)
    assert (row.reads, row.writes, row.captures) == ({1}, {0}, frozenset())
    assert not row.reads_other and not row.writes_other
    assert writes(case, "p") == [True]
    assert writes(case, "q") == [False]


def test_summaries_of_recursive_functions():
    case = Case(
        """define void @f(ptr %p, ptr %q, i64 %n) {
  call void @even(ptr %p, ptr %q, i64 %n)
  ret void
}
define internal void @even(ptr %a, ptr %b, i64 %n) {
  call void @odd(ptr %b, ptr %a, i64 %n)
  ret void
}
define internal void @odd(ptr %a, ptr %b, i64 %n) {
  %c = icmp eq i64 %n, 0
  br i1 %c, label %stop, label %go
stop:
  store double 1.0, ptr %a
  ret void
go:
  call void @even(ptr %a, ptr %b, i64 %n)
  ret void
}"""
    )
    (call,) = case.all("call")
    assert case.oracle.effects(call).writes == {0, 1}
    groups = CallGraph(case.module.functions.values()).groups()
    assert [[f.name for f in group] for group in groups] == [["even", "odd"], ["f"]]


def test_summary_that_stores_to_a_global_or_keeps_a_pointer():
    case = Case(
        """@g = global ptr null
define void @f(ptr %p, ptr %q) {
  %a = alloca double
  call void @keep(ptr %a)
  ret void
}
define internal void @keep(ptr %x) {
  store ptr %x, ptr @g
  ret void
}"""
    )
    row = case.oracle.effects(case.all("call")[0])
    assert row.captures == {0} and row.writes_other
    assert case.oracle.escapes(case["a"])


# Known functions ----------------------------------------------------------------------------------


def test_rows_of_the_table():
    assert row_of("llvm.memcpy.p0.p0.i64").reads == {1}
    assert row_of("llvm.lifetime.start.p0").kind == "hint"
    assert row_of("llvm.umul.with.overflow.i64").kind == "pure"
    calloc = row_of("calloc", NUMBA)
    assert (calloc.zero_filled, calloc.count_operand, calloc.size_operand) == (True, 0, 1)
    alloc = row_of("NRT_MemInfo_alloc_aligned", NUMBA)
    assert (alloc.returns, alloc.data_offset, alloc.size_operand) == (COUNTED, 24, 0)
    assert row_of("PyErr_SetString", NUMBA).kind == "inactive"
    assert row_of("somebody_elses", NUMBA) is None
    assert row_of("calloc") is row_of("PyErr_SetString") is None
    assert row_of("llvm.no.such.thing.f64") is None
    assert row_of("") is None


def test_indirect_calls_may_do_anything():
    case = simple("  call void %p(ptr %q)")
    row = effects_of(case.all("call")[0])
    assert row.writes == row.reads == row.captures == {0}
    assert row.reads_other and row.writes_other


# Whole modules --------------------------------------------------------------------------------------


def test_numba_loop_input_is_never_overwritten():
    """`retarr` fills a fresh array from its argument: no instruction may change what it reads."""
    case = Case((SNAPSHOTS / "numba_retarr.ll").read_text(), types=True, distinct_arguments=True)
    loads = [i for i in case.all("load") if i.type.is_float]
    assert loads
    for load in loads:
        changing = [
            i
            for i in case.function.instructions()
            if case.oracle.may_write(i, load.pointer, 8, load)
        ]
        assert changing == []


def test_numba_objects_print():
    case = Case((SNAPSHOTS / "numba_tmp.ll").read_text(), types=True)
    path = SNAPSHOTS / "numba_tmp.objects.txt"
    if os.environ.get("UPDATE_SNAPSHOTS"):
        path.write_text(str(case.oracle))
    assert str(case.oracle) == path.read_text()
