"""Orders, dominators and loops, against printed snapshots and against the definitions by brute force."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from enzyme.engine.analysis.cfg import ControlFlow
from enzyme.engine.analysis.dominance import Dominators
from enzyme.engine.analysis.loops import LoopForest
from enzyme.engine.ir.parser import parse_module


def graph(edges: dict[str, list[str]]):
    """A function with these blocks, the first being the entry."""
    lines = []
    for name, targets in edges.items():
        if not targets:
            end = "ret void"
        elif len(targets) == 1:
            end = f"br label %{targets[0]}"
        else:
            cases = " ".join(f"i32 {k}, label %{t}" for k, t in enumerate(targets[1:]))
            end = f"switch i32 %x, label %{targets[0]} [ {cases} ]"
        lines.append(f"{name}:\n  {end}")
    text = "define void @f(i32 %x) {\n" + "\n".join(lines) + "\n}"
    function = parse_module(text).functions["f"]
    return function, {block.name: block for block in function.blocks}


NEST = {
    "entry": ["outer"],
    "outer": ["pre"],
    "pre": ["inner"],
    "inner": ["inner", "after", "out"],
    "after": ["left", "right"],
    "left": ["outer"],
    "right": ["outer", "out"],
    "out": [],
    "lost": ["out"],
}


def test_control_flow():
    function, blocks = graph(NEST)
    cfg = ControlFlow(function)
    assert str(cfg).split("\n") == [
        "control flow of @f",
        "  %entry -> %outer",
        "  %outer -> %pre",
        "  %pre -> %inner",
        "  %inner -> %inner, %after, %out",
        "  %after -> %left, %right",
        "  %left -> %outer",
        "  %right -> %outer, %out",
        "  %out -> ret",
        "  unreachable: %lost",
    ]
    assert cfg.unreachable == [blocks["lost"]]
    assert [b.name for b in cfg.predecessors(blocks["out"])] == ["inner", "right", "lost"]
    assert cfg.reverse_postorder[0] is function.entry


def test_dominators():
    function, blocks = graph(NEST)
    cfg = ControlFlow(function)
    dominators = Dominators(cfg)
    assert str(dominators).split("\n") == [
        "dominators of @f",
        "  %entry",
        "    %outer",
        "      %pre",
        "        %inner",
        "          %after",
        "            %left",
        "            %right",
        "          %out",
    ]
    assert dominators.common(blocks["left"], blocks["out"]) is blocks["inner"]
    assert dominators.dominates(blocks["left"], blocks["lost"])
    assert not dominators.dominates(blocks["lost"], blocks["out"])


def test_loops():
    function, blocks = graph(NEST)
    cfg = ControlFlow(function)
    forest = LoopForest(cfg, Dominators(cfg))
    assert str(forest).split("\n") == [
        "loops of @f",
        "  loop %outer depth 1",
        "    blocks: %outer, %pre, %inner, %after, %left, %right",
        "    preheader: %entry; latches: %left, %right",
        "    exits: %inner -> %out, %right -> %out",
        "    loop %inner depth 2",
        "      blocks: %inner",
        "      preheader: %pre; latches: %inner",
        "      exits: %inner -> %after, %inner -> %out",
    ]
    outer, inner = forest.loops
    assert forest.loop_of(blocks["inner"]) is inner and forest.loop_of(blocks["left"]) is outer
    assert forest.loop_of(blocks["entry"]) is None and inner.depth == 2
    assert inner.parent is outer and outer.children == [inner] and blocks["inner"] in outer
    assert forest.top_level == [outer]


def test_irreducible():
    function, _ = graph({"entry": ["a", "b"], "a": ["b"], "b": ["a"]})
    cfg = ControlFlow(function)
    forest = LoopForest(cfg, Dominators(cfg))
    assert not forest.loops and len(forest.irreducible) == 1
    assert "irreducible: %" in str(forest)


@st.composite
def graphs(draw):
    count = draw(st.integers(1, 9))
    names = [f"b{k}" for k in range(count)]
    # The entry must have no predecessor.
    targets = st.lists(st.sampled_from(names[1:]), max_size=3) if count > 1 else st.just([])
    return {name: draw(targets) for name in names}


@given(graphs())
def test_against_the_definitions(edges):
    function, _ = graph(edges)
    cfg = ControlFlow(function)
    dominators = Dominators(cfg)

    def reach(starts, following, without=None):
        seen, pending = set(), [s for s in starts if s is not without]
        while pending:
            block = pending.pop()
            if block not in seen:
                seen.add(block)
                pending += [s for s in following(block) if s is not without]
        return seen

    reachable = reach([function.entry], cfg.successors)
    assert reachable == set(cfg.reverse_postorder)
    for above in reachable:
        without = reach([function.entry], cfg.successors, above)
        for below in reachable:
            assert dominators.dominates(above, below) == (below not in without)
    forest = LoopForest(cfg, dominators)
    for loop in forest.loops:
        for block in loop.blocks:
            assert dominators.dominates(loop.header, block)
            assert loop in forest.loop_of(block).ancestors()
        for a, b in loop.exit_edges:
            assert a in loop and b not in loop
    # Every cycle has a loop header or a block reported as irreducible.
    marked = {loop.header for loop in forest.loops} | set(forest.irreducible)

    def cyclic(block):
        following = [s for s in cfg.successors(block) if s not in marked]
        return block in reach(
            following, lambda b: [s for s in cfg.successors(b) if s not in marked]
        )

    assert not any(cyclic(block) for block in reachable - marked)
