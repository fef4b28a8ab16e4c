"""The store behind type analysis: what it says does not depend on the order of the facts."""

from __future__ import annotations

import pytest

from enzyme.engine.analysis import typeinfer
from enzyme.engine.analysis.typegraph import TypeGraph
from enzyme.engine.analysis.typetree import INTEGER, POINTER
from enzyme.engine.ir.parser import parse_module
from enzyme.errors import EnzymeInternalError


@pytest.mark.parametrize("exact_first", [True, False])
def test_regions_shifted_by_a_known_distance_and_by_multiples_of_a_stride(exact_first):
    # Item 1 of the first region is the start of the second; some items of both are the same, too.
    graph = TypeGraph()
    one, two = graph.new_node(), graph.new_node()

    def pointer(node, offset, stride=0):
        return graph.new_pointer((node, offset, stride), "made")

    graph.set_kind(graph.cell_at(pointer(one, 0), 0, 8), INTEGER, "stored")
    graph.set_kind(graph.cell_at(pointer(one, 8), 0, 8), POINTER, "stored")
    facts = [(pointer(one, 8), pointer(two, 0)), (pointer(one, 0, 8), pointer(two, 0, 16))]
    for first, second in facts if exact_first else reversed(facts):
        graph.unite(first, second, "the same")
    graph.settle(False)
    assert graph.kind(graph.cell_at(pointer(two, 0), 0, 8)) is POINTER
    assert graph.target(facts[0][0]) == graph.target(pointer(two, 0))


def test_regions_of_which_only_a_stride_is_known_are_joined():
    graph = TypeGraph()
    first, second = (graph.new_pointer((graph.new_node(), 0, 8), "made") for _ in range(2))
    graph.set_kind(graph.cell_at(first, 0, 8), INTEGER, "stored")
    graph.unite(first, second, "the same")
    graph.settle(False)
    assert graph.kind(graph.cell_at(second, 0, 8)) is INTEGER


RECURSIVE = """
define double @f(ptr %p, i64 %n) {
entry:
  %done = icmp eq i64 %n, 0
  br i1 %done, label %end, label %more
more:
  %less = sub i64 %n, 1
  %deep = call double @f(ptr %p, i64 %less)
  br label %end
end:
  %x = load double, ptr %p
  ret double %x
}
"""


def test_what_does_not_settle_is_an_error(monkeypatch):
    module = parse_module(RECURSIVE)
    assert typeinfer.analyse_types(module, module.functions["f"])
    monkeypatch.setattr(typeinfer, "_MAX_ROUNDS", 1)
    with pytest.raises(EnzymeInternalError, match="types of f do not settle"):
        typeinfer.analyse_types(module, module.functions["f"])
