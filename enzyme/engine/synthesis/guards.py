"""Where a zero derivative meets a partial that may be infinite or NaN, and must stay zero.

Zero times infinity is NaN, so such products are guarded: zero where the incoming derivative is zero.  A comparison
and a select for each product would cost a fifth of a gradient; most partials are finite whatever happens, and which
are not can be seen from the ranges of the values (`analysis.value_ranges`).  The formula of the partial itself is
evaluated in ranges, for an incoming zero: what may come out as NaN is guarded.  Forward mode meets the same factors
in the other order: there the tangent of an infinite value is infinite, and stays out where its factor is zero.

Values that a select or the way of control may discard (`discarded`) get no derivative, whatever they are.  For all
others, and for the smaller of two numbers, arguments are finite, sums and products of finite numbers do not overflow,
and what is computed is defined.  Those that make the result infinite where they are (`absorbed`) are finite.
"""

from __future__ import annotations

from collections.abc import Sequence

from enzyme.engine.analysis.alias import AliasOracle
from enzyme.engine.analysis.value_ranges import Evaluator, ValueRanges
from enzyme.engine.derivatives import ranges
from enzyme.engine.derivatives.catalogue import row_for_call
from enzyme.engine.derivatives.operands import Operands, primal_operands
from enzyme.engine.derivatives.products import is_product
from enzyme.engine.derivatives.ranges import Range
from enzyme.engine.derivatives.table import Row, row_for_instruction
from enzyme.engine.derivatives.terms import Guard, constant_number
from enzyme.engine.ir.builder import scratch_builder
from enzyme.engine.ir.instructions import Call, Instruction
from enzyme.engine.ir.values import Argument, Value
from enzyme.engine.synthesis.absorbed import let_through, of_finite
from enzyme.engine.synthesis.discarded import Readers, Reading, discarded
from enzyme.engine.synthesis.prepare import CanonicalFunction
from enzyme.engine.synthesis.signatures import Options


class Guards:
    """Which products of one function are guarded: all with strong zeros, those of discarded values alone without
    safe ones, and else where they may be needed."""

    def __init__(
        self,
        p: CanonicalFunction,
        oracle: AliasOracle,
        options: Options,
        *,
        reverse: bool,
        trusted: bool,
        split: bool = False,
    ) -> None:
        """Made before shadows are inserted. `trusted`: arguments are finite. `split`: the caller may seed with zero."""
        self.options = options
        self.reverse = reverse
        strong = options.strong_zero
        readers = Readers(p, oracle)
        self._discarded = discarded(p, readers) if reverse and not strong else {}
        # Derivatives of what is differentiated again are used in more than one way.
        once = reverse and trusted and not (split or strong or options.guards_are_calls)
        lost = {i for i, reading in self._discarded.items() if reading is not Reading.STORED}
        self._let_through = let_through(p, readers, lost) if once else set()
        self._answers: dict[tuple[Instruction, int], Guard] = {}
        # Tangents may be infinite where nothing else is, and then so are adjoints that are products with them.
        self._of_derivative = reverse and any(
            isinstance(i, Call) and is_product(i) for i in p.function.instructions()
        )
        asked = set(self._discarded.values())
        if strong and (self._of_derivative or not reverse):
            asked.add(Reading.NOTHING)
        if options.safe_zero and not strong:
            asked.add(Reading.ALL)
        self._ranges = {
            reading: ValueRanges(
                p.blocks,
                p.dominators,
                oracle,
                strict=reading.is_strict,
                defined=reading.is_defined,
                trusted=trusted,
            )
            for reading in Reading
            if reading in asked
        }

    def of(self, i: Instruction, index: int) -> Guard:
        """How the product for operand `index` is guarded."""
        found = self._answers.get((i, index))
        if found is None:
            found = self._answers[i, index] = self._decide(i, index)
        return found

    def _decide(self, i: Instruction, index: int) -> Guard:
        plain: Guard = "call" if self.options.guards_are_calls else "select"
        strong = self.options.strong_zero
        row = row_for_call(i) if isinstance(i, Call) else row_for_instruction(i.opcode)
        assert row is not None
        rule = row.rules[index]
        otherwise: Guard = plain if strong else ""
        if rule is None or rule.exact or i.parent is None:
            return otherwise
        reading = Reading.NOTHING if strong else self._discarded.get(i, Reading.ALL)
        strict = reading.is_strict
        known = self._ranges.get(reading)
        if known is None:
            return otherwise
        operands, result = [known.at(o, i.parent) for o in primal_operands(i)], known.of(i)
        if i in self._let_through:
            operands, result = of_finite(i, operands, result)

        def product(d: Range) -> Range:
            return range_of_product(i, row, index, self.reverse, d, operands, result, strict)

        infinite = self._of_derivative if self.reverse else operands[index].infinite
        if infinite and product(_INFINITE).nan:
            return "either"
        if strong:
            return plain
        # A product that is zero may have an infinite derivative.
        nested = self.options.guards_are_calls and not product(ranges.FINITE).is_finite
        return plain if nested or product(ranges.number(0.0)).nan else ""


_INFINITE = ranges.ANYTHING._replace(nan=False)


def range_of_product(
    i: Instruction,
    row: Row,
    index: int,
    reverse: bool,
    d: Range,
    operands: Sequence[Range],
    result: Range,
    strict: bool,
) -> Range:
    """Evaluate the formula of a row for a derivative, with operands and result, in these ranges."""
    values = primal_operands(i)
    constants = tuple(constant_number(o) if o.is_constant else None for o in values)
    places = tuple(values.index(o) for o in values)
    types = (i.type, *(o.type for o in values))
    key = (row, index, reverse, d, types, constants, places, *operands, result, strict)
    answer = _ANSWERS.get(key)
    if answer is None:
        if len(_ANSWERS) > _MOST:
            _ANSWERS.clear()
        answer = _ANSWERS[key] = _evaluate(i, row, index, reverse, d, operands, result, strict)
    return answer


_ANSWERS: dict[object, Range] = {}
_MOST = 50_000


def _evaluate(
    i: Instruction,
    row: Row,
    index: int,
    reverse: bool,
    derivative: Range,
    operands: Sequence[Range],
    result: Range,
    strict: bool,
) -> Range:
    evaluator = Evaluator(strict)
    stand_ins: dict[Value, Value] = {i: Argument(i.type, "", -1)}
    for value, found in zip(primal_operands(i), operands, strict=True):
        if not value.is_constant:
            stand_ins[value] = Argument(value.type, "", 0)
            evaluator.known[stand_ins[value]] = found
    evaluator.known[stand_ins[i]] = result

    def fetch(value: Value) -> Value:
        known = stand_ins.get(value)
        if known is None:  # another call on the same operand
            known = stand_ins[value] = Argument(value.type, "", 0)
            assert isinstance(value, Call)
            arguments = [evaluator.of(stand_ins.get(a, a)) for a in value.arguments]
            evaluator.known[known] = evaluator.evaluate(value, arguments)
        return known

    b = scratch_builder()
    type_ = i.type if reverse else primal_operands(i)[index].type
    d = Argument(type_, "", -2)
    evaluator.known[d] = derivative
    emit = row.adjoint if reverse else row.tangent
    product = emit(b, index, d, Operands(i, fetch))
    if product is None:
        return ranges.number(0.0)
    assert b.block is not None
    for made in b.block.instructions:
        evaluator.known[made] = evaluator.evaluate(
            made, [evaluator.of(o) for o in primal_operands(made)]
        )
    return evaluator.of(product)


__all__ = ["Guards", "range_of_product"]
