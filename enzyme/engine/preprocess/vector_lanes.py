"""Vectors that hold things of several kinds are taken apart into their lanes.

Vectorised loops over records write ``{double, long}`` of several records as one vector of integers, in which the bits
of floats stand between integers, and read fields by shuffling what was loaded, members that nobody wants among it.
Lane by lane, each access is of one kind.  Vectors of addresses become addresses, which can be followed.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence

from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.instructions import Gep, Instruction, Load, Phi, Store
from enzyme.engine.ir.module import Function, Module
from enzyme.engine.ir.types import DOUBLE, FLOAT, I1, I32, I64, PTR, IntType, Type, VectorType
from enzyme.engine.ir.values import (
    ConstAggregate,
    ConstFloat,
    ConstInt,
    ConstSplat,
    Value,
    poison_of,
)
from enzyme.engine.preprocess.lanes import behind, is_undefined, lane_of_constant, places_of
from enzyme.engine.preprocess.whole_values import scopes_of


def take_vectors_apart(module: Module) -> None:
    """Rewrite all functions in place."""
    for function in module.functions.values():
        lanes = _Lanes(function)
        for i in list(function.instructions()):
            if isinstance(i, Store) and _is_plain(i) and _is_mixed(i.value):
                _store_lanes(i, lanes)
            elif isinstance(i, Load) and _is_plain(i):
                for load in (*_loads_of_casts(i), i):
                    _load_lanes(load)
        for i in list(function.instructions()):
            if (
                i.opcode == "extractelement"
                and _lane(i.operands[1]) >= 0
                and _holds_addresses(i.operands[0])
            ):
                found = lanes.of(i.operands[0], _lane(i.operands[1]))
                if found is not i:
                    i.replace_uses_with(found)
                    i.erase()


def _holds_addresses(vector: Value) -> bool:
    """Are there addresses in its lanes, or the numbers that they are?"""
    kind = vector.type
    if not isinstance(kind, VectorType) or kind.element.is_pointer:
        return isinstance(kind, VectorType)
    pending, seen = [vector], {vector}
    while pending:
        inner = pending.pop()
        if isinstance(inner, Instruction):
            if inner.opcode == "ptrtoint":
                return True
            if inner.opcode in ("phi", "insertelement", "shufflevector"):
                new = [o for o in inner.operands if o.type is kind and o not in seen]
                pending += new
                seen.update(new)
    return False


def _is_plain(access: Load | Store) -> bool:
    type_ = access.accessed
    return (
        not access.flags
        and not access.suffix
        and access.pointer.type is PTR
        and _lane_bytes(type_) > 0
    )


def _lane_bytes(type_: Type) -> int:
    """How many bytes a lane has in memory; 0 if lanes do not lie there one behind the other."""
    if not isinstance(type_, VectorType) or type_.scalable:
        return 0
    bits = 64 if type_.element is PTR else getattr(type_.element, "bits", 0)
    return bits // 8 if bits in (8, 16, 32, 64) else 0


def _lane(index: Value) -> int:
    return index.value if isinstance(index, ConstInt) else -1


class _Lanes:
    """Lanes of vectors as values of their own, made where the vector is made."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.known: dict[tuple[Value, int], Value] = {}

    def of(self, vector: Value, lane: int) -> Value:
        found = self.known.get((vector, lane))
        if found is None:
            found = self._made(vector, lane)
            self.known[vector, lane] = found
        return found

    def _made(self, vector: Value, lane: int) -> Value:
        kind = vector.type
        assert isinstance(kind, VectorType)
        if vector.is_constant:
            found = lane_of_constant(vector, lane)
            return self._extracted(vector, lane) if found is None else found
        if not isinstance(vector, Instruction):
            return self._extracted(vector, lane)
        if vector.opcode == "insertelement" and _lane(vector.operands[2]) >= 0:
            whole, part, place = vector.operands
            return part if _lane(place) == lane else self.of(whole, lane)
        if vector.opcode == "shufflevector":
            first, second, mask = vector.operands
            source = places_of(mask, kind.count)[lane]
            if source is None:
                return poison_of(kind.element)
            count = int(getattr(first.type, "count", 0))
            return self.of(first, source) if source < count else self.of(second, source - count)
        if vector.opcode == "bitcast" and _as_many(vector.operands[0], kind):
            inner = self.of(vector.operands[0], lane)
            return behind(vector).cast("bitcast", inner, kind.element)
        if vector.opcode in ("ptrtoint", "inttoptr"):
            inner = self.of(vector.operands[0], lane)
            return behind(vector).cast(vector.opcode, inner, kind.element)
        if isinstance(vector, Load) and _is_plain(vector):
            return _load_lane(behind(vector), vector, lane, kind.element)
        if isinstance(vector, Phi) and _holds_addresses(vector):
            return self._of_phi(vector, kind.element, lane)
        if not kind.element.is_pointer:
            return self._extracted(vector, lane)
        if isinstance(vector, Gep):
            base, *indices = (self.of(o, lane) if o.type.is_vector else o for o in vector.operands)
            made = Gep(vector.source_type, base, indices, "", vector.flags)
            return behind(vector).add(made)
        if vector.opcode == "select":
            condition, then, other = vector.operands
            if condition.type is not I1:
                condition = self.of(condition, lane)
            then, other = self.of(then, lane), self.of(other, lane)
            return behind(vector).select(condition, then, other)
        return self._extracted(vector, lane)

    def _of_phi(self, vector: Phi, type_: Type, lane: int) -> Value:
        block = vector.parent
        assert block is not None
        made = Phi(type_)
        block.insert(0, made)
        self.known[vector, lane] = made
        for value, source in vector.incoming:
            made.add_incoming(self.of(value, lane), source)
        return made

    def _extracted(self, vector: Value, lane: int) -> Value:
        kind = vector.type
        assert isinstance(kind, VectorType)
        taken = Instruction("extractelement", kind.element, (vector, ConstInt(I32, lane)))
        if isinstance(vector, Instruction):
            return behind(vector).add(taken)
        return Builder(self.function.entry, 0).add(taken)


