"""Reverse mode: the forward function keeps what is needed, then every block runs backwards.

Each block that can reach a successful exit gets a reverse block: the adjoints of its instructions, last first,
and then a branch to the reverse of the predecessor that control came from.  A loop runs backwards with its counter
going down to zero.  Adjoints live in stack variables, which optimisation turns into registers and phis; the
invariant is that a value's adjoint is zero when its reverse execution begins again.

In combined mode the reverse blocks are part of the forward function; in split mode they form a function of their
own and slots travel in a heap-allocated frame.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from enzyme.engine.analysis.activity import ActivityResult
from enzyme.engine.analysis.inductions import find_inductions
from enzyme.engine.analysis.kinds import Activity
from enzyme.engine.analysis.loops import Loop
from enzyme.engine.analysis.variance import Variance
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.clone import clone_instruction
from enzyme.engine.ir.datalayout import DataLayout
from enzyme.engine.ir.instructions import Call, Instruction, Load, Phi
from enzyme.engine.ir.module import Block, Function, Module, new_function
from enzyme.engine.ir.types import (
    I1,
    I64,
    PTR,
    VOID,
    IntType,
    Type,
)
from enzyme.engine.ir.values import (
    Argument,
    Constant,
    ConstInt,
    Value,
    zero_of,
)
from enzyme.engine.preprocess.canonical_loops import latch_of, preheader_of
from enzyme.engine.synthesis.accounts import Notes, take_notes
from enzyme.engine.synthesis.adjoints import add_leaves, emit_adjoint, float_type_of_bits
from enzyme.engine.synthesis.arena import ARENA_TYPE
from enzyme.engine.synthesis.cache import Cache, Frame
from enzyme.engine.synthesis.calls import Site
from enzyme.engine.synthesis.exits import Exits
from enzyme.engine.synthesis.helpers import helper
from enzyme.engine.synthesis.homes import Homes
from enzyme.engine.synthesis.plan import CachePlan, Recipes, make_plan
from enzyme.engine.synthesis.prepare import Prepared
from enzyme.engine.synthesis.rolling import RollingGroup, find_groups
from enzyme.engine.synthesis.scopes import Scopes
from enzyme.engine.synthesis.shadows import Shadows
from enzyme.engine.synthesis.skips import Edge, Skips

FAST = ("reassoc", "nsz", "arcp", "contract")


@dataclass(slots=True)
class ReverseSpec:
    """What the driver decides: activities per parameter, what is returned, and combined or split."""

    activities: tuple[Activity, ...]
    returns_active: bool
    return_primal: bool
    split: bool
    strong_zero: bool
    fast: bool
    no_memory_status: int | None
    no_memory_hook: str
    scopes: Scopes
    shadows: Shadows
    call_sites: dict[Instruction, Site]
    overwritten_by: Callable[[Load], Value | None]
    written_in: Callable[[Load, Loop], bool]
    explain: bool = False
    nested: bool = False
    order: dict[Block, list[Instruction]] = field(default_factory=dict)


class _Recorder:
    """Stands in for `ReverseSynthesis` in the dry run: collects needs, emits into a scratch block."""

    def __init__(self, owner: ReverseSynthesis) -> None:
        self.owner = owner
        self.activity: ActivityResult = owner.activity
        self.strong_zero = owner.spec.strong_zero
        self.needed: dict[Value, None] = {}
        scratch = new_function(Module(), "scratch", VOID, [])
        self.b = Builder(scratch.append_block("scratch"))

    def lookup(self, value: Value) -> Value:
        if isinstance(value, (Instruction, Argument)):
            self.needed[value] = None
            return Argument(value.type, "", 0)
        return value

    def shadow(self, pointer: Value) -> Value:
        return self.lookup(self.owner.spec.shadows.of(pointer))

    def has_shadow(self, pointer: Value) -> bool:
        return self.owner.has_shadow(pointer)

    def is_active(self, value: Value) -> bool:
        return self.owner.is_active(value)

    def is_guarded(self, i: Instruction) -> bool:
        return self.owner.is_guarded(i)

    def each_lane(self) -> Iterator[int]:
        return self.owner.each_lane()

    def adjoint_type(self, value: Value) -> Type:
        return self.owner.adjoint_type(value)

    def take(self, value: Value) -> Value:
        return Argument(self.owner.adjoint_type(value), "", 0)

    def add(self, value: Value, contribution: Value) -> None:
        pass

    def load_shadow(self, type_: Type, pointer: Value, align: int) -> Value:
        return Argument(type_, "", 0)

    def store_shadow(self, value: Value, pointer: Value, align: int) -> None:
        pass

    def add_to_shadow(self, load: Load, d: Value) -> None:
        group = self.owner.rolled.get(load)
        if group is None or group.first is load:
            self.shadow(load.pointer)

    def adjoint_of_call(self, call: Call) -> bool:
        return self.owner.adjoint_of_call(call, self)

    def call_helper(self, name: str, arguments: list[Value]) -> None:
        pass

    def arena(self) -> Value:
        return Argument(PTR, "", 0)


class ReverseSynthesis:
    """Turns a prepared function, with shadows inserted, into its reverse-mode derivative."""

    def __init__(
        self,
        prepared: Prepared,
        activity: ActivityResult,
        spec: ReverseSpec,
        layout: DataLayout,
        reverse: Function | None,
    ) -> None:
        """`reverse` is the (still empty) function for the reverse pass in split mode."""
        self.p = prepared
        self.spec = spec
        self.activity = activity
        self.layout = layout
        self.strong_zero = spec.strong_zero
        self.forward = prepared.function
        module = self.forward.module
        assert module is not None
        self.module: Module = module
        self.b = Builder(fast=FAST if spec.fast else ())
        self.plan = CachePlan()
        self.report: list[str] = []
        self.notes = Notes()
        self.reverse: Function = reverse or self.forward
        self.frame = Frame(self.forward, self.reverse)
        self.argument: dict[Value, Value] = {}
        self.memo: dict[Instruction, Value] = {}
        self.adjoints: dict[tuple[Value, int], Value] = {}
        self.rolling: dict[Loop, list[RollingGroup]] = {}
        self.rolled: dict[Load, RollingGroup] = {}
        self.skips: dict[Edge, Block] = {}
        self._parts: dict[tuple[Load, int], Value] = {}
        self.exits = Exits(self)
        self._arena: Value | None = None

    # Entry ----------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Plan, then turn the prepared function into the derivative."""
        p = self.p
        self._find_shadow_inductions()
        recipes = Recipes(
            p.forest,
            p.counters,
            p.inductions,
            lambda load: self.spec.overwritten_by(load) is None,
            allocas_live=not self.spec.split,
            is_shadow=lambda i: i in self.spec.shadows.created,
            nested=self.spec.nested,
        )
        self.recipes = recipes
        self._primal_phis = {
            i for order in self.spec.order.values() for i in order if isinstance(i, Phi)
        }
        self._find_rolling()
        # Blocks are split while caches are emitted; edges are spoken of by the blocks as they are now.
        self.incoming = {phi: {b: v for v, b in phi.incoming} for phi in self._primal_phis}
        # A loop that may leave early gets growing storage: its range says little about what it will use.
        counts = {loop: count for loop, count in p.trips.items() if count is not None}
        variance = Variance(p.forest, recipes.counters, p.inductions, self.spec.written_in)
        homes = Homes(p.forest, p.dominators, variance, counts)
        self.plan = make_plan(self._needs(), recipes, self.layout, homes)
        if self.spec.explain:
            self.notes = take_notes(self)
        self.cache = Cache(
            self.frame,
            self.layout,
            p.counters,
            homes,
            self.spec.scopes.cache,
            self.exits.no_memory_block,
            self.forward_arena,
            self.spec.nested,
        )
        for value in self.plan.cached:
            self.cache.add(value)
        growing = {r.home.growing for r in self.cache.regions.values() if r.home.growing}
        skips = Skips(p, self.activity, self.spec.order, self.has_adjoint, growing, self.rolling)
        self.skips = skips.find()
        self.exits.prepare()
        self.cache.emit_forward()
        self._emit_reverse()
        self.report = self.cache.report()

    def _find_shadow_inductions(self) -> None:
        """The shadow of a pointer that walks through an array walks through the array's shadow."""
        created = self.spec.shadows.created
        for loop in self.p.counters:
            found = find_inductions(loop, latch_of(loop), preheader_of(loop))
            self.p.inductions.update((phi, i) for phi, i in found.items() if phi in created)

    def _find_rolling(self) -> None:
        for loop, counter in self.p.counters.items():
            order = self.spec.order.get(loop.header, [])
            for group in find_groups(loop, counter, self.p.inductions, self.activity, order):
                self.rolling.setdefault(loop, []).append(group)
                for loads in group.loads:
                    self.rolled.update(dict.fromkeys(loads, group))

    # Which values are needed ----------------------------------------------------------------------------

    def _needs(self) -> list[Value]:
        recorder = _Recorder(self)
        for block in self.p.blocks:
            for instruction in reversed(self.spec.order[block]):
                for _ in self.each_lane():
                    emit_adjoint(recorder, instruction)
            self._edge_needs(block, recorder)
        return list(recorder.needed)

    def primals_used(self, i: Instruction) -> set[Value]:
        """What the adjoint of an active number computes with."""
        recorder = _Recorder(self)
        emit_adjoint(recorder, i)
        return set(recorder.needed)

    def _edge_needs(self, block: Block, recorder: _Recorder) -> None:
        origin = self.p.origin.get(block)
        if origin is not None:
            recorder.lookup(origin[0])
        for (target, _), count in self.p.exit_counts.items():
            if target is block:
                recorder.lookup(count)

    # Interface of the adjoints --------------------------------------------------------------------------

    def each_lane(self) -> Iterator[int]:
        return self.spec.shadows.each_lane()

    @property
    def lane(self) -> int:
        return self.spec.shadows.lane

    def is_active(self, value: Value) -> bool:
        return self.activity.is_active(value)

    def has_shadow(self, pointer: Value) -> bool:
        return self.spec.shadows.has(pointer)

    def is_guarded(self, i: Instruction) -> bool:
        return i in self.p.guarded

    def shadow(self, pointer: Value) -> Value:
        return self.lookup(self.spec.shadows.of(pointer))

    def adjoint_type(self, value: Value) -> Type:
        type_ = value.type
        return float_type_of_bits(type_.bits) if isinstance(type_, IntType) else type_

    def take(self, value: Value) -> Value:
        slot = self._adjoint_slot(value)
        type_ = self.adjoint_type(value)
        d = self.b.load(type_, slot, f"{value.name}.adj")
        self.b.store(zero_of(type_), slot)
        return d

    def add(self, value: Value, contribution: Value) -> None:
        if isinstance(value, Constant):
            return
        slot = self._adjoint_slot(value)
        type_ = self.adjoint_type(value)
        self.b.store(add_leaves(self.b, type_, self.b.load(type_, slot), contribution), slot)

    def _adjoint_slot(self, value: Value) -> Value:
        slot = self.adjoints.get((value, self.lane))
        if slot is None:
            type_ = self.adjoint_type(value)
            slot = self.frame.local(type_, f"{value.name}.d", zero_of(type_), reverse=True)
            self.adjoints[value, self.lane] = slot
        return slot

    def load_shadow(self, type_: Type, pointer: Value, align: int) -> Value:
        made = self.b.load(type_, pointer, align=align)
        self.spec.scopes.shadow(made, self.lane)
        return made

    def store_shadow(self, value: Value, pointer: Value, align: int) -> None:
        self.spec.scopes.shadow(self.b.store(value, pointer, align), self.lane)

    def add_to_shadow(self, load: Load, d: Value) -> None:
        """The adjoint of a load: into memory, or into the sums that roll along the loop."""
        if load in self.rolled:
            self._parts[load, self.lane] = d
        else:
            self._accumulate(self.shadow(load.pointer), self.adjoint_type(load), d, load.align)

    def _accumulate(self, pointer: Value, type_: Type, d: Value, align: int) -> None:
        self.store_shadow(
            add_leaves(self.b, type_, self.load_shadow(type_, pointer, align), d), pointer, align
        )

    def _roll(self, group: RollingGroup) -> None:
        """One cell is final: add its sum to memory; the other sums move up and take in their parts."""
        b = self.b
        zero = zero_of(group.type)
        sums = group.sums[self.lane] = [
            self.frame.local(group.type, "rolling", zero, reverse=True)
            for _ in range(len(group.loads) - 1)
        ]
        before = [b.load(group.type, slot) for slot in sums]
        after: list[Value] = []
        for k, loads in enumerate(group.loads):
            total: Value | None = before[k] if k < len(before) else None
            for load in loads:
                part = self._parts.pop((load, self.lane))
                total = part if total is None else b.fadd(total, part)
            assert total is not None
            after.append(total)
        self._accumulate(self.shadow(group.first.pointer), group.type, after[0], group.first.align)
        for slot, total in zip(sums, after[1:], strict=True):
            b.store(total, slot)

    def _flush(self, group: RollingGroup) -> None:
        """The loop is over (backwards): the cells of its first iteration are final too.

        Their address is computed from iteration zero: taken from the loop itself, it would keep a vector of
        counters alive there.
        """
        loop, memo = group.loop, self.memo
        self.memo = {
            value: made
            for value, made in memo.items()
            if value in self.plan.cached or value.parent not in loop.blocks
        }
        self.memo[self.p.counters[loop]] = ConstInt(I64, 0)
        pointer = self.shadow(group.first.pointer)
        self.memo = memo
        for k, slot in enumerate(group.sums[self.lane]):
            place = self.b.byte_offset(pointer, -(k + 1) * group.stride)
            self._accumulate(place, group.type, self.b.load(group.type, slot), group.first.align)
            self.b.store(zero_of(group.type), slot)

    def call_helper(self, name: str, arguments: list[Value]) -> None:
        self.b.call(helper(self.module, name), arguments)

    def lookup(self, value: Value) -> Value:
        if isinstance(value, Argument):
            return self.argument.get(value, value)
        if not isinstance(value, Instruction):
            return value
        found = self.memo.get(value)
        if found is None:
            found = self.memo[value] = self._obtain(value)
        return found

    def _obtain(self, value: Instruction) -> Value:
        b = self.b
        if value in self.plan.cached:
            return self.cache.load(b, value, self._counter)
        if isinstance(value, Phi):
            if value in self.recipes.counters:
                return b.load(I64, self.counter_slot[value], "iv.r")
            items = self.recipes.items_of(value) if self.recipes.moves(value) else None
            return self._induction(value) if items is None else self._obtain(items)
        if self.recipes.is_available(value):
            return value
        inputs = self.recipes.inputs(value)
        assert inputs is not None, f"%{value.name} is neither cached nor recomputable"
        mapping = {v: self.lookup(v) for v in inputs}
        copy = clone_instruction(value, mapping)
        if copy.name:
            copy.name = f"{copy.name}.r"
        if isinstance(copy, Load):
            copy.metadata.pop("tbaa", None)
            if value in self.spec.shadows.twin:
                self.spec.scopes.shadow(copy, self.spec.shadows.lane_of[value])
            else:
                self.spec.scopes.primal(copy)
        return b.add(copy)

    def _counter(self, loop: Loop) -> Value:
        return self.lookup(self.p.counters[loop])

    def _induction(self, phi: Phi) -> Value:
        """Start + counter * step, in the phi's own width (wrapping is exact)."""
        b = self.b
        induction = self.p.inductions[phi]
        counter = self._counter(induction.loop)
        start, step = self.lookup(induction.start), self.lookup(induction.step)
        if isinstance(phi.type, IntType):
            narrow = (
                b.cast("trunc", counter, phi.type)
                if phi.type.bits < 64
                else b.cast("zext", counter, phi.type)
            )
            product = b.imul(narrow, step)
            return b.isub(start, product) if induction.negative else b.iadd(start, product)
        update = induction.update
        assert isinstance(step.type, IntType)
        wide = b.cast("sext", step, I64) if step.type.bits < 64 else step
        return b.gep(update.source_type, start, [b.imul(counter, wide)])  # type: ignore[attr-defined]

    def adjoint_of_call(self, call: Call, recorder: _Recorder | None = None) -> bool:
        r: _Recorder | ReverseSynthesis = self if recorder is None else recorder
        site = self.spec.call_sites.get(call)
        if site is not None:
            if self.lane == 0:
                site.emit_reverse(r)
            return True
        # Allocations are released with the arena.
        return call in self.spec.shadows.held

    def has_adjoint(self, i: Instruction) -> bool:
        """Is it a call with an adjoint of its own?"""
        return i in self.spec.call_sites or i in self.spec.shadows.held

    def forward_arena(self) -> Value:
        """The arena as the forward function sees it; in combined mode it is made here."""
        if self.spec.split:
            return self.arena_argument
        if self._arena is None:
            self._arena = self.frame.local(ARENA_TYPE, "arena", zero_of(ARENA_TYPE))
        return self._arena

    def arena(self) -> Value:
        """The arena as the reverse pass sees it."""
        return self.reverse.args[-2] if self.spec.split else self.forward_arena()

    def release(self, b: Builder, failed: bool) -> None:
        """Give back everything that this derivative call owns."""
        if self._arena is not None:
            b.call(helper(self.module, "enzyme_release"), [self._arena, ConstInt(I1, failed)])

    # Emission -------------------------------------------------------------------------------------------

    def _emit_reverse(self) -> None:
        p = self.p
        self.counter_slot: dict[Value, Value] = {
            counter: self.frame.local(I64, f"{counter.name}.r", None, reverse=True)
            for counter in p.counters.values()
        }
        target = self.reverse
        self.blocks: dict[Block, Block] = {}
        self.ends: dict[Block, Block] = {}
        entry = target.append_block("rev.entry") if self.spec.split else None
        for block in reversed(p.blocks):
            self.blocks[block] = self.ends[block] = target.append_block(f"rev.{block.name}")
        for start in self.skips.values():
            if self.ends[start] is self.blocks[start]:
                after = self.blocks[start]
                self.ends[start] = target.append_block(f"rev.{start.name}.end", after=after)
        finish = target.append_block("rev.finish")
        self.exits.leave_forward()
        for block in reversed(p.blocks):
            self._reverse_block(block, finish)
        self.exits.finish(finish, entry)
        self.exits.fail()
        self.frame.place()

    def _reverse_block(self, block: Block, finish: Block) -> None:
        b = self.b
        b.at_end(self.blocks[block])
        self.memo = {}
        if block in self.p.successful and self.spec.returns_active:
            value = self.exits.results[block]
            if value is not None and self.is_active(value):
                for lane in self.each_lane():
                    self.add(value, self.seeds[lane])
        for instruction in reversed(self.spec.order[block]):
            for _ in self.each_lane():
                emit_adjoint(self, instruction)
        if self.ends[block] is not self.blocks[block]:
            b.br(self.ends[block])
            b.at_end(self.ends[block])
            self.memo = {}
        if block is self.forward.entry:
            b.br(finish)
            return
        self._leave_block(block)

    def _leave_block(self, block: Block) -> None:
        """Take the adjoints of the phis and branch to the predecessor control came from."""
        b = self.b
        p = self.p
        taken = [
            (lane, phi, self.take(phi))
            for phi in block.phis()
            if phi in self.primal_phis and self.is_active(phi)
            for lane in self.each_lane()
        ]
        predecessors = p.predecessors(block)
        loop = p.forest.loop_of(block)
        if loop is not None and loop.header is block:
            assert loop.preheader is not None
            for group in self.rolling.get(loop, ()):
                for _ in self.each_lane():
                    self._roll(group)
            counter = self._counter(loop)
            self.cache.emit_step_back(b, loop)
            first = b.icmp("eq", counter, ConstInt(I64, 0))
            memo = dict(self.memo)
            into = self._edge(block, loop.preheader, taken)
            self.memo = memo
            back = self._edge(block, loop.latches[0], taken, counter)
            b.at_end(self.ends[block])
            b.cond_br(first, into, back)
        elif len(predecessors) == 1:
            edge = self._edge(block, predecessors[0], taken)
            b.at_end(self.ends[block])
            b.br(edge)
        else:
            selector, numbers = p.origin[block]
            came = self.lookup(selector)
            memo = dict(self.memo)
            targets = []
            for predecessor in predecessors:
                self.memo = dict(memo)
                targets.append((numbers[predecessor], self._edge(block, predecessor, taken)))
            b.at_end(self.ends[block])
            if len(targets) == 2:
                (number, one), (_, other) = targets
                if came.type.text == "i1":
                    b.cond_br(came, *((one, other) if number else (other, one)))
                else:
                    b.cond_br(b.icmp("eq", came, ConstInt(came.type, number)), one, other)
            else:
                cases = [(ConstInt(came.type, n), t) for n, t in targets[1:]]
                b.switch(came, targets[0][1], cases)

    def _edge(
        self,
        block: Block,
        predecessor: Block,
        taken: Sequence[tuple[int, Phi, Value]],
        counter: Value | None = None,
    ) -> Block:
        """The reverse of the edge predecessor -> block: adjoints of incoming values, counters of loops entered."""
        left = self.p.loops_left(predecessor, block)
        start = self.skips.get((predecessor, block))
        target = self.blocks[predecessor] if start is None else self.ends[start]
        loop = self.p.forest.loop_of(block)
        over = loop is not None and loop.header is block and predecessor is loop.preheader
        groups = self.rolling.get(loop, []) if loop is not None and over else []
        adds = [(lane, self.incoming[phi][predecessor], d) for lane, phi, d in taken]
        adds = [(lane, value, d) for lane, value, d in adds if self.is_active(value)]
        if not adds and not left and counter is None and not groups:
            return target
        made = self.reverse.append_block(
            f"rev.{block.name}.{predecessor.name}", after=self.blocks[block]
        )
        b = self.b
        b.at_end(made)
        for group in groups:
            for _ in self.each_lane():
                self._flush(group)
        for lane, value, d in adds:
            self.spec.shadows.lane = lane
            self.add(value, d)
        self.spec.shadows.lane = 0
        for ended in left:
            b.store(
                self.lookup(self.p.exit_counts[(block, ended)]),
                self.counter_slot[self.p.counters[ended]],
            )
        if counter is not None:
            loop_counter = self.p.counters[self._loop_with_header(block)]
            b.store(b.isub(counter, ConstInt(I64, 1)), self.counter_slot[loop_counter])
        b.br(target)
        return made

    def _loop_with_header(self, block: Block) -> Loop:
        loop = self.p.forest.loop_of(block)
        assert loop is not None and loop.header is block
        return loop

    # Leaving --------------------------------------------------------------------------------------------

    @property
    def primal_phis(self) -> set[Phi]:
        return self._primal_phis

    def adjoint_results(self) -> list[Value]:
        """The adjoints of the active arguments, at the end of the reverse pass."""
        results: list[Value] = []
        for argument, activity in zip(self.source_arguments, self.spec.activities, strict=True):
            for _ in self.each_lane() if activity is Activity.ACTIVE else ():
                if self.is_active(argument):
                    results.append(self.b.load(argument.type, self._adjoint_slot(argument)))
                else:
                    results.append(zero_of(argument.type))
        return results

    # Set by the driver ------------------------------------------------------------------------------------

    source_arguments: list[Argument]
    arena_argument: Argument
    seeds: list[Value]
    forward_result: Type
    reverse_result: Type
    _primal_phis: set[Phi]
