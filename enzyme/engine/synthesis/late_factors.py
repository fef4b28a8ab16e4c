"""Adjoints in two factors, of which the second waits until what the first leads to is multiplied on.

The adjoint of b in y = a/b is -(d/b) y. It may vanish or overflow where what comes of it does not: for b = 1 + exp(-x)
and x = -400 it is -1e-348, and times the slope of exp, 1e174, the derivative of the whole. So d/b is passed on first,
as the adjoint of log b, up to sign, and y comes last. Between them is a chain of values with one use each.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from enzyme.engine.derivatives.catalogue import row_for_call
from enzyme.engine.derivatives.operands import Operands
from enzyme.engine.derivatives.products import kept
from enzyme.engine.derivatives.table import Row, row_for_instruction
from enzyme.engine.derivatives.terms import Guard, Term, of
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.dispatch import Selection
from enzyme.engine.ir.instructions import Call, Instruction
from enzyme.engine.ir.module import Block
from enzyme.engine.ir.values import Value

NO_ADJOINT = Selection("late_factors", "it has no adjoint, so that it is no other use", ("fcmp",))


@dataclass(frozen=True, slots=True)
class Late:
    """The adjoint ``first * factor`` of a value. `d` is the adjoint of the quotient, guarded by `guard`, and `unit` is
    `first` for a d of one, if that is called for; `zeros` is the guard of the partials that were multiplied on."""

    first: Value
    factor: Value
    d: Value | None
    unit: Value | None
    guard: Guard
    zeros: Guard = ""

    def each(self, make: Callable[[Value], Value]) -> Late:
        """The same of other values."""
        first, factor, d, unit = (
            None if v is None else make(v) for v in (self.first, self.factor, self.d, self.unit)
        )
        assert first is not None and factor is not None
        return replace(self, first=first, factor=factor, d=d, unit=unit)

    def whole(self, b: Builder) -> Value:
        """The product, which is zero where a factor is, if partials may be infinite."""
        first = of(b, self.first)
        factor = Term(b, self.factor.type, self.factor, guard=self.zeros)
        product = kept(factor, first * factor, lambda: first)
        if self.d is None:
            return product.value
        d = Term(b, self.d.type, self.d, guard=self.guard)
        unit = self.first if self.unit is None else self.unit
        return kept(d, product, lambda: of(b, unit) * factor).value


class Chain(Protocol):
    """What `passes` asks, and where it notes the answer: other uses appear when caches are written."""

    @property
    def chained(self) -> dict[tuple[Instruction, int], bool]: ...

    def is_active(self, value: Value) -> bool: ...

    def same_loop(self, first: Block, second: Block) -> bool: ...


def row_of(i: Instruction) -> Row | None:
    """The row of the adjoint of a value, if it has one."""
    if isinstance(i, Call):
        return row_for_call(i)
    return row_for_instruction(i.opcode) if i.type.scalar.is_float else None


def passes(r: Chain, i: Instruction, index: int) -> bool:
    """Does the adjoint of an operand go on as soon as `i` has given it?"""
    key = (i, index)
    known = r.chained.get(key)
    if known is None:
        known = r.chained[key] = _is_link(r, i, _operands(i)[index])
    return known


def goes_on(r: Chain, i: Instruction, row: Row) -> bool:
    """Is what `i` makes of a first factor one value, or sums, so that it may stay without the second for longer?"""
    return len(set(_active(r, i, row))) == 1 or all(
        rule is None or rule.exact for rule in row.rules
    )


def _is_link(r: Chain, user: Instruction, value: Value) -> bool:
    if (
        not isinstance(value, Instruction)
        or value.parent is None
        or user.parent is None
        or not r.same_loop(value.parent, user.parent)
        or value.type is not user.type
        or not value.type.scalar.is_float
        or list(user.operands).count(value) != 1
        or any(u is not user and u.opcode not in NO_ADJOINT for u in value.users)
    ):
        return False
    row = row_of(value)
    return row is not None and all(o.type is value.type for o in _active(r, value, row))


def _active(r: Chain, i: Instruction, row: Row) -> list[Value]:
    """The operands that have an adjoint."""
    return [o for k, o in enumerate(_operands(i)) if k in row.active_operands and r.is_active(o)]


def _operands(i: Instruction) -> list[Value]:
    return list(i.arguments if isinstance(i, Call) else i.operands)


def begun(
    row: Row, b: Builder, index: int, d: Value, operands: Operands, guard: Guard
) -> Late | None:
    """The adjoint of an operand in two factors, where the row has it so."""
    factors = row.factors(b, index, d, operands)
    if factors is None:
        return None
    unit: Value | None = None
    if guard not in ("", "select"):
        found = row.factors(b, index, b.const(d.type, 1.0), operands)
        assert found is not None
        unit = found[0]
    return Late(*factors, d if guard else None, unit, guard)


def applied(
    row: Row, b: Builder, index: int, late: Late, operands: Operands, guard: Guard
) -> Late | None:
    """The adjoint of an operand, from one in two factors; None is zero."""
    first = row.adjoint(b, index, late.first, operands, guard=guard)
    if first is None:
        return None
    unit = None if late.unit is None else row.adjoint(b, index, late.unit, operands)
    return replace(late, first=first, unit=unit, zeros=guard or late.zeros)