def _as_many(vector: Value, kind: VectorType) -> bool:
    return isinstance(vector.type, VectorType) and vector.type.count == kind.count


# Stores -------------------------------------------------------------------------------------------


def _is_mixed(value: Value) -> bool:
    """Is it put together of vectors of several kinds, or of integers that were loaded and may be anything?"""
    if not isinstance(value, Instruction) or value.opcode not in _PUT_TOGETHER:
        return False
    kinds = set(_kindsbehind(value))
    return len(kinds) > 1 or _LOADED in kinds


_PUT_TOGETHER = ("shufflevector", "insertelement", "inttoptr")
_LOADED = "loaded"
_PARTS = ("insertelement", "shufflevector", "bitcast", "inttoptr", "ptrtoint", "extractelement")


def _kindsbehind(value: Value) -> Iterator[str]:
    """Whether floats, integers or addresses stand in the lanes, as what they are made of tells."""
    pending, seen = [value], {value}
    while pending:
        value = pending.pop()
        if value.is_constant:
            if isinstance(value.type.scalar, IntType) and not is_undefined(value):
                yield "integer, or the bits of a float"
            elif any(_bits_of_integer(part) is not None for part in _parts_of(value)):
                yield "integer"
            elif getattr(value, "text", "") == "zeroinitializer":
                yield "zeros of any kind"
            continue
        if isinstance(value, Instruction):
            opcode = value.opcode
            if opcode in ("shufflevector", "insertelement"):
                pending += [o for o in value.operands[:2] if o not in seen]
                seen.update(value.operands[:2])
                continue
            if opcode in ("bitcast", "inttoptr") and value.operands[0] not in seen:
                seen.add(value.operands[0])
                pending.append(value.operands[0])
                continue
            if opcode == "ptrtoint":
                yield "address"
                continue
            if isinstance(value, Load) and isinstance(value.type.scalar, IntType):
                yield _LOADED
                continue
        yield (
            "float"
            if value.type.scalar.is_float
            else ("address" if value.type.scalar.is_pointer else "integer")
        )


def _store_lanes(store: Store, lanes: _Lanes) -> None:
    kind = store.value.type
    assert isinstance(kind, VectorType)
    size = _lane_bytes(kind)
    parts = [_as_it_was(lanes.of(store.value, lane)) for lane in range(kind.count)]
    b = Builder()
    b.before(store)
    for lane, part in enumerate(parts):
        made = b.store(part, b.byte_offset(store.pointer, lane * size), 1)
        made.metadata = scopes_of(store)
    whole = store.value
    store.erase()
    _erase_unused(whole)


def _erase_unused(value: Value) -> None:
    """Nobody else is to see lanes as parts of a vector that is gone."""
    pending = [value]
    while pending:
        value = pending.pop()
        if not isinstance(value, Instruction) or value.parent is None or value.users:
            continue
        if value.opcode in _PARTS:
            pending += value.operands
            value.erase()


