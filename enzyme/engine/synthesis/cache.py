"""Where cached values live: one slot outside loops, one region per loop that caches something.

A *slot* is a stack variable of the forward function that the reverse function sees too: in combined mode it is
the same alloca (promoted to registers afterwards), in split mode its content travels in the tape.

A *region* stores the values of one home (`synthesis.cache_layout`).  Where the lengths of all its loops are known
before the nest, it is one allocation there, an array per value, indexed by the loop counters.  Otherwise it grows:
records at a running position that counts header executions of the growing loop forward and counts them down again in
reverse; it grows geometrically and serves all executions of an inner loop.  A record is an array per value again.
Values of which an iteration computes one have an array together (`synthesis.shared_room`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from enzyme.engine.analysis.loops import Loop
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.datalayout import DataLayout
from enzyme.engine.ir.edit import split_block
from enzyme.engine.ir.instructions import Alloca, Instruction, Phi, Store
from enzyme.engine.ir.module import Block, Function
from enzyme.engine.ir.types import I8, I64, PTR, Type
from enzyme.engine.ir.values import ConstInt, Value, is_zero, zero_of
from enzyme.engine.synthesis.cache_layout import CacheLayout, Home
from enzyme.engine.synthesis.helpers import helper
from enzyme.engine.synthesis.shared_room import SharedRoom
from enzyme.engine.synthesis.slots import drop_unread, settle_slots
from enzyme.engine.synthesis.tiles import length_for

# What is kept lies as doubles do in memory.
ENTRY_ALIGNMENT = 8


def entry_alignment(layout: DataLayout, type_: Type) -> int:
    """Memory begins where numbers may stand, which is not enough for vectors; 0 for the type's own alignment."""
    return ENTRY_ALIGNMENT if layout.abi_align(type_) > ENTRY_ALIGNMENT else 0


@dataclass(slots=True, eq=False)
class Slot:
    """A variable shared by forward and reverse."""

    type: Type
    name: str
    forward: Value
    reverse: Value


class Frame:
    """All slots of one derivative. In split mode the forward and reverse functions differ."""

    def __init__(self, forward: Function, reverse: Function) -> None:
        self.forward = forward
        self.reverse = reverse
        self.slots: list[Slot] = []
        self._forward_entry: list[Instruction] = []
        self._reverse_entry: list[Instruction] = []
        self._variables: dict[Alloca, Store | None] = {}  # of the reverse pass alone

    @property
    def is_split(self) -> bool:
        return self.forward is not self.reverse

    def slot(self, type_: Type, name: str, initial: Value | None = None) -> Slot:
        forward = self.local(type_, name, initial)
        reverse = forward
        if self.is_split:  # set where the reverse function begins
            reverse = Alloca(type_, PTR, None, 0, name)
            self._reverse_entry.append(reverse)
        made = Slot(type_, name, forward, reverse)
        self.slots.append(made)
        return made

    def local(
        self, type_: Type, name: str, initial: Value | None = None, reverse: bool = False
    ) -> Value:
        """A stack variable of one of the two functions, set on entry where `initial` is given."""
        target = self._reverse_entry if reverse and self.is_split else self._forward_entry
        made = Alloca(type_, PTR, None, 0, name)
        entering = None if initial is None else Store(initial, made)
        target += [made] if entering is None else [made, entering]
        if reverse and (initial is None or is_zero(initial)):
            self._variables[made] = entering
        return made

    def place(self) -> None:
        """Put the variables at the beginning of the functions, which are complete."""
        gone = settle_slots(self.reverse, self._variables)
        made = self._forward_entry + self._reverse_entry
        gone |= drop_unread(i for i in made if isinstance(i, Alloca) and i not in gone)
        for function, first in (
            (self.forward, self._forward_entry),
            (self.reverse, self._reverse_entry),
        ):
            entry = function.entry
            placed = [instruction for instruction in first if instruction not in gone]
            for instruction in placed:
                instruction.parent = entry
            entry.instructions[:0] = placed
            first.clear()


