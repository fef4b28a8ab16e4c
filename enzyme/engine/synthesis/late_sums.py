"""Sums of fused loops (`fused`) that go on in the reverse pass, in a variable.

A fused loop inside of another one runs in the reverse of the outer one's iteration. So what an iteration of the outer
loop adds comes first, and then what the inner one adds: the order of the program, if nothing is added behind the inner
loop.

Where something is added on some ways through an iteration only, minus zero is added on the others, which changes no
number: that is a form that LLVM knows, and computes what is added in vectors.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Mapping, Sequence
from dataclasses import dataclass, field

from enzyme.engine.analysis.loops import Loop
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.graph import reached
from enzyme.engine.ir.instructions import Instruction, Phi
from enzyme.engine.ir.module import Block
from enzyme.engine.ir.values import ConstFloat, Value
from enzyme.engine.preprocess.canonical_loops import latch_of


@dataclass(frozen=True, eq=False, slots=True)
class Part:
    """What one fused loop adds in each iteration, from `phi` on to `value`: by `adding`, if by any. `at_once`: one
    number on each way, or none."""

    loop: Loop
    phi: Phi
    value: Value
    adding: Sequence[Instruction]
    at_once: bool

    @classmethod
    def of(
        cls,
        loop: Loop,
        phi: Phi,
        value: Value,
        chain: Collection[Instruction],
        headers: Container[Block],
    ) -> Part:
        """What the values in `chain` between `phi` and `value` add; loops that are not fused begin in `headers`."""

        def before(i: Instruction) -> list[Instruction]:
            return [
                o for o in i.operands if isinstance(o, Instruction) and o in chain and o is not phi
            ]

        assert isinstance(value, Instruction)
        passed = reached([value] if value is not phi else [], before)
        adding = [i for i in passed if not isinstance(i, Phi)]
        return cls(loop, phi, value, adding, _is_added_to_once(value, phi, headers))

    def write(self, variable: Value, latch: Block) -> None:
        """At the end of an iteration, in the block `latch`."""
        if not self.adding:
            return
        b = Builder()
        value = self.value
        if self.at_once:
            term = self._term()
            b.before(latch.terminator)
            before = b.load(self.phi.type, variable)
            value = b.add(Instruction("fadd", self.phi.type, (before, term), "", self.flags))
        else:
            header = self.loop.header
            b.before(header.instructions[header.first_non_phi()])
            self.phi.replace_uses_with(b.load(self.phi.type, variable))
            b.before(latch.terminator)
        b.store(value, variable)

    def _term(self) -> Value:
        """What an iteration adds, joined where its ways join."""
        joined: dict[Value, Phi] = {}
        pending = [self.value]
        while pending:
            value = pending.pop()
            if isinstance(value, Phi) and value is not self.phi and value not in joined:
                assert value.parent is not None
                joined[value] = Phi(value.type, (), f"{value.name}.term")
                value.parent.insert(0, joined[value])
                pending.extend(value.operands)

        def term(value: Value) -> Value:
            return joined[value] if value in joined else self._added(value)

        for phi, made in joined.items():
            assert isinstance(phi, Phi)
            for value, block in phi.incoming:
                made.add_incoming(term(value), block)
        return term(self.value)

    def _added(self, value: Value) -> Value:
        if value is self.phi:
            return ConstFloat.of(self.phi.type, -0.0)
        assert isinstance(value, Instruction)
        first, second = value.operands
        if value.opcode == "fadd":
            return second if first is self.phi else first
        b = Builder()
        b.before(value)
        return b.fneg(second)

    @property
    def flags(self) -> tuple[str, ...]:
        """What is allowed wherever something is added."""
        first, *others = (i.flags for i in self.adding)
        return tuple(flag for flag in first if all(flag in flags for flags in others))


def _is_added_to_once(value: Value, phi: Phi, headers: Container[Block]) -> bool:
    pending = [value]
    seen: set[Value] = set()
    while pending:
        passing = pending.pop()
        if passing is phi or passing in seen:
            continue
        seen.add(passing)
        if isinstance(passing, Phi):
            if passing.parent in headers:
                return False
            pending.extend(passing.operands)
        elif not isinstance(passing, Instruction) or phi not in passing.operands:
            return False
    return True


@dataclass(eq=False, slots=True)
class LateSum:
    """What leaves the outermost loop as the phi `result`, having begun there as `start`; it consists of what the fused
    loops add, outer before inner. `chain` are the values in between."""

    result: Phi
    start: Value
    parts: list[Part]
    chain: Collection[Instruction]
    variable: Value | None = field(init=False, default=None)

    @property
    def outermost(self) -> Loop:
        """The loop that it leaves."""
        return self.parts[0].loop

    @property
    def terms(self) -> list[Value]:
        """What is added up."""
        added = (i for part in self.parts for i in part.adding)
        return [o for i in added for o in i.operands if o not in self.chain]

    def parts_in(self, loop: Loop) -> list[Part]:
        """What is added in a loop, or in those inside of it."""
        return [part for part in self.parts if loop in part.loop.ancestors()]

    def begin(self, b: Builder, given: Mapping[Value, Value]) -> None:
        """In front of the outermost loop, where `given` are numbers of the forward pass."""
        assert self.variable is not None
        b.store(given.get(self.start, self.start), self.variable)

    def go_on(self, loop: Loop, latch: Block) -> None:
        """At the end of an iteration of a loop, in the block `latch`."""
        assert self.variable is not None
        for part in self.parts:
            if part.loop is loop:
                part.write(self.variable, latch)


def sum_that_leaves(
    result: Phi,
    chain: Collection[Instruction],
    phi: Phi,
    nest: Sequence[Loop],
    headers: Container[Block],
) -> LateSum | None:
    """The sum of a nest of fused loops, outer before inner, that begins as `phi` and leaves them as `result`; None if
    an inner loop's sum is not what the outer iteration hands on."""
    outermost = nest[0]
    assert outermost.preheader is not None
    start = phi.value_from(outermost.preheader)
    parts = []
    for loop, inner in zip(nest, [*nest[1:], None], strict=True):
        if inner is None:
            parts.append(Part.of(loop, phi, phi.value_from(latch_of(loop)), chain, headers))
            break
        begins = [i for i in inner.header.phis() if i in chain]
        if len(begins) != 1 or inner.preheader is None:
            return None
        part = Part.of(loop, phi, begins[0].value_from(inner.preheader), chain, headers)
        if not _is_handed_on(part, begins[0], inner):
            return None
        parts.append(part)
        phi = begins[0]
    added = {i for part in parts for i in part.adding}
    if any(i not in added for i in chain if not isinstance(i, Phi)):
        return None
    return LateSum(result, start, parts, chain)


def _is_handed_on(part: Part, begun: Phi, inner: Loop) -> bool:
    """Does each iteration leave what the inner loop has made of `begun`, if that runs, and otherwise what the iteration
    had added in front of it?"""
    behind = reached(
        [inner.header],
        lambda b: (s for s in b.successors() if s in part.loop and s is not part.loop.header),
    )
    made = begun.value_from(latch_of(inner))
    pending = [(part.phi.value_from(latch_of(part.loop)), latch_of(part.loop))]
    seen: set[Value] = set()
    while pending:
        value, block = pending.pop()
        if value is part.value:
            if block in behind:
                return False
        elif value is not made and value not in seen:
            if not isinstance(value, Phi) or value is part.phi:
                return False
            seen.add(value)
            pending.extend(value.incoming)
    return True
