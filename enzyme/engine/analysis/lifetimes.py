"""Where the life of an object ends that a function makes and lets go of itself.

A temporary array has one owner: the code between its allocation and the release that makes the last of its references
go.  `find_lifetimes` counts references along all ways through the program; where the count is the same on every way,
the releases that end the object are known before anything runs.  Nobody else can have the pointer: it is kept nowhere,
handed to no function that is followed, and chosen among others by no phi.

Failing exits leave such objects behind, as the run time's do: a program that raises does not release what it holds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from enzyme.engine.analysis.alias import AliasOracle
from enzyme.engine.analysis.known_functions import lookup_known
from enzyme.engine.derivatives.routines import linear_call
from enzyme.engine.ir.dispatch import Selection
from enzyme.engine.ir.instructions import Call, Instruction, Load, Store
from enzyme.engine.ir.known_function import COUNTED, KnownFunction
from enzyme.engine.ir.module import Block
from enzyme.engine.ir.values import Value

LEADS_ON = Selection(
    "lifetimes",
    "a pointer to the same object",
    "getelementptr bitcast addrspacecast select".split(),
)
LOOKS = Selection("lifetimes", "it looks at the address only", "icmp ptrtoint".split())
_CHANGES = {"retain": 1, "release": -1}


@dataclass(frozen=True, slots=True, eq=False)
class Lifetime:
    """An object from its `allocation` to the first of the releases in `ends` that is come to.

    On the way to a failure it may end with one of `failing_ends`, or be left behind. `pointers` lead to it, `stores`
    write to it and `calls` are given its address.
    """

    allocation: Call
    ends: tuple[Call, ...]
    failing_ends: tuple[Call, ...]
    pointers: tuple[Instruction, ...]
    stores: tuple[Store, ...]
    calls: tuple[Call, ...]


def find_lifetimes(
    blocks: Sequence[Block], oracle: AliasOracle, may_change: Callable[[Load], bool]
) -> dict[Call, Lifetime]:
    """The lifetimes of counted objects made in `blocks`, those of a function from which success can be reached.

    `may_change` says of a load whether the same address may hold another value later.
    """
    finder = _Finder(blocks, oracle, may_change)
    found: dict[Call, Lifetime] = {}
    for block in blocks:
        for i in block.instructions:
            if isinstance(i, Call):
                known = lookup_known(i)
                if known is not None and known.kind == "allocate" and known.returns == COUNTED:
                    life = finder.lifetime(i, known)
                    if life is not None:
                        found[i] = life
    return found


class _Finder:
    def __init__(
        self, blocks: Sequence[Block], oracle: AliasOracle, may_change: Callable[[Load], bool]
    ) -> None:
        self.oracle = oracle
        self.may_change = may_change
        self.within = set(blocks)
        self._places: dict[Block, dict[Instruction, int]] = {}
        self._predecessors: dict[Block, list[Block]] = {block: [] for block in blocks}
        for block in blocks:
            for successor in block.successors():
                if successor in self.within:
                    self._predecessors[successor].append(block)
        # Objects whose references are counted where it may be another one.
        self._unclear: set[Value] = set()
        for i in oracle.function.instructions():
            if isinstance(i, Call):
                self._note_unclear(i)

    def _note_unclear(self, call: Call) -> None:
        known = lookup_known(call)
        if known is None or known.kind not in ("retain", "release", "release_many", "free"):
            return
        for pointer in (a for a in call.arguments if a.type.is_pointer):
            origins = self.oracle.underlying(pointer)
            if known.kind not in _CHANGES or origins != (pointer,):
                self._unclear.update(origins)

    def lifetime(self, allocation: Call, known: KnownFunction) -> Lifetime | None:
        if allocation in self._unclear or self.oracle.escapes(allocation):
            return None
        if self.oracle.outlives(allocation):
            return None
        seen = self._follow(allocation, known)
        if seen is None:
            return None
        pointers, users = seen
        ends = self._ends(allocation, users)
        if ends is None:
            return None
        return Lifetime(
            allocation,
            tuple(end for end in ends if end.parent in self.within),
            tuple(end for end in ends if end.parent not in self.within),
            tuple(pointers),
            tuple(u for u in users if isinstance(u, Store)),
            tuple(u for u in users if isinstance(u, Call) and not _change(u)),
        )

    def _follow(
        self, allocation: Call, known: KnownFunction
    ) -> tuple[list[Instruction], list[Instruction]] | None:
        """The pointers to the object, and all that uses one; None where it may be reached in another way."""
        pointers: dict[Instruction, None] = {allocation: None}
        users: dict[Instruction, None] = {}
        pending: list[Instruction] = [allocation]
        while pending:
            pointer = pending.pop()
            for user in pointer.users:
                if user in users:
                    continue
                users[user] = None
                leads_on = user.opcode in LEADS_ON
                if isinstance(user, Load) and user.type.is_pointer:
                    base, offset, steps = self.oracle.objects.address(user.pointer)
                    if (base, offset) != (allocation, known.data_offset) or steps:
                        return None
                    if user.flags or user.suffix or self.may_change(user):
                        return None
                    leads_on = True
                elif not leads_on and not self._is_plain(user, pointer):
                    return None
                if leads_on and user not in pointers:
                    pointers[user] = None
                    pending.append(user)
        return list(pointers), list(users)

    def _is_plain(self, user: Instruction, pointer: Instruction) -> bool:
        """Does it use the memory, or the number of its address, and nothing else?"""
        if isinstance(user, Load):
            return not user.type.is_aggregate
        if isinstance(user, Store):
            return not user.value.type.is_pointer and not user.value.type.is_aggregate
        if isinstance(user, Call):
            known = lookup_known(user)
            if known is None:
                return False
            if known.kind == "memory":
                return not user.users
            return bool(_change(user)) or linear_call(user) is not None
        return user.opcode in LOOKS

    # Counting -----------------------------------------------------------------------------------------

    def _ends(self, allocation: Call, users: list[Instruction]) -> tuple[Call, ...] | None:
        """The releases that end the object; None where the count differs, or it is used or left behind later."""
        events: dict[Block, list[tuple[int, Instruction]]] = {}
        for user in users:
            assert user.parent is not None
            events.setdefault(user.parent, []).append((self._place(user), user))
        home = allocation.parent
        assert home is not None
        ends: dict[Call, None] = {}
        counts: dict[Block, int] = {}  # at the beginning of blocks that the object lives to see
        reached = 0  # users that were seen while it lived
        pending = [(home, 1, self._place(allocation))]
        while pending:
            block, count, place = pending.pop()
            mine = sorted(
                (e for e in events.get(block, ()) if e[0] > place), key=lambda event: event[0]
            )
            for _, user in mine:
                if not count:
                    return None  # used after its end
                reached += 1
                count += _change(user)
                if not count:
                    assert isinstance(user, Call)
                    ends[user] = None
            if not count:
                continue
            successors = block.successors()
            if block in self.within and not any(s in self.within for s in successors):
                return None  # left behind
            for successor in successors:
                if successor is home:
                    return None  # the next one is made before this one has ended
                if successor not in counts:
                    counts[successor] = count
                    pending.append((successor, count, -1))
                elif counts[successor] != count:
                    return None
        if reached != sum(map(len, events.values())):
            return None
        # Whoever comes to a place where it lives has it.
        alive = self._alive_at_end(home, counts, events)
        for block in counts:
            if any(p not in alive for p in self._predecessors.get(block, ())):
                return None
        return tuple(ends)

    def _alive_at_end(
        self,
        home: Block,
        counts: dict[Block, int],
        events: dict[Block, list[tuple[int, Instruction]]],
    ) -> set[Block]:
        starts = {**counts, home: 1}
        return {
            block
            for block, count in starts.items()
            if count + sum(_change(user) for _, user in events.get(block, ()))
        }

    def _place(self, i: Instruction) -> int:
        block = i.parent
        assert block is not None
        places = self._places.get(block)
        if places is None:
            places = self._places[block] = {x: k for k, x in enumerate(block.instructions)}
        return places[i]


def _change(user: Instruction) -> int:
    """What it adds to the number of references."""
    known = lookup_known(user) if isinstance(user, Call) else None
    return 0 if known is None else _CHANGES.get(known.kind, 0)
