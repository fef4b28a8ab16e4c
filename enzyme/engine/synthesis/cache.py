"""Where cached values live: one slot outside loops, one region per loop that caches something.

A *slot* is a stack variable of the forward function that the reverse function sees too: in combined mode it is
the same alloca (promoted to registers afterwards), in split mode its content travels in the tape.

A *region* stores the values of one loop, per execution of the loop's header.  Where the trip counts of the whole
nest are known before the nest, it is one allocation there, an array per value, indexed by the loop counters.
Otherwise it is one growing array of records, indexed by a running position that counts header executions forward
and counts them down again in reverse; it grows geometrically and serves all executions of an inner loop.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from enzyme.engine.analysis.inductions import is_invariant
from enzyme.engine.analysis.loops import Loop
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.clone import clone_instruction
from enzyme.engine.ir.datalayout import DataLayout
from enzyme.engine.ir.edit import split_block
from enzyme.engine.ir.instructions import BINARY_INT, CASTS, Alloca, Call, Instruction, Phi, Store
from enzyme.engine.ir.module import Block, Function
from enzyme.engine.ir.types import I8, I64, PTR, Type
from enzyme.engine.ir.values import ConstInt, Value, zero_of
from enzyme.engine.synthesis.helpers import helper

HOISTABLE = BINARY_INT | CASTS | frozenset({"icmp", "select"})


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

    @property
    def is_split(self) -> bool:
        return self.forward is not self.reverse

    def slot(self, type_: Type, name: str, initial: Value | None = None) -> Slot:
        forward = self.local(type_, name, initial)
        reverse = self.local(type_, name, None, reverse=True) if self.is_split else forward
        made = Slot(type_, name, forward, reverse)
        self.slots.append(made)
        return made

    def local(
        self, type_: Type, name: str, initial: Value | None = None, reverse: bool = False
    ) -> Value:
        """A stack variable of one of the two functions, set on entry where `initial` is given."""
        target = self._reverse_entry if reverse and self.is_split else self._forward_entry
        made = Alloca(type_, PTR, None, 0, name)
        target.append(made)
        if initial is not None:
            target.append(Store(initial, made))
        return made

    def place(self) -> None:
        """Put the variables at the beginning of the functions."""
        for function, made in (
            (self.forward, self._forward_entry),
            (self.reverse, self._reverse_entry),
        ):
            entry = function.entry
            for instruction in made:
                instruction.parent = entry
            entry.instructions[:0] = made
            made.clear()


@dataclass(slots=True, eq=False)
class Region:
    """Storage of one loop: `offsets` are bytes per entry before each value (a record or, times the extent, arrays)."""

    loop: Loop
    values: list[Value] = field(default_factory=list)
    offsets: dict[Value, int] = field(default_factory=dict)
    entry_size: int = 0
    growing: bool = True
    base: Slot | None = None
    bases: dict[Value, Slot] = field(default_factory=dict)
    position: Slot | None = None
    capacity: Slot | None = None


class Cache:
    """Stores the planned values going forward and hands them out going back."""

    def __init__(
        self,
        frame: Frame,
        layout: DataLayout,
        counters: dict[Loop, Phi],
        counts: dict[Loop, Value],
        tag: Callable[[Instruction], Instruction],
        no_memory: Callable[[], Block],
        arena: Callable[[], Value],
    ) -> None:
        self.frame = frame
        self.layout = layout
        self.counters = counters
        self.counts = counts
        self.tag = tag
        self.no_memory = no_memory
        self.arena = arena
        self.scalars: dict[Value, Slot] = {}
        self.regions: dict[Loop, Region] = {}
        self.header_tail: dict[Block, Block] = {}
        self._extent_slots: dict[tuple[Loop, Loop], Slot] = {}
        self._failed: dict[Block, Value] = {}

    def add(self, value: Value, loop: Loop | None) -> None:
        """Declare a value of `loop` (None: of the function itself) as cached."""
        if loop is None:
            self.scalars[value] = self.frame.slot(value.type, f"{value.name}.c")
        else:
            self.regions.setdefault(loop, Region(loop)).values.append(value)

    # Forward --------------------------------------------------------------------------------------------

    def emit_forward(self) -> None:
        """Allocate the regions and store every cached value behind its definition."""
        for region in self.regions.values():
            self._lay_out(region)
            nest = _nest(region.loop)
            extents = self._static_extents(nest)
            if extents is None:
                self._grow_at_header(region)
            else:
                self._allocate_before(region, nest[0], extents)
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
                self.tag(b.store(value, self._address(b, region, value, None)))

    def _lay_out(self, region: Region) -> None:
        region.values.sort(key=lambda v: -self.layout.abi_align(v.type))
        offset = 0
        for value in region.values:
            region.offsets[value] = offset
            offset += self.layout.size_of(value.type)
        region.entry_size = -(-offset // 8) * 8

    def _static_extents(self, nest: list[Loop]) -> list[Value] | None:
        """Header executions per loop of the nest, outermost first, computed before the nest."""
        outer = nest[0]
        assert outer.preheader is not None
        extents: list[Value] = []
        if any(loop not in self.counts for loop in nest):
            return None
        if any(_hoist_cost(self.counts[loop], outer) is None for loop in nest):
            return None
        b = Builder()
        for loop in nest:
            count = _hoist(self.counts[loop], outer)
            b.before(outer.preheader.terminator)
            # A loop that is never entered may have any count here.
            extent = b.iadd(count, ConstInt(I64, 1), "extent")
            zero = ConstInt(I64, 0)
            extents.append(b.call_named("llvm.smax.i64", I64, [extent, zero], "extent"))
        return extents

    def _allocate_before(self, region: Region, outer: Loop, extents: list[Value]) -> None:
        assert outer.preheader is not None
        region.growing = False
        b = Builder()
        b.before(outer.preheader.terminator)
        total: Value = extents[0]
        for extent in extents[1:]:
            total = b.imul(total, extent)
        for loop, extent in zip(_nest(region.loop)[1:], extents[1:], strict=True):
            key = (outer, loop)
            if key not in self._extent_slots:
                self._extent_slots[key] = self.frame.slot(I64, "extent.c")
                b.store(extent, self._extent_slots[key].forward)
        region.base = self.frame.slot(PTR, "cache", zero_of(PTR))
        size = b.imul(total, ConstInt(I64, region.entry_size))
        memory = b.call(helper(b.module, "enzyme_allocate"), [self.arena(), size], "cache")
        b.store(memory, region.base.forward)
        for value in region.values:
            slot = self.frame.slot(PTR, f"{value.name}.base")
            region.bases[value] = slot
            offset = b.imul(total, ConstInt(I64, region.offsets[value]))
            b.store(b.gep(I8, memory, [offset]), slot.forward)
        failed = b.icmp("eq", memory, zero_of(PTR))
        earlier = self._failed.get(outer.preheader)
        self._failed[outer.preheader] = failed if earlier is None else b.or_(earlier, failed)

    def _grow_at_header(self, region: Region) -> None:
        header = region.loop.header
        region.base = self.frame.slot(PTR, "cache", zero_of(PTR))
        region.capacity = self.frame.slot(I64, "capacity", ConstInt(I64, 0))
        region.position = self.frame.slot(I64, "position", ConstInt(I64, -1))
        tail = split_block(header, header.first_non_phi(), f"{header.name}.body")
        self.header_tail[header] = tail
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
        grown = b.call(
            helper(b.module, "enzyme_grow"),
            [self.arena(), old, capacity, ConstInt(I64, region.entry_size)],
        )
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
            return Builder(block, block.instructions.index(value) + 1)
        if block in self.header_tail:
            return Builder(self.header_tail[block], 0)
        return Builder(block, block.first_non_phi())

    def _address(
        self, b: Builder, region: Region, value: Value, counter: Callable[[Loop], Value] | None
    ) -> Value:
        """Address of the entry of the current iteration; `counter` gives the reverse counters."""
        if region.growing:
            assert region.position is not None and region.base is not None
            base = b.load(PTR, region.base.forward if counter is None else region.base.reverse)
            position = b.load(
                I64, region.position.forward if counter is None else region.position.reverse
            )
            offset = b.imul(position, ConstInt(I64, region.entry_size))
            offset = b.iadd(offset, ConstInt(I64, region.offsets[value]))
            return b.gep(I8, base, [offset])
        nest = _nest(region.loop)
        index: Value | None = None
        for loop in nest:
            step: Value = self.counters[loop] if counter is None else counter(loop)
            if index is None:
                index = step
            else:
                slot = self._extent_slots[(nest[0], loop)]
                extent = b.load(I64, slot.forward if counter is None else slot.reverse)
                index = b.iadd(b.imul(index, extent), step)
        assert index is not None
        slot = region.bases[value]
        base = b.load(PTR, slot.forward if counter is None else slot.reverse)
        return b.gep(value.type, base, [index])

    # Reverse --------------------------------------------------------------------------------------------

    def load(
        self, b: Builder, value: Value, loop: Loop | None, counter: Callable[[Loop], Value]
    ) -> Value:
        if value in self.scalars:
            return b.load(value.type, self.scalars[value].reverse, f"{value.name}.l")
        assert loop is not None
        address = self._address(b, self.regions[loop], value, counter)
        made = b.load(value.type, address, f"{value.name}.l")
        self.tag(made)
        return made

    def emit_step_back(self, b: Builder, loop: Loop) -> None:
        """The reverse pass has finished one execution of the loop's header."""
        region = self.regions.get(loop)
        if region is not None and region.position is not None:
            slot = region.position.reverse
            b.store(b.isub(b.load(I64, slot), ConstInt(I64, 1)), slot)

    def report(self) -> list[str]:
        lines = []
        for loop, region in self.regions.items():
            kind = "growing" if region.growing else "static"
            lines.append(
                f"{loop.header.name}: {kind}, {region.entry_size} bytes per iteration, {len(region.values)} values"
            )
        return lines


