"""Temporary objects in reverse mode: their shadows live in the reverse pass, they themselves no longer than they must.

Where the life of an object is known (`analysis.lifetimes`), nobody asks for its shadow before the reverse pass comes
to the release that ended it, nor after it has come to the allocation.  So the shadow is made there and given back
here: each step of a loop finds the memory of the one before, still warm, where shadows of all steps made in advance
would fill memory.  The object itself is held to the end of the reverse pass only where that reads it.

In the function that is differentiated the shadow of such an object is read from a variable, which the reverse pass
sets; there these reads are patterns, from which addresses are computed again, and are taken out in the end.

In split mode, where the reverse function could not tell its caller that it found no memory, all shadows are made in
advance.  A failure may leave such objects behind.  Their addresses stand in a table while they live, and every failing
exit lets go of what it finds there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from enzyme.engine.analysis.activity_result import ActivityResult, may_hold_pointer
from enzyme.engine.analysis.known_functions import lookup_known
from enzyme.engine.analysis.lifetimes import Lifetime, find_lifetimes
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.instructions import Call, Instruction, Load
from enzyme.engine.ir.module import Block
from enzyme.engine.ir.types import I32, I64, PTR, Type, struct_type
from enzyme.engine.ir.values import ConstInt, Value, zero_of
from enzyme.engine.synthesis.frame import Frame
from enzyme.engine.synthesis.helpers import helper
from enzyme.engine.synthesis.records import parts_of


def only_numbers(life: Lifetime, activity: ActivityResult) -> bool:
    """Does the object hold floats and nothing else, so that the forward pass does nothing to its shadow?"""
    types = activity.types
    data = [p for p in life.pointers if isinstance(p, Load)]
    for pointer in data:
        _, kinds = types.element_kinds(pointer)
        if not kinds or not all(kind.is_float for _, kind in kinds):
            return False
    for store in life.stores:
        if may_hold_pointer(store.value.type) or not activity.stores_float(store):
            return False
    for call in life.calls:
        known = lookup_known(call)
        if known is not None and known.kind == "memory":
            length = call.arguments[2]
            ends = call.arguments[: 2 if known.reads else 1]
            if any(parts_of(types, end, length).others for end in ends):
                return False
    return bool(data)


@dataclass(eq=False)
class ShortLived:
    """The short-lived objects of one reverse-mode derivative.

    `lives` are their lifetimes; `in_reverse` those whose shadows are made in the reverse pass, by allocation, and
    `ending` the releases that these end with. `patterns` stand for their shadows, `addresses` are those computed from
    them.
    """

    lives: Mapping[Call, Lifetime]
    in_reverse: dict[Call, Lifetime]
    frame: Callable[[], Frame]
    ending: dict[Call, Lifetime] = field(init=False)
    patterns: dict[Instruction, Value] = field(default_factory=dict)
    addresses: dict[Instruction, None] = field(default_factory=dict)
    _owners: dict[Load, Call] = field(init=False)
    _shadows: dict[tuple[Call, int], Value] = field(default_factory=dict)
    _data: dict[tuple[Call, int], Value] = field(default_factory=dict)
    _row: dict[object, int] = field(default_factory=dict)
    _table: Value | None = None

    def __post_init__(self) -> None:
        lives = self.in_reverse.values()
        self.ending = {end: life for life in lives for end in life.ends}
        self._owners = {
            p: life.allocation for life in lives for p in life.pointers if isinstance(p, Load)
        }

    # Shadows ------------------------------------------------------------------------------------------

    def pattern(self, b: Builder, allocation: Call, lane: int) -> Instruction:
        """What stands for the shadow in the function that is differentiated."""
        return self._pattern(b, self._shadows, allocation, lane, allocation.name)

    def data_pattern(self, b: Builder, load: Load, lane: int) -> Instruction | None:
        """What stands for the address of the shadow's data, where `load` reads that of the data; None elsewhere.

        A variable of its own, since LLVM does not see that what adjoints are added to is not the address itself.
        """
        allocation = self._owners.get(load)
        if allocation is None:
            return None
        return self._pattern(b, self._data, allocation, lane, load.name)

    def _pattern(
        self,
        b: Builder,
        variables: dict[tuple[Call, int], Value],
        allocation: Call,
        lane: int,
        name: str,
    ) -> Instruction:
        """A read of the variable that an object has among these."""
        slot = variables.get((allocation, lane))
        if slot is None:
            slot = self.frame().local(PTR, f"{name}.d", zero_of(PTR), reverse=True)
            variables[allocation, lane] = slot
        made = b.load(PTR, slot, f"{name}.d")
        self.patterns[made] = slot
        return made

    def find_addresses(self) -> None:
        """Find what is computed from patterns; all shadows have been inserted."""
        pending = list(self.patterns)
        while pending:
            for user in pending.pop().users:
                if user not in self.addresses:
                    self.addresses[user] = None
                    pending.append(user)

    def remove_patterns(self) -> None:
        """Take patterns and what is computed from them out of the forward pass, where nobody uses them."""
        doomed = {**dict.fromkeys(self.patterns), **self.addresses}
        for block in {i.parent: None for i in doomed if i.parent is not None}:
            block.instructions = [i for i in block.instructions if i not in doomed]
        for i in doomed:
            i.drop_operands()

    def set_shadow(
        self, b: Builder, allocation: Call, lane: int, made: Value, data: Value | None
    ) -> None:
        """The reverse pass made the shadow; `data` is where its numbers are."""
        b.store(made, self._shadows[allocation, lane])
        slot = self._data.get((allocation, lane))
        if slot is not None:
            assert data is not None
            b.store(data, slot)
        self._note(b, (allocation, lane), made)

    def take_shadow(self, b: Builder, allocation: Call, lane: int) -> Value:
        """The shadow, which the reverse pass is about to give back."""
        self._note(b, (allocation, lane), zero_of(PTR))
        return b.load(PTR, self._shadows[allocation, lane])

    # The objects themselves -----------------------------------------------------------------------------

    def let_die(self, needed: Iterable[Value]) -> Iterator[Call]:
        """Let objects end with their last reference if the reverse pass `needed` no address in them; the others."""
        read = set(needed)
        dying = {a: None for a, life in self.lives.items() if read.isdisjoint(life.pointers)}
        lanes = list(self._shadows)
        self._row = {key: k for k, key in enumerate((*lanes, *dying))}
        for allocation in dying:
            self._note(_behind(allocation), allocation, allocation)
            life = self.lives[allocation]
            for end in (*life.ends, *life.failing_ends):
                self._note(_behind(end), allocation, zero_of(PTR))
        yield from (allocation for allocation in self.lives if allocation not in dying)

    def _note(self, b: Builder, key: object, value: Value) -> None:
        type_ = self._type()
        if self._table is None:
            self._table = self.frame().local(type_, "short.lived", zero_of(type_))
        place = [ConstInt(I32, 0), ConstInt(I32, self._row[key])]
        b.store(value, b.gep(type_, self._table, place))

    def _type(self) -> Type:
        return struct_type([PTR] * len(self._row))

    def let_go(self, b: Builder) -> None:
        """After a failure: give back what is left."""
        if self._table is not None:
            count = ConstInt(I64, len(self._row))
            b.call(helper(b.module, "enzyme_end_all"), [self._table, count])


def _behind(i: Instruction) -> Builder:
    b = Builder()
    b.behind(i)
    return b


def find_short_lived(
    blocks: Sequence[Block],
    activity: ActivityResult,
    may_change: Callable[[Load], bool],
    frame: Callable[[], Frame],
    *,
    combined: bool,
) -> ShortLived:
    """The short-lived objects made in `blocks`; a reverse function of its own makes no shadows, see the module.

    `may_change` says of a load whether the same address may hold another value later.
    """
    lives = find_lifetimes(blocks, activity.oracle, may_change)
    in_reverse = {
        allocation: life
        for allocation, life in lives.items()
        if combined and activity.is_active_object(allocation) and only_numbers(life, activity)
    }
    return ShortLived(lives, in_reverse, frame)
