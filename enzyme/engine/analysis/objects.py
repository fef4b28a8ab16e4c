"""Which objects a pointer may point into, and which objects others can see.

An object is an argument's memory, an alloca, an allocating call, a global, or, where the object itself is not
known, the instruction that produced the pointer: a load or a call. The data pointer that is loaded from a fresh
counted object belongs to that object. `UNKNOWN_OBJECT` stands for anything at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from enzyme.engine.analysis.addresses import Steps, gep_steps, is_gep, without_constants
from enzyme.engine.analysis.known_functions import lookup_known
from enzyme.engine.analysis.pointer_uses import (
    COPIES,
    FOLLOWED,
    NUMBERED,
    RETURNED,
    SWAPPED,
    USES,
    copied,
    step_of,
)
from enzyme.engine.derivatives.catalogue import is_of_indices
from enzyme.engine.ir.dispatch import Selection
from enzyme.engine.ir.instructions import Alloca, Call, Instruction, Load, Store
from enzyme.engine.ir.known_function import COUNTED
from enzyme.engine.ir.module import Function
from enzyme.engine.ir.types import PTR
from enzyme.engine.ir.values import (
    Argument,
    Constant,
    ConstExpr,
    ConstSimple,
    GlobalVariable,
    Value,
    wrapped,
)

if TYPE_CHECKING:
    from enzyme.engine.analysis.modref import Summaries

Origins = tuple[Value, ...]

_CASTS = ("bitcast", "addrspacecast")
OF_ADDRESSES = Selection(
    "escapes",
    "the number of an address is only computed with",
    "add sub mul and or xor shl lshr ashr zext trunc freeze select phi".split(),
)


def _is_only_compared(address: Instruction) -> bool:
    """Is the number of an address only computed with and compared, so that no pointer comes of it?"""
    pending, visited = [address], {address}
    while pending:
        for user in pending.pop().users:
            if user.opcode == "icmp" or user in visited:
                continue
            extremum = isinstance(user, Call) and is_of_indices(user)
            if user.opcode not in OF_ADDRESSES and not extremum:
                return False
            visited.add(user)
            pending.append(user)
    return True


def _is_arithmetic(user: Instruction, value: Value) -> bool:
    """Is this a number that is computed with, and so no pointer on its way to other memory?"""
    return value.type.is_int and user.opcode != "inttoptr"


class _UnknownObject(Constant):
    """Any memory."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "<unknown object>"


UNKNOWN_OBJECT: Value = _UnknownObject(PTR)


