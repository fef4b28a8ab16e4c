"""Which kept values may have the same room, because each iteration computes one of them at most.

So it is with the values of branches of which one is taken: an interpreter of instructions keeps as much as the
instruction that keeps most, not as much as all of them. And so it is with loops in such branches: of an array
expression that has one nest for operands that are stretched and one for those that are not, a step keeps one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from enzyme.engine.analysis.cfg import ControlFlow, reachability
from enzyme.engine.analysis.loops import Loop
from enzyme.engine.ir.instructions import Instruction
from enzyme.engine.ir.module import Block, Function
from enzyme.engine.ir.values import Value
from enzyme.engine.synthesis.cache_layout import Home, nest_of
from enzyme.engine.synthesis.cache_regions import Region, Room


@dataclass(slots=True)
class _Ways:
    """The blocks that something is computed in, and all that they lead to within an iteration, as sets of bits."""

    through: int = 0
    to: int = 0

    def are_apart_from(self, other: _Ways) -> bool:
        return not (self.through & other.to or other.through & self.to)

    def join(self, other: _Ways) -> None:
        self.through |= other.through
        self.to |= other.to


_ALL = _Ways(-1, -1)  # of the header, which leads to all


class SharedRoom:
    """Groups the values of one home, and regions; the control flow is that of the function as it is now."""

    def __init__(self, function: Function) -> None:
        self._function = function
        self._cfg: ControlFlow | None = None
        self._within: dict[Loop, tuple[dict[Block, int], dict[Block, int]]] = {}

    def groups(self, home: Home, values: Sequence[Value]) -> list[list[Value]]:
        """The values in groups of one type, of which no iteration computes two; the order is kept."""
        loops = home.loops
        many = len({value.parent for value in values if isinstance(value, Instruction)}) > 1
        if not many or loops != nest_of(loops[-1]):
            # Iterations of loops that a value does not vary with have the same room already.
            return [[value] for value in values]
        bit, reach = self._paths(loops[-1])
        found: list[list[Value]] = []
        ways: list[_Ways] = []  # of each group
        for value in values:
            block = value.parent if isinstance(value, Instruction) else None
            own = _Ways(bit[block], bit[block] | reach[block]) if block in bit else _ALL
            for group, others in zip(found, ways, strict=True):
                if group[0].type == value.type and own.are_apart_from(others):
                    group.append(value)
                    others.join(own)
                    break
            else:
                found.append([value])
                ways.append(_Ways(own.through, own.to))
        return found

    def rooms(self, regions: Sequence[Region]) -> list[Room]:
        """Rooms for regions of nests of which no iteration of the loops around runs two."""
        by_growing: dict[Loop | None, list[Region]] = {}
        for region in regions:
            loops = region.home.loops
            if region.home.indexed and loops == nest_of(loops[-1]):
                by_growing.setdefault(region.home.growing, []).append(region)
        return [
            room
            for growing, those in by_growing.items()
            for room in self._rooms_within(those, 0 if growing is None else growing.depth)
        ]

    def _rooms_within(self, regions: Sequence[Region], depth: int) -> Iterator[Room]:
        """Rooms for regions that have their nest in common as far as that depth, for iterations there or deeper."""
        inner: dict[Loop, list[Region]] = {}
        for region in regions:
            loops = region.home.loops
            if len(loops) > depth:
                inner.setdefault(loops[depth], []).append(region)
        apart = [[bundle] for bundle in inner.values()]
        if depth and len(inner) > 1:
            around = next(iter(inner)).parent
            assert around is not None
            apart = self._apart(around, list(inner.values()))
        for bundles in apart:
            home = bundles[0][0].home
            if len(bundles) > 1:
                common = depth if home.growing is None else 0
                yield Room(bundles, home.indexed[:common])
            elif home.growing is None:
                yield from self._rooms_within(bundles[0], depth + 1)

    def _apart(self, loop: Loop, bundles: Sequence[list[Region]]) -> list[list[list[Region]]]:
        """The bundles in groups of which an iteration of the loop fills one at most."""
        bit, reach = self._paths(loop)
        found: list[list[list[Region]]] = []
        ways: list[_Ways] = []  # of each group
        for bundle in bundles:
            own = _Ways()
            for region in bundle:
                for value in region.values:
                    assert isinstance(value, Instruction) and value.parent is not None
                    block = value.parent
                    own.join(_Ways(bit[block], bit[block] | reach[block]))
            for group, others in zip(found, ways, strict=True):
                if own.are_apart_from(others):
                    group.append(bundle)
                    others.join(own)
                    break
            else:
                found.append([bundle])
                ways.append(own)
        return found

    def _paths(self, loop: Loop) -> tuple[dict[Block, int], dict[Block, int]]:
        """A bit for each block of one iteration, but the header, and what each leads to before the next iteration."""
        known = self._within.get(loop)
        if known is None:
            cfg = self._cfg = self._cfg or ControlFlow(self._function)
            blocks = [b for b in cfg.reverse_postorder if b is not loop.header]
            bit = {block: 1 << k for k, block in enumerate(blocks)}
            known = self._within[loop] = bit, reachability(cfg, bit)
        return known
