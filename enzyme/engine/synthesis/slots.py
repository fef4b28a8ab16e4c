"""The stack variables of a reverse pass become values when the pass is complete.

While a reverse pass is written, adjoints and the counters of loops are variables: what else will be added to one is not
known yet. LLVM would make registers of them, but looks for each of them at all that comes behind it in the function;
here that is done for each where it is used. An adjoint is zero from the last place on that is passed once and before
all uses, so that no more than its surroundings are looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from enzyme.engine.analysis.cfg import ControlFlow
from enzyme.engine.analysis.dataflow import blocks_in_cycles
from enzyme.engine.analysis.dominance import Dominators
from enzyme.engine.ir.instructions import Alloca, Instruction, Load, Phi, Store
from enzyme.engine.ir.module import Block, Function
from enzyme.engine.ir.types import Type
from enzyme.engine.ir.values import ConstFloat, ConstSimple, Value, is_zero, undef_of, zero_of

_Accesses = dict[Block, list[Instruction]]


def settle_slots(function: Function, slots: Mapping[Alloca, Store | None]) -> set[Instruction]:
    """Replace variables of `function` by values, each of which comes with the store of zero that it begins with.

    Neither these stores nor the variables are in a block yet; returns those that are of no use any more.
    """
    found = _accesses(function, slots)
    if not found:
        return set()
    places = _Places(function)
    for slot, accesses in found.items():
        entering = slots[slot]
        variable = _Variable(slot.name, slot.allocated_type, places)
        if entering is not None:
            variable.zero_at(places.passed_once_before(accesses))
        variable.follow(accesses)
        variable.replace()
    _remove(function, found)
    gone: set[Instruction] = set(found)
    gone.update(store for slot in found if (store := slots[slot]) is not None)
    for instruction in gone:
        instruction.drop_operands()
    return gone


def _accesses(function: Function, slots: Mapping[Alloca, Store | None]) -> dict[Alloca, _Accesses]:
    """The loads and stores of each variable of which there is nothing else, in the order of each block."""
    known = {
        slot for slot in slots if all(_is_access(user, slot, slots[slot]) for user in slot.users)
    }
    found: dict[Alloca, _Accesses] = {slot: {} for slot in slots if slot in known}
    for block in function.blocks:
        for i in block.instructions:
            if isinstance(i, (Load, Store)) and i.pointer in known:
                assert isinstance(i.pointer, Alloca)
                found[i.pointer].setdefault(block, []).append(i)
    return found


def _is_access(user: Instruction, slot: Alloca, entering: Store | None) -> bool:
    if isinstance(user, Store):
        placed = user.parent is not None or user is entering
        return placed and user.pointer is slot and user.value.type is slot.allocated_type
    return isinstance(user, Load) and user.parent is not None and user.type is slot.allocated_type


def _remove(function: Function, found: dict[Alloca, _Accesses]) -> None:
    """Take the accesses out of their blocks, and sums with zero where the sign of zero does not count."""
    doomed = {i for accesses in found.values() for those in accesses.values() for i in those}
    for block in function.blocks:
        kept: list[Instruction] = []
        for i in block.instructions:
            if i not in doomed:
                if i.opcode != "fadd" or "nsz" not in i.flags or not is_zero(i.operands[0]):
                    kept.append(i)
                    continue
                i.replace_uses_with(i.operands[1])
            i.drop_operands()
            i.parent = None
        if len(kept) < len(block.instructions):
            block.instructions = kept


def drop_unread(slots: Iterable[Alloca]) -> set[Instruction]:
    """Remove the stores to variables that are never read from; returns them and the variables."""
    gone: set[Instruction] = set()
    for slot in slots:
        if all(isinstance(u, Store) and u.pointer is slot is not u.value for u in slot.users):
            gone.add(slot)
            gone.update(slot.users)
    for block in {i.parent: None for i in gone if i.parent is not None}:
        block.instructions = [i for i in block.instructions if i not in gone]
    for instruction in gone:
        instruction.drop_operands()
        instruction.parent = None
    return gone


class _Places:
    """What is asked of the control flow of a function."""

    def __init__(self, function: Function) -> None:
        self.entry = function.entry
        self.cfg = ControlFlow(function)
        self.dominators = Dominators(self.cfg)
        # The reverse of a loop that is left in its middle is entered there, and no loop of the usual kind.
        self.repeated = blocks_in_cycles(function)
        self.number = {block: k for k, block in enumerate(self.dominators.preorder)}

    def passed_once_before(self, accesses: _Accesses) -> Block:
        """The last block that is passed once only and dominates all of these."""
        reached = [block for block in accesses if block in self.number]
        if not reached:
            return self.entry
        # What dominates the first and the last of them dominates those between.
        first = min(reached, key=self.number.__getitem__)
        last = max(reached, key=self.number.__getitem__)
        place: Block | None = self.dominators.common(first, last)
        while place is not None and place in self.repeated:
            place = self.dominators.idom(place)
        return place or self.entry

    @cached_property
    def frontiers(self) -> dict[Block, list[Block]]:
        """Of each block the first ones that it does not dominate, but one before them."""
        found: dict[Block, dict[Block, None]] = {}
        for block in self.dominators.preorder:
            before = [p for p in self.cfg.predecessors(block) if self.cfg.is_reachable(p)]
            if len(before) < 2:
                continue
            above = self.dominators.idom(block)
            for place in before:
                runner: Block | None = place
                while runner is not None and runner is not above:
                    found.setdefault(runner, {})[block] = None
                    runner = self.dominators.idom(runner)
        return {block: list(those) for block, those in found.items()}

    def merges(self, blocks: Iterable[Block]) -> set[Block]:
        """Where values that these blocks set may meet another one."""
        found: set[Block] = set()
        pending = list(blocks)
        while pending:
            for block in self.frontiers.get(pending.pop(), ()):
                if block not in found:
                    found.add(block)
                    pending.append(block)
        return found

    def edges(self, block: Block) -> Iterator[Block]:
        """Where control comes from, once for every edge."""
        for predecessor in self.cfg.predecessors(block):
            for successor in predecessor.terminator.successors():
                if successor is block:
                    yield predecessor


@dataclass(eq=False)
class _Variable:
    """One variable on its way: its values at the ends of blocks and where they begin, phis on trial.

    A value is looked for from where it is used, from each block in the one that dominates it, up to where it is set or
    values meet: at the dominance frontiers of what sets it, as Cytron and others found ("Efficiently Computing Static
    Single Assignment Form and the Control Dependence Graph", 1991). A phi that turns out to have one operand gives way
    to it.
    """

    name: str
    type: Type
    places: _Places
    leaving: dict[Block, Value] = field(default_factory=dict)
    entering: dict[Block, Value] = field(default_factory=dict)
    instead: dict[Value, Value] = field(default_factory=dict)
    phis: dict[Phi, tuple[Block, list[tuple[Value, Block]]]] = field(default_factory=dict)
    merges: set[Block] = field(default_factory=set)
    _open: list[tuple[Block, Phi]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.zero = zero_of(self.type)
        self.zero_text = getattr(self.zero, "text", None)  # there are many objects of this value

    def zero_at(self, place: Block) -> None:
        """The variable is zero at the beginning of this block."""
        self.entering[place] = self.zero

    def follow(self, accesses: _Accesses) -> None:
        """Find the value of each load."""
        first: list[tuple[Block, Instruction]] = []
        self.merges = self.places.merges(
            block for block, those in accesses.items() if any(isinstance(i, Store) for i in those)
        )
        for block, those in accesses.items():
            value = self.entering.get(block)
            for i in those:
                if isinstance(i, Store):
                    value = i.value
                elif value is not None:
                    self.instead[i] = value
                else:
                    first.append((block, i))
            if value is not None:
                self.leaving[block] = value
        for block, load in first:
            self.instead[load] = self._entering(block)
        while self._open:
            block, phi = self._open.pop()
            incoming = [(self._leaving(edge), edge) for edge in self.places.edges(block)]
            self.phis[phi] = block, incoming
        self._drop_needless_phis()

    def replace(self) -> None:
        """Put the phis in place and let all use the values."""
        for phi, (block, incoming) in self.phis.items():
            if phi not in self.instead:
                for value, edge in incoming:
                    phi.add_incoming(self._now(value), edge)
                block.insert(0, phi)
        for load in self.instead:
            load.replace_uses_with(self._now(load))

    def _leaving(self, block: Block) -> Value:
        found = self.leaving.get(block)
        return self._entering(block) if found is None else found

    def _entering(self, block: Block) -> Value:
        """The value at the beginning of a block."""
        passed: list[Block] = []
        while True:
            value = self.entering.get(block)
            if value is not None:
                break
            if block in self.merges:
                phi = Phi(self.type, (), self.name)
                value = self.entering[block] = phi
                self._open.append((block, phi))
                break
            passed.append(block)
            above = self.places.dominators.idom(block)
            if above is None:
                value = undef_of(self.type)
                break
            value = self.leaving.get(above)
            if value is not None:
                break
            block = above
        for block in passed:
            self.entering[block] = value
        return value

    def _now(self, value: Value) -> Value:
        path: list[Value] = []
        while (after := self.instead.get(value)) is not None:
            path.append(value)
            value = after
        if isinstance(value, ConstFloat | ConstSimple) and value.text == self.zero_text:
            value = self.zero
        for passed in path:
            self.instead[passed] = value
        return value

    def _drop_needless_phis(self) -> None:
        """A phi all of whose operands are one value, or itself, is that value."""
        users: dict[Value, list[Phi]] = {}
        for phi, (_, incoming) in self.phis.items():
            for value, _ in incoming:
                users.setdefault(self._now(value), []).append(phi)
        pending = list(self.phis)
        while pending:
            phi = pending.pop()
            if phi in self.instead:
                continue
            values = {self._now(value) for value, _ in self.phis[phi][1]} - {phi}
            if len(values) > 1:
                continue
            value = self.instead[phi] = values.pop() if values else undef_of(self.type)
            again = users.pop(phi, [])
            users.setdefault(value, []).extend(again)
            pending += again
