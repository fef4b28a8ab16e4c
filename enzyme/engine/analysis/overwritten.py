"""May a load be executed again in the reverse pass?

The reverse pass runs after the whole forward pass, so a load gives the same value again exactly
when no instruction that can execute after it writes to its memory.  "After" is reachability in the
control flow graph, which includes later iterations; the alias oracle compares addresses at any two
times of a call.  Memory that a caller may change between the two passes is named by `overwritten`.

One allocation in a loop makes a new object in each iteration, as `y` in `while ...: y = f(x); x = y`.  A store to the
object of the current iteration cannot reach one that was there when the iteration began (nothing that the reverse pass
reads is freed before it is over), so `x` is not overwritten.  Nor is what is read where control comes to the store only
by making another object first: a work array that each iteration makes anew is kept as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from enzyme.engine.analysis.alias import WRITES, AliasOracle
from enzyme.engine.analysis.cfg import ControlFlow, reachability
from enzyme.engine.analysis.known_functions import lookup_known
from enzyme.engine.analysis.later_writes import LaterWrites
from enzyme.engine.analysis.left_values import LeftValue, LeftValues
from enzyme.engine.analysis.loop_indices import LoopFacts
from enzyme.engine.analysis.loops import Loop
from enzyme.engine.analysis.objects import UNKNOWN_OBJECT, Origins
from enzyme.engine.analysis.previous_values import PreviousValue, PreviousValues
from enzyme.engine.ir.datalayout import DataLayout
from enzyme.engine.ir.instructions import Call, Gep, Instruction, Load, Phi, Store
from enzyme.engine.ir.known_function import KnownFunction
from enzyme.engine.ir.module import Block, Function
from enzyme.engine.ir.types import I8, VectorType
from enzyme.engine.ir.values import Argument, ConstInt, GlobalVariable, Value


class Overwritten:
    """Answers `cause(load)` for one function.

    `writes(instruction)` tells whether an instruction can write memory at all; `overwritten` holds the
    arguments whose memory the caller may change before the reverse pass. If that is a call of its own (`apart`), the
    caller may also change what the function hands to it: arrays that it returns, or puts into lists.
    """

    def __init__(
        self,
        cfg: ControlFlow,
        oracle: AliasOracle,
        layout: DataLayout,
        blocks: list[Block],
        writes: Callable[[Instruction], bool],
        overwritten: frozenset[Argument],
        loops: LoopFacts,
        apart: bool = False,
    ) -> None:
        self.oracle = oracle
        self.layout = layout
        self.overwritten = overwritten
        self.forest = loops.forest
        self.later = LaterWrites(oracle, loops)
        self._held = _Held(oracle, blocks)
        self._handed_out = self._held.handed_out() if apart else []
        self._bit = {block: 1 << k for k, block in enumerate(blocks)}
        self._reach = reachability(cfg, self._bit)
        self._writers = [
            (i, b, k) for b in blocks for k, i in enumerate(b.instructions) if writes(i)
        ]
        self._places = _Places(oracle, layout, [writer for writer, _, _ in self._writers])
        self._left = LeftValues(oracle, self.later, self._writers_to, lambda b: b not in self._bit)
        self._previous = PreviousValues(
            self._left, lambda place, pointer: self.may_change_after(place, pointer, -1)
        )
        self._cfg = cfg
        self._reached: dict[tuple[Block, Block], set[Block]] = {}
        self._position = {i: k for b in blocks for k, i in enumerate(b.instructions)}
        self._block = {i: b for b in blocks for i in b.instructions}

    def cause(self, load: Load) -> Value | None:
        """What may change the memory behind a load after it: an instruction, or an argument whose
        memory is the caller's; None if nothing does. The load itself where it is volatile, or in a block left out."""
        if load.flags or load.suffix or load not in self._block:
            return load
        return self._cause_after(load, load.pointer, self.layout.size_of(load.type))

    def may_change_after(self, place: Instruction, pointer: Value, size: int) -> bool:
        """Can the `size` bytes behind `pointer` (-1: unknown many) change after `place` has run?"""
        return self._cause_after(place, pointer, size) is not None

    def may_change_behind(self, place: Instruction, pointer: Value) -> bool:
        """Can anything that a pointer leads to change after `place` has run, also what it leads to through memory?"""
        if self.may_change_after(place, pointer, -1):
            return True
        if not self.oracle.leads_on(pointer):
            return False
        at = self._block[place], self._position[place]
        objects = self._held.behind(pointer, lambda i: self._is_later(i, place, *at))
        return any(
            self._is_later(place, *at) and self._writes_to(at[0], objects) for at in self._writers
        )

    def _is_later(
        self, place: Instruction, writer: Instruction, block: Block, position: int
    ) -> bool:
        here = self._block[place]
        after = block is here and position > self._position[place]
        return after or bool(self._reach[here] & self._bit[block])

    def _writes_to(self, writer: Instruction, objects: Collection[Value]) -> bool:
        """May the writer change one of these objects, their headers or their data?"""
        oracle = self.oracle
        if isinstance(writer, Store):
            pointers: Sequence[Value] = (writer.pointer,)
        elif isinstance(writer, Call):
            effects = oracle.effects(writer)
            if effects.writes_other:
                return True
            pointers = [a for k, a in enumerate(writer.arguments) if k in effects.writes]
        else:
            return True
        return any(
            not oracle.are_distinct(origin, other)
            for pointer in pointers
            for origin in oracle.underlying(pointer)
            for other in objects
        )

    def _cause_after(self, place: Instruction, pointer: Value, size: int) -> Value | None:
        origins = tuple(self.oracle.underlying(pointer))
        for origin in origins:
            if isinstance(origin, Argument) and origin in self.overwritten:
                return origin
        if all(isinstance(o, GlobalVariable) and o.is_const for o in origins) and origins:
            return None
        for origin in origins:
            if isinstance(origin, Argument):
                continue
            # A pointer that was loaded may point to whatever was stored.
            for argument in self.overwritten:
                if not self.oracle.are_distinct(origin, argument):
                    return argument
        for origin in origins:
            if isinstance(origin, (Argument, GlobalVariable)):
                continue
            for handed in self._handed_out:
                if not self.oracle.are_distinct(origin, handed):
                    return origin
        for number in self._places.candidates(pointer, size):
            writer, its_block, its_position = self._writers[number]
            if (
                self._is_later(place, writer, its_block, its_position)
                and self.oracle.may_write(writer, pointer, size)
                and not self._is_another(place, writer, pointer)
                and not self._never_later(place, pointer, size, writer)
            ):
                return writer
        return None

    def _never_later(
        self, place: Instruction, pointer: Value, size: int, writer: Instruction
    ) -> bool:
        return isinstance(writer, Store) and self.later.never(place, pointer, size, writer)

    def stays(self, store: Store) -> bool:
        """Is what a store writes still there in the reverse pass?"""
        if store.flags or store.suffix or store not in self._block:
            return False
        return not self.may_change_after(
            store, store.pointer, self.layout.size_of(store.value.type)
        )

    def left_for(self, load: Load) -> LeftValue | None:
        """What the load finds, if that is what a store of this function is certain to have left."""
        return self._left.of(load) if load in self._block else None

    def previous_for(self, load: Load) -> PreviousValue | None:
        """What the load finds, if that is what the iteration before has left of a loop."""
        return self._previous.of(load) if load in self._block else None

    def _writers_to(self, pointer: Value, size: int) -> list[Instruction]:
        return [self._writers[number][0] for number in self._places.candidates(pointer, size)]

    def writers_in(self, loop: Loop) -> list[Instruction]:
        """What may write memory in a loop."""
        return [writer for writer, block, _ in self._writers if block in loop]

    def may_change_in(self, loop: Loop, load: Load) -> bool:
        """May a loop around the load change what it reads there, at one address, after it has read it once?"""
        if load.flags or load.suffix or load not in self._block:
            return True
        size = self.layout.size_of(load.type)
        around = (self._writers[number] for number in self._places.candidates(load.pointer, size))
        return any(
            its_block in loop
            and self.oracle.may_write(writer, load.pointer, size)
            and not self._is_younger(writer, its_block, self._block[load], load.pointer)
            and not (
                isinstance(writer, Store)
                and self.later.never(load, load.pointer, size, writer, loop.depth - 1)
            )
            for writer, its_block, _ in around
        )

    def _is_another(self, place: Instruction, writer: Instruction, pointer: Value) -> bool:
        """Does the writer, when it runs later, change an object that was not there when `place` ran?"""
        if writer is place:
            return False
        block = self._block[place]
        return self._is_younger(
            writer, self._block[writer], block, pointer
        ) or self._makes_another_first(block, self._position[place], writer)

    def _is_younger(self, writer: Instruction, its_block: Block, block: Block, old: Value) -> bool:
        """Does the writer change an object made in an iteration at whose beginning `old` was there?"""
        made = _made_by(self._target(writer))
        if made is None or made.parent is None:
            return False
        base = old
        while isinstance(base, Gep):
            base = base.operands[0]
        loop = self.forest.loop_of(made.parent)
        while loop is not None:
            if block in loop and its_block in loop:
                begins = isinstance(base, Phi) and base.parent is loop.header
                if begins or not (isinstance(base, Instruction) and base.parent in loop):
                    return True
            loop = loop.parent
        return False

    def _makes_another_first(self, block: Block, position: int, writer: Instruction) -> bool:
        """Does the writer change an object that is made on every way from a place to the writer?"""
        made = _made_by(self._target(writer))
        if made is None or made not in self._position:
            return False
        home, at = self._block[made], self._position[made]
        its_block, its_position = self._block[writer], self._position[writer]
        if its_block is block and its_position > position:
            return block is home and position < at < its_position
        if block is home and position < at:
            return True
        if its_block not in self._reached_before(home, block):
            return True
        return its_block is home and its_position > at

    def _target(self, writer: Instruction) -> Value | None:
        """What a store writes to, or a call that writes to one place; None for anything else."""
        if isinstance(writer, Store):
            return writer.pointer
        if not isinstance(writer, Call):
            return None
        effects = self.oracle.effects(writer)
        if effects.writes_other or len(effects.writes) != 1:
            return None
        (place,) = effects.writes
        return writer.arguments[place]

    def _reached_before(self, home: Block, block: Block) -> set[Block]:
        """The blocks that are come to from the end of `block` before, or when, `home` is."""
        found = self._reached.get((home, block))
        if found is None:
            found = self._reached[home, block] = set()
            pending = [block]
            while pending:
                for successor in self._cfg.successors(pending.pop()):
                    if successor not in found:
                        found.add(successor)
                        if successor is not home:
                            pending.append(successor)
        return found


