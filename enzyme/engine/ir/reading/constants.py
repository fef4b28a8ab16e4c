"""Values: locals by name, constants, metadata."""

from __future__ import annotations

import re

from enzyme.engine.ir.instructions import (
    Instruction,
)
from enzyme.engine.ir.opcodes import CASTS, CONSTANTS
from enzyme.engine.ir.reading.cursor import INT_LITERAL
from enzyme.engine.ir.reading.names import local_key, symbol_key
from enzyme.engine.ir.reading.typereader import TypeReader
from enzyme.engine.ir.types import (
    I1,
    METADATA,
    TOKEN,
    ArrayType,
    FloatType,
    IntType,
    PointerType,
    StructType,
    Type,
    VectorType,
)
from enzyme.engine.ir.values import (
    ConstAggregate,
    ConstExpr,
    ConstFloat,
    ConstInt,
    ConstSimple,
    ConstSplat,
    ConstString,
    GlobalValue,
    MetadataOperand,
    RawConstant,
    Value,
)

FAST_MATH = frozenset("fast nnan ninf nsz arcp contract afn reassoc".split())
INT_FLAGS = frozenset("nuw nsw exact disjoint nneg samesign inbounds nusw inrange".split())
FLAGS = FAST_MATH | INT_FLAGS

_SIMPLE = frozenset("undef poison zeroinitializer".split())
_OF_SYMBOLS = frozenset("dso_local_equivalent no_cfi".split())
_GROUPS = frozenset("blockaddress ptrauth".split())
EXPRESSIONS = frozenset(c.name for c in CONSTANTS.values() if c.is_expression)
VALUE_WORDS = (
    frozenset("null true false none splat asm".split())
    | _SIMPLE
    | _OF_SYMBOLS
    | _GROUPS
    | EXPRESSIONS
)

FLOAT_LITERAL = re.compile(
    r"[-+]?\d+\.\d*(?:[eE][-+]?\d+)?|0x[KLMHR]?[0-9a-fA-F]+|f0x[0-9a-fA-F]+"
    r"|[-+]?(?:inf|qnan|nan|snan)",
    re.ASCII,
)


class Forward(Value):
    """Stands for a local that is used before its definition."""

    __slots__ = ("key", "position")

    def __init__(self, type_: Type, key: str, position: int) -> None:
        super().__init__(type_)
        self.key = key
        self.position = position


