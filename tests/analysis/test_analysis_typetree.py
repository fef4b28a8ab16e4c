"""Type trees: text, merging, moving."""

from __future__ import annotations

import pytest

from enzyme.engine.analysis.typetree import (
    EMPTY,
    INTEGER,
    MAX_OFFSET,
    POINTER,
    UNKNOWN,
    IllegalTypeAnalysisException,
    TypeTree,
    kind_of_text,
)

DOUBLE = kind_of_text("Float@double")


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "{[-1]:Float@double}",
        "{[-1]:Pointer, [-1,-1]:Float@double}",
        "{[0]:Float@float, [4]:Float@float, [8]:Float@float, [12]:Integer, [13]:Integer}",
        "{[0]:Pointer, [8]:Float@double}",
        "{[-1]:Pointer, [-1,24]:Pointer, [-1,24,-1]:Float@half}",
    ],
)
def test_text_round_trip(text):
    assert str(TypeTree.parse(text)) == text
    assert hash(TypeTree.parse(text)) == hash(TypeTree.parse(text))


def test_parse_sorts_and_drops_what_is_implied():
    tree = TypeTree.parse("{[-1,8]:Float@double, [-1,-1]:Float@double, [-1]:Pointer}")
    assert str(tree) == "{[-1]:Pointer, [-1,-1]:Float@double}"


@pytest.mark.parametrize("text", ["[-1]:Pointer", "{[-1]:Double}", "{[-1]Pointer}", "{nonsense}"])
def test_bad_text(text):
    with pytest.raises(ValueError):
        TypeTree.parse(text)


def test_lookup_uses_entries_for_every_offset():
    tree = TypeTree.parse("{[-1]:Pointer, [-1,-1]:Float@double, [-1,-1,8]:Integer}")
    assert tree.lookup(-1) is POINTER
    assert tree.lookup(-1, 16) is DOUBLE
    assert tree.lookup(0, 16, 8) is INTEGER
    assert tree.lookup(0, 16, 9) is UNKNOWN
    assert tree.inner is POINTER


def test_what_a_tree_implies():
    every = TypeTree.parse("{[-1]:Pointer, [-1,-1]:Float@double}")
    one = TypeTree.parse("{[-1]:Pointer, [-1,8]:Float@double}")
    assert every.implies(one) and every.implies(EMPTY) and one.implies(one)
    assert not one.implies(every) and not EMPTY.implies(one)
    assert not every.implies(TypeTree.parse("{[-1]:Pointer, [-1,8]:Integer}"))


def test_or_with_joins_facts():
    left, right = TypeTree.parse("{[0]:Pointer}"), TypeTree.parse("{[8]:Integer}")
    assert str(left.or_with(right)) == "{[0]:Pointer, [8]:Integer}"
    assert left.or_with(EMPTY) is left
    assert str(TypeTree.parse("{[-1]:Integer}").or_with(TypeTree.parse("{[3]:Integer}"))) == (
        "{[-1]:Integer}"
    )


@pytest.mark.parametrize("swap", [False, True])
def test_conflict_names_both_reasons(swap):
    trees = [TypeTree.parse("{[-1]:Integer}"), TypeTree.parse("{[0]:Float@double}")]
    first, second = trees[::-1] if swap else trees
    with pytest.raises(IllegalTypeAnalysisException) as caught:
        first.or_with(second, "the load of a", "the add of b")
    assert "the load of a" in str(caught.value)
    assert "the add of b" in str(caught.value)
    assert len(caught.value.deductions) == 2


def test_anything_agrees_with_all():
    tree = TypeTree.parse("{[-1]:Anything}").or_with(TypeTree.parse("{[-1]:Integer}"))
    assert str(tree) == "{[-1]:Anything}"


def test_dereference_and_back():
    inner = TypeTree.parse("{[-1]:Float@double}")
    assert str(inner.pointer()) == "{[-1]:Pointer, [-1,-1]:Float@double}"
    assert inner.pointer().data0() == inner
    assert inner.only(8).lookup(8, 3) is DOUBLE


def test_shift_cuts_a_range():
    tree = TypeTree.parse("{[0]:Pointer, [8]:Float@double, [16]:Integer}")
    assert str(tree.shift(8, 8)) == "{[0]:Float@double}"
    assert str(tree.shift(8, None, 24)) == "{[24]:Float@double, [32]:Integer}"
    assert str(TypeTree.scalar(DOUBLE).shift(0, 16, 8)) == "{[8]:Float@double, [16]:Float@double}"


def test_limits_drop_silently():
    assert not TypeTree({(MAX_OFFSET,): INTEGER})
    assert not TypeTree({(-1,) * 7: INTEGER})
