"""Floats whose bits went through integers, in registers, are taken from where they were floats.

LLVM keeps small records in registers, and several in one vector: the bits of a float are cast, shuffled, shifted, and
cast back.  Where every step is seen, and no other bits come in between, the number is the one that it was.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable

from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.instructions import Instruction, Load, Phi
from enzyme.engine.ir.module import Module
from enzyme.engine.ir.types import (
    DOUBLE,
    FLOAT,
    I1,
    I32,
    PTR,
    FloatType,
    IntType,
    Type,
    VectorType,
    int_type,
)
from enzyme.engine.ir.values import (
    Argument,
    ConstAggregate,
    ConstFloat,
    ConstInt,
    ConstSimple,
    ConstSplat,
    Value,
    poison_of,
    zero_of,
)
from enzyme.engine.preprocess.lanes import behind, is_undefined, lane_of_constant, places_of

_FORMS = {32: ("<i", "<f"), 64: ("<q", "<d")}


def follow_bits(module: Module) -> None:
    """Replace casts of integers to floats in the whole module; low bits and first lanes are the same."""
    if not is_little(module):
        return
    for function in module.functions.values():
        for cast in [i for i in function.instructions() if i.opcode == "bitcast"]:
            if _is_float(cast.type) and not _is_float(cast.operands[0].type):
                _replace(cast)


def is_little(module: Module) -> bool:
    """Does the low byte of a number come first in memory?"""
    return not any("datalayout" in line and '"E' in line for line in module.header)


def _is_float(type_: Type) -> bool:
    return isinstance(type_.scalar, FloatType)


def _bits(type_: Type) -> int:
    """How many bits one lane has; 0 for what has none that can be followed."""
    element = type_.element if isinstance(type_, VectorType) else type_
    return int(getattr(element, "bits", 0)) if isinstance(element, IntType | FloatType) else 0


def _replace(cast: Instruction) -> None:
    scalar = cast.type.scalar
    size, count = _bits(cast.type), getattr(cast.type, "count", 1)
    trace = Trace(scalar)
    whole, wanted = cast.operands[0], _wanted(cast)
    found = [
        trace.find(whole, lane * size, size) if lane in wanted else poison_of(scalar)
        for lane in range(count)
    ]
    lanes = [trace.as_float(value) for value in found]
    if any(lane is None for lane in lanes) or all(v.is_constant or v is whole for v in found if v):
        trace.undo()
        return
    b = Builder()
    b.before(cast)
    made = lanes[0]
    if isinstance(cast.type, VectorType):
        made = poison_of(cast.type)
        for place, lane in enumerate(lanes):
            assert lane is not None
            made = b.add(
                Instruction("insertelement", cast.type, (made, lane, ConstInt(I32, place)))
            )
    assert made is not None
    cast.replace_uses_with(made)
    cast.erase()
    trace.tidy()


def _wanted(cast: Instruction) -> set[int]:
    """The lanes that somebody looks at."""
    count = getattr(cast.type, "count", 1)
    found: set[int] = set()
    for user in cast.users:
        if user.opcode == "extractelement" and isinstance(user.operands[1], ConstInt):
            found.add(user.operands[1].value)
        elif user.opcode == "shufflevector":
            places = places_of(user.operands[2], getattr(user.type, "count", 0))
            starts = [k * count for k in (0, 1) if user.operands[k] is cast]
            found.update(p - start for p in places if p is not None for start in starts)
        else:
            return set(range(count))
    return found


class _Lost(Exception):
    """Bits that come round a loop, or in several ways, are not seen, or those of no float."""


class Trace:
    """Finds what some bits of a value are: a float of one type, or an integer of as many bits."""

    def __init__(self, scalar: Type) -> None:
        self.scalar = scalar
        self.made: list[Instruction] = []
        self.floats = 0
        self.phis: dict[tuple[Value, int, int], Phi] = {}
        self.known: dict[tuple[Value, int, int], tuple[Value | None, int]] = {}

    def undo(self) -> None:
        """Take away what was made for nothing."""
        for made in self.made:
            made.drop_operands()
        for made in reversed(self.made):
            made.erase()

    def tidy(self) -> None:
        """Take away what nobody uses."""
        for made in reversed(self.made):
            if not made.users and made.parent is not None:
                made.erase()

    def find(self, value: Value, low: int, width: int) -> Value | None:
        """What the `width` bits from bit `low` on are; None where that is not seen, and then nothing is left of it."""
        try:
            return self.of(value, low, width)
        except _Lost:
            self.undo()
            self.made, self.phis, self.known = [], {}, {}
            return None

    def as_float(self, value: Value | None) -> Value | None:
        """What was found as a float: that of an integer with the same bits."""
        if value is None or value.type is self.scalar:
            return value
        if isinstance(value, ConstInt):
            return _float_of(value, self.scalar)
        assert isinstance(value, Instruction)
        return self._add(behind(value), Instruction("bitcast", self.scalar, (value,)))

    def of(self, value: Value, low: int, width: int) -> Value | None:
        """What the `width` bits from bit `low` on are.  They are looked for once: many ways may lead to one value."""
        known = self.known.get((value, low, width))
        if known is None:
            before = self.floats
            found = self._search(value, low, width)
            self.known[value, low, width] = found, self.floats - before
            return found
        self.floats += known[1]
        return known[0]

    def _search(self, value: Value, low: int, width: int) -> Value | None:
        type_ = value.type
        size = _bits(type_)
        if not size or (isinstance(type_, VectorType) and type_.scalable):
            return None
        if _is_float(type_):
            if low % size or width != size or type_.scalar is not self.scalar:
                return None
            self.floats += 1
            return self._lane(value, low // size)
        if value.is_constant:
            return _constant(value, low, width, self.scalar)
        if not isinstance(value, Instruction):
            return None
        handler = _HANDLERS.get(value.opcode)
        if handler and (value.opcode in _CLEARING or self._hides_floats(value)):
            found = handler(self, value, low, width)
            if found is not None or not isinstance(value, Load):
                return found
        return self._part(value, low, width, size)

    def _part(self, value: Instruction, low: int, width: int, size: int) -> Value | None:
        """Some bits of an integer of which no more is seen."""
        lane, at = divmod(low, size)
        if at + width > size:
            return None
        part = self._lane(value, lane)
        if part is None or width == size:
            return part
        assert isinstance(part, Instruction)
        if at:
            part = self._add(
                behind(part), Instruction("lshr", part.type, (part, ConstInt(part.type, at)))
            )
        return self._add(behind(part), Instruction("trunc", int_type(width), (part,)))

    def _hides_floats(self, value: Value) -> bool:
        """Do bits of a float, or what is loaded, get there?"""
        pending, seen = [value], {value}
        while pending:
            value = pending.pop()
            if _is_float(value.type) or isinstance(value, Load):
                return True
            if isinstance(value, Instruction) and value.opcode in _HANDLERS:
                more = [o for o in value.operands if o not in seen]
                seen.update(more)
                pending += more
        return False

    def _add(self, builder: Builder, made: Instruction) -> Instruction:
        self.made.append(builder.add(made))
        return made

    def _lane(self, value: Value, lane: int) -> Value | None:
        type_ = value.type
        if not isinstance(type_, VectorType):
            return value
        taken = Instruction("extractelement", type_.element, (value, ConstInt(I32, lane)))
        if isinstance(value, Argument) and value.function is not None:
            return self._add(Builder(value.function.entry, 0), taken)
        return self._add(behind(value), taken) if isinstance(value, Instruction) else None

    # One handler for each way of bits through an instruction ------------------------------------------

    def same(self, i: Instruction, low: int, width: int) -> Value | None:
        return self.of(i.operands[0], low, width)

    def shuffled(self, i: Instruction, low: int, width: int) -> Value | None:
        first, second, mask = i.operands
        size = _bits(i.type)
        count, lane = getattr(first.type, "count", 0), low // size
        places = places_of(mask, getattr(i.type, "count", 0))
        wanted = places[lane : (low + width - 1) // size + 1]
        if any(p is None for p in wanted):
            return poison_of(self.scalar) if all(p is None for p in wanted) else None
        start = wanted[0]
        assert start is not None
        if wanted != list(range(start, start + len(wanted))) or (
            start < count <= start + len(wanted) - 1
        ):
            return None
        source, at = (first, start) if start < count else (second, start - count)
        return self.of(source, at * size + low % size, width)

    def inserted(self, i: Instruction, low: int, width: int) -> Value | None:
        whole, part, place = i.operands
        size = _bits(i.type)
        if not isinstance(place, ConstInt):
            return None
        if low // size != (low + width - 1) // size:
            touched = range(low // size, (low + width - 1) // size + 1)
            return None if place.value in touched else self.of(whole, low, width)
        if place.value == low // size:
            return self.of(part, low % size, width)
        return self.of(whole, low, width)

    def extracted(self, i: Instruction, low: int, width: int) -> Value | None:
        whole, place = i.operands
        if not isinstance(place, ConstInt):
            return None
        return self.of(whole, place.value * _bits(i.type) + low, width)

    def truncated(self, i: Instruction, low: int, width: int) -> Value | None:
        lane, at = divmod(low, _bits(i.type))
        if at + width > _bits(i.type):
            return None
        return self.of(i.operands[0], lane * _bits(i.operands[0].type) + at, width)

    def widened(self, i: Instruction, low: int, width: int) -> Value | None:
        lane, at = divmod(low, _bits(i.type))
        inner = _bits(i.operands[0].type)
        if at >= inner:
            return ConstInt(int_type(width), 0)
        return self.of(i.operands[0], lane * inner + at, width) if at + width <= inner else None

    def shifted(self, i: Instruction, low: int, width: int) -> Value | None:
        by = _everywhere(i.operands[1])
        size = _bits(i.type)
        at = low % size
        if by is None or at + width > size:
            return None
        at += -by if i.opcode == "shl" else by
        if at + width <= 0 or at >= size:
            return ConstInt(int_type(width), 0)
        if at < 0 or at + width > size:
            return None
        return self.of(i.operands[0], low - low % size + at, width)

    def joined(self, i: Instruction, low: int, width: int) -> Value | None:
        """Of two integers one has nothing but zeros there, or changes nothing but the sign of a float."""
        one, two = (self.of(operand, low, width) for operand in i.operands)
        for kept, other in ((two, one), (one, two)):
            if isinstance(other, ConstInt) and other.value == 0:
                return kept
        sign = ConstInt(int_type(width), 1 << (width - 1)).value
        for number, mask in ((one, two), (two, one)):
            is_sign = i.opcode == "xor" and isinstance(mask, ConstInt) and mask.value == sign
            if is_sign and number is not None and number.type is self.scalar:
                return self._add(behind(i), Instruction("fneg", self.scalar, (number,)))
        return None

    def masked(self, i: Instruction, low: int, width: int) -> Value | None:
        mask = (
            _constant(i.operands[1], low, width, self.scalar) if i.operands[1].is_constant else None
        )
        if not isinstance(mask, ConstInt):
            return None
        if mask.value == 0:
            return ConstInt(int_type(width), 0)
        return self.of(i.operands[0], low, width) if mask.value == -1 else None

    def chosen(self, i: Instruction, low: int, width: int) -> Value | None:
        condition, *arms = i.operands
        before = self.floats
        found = [self.of(arm, low, width) for arm in arms]
        type_ = self.scalar
        if self.floats == before:  # integers are chosen as what they are
            type_, (then, other) = int_type(width), found
        else:
            then, other = map(self.as_float, found)
        if then is None or other is None or then.type is not type_ or other.type is not type_:
            return None
        if condition.type is not I1:
            lane = low // _bits(i.type)
            if (low + width - 1) // _bits(i.type) != lane or not isinstance(condition, Instruction):
                return None
            taken = Instruction("extractelement", I1, (condition, ConstInt(I32, lane)))
            condition = self._add(behind(condition), taken)
        return self._add(behind(i), Instruction("select", type_, (condition, then, other)))

    def loaded(self, i: Instruction, low: int, width: int) -> Value | None:
        """A part of what is loaded is loaded for itself."""
        assert isinstance(i, Load)
        if i.flags or i.suffix or i.pointer.type is not PTR or low % 8 or width not in (16, 32, 64):
            return None
        if width == _bits(i.type) and not isinstance(i.type, VectorType):
            return None
        b = Builder()
        b.before(i)
        place = b.byte_offset(i.pointer, low // 8)
        if place is not i.pointer and isinstance(place, Instruction):
            self.made.append(place)
        return self._add(b, Load(int_type(width), place, 1))

    def arriving(self, i: Instruction, low: int, width: int) -> Value | None:
        assert isinstance(i, Phi)
        known = self.phis.get((i, low, width))
        if known is not None:
            return known
        block = i.parent
        assert block is not None
        made = self.phis[i, low, width] = Phi(self.scalar)
        self._add(Builder(block, 0), made)
        before = self.floats
        found = [(self.of(value, low, width), source) for value, source in i.incoming]
        if self.floats == before and not made.users:  # integers arrive as what they are
            made = self.phis[i, low, width] = Phi(int_type(width))
            self._add(Builder(block, 0), made)
            arriving = found
        else:
            arriving = [(self.as_float(value), source) for value, source in found]
        for part, source in arriving:
            if part is None or part.type is not made.type:
                raise _Lost
            made.add_incoming(part, source)
        if self.floats == before and made.type is self.scalar:
            raise _Lost
        return made


_Handler = Callable[[Trace, Instruction, int, int], Value | None]
_HANDLERS: dict[str, _Handler] = {
    **dict.fromkeys(("bitcast", "freeze"), Trace.same),
    "shufflevector": Trace.shuffled,
    "insertelement": Trace.inserted,
    "extractelement": Trace.extracted,
    "trunc": Trace.truncated,
    "zext": Trace.widened,
    **dict.fromkeys(("shl", "lshr"), Trace.shifted),
    **dict.fromkeys(("or", "xor"), Trace.joined),  # no sums: these carry
    "and": Trace.masked,
    "select": Trace.chosen,
    "phi": Trace.arriving,
    "load": Trace.loaded,
}


# What leaves zeros, whatever it is applied to.
_CLEARING = frozenset(("shl", "lshr", "zext", "and"))


def _everywhere(constant: Value) -> int | None:
    """The integer that all lanes of a constant are."""
    if isinstance(constant, ConstSplat):
        constant = constant.element
    if isinstance(constant, ConstAggregate):
        values = {e.value if isinstance(e, ConstInt) else None for e in constant.elements}
        return values.pop() if len(values) == 1 else None
    return constant.value if isinstance(constant, ConstInt) else None


def _float_of(bits: ConstInt, type_: Type) -> Value | None:
    """The constant float with these bits, if it is a number."""
    if bits.value == 0:
        return zero_of(type_)
    form = _FORMS.get(_bits(type_)) if type_ in (DOUBLE, FLOAT) else None
    if form is None:
        return None
    (number,) = struct.unpack(form[1], struct.pack(form[0], bits.value))
    return ConstFloat.of(type_, number) if math.isfinite(number) else None


def _constant(constant: Value, low: int, width: int, scalar: Type) -> Value | None:
    """Some bits of a constant, as an integer; poison as a float."""
    if is_undefined(constant):
        return poison_of(scalar)
    if isinstance(constant, ConstSimple):
        return ConstInt(int_type(width), 0) if constant.text == "zeroinitializer" else None
    size = _bits(constant.type)
    lane, at = divmod(low, size)
    part = lane_of_constant(constant, lane)
    if part is not None and is_undefined(part):
        return poison_of(scalar)
    if not isinstance(part, ConstInt) or at + width > size:
        return None
    return ConstInt(int_type(width), part.value >> at)