class ConstantReader(TypeReader):
    """Reads values. A local used before its definition stands in as a `Forward` until it is defined."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.constants: dict[tuple[Type, str], Value] = {}
        self.symbols: dict[str, GlobalValue] = {}  # by token, with @
        # Of the function at hand, by token:
        self.values: dict[str, Value] = {}
        self.forwards: dict[str, Forward] = {}
        self.wrapped: list[MetadataOperand] = []

    def typed_value(self) -> Value:
        return self.value(self.type_())

    def value(self, type_: Type) -> Value:
        token = self.tokens[self.pos]
        first = token[:1]
        if first == "%":
            self.pos += 1
            found = self.values.get(token)
            if found is None:
                found = self.local(type_, token)
            if found.type is not type_:
                self.fail(f"{token} is of type {found.type}, not {type_}", self.pos - 1)
            return found
        key = (type_, token)
        constant = self.constants.get(key)
        if constant is not None:
            self.pos += 1
            return constant
        constant = self.simple_constant(type_, token, first)
        if constant is not None:
            self.pos += 1
            self.constants[key] = constant
            return constant
        self.descend("constants")
        constant = self.other_constant(type_, token)
        self.ascend()
        return constant

    def local(self, type_: Type, token: str) -> Value:
        key = local_key(token)
        found = self.values.get(key) or self.forwards.get(key)
        if found is None:
            found = self.forwards[key] = Forward(type_, key, self.pos - 1)
        return found

    def simple_constant(self, type_: Type, token: str, first: str) -> Value | None:
        if isinstance(type_, IntType):
            if INT_LITERAL.fullmatch(token):
                return ConstInt(type_, int(token))
            if token in ("true", "false") and type_ is I1:
                return ConstInt(type_, token == "true")
            if token[:3] in ("u0x", "s0x"):
                number = int(token[3:], 16)
                # LLVM counts the width from the highest bit set, which makes every s0x negative.
                if first == "s" and number:
                    number -= 1 << number.bit_length()
                return ConstInt(type_, number)
        elif isinstance(type_, FloatType):
            if FLOAT_LITERAL.fullmatch(token) and not (
                token.lstrip("+-") in ("nan", "snan") and self.tokens[self.pos + 1] == "("
            ):
                return ConstFloat(type_, token)
        elif first == "@" and isinstance(type_, PointerType):
            symbol = self.symbol(token)
            if symbol.type is not type_:
                self.fail(f"{token} is of type {symbol.type}, not {type_}")
            return symbol
        if token in _SIMPLE and not type_.is_void:
            return ConstSimple(type_, token)
        if token == "null" and isinstance(type_, PointerType):
            return ConstSimple(type_, token)
        if token == "none" and (type_ is TOKEN or type_.text.startswith("target")):
            return ConstSimple(type_, token)
        if token[:2] == 'c"' and isinstance(type_, ArrayType):
            return ConstString(type_, token)
        return None

    def symbol(self, token: str) -> GlobalValue:
        found = self.symbols.get(token) or self.symbols.get(symbol_key(token))
        if found is None:
            self.fail(f"use of undefined symbol {token}")
        return found

    def other_constant(self, type_: Type, token: str) -> Value:
        start = self.pos
        self.pos += 1
        if token == "[" and isinstance(type_, ArrayType):
            return ConstAggregate(type_, self.elements("]"))
        if token == "{" and isinstance(type_, StructType):
            return ConstAggregate(type_, self.elements("}"))
        if token == "<":
            if isinstance(type_, StructType) and self.accept("{"):
                made = ConstAggregate(type_, self.elements("}"))
                self.expect(">")
                return made
            if isinstance(type_, VectorType):
                return ConstAggregate(type_, self.elements(">"))
        if token == "splat" and isinstance(type_, VectorType):
            self.expect("(")
            element = self.typed_value()
            self.expect(")")
            return ConstSplat(type_, element)
        if token in _GROUPS and self.tokens[self.pos] == "(":
            self.skip_group()
            return RawConstant(type_, self.since(start))
        if token in _OF_SYMBOLS and self.tokens[self.pos][:1] == "@":
            self.symbol(self.tokens[self.pos])
            self.pos += 1
            return RawConstant(type_, self.since(start))
        if token == "asm":
            return self.inline_asm(type_, start)
        if token.lstrip("+-") in ("nan", "snan") and isinstance(type_, FloatType):
            self.skip_group()
            return ConstFloat(type_, "".join(self.tokens[start : self.pos]))
        if token in EXPRESSIONS:
            return self.constant_expression(type_, token)
        if type_ is METADATA:
            self.pos = start
            return self.metadata_operand()
        self.fail(f"expected a value of type {type_}, found {token or 'the end'!r}", start)

    def elements(self, close: str) -> list[Value]:
        found: list[Value] = []
        if self.accept(close):
            return found
        while True:
            found.append(self.typed_value())
            if self.accept(close):
                return found
            self.expect(",")

    def inline_asm(self, type_: Type, start: int) -> Value:
        while self.tokens[self.pos] in ("sideeffect", "alignstack", "inteldialect", "unwind"):
            self.pos += 1
        for separator in (",", ""):
            if self.tokens[self.pos][:1] != '"':
                self.fail(f"expected a string of inline assembly, found {self.tokens[self.pos]!r}")
            self.pos += 1
            if separator:
                self.expect(separator)
        return RawConstant(type_, self.since(start))

    def constant_expression(self, type_: Type | None, opcode: str) -> Value:
        tokens, start = self.tokens, self.pos
        while tokens[self.pos] != "(" or tokens[self.pos - 1] == "inrange":
            word = tokens[self.pos]
            if word not in FLAGS and tokens[self.pos - 1] != "inrange":
                self.fail(f"unknown word {word!r} in a constant expression")
            if word == "(":
                self.skip_group()
            else:
                self.pos += 1
        flags = self.since(start)
        self.expect("(")
        source_type = None
        if opcode == "getelementptr":
            source_type = self.type_()
            self.expect(",")
        operands = [self.typed_value()]
        if opcode in CASTS:
            self.expect("to")
            to = self.type_()
            if type_ is not None and to is not type_:
                self.fail(f"the constant expression is not of type {type_}")
            type_ = to
            self.expect(")")
        else:
            while not self.accept(")"):
                self.expect(",")
                operands.append(self.typed_value())
        return ConstExpr(type_ or operands[0].type, opcode, operands, flags, source_type)

    def skip_metadata_group(self, token: str) -> None:
        """Step over the group that belongs to metadata token `token`, just passed: ``!{...}``, ``!X(...)``."""
        after = self.tokens[self.pos]
        if (token == "!" and after == "{") or (after == "(" and not token[1:2].isdigit()):
            self.skip_group()

    def metadata_text(self) -> str:
        start = self.pos
        token = self.tokens[start]
        if token[:1] != "!":
            self.fail(f"expected metadata, found {token or 'the end'!r}")
        self.pos += 1
        if token == "!" and self.tokens[self.pos] != "{":
            self.fail("expected metadata after '!'")
        if token == "!" or (not token[1:2].isdigit() and self.tokens[self.pos] == "("):
            self.skip_group()
        return self.since(start)

    def metadata_operand(self) -> Value:
        if self.tokens[self.pos][:1] == "!":
            return MetadataOperand(METADATA, self.metadata_text())
        made = MetadataOperand(METADATA, "", self.typed_value())
        if isinstance(made.value, Forward):
            self.wrapped.append(made)
        return made

    def attachments(self, instruction: Instruction) -> None:
        """``, !kind !node`` as often as it comes."""
        tokens = self.tokens
        while tokens[self.pos] == ",":
            kind = tokens[self.pos + 1]
            if kind[:1] != "!" or len(kind) < 2:
                self.fail(f"unexpected {kind or 'end'!r} after an instruction", self.pos + 1)
            self.pos += 2
            node = tokens[self.pos]
            if node[1:2].isdigit() and node[0] == "!":
                self.pos += 1
                instruction.metadata[kind[1:]] = node
            else:
                instruction.metadata[kind[1:]] = self.metadata_text()
