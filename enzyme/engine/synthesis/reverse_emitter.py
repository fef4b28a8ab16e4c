"""Primal values and adjoints at a place of the reverse pass.

A primal value comes from the cache, from unmodified memory, or is computed again.  Adjoints live in stack variables,
which optimisation turns into registers and phis; the invariant is that a value's adjoint is zero when its reverse
execution begins again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from enzyme.engine.analysis.known_functions import lookup_known
from enzyme.engine.analysis.lifetimes import Lifetime
from enzyme.engine.analysis.loops import Loop
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.clone import clone_instruction
from enzyme.engine.ir.dispatch import Dispatch
from enzyme.engine.ir.fast_math import FAST, SUMS
from enzyme.engine.ir.instructions import Instruction, Load, Phi
from enzyme.engine.ir.module import Block, Module
from enzyme.engine.ir.opcodes import METADATA
from enzyme.engine.ir.types import I1, I64, PTR, FloatType, IntType, Type
from enzyme.engine.ir.values import Argument, Constant, ConstInt, Value, zero_of
from enzyme.engine.synthesis.adjoint_context import AdjointContext
from enzyme.engine.synthesis.adjoints import add_leaves
from enzyme.engine.synthesis.cache import Cache
from enzyme.engine.synthesis.frame import Frame
from enzyme.engine.synthesis.helpers import helper
from enzyme.engine.synthesis.late_factors import Late
from enzyme.engine.synthesis.plan import CachePlan, Kept, Recipes
from enzyme.engine.synthesis.rolling import RollingGroup
from enzyme.engine.synthesis.shadows import allocate_zeros


@dataclass(eq=False)
class ReverseEmitter(AdjointContext):
    """Emits where `b` stands; `memo` holds the primal values that were obtained in the block already.

    `arguments` are those of the primal that the reverse function knows by another value, `arena_of_pass` gives the
    arena as the reverse pass sees it, `now` is the instruction that is reversed.
    """

    module: Module
    frame: Frame
    recipes: Recipes
    plan: CachePlan
    cache: Cache
    arguments: dict[Value, Value]
    arena_of_pass: Callable[[], Value]
    memo: dict[Instruction, Value] = field(default_factory=dict)
    now: Instruction | None = None
    _adjoints: dict[tuple[Value, int], Value] = field(default_factory=dict)
    _late: dict[tuple[Value, int], Late] = field(default_factory=dict)
    _parts: dict[tuple[Load, int], Value] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.b = Builder(fast=FAST, sums=SUMS) if self.spec.fast else Builder()
        self.counter_slot: dict[Value, Value] = {
            counter: self.frame.local(I64, f"{counter.name}.r", None, reverse=True)
            for counter in self.p.counters.values()
        }

    def begin(self, block: Block) -> None:
        """Go on at the end of a block, where nothing is known yet."""
        self.b.at_end(block)
        self.memo = {}

    # Primal values --------------------------------------------------------------------------------------

    def lookup(self, value: Value) -> Value:
        found = self._known(value)
        if found is not None:
            return found
        assert isinstance(value, Instruction)
        pending = [value]
        while pending:
            missing = next((s for s in self._sources(pending[-1]) if self._known(s) is None), None)
            if missing is None:
                needed = pending.pop()
                self.memo[needed] = self._obtain(needed)
            else:
                assert isinstance(missing, Instruction)
                pending.append(missing)
        return self.memo[value]

    def _known(self, value: Value) -> Value | None:
        """The value here, if nothing must be computed for it any more."""
        if isinstance(value, Argument):
            return self.arguments.get(value, value)
        return self.memo.get(value) if isinstance(value, Instruction) else value

    def _sources(self, value: Instruction) -> list[Value]:
        """The primal values that `_obtain` looks up, in order."""
        if value in self.plan.cached or self.recipes.is_at_hand(value):
            return []
        if value in self.recipes.in_memory:
            return [self.recipes.in_memory[value].pointer]
        same = self.recipes.same.get(value)
        if same is not None:
            return list(same.indices.values()) if isinstance(same, Kept) else [same]
        if isinstance(value, Phi):
            if value in self.recipes.counters:
                return []
            items = self.recipes.items_of(value) if self.recipes.moves(value) else None
            if items is not None:
                return self._sources(items)
            induction = self.p.inductions[value]
            return [self.p.counters[induction.loop], induction.start, induction.step]
        if self.recipes.is_available(value):
            return []
        inputs = self.recipes.inputs(value)
        assert inputs is not None, f"%{value.name} is neither cached nor recomputable"
        return inputs

    def _obtain(self, value: Instruction) -> Value:
        b = self.b
        if value in self.plan.cached:
            return self.cache.load(b, value, self.counter)
        if self.recipes.is_at_hand(value):
            return value
        store = self.recipes.in_memory.get(value)
        if store is not None:
            again = Load(value.type, self.lookup(store.pointer), store.align, f"{value.name}.r")
            return b.add(self.spec.scopes.primal(again, store.pointer))
        same = self.recipes.same.get(value)
        if same is not None:
            return self._kept(same) if isinstance(same, Kept) else self.lookup(same)
        if isinstance(value, Phi):
            if value in self.recipes.counters:
                return b.load(I64, self.counter_slot[value], "iv.r")
            items = self.recipes.items_of(value) if self.recipes.moves(value) else None
            return self._induction(value) if items is None else self._obtain(items)
        slot = self.recipes.fleeting.get(value)
        if slot is not None:
            return b.load(PTR, slot, f"{value.name}.r")
        if self.recipes.is_available(value):
            return value
        mapping = {v: self.lookup(v) for v in self._sources(value)}
        copy = clone_instruction(value, mapping)
        if copy.name:
            copy.name = f"{copy.name}.r"
        if isinstance(copy, Load):
            for kind in [k for k in copy.metadata if RELOADED.handlers.get(k)]:
                del copy.metadata[kind]
            twin = self.spec.shadows.twin.get(value)
            if self.recipes.is_of_copy(value):
                self.spec.scopes.cache(copy)
            elif twin is not None:
                lane = self.spec.shadows.lane_of[value]
                self.spec.scopes.shadow(copy, lane, twin.pointer)
            else:
                assert isinstance(value, Load)
                self.spec.scopes.primal(copy, value.pointer)
        return b.add(copy)

    def _kept(self, kept: Kept) -> Value:
        indices = {loop: self.lookup(index) for loop, index in kept.indices.items()}
        return self.cache.load(
            self.b,
            kept.value,
            lambda loop: indices[loop] if loop in indices else self.counter(loop),
        )

    def counter(self, loop: Loop) -> Value:
        """Which iteration of the loop is reversed."""
        return self.lookup(self.p.counters[loop])

    def set_counter(self, loop: Loop, value: Value) -> None:
        self.b.store(value, self.counter_slot[self.p.counters[loop]])

    def _induction(self, phi: Phi) -> Value:
        """Start + counter * step, in the phi's own width (wrapping is exact)."""
        b = self.b
        induction = self.p.inductions[phi]
        counter = self.counter(induction.loop)
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
        wide = b.cast("sext" if step.type.bits <= 64 else "trunc", step, I64)
        return b.gep(update.source_type, start, [b.imul(counter, wide)])  # type: ignore[attr-defined]

    # Adjoints -------------------------------------------------------------------------------------------

    def take(self, value: Value) -> Value:
        slot = self._slot(value)
        type_ = self.adjoint_type(value)
        d = self.b.load(type_, slot, f"{value.name}.adj")
        self.b.store(zero_of(type_), slot)
        return d

    def add(self, value: Value, contribution: Value) -> None:
        if isinstance(value, Constant):
            return
        slot = self._slot(value)
        type_ = self.adjoint_type(value)
        total = add_leaves(self.b, type_, self.b.load(type_, slot), contribution)
        if self.spec.checks is not None and self.now is not None:
            self.spec.checks.check(self.b, total, self.now, adjoint=True)
        self.b.store(total, slot)

    def read(self, value: Value) -> Value:
        """The adjoint of a value, which is kept."""
        return self.b.load(self.adjoint_type(value), self._slot(value))

    def is_idle(self, value: Value) -> Value:
        """Is the adjoint of a value zero? If it is put together later, that is not known."""
        if (value, self.lane) in self._late or not isinstance(value.type, FloatType):
            return ConstInt(I1, 0)
        d = self.read(value)
        return self.b.fcmp("oeq", d, zero_of(d.type))

    def hold(self, value: Value, late: Late) -> None:
        def placed(part: Value) -> Value:
            slot = self.frame.local(part.type, f"{value.name}.f", zero_of(part.type), reverse=True)
            self.b.store(part, slot)
            return slot

        self._late[value, self.lane] = late.each(placed)

    def held(self, value: Value) -> Late | None:
        slots = self._late.pop((value, self.lane), None)

        def taken(slot: Value) -> Value:
            part = self.b.load(value.type, slot)
            self.b.store(zero_of(value.type), slot)
            return part

        return None if slots is None else slots.each(taken)

    def _slot(self, value: Value) -> Value:
        slot = self._adjoints.get((value, self.lane))
        if slot is None:
            type_ = self.adjoint_type(value)
            slot = self.frame.local(type_, f"{value.name}.d", zero_of(type_), reverse=True)
            self._adjoints[value, self.lane] = slot
        return slot

    def load_shadow(self, type_: Type, pointer: Value, align: int, of: Value) -> Value:
        align = self.spec.shadows.alignment(type_, align)
        made = self.b.load(type_, pointer, align=align)
        self.spec.scopes.shadow(made, self.lane, of)
        return made

    def store_shadow(self, value: Value, pointer: Value, align: int, of: Value) -> None:
        align = self.spec.shadows.alignment(value.type, align)
        self.spec.scopes.shadow(self.b.store(value, pointer, align), self.lane, of)

    def add_to_shadow(self, load: Load, d: Value) -> None:
        """The adjoint of a load: into memory, or into the sums that roll along the loop."""
        if load in self.rolled:
            self._parts[load, self.lane] = d
        else:
            self._accumulate(load, self.shadow(load.pointer), d)

    def _accumulate(self, load: Load, pointer: Value, d: Value) -> None:
        """Add to a cell of the shadow that `load` reads from."""
        type_, of = self.adjoint_type(load), load.pointer
        total = add_leaves(self.b, type_, self.load_shadow(type_, pointer, load.align, of), d)
        self.store_shadow(total, pointer, load.align, of)

    # Sums that roll along a loop ------------------------------------------------------------------------

    def roll(self, group: RollingGroup) -> None:
        """One cell is final: add its sum to memory; the other sums move up and take in their parts. A cell that stands
        still is final when the loop is over."""
        b = self.b
        zero = zero_of(group.type)
        sums = group.sums[self.lane] = [
            self.frame.local(group.type, "rolling", zero, reverse=True)
            for _ in range(len(group.loads) - 1 if group.stride else 1)
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
        if group.stride:
            final = after.pop(0)
            self._accumulate(group.first, self.shadow(group.first.pointer), final)
        for slot, total in zip(sums, after, strict=True):
            b.store(total, slot)

    def flush(self, group: RollingGroup) -> None:
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
            self._accumulate(group.first, place, self.b.load(group.type, slot))
            self.b.store(zero_of(group.type), slot)

    # Short-lived objects --------------------------------------------------------------------------------

    def begin_shadow(self, life: Lifetime) -> None:
        allocation = life.allocation
        known = lookup_known(allocation)
        assert known is not None
        operands = {a: self.lookup(a) for a in allocation.arguments}
        made, data = allocate_zeros(self.b, allocation, known, operands)
        if data is not None:
            self.spec.scopes.shadow(data, self.lane)
        shadows = self.spec.shadows
        shadows.fallible[made] = ()
        shadows.short_lived.set_shadow(self.b, allocation, self.lane, made, data)

    def end_shadow(self, life: Lifetime) -> None:
        short_lived = self.spec.shadows.short_lived
        shadow = short_lived.take_shadow(self.b, life.allocation, self.lane)
        self.b.add(clone_instruction(life.ends[0], {life.allocation: shadow}))

    # Runtime --------------------------------------------------------------------------------------------

    def call_helper(self, name: str, arguments: list[Value]) -> None:
        self.b.call(helper(self.module, name), arguments)

    def arena(self) -> Value:
        return self.arena_of_pass()


RELOADED: Dispatch[bool] = Dispatch(
    "recipes",
    "what is not told of a load that is run again in the reverse pass",
    METADATA,
    {"tbaa": True},
    ignored=METADATA.keys() - {"tbaa"},
)
