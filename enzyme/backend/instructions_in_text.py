"""Instructions of numbers, read off a module's text: what each defines and reads, and what a NaN does to it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

NAME = r'%(?:"[^"]*"|[-\w.$]+)'
NAMES = re.compile(NAME)
FLAGS = r"(?:(?:nnan|ninf|nsz|arcp|contract|afn|reassoc|fast) )*"

_DEFINITION = re.compile(rf"  ({NAME}) = (?:(?:tail|notail) )?(\w+) (.*)$")
# LLVM's functions of numbers have no effects.
_OF_NUMBERS = re.compile(rf"{FLAGS}(?:double|float) @llvm\.\w+\.f(?:64|32)\(")
_OF_TYPE = re.compile(rf"{FLAGS}(double|float|i1) ")
_SELECT_OF_TYPE = re.compile(rf"{FLAGS}i1 \S+, (double|float|i1) ")

_PROMISES = frozenset(("nnan", "ninf", "fast"))
_ARITHMETIC = frozenset("fadd fsub fmul fdiv fneg".split())
_TYPED = frozenset("fadd fsub fmul fdiv fneg and or xor call".split())
_PURE = frozenset(
    "fadd fsub fmul fdiv fneg fcmp icmp select and or xor add sub mul shl lshr ashr getelementptr zext sext trunc"
    " fpext fptrunc sitofp uitofp fptosi fptoui bitcast".split()
)


@dataclass(slots=True)
class Line:
    """An instruction: its text, the value that it defines, its opcode and what follows that, metadata aside."""

    text: str
    name: str
    opcode: str
    rest: str

    @property
    def read(self) -> list[str]:
        """Names of the values that it reads, and of the types that it names."""
        return NAMES.findall(self.rest)

    @property
    def is_pure(self) -> bool:
        """May it run twice, or not at all?"""
        if self.opcode == "call":
            return _OF_NUMBERS.match(self.rest) is not None
        if self.opcode == "load":
            return not self.rest.startswith(("volatile ", "atomic "))
        return self.opcode in _PURE

    @property
    def is_finite_by_promise(self) -> bool:
        """Do its flags say that it is not NaN, or not infinite?"""
        return not _PROMISES.isdisjoint(self.rest.split(" ", 10))

    @property
    def loses_nan_of(self) -> list[str]:
        """What may be NaN while the result is a number like any other; of a select only its condition, because the
        number that it does not take does not matter."""
        if self.opcode == "select":
            return NAMES.findall(self.rest.split(", ", 1)[0])
        return [] if self.opcode in _ARITHMETIC else self.read

    @property
    def type(self) -> str | None:
        """`double`, `float` or `i1`; None for all else."""
        if self.opcode in ("fcmp", "icmp"):
            return "i1"
        pattern = _SELECT_OF_TYPE if self.opcode == "select" else _OF_TYPE
        found = (
            pattern.match(self.rest) if self.opcode in _TYPED or self.opcode == "select" else None
        )
        return found[1] if found else None


def parsed(text: str) -> Line | None:
    """The instruction of a line that defines a value; None for other lines."""
    found = _DEFINITION.match(text)
    return Line(text, found[1], found[2], found[3].split(", !", 1)[0]) if found else None


def renamed(text: str, names: Mapping[str, str]) -> str:
    """The text with other names of values."""
    return NAMES.sub(lambda found: names.get(found[0], found[0]), text) if names else text


__all__ = ["FLAGS", "NAME", "NAMES", "Line", "parsed", "renamed"]
