"""What a derivative is, and the derivatives of instructions.

A row states, for each operand that can carry a derivative, the product of the incoming derivative
with the partial. One statement serves both modes: `Row.tangent` gives the part of the result's
tangent due to one operand, `Row.adjoint` the part of one operand's adjoint due to the result.

Formulas are Python functions of `(d, y, *x)`: incoming derivative, result, operands, all terms
(`terms`). The rows of functions stand in the `catalogue`, those of instructions here.

Not here: select, phi, loads, stores, insert and extract, which need no mathematics; memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from enzyme.engine.derivatives.products import kept
from enzyme.engine.derivatives.terms import Guard, Term, of
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.values import Value

if TYPE_CHECKING:
    from enzyme.engine.derivatives.operands import Operands

Formula = Callable[..., Term | None]


@dataclass(frozen=True, slots=True)
class Rule:
    """How one operand's derivative passes; both ways are linear in `d`.

    `exact`: the product is `d` itself up to sign, scale by a power of two, choice or rounding, so
    that zero in gives zero out whatever the operands. `late`: the second factor of the adjoint, which is
    far from one where the first is, in the other direction, and had better be multiplied on when that is not
    so any more; the first is then `early`. `lacks`: why there is no derivative, if the function has one and it is
    not known; then nothing may be active at this operand.
    """

    tangent: Formula
    adjoint: Formula
    exact: bool = False
    early: Formula | None = None
    late: Formula | None = None
    lacks: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """The derivative of one function or instruction.

    `rules[i]` belongs to operand `i`; None where the operand carries no derivative (an integer, a
    pointer) or has none. A row without any rule says "known, and its result is constant".
    """

    name: str
    rules: tuple[Rule | None, ...]
    note: str = ""

    @property
    def active_operands(self) -> tuple[int, ...]:
        """The operands from which a derivative can flow into the result."""
        return tuple(i for i, rule in enumerate(self.rules) if rule is not None)

    def tangent(
        self, b: Builder, index: int, d: Value, operands: Operands, *, guard: Guard = ""
    ) -> Value | None:
        """The part of the result's tangent due to operand `index` with tangent `d`; None is zero."""
        rule = self.rules[index] if index < len(self.rules) else None
        if rule is None:
            return None
        return self._product(b, rule.tangent, rule.exact, d, operands, guard)

    def adjoint(
        self, b: Builder, index: int, d: Value, operands: Operands, *, guard: Guard = ""
    ) -> Value | None:
        """What the result's adjoint `d` adds to the adjoint of operand `index`; None is zero."""
        rule = self.rules[index] if index < len(self.rules) else None
        if rule is None:
            return None
        return self._product(b, rule.adjoint, rule.exact, d, operands, guard)

    def factors(
        self, b: Builder, index: int, d: Value, operands: Operands
    ) -> tuple[Value, Value] | None:
        """The adjoint of operand `index` as two factors (see `Rule`); None if it is not written like that."""
        rule = self.rules[index]
        if rule is None or rule.early is None or rule.late is None:
            return None
        terms = operands.all(b)
        incoming, result = of(b, d), operands.result(b)
        early = rule.early(incoming, result, *terms)
        late = rule.late(incoming, result, *terms)
        assert early is not None and late is not None
        return early.value, late.value

    def _product(
        self,
        b: Builder,
        formula: Formula,
        exact: bool,
        d: Value,
        operands: Operands,
        guard: Guard,
    ) -> Value | None:
        terms = operands.all(b)
        result = operands.result(b)
        incoming = Term(b, d.type, d, guard=guard)
        plain = exact or not guard or not d.type.scalar.is_float
        product = formula(incoming, result, *terms)
        if product is None:
            return None
        if not plain and product.type is d.type and product.value is not d:

            def partial() -> Term:
                """The product with one."""
                found = formula(of(b, b.const(d.type, 1.0)), result, *terms)
                assert found is not None
                return found

            product = kept(incoming, product, partial)
        return product.value


# Writing rows -----------------------------------------------------------------------------------


def rule(formula: Formula) -> Rule:
    """The product of `d` with a partial, lane by lane: the same both ways."""
    return Rule(formula, formula)


def exact(formula: Formula) -> Rule:
    """As `rule`, for a product that cannot turn a zero into anything else."""
    return Rule(formula, formula, exact=True)


def lacking(why: str) -> Rule:
    """An operand for which no derivative is known."""

    def unknown(d: Term, y: Term, *x: Term) -> Term:
        raise AssertionError(f"asked for a derivative that is not known: {why}")

    return Rule(unknown, unknown, lacks=why)


def in_two(early: Formula, late: Formula) -> Rule:
    """As `rule`, for the product of two formulas, of which the second has no `d`."""

    def product(d: Term, y: Term, *x: Term) -> Term:
        first, second = early(d, y, *x), late(d, y, *x)
        assert first is not None and second is not None
        return first * second

    return Rule(product, product, early=early, late=late)


def rules_of(given: Iterable[Rule | Formula | None]) -> tuple[Rule | None, ...]:
    """Formulas as rules."""
    return tuple(r if r is None or isinstance(r, Rule) else rule(r) for r in given)


IDENTITY = exact(lambda d, y, *x: d)
NEGATION = exact(lambda d, y, *x: -d)


class Table:
    """Rows by opcode."""

    def __init__(self) -> None:
        self.rows: dict[str, Row] = {}

    def add(self, names: str, *rules: Rule | Formula | None, note: str = "") -> None:
        """One row under each of the blank-separated names."""
        made = rules_of(rules)
        for name in names.split():
            if name in self.rows:
                raise ValueError(f"two rows for {name}")
            self.rows[name] = Row(name, made, note)

    def constant(self, names: str, note: str = "") -> None:
        """Instructions whose derivative is zero wherever it exists."""
        self.add(names, note=note or "piecewise constant")


OPCODES = Table()

_loaded: list[bool] = []


def row_for_instruction(opcode: str) -> Row | None:
    """The row of an arithmetic or cast instruction."""
    if not _loaded:  # the files of rows import this one
        _loaded.append(True)
        for name in ("arithmetic", "casts"):
            import_module(f"enzyme.engine.derivatives.{name}")
    return OPCODES.rows.get(opcode)
