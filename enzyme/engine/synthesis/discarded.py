"""Floats that the function may throw away: they get no derivative, whatever they are.

Where the program chooses, it may choose by these very numbers: nothing is assumed about them. What the last round of a
counted loop computes for a next one that does not come is like what the other rounds compute, but it may be undefined.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import cast

from enzyme.engine.analysis.alias import AliasOracle
from enzyme.engine.analysis.known_functions import lookup_known
from enzyme.engine.analysis.loops import Loop
from enzyme.engine.derivatives.products import ignored_operands
from enzyme.engine.ir.dispatch import Selection
from enzyme.engine.ir.instructions import Call, Cmp, Instruction, Load, Phi, Store
from enzyme.engine.ir.module import Block
from enzyme.engine.ir.values import Argument, ConstFloat, Value
from enzyme.engine.preprocess.canonical_loops import latch_of
from enzyme.engine.synthesis.prepare import CanonicalFunction


class Reading(enum.Enum):
    """What is assumed about the numbers that a product is made of; later ones assume less.

    Of what is `STORED` nobody knows which numbers are read: they may be undefined, as in the last round of a loop.
    """

    ALL = enum.auto()
    STORED = enum.auto()
    FINITE = enum.auto()
    NOTHING = enum.auto()

    @property
    def is_defined(self) -> bool:
        """Is what is computed defined?"""
        return self is Reading.ALL

    @property
    def is_strict(self) -> bool:
        return self is Reading.NOTHING


def discarded(p: CanonicalFunction, readers: Readers) -> dict[Instruction, Reading]:
    """Floats that nobody may want: a select may choose another, control may go a way on which they are not used, or
    they are stored where a select or a branch decides whether they are read; and those that a counted loop computes
    for a round that does not come.  With what may be assumed about the numbers behind them."""
    found: dict[Instruction, Reading] = {}
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
            if reading is None or found.get(value, Reading.ALL).value >= reading.value:
                continue
            found[value] = reading
            # What a loop carries may be discarded in a later round: what goes into it was seen before.
            pending += [o for o in value.operands if isinstance(o, Instruction) and o in seen]
    return found


def _reading(
    i: Instruction, found: Mapping[Instruction, Reading], readers: Readers
) -> Reading | None:
    lost = {u: _loses(u, i, found, readers) for u in i.users}
    wanted = [u for u, reading in lost.items() if reading in (None, Reading.STORED)]
    if wanted:
        surely = any(lost[u] is None for u in wanted)
        return passes_by(i, wanted, readers) or (None if surely else Reading.STORED)
    readings = set(lost.values()) - {Reading.ALL}
    return Reading.FINITE if readings == {Reading.FINITE} else Reading.NOTHING


def _loses(
    user: Instruction, i: Instruction, found: Mapping[Instruction, Reading], readers: Readers
) -> Reading | None:
    """What may be assumed about a value that this user may not want; nothing is lost to who takes no derivative."""
    reading = found.get(user)
    if reading not in (None, Reading.STORED):
        return reading
    if user.opcode in WITHOUT_ADJOINT or (user.type.scalar.is_float and not user.users):
        return Reading.ALL
    if isinstance(user, Store):
        loads = readers.of(user)
        first = next(loads, None)
        if first is None:
            if isinstance(user.pointer, Argument):  # the one number that is the result
                return None
            return Reading.STORED if readers.may_be_read(user.pointer) else Reading.NOTHING
        lost = (
            found.get(load, Reading.STORED) is not Reading.STORED or readers.is_optional(load)
            for load in chain((first,), loads)
        )
        return Reading.NOTHING if all(lost) else Reading.STORED
    if isinstance(user, Call):
        return Reading.NOTHING if i in ignored_operands(user) else reading
    chooses = user.opcode == "select" and user.operands[0] is not i and not _is_extreme(user)
    return Reading.NOTHING if chooses else reading


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


def _read_by(call: Call) -> Iterator[Value]:
    """The pointers behind which a call may read numbers; what counts references or gives memory back reads none."""
    known = lookup_known(call)
    if known is not None and known.kind in _READ_NO_NUMBERS:
        return
    for k, argument in enumerate(call.arguments):
        if argument.type.is_pointer and (known is None or k in known.reads):
            yield argument


_READ_NO_NUMBERS = frozenset("retain release release_many free hint allocate".split())


class Readers:
    """The loads that read what is stored in memory that only this call of the function knows."""

    def __init__(self, p: CanonicalFunction, oracle: AliasOracle) -> None:
        self.p = p
        self.oracle = oracle
        self.loads: dict[Value, list[Load]] = {}
        self._read: set[Value] = set()
        self._private: dict[Value, bool] = {}
        self._optional: dict[Block, bool] = {}
        self._edges: dict[Phi, dict[Value, list[Block]]] = {}
        for block in p.blocks:
            for i in block.instructions:
                if isinstance(i, Load) and i.type.scalar.is_float:
                    for origin in oracle.underlying(i.pointer):
                        self.loads.setdefault(origin, []).append(i)
                elif isinstance(i, Load) and not i.type.is_pointer:
                    self._read.update(oracle.underlying(i.pointer))
                elif isinstance(i, Call):
                    for pointer in _read_by(i):
                        self._read.update(oracle.underlying(pointer))

    def of(self, store: Store) -> Iterator[Load]:
        """All readers; none if others may read it too."""
        if self.is_private(store.pointer):
            for origin in self.oracle.underlying(store.pointer):
                yield from self.loads.get(origin, ())

    def may_be_read(self, pointer: Value) -> bool:
        """May anything but the loads of floats read what is stored there?"""
        origins = self.oracle.underlying(pointer)
        return not self.is_private(pointer) or any(o in self._read for o in origins)

    def is_private(self, pointer: Value) -> bool:
        """Does it lead to memory that only this call of the function knows?"""
        return all(map(self._is_private, self.oracle.underlying(pointer)))

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


def passes_by(i: Instruction, wanted: Sequence[Instruction], readers: Readers) -> Reading | None:
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

__all__ = ["Readers", "Reading", "discarded", "passes_by"]
