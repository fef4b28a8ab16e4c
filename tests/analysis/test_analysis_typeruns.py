"""Long stretches of memory are read once for each period, and told as if every byte had been read."""

from __future__ import annotations

import random

import pytest

from enzyme.engine.analysis.typegraph import TypeGraph
from enzyme.engine.analysis.typeread import runs_behind, whole_kind_in
from enzyme.engine.analysis.typeruns import Regular, runs
from enzyme.engine.analysis.typetree import FLOAT_KINDS, INTEGER, POINTER, UNKNOWN
from enzyme.errors import IllegalTypeAnalysisException

FLOATS = {kind.size: kind for kind in FLOAT_KINDS.values() if kind.size in (4, 8)}


def random_graph(rng: random.Random, apart: bool) -> tuple[TypeGraph, int]:
    """A graph, and a pointer into memory of which some places, and some that repeat, are known."""
    graph = TypeGraph(apart=apart)
    pointer = graph.new_cell()
    node, _, _ = graph.target(pointer)

    def place(step: int, offset: int) -> None:
        kind = rng.choice([*FLOATS.values(), INTEGER, POINTER, UNKNOWN])
        size = kind.size or (8 if kind is POINTER else rng.choice([1, 2, 4, 8]))
        cell = graph.place(node, (offset, step, size, UNKNOWN))
        graph.set_kind(cell, kind, "random")

    for _ in range(rng.randrange(4)):
        place(0, rng.choice([0, 8, 24, 800, 1200, 1201, 3000, 3992]))
    for _ in range(rng.randrange(3)):
        place(rng.choice([8, 16, 24, 12, 800, 1600]), rng.choice([0, 4, 8, 16, 32, 1000]))
    if rng.random() < 0.3:
        low = rng.choice([0, 8, 500, 2000])
        graph.state_integers(node, low, low + rng.choice([1, 8, 300]), "random")
    if rng.random() < 0.2:
        every = graph.state_every((node, rng.choice([0, 16, 640]), 0), "random")
        graph.set_kind(every, rng.choice([*FLOATS.values(), INTEGER]), "random")
        graph.rebind(node)
    walker = graph.new_pointer((node, rng.choice([0, 8, 40]), rng.choice([0, 0, 8, 24])), "random")
    return graph, walker


@pytest.mark.parametrize("apart", [False, True])
def test_as_if_every_byte_had_been_read(apart):
    rng = random.Random(7)
    several = 0
    for _ in range(400):
        try:
            graph, pointer = random_graph(rng, apart)
        except IllegalTypeAnalysisException:
            continue
        offset, size = rng.choice([0, 4, 16, 1000]), rng.choice([257, 1000, 4000, 4004, 30_000])
        plain = runs(size, lambda place: whole_kind_in(graph, pointer, offset + place))  # noqa: B023
        assert runs_behind(graph, pointer, offset, size) == plain
        several += len(plain) > 3
    assert several > 100


def test_what_repeats_is_read_once():
    read = []

    def kind_at(place):
        read.append(place)
        return FLOATS[8], 8

    million = 8 * 10**6
    found = runs(million, kind_at, Regular([0, million - 8], 16, 8))
    assert found == [(place, FLOATS[8]) for place in range(0, million, 8)]
    assert len(read) < 100


def test_numbers_that_begin_before_the_stretch():
    """The first place is in the middle of one."""

    def kind_at(place):
        return (FLOATS[8], 8) if place % 8 == 4 else (UNKNOWN, 1)

    regular = Regular([0], 1, 8)
    plain = runs(4000, kind_at)
    assert runs(4000, kind_at, regular) == plain
    assert plain[:2] == [(0, UNKNOWN), (4, FLOATS[8])]