class Objects:
    """Origins of pointers of one function; answers are kept."""

    def __init__(self, function: Function, summaries: Summaries) -> None:
        self.function = function
        self.summaries = summaries
        # What calls returned, where augmented calls have taken their place.
        self.stands_for: dict[Value, Value] = {}
        self._origins: dict[Value, Origins] = {}
        self._seen: dict[Value, tuple[bool, bool]] = {}
        self._outlives: dict[Value, bool] = {}
        self._data_offsets = summaries.module.runtime.data_offsets
        self._moved: dict[tuple[Value, int], list[Value]] | None = None

    # Origins --------------------------------------------------------------------------------------

    def underlying(self, pointer: Value) -> Origins:
        """The objects that a pointer may point into, in order of discovery; null has none."""
        found = self._origins.get(pointer)
        if found is None:
            origins: dict[Value, None] = {}
            for _ in self._walk(pointer, origins):
                pass
            found = self._origins[pointer] = tuple(origins)
        return found

    def ends(self, pointer: Value) -> Iterator[Value]:
        """The values that a pointer is derived from and that nothing is known to be behind."""
        return self._walk(pointer, {})

    def _walk(self, pointer: Value, origins: dict[Value, None]) -> Iterator[Value]:
        """Go through the values that a pointer is derived from; yields those without any behind them."""
        pending, visited = [pointer], {pointer}
        while pending:
            value = pending.pop()
            steps = self._step(value, origins)
            if not steps:
                yield value
            for step in steps:
                if step not in visited:
                    visited.add(step)
                    pending.append(step)

    def _step(self, value: Value, origins: dict[Value, None]) -> list[Value]:
        """The values that `value` is derived from; if it is an origin itself, note it."""
        if is_gep(value):
            return [value.operands[0]]  # type: ignore[attr-defined]
        if value in self.stands_for:
            return [self.stands_for[value]]
        if isinstance(value, Load):
            return self._loaded(value, origins)
        if isinstance(value, Call):
            row = self.summaries.of(value)
            if row.returns_operand is not None:
                return [value.arguments[row.returns_operand]]
        elif not isinstance(value, (Argument, Alloca, GlobalVariable, Function)):
            step = step_of(value)
            if step is None:
                origins[UNKNOWN_OBJECT] = None
                return []
            return step(value)
        origins[value] = None
        return []

    def _loaded(self, load: Load, origins: dict[Value, None]) -> list[Value]:
        owners, offset = self._owners_at(load)
        fresh = [o for o in owners if self._has_data_at(o, offset)]
        origins.update(dict.fromkeys(fresh))
        if not owners or len(fresh) < len(owners):
            origins[load] = None
        return [data for owner in fresh for data in self._stored_data(owner, offset)]

    def owners(self, origin: Value) -> list[Value]:
        """The counted objects that an origin, if it is a pointer that was loaded, may be the data of."""
        return self._owners_at(origin)[0] if isinstance(origin, Load) else []

    def _owners_at(self, load: Load) -> tuple[list[Value], int]:
        """What may have its data at the address that a load reads, and at which offset."""
        base, offset, steps = self.address(load.pointer)
        if offset not in self._data_offsets or steps or isinstance(base, tuple):
            return [], offset
        return self._headers(base), offset

    def _headers(self, pointer: Value) -> list[Value]:
        """The values that a pointer may be a copy of: the objects themselves, not the data of a list."""
        found: dict[Value, None] = {}
        pending, visited = [pointer], {pointer}
        while pending:
            value = pending.pop()
            steps = [value]
            if isinstance(value, Instruction) and value.opcode in COPIES:
                steps = copied(value)
            elif not isinstance(value, ConstSimple):
                found[value] = None
            for step in steps:
                if step not in visited:
                    visited.add(step)
                    pending.append(step)
        return list(found)

    def _stored_data(self, owner: Value, place: int) -> list[Value]:
        """What this function makes the data, at this place, of a fresh counted object, if the data may move."""
        if not isinstance(owner, Call) or not self.summaries.of(owner).movable_data:
            return []
        if self._moved is None:
            self._moved = {}
            for store in self.function.instructions():
                if not isinstance(store, Store) or not store.value.type.is_pointer:
                    continue
                base, offset, steps = self.address(store.pointer)
                if offset in self._data_offsets and not steps and not isinstance(base, tuple):
                    for origin in self._headers(base):
                        self._moved.setdefault((origin, offset), []).append(store.value)
        return self._moved.get((owner, place), [])

    def _has_data_at(self, value: Value, offset: int) -> bool:
        return isinstance(value, Call) and self.summaries.of(value).data_offset == offset

    def is_counted(self, value: Value) -> bool:
        """Is it a fresh counted object?"""
        return isinstance(value, Call) and self.summaries.of(value).returns == COUNTED

    def is_allocation(self, value: Value) -> bool:
        return isinstance(value, Call) and self.summaries.of(value).allocates

    def is_local(self, value: Value) -> bool:
        """Did this very call of the function make the object?"""
        return isinstance(value, Alloca) or self.is_allocation(value)

    # Addresses ------------------------------------------------------------------------------------

    def address(self, pointer: Value) -> tuple[Value | tuple[Value, str], int, Steps]:
        """Base, constant bytes and variable steps. The data of a fresh array is ``(call, "data")``."""
        offset = 0
        steps: Steps = ()
        while True:
            found = gep_steps(pointer, self.summaries.layout) if is_gep(pointer) else None
            if found is not None:
                pointer, constant, more = found
                hidden, more = without_constants(more)
                offset += constant + hidden
                steps += more
            elif isinstance(pointer, (Instruction, ConstExpr)) and pointer.opcode in _CASTS:
                pointer = pointer.operands[0]
            else:
                break
        if isinstance(pointer, Load):
            owner, place, more = self.address(pointer.pointer)
            if (
                place in self._data_offsets
                and not more
                and isinstance(owner, Call)
                and self._has_data_at(owner, place)
                and not self.summaries.of(owner).movable_data
            ):
                return (owner, "data"), wrapped(offset), steps
        return pointer, wrapped(offset), steps

    # Escapes --------------------------------------------------------------------------------------

    def escapes(self, value: Value) -> bool:
        """Can anybody outside this call of the function ever hold the pointer?"""
        return self._escape(value)[0]

    def is_visible(self, value: Value) -> bool:
        """Can a load or a call in this function obtain the pointer other than by being handed it?

        Returning it, or storing it where this function only writes, does not make it visible here.
        """
        return self._escape(value)[1]

    def outlives(self, value: Value) -> bool:
        """Can anybody hold a fresh object when this call of the function is over, whichever way it ends?

        Unlike `escapes`, this follows the pointer through memory that is local itself: an array in a list is
        gone with the list.
        """
        found = self._outlives.get(value)
        if found is None:
            found = self._outlives[value] = self._follow_through(value)
        return found

    def _follow_through(self, value: Value) -> bool:
        """Follow every pointer to the object, and every pointer (`inside`) to local memory that may hold one."""
        pending = [(value, False)]
        visited = {(value, False)}

        def follow(pointers: Iterable[Value], inside: bool) -> None:
            for pointer in pointers:
                if (pointer, inside) not in visited:
                    visited.add((pointer, inside))
                    pending.append((pointer, inside))

        while pending:
            pointer, inside = pending.pop()
            for user in pointer.users:
                use = USES.handlers[user.opcode]
                if use is FOLLOWED:
                    follow([user], inside)
                elif isinstance(user, Load):
                    if inside or value in self.underlying(user):
                        follow([] if user.type.scalar.is_float else [user], inside)
                elif isinstance(user, Store):
                    if user.value is pointer:
                        holders = self.underlying(user.pointer)
                        if not holders or not all(map(self.is_local, holders)):
                            return True
                        follow(holders, True)
                elif isinstance(user, Call):
                    row = lookup_known(user)
                    if row is None:
                        # A function that is given a list may take things out of it.
                        if inside or self._captures(user, pointer, behind=True):
                            return True
                    elif row.kind == "memory" and row.reads:
                        holders = self.underlying(user.arguments[0])
                        if inside and not all(map(self.is_local, holders)):
                            return True
                        follow(holders if inside else [], True)
                    elif self._captures(user, pointer) or (
                        inside and row.kind == "insert" and pointer is not user.arguments[0]
                    ):
                        # A dictionary keeps its keys, and lets go of them when it is freed.
                        return True
                    elif row.returns_operand is not None:
                        follow([user], inside)
                elif use is NUMBERED and _is_only_compared(user):
                    continue
                elif use is not None and not _is_arithmetic(user, pointer):
                    return True
        return False

    def _escape(self, value: Value) -> tuple[bool, bool]:
        found = self._seen.get(value)
        if found is None:
            found = self._seen[value] = self._follow(value)
        return found

    def _follow(self, value: Value) -> tuple[bool, bool]:
        outside = False
        counted = self.is_counted(value)
        pending, visited = [value], {value}
        while pending:
            pointer = pending.pop()
            for user in pointer.users:
                use = USES.handlers[user.opcode]
                if use is FOLLOWED:
                    if user not in visited:
                        visited.add(user)
                        pending.append(user)
                elif isinstance(user, Load):
                    if counted and user not in visited and value in self.underlying(user):
                        visited.add(user)
                        pending.append(user)
                elif isinstance(user, Store):
                    if user.value is pointer:
                        if not self.only_written(user.pointer):
                            return True, True
                        outside = True
                elif isinstance(user, Call):
                    if self._captures(user, pointer):
                        return True, True
                    row = self.summaries.of(user)
                    if row.returns_operand is not None and user not in visited:
                        visited.add(user)
                        pending.append(user)
                elif use is RETURNED:
                    outside = True
                elif use is SWAPPED:
                    if any(o is pointer for o in user.operands[1:]):
                        return True, True
                elif use is NUMBERED and _is_only_compared(user):
                    continue
                elif use is not None:
                    return True, True
        return outside, False

    def _captures(self, call: Call, pointer: Value, behind: bool = False) -> bool:
        """May others hold the pointer while the call runs, or (with `behind`) when it is over?"""
        row = self.summaries.of(call)
        captures = row.captures if row.keeps is None or not behind else row.keeps
        if call.callee is pointer:
            return False
        return any(a is pointer and k in captures for k, a in enumerate(call.arguments))

    def only_written(self, pointer: Value) -> bool:
        """Is this memory of the caller that nobody reads during the call?"""
        origins = self.underlying(pointer)
        return bool(origins) and all(
            isinstance(o, Argument)
            and o.has_attribute("writeonly")
            and o.has_attribute("noalias")
            and (o.has_attribute("nocapture") or "captures(none)" in o.attributes)
            for o in origins
        )
