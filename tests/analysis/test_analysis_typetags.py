"""Types by tags: heads and nodes that one pointer leads to, and what must stay a contradiction."""

from __future__ import annotations

import pytest

from enzyme.engine.analysis.typeinfer import analyse_types
from enzyme.engine.analysis.typetree import (
    ANYTHING,
    FLOAT_KINDS,
    INTEGER,
    NO_FLOAT,
    POINTER,
    IllegalTypeAnalysisException,
    TypeTree,
    join_kinds,
)
from enzyme.engine.ir.instructions import Load, Store
from enzyme.engine.ir.parser import parse_module
from enzyme.engine.ir.types import DOUBLE

DOUBLES = FLOAT_KINDS[DOUBLE]
TAGS = """
!0 = !{!"root"}
!1 = !{!"omnipotent char", !0}
!2 = !{!"long", !1}
!3 = !{!"double", !1}
!4 = !{!"any pointer", !1}
!5 = !{!2, !2, i64 0}
!6 = !{!3, !3, i64 0}
!7 = !{!4, !4, i64 0}
!8 = !{!1, !1, i64 0}
!9 = !{!"another root"}
!10 = !{!"double", !9}
!11 = !{!10, !10, i64 0}
!12 = !{!"double", !2}
!13 = !{!12, !12, i64 0}
"""
# A ring: the head and its nodes are linked; in the head stands a count, in nodes a number.
RING = """
declare ptr @malloc(i64)
define double @f(double %x) {{
  %head = alloca {{ ptr, i64 }}
  store ptr %head, ptr %head, !tbaa !7
  %n = getelementptr i8, ptr %head, i64 8
  store i64 1, ptr %n{count}
  %node = call ptr @malloc(i64 16)
  store ptr %node, ptr %head, !tbaa !7
  store ptr %head, ptr %node, !tbaa !7
  %v = getelementptr i8, ptr %node, i64 8
  store double %x, ptr %v{number}
  %next = load ptr, ptr %node, !tbaa !7
  %place = getelementptr i8, ptr %next, i64 8
  {more}
  %m = load i64, ptr %n{count}
  %d = sitofp i64 %m to double
  ret double %d
}}
"""


def analysed(count="!5", number="!6", more=""):
    marks = {k: f", !tbaa {v}" if v else "" for k, v in (("count", count), ("number", number))}
    module = parse_module(RING.format(**marks, more=more) + TAGS)
    function = module.functions["f"]
    return function, analyse_types(module, function)


def test_counts_and_numbers_are_told_apart():
    function, types = analysed()
    load = [i for i in function.instructions() if isinstance(i, Load)][-1]
    store = next(
        i for i in function.instructions() if isinstance(i, Store) and i.value.type is DOUBLE
    )
    assert types.kind(load) is INTEGER
    assert types.accessed(load) == [(0, INTEGER)]
    assert types.accessed(store) == [(0, DOUBLES)]
    assert {kind for _, kind in types.memory_kinds(store.pointer, 8)} == {ANYTHING}


@pytest.mark.parametrize(
    ("count", "number"),
    [("", ""), ("!5", ""), ("", "!6"), ("!8", "!6"), ("!5", "!8"), ("!5", "!11"), ("!5", "!13")],
    ids=["no tags", "one tag", "other tag", "char", "char too", "two roots", "a type below"],
)
def test_without_tags_that_exclude_each_other_it_is_a_contradiction(count, number):
    with pytest.raises(IllegalTypeAnalysisException):
        analysed(count, number)


@pytest.mark.parametrize(
    "more",
    [
        "%bits = load i64, ptr %place",
        "%bits = load i64, ptr %place, !tbaa !8",
        "%bits = load <2 x i32>, ptr %place",
        "store <2 x i32> zeroinitializer, ptr %place",
        "%y = load double, ptr %place",
    ],
)
def test_an_access_that_could_be_any_of_them_is_a_contradiction(more):
    with pytest.raises(IllegalTypeAnalysisException):
        analysed(more=more)


@pytest.mark.parametrize(
    "more", ["store i64 0, ptr %place", "store ptr null, ptr %place, !tbaa !7"]
)
def test_constants_and_a_third_type_are_none(more):
    _, types = analysed(more=more)
    assert types is not None


def test_what_is_no_float_may_stand_where_floats_do():
    function, types = analysed(more="store ptr null, ptr %place, !tbaa !7")
    store = next(
        i for i in function.instructions() if isinstance(i, Store) and i.value.type is DOUBLE
    )
    assert types.floats_too(
        next(i for i in function.instructions() if isinstance(i, Store) and i.pointer.name == "n")
    )
    assert not types.floats_too(store)


def test_what_tags_tell_joins_with_what_is_known():
    told = TypeTree.parse("{[-1]:Pointer, [-1,8]:Told@Float@double}")
    assert str(told.or_with(TypeTree.parse("{[-1,8]:Float@double}"))) == (
        "{[-1]:Pointer, [-1,8]:Float@double}"
    )
    several = told.or_with(TypeTree.parse("{[-1,8]:Told@Integer}"))
    assert several.lookup(-1, 8) is ANYTHING
    with pytest.raises(IllegalTypeAnalysisException):
        told.or_with(TypeTree.parse("{[-1,8]:Integer}"))
    assert join_kinds(NO_FLOAT, POINTER) is ANYTHING
