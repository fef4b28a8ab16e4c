"""Where the formulas of a row find primal values."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from enzyme.engine.derivatives.catalogue import entry_of, find
from enzyme.engine.derivatives.terms import Term, of
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.instructions import Call, Instruction
from enzyme.engine.ir.values import Value


class Operands:
    """Where a formula finds primal values: types at once, values on demand.

    `fetch` maps a primal value to the value to be used at the builder's place. It is not asked for
    constants, and only for what the formula computes with.
    """

    __slots__ = ("fetch", "instruction", "primal")

    def __init__(
        self, instruction: Instruction, fetch: Callable[[Value], Value] | None = None
    ) -> None:
        self.instruction = instruction
        self.primal: Sequence[Value] = primal_operands(instruction)
        self.fetch = fetch

    def all(self, b: Builder) -> list[Term]:
        """One term for each operand, and the same for the same value."""
        terms = {value: self._term(b, value) for value in self.primal}
        return [terms[value] for value in self.primal]

    def _term(self, b: Builder, value: Value) -> Term:
        if self.fetch is None or value.is_constant:
            return of(b, value)
        fetch = self.fetch
        return Term(b, value.type, fetch=lambda: fetch(value), called=self._caller_of(value))

    def _caller_of(self, value: Value) -> Callable[[str], Value | None]:
        """What gives the results of other calls on `value`, by name: only those of the same block, which have run
        whenever this instruction has."""

        def called(name: str) -> Value | None:
            wanted = find(name)
            assert wanted is not None
            for user in value.users:
                if (
                    isinstance(user, Call)
                    and user.parent is self.instruction.parent
                    and list(user.arguments) == [value]
                    and entry_of(user) is wanted
                ):
                    assert self.fetch is not None
                    return self.fetch(user)
            return None

        return called

    def result(self, b: Builder) -> Term:
        if self.fetch is None:
            return of(b, self.instruction)
        fetch, instruction = self.fetch, self.instruction
        return Term(b, instruction.type, fetch=lambda: fetch(instruction))


def primal_operands(instruction: Instruction) -> Sequence[Value]:
    return instruction.arguments if isinstance(instruction, Call) else instruction.operands
