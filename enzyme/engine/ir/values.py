"""Values and constants of the SSA graph.

Invariant: for instructions, arguments, blocks, functions and globals, `users` counts how many operand
slots of each instruction refer to the value. Simple constants are shared freely and do not track users.
Values compare by identity.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING

from enzyme.engine.ir import float_text
from enzyme.engine.ir.types import (
    DOUBLE,
    FLOAT,
    HALF,
    I1,
    PTR,
    FloatType,
    IntType,
    Type,
)
from enzyme.errors import EnzymeError

if TYPE_CHECKING:
    from enzyme.engine.ir.instructions import Instruction
    from enzyme.engine.ir.module import Function


def _single(value: float) -> float:
    try:
        return float(struct.unpack("<f", struct.pack("<f", value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)


class Value:
    """Anything that can be an operand."""

    __slots__ = ("name", "type", "users")
    tracks_users = True

    def __init__(self, type_: Type, name: str = "") -> None:
        self.type = type_
        self.name = name
        self.users: dict[Instruction, int] = {}

    def replace_uses_with(self, other: Value) -> None:
        """Let every user of this value use `other` instead."""
        for user in list(self.users):
            user.replace_operand(self, other)

    @property
    def is_constant(self) -> bool:
        return False


class Argument(Value):
    """A parameter. `attributes` is the verbatim text of its attributes (``noalias nocapture``)."""

    __slots__ = ("attributes", "function", "index")

    def __init__(self, type_: Type, name: str, index: int, attributes: str = "") -> None:
        super().__init__(type_, name)
        self.index = index
        self.attributes = attributes
        self.function: Function | None = None

    def has_attribute(self, word: str) -> bool:
        return word in self.attributes.replace("(", " ").split()


class Constant(Value):
    """A value known at link time."""

    __slots__ = ()
    tracks_users = False

    @property
    def is_constant(self) -> bool:
        return True


def wrapped(number: int, bits: int = 64) -> int:
    """The signed number that an integer of so many bits is: LLVM writes -8 as 2**64 - 8 where that is all the same."""
    number &= (1 << bits) - 1
    return number - (1 << bits) if number >> (bits - 1) else number


class ConstInt(Constant):
    """`value` is the number as LLVM prints it: signed, except i1, which is 0 or 1."""

    __slots__ = ("value",)

    def __init__(self, type_: Type, value: int) -> None:
        super().__init__(type_)
        assert isinstance(type_, IntType)
        if type_ is I1:
            self.value = value & 1
        else:
            self.value = wrapped(value, type_.bits)


class ConstFloat(Constant):
    """`text` is the literal exactly as LLVM prints it, decimal or hexadecimal."""

    __slots__ = ("text",)

    def __init__(self, type_: Type, text: str) -> None:
        super().__init__(type_)
        self.text = text

    @staticmethod
    def of(type_: Type, value: float) -> ConstFloat:
        """The nearest constant of a type of floats."""
        if type_.text in float_text.FORMATS:
            return ConstFloat(type_, float_text.text_of(type_.text, value))
        if type_ is FLOAT:
            value = _single(value)
        elif type_ is not DOUBLE:
            raise EnzymeError(f"constants of type {type_} are not supported")
        return ConstFloat(
            type_, "0x{:016X}".format(struct.unpack("<Q", struct.pack("<d", value))[0])
        )

    @property
    def value(self) -> float:
        """The number, or the double nearest to it."""
        text = self.text
        if text.startswith("0x") and text[2:3] not in "HKLMR":
            return float(struct.unpack("<d", struct.pack("<Q", int(text, 16)))[0])
        if text.startswith(("0x", "f0x")):
            found = float_text.value_of(text)
            if found is None:
                raise EnzymeError(f"constants of type {self.type} are not supported: {text}")
            return found
        return float(text)


class ConstSimple(Constant):
    """``null``, ``undef``, ``poison``, ``zeroinitializer`` or ``none``, of any type."""

    __slots__ = ("text",)

    def __init__(self, type_: Type, text: str) -> None:
        super().__init__(type_)
        self.text = text


class ConstAggregate(Constant):
    """An array, struct or vector of constants."""

    __slots__ = ("elements",)

    def __init__(self, type_: Type, elements: Sequence[Value]) -> None:
        super().__init__(type_)
        self.elements = tuple(elements)

    @property
    def operands(self) -> tuple[Value, ...]:
        return self.elements


class ConstSplat(Constant):
    """``splat (T x)``: a vector of one repeated element."""

    __slots__ = ("element",)

    def __init__(self, type_: Type, element: Value) -> None:
        super().__init__(type_)
        self.element = element

    @property
    def operands(self) -> tuple[Value, ...]:
        return (self.element,)


class ConstString(Constant):
    """``c"..."``; `text` keeps the quotes, the leading c and LLVM's escapes."""

    __slots__ = ("text",)

    def __init__(self, type_: Type, text: str) -> None:
        super().__init__(type_)
        self.text = text