class _Places:
    """Which of many writers can come near a place at all, without asking about each.

    Stores at constant distances from a base that stands still are kept by base and distance. For other writers
    the oracle is asked.
    """

    def __init__(
        self, oracle: AliasOracle, layout: DataLayout, writers: Sequence[Instruction]
    ) -> None:
        self.oracle = oracle
        self._others: list[int] = []
        self._placed: dict[Value, dict[int, list[int]]] = {}
        self._longest = 1
        self._distinct: dict[tuple[tuple[Value, ...], Value], bool] = {}
        for number, writer in enumerate(writers):
            found = oracle.fixed_place(writer.pointer) if isinstance(writer, Store) else None
            type_ = writer.value.type if isinstance(writer, Store) else None
            if found is None or type_ is None or (isinstance(type_, VectorType) and type_.scalable):
                self._others.append(number)
                continue
            base, offset = found
            self._longest = max(self._longest, layout.size_of(type_))
            self._placed.setdefault(base, {}).setdefault(offset, []).append(number)

    def candidates(self, pointer: Value, size: int) -> list[int]:
        """Numbers of writers that may touch `size` bytes behind a pointer, in order; others cannot."""
        found = list(self._others)
        mine = self.oracle.fixed_place(pointer)
        origins = tuple(self.oracle.underlying(pointer))
        for base, by_offset in self._placed.items():
            if self._are_distinct(origins, base):
                continue
            near: Iterable[int] = by_offset
            if mine is not None and mine[0] is base and size > 0:
                span = range(mine[1] - self._longest + 1, mine[1] + size)
                near = span if len(span) < len(by_offset) else by_offset
            for offset in near:
                found += by_offset.get(offset, ())
        return sorted(found)

    def _are_distinct(self, origins: tuple[Value, ...], base: Value) -> bool:
        key = (origins, base)
        known = self._distinct.get(key)
        if known is None:
            others = self.oracle.underlying(base)
            known = all(self.oracle.are_distinct(a, b) for a in origins for b in others)
            self._distinct[key] = known
        return known


