"""Types."""

from __future__ import annotations

import re

from enzyme.engine.ir.module import Module
from enzyme.engine.ir.reading.cursor import Cursor
from enzyme.engine.ir.reading.names import struct_name
from enzyme.engine.ir.types import (
    FLOAT_TYPES,
    LABEL,
    METADATA,
    PTR,
    TOKEN,
    VOID,
    FunctionType,
    Type,
    array_type,
    function_type,
    int_type,
    opaque_type,
    pointer_type,
    struct_type,
    vector_type,
)

_INT_TYPE = re.compile(r"i[1-9]\d*", re.ASCII)
# No compiler writes wider ones, and LLVM takes for ever to optimise them.
MAX_BITS = 4096
MAX_LANES = 4096


# Filled with every integer type met; only types written as one word that takes no continuation.
SIMPLE_TYPES: dict[str, Type] = {
    **{f"i{bits}": int_type(bits) for bits in (1, 2, 4, 8, 16, 32, 64, 128)},
    **FLOAT_TYPES,
    "void": VOID,
    "label": LABEL,
    "token": TOKEN,
    "metadata": METADATA,
    "x86_amx": opaque_type("x86_amx"),
    "x86_mmx": opaque_type("x86_mmx"),
}


class TypeReader(Cursor):
    """Reads types; named structs are those of `module`."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.module = Module()

    def type_(self) -> Type:
        token = self.tokens[self.pos]
        found = SIMPLE_TYPES.get(token)
        if found is not None:
            self.pos += 1
        else:
            self.descend("types")
            found = self.other_type(token)
            self.ascend()
        after = self.tokens[self.pos]
        if after == "(":
            return self.function_type_after(found)
        if after == "*":
            self.fail("typed pointers are not supported: this text is from an LLVM older than 15")
        return found

    def is_type_start(self, token: str) -> bool:
        return (
            token in SIMPLE_TYPES
            or token in ("ptr", "{", "[", "<", "target")
            or token[:1] == "%"
            or _INT_TYPE.fullmatch(token) is not None
        )

    def other_type(self, token: str) -> Type:
        start = self.pos
        self.pos += 1
        if token == "ptr":
            if self.tokens[self.pos] == "addrspace":
                return pointer_type(self.addrspace())
            return PTR
        if token[:1] == "%":
            return self.module.named_struct(struct_name(token))
        if token == "[":
            count = self.integer("a number of elements")
            self.expect("x")
            element = self.type_()
            self.expect("]")
            return array_type(count, element)
        if token == "<":
            if self.tokens[self.pos] == "{":
                self.pos += 1
                packed = struct_type(self.types_until("}"), True)
                self.expect(">")
                return packed
            scalable = self.accept("vscale")
            if scalable:
                self.expect("x")
            count = self.integer("a number of elements")
            if count > MAX_LANES:
                self.fail(f"vectors of more than {MAX_LANES} elements are not supported", start)
            self.expect("x")
            element = self.type_()
            self.expect(">")
            return vector_type(count, element, scalable)
        if token == "{":
            return struct_type(self.types_until("}"))
        if token == "target":
            self.skip_group()
            return opaque_type(self.since(start))
        if _INT_TYPE.fullmatch(token):
            bits = int(token[1:])
            if bits > MAX_BITS:
                self.fail(f"integers of more than {MAX_BITS} bits are not supported", start)
            made = SIMPLE_TYPES[token] = int_type(bits)
            return made
        self.fail(f"unknown type {token or 'at the end'!r}", start)

    def types_until(self, close: str) -> list[Type]:
        found: list[Type] = []
        if self.accept(close):
            return found
        while True:
            found.append(self.type_())
            if self.accept(close):
                return found
            self.expect(",")

    def function_type_after(self, ret: Type) -> FunctionType:
        self.descend("types")
        made = self.parameters_after(ret)
        self.ascend()
        return made

    def parameters_after(self, ret: Type) -> FunctionType:
        self.expect("(")
        params: list[Type] = []
        vararg = False
        if not self.accept(")"):
            while True:
                if self.accept("..."):
                    vararg = True
                    self.expect(")")
                    break
                params.append(self.type_())
                if self.accept(")"):
                    break
                self.expect(",")
        return function_type(ret, params, vararg)

    def addrspace(self) -> int:
        self.pos += 1
        self.expect("(")
        number = self.integer("the number of an address space")
        self.expect(")")
        return number