def _as_it_was(part: Value) -> Value:
    """A float whose bits are an integer, an address that is one, or one of these that is called something else."""
    if isinstance(part, Instruction) and part.opcode in ("bitcast", "ptrtoint", "inttoptr"):
        return part.operands[0]
    bits = _bits_of_integer(part)
    return part if bits is None else bits


def _parts_of(constant: Value) -> Sequence[Value]:
    if isinstance(constant, ConstAggregate):
        return constant.elements
    return (constant.element,) if isinstance(constant, ConstSplat) else ()


def _bits_of_integer(part: Value) -> ConstInt | None:
    """The small integer that a constant float is which no number is likely to be, one below the least normal number; or
    zero, which says nothing of its kind."""
    if not isinstance(part, ConstFloat) or part.type not in (DOUBLE, FLOAT):
        return None
    if part.type is DOUBLE:
        (bits,), type_, fraction = struct.unpack("<Q", struct.pack("<d", part.value)), I64, 52
    else:
        (bits,), type_, fraction = struct.unpack("<I", struct.pack("<f", part.value)), I32, 23
    return None if bits >> fraction else ConstInt(type_, bits)


# Loads --------------------------------------------------------------------------------------------


def _loads_of_casts(load: Load) -> list[Load]:
    """Loads of their own for what is wanted as a vector of other lanes."""
    made = []
    for cast in [u for u in load.users if u.opcode == "bitcast" and _lane_bytes(u.type)]:
        b = Builder()
        b.before(load)
        own = b.load(cast.type, load.pointer, cast.name, load.align)
        own.metadata = scopes_of(load)
        cast.replace_uses_with(own)
        cast.erase()
        made.append(own)
    return made


def _load_lanes(load: Load) -> None:
    """Load only what is wanted, as what it is wanted."""
    kind = load.type
    assert isinstance(kind, VectorType)
    wanted: dict[Instruction, list[int | None]] = {}
    for user in load.users:
        if user.opcode == "extractelement" and _lane(user.operands[1]) >= 0:
            wanted[user] = [_lane(user.operands[1])]
        elif user.opcode == "shufflevector" and isinstance(user.type, VectorType):
            first, second, mask = user.operands
            places = places_of(mask, user.type.count)
            if first is load and second.is_constant:
                wanted[user] = [p if p is not None and p < kind.count else None for p in places]
            else:
                return
        else:
            return
    found = {p for places in wanted.values() for p in places if p is not None}
    uses = [use for user in wanted for use in _uses_of(user)]
    types = {_element(use) for _, use in uses}
    if not uses or (
        len(found) == kind.count and len(types) == 1 and all(t.is_float for t in types)
    ):
        return
    b = Builder()
    b.before(load)
    loaded: dict[tuple[int, Type], Value] = {}

    def lane_of(place: int | None, type_: Type) -> Value:
        if place is None:
            return poison_of(type_)
        if (place, type_) not in loaded:
            loaded[place, type_] = _load_lane(b, load, place, type_)
        return loaded[place, type_]

    for user, use in uses:
        lanes = [lane_of(place, _element(use)) for place in wanted[user]]
        made = lanes[0]
        if isinstance(use.type, VectorType):
            made = poison_of(use.type)
            for place, lane in enumerate(lanes):
                parts = (made, lane, ConstInt(I32, place))
                made = b.add(Instruction("insertelement", use.type, parts))
        use.replace_uses_with(made)
    for user, use in uses:
        if use is not user:
            use.erase()
    for user in wanted:
        user.erase()
    load.erase()


def _load_lane(b: Builder, load: Load, lane: int, type_: Type) -> Load:
    made = b.load(type_, b.byte_offset(load.pointer, lane * _lane_bytes(load.type)), "", 1)
    made.metadata = scopes_of(load)
    return made


def _element(use: Instruction) -> Type:
    return use.type.element if isinstance(use.type, VectorType) else use.type


def _uses_of(user: Instruction) -> Iterator[tuple[Instruction, Instruction]]:
    """What lanes become: as what a cast takes them, and as what they are for all others."""
    casts = [u for u in user.users if u.opcode == "bitcast" and _keeps_lanes(user.type, u.type)]
    yield from ((user, cast) for cast in casts)
    if len(casts) < len(user.users) or not user.users:
        yield user, user


def _keeps_lanes(type_: Type, other: Type) -> bool:
    if isinstance(type_, VectorType):
        return isinstance(other, VectorType) and type_.count == other.count
    return not isinstance(other, VectorType)
