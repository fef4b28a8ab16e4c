"""What adjoints may ask, whoever answers: the dry run that learns what they need, or the run that emits them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field

from enzyme.engine.analysis.activity_result import ActivityResult
from enzyme.engine.analysis.kinds import Activity
from enzyme.engine.analysis.later_writes import LaterWrites
from enzyme.engine.analysis.left_values import LeftValue
from enzyme.engine.analysis.lifetimes import Lifetime
from enzyme.engine.analysis.loops import Loop
from enzyme.engine.analysis.previous_values import PreviousValue
from enzyme.engine.derivatives.terms import Guard
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.instructions import Call, Instruction, Load, Store
from enzyme.engine.ir.module import Block
from enzyme.engine.ir.types import IntType, Type
from enzyme.engine.ir.values import Argument, Value
from enzyme.engine.synthesis import adjoints, calls
from enzyme.engine.synthesis.accumulations import Accumulation
from enzyme.engine.synthesis.guards import Guards
from enzyme.engine.synthesis.nan_checks import NanChecks
from enzyme.engine.synthesis.prepare import CanonicalFunction
from enzyme.engine.synthesis.rolling import RollingGroup
from enzyme.engine.synthesis.scopes import Scopes
from enzyme.engine.synthesis.shadows import Shadows


@dataclass(slots=True)
class ReverseInputs:
    """What the driver decides: activities per parameter, what is returned, and combined or split.

    Nobody reads what the function leaves in the memory of the parameters in `unread`."""

    activities: tuple[Activity, ...]
    returns_active: bool
    return_primal: bool
    split: bool
    guards: Guards
    fast: bool
    no_memory_status: int | None
    no_memory_hook: str
    scopes: Scopes
    shadows: Shadows
    call_sites: dict[Instruction, calls.Site]
    unread: Collection[Argument]
    overwritten_by: Callable[[Load], Value | None]
    written_in: Callable[[Load, Loop], bool]
    writers_in: Callable[[Loop], list[Instruction]]
    stays: Callable[[Store], bool]
    left_for: Callable[[Load], LeftValue | None]
    previous_for: Callable[[Load], PreviousValue | None]
    later: LaterWrites
    explain: bool = False
    nested: bool = False
    checks: NanChecks | None = None
    order: dict[Block, list[Instruction]] = field(default_factory=dict)
    chained: dict[tuple[Instruction, int], bool] = field(default_factory=dict)
    accumulations: dict[Instruction, Accumulation] = field(default_factory=dict)


@dataclass(eq=False)
class AdjointContext(adjoints.AdjointEmitter, calls.CallAdjointEmitter):
    """Answers of the analyses; how values are had is up to the run.

    `p` is the prepared function, `rolled` are the loads whose adjoints roll along their loop (see `rolling`), with
    their groups.
    """

    p: CanonicalFunction
    activity: ActivityResult
    spec: ReverseInputs
    rolled: dict[Load, RollingGroup]
    b: Builder = field(init=False)

    @property
    def chained(self) -> dict[tuple[Instruction, int], bool]:
        return self.spec.chained

    def accumulation(self, i: Instruction) -> Accumulation | None:
        found = self.spec.accumulations.get(i)
        return None if found is None or found.load in self.rolled else found

    def same_loop(self, first: Block, second: Block) -> bool:
        return self.p.forest.loop_of(first) is self.p.forest.loop_of(second)

    @property
    def lane(self) -> int:
        return self.spec.shadows.lane

    def each_lane(self) -> Iterator[int]:
        return self.spec.shadows.each_lane()

    def is_active(self, value: Value) -> bool:
        return self.activity.is_active(value)

    def has_shadow(self, pointer: Value) -> bool:
        return self.spec.shadows.has(pointer)

    def guard(self, i: Instruction, index: int) -> Guard:
        return self.spec.guards.of(i, index)

    def adjoint_type(self, value: Value) -> Type:
        type_ = value.type
        return adjoints.float_type_of_bits(type_.bits) if isinstance(type_, IntType) else type_

    def shadow(self, pointer: Value) -> Value:
        return self.lookup(self.spec.shadows.of(pointer))

    def adjoint_of_call(self, call: Call) -> bool:
        site = self.spec.call_sites.get(call)
        if site is not None:
            if self.lane == 0:
                site.emit_reverse(self)
            return True
        short_lived = self.spec.shadows.short_lived
        if call in short_lived.ending:
            self.begin_shadow(short_lived.ending[call])
            return True
        if call in short_lived.in_reverse:
            self.end_shadow(short_lived.in_reverse[call])
            return True
        # Other allocations are released with the arena.
        return call in self.spec.shadows.held

    def begin_shadow(self, life: Lifetime) -> None:
        """Make the shadow of a short-lived object."""
        raise NotImplementedError

    def end_shadow(self, life: Lifetime) -> None:
        """Give it back."""
        raise NotImplementedError