def _nest(loop: Loop) -> list[Loop]:
    nest = [loop]
    while nest[-1].parent is not None:
        nest.append(nest[-1].parent)
    return nest[::-1]


def _hoist_cost(value: Value, loop: Loop) -> int | None:
    """Instructions to copy so that the value is computed before the loop, or None if that is impossible."""
    if is_invariant(value, loop):
        return 0
    assert isinstance(value, Instruction)
    pure = value.opcode in HOISTABLE and value.opcode not in ("udiv", "sdiv", "urem", "srem")
    division = value.opcode == "udiv" and isinstance(value.operands[1], ConstInt)
    maximum = isinstance(value, Call) and value.callee_name.startswith(
        ("llvm.smax", "llvm.smin", "llvm.umax", "llvm.umin")
    )
    if not (pure or division or maximum):
        return None
    total = 1
    for operand in value.arguments if isinstance(value, Call) else value.operands:
        cost = _hoist_cost(operand, loop)
        if cost is None or total > 64:
            return None
        total += cost
    return total


def _hoist(value: Value, loop: Loop) -> Value:
    if is_invariant(value, loop):
        return value
    assert isinstance(value, Instruction) and loop.preheader is not None
    operands = value.arguments if isinstance(value, Call) else value.operands
    mapping = {o: _hoist(o, loop) for o in operands}
    copy = clone_instruction(value, mapping)
    loop.preheader.insert(len(loop.preheader.instructions) - 1, copy)
    return copy
