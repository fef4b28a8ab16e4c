"""Every cycle of the control flow gets one entry.

Python code has no other cycles, but LLVM makes some, out of the reverse loops of a derivative that is differentiated
itself: where it knows the way through the first iteration, it jumps into the middle.  All edges to the entries of
such a cycle are led through one new block, which is told by a number where to go on.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from enzyme.engine.analysis.cfg import ControlFlow
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.edit import merge_edges
from enzyme.engine.ir.instructions import Phi
from enzyme.engine.ir.module import Block, Function
from enzyme.engine.ir.types import I32
from enzyme.engine.ir.values import ConstInt, Value, zero_of


def make_reducible(function: Function, cold: Collection[Block]) -> None:
    """Give every cycle outside the cold blocks one entry."""
    while True:
        cfg = ControlFlow(function)
        blocks = [b for b in cfg.reverse_postorder if b not in cold]
        cycle, entries = _several_entries(cfg, blocks)
        if not entries:
            return
        _lead_through_one(function, cycle, entries)


def _several_entries(cfg: ControlFlow, blocks: Sequence[Block]) -> tuple[set[Block], list[Block]]:
    """Some cycle with several entries, and these; a cycle without its only entry is looked at again."""
    pending = [list(blocks)]
    while pending:
        for cycle in _cycles(cfg, pending.pop()):
            inside = set(cycle)
            entries = [
                b
                for b in cycle
                if any(p not in inside and cfg.is_reachable(p) for p in cfg.predecessors(b))
            ]
            if len(entries) > 1:
                return inside, entries
            pending.append([b for b in cycle if b not in entries])
    return set(), []


def _cycles(cfg: ControlFlow, blocks: Sequence[Block]) -> list[list[Block]]:
    """The strongly connected components that hold a cycle (Tarjan 1972, without recursion)."""
    inside = set(blocks)
    order: dict[Block, int] = {}
    low: dict[Block, int] = {}
    stack: list[Block] = []
    on_stack: set[Block] = set()
    found: list[list[Block]] = []
    for root in blocks:
        if root in order:
            continue
        work = [(root, iter(cfg.successors(root)))]
        order[root] = low[root] = len(order)
        stack.append(root)
        on_stack.add(root)
        while work:
            block, successors = work[-1]
            for successor in successors:
                if successor not in inside:
                    continue
                if successor not in order:
                    order[successor] = low[successor] = len(order)
                    stack.append(successor)
                    on_stack.add(successor)
                    work.append((successor, iter(cfg.successors(successor))))
                    break
                if successor in on_stack:
                    low[block] = min(low[block], order[successor])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[block])
                if low[block] == order[block]:
                    members = []
                    while True:
                        members.append(stack.pop())
                        on_stack.discard(members[-1])
                        if members[-1] is block:
                            break
                    if len(members) > 1 or block in cfg.successors(block):
                        found.append(sorted(members, key=cfg.index))
    return found


def _lead_through_one(function: Function, cycle: set[Block], entries: Sequence[Block]) -> None:
    cfg = ControlFlow(function)
    arrivals: list[tuple[int, Block]] = []
    for k, entry in enumerate(entries):
        before = cfg.predecessors(entry)
        for inside in (False, True):  # apart, or the new blocks would be entries themselves
            edges = [p for p in before if (p in cycle) is inside]
            if edges:
                arrivals.append((k, merge_edges(entry, edges, f"{entry.name}.arrival")))
    gate = function.append_block(f"{entries[0].name}.gate", after=arrivals[-1][1])
    chosen = gate.append(Phi(I32, [(ConstInt(I32, k), a) for k, a in arrivals], "way"))
    for entry in entries:
        for phi in entry.phis():
            given = {block: value for value, block in phi.incoming}
            pairs: list[tuple[Value, Block]] = [
                (given.get(a, zero_of(phi.type)), a) for _, a in arrivals
            ]
            passed = gate.append(Phi(phi.type, pairs, f"{phi.name}.g" if phi.name else ""))
            phi.replace_uses_with(passed)
            phi.erase()
    for _, arrival in arrivals:
        arrival.instructions[-1].erase()
        Builder(arrival).br(gate)
    at = gate
    for k, entry in enumerate(entries[:-2]):
        further = function.append_block(f"{entry.name}.other", after=at)
        b = Builder(at)
        b.cond_br(b.icmp("eq", chosen, ConstInt(I32, k)), entry, further)
        at = further
    b = Builder(at)
    b.cond_br(b.icmp("eq", chosen, ConstInt(I32, len(entries) - 2)), entries[-2], entries[-1])
