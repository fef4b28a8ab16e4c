"""The dry run: which primal values the adjoints need; what they emit is thrown away."""

from __future__ import annotations

from dataclasses import dataclass, field

from enzyme.engine.analysis.lifetimes import Lifetime
from enzyme.engine.ir.builder import scratch_builder
from enzyme.engine.ir.instructions import Instruction, Load
from enzyme.engine.ir.types import PTR, Type
from enzyme.engine.ir.values import Argument, Value
from enzyme.engine.synthesis.adjoint_context import AdjointContext
from enzyme.engine.synthesis.late_factors import Late


@dataclass(eq=False)
class Recorder(AdjointContext):
    """Notes in `needed` what is looked up; everything asked for is a stand-in of the right type."""

    needed: dict[Value, None] = field(default_factory=dict)
    late: dict[tuple[Value, int], Late] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.b = scratch_builder()

    def needs_since(self) -> list[Value]:
        """What was needed since this was asked last."""
        found = list(self.needed)
        self.needed = {}
        return found

    def end(self) -> list[Value]:
        """What was needed; what was emitted uses nothing of the module any longer."""
        assert self.b.block is not None and self.b.block.parent is not None
        for instruction in self.b.block.parent.instructions():
            instruction.drop_operands()
        return list(self.needed)

    def lookup(self, value: Value) -> Value:
        if isinstance(value, (Instruction, Argument)):
            self.needed[value] = None
            return Argument(value.type, "", 0)
        return value

    def take(self, value: Value) -> Value:
        return Argument(self.adjoint_type(value), "", 0)

    def add(self, value: Value, contribution: Value) -> None:
        pass

    def hold(self, value: Value, late: Late) -> None:
        self.late[value, self.lane] = late.each(lambda v: Argument(v.type, "", 0))

    def held(self, value: Value) -> Late | None:
        return self.late.pop((value, self.lane), None)

    def load_shadow(self, type_: Type, pointer: Value, align: int, of: Value) -> Value:
        return Argument(type_, "", 0)

    def store_shadow(self, value: Value, pointer: Value, align: int, of: Value) -> None:
        pass

    def add_to_shadow(self, load: Load, d: Value) -> None:
        group = self.rolled.get(load)
        if group is None or group.first is load:
            self.shadow(load.pointer)

    def begin_shadow(self, life: Lifetime) -> None:
        for argument in life.allocation.arguments:
            self.lookup(argument)

    def end_shadow(self, life: Lifetime) -> None:
        pass

    def call_helper(self, name: str, arguments: list[Value]) -> None:
        pass

    def arena(self) -> Value:
        return Argument(PTR, "", 0)