class ConstExpr(Constant):
    """A constant expression: `opcode`, verbatim `flags`, operands, and for getelementptr a `source_type`."""

    __slots__ = ("flags", "opcode", "operands", "source_type")

    def __init__(
        self,
        type_: Type,
        opcode: str,
        operands: Sequence[Value],
        flags: str = "",
        source_type: Type | None = None,
    ) -> None:
        super().__init__(type_)
        self.opcode = opcode
        self.operands = tuple(operands)
        self.flags = flags
        self.source_type = source_type


class RawConstant(Constant):
    """A constant kept by its text (``blockaddress(...)``, ``dso_local_equivalent @f``, inline ``asm``)."""

    __slots__ = ("text",)

    def __init__(self, type_: Type, text: str) -> None:
        super().__init__(type_)
        self.text = text


class MetadataOperand(Constant):
    """Metadata as an operand: verbatim `text`, or a wrapped local or constant `value`."""

    __slots__ = ("text", "value")

    def __init__(self, type_: Type, text: str, value: Value | None = None) -> None:
        super().__init__(type_)
        self.text = text
        self.value = value


class GlobalValue(Constant):
    """A function or variable of the module, of pointer type. `name` comes without ``@``."""

    __slots__ = ()
    tracks_users = True


class GlobalVariable(GlobalValue):
    """`prefix` and `suffix` are the verbatim words before ``global``/``constant`` and after the initializer."""

    __slots__ = ("initializer", "is_const", "prefix", "suffix", "value_type")

    def __init__(
        self,
        name: str,
        value_type: Type,
        is_const: bool,
        initializer: Value | None = None,
        prefix: str = "",
        suffix: str = "",
        type_: Type = PTR,
    ) -> None:
        super().__init__(type_, name)
        self.value_type = value_type
        self.is_const = is_const
        self.initializer = initializer
        self.prefix = prefix
        self.suffix = suffix


class GlobalAlias(GlobalValue):
    """``@a = <prefix> alias T, ptr @b`` or ``ifunc``; kept, not interpreted."""

    __slots__ = ("aliasee", "kind", "prefix", "suffix", "value_type")

    def __init__(
        self,
        name: str,
        kind: str,
        value_type: Type,
        aliasee: Value,
        prefix: str,
        suffix: str,
        type_: Type = PTR,
    ) -> None:
        super().__init__(type_, name)
        self.kind = kind
        self.value_type = value_type
        self.aliasee = aliasee
        self.prefix = prefix
        self.suffix = suffix


_KINDS: dict[type, str] = {
    ConstInt: "integer",
    ConstFloat: "float",
    ConstString: "string",
    ConstAggregate: "aggregate",
    ConstSplat: "splat",
    MetadataOperand: "metadata",
    GlobalVariable: "variable",
    GlobalAlias: "alias",
}


def kind_of(constant: Constant) -> str:
    """Its entry in `opcodes.CONSTANTS`."""
    if isinstance(constant, ConstExpr):
        return constant.opcode
    if isinstance(constant, ConstSimple):
        return constant.text
    if isinstance(constant, RawConstant):
        return constant.text.split("(")[0].split()[0]
    return _KINDS.get(type(constant)) or "function" * isinstance(constant, GlobalValue)


def zero_of(type_: Type) -> Constant:
    """The all-zero constant of a type."""
    if isinstance(type_, IntType):
        return ConstInt(type_, 0)
    if isinstance(type_, FloatType):
        if type_ in (FLOAT, DOUBLE):
            return ConstFloat(type_, "0.000000e+00")
        if type_ is HALF:
            return ConstFloat(type_, "0xH0000")
        return ConstSimple(type_, "zeroinitializer")
    return ConstSimple(type_, "null" if type_.is_pointer else "zeroinitializer")


def undef_of(type_: Type) -> Constant:
    return ConstSimple(type_, "undef")


def poison_of(type_: Type) -> Constant:
    return ConstSimple(type_, "poison")


def is_literal(value: Value) -> bool:
    """Is it a constant without the address of a global in it?  No active memory is behind it."""
    if isinstance(value, (ConstExpr, ConstAggregate, ConstSplat)):
        return all(map(is_literal, value.operands))
    return isinstance(value, Constant) and not isinstance(value, GlobalValue)


def is_zero(value: Value) -> bool:
    """Is this a constant whose bits (or, for floats, whose sign-less bits) are all zero?"""
    if isinstance(value, ConstInt):
        return value.value == 0
    if isinstance(value, ConstFloat):
        return value.type in (HALF, FLOAT, DOUBLE) and value.value == 0.0
    return isinstance(value, ConstSimple) and value.text in ("null", "zeroinitializer")
