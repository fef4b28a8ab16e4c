"""Where cached values live: one slot outside loops (`synthesis.frame`), one region per loop that caches something.

A *region* stores the values of one home (`synthesis.cache_layout`).  Where the lengths of all its loops are known
before the nest, it is one allocation there, an array per value, indexed by the loop counters.  Otherwise it grows:
records at a running position that counts header executions of the growing loop forward and counts them down again in
reverse; it grows geometrically and serves all executions of an inner loop.  A record is an array per value again.
Values of which an iteration computes one have an array together, and regions of nests of which it runs one a record
(`synthesis.shared_room`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from enzyme.engine.analysis.loops import Loop
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.datalayout import DataLayout
from enzyme.engine.ir.edit import split_block
from enzyme.engine.ir.instructions import Instruction, Phi
from enzyme.engine.ir.module import Block
from enzyme.engine.ir.types import I1, I8, I64, PTR, VOID, Type
from enzyme.engine.ir.values import ConstInt, Value, zero_of
from enzyme.engine.synthesis.array_versions import ArrayVersions, Version
from enzyme.engine.synthesis.cache_layout import CacheLayout, Home
from enzyme.engine.synthesis.cache_regions import Region, Room
from enzyme.engine.synthesis.frame import Frame, Slot
from enzyme.engine.synthesis.helpers import helper
from enzyme.engine.synthesis.shared_room import SharedRoom

# What is kept lies as doubles do in memory.
ENTRY_ALIGNMENT = 8


def entry_alignment(layout: DataLayout, type_: Type) -> int:
    """Memory begins where numbers may stand, which is not enough for vectors; 0 for the type's own alignment."""
    return ENTRY_ALIGNMENT if layout.abi_align(type_) > ENTRY_ALIGNMENT else 0


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
        lanes: Mapping[Value, Sequence[Value]],
        versions: ArrayVersions,
    ) -> None:
        """With `apart` a region holds one pointer, or numbers of one type, so that type analysis can tell what is in
        memory. `lanes` says what is computed side by side with a value, and so is kept, `versions` which addresses are
        those of copies."""
        self.frame = frame
        self.layout = layout
        self.counters = counters
        self.homes = homes
        self.tag = tag
        self.no_memory = no_memory
        self.arena = arena
        self.apart = apart
        self.lanes = lanes
        self.versions = versions
        self.scalars: dict[Value, Slot] = {}
        self.regions: dict[tuple[Home, Value | Type | None], Region] = {}
        self._region: dict[Value, Region] = {}
        self._rooms: list[Room] = []
        self._growing: dict[Loop, list[Slot]] | None = None
        self.header_tail: dict[Block, Block] = {}
        self._extent_slots: dict[tuple[Loop, Loop], Slot] = {}
        self._failed: dict[Block, Value] = {}

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
        for version in self.kept_versions():
            self._copy(version)
        regions = list(self.regions.values())
        shared = None if self.apart else SharedRoom(self.frame.forward)
        for region in regions:
            self._lay_out(region, shared)
        self._rooms = [] if shared is None else shared.rooms(regions)
        self._rooms += [Room([[r]]) for r in regions if r.growing and r.room is None]
        for room in self._rooms:
            self._measure(room)
        for region in regions:
            if region.room is None:
                self._allocate_arrays(region)
        for room in self._rooms:  # from here on blocks are split
            if room.home.growing is None:
                self._allocate_records(room)
            else:
                self._grow_at_header(room)
        for failed in self._failed.values():
            # Where there was a preheader there may be several blocks now.
            preheader = failed.parent if isinstance(failed, Instruction) else None
            assert preheader is not None
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

    def kept_versions(self) -> list[Version]:
        made = self.versions.of_copy.items()
        return [v for copy, v in made if copy in self.scalars or copy in self._region]

    def _copy(self, version: Version) -> None:
        """Copy an array in front of the loops that read it; without memory nothing is copied."""
        b = Builder()
        b.before(version.copy)
        size = self.versions.write_length(version, b)
        memory = self._allocate(b, version.loop, size)
        got = b.select(b.icmp("eq", memory, zero_of(PTR)), ConstInt(I64, 0), size)
        arguments = [memory, version.base, got, ConstInt(I1, 0)]
        b.call_named("llvm.memcpy.p0.p0.i64", VOID, arguments)
        version.copy.set_operand(0, memory)

    def _lay_out(self, region: Region, shared: SharedRoom | None) -> None:
        region.values.sort(key=lambda v: -self.layout.abi_align(v.type))
        groups = [[v] for v in region.values]
        if shared is not None:
            groups = shared.groups(region.home, region.values)
        alone = {group[0] for group in groups if len(group) == 1}
        offset = 0
        for together in groups:
            if together[0] in region.offsets:
                continue
            lanes = self.lanes.get(together[0], ())
            if lanes and alone.issuperset(lanes):
                region.lanes.update((v, (k, len(lanes))) for k, v in enumerate(lanes))
                together = list(lanes)
            region.offsets.update(dict.fromkeys(together, offset))
            _, entries = region.lanes.get(together[0], (0, 1))
            offset += self.layout.size_of(together[0].type) * entries
        # A record begins where a number may stand.
        whole = -(-offset // ENTRY_ALIGNMENT) * ENTRY_ALIGNMENT
        region.entry_size = whole if region.growing else offset

    def _entries(self, outer: Loop, loops: tuple[Loop, ...]) -> Value | None:
        """Iterations of a nest, computed in front of `outer`; extents get slots where an index is made with them."""
        b = self._in_front_of(outer)
        total: Value | None = None
        for loop in loops:
            extent = self.homes.extent(loop, outer)
            b = self._in_front_of(outer)
            total = extent if total is None else b.imul(total, extent)
            if loop is not loops[0] and (outer, loop) not in self._extent_slots:
                slot = self._extent_slots[outer, loop] = self.frame.slot(I64, "extent.c")
                b.store(extent, slot.forward)
        return total

    def _in_front_of(self, loop: Loop) -> Builder:
        assert loop.preheader is not None
        b = Builder()
        b.before(loop.preheader.terminator)
        return b

    def _allocate_arrays(self, region: Region) -> None:
        outer = region.home.outer
        assert outer is not None
        total = self._entries(outer, region.arrays)
        assert total is not None
        b = self._in_front_of(outer)
        memory = self._allocate(b, outer, b.imul(total, ConstInt(I64, region.entry_size)))
        for offset, slot in self._bases(region, PTR, "base"):
            begin = b.imul(total, ConstInt(I64, offset))
            b.store(b.gep(I8, memory, [begin]), slot.forward)

    def _allocate(self, b: Builder, outer: Loop, size: Value) -> Value:
        """Memory for all iterations; what there is to do if there is none is written later."""
        memory = b.call(helper(b.module, "enzyme_allocate"), [self.arena(), size], "cache")
        failed = b.icmp("eq", memory, zero_of(PTR))
        assert outer.preheader is not None
        earlier = self._failed.get(outer.preheader)
        self._failed[outer.preheader] = failed if earlier is None else b.or_(earlier, failed)
        return memory

    def _measure(self, room: Room) -> None:
        """Compute in front of the nest how many bytes a record has, and where the arrays in it begin."""
        outer = room.home.outer
        assert outer is not None
        largest: Value | None = None
        for bundle in room.bundles:
            end: Value = ConstInt(I64, 0)
            for region in bundle:
                total = self._entries(outer, region.arrays)
                if total is None:
                    room.record_size = region.entry_size
                    return
                b = self._in_front_of(outer)
                for offset, slot in self._bases(region, I64, "offset"):
                    b.store(b.iadd(end, b.imul(total, ConstInt(I64, offset))), slot.forward)
                end = b.iadd(end, b.imul(total, ConstInt(I64, region.entry_size)))
                if region.entry_size % ENTRY_ALIGNMENT:
                    end = b.iadd(end, ConstInt(I64, ENTRY_ALIGNMENT - 1))
                    end = b.and_(end, ConstInt(I64, -ENTRY_ALIGNMENT))
            b = self._in_front_of(outer)
            largest = end if largest is None else b.call_named("llvm.smax.i64", I64, [largest, end])
        assert largest is not None
        room.record = self.frame.slot(I64, "record.c")
        self._in_front_of(outer).store(largest, room.record.forward)

    def _bases(self, region: Region, type_: Type, what: str) -> Iterator[tuple[int, Slot]]:
        """A slot for where each array begins, with the bytes before it, for one entry."""
        made: dict[int, Slot] = {}
        for value in region.values:
            offset = region.offsets[value]
            if offset not in made:
                made[offset] = self.frame.slot(type_, f"{value.name}.{what}")
                yield offset, made[offset]
            region.bases[value] = made[offset]

    def _allocate_records(self, room: Room) -> None:
        outer = room.home.outer
        assert outer is not None and room.record is not None
        total = self._entries(outer, room.common)
        assert total is not None
        b = self._in_front_of(outer)
        size = b.load(I64, room.record.forward)
        room.base = self.frame.slot(PTR, "cache", zero_of(PTR))
        b.store(self._allocate(b, outer, b.imul(total, size)), room.base.forward)

    def _grow_at_header(self, room: Room) -> None:
        assert room.home.growing is not None
        header = room.home.growing.header
        room.base = self.frame.slot(PTR, "cache", zero_of(PTR))
        room.capacity = self.frame.slot(I64, "capacity", ConstInt(I64, 0))
        room.position = self.frame.slot(I64, "position", ConstInt(I64, -1))
        tail = split_block(header, header.first_non_phi(), f"{header.name}.body")
        # Several rooms may grow here; values are stored when all have.
        self.header_tail.setdefault(header, tail)
        function = header.parent
        assert function is not None
        grow = function.append_block(f"{header.name}.grow", after=header)
        header.instructions[-1].erase()
        b = Builder(header)
        position = b.iadd(b.load(I64, room.position.forward), ConstInt(I64, 1), "position")
        b.store(position, room.position.forward)
        capacity = b.load(I64, room.capacity.forward, "capacity")
        b.cond_br(b.icmp("ult", position, capacity), tail, grow)
        b.at_end(grow)
        size: Value = ConstInt(I64, room.record_size)
        if room.record is not None:
            size = b.load(I64, room.record.forward)
        old = b.load(PTR, room.base.forward)
        grown = b.call(helper(b.module, "enzyme_grow"), [self.arena(), old, capacity, size])
        memory = b.extract_value(grown, [0], "cache")
        failed = b.icmp("eq", memory, zero_of(PTR))
        b.store(b.extract_value(grown, [1]), room.capacity.forward)
        b.store(b.select(failed, old, memory), room.base.forward)
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

        outer, room = region.home.outer, region.room
        assert outer is not None
        lane, lanes = region.lanes.get(value, (0, 1))

        def place() -> Value:
            index = self._index(read, b, outer, region.arrays, counter)
            return b.iadd(b.imul(index, ConstInt(I64, lanes)), ConstInt(I64, lane))

        if room is None:
            return b.gep(value.type, read(region.bases[value]), [place()])
        if room.position is None:
            position = self._index(read, b, outer, room.common, counter)
        else:
            position = read(room.position)
        size = ConstInt(I64, room.record_size) if room.record is None else read(room.record)
        offset = b.imul(position, size)
        if not region.arrays:
            within = region.offsets[value] + lane * self.layout.size_of(value.type)
            offset = b.iadd(offset, ConstInt(I64, within))
            return b.gep(I8, read(room.base), [offset])
        array = b.gep(I8, read(room.base), [b.iadd(offset, read(region.bases[value]))])
        return b.gep(value.type, array, [place()])

    def _index(
        self,
        read: Callable[[Slot | None], Value],
        b: Builder,
        outer: Loop,
        loops: tuple[Loop, ...],
        counter: Callable[[Loop], Value] | None,
    ) -> Value:
        index: Value | None = None
        for loop in loops:
            step: Value = self.counters[loop] if counter is None else counter(loop)
            if index is None:
                index = step
            else:
                index = b.iadd(b.imul(index, read(self._extent_slots[outer, loop])), step)
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
            for room in self._rooms:
                if room.home.growing is not None and room.position is not None:
                    self._growing.setdefault(room.home.growing, []).append(room.position)
        for position in self._growing.get(loop, ()):
            slot = position.reverse
            b.store(b.isub(b.load(I64, slot), ConstInt(I64, 1)), slot)

    def report(self) -> list[str]:
        return [
            f"{region.home.loops[-1].header.name}: {'growing' if region.growing else 'static'}, "
            f"{region.entry_size} bytes per iteration, {len(region.values)} values"
            for region in self.regions.values()
        ] + [
            f"{version.loops[-1].header.name}: copy, {version.element} bytes per iteration, 1 values"
            for version in self.kept_versions()
        ]
