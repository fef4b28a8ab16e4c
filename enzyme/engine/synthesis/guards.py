"""Where a zero derivative meets a partial that may be infinite or NaN, and must stay zero.

Zero times infinity is NaN, so such products are guarded: zero where the incoming derivative is zero.  A comparison
and a select for each product would cost a fifth of a gradient; most partials are finite whatever happens, and which
are not can be seen from the ranges of the values (`analysis.value_ranges`).  The formula of the partial itself is
evaluated in ranges, for an incoming zero: what may come out as NaN is guarded.  Forward mode meets the same factors
in the other order: there the tangent of an infinite value is infinite, and stays out where its factor is zero.

Values that a select or the way of control may discard (`discarded`) get no derivative, whatever they are: for these
nothing is assumed about the numbers that the program works on.  For all others arguments are finite, and sums and
products of finite numbers do not overflow.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from itertools import chain

from enzyme.engine.analysis.alias import AliasOracle
from enzyme.engine.analysis.value_ranges import Evaluator, ValueRanges
from enzyme.engine.derivatives import ranges
from enzyme.engine.derivatives.catalogue import row_for_call
from enzyme.engine.derivatives.operands import Operands, primal_operands
from enzyme.engine.derivatives.products import EITHER_ZERO, ignored_operands
from enzyme.engine.derivatives.ranges import Range
from enzyme.engine.derivatives.table import Row, row_for_instruction
from enzyme.engine.derivatives.terms import Guard, constant_number
from enzyme.engine.ir.builder import scratch_builder
from enzyme.engine.ir.dispatch import Selection
from enzyme.engine.ir.instructions import Call, Instruction, Load, Phi, Store
from enzyme.engine.ir.module import Block
from enzyme.engine.ir.values import Argument, Value
from enzyme.engine.preprocess.canonical_loops import latch_of
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
    ) -> None:
        """Made before shadows are inserted. `trusted`: arguments are finite."""
        self.options = options
        self.reverse = reverse
        strong = options.strong_zero
        self._discarded = discarded(p, oracle) if reverse and not strong else set()
        self._answers: dict[tuple[Instruction, int], Guard] = {}
        # Tangents may be infinite where nothing else is, and then so are adjoints that are products with them.
        self._of_derivative = reverse and any(
            isinstance(i, Call) and i.callee_name.startswith(EITHER_ZERO)
            for i in p.function.instructions()
        )
        asked = {
            True: bool(self._discarded) or (strong and (self._of_derivative or not reverse)),
            False: options.safe_zero and not strong,
        }
        self._ranges = {
            strict: ValueRanges(p.blocks, p.dominators, oracle, strict=strict, trusted=trusted)
            for strict in asked
            if asked[strict]
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
        strict = strong or i in self._discarded
        known = self._ranges.get(strict)
        if known is None:
            return otherwise
        operands = [known.at(o, i.parent) for o in primal_operands(i)]

        def product(d: Range) -> Range:
            return range_of_product(i, row, index, self.reverse, d, operands, known.of(i), strict)

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


# What is discarded --------------------------------------------------------------------------------


def discarded(p: CanonicalFunction, oracle: AliasOracle) -> set[Instruction]:
    """Floats that nobody may want: a select may choose another, control may go a way on which they are not used, or
    they are stored where a select or a branch decides whether they are read."""
    found: set[Instruction] = set()
    readers = _Readers(p, oracle)
    for block in reversed(p.blocks):
        for i in reversed(block.instructions):
            if i.type.scalar.is_float and i.users:
                wanted = [u for u in i.users if not _discards(u, i, found, readers)]
                if not wanted or _may_pass_by(i, wanted, readers, p.cold):
                    found.add(i)
    return found


def _discards(
    user: Instruction, i: Instruction, found: Container[Instruction], readers: _Readers
) -> bool:
    if user in found or user.opcode in WITHOUT_ADJOINT:
        return True
    if isinstance(user, Store):
        loads = readers.of(user)
        first = next(loads, None)
        return first is not None and all(
            load in found or readers.is_optional(load) for load in chain((first,), loads)
        )
    if isinstance(user, Call):
        return i in ignored_operands(user)
    return user.opcode == "select" and user.operands[0] is not i


class _Readers:
    """The loads that read what is stored in memory that only this call of the function knows."""

    def __init__(self, p: CanonicalFunction, oracle: AliasOracle) -> None:
        self.p = p
        self.oracle = oracle
        self.loads: dict[Value, list[Load]] = {}
        self._private: dict[Value, bool] = {}
        self._optional: dict[Block, bool] = {}
        self._edges: dict[Phi, dict[Value, list[Block]]] = {}
        for block in p.blocks:
            for i in block.instructions:
                if isinstance(i, Load) and i.type.scalar.is_float:
                    for origin in oracle.underlying(i.pointer):
                        self.loads.setdefault(origin, []).append(i)

    def of(self, store: Store) -> Iterator[Load]:
        """All readers; none if others may read it too."""
        origins = self.oracle.underlying(store.pointer)
        if all(map(self._is_private, origins)):
            for origin in origins:
                yield from self.loads.get(origin, ())

    def is_optional(self, load: Load) -> bool:
        """Is the load under a branch, in its loop or in the function, or may its address be in other memory?"""
        if len(self.oracle.underlying(load.pointer)) > 1:
            return True
        block = load.parent
        assert block is not None
        found = self._optional.get(block)
        if found is None:
            loop = self.p.forest.loop_of(block)
            ends = self.p.successful if loop is None else {latch_of(loop)}
            found = not all(self.p.dominators.dominates(block, end) for end in ends)
            self._optional[block] = found
        return found

    def edges_with(self, value: Value, phi: Phi) -> list[Block]:
        """The blocks from which a phi takes the value."""
        sources = self._edges.get(phi)
        if sources is None:
            sources = self._edges[phi] = {}
            for incoming, source in phi.incoming:
                sources.setdefault(incoming, []).append(source)
        return sources[value]

    def _is_private(self, origin: Value) -> bool:
        found = self._private.get(origin)
        if found is None:
            found = self.oracle.objects.is_local(origin) and not self.oracle.escapes(origin)
            self._private[origin] = found
        return found


def _may_pass_by(
    i: Instruction, wanted: Sequence[Instruction], readers: _Readers, cold: Container[Block]
) -> bool:
    """Is there a way on from the instruction, to an exit or to itself, without one of these users?"""
    block = i.parent
    assert block is not None
    places: set[Block] = set()
    edges: set[tuple[Block, Block]] = set()
    for user in wanted:
        if user.parent is None:
            continue
        if isinstance(user, Phi):
            edges.update((source, user.parent) for source in readers.edges_with(i, user))
        elif user.parent is block:
            return False
        else:
            places.add(user.parent)
    pending, seen = [block], {block}
    while pending:
        here = pending.pop()
        onward = [s for s in here.successors() if s not in cold]
        if not onward:
            return True
        for successor in onward:
            if (here, successor) in edges or successor in places:
                continue
            if successor is block:
                return True
            if successor not in seen:
                seen.add(successor)
                pending.append(successor)
    return False


WITHOUT_ADJOINT = Selection(
    "guards",
    "a float that only these use has no adjoint",
    "fcmp icmp br switch fptosi fptoui".split(),
)

__all__ = ["Guards", "discarded", "range_of_product"]