class _Held:
    """Which objects hold pointers to which others, as far as this function has put them there."""

    def __init__(self, oracle: AliasOracle, blocks: Iterable[Block]) -> None:
        self.oracle = oracle
        # What writes pointers, the memory that is written to, and what these pointers lead to.
        self._stores: list[tuple[Instruction, Origins, Origins]] = []
        self._captured: dict[Value, None] = {}
        self._returned: dict[Value, None] = {}
        for block in blocks:
            for i in block.instructions:
                if isinstance(i, Store) and oracle.may_be_pointer(i.value):
                    held = oracle.underlying(i.value)
                    self._stores.append((i, oracle.underlying(i.pointer), held))
                elif isinstance(i, Call):
                    self._note_call(i)
                elif i.opcode == "ret":
                    for operand in filter(oracle.may_be_pointer, i.operands):
                        self._returned.update(dict.fromkeys(oracle.underlying(operand)))

    def _note_call(self, call: Call) -> None:
        effects = self.oracle.effects(call)
        if effects.kind == "memory" and effects.reads and self.oracle.copies_pointers(call):
            # What is copied is not followed: all that stands in the memory, or may.
            target, source = map(self.oracle.underlying, call.arguments[:2])
            self._stores.append((call, target, (*source, UNKNOWN_OBJECT)))
        for place in effects.captures:
            self._captured.update(dict.fromkeys(self.oracle.underlying(call.arguments[place])))
        self._note_kept(call, effects)

    def _note_kept(self, call: Call, effects: KnownFunction) -> None:
        """A call may put what it keeps wherever it writes."""
        oracle = self.oracle
        kept = effects.captures if effects.keeps is None else effects.keeps
        held = [o for k in kept for o in oracle.underlying(call.arguments[k])]
        written = [call.arguments[k] for k in effects.writes]
        places = [o for p in written if oracle.leads_on(p) for o in oracle.underlying(p)]
        if effects.writes_other:
            places.append(UNKNOWN_OBJECT)
        if held and places:
            self._stores.append((call, tuple(places), tuple(held)))

    def handed_out(self) -> list[Value]:
        """The objects that the caller may know when the function is over, but for those that it knew before."""
        found = self._reached(self._stores, {**self._captured, **self._returned}, others_too=True)
        return [o for o in found if not isinstance(o, (Argument, GlobalVariable, Function))]

    def behind(self, pointer: Value, before: Callable[[Instruction], bool]) -> list[Value]:
        """The objects that a pointer leads to, itself and through pointers that were put in memory `before`."""
        stores = [store for store in self._stores if before(store[0])]
        own = dict.fromkeys(self.oracle.underlying(pointer))
        return list(self._reached(stores, own, others_too=False))

    def _reached(
        self,
        stores: Iterable[tuple[Instruction, Origins, Origins]],
        found: dict[Value, None],
        others_too: bool,
    ) -> dict[Value, None]:
        """What these objects lead to; with `others_too` also what stands in memory that this function has not made."""
        known = -1
        while len(found) > known:
            known = len(found)
            for _, places, held in stores:
                if any(self._is_among(place, found, others_too) for place in places):
                    found.update(dict.fromkeys(held))
        return found

    def _is_among(self, place: Value, found: Iterable[Value], others_too: bool) -> bool:
        if place in found:
            return True
        if others_too:
            return not (self.oracle.objects.is_local(place) or isinstance(place, GlobalVariable))
        return any(not self.oracle.are_distinct(place, other) for other in found)


def _made_by(pointer: Value | None) -> Call | None:
    """The allocation whose latest object the pointer is certain to point into."""
    while isinstance(pointer, Gep):
        pointer = pointer.operands[0]
    offset: int | None = None
    if isinstance(pointer, Load):
        slot = pointer.pointer
        if not isinstance(slot, Gep) or len(slot.operands) != 2 or slot.source_type is not I8:
            return None
        pointer, index = slot.operands
        offset = index.value if isinstance(index, ConstInt) else -1
    known = lookup_known(pointer) if isinstance(pointer, Call) else None
    if known is None or known.kind != "allocate" or known.data_offset != offset:
        return None
    return pointer if isinstance(pointer, Call) else None


def writes_memory(instruction: Instruction, call_writes: Callable[[Call], bool]) -> bool:
    if isinstance(instruction, Call):
        return call_writes(instruction)
    return WRITES.handlers[instruction.opcode] is not None
