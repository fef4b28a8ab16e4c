"""Sizes, alignments and offsets in bytes, by the module's data layout string and LLVM's defaults."""

from __future__ import annotations

import functools
import re

from enzyme.engine.ir.instructions import Gep
from enzyme.engine.ir.module import Module
from enzyme.engine.ir.types import (
    ArrayType,
    FloatType,
    IntType,
    PointerType,
    StructType,
    Type,
    VectorType,
)
from enzyme.engine.ir.values import ConstExpr, ConstInt, Value, wrapped
from enzyme.errors import EnzymeError

_LINE = re.compile(r'target\s+datalayout\s*=\s*"([^"]*)"')


class UnsizedTypeError(EnzymeError, ValueError):
    """A type whose size depends on the processor, or is not given."""


class DataLayout:
    """Answers for one layout string; scalable vectors have no size and raise ValueError."""

    def __init__(self, text: str = "") -> None:
        self.text = text
        self._pointers = {0: (64, 8)}  # address space: bits, alignment
        self._ints = {1: 1, 8: 1, 16: 2, 32: 4, 64: 4}
        self._floats = {16: 2, 32: 4, 64: 8, 128: 16}
        self._vectors = {64: 8, 128: 16}
        self._aggregate = 1
        self._bits: dict[Type, int] = {}
        self._aligns: dict[Type, int] = {}
        self._layouts: dict[StructType, tuple[int, tuple[int, ...]]] = {}
        for part in text.split("-"):
            self._read(part)

    @staticmethod
    def of(module: Module) -> DataLayout:
        """The layout of a module; LLVM's default where it names none."""
        for line in module.header:
            match = _LINE.match(line)
            if match:
                return _layout(match[1])
        return _layout("")

    def _read(self, part: str) -> None:
        match = re.fullmatch(r"([pifva])[a-z]*(\d*):(.*)", part)
        if match is None or not re.fullmatch(r"\d+(:\d+)*", match[3]):
            return
        kind, number = match[1], int(match[2] or 0)
        values = [int(v) for v in match[3].split(":")]
        if kind == "p":
            align = values[1] if len(values) > 1 else values[0]
            self._pointers[number] = (values[0], max(align // 8, 1))
        elif kind == "a":
            self._aggregate = max(values[0] // 8, 1)
        else:
            table = {"i": self._ints, "f": self._floats, "v": self._vectors}[kind]
            table[number] = max(values[0] // 8, 1)

    # Sizes --------------------------------------------------------------------------------------------

    def size_in_bits(self, type_: Type) -> int:
        """Bits of a value, padding between (not after) parts included."""
        found = self._bits.get(type_)
        if found is None:
            found = self._bits[type_] = self._compute_bits(type_)
        return found

    def _compute_bits(self, type_: Type) -> int:
        if isinstance(type_, (IntType, FloatType)):
            return type_.bits
        if isinstance(type_, PointerType):
            return self._pointer(type_)[0]
        if isinstance(type_, ArrayType):
            return 8 * type_.count * self.size_of(type_.element)
        if isinstance(type_, VectorType) and not type_.scalable:
            return type_.count * self.size_in_bits(type_.element)
        if isinstance(type_, StructType):
            return 8 * self._layout_of(type_)[0]
        raise UnsizedTypeError(f"type {type_} has no size that is known before the program runs")

    def store_size(self, type_: Type) -> int:
        """Bytes that a store may write."""
        return (self.size_in_bits(type_) + 7) // 8

    def size_of(self, type_: Type) -> int:
        """Bytes from one array element of this type to the next."""
        align = self.abi_align(type_)
        return (self.store_size(type_) + align - 1) // align * align

    def abi_align(self, type_: Type) -> int:
        """Alignment in bytes."""
        found = self._aligns.get(type_)
        if found is None:
            found = self._aligns[type_] = self._compute_align(type_)
        return found

    def _compute_align(self, type_: Type) -> int:
        if isinstance(type_, IntType):
            exact = self._ints.get(type_.bits)
            if exact is not None:
                return exact
            larger = [bits for bits in self._ints if bits > type_.bits]
            return self._ints[min(larger) if larger else max(self._ints)]
        if isinstance(type_, FloatType):
            return self._floats.get(type_.bits) or _power_of_two((type_.bits + 7) // 8)
        if isinstance(type_, PointerType):
            return self._pointer(type_)[1]
        if isinstance(type_, ArrayType):
            return self.abi_align(type_.element)
        if isinstance(type_, VectorType):
            bits = self.size_in_bits(type_)
            return self._vectors.get(bits) or _power_of_two((bits + 7) // 8)
        if isinstance(type_, StructType):
            if type_.packed:
                return 1
            return max([self._aggregate, *(self.abi_align(e) for e in type_.elements or ())])
        raise ValueError(f"type {type_} has no alignment")

    def _pointer(self, type_: PointerType) -> tuple[int, int]:
        return self._pointers.get(type_.addrspace) or self._pointers[0]

    # Offsets ------------------------------------------------------------------------------------------

    def _layout_of(self, type_: StructType) -> tuple[int, tuple[int, ...]]:
        found = self._layouts.get(type_)
        if found is None:
            if type_.elements is None:
                raise ValueError(f"type {type_} is opaque")
            offsets: list[int] = []
            end = 0
            for element in type_.elements:
                align = 1 if type_.packed else self.abi_align(element)
                end = (end + align - 1) // align * align
                offsets.append(end)
                end += self.size_of(element)
            align = self.abi_align(type_)
            found = (end + align - 1) // align * align, tuple(offsets)
            self._layouts[type_] = found
        return found

    def field_offset(self, struct: StructType, index: int) -> int:
        """Bytes before field `index`."""
        return self._layout_of(struct)[1][index]

    def gep_offset(self, gep: Gep | ConstExpr) -> tuple[int, list[tuple[Value, int]]]:
        """Offset in bytes: a constant, and (index, scale) for each index that is not constant."""
        current = gep.source_type
        assert current is not None
        constant = 0
        variable: list[tuple[Value, int]] = []
        for position, index in enumerate(gep.operands[1:]):
            if position == 0:
                scale = self.size_of(current)
            elif isinstance(current, StructType):
                field = _struct_index(index)
                constant += self.field_offset(current, field)
                assert current.elements is not None
                current = current.elements[field]
                continue
            elif isinstance(current, (ArrayType, VectorType)):
                current = current.element
                scale = self.size_of(current)
            else:
                raise ValueError(f"getelementptr into {current}")
            if isinstance(index, ConstInt):
                constant += index.value * scale
            else:
                variable.append((index, scale))
        return wrapped(constant), variable


def _struct_index(index: Value) -> int:
    element = getattr(index, "element", index)  # a vector of pointers takes a splat
    if not isinstance(element, ConstInt):
        raise ValueError("a struct is indexed by a constant")
    return element.value


def _power_of_two(number: int) -> int:
    return 1 << max(number - 1, 0).bit_length()


@functools.lru_cache(maxsize=16)
def _layout(text: str) -> DataLayout:
    return DataLayout(text)
