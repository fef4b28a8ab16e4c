"""Writes a function of numbers as IR, for one lane or for several at once.

The same steps are written for every number of lanes, so that a lane has the bits that the scalar function gives. For
that nothing may be contracted or reordered behind our back: no instruction has a fast-math flag, and `fma` is one
rounding where the host has the instruction and two where it has not, in all lanes alike.

There are no branches but one at the end, see `Writer.function`: all lanes compute everything, and choose.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from enzyme.backend.elementary.coefficients import Polynomial

# 1.5 * 2^52: added to a number of less than 2^51, it leaves the nearest integer in the lowest bits.
MAGIC = 6755399441055744.0
_ONE_BITS = 0x3FF0000000000000
_MANTISSA = 52
_TYPES = {"double": "f64", "float": "f32"}

Body = Callable[..., "Number"]


@dataclass(frozen=True, slots=True)
class Value:
    """Something in every lane; `kind` is the type of one."""

    writer: Writer
    text: str
    kind: str


class Number(Value):
    """Doubles, with the arithmetic of doubles."""

    __slots__ = ()

    @property
    def is_nothing(self) -> bool:
        """Is it a part that is not computed?"""
        return not self.text

    def __add__(self, other: Number | float) -> Number:
        return self.writer.binary("fadd", self, other)

    def __radd__(self, other: float) -> Number:
        return self.writer.binary("fadd", self.writer.number(other), self)

    def __sub__(self, other: Number | float) -> Number:
        return self.writer.binary("fsub", self, other)

    def __rsub__(self, other: float) -> Number:
        return self.writer.binary("fsub", self.writer.number(other), self)

    def __mul__(self, other: Number | float) -> Number:
        return self.writer.binary("fmul", self, other)

    def __rmul__(self, other: float) -> Number:
        return self.writer.binary("fmul", self.writer.number(other), self)

    def __truediv__(self, other: Number | float) -> Number:
        return self.writer.binary("fdiv", self, other)

    def __rtruediv__(self, other: float) -> Number:
        return self.writer.binary("fdiv", self.writer.number(other), self)

    def __neg__(self) -> Number:
        if self.is_nothing:
            return self
        return Number(self.writer, self.writer.add(f"fneg {self.writer.typed(self)}"), "double")

    def __abs__(self) -> Number:
        return self.writer.intrinsic("fabs", self)

    def __lt__(self, other: Number | float) -> Condition:
        return self.writer.compare("olt", self, other)

    def __le__(self, other: Number | float) -> Condition:
        return self.writer.compare("ole", self, other)

    def __gt__(self, other: Number | float) -> Condition:
        return self.writer.compare("ogt", self, other)

    def __ge__(self, other: Number | float) -> Condition:
        return self.writer.compare("oge", self, other)

    def equals(self, other: Number | float) -> Condition:
        return self.writer.compare("oeq", self, other)

    def bits(self) -> Bits:
        w = self.writer
        return Bits(w, w.add(f"bitcast {w.typed(self)} to {w.type('i64')}"), "i64")


class Bits(Value):
    """Integers of 64 bits."""

    __slots__ = ()

    def __add__(self, other: Bits | int) -> Bits:
        return self._with("add", other)

    def __sub__(self, other: Bits | int) -> Bits:
        return self._with("sub", other)

    def __and__(self, other: Bits | int) -> Bits:
        return self._with("and", other)

    def __or__(self, other: Bits | int) -> Bits:
        return self._with("or", other)

    def __xor__(self, other: Bits | int) -> Bits:
        return self._with("xor", other)

    def __lshift__(self, count: int) -> Bits:
        return self._with("shl", count)

    def __rshift__(self, count: int) -> Bits:
        return self._with("lshr", count)

    def _with(self, opcode: str, other: Bits | int) -> Bits:
        w = self.writer
        right = other.text if isinstance(other, Bits) else w.constant("i64", other)
        return Bits(w, w.add(f"{opcode} {w.typed(self)}, {right}"), "i64")

    def equals(self, other: int) -> Condition:
        w = self.writer
        made = w.add(f"icmp eq {w.typed(self)}, {w.constant('i64', other)}")
        return Condition(w, made, "i1")

    def number(self) -> Number:
        w = self.writer
        return Number(w, w.add(f"bitcast {w.typed(self)} to {w.type('double')}"), "double")


class Condition(Value):
    """Truth values."""

    __slots__ = ()

    def __and__(self, other: Condition) -> Condition:
        return self._with("and", other)

    def __or__(self, other: Condition) -> Condition:
        return self._with("or", other)

    def __invert__(self) -> Condition:
        w = self.writer
        return Condition(w, w.add(f"xor {w.typed(self)}, {w.constant('i1', 1)}"), "i1")

    def _with(self, opcode: str, other: Condition) -> Condition:
        w = self.writer
        return Condition(w, w.add(f"{opcode} {w.typed(self)}, {other.text}"), "i1")

    def choose(self, yes: Number | float, no: Number | float) -> Number:
        w = self.writer
        left, right = w.number(yes), w.number(no)
        if left.is_nothing and right.is_nothing:
            return left
        left, right = (w.number(0.0) if each.is_nothing else each for each in (left, right))
        made = w.add(f"select {w.typed(self)}, {w.typed(left)}, {w.typed(right)}")
        return Number(w, made, "double")


@dataclass(slots=True, eq=False)
class Writer:
    """Instructions of one function.

    `lanes` is 1 for the scalar function; `fused` says whether the host has `fma`. With `single` the result becomes a
    single: then doubles have digits to spare, polynomials are shorter, and the lower parts of pairs are `nothing`.
    """

    lanes: int
    fused: bool
    single: bool = False
    lines: list[str] = field(default_factory=list)
    declarations: dict[str, None] = field(default_factory=dict)
    rare: Condition | None = None

    def type(self, kind: str) -> str:
        return kind if self.lanes == 1 else f"<{self.lanes} x {kind}>"

    def typed(self, value: Value) -> str:
        return f"{self.type(value.kind)} {value.text}"

    def suffix(self, kind: str) -> str:
        """The type in names of intrinsics."""
        return _TYPES[kind] if self.lanes == 1 else f"v{self.lanes}{_TYPES[kind]}"

    def add(self, instruction: str) -> str:
        name = f"%v{len(self.lines)}"
        self.lines.append(f"  {name} = {instruction}")
        return name

    def constant(self, kind: str, number: float) -> str:
        text = literal(number) if kind == "double" else str(int(number))
        return text if self.lanes == 1 else f"splat ({kind} {text})"

    def number(self, number: Number | float) -> Number:
        if isinstance(number, Number):
            return number
        return Number(self, self.constant("double", number), "double")

    @property
    def nothing(self) -> Number:
        """A part that is not computed: what is added to it or multiplied by it is not computed either."""
        return Number(self, "", "double")

    def bits(self, integer: int) -> Bits:
        return Bits(self, self.constant("i64", integer), "i64")

    def binary(self, opcode: str, left: Number, right: Number | float) -> Number:
        right = self.number(right)
        if left.is_nothing or right.is_nothing:
            return self._with_nothing(opcode, left, right)
        return Number(self, self.add(f"{opcode} {self.typed(left)}, {right.text}"), "double")

    def _with_nothing(self, opcode: str, left: Number, right: Number) -> Number:
        match opcode:
            case "fadd" | "fsub" if right.is_nothing:
                return left
            case "fadd":
                return right
            case "fsub":
                return -right
            case "fmul":
                return self.nothing
        raise ValueError(f"{opcode} of nothing")

    def compare(self, predicate: str, left: Number, right: Number | float) -> Condition:
        made = self.add(f"fcmp {predicate} {self.typed(left)}, {self.number(right).text}")
        return Condition(self, made, "i1")

    def intrinsic(self, name: str, *operands: Number | float) -> Number:
        numbers = [self.number(operand) for operand in operands]
        callee = f"@llvm.{name}.{self.suffix('double')}"
        made = self.type("double")
        self.declarations[f"declare {made} {callee}({', '.join([made] * len(numbers))})"] = None
        arguments = ", ".join(self.typed(number) for number in numbers)
        return Number(self, self.add(f"call {made} {callee}({arguments})"), "double")

    def fma(self, a: Number | float, b: Number | float, c: Number | float) -> Number:
        """A b + c, with one rounding if the host can."""
        a, b, c = (self.number(each) for each in (a, b, c))
        if a.is_nothing or b.is_nothing:
            return c
        if c.is_nothing:
            return a * b
        if self.fused:
            return self.intrinsic("fma", a, b, c)
        return a * b + c

    def polynomial(self, x: Number, polynomial: Polynomial) -> Number:
        """The value of a polynomial."""
        return self.sum_of_powers(x, self.row(polynomial))

    def row(self, polynomial: Polynomial) -> Sequence[float]:
        """The coefficients that are enough."""
        return polynomial.single if self.single else polynomial.double

    def sum_of_powers(self, x: Number, coefficients: Sequence[float]) -> Number:
        """The value of a polynomial with the lowest coefficient first; even and odd powers are computed side by side,
        as the processor wants it."""
        if len(coefficients) < 4:
            return self._horner(x, coefficients)
        square = x * x
        even, odd = coefficients[::2], coefficients[1::2]
        return self.fma(self.sum_of_powers(square, odd), x, self.sum_of_powers(square, even))

    def _horner(self, x: Number, coefficients: Sequence[float]) -> Number:
        made = self.number(coefficients[-1])
        for coefficient in reversed(coefficients[:-1]):
            made = self.fma(made, x, coefficient)
        return made

    def nearest(self, x: Number) -> tuple[Number, Bits]:
        """The nearest integer to a number of less than 2^51, as a number, and bits that end in it."""
        moved = x + MAGIC
        return moved - MAGIC, moved.bits()

    def power_of_two(self, integer: Bits) -> Number:
        """2^n for the bits of `nearest`, -1023 < n < 1024."""
        return ((integer << _MANTISSA) + _ONE_BITS).number()

    def with_sign_of(self, x: Number, sign: Number) -> Number:
        return self.intrinsic("copysign", x, sign)

    def called(self, name: str, *operands: Number) -> Number:
        """The value of a function of the C library, in one lane."""
        types = ", ".join(["double"] * len(operands))
        self.declarations[f"declare double @{name}({types})"] = None
        arguments = ", ".join(self.typed(operand) for operand in operands)
        return Number(self, self.add(f"call double @{name}({arguments})"), "double")

    def rarely(self, condition: Condition) -> None:
        """In such lanes the function of the C library is called."""
        self.rare = condition if self.rare is None else self.rare | condition


def literal(number: float) -> str:
    """A double as LLVM writes it exactly."""
    return f"0x{struct.unpack('<Q', struct.pack('<d', number))[0]:016X}"
