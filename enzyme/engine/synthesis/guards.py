"""Where a zero derivative meets a partial that may be infinite or NaN, and must stay zero.

Zero times infinity is NaN, so such products are guarded: zero where the incoming derivative is zero.  A comparison
and a select for each product would cost a fifth of a gradient; most partials are finite whatever happens, and which
are not can be seen from the ranges of the values (`analysis.value_ranges`).  The formula of the partial itself is
evaluated in ranges, for an incoming zero: what may come out as NaN is guarded.  Forward mode meets the same factors
in the other order: there the tangent of an infinite value is infinite, and stays out where its factor is zero.

Values that a select or the way of control may discard (`discarded`) get no derivative, whatever they are.  Where the
program chooses, it may choose by these very numbers: nothing is assumed about them.  What the last round of a counted
loop computes for a next one that does not come is like what the other rounds compute, but it may be undefined.  For
all others, and for the smaller of two numbers, arguments are finite, sums and products of finite numbers do not
overflow, and what is computed is defined.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import cast

from enzyme.engine.analysis.alias import AliasOracle
from enzyme.engine.analysis.loops import Loop
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
from enzyme.engine.ir.instructions import Call, Cmp, Instruction, Load, Phi, Store
from enzyme.engine.ir.module import Block
from enzyme.engine.ir.values import Argument, ConstFloat, Value
from enzyme.engine.preprocess.canonical_loops import latch_of
from enzyme.engine.synthesis.prepare import CanonicalFunction
from enzyme.engine.synthesis.signatures import Options


class Reading(enum.Enum):
    """What is assumed about the numbers that a product is made of."""

    NOTHING = enum.auto()
    FINITE = enum.auto()
    ALL = enum.auto()


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
        self._discarded = discarded(p, oracle) if reverse and not strong else {}
        self._answers: dict[tuple[Instruction, int], Guard] = {}
        # Tangents may be infinite where nothing else is, and then so are adjoints that are products with them.
        self._of_derivative = reverse and any(
            isinstance(i, Call) and i.callee_name.startswith(EITHER_ZERO)
            for i in p.function.instructions()
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
                strict=reading is Reading.NOTHING,
                defined=reading is Reading.ALL,
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
        strict = reading is Reading.NOTHING
        known = self._ranges.get(reading)
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


def discarded(p: CanonicalFunction, oracle: AliasOracle) -> dict[Instruction, Reading]:
    """Floats that nobody may want: a select may choose another, control may go a way on which they are not used, or
    they are stored where a select or a branch decides whether they are read; and those that a counted loop computes
    for a round that does not come.  With what may be assumed about the numbers behind them."""
    found: dict[Instruction, Reading] = {}
    readers = _Readers(p, oracle)
    floats = [
        i
        for block in reversed(p.blocks)
        for i in reversed(block.instructions)
        if i.type.scalar.is_float and i.users
    ]
    seen: set[Value] = set()
    for i in floats:
        pending = [i]
        while pending:
            value = pending.pop()
            seen.add(value)
            reading = _reading(value, found, readers)
            if reading is None or found.get(value) in (reading, Reading.NOTHING):
                continue
            found[value] = reading
            # What a loop carries may be discarded in a later round: what goes into it was seen before.
            pending += [o for o in value.operands if isinstance(o, Instruction) and o in seen]
    return found


def _reading(
    i: Instruction, found: Mapping[Instruction, Reading], readers: _Readers
) -> Reading | None:
    lost = {u: _loses(u, i, found, readers) for u in i.users}
    wanted = [u for u, reading in lost.items() if reading is None]
    if wanted:
        return _passes_by(i, wanted, readers)
    readings = set(lost.values()) - {Reading.ALL}
    return Reading.FINITE if readings == {Reading.FINITE} else Reading.NOTHING


def _loses(
    user: Instruction, i: Instruction, found: Mapping[Instruction, Reading], readers: _Readers
) -> Reading | None:
    """What may be assumed about a value that this user may not want; nothing is lost to who takes no derivative."""
    if user in found:
        return found[user]
    if user.opcode in WITHOUT_ADJOINT:
        return Reading.ALL
    if isinstance(user, Store):
        loads = readers.of(user)
        first = next(loads, None)
        if first is None or not all(
            load in found or readers.is_optional(load) for load in chain((first,), loads)
        ):
            return None
        return Reading.NOTHING
    if isinstance(user, Call):
        return Reading.NOTHING if i in ignored_operands(user) else None
    chooses = user.opcode == "select" and user.operands[0] is not i and not _is_extreme(user)
    return Reading.NOTHING if chooses else None


def _is_extreme(select: Instruction) -> bool:
    """Is the larger or the smaller of two numbers chosen? Then the other is a number like the chosen one: nothing is
    thrown away for what it is."""
    condition, *arms = select.operands
    compared = [set(arms)]
    for one, other in (arms, arms[::-1]):
        # Zero, or a difference: LLVM compares the two numbers.
        is_zero = isinstance(one, ConstFloat) and one.value == 0.0
        if is_zero and isinstance(other, Instruction) and other.opcode == "fsub":
            compared.append(set(other.operands))
    pending, found = [condition], False
    while pending:
        test = pending.pop()
        if not isinstance(test, Instruction):
            continue
        if test.opcode != "fcmp":
            if test.opcode not in ("or", "and", "xor", "select", "freeze"):
                return False
            pending += test.operands
        elif cast(Cmp, test).predicate not in ("ord", "uno"):
            if set(test.operands) not in compared:
                return False
            found = True
    return found


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


def _passes_by(i: Instruction, wanted: Sequence[Instruction], readers: _Readers) -> Reading | None:
    """Is there a way on from the instruction, to an exit or to itself, without one of these users?"""
    block, p = i.parent, readers.p
    assert block is not None
    places: set[Block] = set()
    edges: set[tuple[Block, Block]] = set()
    for user in wanted:
        if user.parent is None:
            continue
        if isinstance(user, Phi):
            edges.update((source, user.parent) for source in readers.edges_with(i, user))
        elif user.parent is block:
            return None
        else:
            places.add(user.parent)
    counted = _counted_around(p, block, [*places, *chain.from_iterable(edges)])
    found = None
    pending, seen = [block], {block}
    while pending:
        here = pending.pop()
        onward = [s for s in here.successors() if s not in p.cold]
        if not onward:
            return Reading.NOTHING
        for successor in onward:
            if (here, successor) in edges or successor in places:
                continue
            if counted is not None and successor not in counted:
                found = Reading.FINITE
                continue
            if successor is block:
                return Reading.NOTHING
            if successor not in seen:
                seen.add(successor)
                pending.append(successor)
    return found


def _counted_around(p: CanonicalFunction, block: Block, used: Sequence[Block]) -> Loop | None:
    """The innermost counted loop around a block that has all uses inside: leaving it is what they are lost by."""
    loop = p.forest.loop_of(block)
    for around in loop.ancestors() if loop is not None else ():
        if all(place in around for place in used):
            return around if p.trips.get(around) is not None else None
    return None


WITHOUT_ADJOINT = Selection(
    "guards",
    "a float that only these use has no adjoint",
    "fcmp icmp br switch fptosi fptoui".split(),
)

__all__ = ["Guards", "discarded", "range_of_product"]
