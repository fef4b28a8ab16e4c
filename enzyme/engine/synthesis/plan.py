"""Cache or recompute: which primal values are stored for the reverse pass.

The reverse pass asks for values (`needed`).  A value can be recomputed from others (`Recipes`), is available for
nothing (constants, arguments, loop counters), or is a root that only the forward pass knows.  The plan is the
minimum cut between roots and needed values, where cutting a value costs its bytes times the estimated number of
executions.  Transcendental calls are roots: storing eight bytes is cheaper than calling again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Mapping
from dataclasses import dataclass, field

from enzyme.engine.analysis.inductions import Induction
from enzyme.engine.analysis.known_functions import lookup_known
from enzyme.engine.analysis.loops import Loop, LoopForest
from enzyme.engine.derivatives.catalogue import is_cheap
from enzyme.engine.derivatives.integer_powers import is_product
from enzyme.engine.ir.datalayout import DataLayout
from enzyme.engine.ir.dispatch import Dispatch, Selection
from enzyme.engine.ir.instructions import (
    Alloca,
    Call,
    Instruction,
    Load,
    Phi,
    Store,
)
from enzyme.engine.ir.opcodes import BINARY_FLOAT, BINARY_INT, CASTS, INSTRUCTIONS, opcodes
from enzyme.engine.ir.values import Argument, Value
from enzyme.engine.synthesis.array_versions import ArrayVersions
from enzyme.engine.synthesis.cache_layout import CacheLayout
from enzyme.engine.synthesis.failures import pointer_into_growing
from enzyme.engine.synthesis.mincut import INFINITE, cheapest_cut

POINTER_STEPS = Selection(
    "recipes",
    "a pointer into a growing shadow goes on in its result",
    "getelementptr bitcast addrspacecast select freeze phi".split(),
)
TRIPS_PER_LOOP = 16


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """What was kept of a value with these numbers in the counters of loops."""

    value: Instruction
    indices: Mapping[Loop, Value]


class Recipes:
    """How each value of a function can be had in the reverse pass."""

    def __init__(
        self,
        forest: LoopForest,
        counters: dict[Loop, Phi],
        inductions: dict[Phi, Induction],
        may_reload: Callable[[Load], bool],
        allocas_live: bool,
        is_shadow: Callable[[Instruction], bool] = lambda _: False,
        nested: bool = False,
        fleeting: Mapping[Instruction, Value] | None = None,
        never_kept: Container[Value] = (),
        at_hand: Callable[[Instruction], bool] = lambda _: False,
        left_by: Callable[[Instruction], Store | None] = lambda _: None,
        elsewhere: Callable[
            [Value, Recipes, CacheLayout, Collection[Value]], Value | Kept | None
        ] = lambda *_: None,
        versions: ArrayVersions | None = None,
    ) -> None:
        """`nested`: the derivative will be differentiated itself, and cannot be where it keeps addresses of items
        of growing objects. `fleeting` are addresses that the reverse pass has in variables while it needs them,
        `never_kept` what is computed from them. `at_hand` is what each place of the reverse pass that needs it finds
        computed by the program itself, `left_by` the store that leaves a value in memory until then, `elsewhere` what
        a value is the same as, `versions` the copies of arrays that could be made."""
        self.forest = forest
        self.counters = set(counters.values())
        self.inductions = inductions
        self.may_reload = may_reload
        self.allocas_live = allocas_live
        self.is_shadow = is_shadow
        self.nested = nested
        self.fleeting = fleeting or {}
        self.never_kept = never_kept
        self.at_hand = at_hand
        self.left_by = left_by
        # Values that are loaded from where the program stored them.
        self.in_memory: dict[Value, Store] = {}
        # Values that are had as others, or where others are kept, and those that are kept for that.
        self.elsewhere = elsewhere
        self.same: dict[Value, Value | Kept | None] = {}
        self.kept_for_others: set[Value] = set()
        # What the reverse pass alone computes, from what is looked up of other iterations, instead of which load.
        self.stand_ins: dict[Value, Load] = {}
        self.looked_up: set[Value] = set()
        self.versions = versions
        self._moving: dict[Value, bool] = {}
        self._reloads: dict[Load, bool] = {}

    def is_available(self, value: Value) -> bool:
        """Is the value there in the reverse pass without any work?"""
        if not isinstance(value, Instruction):
            return True
        if isinstance(value, Alloca):
            return self.allocas_live and value.parent is value.function.entry and not value.operands
        return value in self.counters or value in self.fleeting or self.is_at_hand(value)

    def is_at_hand(self, value: Instruction) -> bool:
        """Has the program itself computed the value where the reverse pass needs it?"""
        if value in self.fleeting or value in self.never_kept or value in self.stand_ins:
            return False
        return self.at_hand(value)

    def cannot_be_kept(self, value: Value) -> bool:
        """Is the value an address that is another one in the reverse pass, or in the copy of an array, or computed by
        the reverse pass alone?"""
        inside = self.versions is not None and value in self.versions.inside
        return inside or value in self.stand_ins or value in self.never_kept or self.moves(value)

    def moves(self, value: Value) -> bool:
        """Does the value point into a growing shadow, so that it may be out of date in the reverse pass?"""
        found = self._moving.get(value)
        if found is None:
            found = self._moving[value] = any(map(self._gives_items, self._sources(value)))
        return found

    def is_to_be_avoided(self, value: Value) -> bool:
        """Is the value an address that a derivative which will be differentiated should not keep?"""
        return self.nested and any(map(self._gives_items, self._sources(value, lambda _: True)))

    def _sources(
        self, value: Value, among: Callable[[Instruction], bool] | None = None
    ) -> list[Value]:
        """The instructions that a pointer is derived from, itself included, `among` the shadows or others."""
        among = among or self.is_shadow
        found: dict[Value, None] = {}
        pending = [value]
        while pending:
            value = pending.pop()
            if value in found or not isinstance(value, Instruction) or not among(value):
                continue
            found[value] = None
            if value.opcode in POINTER_STEPS:
                pending.extend(value.operands)
        return list(found)

    def _gives_items(self, value: Value) -> bool:
        known = lookup_known(value) if isinstance(value, Call) else None
        return known is not None and known.kind == "items"

    def items_of(self, phi: Phi) -> Call | None:
        """The call that gives the items of a growing shadow, if all sources of a phi ask for the same."""
        sources = [source for source in self._sources(phi) if not isinstance(source, Phi)]
        calls = [source for source in sources if isinstance(source, Call)]
        if len(calls) < len(sources) or not all(map(self.moves, calls)):
            return None
        if len({tuple(call.arguments) for call in calls}) != 1:
            return None
        owner = calls[0].arguments[0]
        assert phi.parent is not None
        if isinstance(owner, Instruction) and owner.parent is not None:
            loop = self.forest.loop_of(owner.parent)
            if loop is not None and phi.parent not in loop:
                return None
        return calls[0]

    def reloads(self, load: Load) -> bool:
        """Does the load give the same in the reverse pass?"""
        again = self._reloads.get(load)
        if again is None:
            again = self._reloads[load] = self.may_reload(load)
        return again

    def inputs(self, value: Value) -> list[Value] | None:
        """What recomputing the value starts from, or None for a root."""
        if not isinstance(value, Instruction):
            return None
        if value in self.in_memory:
            return [self.in_memory[value].pointer]
        same = self.same.get(value)
        if same is not None:
            return [same.value, *same.indices.values()] if isinstance(same, Kept) else [same]
        if value in self.kept_for_others:
            return None
        handler = RECIPES.handlers[value.opcode]
        return None if handler is None else handler(self, value)

    def find_in_memory(self, values: Iterable[Value]) -> bool:
        """Have values loaded that the program leaves in memory; were there any that are not loaded yet?"""
        known = len(self.in_memory)
        for value in values:
            store = self.left_by(value) if isinstance(value, Instruction) else None
            if store is not None:
                self.in_memory[value] = store
        return len(self.in_memory) > known

    def stays(self, load: Load) -> None:
        """Say of a load that it gives the same in the reverse pass."""
        self._reloads[load] = True

    def find_elsewhere(self, plan: CachePlan, homes: CacheLayout) -> bool:
        """Have values taken from elsewhere that would be kept in loops; were there any that were not yet?"""
        found = False
        for value in plan.cached:
            if value not in self.same and homes.of(value).depth:
                same = self.same[value] = self.elsewhere(value, self, homes, plan.cached)
                found = found or same is not None
        kept_already = set(self.kept_for_others)
        for value in plan.recomputed:
            same = self.same.get(value)
            if isinstance(same, Kept) and same.value not in plan.cached:
                found = True
                if value in self.stand_ins:
                    # What was to be looked up is not kept any more.
                    self.same[self.stand_ins[value]] = None
                    continue
                had = same.value in self.in_memory or self.same.get(same.value) is not None
                if had or same.value in kept_already:
                    self.same[value] = None
                else:
                    self.kept_for_others.add(same.value)
        return found

    def look_up(self, value: Instruction, kept: Kept) -> None:
        """Have a value looked up where another one is kept."""
        self.same[value] = kept
        self.looked_up.add(kept.value)

    def find_versions(self, plan: CachePlan, roots: Iterable[Value], homes: CacheLayout) -> bool:
        """Have what numbers that are kept in loops are computed from loaded from copies of arrays, if the plan would
        have the copies made; are there any that were not offered yet?"""
        if self.versions is None or not any(homes.of(value).depth for value in plan.cached):
            return False
        found = False
        for root in roots:
            if isinstance(root, Load) and not self.is_shadow(root) and not self.same.get(root):
                instead = self.versions.instead(root, homes)
                if instead is not None:
                    self.stays(instead)
                    self.same[root] = instead
                    found = True
        return found

    def is_of_copy(self, value: Value) -> bool:
        """Is the value loaded from the copy of an array?"""
        return (
            self.versions is not None
            and isinstance(value, Load)
            and self.versions.is_in_copy(value.pointer)
        )

    def drop_versions(self, plan: CachePlan) -> None:
        """The plan is made: forget copies that it does without."""
        if self.versions is not None:
            for load, version in self.versions.of_load.items():
                if version is not None and version.copy not in plan.cached:
                    self.same.pop(load, None)

    def forget_elsewhere(self) -> None:
        """Homes have changed: what is kept may be kept otherwise."""
        self.same = {
            v: same
            for v, same in self.same.items()
            if isinstance(same, Value) and same not in self.stand_ins
        }
        self.kept_for_others.clear()
        self.stand_ins.clear()
        self.looked_up.clear()

    def _of_phi(self, value: Instruction) -> list[Value] | None:
        assert isinstance(value, Phi)
        if self.moves(value):
            call = self.items_of(value)
            return None if call is None else call.arguments
        induction = self.inductions.get(value)
        return None if induction is None else [induction.start, induction.step]

    def _of_load(self, value: Instruction) -> list[Value] | None:
        assert isinstance(value, Load)
        return [value.pointer] if self.reloads(value) else None

    def _of_call(self, value: Instruction) -> list[Value] | None:
        assert isinstance(value, Call)
        if is_cheap(value.callee_name) or is_product(value):
            return value.arguments
        known = lookup_known(value)
        # A growing shadow never shrinks: asked anew, it gives all that it ever held.
        if known is not None and known.kind == "items" and self.is_shadow(value):
            return value.arguments
        return None

    def _of_operands(self, value: Instruction) -> list[Value] | None:
        return value.operands


# What is ignored can only be kept.  A freeze that is run again may choose another value.
RECIPES: Dispatch[Callable[[Recipes, Instruction], list[Value] | None]] = Dispatch(
    "recipes",
    "how it is computed again in the reverse pass; kept, if ignored",
    INSTRUCTIONS,
    {
        **dict.fromkeys(
            BINARY_INT | BINARY_FLOAT | CASTS | opcodes("aggregates and vectors"),
            Recipes._of_operands,
        ),
        **dict.fromkeys(("getelementptr", "icmp", "fcmp", "select", "fneg"), Recipes._of_operands),
        "phi": Recipes._of_phi,
        "load": Recipes._of_load,
        "call": Recipes._of_call,
    },
    ignored=(
        *opcodes("control flow", "debug records"),
        *"freeze alloca store atomicrmw cmpxchg fence".split(),
    ),
    elsewhere=dict.fromkeys(("invoke", "callbr", "va_arg", *opcodes("exceptions")), "constructs"),
)


@dataclass(slots=True)
class CachePlan:
    """`cached`: the values to store, in order of need; everything else needed is recomputed."""

    cached: dict[Value, None] = field(default_factory=dict)
    recomputed: dict[Value, None] = field(default_factory=dict)

    def __str__(self) -> str:
        lines = [f"cached     {v.type} %{v.name}" for v in self.cached]
        return "\n".join(lines + [f"recomputed {v.type} %{v.name}" for v in self.recomputed])


def make_plan(
    needed: Iterable[Value], recipes: Recipes, layout: DataLayout, homes: CacheLayout
) -> CachePlan:
    """The cheapest plan; what it would keep in loops although it stays in memory, or is kept of another loop, is
    taken from there."""
    recipes.forget_elsewhere()
    while True:
        plan, roots = _cheapest_plan(needed, recipes, layout, homes)
        if recipes.find_in_memory(v for v in plan.cached if homes.of(v).depth):
            continue
        if recipes.find_elsewhere(plan, homes) or recipes.find_versions(plan, roots, homes):
            continue
        recipes.drop_versions(plan)
        return plan


def _cheapest_plan(
    needed: Iterable[Value], recipes: Recipes, layout: DataLayout, homes: CacheLayout
) -> tuple[CachePlan, list[Value]]:
    """The plan, and the values that it had to start from."""
    wanted = [v for v in dict.fromkeys(needed) if not recipes.is_available(v)]
    closure: dict[Value, None] = {}
    users: dict[Value, list[Value]] = {}
    roots: list[Value] = []
    pending = list(wanted)
    while pending:
        value = pending.pop()
        if value in closure:
            continue
        closure[value] = None
        inputs = recipes.inputs(value)
        if inputs is None:
            roots.append(value)
            continue
        for source in inputs:
            if not recipes.is_available(source):
                users.setdefault(source, []).append(value)
                pending.append(source)
    plan = CachePlan()
    if roots:
        costs = {
            v: INFINITE if recipes.cannot_be_kept(v) else _cost(v, recipes, homes, layout)
            for v in closure
        }
        for value in filter(recipes.is_to_be_avoided, closure):
            costs[value] = min(costs[value] << 16, INFINITE)
        for root in roots:
            if isinstance(root, Instruction) and recipes.moves(root):
                raise pointer_into_growing(root)
        plan.cached = dict.fromkeys(cheapest_cut(costs, users, roots, wanted))
    pending = list(wanted)
    while pending:
        value = pending.pop()
        if value in plan.cached or value in plan.recomputed or recipes.is_available(value):
            continue
        inputs = recipes.inputs(value)
        assert inputs is not None, f"root %{value.name} is needed and was not cut"
        plan.recomputed[value] = None
        pending.extend(inputs)
    return plan, roots


def _cost(value: Value, recipes: Recipes, homes: CacheLayout, layout: DataLayout) -> int:
    if (
        isinstance(value, Argument)
        or value.type.is_void
        or value.type.text in ("token", "label", "metadata")
    ):
        return INFINITE
    version = None if recipes.versions is None else recipes.versions.of_copy.get(value)
    if version is not None:
        return version.element * _weight(version.depth)
    return max(1, layout.size_of(value.type)) * _weight(homes.of(value).depth)


def _weight(loops: int) -> int:
    weight: int = TRIPS_PER_LOOP ** min(loops, 8) * 4
    return weight
