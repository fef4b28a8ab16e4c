"""The store behind type analysis: cells that are known to hold the same bits, and the memory they address.

A *cell* stands for a scalar: an SSA value, or a place in memory. Cells that always hold copies of the
same bits are united. A cell has a kind and, if it holds an address, a target ``(node, offset, stride)``.
A *node* is a region of memory; its cells are keyed by ``(offset, stride, size, told)``: with stride 0 one place,
otherwise every place ``offset + k * stride`` that some instruction computes with a variable index. `told` is
UNKNOWN, but in a graph that goes `by_tags` (see `typetags`).
Uniting two pointers unites their nodes, displaced by the difference of the offsets.

Strided and fixed places of one node may overlap (a header followed by an array has both), so they inform
each other only where one of them is unknown (`settle`). What a caller states about *every* offset of a
node is binding for all its cells.

Places at multiples of a stride are the same cell whatever offset they are counted from. A graph whose places are held
`apart` keeps that offset: fields of records at a distance that only the run knows (stride 1 or little more), or two
arrays in one record, are cells of their own, which may overlap like strided and fixed ones. It takes what only the
run knows of a distance to be whole items, so that what stands at different offsets from their start is not the same.

Invariant: all indices refer to roots only through `find` and `find_node`; a root cell with a target has
kind POINTER. Facts are strong, or weak (guesses from integer arithmetic) and then yield to strong ones.
"""

from __future__ import annotations

from collections.abc import Hashable
from itertools import pairwise
from math import gcd, lcm

from enzyme.engine.analysis.typebytes import Rarer
from enzyme.engine.analysis.typedistances import Distances
from enzyme.engine.analysis.typereasons import Reason, clash
from enzyme.engine.analysis.typeruns import Regular
from enzyme.engine.analysis.typesettled import Settled, State
from enzyme.engine.analysis.typetags import Key, by_place, disputes
from enzyme.engine.analysis.typetree import (
    ANYTHING,
    INTEGER,
    MAX_DEPTH,
    MAX_OFFSET,
    POINTER,
    UNKNOWN,
    ConcreteType,
    join_kinds,
)
from enzyme.engine.analysis.typeviews import Found, Viewed, seen
from enzyme.engine.ir.items import Items

Target = tuple[int, int, int]
Range = tuple[int, int, Reason]
# The most bytes that LLVM moves as one integer.
WORD = 8
# So many places of a copy are told one by one, when they repeat where they come from.
_MOST_COPIES = 16


