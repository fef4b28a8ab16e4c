"""The range of every float of a function, by iteration over its blocks.

What branches tested holds in the blocks that they guard.  `strict` assumes nothing: arguments and memory hold
anything, large numbers overflow.  Otherwise arguments, and memory as the function finds it, are finite; memory that
the function stores something infinite in is not, the words ``nnan`` and ``ninf`` of the program are believed. With
`defined`, nothing is computed where it is not defined, either: a NaN, other than an infinity, does not come to a good
end.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import TypeGuard

from enzyme.engine.analysis.alias import AliasOracle
from enzyme.engine.analysis.dominance import Dominators
from enzyme.engine.analysis.integer_facts import (
    excludes_zero,
    is_counted_from_one,
    settled_by,
    settles,
)
from enzyme.engine.analysis.known_functions import lookup_known
from enzyme.engine.derivatives import ranges
from enzyme.engine.derivatives.catalogue import entry_of
from enzyme.engine.derivatives.operands import primal_operands
from enzyme.engine.derivatives.ranges import ANYTHING, FINITE, NOTHING, Range
from enzyme.engine.ir.dispatch import Dispatch, Selection
from enzyme.engine.ir.instructions import Call, Cmp, Instruction, Load, Phi, Store
from enzyme.engine.ir.module import Block, Function
from enzyme.engine.ir.opcodes import ATOMICS, INSTRUCTIONS, opcodes
from enzyme.engine.ir.types import DOUBLE, FLOAT, HALF, Type
from enzyme.engine.ir.values import (
    Argument,
    ConstAggregate,
    ConstFloat,
    ConstInt,
    ConstSimple,
    ConstSplat,
    ConstString,
    GlobalVariable,
    Value,
)

# After so many rounds, bounds that still move are given up.
_PATIENCE = 2

TAKE_ONE = Selection(
    "ranges",
    "it gives something though one of its operands is nothing yet",
    "select insertvalue insertelement shufflevector".split(),
)

FROM_INTEGERS = Selection("ranges", "zero where its operand is", ("sitofp", "uitofp"))

Fact = tuple[Cmp, bool]


def facts_of(condition: Value, holds: bool) -> Iterator[Fact]:
    """The comparisons that a condition settles."""
    if isinstance(condition, Cmp):
        yield condition, holds
    elif isinstance(condition, Instruction) and condition.type.text == "i1":
        first, *rest = condition.operands
        match condition.opcode, rest:
            case ("and", [second]) if holds:
                yield from (*facts_of(first, True), *facts_of(second, True))
            case ("or", [second]) if not holds:
                yield from (*facts_of(first, False), *facts_of(second, False))
            case "select", [then, ConstInt(value=0)] if holds:
                yield from (*facts_of(first, True), *facts_of(then, True))
            case "select", [ConstInt(value=1), other] if not holds:
                yield from (*facts_of(first, False), *facts_of(other, False))
            case "xor", [ConstInt()]:
                yield from facts_of(first, not holds)
            case "freeze", []:
                yield from facts_of(first, holds)


def facts_on_edge(source: Block, target: Block) -> Iterator[Fact]:
    """The comparisons that are settled where control goes from one block to the other."""
    end = source.terminator
    if end.opcode == "br" and len(end.operands) == 3 and end.operands[1] is not end.operands[2]:
        yield from facts_of(end.operands[0], end.operands[1] is target)


def _is_converted(value: Value) -> TypeGuard[Instruction]:
    """Is the number an integer that became a float?"""
    return isinstance(value, Instruction) and value.opcode in FROM_INTEGERS


def _is_quotient_of_integer(value: Value) -> TypeGuard[Instruction]:
    return isinstance(value, Instruction) and (
        value.opcode == "fdiv" and _is_converted(value.operands[1])
    )


def _measured(value: Value) -> Value | None:
    """The number of which this is the absolute value."""
    if isinstance(value, Call) and value.callee_name.startswith("llvm.fabs."):
        return value.arguments[0]
    return None


def _spoken_of(test: Cmp) -> Iterator[Value]:
    """The values that a comparison says something of."""
    if test.opcode == "icmp":
        settled = settled_by(test)
        if settled is not None:
            yield settled
        return
    for value in test.operands:
        yield value
        measured = _measured(value)
        if measured is not None:
            yield measured


class Evaluator:
    """Ranges of instructions from those of their operands, which `of` gives."""

    def __init__(self, strict: bool) -> None:
        self.strict = strict
        self.known: dict[Value, Range] = {}
        self._counted: dict[Value, bool] = {}

    def of(self, value: Value) -> Range:
        """The range of a constant or of what was evaluated; anything, if that is not known."""
        found = self.known.get(value)
        return of_constant(value) if found is None else found

    def refined(self, value: Value, facts: Sequence[Fact]) -> Range:
        """The range of a value where the facts hold."""
        return self._refined(self.of(value), value, facts)

    def _refined(self, found: Range, value: Value, facts: Sequence[Fact]) -> Range:
        if found.zero and _is_converted(value) and self._is_nonzero(value.operands[0], facts):
            found = found._replace(zero=False)
        for test, holds in facts:
            if test.opcode != "fcmp":
                continue
            left, right = test.operands
            turned = ranges.turned(test.predicate)
            for one, predicate, other in ((left, test.predicate, right), (right, turned, left)):
                if one is value:
                    found = ranges.refine(found, predicate, self.of(other), holds)
                    break
                if _measured(one) is value:
                    found = ranges.refine_by_size(found, predicate, self.of(other), holds)
                    break
        return found

    def _is_nonzero(self, integer: Value, facts: Sequence[Fact]) -> bool:
        counted = self._counted.get(integer)
        if counted is None:
            counted = self._counted[integer] = is_counted_from_one(integer)
        return counted or excludes_zero(integer, facts)

    def evaluate(self, i: Instruction, operands: Sequence[Range]) -> Range:
        """What an instruction without memory gives for operands in these ranges."""
        if NOTHING in operands and i.opcode not in TAKE_ONE:
            return NOTHING
        made = self._evaluate(i, operands)
        if not self.strict and i.flags:
            fast = "fast" in i.flags
            if fast or "nnan" in i.flags:
                made = made._replace(nan=False)
            if fast or "ninf" in i.flags:
                made = made._replace(above=False, below=False)
        return made

    def _evaluate(self, i: Instruction, x: Sequence[Range]) -> Range:
        handler = RANGES.handlers[i.opcode]
        return ANYTHING if handler is None else handler(self, i, x)

    def _fadd(self, i: Instruction, x: Sequence[Range]) -> Range:
        return ranges.add(x[0], x[1], self.strict)

    def _fsub(self, i: Instruction, x: Sequence[Range]) -> Range:
        return ranges.add(x[0], ranges.negate(x[1]), self.strict)

    def _fneg(self, i: Instruction, x: Sequence[Range]) -> Range:
        return ranges.negate(x[0])

    def _fmul(self, i: Instruction, x: Sequence[Range]) -> Range:
        return ranges.multiply(x[0], x[1], self.strict, i.operands[0] is i.operands[1])

    def _fdiv(self, i: Instruction, x: Sequence[Range]) -> Range:
        return ranges.divide(x[0], x[1], self.strict)

    def _sitofp(self, i: Instruction, x: Sequence[Range]) -> Range:
        return FINITE

    def _uitofp(self, i: Instruction, x: Sequence[Range]) -> Range:
        return FINITE._replace(low=0.0)

    def _first(self, i: Instruction, x: Sequence[Range]) -> Range:
        return x[0]

    def _joined(self, i: Instruction, x: Sequence[Range]) -> Range:
        return ranges.join(x[0], x[1])

    def _fptrunc(self, i: Instruction, x: Sequence[Range]) -> Range:
        wide = x[0].low < -3e38 or x[0].high > 3e38
        made = x[0]._replace(zero=x[0].zero or x[0].low <= 1e-37 <= x[0].high)
        if self.strict and wide:
            made = made._replace(above=True, below=True)
        return made._replace(low=-1e-37 if 0.0 <= made.low <= 1e-37 else made.low)

    def _select(self, i: Instruction, x: Sequence[Range]) -> Range:
        condition, then, other = i.operands
        return ranges.join(
            self._arm(x[1], then, condition, True), self._arm(x[2], other, condition, False)
        )

    def _call(self, i: Instruction, x: Sequence[Range]) -> Range:
        assert isinstance(i, Call)
        entry = entry_of(i)
        bound = None if entry is None else entry.bound
        return ANYTHING if bound is None else bound(x, self.strict)

    def _arm(self, found: Range, arm: Value, condition: Value, holds: bool) -> Range:
        return self._refined(found, arm, list(facts_of(condition, holds)))


# What is ignored may give anything; phis and loads are followed by `ValueRanges`.
RANGES: Dispatch[Callable[[Evaluator, Instruction, Sequence[Range]], Range]] = Dispatch(
    "ranges",
    "in which range the floats are that it gives; anything, if ignored",
    INSTRUCTIONS,
    {
        "fadd": Evaluator._fadd,
        "fsub": Evaluator._fsub,
        "fneg": Evaluator._fneg,
        "fmul": Evaluator._fmul,
        "fdiv": Evaluator._fdiv,
        "sitofp": Evaluator._sitofp,
        "uitofp": Evaluator._uitofp,
        "fptrunc": Evaluator._fptrunc,
        "select": Evaluator._select,
        "call": Evaluator._call,
        **dict.fromkeys(("fpext", "freeze", "extractvalue", "extractelement"), Evaluator._first),
        **dict.fromkeys(("insertvalue", "insertelement", "shufflevector"), Evaluator._joined),
    },
    ignored=(
        *opcodes("integer arithmetic", "control flow", "exceptions", "debug records"),
        *"frem icmp fcmp phi trunc zext sext fptoui fptosi bitcast addrspacecast".split(),
        *"ptrtoint ptrtoaddr inttoptr alloca getelementptr load store atomicrmw cmpxchg".split(),
        *"fence va_arg invoke callbr".split(),
    ),
)


class ValueRanges(Evaluator):
    """Ranges of the values of one function, in the blocks given."""

    def __init__(
        self,
        blocks: Sequence[Block],
        dominators: Dominators,
        oracle: AliasOracle,
        *,
        strict: bool,
        defined: bool,
        trusted: bool,
    ) -> None:
        """`trusted`: the caller passes finite numbers."""
        super().__init__(strict)
        self.defined = defined
        self.blocks = blocks
        self._among = set(blocks)
        self.dominators = dominators
        self.oracle = oracle
        self.outside = FINITE if trusted and not strict else ANYTHING
        # What is said of a value, and in which block and those that it dominates.
        self._said: dict[Value, list[tuple[Block, Fact]]] = {}
        self._content: dict[Value, Range] = {}
        self._collect_facts()
        self._solve()

    def at(self, value: Value, block: Block) -> Range:
        """The range of a value where a block runs."""
        facts = self._facts_at(value, block)
        if facts or _is_converted(value):
            return self.refined(value, facts)
        found = self.of(value)
        if found.infinite and _is_quotient_of_integer(value) and value in self.known:
            # LLVM moves the division in front of the test of its divisor.
            return self.evaluate(value, [self.at(o, block) for o in value.operands])
        return found

    def of(self, value: Value) -> Range:
        return self.outside if isinstance(value, Argument) else super().of(value)

    def _collect_facts(self) -> None:
        predecessors = self.dominators.cfg.predecessors
        for block in self.blocks:
            sources = predecessors(block)
            for fact in facts_on_edge(sources[0], block) if len(sources) == 1 else ():
                for value in _spoken_of(fact[0]):
                    self._said.setdefault(value, []).append((block, fact))

    def _facts_at(self, value: Value, block: Block) -> list[Fact]:
        """What is known of a value where a block runs, as said in the blocks before."""
        spoken = settles(value.operands[0]) if _is_converted(value) else ()
        said = chain.from_iterable(self._said.get(v, ()) for v in (value, *spoken))
        return [fact for where, fact in said if self.dominators.dominates(where, block)]

    def _solve(self) -> None:
        floats = [(block, [i for i in block.instructions if _matters(i)]) for block in self.blocks]
        for _, instructions in floats:
            self.known.update((i, NOTHING) for i in instructions)
        rounds, changed = 0, True
        while changed:
            changed, rounds = False, rounds + 1
            for block, instructions in floats:
                for i in instructions:
                    changed |= self._write(i, block)
                    if i.type.scalar.is_float or i.type.is_aggregate:
                        changed |= self._visit(i, block, rounds > _PATIENCE)

    def _visit(self, i: Instruction, block: Block, impatient: bool) -> bool:
        new, old = self._transfer(i, block), self.known[i]
        if new.nan and self.defined and not self._takes_nan(i, block):
            new = new._replace(nan=False)
        if new == old:
            return False
        new = ranges.join(old, new)
        if impatient and isinstance(i, Phi):
            new = ranges.widened(old, new)
        self.known[i] = new
        return new != old

    def _transfer(self, i: Instruction, block: Block) -> Range:
        if isinstance(i, Phi):
            return ranges.join_all(
                self.refined(value, [*self._facts_at(value, source), *facts_on_edge(source, block)])
                for value, source in i.incoming
                if source in self._among
            )
        if isinstance(i, Load):
            return ANYTHING if self.strict else self._behind(i.pointer, i.type)
        return self.evaluate(i, [self.at(o, block) for o in primal_operands(i)])

    def _takes_nan(self, i: Instruction, block: Block) -> bool:
        """Is there a NaN among the operands, or behind the address?"""
        if isinstance(i, (Phi, Load)):
            return True
        return any(self.at(o, block).nan for o in primal_operands(i) if o.type.scalar.is_float)

    # Memory ---------------------------------------------------------------------------------------

    def _write(self, i: Instruction, block: Block) -> bool:
        """Note what an instruction writes to memory; is that news?"""
        if self.strict:
            return False
        if isinstance(i, Store):
            return self._fill(i.pointer, self.at(i.value, block))
        if i.opcode in ATOMICS:
            return self._fill(i.operands[0], ANYTHING)
        if not isinstance(i, Call):
            return False
        if i.callee_name.startswith(_COPIES):
            target, source = i.arguments[:2]
            return self._fill(target, self._behind(source, DOUBLE))
        changed = False
        for a in i.arguments if _writes(i) else ():
            if a.type.is_pointer:
                changed |= self._fill(a, ANYTHING)
        return changed

    def _fill(self, pointer: Value, what: Range) -> bool:
        """Note that memory may hold a number; only whether it may be infinite or NaN counts."""
        if what.is_finite:
            return False
        kept = what._replace(low=-math.inf, high=math.inf, zero=True)
        changed = False
        for origin in self.oracle.underlying(pointer):
            old = self._content.get(origin, FINITE)
            new = ranges.join(old, kept)
            if new != old:
                self._content[origin] = new
                changed = True
        return changed

    def _behind(self, pointer: Value, type_: Type) -> Range:
        total = NOTHING
        for origin in self.oracle.underlying(pointer):
            if isinstance(origin, GlobalVariable):
                total = ranges.join(total, _of_global(origin, type_))
                continue
            total = ranges.join(
                total, FINITE if self.oracle.objects.is_local(origin) else self.outside
            )
            for other, content in self._content.items():
                if origin is other or not self.oracle.are_distinct(origin, other):
                    total = ranges.join(total, content)
        return FINITE if total == NOTHING else total


_COPIES = ("llvm.memcpy", "llvm.memmove")


def _writes(call: Call) -> bool:
    """Is this a function of the program, which may write anything behind its arguments?"""
    return (
        isinstance(call.callee, Function)
        and not call.callee_name.startswith("llvm.")
        and lookup_known(call) is None
    )


def _matters(i: Instruction) -> bool:
    if isinstance(i, Store):
        return i.value.type.scalar.is_float or i.value.type.is_aggregate
    if isinstance(i, Call) and (_writes(i) or i.callee_name.startswith(_COPIES)):
        return True
    return i.type.scalar.is_float or i.type.is_aggregate


# Constants ----------------------------------------------------------------------------------------


def of_constant(value: Value) -> Range:
    """The range of a constant; anything, for what is no number."""
    if isinstance(value, ConstFloat):
        if value.type in (HALF, FLOAT, DOUBLE):
            return ranges.number(value.value)
        return ANYTHING
    if isinstance(value, ConstInt):
        return ranges.number(float(value.value))
    if isinstance(value, ConstSplat):
        return of_constant(value.element)
    if isinstance(value, ConstAggregate):
        return ranges.join_all(of_constant(e) for e in value.elements)
    if isinstance(value, ConstSimple):
        # What is undefined is not used.
        return ranges.number(0.0) if value.text == "zeroinitializer" else NOTHING
    return ANYTHING


_ESCAPE = re.compile(rb"\\([0-9A-Fa-f]{2})")


def _of_global(variable: GlobalVariable, type_: Type) -> Range:
    """Whether the numbers of a constant array, which may come as bytes, are finite."""
    content = variable.initializer
    if not variable.is_const or content is None:
        return ANYTHING
    if isinstance(content, ConstString):
        text = content.text[content.text.index('"') + 1 : -1].encode("latin-1")
        raw = _ESCAPE.sub(lambda m: bytes([int(m[1], 16)]), text)
        if type_.scalar not in (DOUBLE, FLOAT):
            return ANYTHING
        code = "d" if type_.scalar is DOUBLE else "f"
        size = struct.calcsize(code)
        numbers = struct.unpack(f"<{len(raw) // size}{code}", raw[: len(raw) // size * size])
        made = ranges.join_all(map(ranges.number, numbers))
    else:
        made = ranges.join_all(_leaves(content))
    return made if made.is_finite else made._replace(low=-math.inf, high=math.inf)


def _leaves(content: Value) -> Iterator[Range]:
    if isinstance(content, ConstAggregate):
        for element in content.elements:
            yield from _leaves(element)
    else:
        yield of_constant(content)


__all__ = ["Evaluator", "Fact", "ValueRanges", "facts_of", "of_constant"]