@dataclass(slots=True, eq=False)
class Region:
    """Storage of one home.

    `offsets` are bytes before each value, for one entry; times `entries`, the product of the extents, where there
    are arrays.  `bases` holds where the arrays of a static region begin, `record` the bytes of one record.
    """

    home: Home
    values: list[Value] = field(default_factory=list)
    offsets: dict[Value, int] = field(default_factory=dict)
    entry_size: int = 0
    entries: Value | None = None
    base: Slot | None = None
    bases: dict[Value, Slot] = field(default_factory=dict)
    position: Slot | None = None
    capacity: Slot | None = None
    record: Slot | None = None

    @property
    def growing(self) -> bool:
        return self.home.growing is not None


class Cache:
    """Stores the planned values going forward and hands them out going back."""

    def __init__(
        self,
        frame: Frame,
        layout: DataLayout,
        counters: dict[Loop, Phi],
        homes: CacheLayout,
        tag: Callable[[Instruction], Instruction],
        no_memory: Callable[[], Block],
        arena: Callable[[], Value],
        apart: bool,
    ) -> None:
        """With `apart` a region holds one pointer, or numbers of one type, so that type analysis can tell what is in
        memory."""
        self.frame = frame
        self.layout = layout
        self.counters = counters
        self.homes = homes
        self.tag = tag
        self.no_memory = no_memory
        self.arena = arena
        self.apart = apart
        self.scalars: dict[Value, Slot] = {}
        self.regions: dict[tuple[Home, Value | Type | None], Region] = {}
        self._region: dict[Value, Region] = {}
        self._growing: dict[Loop, list[Slot]] | None = None
        self.header_tail: dict[Block, Block] = {}
        self._extent_slots: dict[tuple[Loop, Loop], Slot] = {}
        self._failed: dict[Block, Value] = {}
        self._tile_lengths: dict[Loop, Value] = {}
        self._tile_masks: dict[Loop, Slot] = {}

    def add(self, value: Value) -> None:
        """Declare a value as cached."""
        home = self.homes.of(value)
        if not home.depth:
            self.scalars[value] = self.frame.slot(value.type, f"{value.name}.c")
        else:
            contents = (value if value.type.is_pointer else value.type) if self.apart else None
            key = (home, contents)
            region = self._region[value] = self.regions.setdefault(key, Region(home))
            region.values.append(value)

    # Forward --------------------------------------------------------------------------------------------

    def emit_forward(self) -> None:
        """Allocate the regions and store every cached value behind its definition."""
        for loop in self.homes.in_tiles:
            self._measure_tiles(loop)
        rooms = None if self.apart else SharedRoom(self.frame.forward)
        for region in self.regions.values():
            self._lay_out(region, rooms)
            region.entries = self._entries(region.home)
        for region in self.regions.values():  # from here on blocks are split
            if region.growing:
                self._grow_at_header(region)
            else:
                self._allocate_before(region)
        for preheader, failed in self._failed.items():
            header = preheader.successors()[0]
            preheader.instructions[-1].erase()
            Builder(preheader).cond_br(failed, self.no_memory(), header)
        for value, slot in self.scalars.items():
            b = self._after(value)
            b.store(value, slot.forward)
        for region in self.regions.values():
            for value in region.values:
                b = self._after(value)
                address = self._address(b, region, value, None)
                self.tag(b.store(value, address, entry_alignment(self.layout, value.type)))

    def _lay_out(self, region: Region, rooms: SharedRoom | None) -> None:
        region.values.sort(key=lambda v: -self.layout.abi_align(v.type))
        groups = [[v] for v in region.values]
        if rooms is not None:
            groups = rooms.groups(region.home, region.values)
        offset = 0
        for together in groups:
            region.offsets.update(dict.fromkeys(together, offset))
            offset += self.layout.size_of(together[0].type)
        # A record begins where a number may stand.
        whole = -(-offset // ENTRY_ALIGNMENT) * ENTRY_ALIGNMENT
        region.entry_size = whole if region.growing else offset

    def _entries(self, home: Home) -> Value | None:
        """Entries of the indexed loops, computed in front of the nest; their extents get slots."""
        outer = home.outer
        assert outer is not None and outer.preheader is not None
        b = Builder()
        total: Value | None = None
        for loop in home.indexed:
            known = self._tile_lengths.get(loop)
            extent = self.homes.extent(loop, outer) if known is None else known
            b.before(outer.preheader.terminator)
            total = extent if total is None else b.imul(total, extent)
            if loop is not home.indexed[0] and (outer, loop) not in self._extent_slots:
                slot = self._extent_slots[outer, loop] = self.frame.slot(I64, "extent.c")
                b.store(extent, slot.forward)
        return total

    def _measure_tiles(self, loop: Loop) -> None:
        """Compute how many iterations a tile has, in front of the nest."""
        outer = list(loop.ancestors())[-1]
        assert outer.preheader is not None
        extents = [self.homes.extent(inner, outer) for inner in loop.children]
        b = Builder()
        b.before(outer.preheader.terminator)
        length = self._tile_lengths[loop] = length_for(b, extents)
        slot = self._tile_masks[loop] = self.frame.slot(I64, "tile.mask")
        b.store(b.isub(length, ConstInt(I64, 1)), slot.forward)

    def place_in_tile(self, b: Builder, loop: Loop, counter: Value) -> Value:
        """Which iteration of its tile it is."""
        return b.and_(counter, self.last_in_tile(b, loop))

    def last_in_tile(self, b: Builder, loop: Loop) -> Value:
        """Which iteration is the last one in a tile."""
        return b.load(I64, self._tile_masks[loop].forward)

    def _allocate_before(self, region: Region) -> None:
        outer = region.home.outer
        assert outer is not None and outer.preheader is not None
        total = region.entries
        assert total is not None
        b = Builder()
        b.before(outer.preheader.terminator)
        region.base = self.frame.slot(PTR, "cache", zero_of(PTR))
        size = b.imul(total, ConstInt(I64, region.entry_size))
        memory = b.call(helper(b.module, "enzyme_allocate"), [self.arena(), size], "cache")
        b.store(memory, region.base.forward)
        for offset, slot in self._bases(region, PTR, "base"):
            begin = b.imul(total, ConstInt(I64, offset))
            b.store(b.gep(I8, memory, [begin]), slot.forward)
        failed = b.icmp("eq", memory, zero_of(PTR))
        earlier = self._failed.get(outer.preheader)
        self._failed[outer.preheader] = failed if earlier is None else b.or_(earlier, failed)

    def _record_size(self, region: Region) -> Value:
        """Bytes of a record, computed in front of the nest; a slot has them where they are no constant."""
        outer = region.home.outer
        assert outer is not None and outer.preheader is not None
        total = region.entries
        if total is None:
            return ConstInt(I64, region.entry_size)
        b = Builder()
        b.before(outer.preheader.terminator)
        size = b.imul(total, ConstInt(I64, region.entry_size), "record")
        region.record = self.frame.slot(I64, "record.c")
        b.store(size, region.record.forward)
        for offset, slot in self._bases(region, I64, "offset"):
            b.store(b.imul(total, ConstInt(I64, offset)), slot.forward)
        return size

    def _bases(self, region: Region, type_: Type, what: str) -> Iterator[tuple[int, Slot]]:
        """A slot for where each array begins, with the bytes before it, for one entry."""
        made: dict[int, Slot] = {}
        for value in region.values:
            offset = region.offsets[value]
            if offset not in made:
                made[offset] = self.frame.slot(type_, f"{value.name}.{what}")
                yield offset, made[offset]
            region.bases[value] = made[offset]

    def _grow_at_header(self, region: Region) -> None:
        assert region.home.growing is not None
        size = self._record_size(region)
        header = region.home.growing.header
        region.base = self.frame.slot(PTR, "cache", zero_of(PTR))
        region.capacity = self.frame.slot(I64, "capacity", ConstInt(I64, 0))
        region.position = self.frame.slot(I64, "position", ConstInt(I64, -1))
        tail = split_block(header, header.first_non_phi(), f"{header.name}.body")
        # Several regions may grow here; values are stored when all have.
        self.header_tail.setdefault(header, tail)
        function = header.parent
        assert function is not None
        grow = function.append_block(f"{header.name}.grow", after=header)
        header.instructions[-1].erase()
        b = Builder(header)
        position = b.iadd(b.load(I64, region.position.forward), ConstInt(I64, 1), "position")
        b.store(position, region.position.forward)
        capacity = b.load(I64, region.capacity.forward, "capacity")
        b.cond_br(b.icmp("ult", position, capacity), tail, grow)
        b.at_end(grow)
        old = b.load(PTR, region.base.forward)
        grown = b.call(helper(b.module, "enzyme_grow"), [self.arena(), old, capacity, size])
        memory = b.extract_value(grown, [0], "cache")
        failed = b.icmp("eq", memory, zero_of(PTR))
        b.store(b.extract_value(grown, [1]), region.capacity.forward)
        b.store(b.select(failed, old, memory), region.base.forward)
        b.cond_br(failed, self.no_memory(), tail)

    def _after(self, value: Value) -> Builder:
        """A builder right behind the definition of a value (behind all phis for a phi)."""
        assert isinstance(value, Instruction) and value.parent is not None
        block = value.parent
        if not isinstance(value, Phi):
            return Builder(block, block.index_of(value) + 1)
        if block in self.header_tail:
            return Builder(self.header_tail[block], 0)
        return Builder(block, block.first_non_phi())

    def _address(
        self, b: Builder, region: Region, value: Value, counter: Callable[[Loop], Value] | None
    ) -> Value:
        """Address of the entry of the current iteration; `counter` gives the reverse counters."""

        def read(slot: Slot | None) -> Value:
            assert slot is not None
            return b.load(slot.type, slot.forward if counter is None else slot.reverse)

        home = region.home
        if home.growing is None:
            return b.gep(
                value.type, read(region.bases[value]), [self._index(read, b, home, counter)]
            )
        size = ConstInt(I64, region.entry_size) if region.record is None else read(region.record)
        offset = b.imul(read(region.position), size)
        if not home.indexed:
            offset = b.iadd(offset, ConstInt(I64, region.offsets[value]))
            return b.gep(I8, read(region.base), [offset])
        array = b.gep(I8, read(region.base), [b.iadd(offset, read(region.bases[value]))])
        return b.gep(value.type, array, [self._index(read, b, home, counter)])

    def _index(
        self,
        read: Callable[[Slot | None], Value],
        b: Builder,
        home: Home,
        counter: Callable[[Loop], Value] | None,
    ) -> Value:
        index: Value | None = None
        assert home.outer is not None
        for loop in home.indexed:
            step: Value = self.counters[loop] if counter is None else counter(loop)
            if loop in self._tile_masks:
                step = self.place_in_tile(b, loop, step)
            if index is None:
                index = step
            else:
                index = b.iadd(b.imul(index, read(self._extent_slots[home.outer, loop])), step)
        assert index is not None
        return index

    # Reverse --------------------------------------------------------------------------------------------

    def load(self, b: Builder, value: Value, counter: Callable[[Loop], Value]) -> Value:
        if value in self.scalars:
            return b.load(value.type, self.scalars[value].reverse, f"{value.name}.l")
        address = self._address(b, self._region[value], value, counter)
        made = b.load(
            value.type, address, f"{value.name}.l", entry_alignment(self.layout, value.type)
        )
        self.tag(made)
        return made

    def emit_step_back(self, b: Builder, loop: Loop) -> None:
        """The reverse pass has finished one execution of the loop's header."""
        if self._growing is None:
            self._growing = {}
            for region in self.regions.values():
                if region.home.growing is not None and region.position is not None:
                    self._growing.setdefault(region.home.growing, []).append(region.position)
        for position in self._growing.get(loop, ()):
            slot = position.reverse
            b.store(b.isub(b.load(I64, slot), ConstInt(I64, 1)), slot)

    def report(self) -> list[str]:
        return [
            f"{region.home.loops[-1].header.name}: {'growing' if region.growing else 'static'}, "
            f"{region.entry_size} bytes per iteration, {len(region.values)} values"
            for region in self.regions.values()
        ]
