"""References that are taken and given back while another one is held are not counted.

The caller holds its arguments as long as the call runs, and the function an array that it made until it lets go of it.
What is added to their counts and taken away again meanwhile changes nothing.  Numba counts each view, as `a[i]` in a
loop makes one; where the loop may raise, nobody else takes the pairs out, for the count is left behind with the
exception.  Without them a loop that only reads has no effect.

The count of an object is followed along all ways through the function.  It must be the same on every way to a place.
That of an argument must never be less than at the beginning, and at every successful exit what it was; then no call
that changes it is needed.  Of an allocation that is used for its data alone, those calls go that leave a reference.

Where a derivative fails, it gives back by itself what the program holds.  A program that reports an error out of an
exception handler gives some of that back, too: such calls go. What an inactive function returned has references of
its own, of which the derivative knows nothing: the program gives those back itself.
"""

from __future__ import annotations

from collections.abc import Collection, Container

from enzyme.engine.analysis.known_functions import is_inactive, lookup_known
from enzyme.engine.ir.instructions import Alloca, Call, Gep, Instruction, Load
from enzyme.engine.ir.module import Block, Function
from enzyme.engine.ir.values import Constant, Value
from enzyme.engine.preprocess.stack_arrays import movable

_CHANGES = {"retain": 1, "release": -1}


def drop_borrowed_counts(function: Function, cold: Collection[Block]) -> None:
    """Take out the calls that change counts and come to nothing; from `cold` blocks no success can be reached."""
    for block in cold:
        for i in list(block.instructions):
            if not isinstance(i, Call) or not _counts(i) or _is_returned(i.arguments[0]):
                continue
            if not _are_cold(i.arguments[0], cold):
                i.erase()
    for argument in function.args:
        changes = _changes(argument) if argument.type.is_pointer else {}
        if changes and _come_to_nothing(function, cold, changes):
            for call in changes:
                call.erase()
    for i in list(function.instructions()):
        if isinstance(i, Call) and i.type.is_pointer:
            changes = _changes(i)
            if len(changes) > 1 and movable(i) is not None:
                for call in _idle(i, changes):
                    call.erase()


def _changes(pointer: Value) -> dict[Instruction, int]:
    changes = {user: _counts(user) for user in pointer.users if isinstance(user, Call)}
    return {user: change for user, change in changes.items() if change}


def _counts(call: Call) -> int:
    """What the call adds to the count of its operand."""
    known = lookup_known(call)
    return 0 if known is None or call.users else _CHANGES.get(known.kind, 0)


def _are_cold(pointer: Value, cold: Container[Block]) -> bool:
    """Are the objects that it may point to made, or looked up, where the function fails?"""
    seen: set[Value] = set()
    pending = [pointer]
    while pending:
        value = pending.pop()
        if value in seen:
            continue
        seen.add(value)
        if isinstance(value, Constant):
            continue
        if not isinstance(value, Instruction) or value.parent not in cold:
            return False
        if value.opcode in ("phi", "select"):
            pending += (o for o in value.operands if o.type.is_pointer)
    return True


def _is_returned(pointer: Value) -> bool:
    """Is it read out of what an inactive function returned?"""
    if not isinstance(pointer, Load):
        return False
    place = pointer.pointer
    while isinstance(place, Gep):
        place = place.operands[0]
    return isinstance(place, Alloca) and any(
        isinstance(user, Call) and is_inactive(user.callee) and user.arguments[0] is place
        for user in place.users
    )


def _by_block(changes: Collection[Instruction]) -> dict[Block, list[Instruction]]:
    events: dict[Block, list[Instruction]] = {}
    for call in changes:
        assert call.parent is not None
        events.setdefault(call.parent, []).append(call)
    for block, mine in events.items():
        if len(mine) > 1:
            mine.sort(key=block.index_of)
    return events


def _come_to_nothing(
    function: Function, cold: Collection[Block], changes: dict[Instruction, int]
) -> bool:
    events = _by_block(changes)
    counts = {function.entry: 0}
    pending = [function.entry]
    while pending:
        block = pending.pop()
        count = counts[block]
        for call in events.get(block, ()):
            count += changes[call]
            if count < 0:
                return False
        successors = block.successors()
        if not successors and count and block not in cold:
            return False
        for successor in successors:
            if successor not in counts:
                counts[successor] = count
                pending.append(successor)
            elif counts[successor] != count and successor not in cold:
                return False
    return True


def _idle(allocation: Call, changes: dict[Instruction, int]) -> list[Instruction]:
    """The changes of a count that leave one reference at least; none where the count differs from way to way."""
    home = allocation.parent
    assert home is not None
    events = _by_block(changes)
    place = home.index_of(allocation)
    if any(home.index_of(call) < place for call in events.get(home, ())):
        return []
    found: list[Instruction] = []
    counts: dict[Block, int] = {}
    pending = [(home, 1)]
    while pending:
        block, count = pending.pop()
        for call in events.get(block, ()):
            if not count:
                return []
            if min(count, count + changes[call]) > 0:
                found.append(call)
            count += changes[call]
        for successor in block.successors():
            if successor is home:
                if count:
                    return []
            elif successor not in counts:
                counts[successor] = count
                pending.append((successor, count))
            elif counts[successor] != count:
                return []
    return found