class TypeGraph:
    """Cells, nodes, and the facts about them; `revision` grows with every new fact."""

    def __init__(self, apart: bool = False, by_tags: bool = False, depth: int = MAX_DEPTH) -> None:
        """`apart`: what is perhaps the same is not taken for the same; `by_tags`: nor is what tags tell apart.

        Counting references of a chosen object says nothing of what it was chosen from then, and places with variable
        indices are one only if they are counted from the same offset. Trees that are read from the graph have no longer
        paths than `depth`.
        """
        self.apart = apart
        self.depth = depth
        self.by_tags = by_tags
        self.revision = 0
        self._parent: list[int] = []
        self._kind: list[ConcreteType] = []
        self._weak: list[bool] = []
        self._reason: list[Reason] = []
        self._target: list[Target | None] = []
        self._node_parent: list[int] = []
        self._node_shift: list[int] = []
        self._cells: list[dict[Key, int]] = []
        self._floors: list[dict[Key, int]] = []
        self._fixed: list[dict[int, list[tuple[int, Key]]]] = []
        self._repeated: list[list[tuple[int, Key]]] = []
        self._widest: list[int] = []
        self._every: list[int] = []
        self._every_from: list[int] = []
        self._integers: list[list[Range]] = []
        self._viewed: list[list[Viewed]] = []
        self._links: list[tuple[int, int, int | None, Reason, ConcreteType]] = []
        self._choices: list[tuple[int, int, Reason]] = []
        self._pending: list[tuple[int, int, Reason]] = []
        self._busy = False
        self._loose: list[tuple[int, Target, Reason]] = []
        self.distances = Distances(self)
        self._settled = Settled()
        self._rarer = Rarer(self)

    def start_of(self, offset: int, stride: int) -> int:
        """The offset by which places at multiples of a stride are known."""
        return offset % stride if stride and not self.apart else offset

    # Cells --------------------------------------------------------------------------------------

    def new_cell(self) -> int:
        self._parent.append(len(self._parent))
        self._kind.append(UNKNOWN)
        self._weak.append(False)
        self._reason.append("")
        self._target.append(None)
        return len(self._parent) - 1

    def find(self, cell: int) -> int:
        parent = self._parent
        while parent[cell] != cell:
            parent[cell] = parent[parent[cell]]
            cell = parent[cell]
        return cell

    def kind(self, cell: int) -> ConcreteType:
        return self._kind[self.find(cell)]

    def is_weak(self, cell: int) -> bool:
        """Is the kind of the cell a guess?"""
        return self._weak[self.find(cell)]

    def reason(self, cell: int) -> Reason:
        return self._reason[self.find(cell)]

    def set_kind(self, cell: int, kind: ConcreteType, reason: Reason, weak: bool = False) -> None:
        """Add the fact that the cell is of this kind."""
        cell = self.find(cell)
        old = self._kind[cell]
        if old is kind:
            if self._weak[cell] and not weak:
                self._weak[cell], self._reason[cell] = False, reason
            return
        if old is UNKNOWN or (self._weak[cell] and not weak):
            self._kind[cell], self._weak[cell], self._reason[cell] = kind, weak, reason
            self.revision += 1
            return
        if weak or kind is UNKNOWN:
            return
        both = join_kinds(old, kind)
        if both is None:
            raise clash(old, self._reason[cell], kind, reason)
        if both is not old:
            self._kind[cell] = both
            self.revision += 1

    def mention(self, cell: int, reason: Reason) -> None:
        """Somebody looks at the cell, and that is all that is known."""
        cell = self.find(cell)
        if self._kind[cell] is UNKNOWN:
            self._reason[cell] = reason

    def unite(self, first: int, second: int, reason: Reason) -> None:
        """The two cells hold the same bits."""
        self._pending.append((first, second, reason))
        if not self._busy:
            self._unite_pending()

    def _unite_pending(self) -> None:
        self._busy = True
        while self._pending:
            self._unite(*self._pending.pop())
        self._busy = False

    def _unite(self, first: int, second: int, reason: Reason) -> None:
        first, second = self.find(first), self.find(second)
        if first != second:
            self.revision += 1
            self._parent[second] = first
            self._merge_facts(first, second, reason)
            mine, yours = self._target[first], self._target[second]
            if mine is None:
                self._target[first] = yours
            elif yours is not None:
                self._meet(first, mine, yours, reason)

    def _meet(self, cell: int, mine: Target, yours: Target, reason: Reason) -> None:
        """Join what a cell addresses; regions that are only known to be shifted by multiples of a stride wait."""
        apart = self.find_node(mine[0])[0] != self.find_node(yours[0])[0]
        if apart and gcd(mine[2], yours[2]):
            self._loose.append((cell, yours, reason))
        else:
            self._target[cell] = self._join_targets(mine, yours, reason)

    def join_loose(self) -> None:
        """Lay regions whose distance nothing else has told side by side, as if their first items were the same.

        This comes when all that is exact is known: else what they are would depend on the order of the facts.
        """
        while self._loose:
            cell, yours, reason = self._loose.pop(0)
            cell = self.find(cell)
            mine = self._target[cell]
            assert mine is not None
            self.revision += 1
            self._busy = True
            self._target[cell] = self._join_targets(mine, yours, reason)
            self._busy = False
            self._unite_pending()

    def _merge_facts(self, first: int, second: int, reason: Reason) -> None:
        kind, other = self._kind[first], self._kind[second]
        if other is UNKNOWN:
            return
        if kind is other:
            self._weak[first] &= self._weak[second]
        elif kind is UNKNOWN or (self._weak[first] and not self._weak[second]):
            self._kind[first], self._weak[first] = other, self._weak[second]
            self._reason[first] = self._reason[second]
        elif not self._weak[second]:
            both = join_kinds(kind, other)
            if both is None:
                raise clash(kind, self._reason[first], other, self._reason[second], reason)
            self._kind[first] = both

    # Pointers -----------------------------------------------------------------------------------

    def new_node(self) -> int:
        self._node_parent.append(len(self._node_parent))
        self._node_shift.append(0)
        self._cells.append({})
        self._floors.append({})
        self._fixed.append({})
        self._repeated.append([])
        self._widest.append(0)
        self._every.append(-1)
        self._every_from.append(MAX_OFFSET)
        self._integers.append([])
        self._viewed.append([])
        return len(self._node_parent) - 1

    def find_node(self, node: int) -> tuple[int, int]:
        """The root of a node, and where the node's offset 0 lies in it."""
        shift = 0
        while self._node_parent[node] != node:
            shift += self._node_shift[node]
            node = self._node_parent[node]
        return node, shift

    def target(self, cell: int) -> Target:
        """Where the cell points, as (root node, offset, stride); it becomes a pointer if it was not."""
        cell = self.find(cell)
        found = self._target[cell]
        if found is None:
            found = self._target[cell] = (self.new_node(), 0, 0)
            self.revision += 1
            return found
        node, shift = self.find_node(found[0])
        if node != found[0]:
            found = self._target[cell] = (node, found[1] + shift, found[2])
        return found

    def known_target(self, cell: int) -> Target | None:
        """As `target`, or None if nothing is known about what the cell addresses."""
        return None if self._target[self.find(cell)] is None else self.target(cell)

    def new_pointer(self, target: Target, reason: Reason) -> int:
        cell = self.new_cell()
        self._kind[cell], self._reason[cell] = POINTER, reason
        self._target[cell] = target
        return cell

    def lay_beside(self, cell: int, other: Target, reason: Reason) -> None:
        """What a cell addresses and another region are one, as if their first items were the same; see `join_loose`."""
        self._loose.append((cell, other, reason))
        self.revision += 1

    def _join_targets(self, mine: Target, yours: Target, reason: Reason) -> Target:
        node, shift = self.find_node(mine[0])
        other, other_shift = self.find_node(yours[0])
        offset, distance = mine[1] + shift, yours[1] + other_shift
        stride = gcd(mine[2], yours[2])
        if node == other:
            stride, offset = gcd(stride, offset - distance), min(offset, distance)
        else:
            node = self._join_nodes(node, other, offset - distance, reason)
            root, moved = self.find_node(mine[0])
            offset = mine[1] + moved
            assert root == node
        return (node, offset, stride)

    def _join_nodes(self, node: int, other: int, distance: int, reason: Reason) -> int:
        """Make root `other` part of root `node`, its offset 0 at `distance`; return the new root."""
        if len(self._cells[node]) < len(self._cells[other]):
            node, other, distance = other, node, -distance
        self._node_parent[other], self._node_shift[other] = node, distance
        mine = self._cells[node]
        moved, self._cells[other] = self._cells[other], {}
        floors, self._floors[other] = self._floors[other], {}
        self._fixed[other], self._repeated[other] = {}, []
        had_every, had_integers = self._every[node], bool(self._integers[node])
        had_views, new_views = bool(self._viewed[node]), self._viewed[other]
        for view in new_views:
            self._add_view(node, view.moved(distance))
        if self._every[other] >= 0:
            first = self._every_from[other] + distance
            self._every_from[node] = min(self._every_from[node], first)
            if had_every >= 0:
                self.unite(had_every, self._every[other], reason)
            else:
                self._every[node] = self._every[other]
        for low, high, why in self._integers[other]:
            joined = _with_range(self._integers[node], low + distance, high + distance, why)
            self._integers[node] = joined
        for old, cell in moved.items():
            offset = floors.get(old, old[0]) + distance
            key = self._lay(node, offset, *old[1:])
            found = mine.get(key)
            if found is None:
                mine[key] = cell
                self._enter(node, key)
                if had_every >= 0 or had_integers or had_views:
                    self._inform(node, key, cell)
            else:
                self.unite(found, cell, reason)
        told = self._integers[other] or new_views
        if told or (self._every[other] >= 0 and had_every < 0):
            for key, cell in list(mine.items()):
                self._inform(node, key, cell)
        return node

    # Memory -------------------------------------------------------------------------------------

    def cell_at(self, pointer: int, offset: int, size: int, told: ConcreteType = UNKNOWN) -> int:
        """The cell of `size` bytes that stands `offset` bytes behind a pointer cell."""
        node, start, stride = self.target(pointer)
        return self.place(node, (start + offset, stride, size, told))

    def place(self, node: int, key: Key) -> int:
        """The cell of a root node with this key."""
        cells = self._cells[node]
        key = self._lay(node, *key)
        found = cells.get(key)
        if found is None:
            found = cells[key] = self.new_cell()
            self._enter(node, key)
            self._inform(node, key, found)
        return found

    def _lay(self, node: int, offset: int, stride: int, size: int, told: ConcreteType) -> Key:
        """The key of a place, of which is noted where it was first seen."""
        key = (self.start_of(offset, stride), stride, size, told)
        if stride:
            floors = self._floors[node]
            floors[key] = min(offset, floors.get(key, offset))
        return key

    def floor(self, node: int, key: Key) -> int:
        """The least offset at which somebody accesses a place that repeats: what is in front may be something else."""
        return self._floors[node].get(key, key[0])

    def _enter(self, node: int, key: Key) -> None:
        """Note where a new place is found; places come in the order in which they were made."""
        entry = (len(self._cells[node]), key)
        if key[1]:
            self._repeated[node].append(entry)
        else:
            self._fixed[node].setdefault(key[0], []).append(entry)
            self._widest[node] = max(self._widest[node], key[2])

    def places_around(self, node: int, byte: int) -> list[Key]:
        """The fixed places that hold a byte, and all that repeat, in the order of `places`."""
        if self._widest[node] > len(self._fixed[node]):
            return list(self._cells[node])
        found = list(self._repeated[node])
        for offset in range(byte - self._widest[node] + 1, byte + 1):
            found += self._fixed[node].get(offset, ())
        return [key for _, key in sorted(found)]

    def places(self, node: int) -> dict[Key, int]:
        return self._cells[node]

    def regular(self, target: Target, longest: int) -> Regular | None:
        """Where what is known to somebody who walks like this repeats, after `longest` bytes at most; None where that
        is hard to say."""
        node, start, stride = target
        if self.by_tags or self._viewed[node]:
            return None
        points, period, widest = {start}, 1, 1
        for key in self._cells[node]:
            offset, step, size, _ = key
            points |= {offset, offset + size, self.floor(node, key)}
            period = lcm(period, gcd(step, stride) or 1)
            if period > longest:
                return None
            widest = max(widest, size)
        for low, high, _ in self._integers[node]:
            points |= {low, high}
        if self._every[node] >= 0:
            points.add(self._every_from[node])
        return Regular(sorted(point - start for point in points), widest + WORD, period)

    def every(self, target: Target) -> int:
        """The cell of what was stated about every offset of a root node from there on, or -1."""
        node, place, stride = target
        return self._every[node] if stride or place >= self._every_from[node] else -1

    def integer_at(self, node: int, offset: int) -> bool:
        return any(low <= offset < high for low, high, _ in self._integers[node])

    def integer_bytes(self, node: int, start: int, end: int) -> list[int]:
        """The bytes from `start` to `end` that were stated to be integers."""
        ranges = ((max(low, start), min(high, end)) for low, high, _ in self._integers[node])
        return [byte for low, high in ranges for byte in range(low, high)]

    def state_every(self, target: Target, reason: Reason) -> int:
        """The cell that binds every offset of a root node from there on, and all that repeat; made on demand.

        `rebind` after changing it. In front may be something else, as the address that an allocator keeps is.
        """
        node, place, stride = target
        self._every_from[node] = min(self._every_from[node], -MAX_OFFSET if stride else place)
        if self._every[node] < 0:
            self._every[node] = self.new_cell()
            self._reason[self._every[node]] = reason
        return self._every[node]

    def state_integers(self, node: int, low: int, high: int, reason: Reason) -> None:
        """The bytes from `low` to `high` of a root node are integers."""
        if not any(start <= low and high <= end for start, end, _ in self._integers[node]):
            self._integers[node] = _with_range(self._integers[node], low, high, reason)
            self.rebind(node)

    def state_items(self, pointer: int, items: Items, reason: Reason) -> None:
        """The memory behind a pointer cell is looked at as such items."""
        node, start, stride = self.target(pointer)
        if self._add_view(node, Viewed.at(start, stride, items, reason)):
            self.rebind(node)

    def _add_view(self, node: int, view: Viewed) -> bool:
        if view in self._viewed[node]:
            return False
        self._viewed[node].append(view)
        self.revision += 1
        return True

    def views(self, node: int) -> list[Viewed]:
        """As what items the memory of a root node is looked at."""
        return self._viewed[node]

    def viewed(self, pointer: int, offset: int, size: int) -> Found | None:
        """What views say of `size` bytes behind a pointer cell; None if the memory is not looked at in two ways."""
        found = self.known_target(pointer)
        if found is None or not self._viewed[found[0]]:
            return None
        node, start, stride = found
        return seen(self._viewed[node], start + offset, stride, size)

    def in_header(self, node: int, place: int, size: int) -> bool:
        """Was one of these bytes stated to be an integer?"""
        return any(low < place + size and place < high for low, high, _ in self._integers[node])

    def is_passed(self, target: Target, key: Key, cell: int) -> bool:
        """Is it an address in front of where a walk begins, as an allocator keeps one?"""
        _, start, walks = target
        offset, stride, size, _ = key
        in_front = walks > 0 and not stride and offset + size <= start
        return in_front and self.kind(cell) is POINTER

    def rebind(self, node: int) -> None:
        node = self.find_node(node)[0]
        for key, cell in list(self._cells[node].items()):
            self._inform(node, key, cell)

    def _inform(self, node: int, key: Key, cell: int) -> None:
        """Tell a cell what is stated about ranges of its node."""
        offset, stride, size, _ = key
        stated = self.find(self._every[node]) if self._every[node] >= 0 else -1
        kind = self._kind[stated] if stated >= 0 else UNKNOWN
        if stated >= 0 and (kind is POINTER or not self._is_in_front(node, key)):
            if kind is INTEGER:
                self.set_kind(cell, INTEGER, self._reason[stated])
            elif kind.size == size:
                self.unite(stated, cell, self._reason[stated])
            elif kind.is_float and self._kind[self.find(cell)].is_float:
                raise clash(kind, self._reason[stated], self.kind(cell), self.reason(cell))
        if not stride:
            for low, high, why in self._integers[node]:
                if low <= offset and offset + size <= high:
                    self.set_kind(cell, INTEGER, why)
        if self._viewed[node]:
            found = seen(self._viewed[node], offset, stride, size)
            if found.kind is not UNKNOWN:
                self.set_kind(cell, found.kind, found.reason)

    def _is_in_front(self, node: int, key: Key) -> bool:
        """Is a place in front of what was stated about every offset?"""
        offset, stride, size, _ = key
        return not stride and offset + size <= self._every_from[node]

    def _guess_front(self, node: int) -> None:
        """Unknown places in front of what was stated about every offset are like it."""
        stated = self.find(self._every[node])
        kind, reason = self._kind[stated], self._reason[stated]
        for key, cell in self._cells[node].items():
            fits = kind.size in (0, key[2]) and self._is_in_front(node, key)
            if fits and self.kind(cell) is UNKNOWN:
                self.set_kind(cell, kind, reason, weak=True)

    # Copies -------------------------------------------------------------------------------------

    def link(
        self,
        first: int,
        second: int,
        length: int | None,
        reason: Reason,
        told: ConcreteType = UNKNOWN,
    ) -> None:
        """`length` bytes (None: unknown, many) behind two pointer cells hold the same bits, as is `told` of them."""
        self._links.append((first, second, length, reason, told))

    def choose(self, pointer: int, arm: int, reason: Reason) -> None:
        """The pointer is sometimes `arm`: places that are accessed through it stand behind `arm` too."""
        self._choices.append((pointer, arm, reason))

    def arms(self, node: int) -> list[tuple[Target, Target]]:
        """Where pointers into a root node are sometimes chosen from: their targets, and those of their arms."""
        found = ((self.target(pointer), self.target(arm)) for pointer, arm, _ in self._choices)
        return [(here, there) for here, there in found if here[0] == node]

    def settle(self, relate: bool) -> None:
        """Carry facts from choices to their arms and along copies; with `relate`, between places that may overlap.

        The latter come first: they tell of headers, hence which places a copy of elements leaves out.
        """
        before = -1
        while before != self.revision:
            before = self.revision
            self.join_loose()
            self.distances.measure(last=False)
            for node, cells in enumerate(self._cells):
                if self.by_tags:
                    self._join_told(node)
                if relate and len(cells) > 1:
                    self._relate(node)
                if self._every[node] >= 0 and self._node_parent[node] == node:
                    self._guess_front(node)
            for k, (pointer, arm, reason) in enumerate(self._choices):
                if not self._is_settled(("choice", k), pointer, arm):
                    self._chosen(pointer, arm, reason)
            for k, (first, second, length, reason, told) in enumerate(self._links):
                for source, sink in ((first, second), (second, first)):
                    if not self._is_settled(("link", k, source, relate), source, sink):
                        self._carry(source, sink, length, reason, relate, told)
            if before == self.revision:
                self.distances.measure(last=True)

    def _is_settled(self, key: Hashable, *pointers: int) -> bool:
        """Is all that is known of the memory behind some pointers what it was when this was asked last?"""
        targets = tuple(self.target(pointer) for pointer in pointers)
        return self._settled.is_known(key, (targets, *(self._state_of(t[0]) for t in targets)))

    def _state_of(self, node: int) -> State:
        """All that is known of a region of memory; the same object as long as that is the same."""
        cells, every, viewed = self._cells[node], self._every[node], self._viewed[node]
        stamp = (self.revision, len(cells), len(viewed), every)

        def state() -> State:
            roots = {key: self.find(cell) for key, cell in cells.items()}
            return (
                tuple((key, root, self._kind[root]) for key, root in roots.items()),
                tuple(self._floors[node].items()),
                tuple((low, high) for low, high, _ in self._integers[node]),
                tuple(viewed),
                None if every < 0 else (self.kind(every), self._every_from[node]),
            )

        return self._settled.state(node, stamp, state)

    def _chosen(self, pointer: int, arm: int, reason: Reason) -> None:
        node, start, stride = self.target(pointer)
        for key, cell in list(self._cells[node].items()):
            offset, step, size, told = key
            node_to, start_to, stride_to = self.target(arm)
            if node_to == node:
                self.unite(pointer, arm, reason)
                return
            if self.is_passed((node, start, stride or stride_to), key, cell):
                continue
            period = gcd(step, stride, stride_to)
            place = offset - start + start_to
            if abs(self.start_of(place, period)) >= MAX_OFFSET:
                continue  # a pointer that walks, and is chosen from itself and others
            self.unite(self.place(node_to, (place, period, size, told)), cell, reason)
            if self.find_node(node)[0] != node:
                return

    def _carry(
        self,
        source: int,
        sink: int,
        length: int | None,
        reason: Reason,
        relate: bool,
        told: ConcreteType,
    ) -> None:
        if length is not None and length <= WORD:
            found = self.viewed(source, 0, length)
            if found is not None and found.mixed:
                return
        here = node, start, stride = self.target(source)
        perhaps: dict[int, list[int]] = {}
        for (offset, step, size, kind), cell in list(self._cells[node].items()):
            if UNKNOWN not in (kind, told) and kind is not told:
                continue
            if self.is_passed(here, (offset, step, size, kind), cell):
                continue
            period = gcd(step, stride)
            distance = self.distance(offset - start, period, size)
            # Elements begin behind a header of integers, and a variable index addresses elements only.
            is_hint = step and not stride  # the index may never reach the place that is copied
            if is_hint:
                if not relate:
                    continue
                while self.in_header(node, start + distance, size):
                    distance += period
            elif stride and (
                not step and self.in_header(node, offset, size)
                if relate
                else not step or period < stride  # others may know better
            ):
                continue
            if (
                is_hint
                and self.kind(cell) is INTEGER
                and start + distance < self.floor(node, (offset, step, size, kind))
            ):
                continue
            is_item = self.is_item(period, size)
            beyond = length is not None and distance + size > length
            is_away = self.apart and period and not is_item and (beyond or offset < start)
            if is_away:
                distance %= period
                beyond = length is not None and distance + size > length
            if distance < 0 or beyond:
                continue
            spread, places = 0, [distance]
            if period and not is_item and (length is None or length > period):
                stride_to = self.target(sink)[2]
                if length is None or length > _MOST_COPIES * period or 0 < stride_to < length:
                    spread = period
                else:  # there and nowhere else
                    places = list(range(distance, length - size + 1, period))
            for place in places:
                if period and not spread and self._is_known_better(here, place, size, cell, period):
                    continue
                copy = self._copy_at(sink, place, spread, size, kind)
                if copy < 0:
                    continue
                if is_away:
                    perhaps.setdefault(copy, []).append(cell)
                elif is_hint and self.kind(cell) is not POINTER:
                    if self.kind(copy) is UNKNOWN:
                        self.set_kind(copy, self.kind(cell), reason, weak=True)
                else:
                    self.unite(copy, cell, reason)
                    if self.find_node(node)[0] != node:
                        return
        for copy, cells in perhaps.items() if relate else ():
            self._learn(copy, cells, reason)
        self._carry_statements(node, source, sink, length, reason)

    def _copy_at(self, sink: int, place: int, spread: int, size: int, told: ConcreteType) -> int:
        """The cell so far behind a pointer cell, again every `spread` bytes if that is not 0; -1 if too far away."""
        node, start, stride = self.target(sink)
        stride, place = gcd(stride, spread), place + start
        if abs(self.start_of(place, stride)) >= MAX_OFFSET:
            return -1
        return self.place(node, (place, stride, size, told))

    def _is_known_better(
        self, target: Target, distance: int, size: int, cell: int, step: int
    ) -> bool:
        """Do places tell of a byte behind a pointer something else than a cell that repeats every `step` bytes does?

        What repeats more rarely is known better.
        """
        node, start, stride = target
        place = (start + distance, size)
        return self._rarer.holds(node, stride, place, self.kind(cell), step)

    def _learn(self, cell: int, others: list[int], reason: Reason) -> None:
        """A cell of which nothing is known is what all others are that may be the same."""
        kinds = {self.kind(other) for other in others} - {UNKNOWN}
        if len(kinds) == 1 and self.kind(cell) is UNKNOWN:
            self.set_kind(cell, kinds.pop(), reason, weak=True)

    def _carry_statements(
        self, node: int, source: int, sink: int, length: int | None, reason: Reason
    ) -> None:
        _, start, stride = self.target(source)
        node_to, start_to, stride_to = self.target(sink)
        if node_to == node:
            return
        every = self.every((node, start, stride))
        end = min(length or MAX_OFFSET, MAX_OFFSET)
        if every >= 0:
            kind = self.kind(every)
            if kind is INTEGER and not stride_to:
                self.state_integers(node_to, start_to, start_to + end, reason)
            elif kind.size and (length is None or length > MAX_OFFSET or stride_to):
                key = (start_to % kind.size, kind.size, kind.size, UNKNOWN)
                self.unite(self.place(node_to, key), every, reason)
            elif kind.size:
                for place in range(0, end - kind.size + 1, kind.size):
                    key = (start_to + place, 0, kind.size, UNKNOWN)
                    self.unite(self.place(node_to, key), every, reason)
        self._carry_views(source, sink, length, reason)
        if stride == 0 and stride_to == 0:
            for low, high, _ in list(self._integers[node]):
                low, high = max(low - start, 0), min(high - start, end)
                if low < high:
                    self.state_integers(node_to, low + start_to, high + start_to, reason)

    def _carry_views(self, source: int, sink: int, length: int | None, reason: Reason) -> None:
        """What is copied out of memory that is looked at in two ways is looked at in the same ways.

        Of a single number, moved as an integer, it is told only whether it is a float.
        """
        node, start, stride = self.target(source)
        if length is not None and length <= WORD:
            found = self.viewed(source, 0, length)
            if found is not None and found.kind is not UNKNOWN:
                self.set_kind(self.cell_at(sink, 0, length), found.kind, reason)
            return
        node_to, start_to, stride_to = self.target(sink)
        views = [view.relative(start, stride) for view in self._viewed[node]]
        moved = [view.relative(-start_to, stride_to) for view in views]
        if any([self._add_view(node_to, view) for view in moved]):
            self.rebind(node_to)

    def is_item(self, stride: int, size: int) -> bool:
        """Is the distance to other items one that only the run knows?  Such places would overlap at their stride."""
        return self.apart and 0 < stride < size

    def distance(self, away: int, period: int, size: int) -> int:
        """How far on the first place is that stands `away` bytes on and once in every period; negative if none."""
        if not period or self.is_item(period, size) or (self.apart and away >= 0):
            return away
        return away % period

    def _relate(self, node: int) -> None:
        """Let unknown places learn from places that may overlap them exactly."""
        items = list(self._cells[node].items())
        if not any(stride for (_, stride, _, _), _ in items):
            return
        for (offset, stride, size, told), cell in items:
            cell = self.find(cell)
            kind = self._kind[cell]
            if kind is not UNKNOWN and (kind is not POINTER or not stride):
                continue
            teacher, agreed, sure = -1, True, False
            begin = (node, self.floor(node, (offset, stride, size, told)), stride)
            for (place, step, width, kind_too), other in items:
                period = gcd(stride, step)
                if self.is_passed(begin, (place, step, width, kind_too), other):
                    continue
                if UNKNOWN not in (told, kind_too) and told is not kind_too:
                    continue
                if width != size or not period or (offset - place) % period:
                    continue
                known = self.kind(other)
                same = not self.apart or place == offset
                if kind is POINTER:
                    alike = known is POINTER and self.find(other) != self.find(cell)
                    if alike and (same or period == size):
                        self.unite(cell, other, self._reason[cell])
                elif known is not UNKNOWN and same >= sure:
                    agreed = same > sure or (
                        agreed and (teacher < 0 or self.kind(teacher) is known)
                    )
                    teacher, sure = other, same
            if teacher >= 0 and agreed:
                self.set_kind(cell, self.kind(teacher), self.reason(teacher), weak=True)
            if self._node_parent[node] != node:
                return

    def check(self) -> None:
        """Raise if places of one node that overlap hold what they cannot hold at once, or could be anywhere."""
        self.join_loose()
        for node, cells in enumerate(self._cells):
            if self._every[node] >= 0 and self._node_parent[node] == node:
                self.rebind(node)
            if not self.apart:
                self._check_anywhere(cells)
            self._check_views(node, cells)
            if self.by_tags:
                self._check_told(cells)
            self._check_overlaps(cells)

    def _check_overlaps(self, cells: dict[Key, int]) -> None:
        """Raise where a float overlaps another float or an address, both at single places or as far apart as others."""
        known = sorted(
            (stride, offset, size, cell)
            for (offset, stride, size, told), cell in cells.items()
            if told is UNKNOWN
            and not 0 < stride < size
            and (self.kind(cell).is_float or self.kind(cell) is POINTER)
        )
        # Of single floats those count too that are only guessed.
        floats = [entry for entry in known if not entry[0] and self.kind(entry[3]).is_float]
        certain = [entry for entry in known if not self.is_weak(entry[3])]
        for one, other in (*pairwise(floats), *pairwise(certain)):
            (stride, offset, size, cell), (other_stride, place, _, cell_too) = one, other
            kind, kind_too = self.kind(cell), self.kind(cell_too)
            alike = kind is kind_too is POINTER
            if stride == other_stride and offset + size > place and not alike:
                raise clash(kind, self.reason(cell), kind_too, self.reason(cell_too))

    def _join_told(self, node: int) -> None:
        """What is accessed without a tag is what tags say that stands there, if they agree."""
        for told, group in by_place(self._cells[node]):
            if len(told) == 1 and UNKNOWN in group:
                cell = group[told[0]]
                self.unite(group[UNKNOWN], cell, self.reason(cell))
                if self._node_parent[node] != node:
                    return

    def _check_told(self, cells: dict[Key, int]) -> None:
        """Raise where something is accessed without a tag, and tags do not agree on what stands there."""
        kinds = {key: self.kind(cell) for key, cell in cells.items()}
        for plain, first, second in disputes(kinds):
            one, other, joined = cells[first], cells[second], self.reason(cells[plain])
            why, why_too = self.reason(one), self.reason(other)
            raise clash(kinds[first], why, kinds[second], why_too, joined)

    def _check_views(self, node: int, cells: dict[Key, int]) -> None:
        """Parts of a float are no floats."""
        for view in self._viewed[node]:
            for (offset, stride, _, _), cell in cells.items():
                kind = self.kind(cell)
                torn = view.tears(offset, stride, kind) if kind.is_float else None
                if torn is not None:
                    raise clash(kind, self.reason(cell), torn, view.reason)

    def _check_anywhere(self, cells: dict[Key, int]) -> None:
        """Floats and something else at every byte, since only the run knows their distance, contradict each other."""
        anywhere = [
            c for (_, step, size, told), c in cells.items() if 0 < step < size and told is UNKNOWN
        ]
        known = [c for c in anywhere if self.kind(c) not in (UNKNOWN, ANYTHING)]
        one = next((c for c in known if self.kind(c).is_float), -1)
        other = (
            next((c for c in known if self.kind(c) is not self.kind(one)), -1) if one >= 0 else -1
        )
        if other >= 0:
            raise clash(self.kind(one), self.reason(one), self.kind(other), self.reason(other))

    def check_guesses(self, guesses: list[tuple[int, Reason]]) -> None:
        """Raise if integers that arithmetic tells of are floats only because their distance is not known."""
        places = (item for cells in self._cells for item in cells.items())
        anywhere = {self.find(cell) for (_, step, size, _), cell in places if 0 < step < size}
        for cell, reason in guesses if anywhere and not self.apart else ():
            if self.find(cell) in anywhere and self.kind(cell).is_float:
                raise clash(self.kind(cell), self.reason(cell), INTEGER, reason)


def _with_range(ranges: list[Range], low: int, high: int, reason: Reason) -> list[Range]:
    """`ranges` and another one; those that touch become one, so that what spans them lies inside."""
    apart = []
    for start, end, why in ranges:
        if end < low or high < start:
            apart.append((start, end, why))
        else:
            low, high, reason = min(low, start), max(high, end), why
    return [*apart, (low, high, reason)]
