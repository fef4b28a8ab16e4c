"""Numbers that one round of a loop hands to the next, in a module's text, and quotients among them.

What is made of such numbers, and handed on again, is a chain: the time of a loop is that of its longest chain. A
quotient takes three times as long as a product. Where the divisor is known before the chain comes by, the quotient can
be a product with its reciprocal; who uses that must see to it that the reciprocal is finite.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Self

from enzyme.backend.instructions_in_text import FLAGS, NAME, NAMES, Line, parsed
from enzyme.backend.loops_in_text import blocks_of

_QUOTIENT = re.compile(rf"({FLAGS})(double|float) ({NAME}), ({NAME})$")


class TextFunction:
    """What defines each value of a function, in which lines it is used, and what stands in chains."""

    def __init__(self, body: Sequence[str], reciprocals: Mapping[str, str] = {}) -> None:
        """`reciprocals`: by the names of quotients in chains, those of the reciprocals of their divisors."""
        self.body = body
        self.reciprocals = reciprocals
        self.lines = [parsed(text) for text in body]
        self.definitions = {line.name: line for line in self.lines if line is not None}
        self.readers: dict[str, list[int]] = {}
        for at, (text, line) in enumerate(zip(body, self.lines, strict=True)):
            for name in NAMES.findall(text if line is None else line.rest):
                self.readers.setdefault(name, []).append(at)
        # What is made of numbers that the round before hands on, or the block before.
        self.in_chains: set[str] = set()
        for line in self.lines:
            if line is None or line.opcode == "load":
                continue
            handed_on = line.opcode == "phi" and line.rest.startswith(("double", "float"))
            if handed_on or not self.in_chains.isdisjoint(line.read):
                self.in_chains.add(line.name)

    def name_at(self, at: int) -> str:
        """The value that a line defines."""
        line = self.lines[at]
        return line.name if line is not None else ""

    def divides_late(self, at: int) -> re.Match[str] | None:
        """The quotient in a line, if the divisor is known before the number that it divides may be."""
        line = self.lines[at]
        found = _QUOTIENT.match(line.rest) if line is not None and line.opcode == "fdiv" else None
        if found is None or "arcp " not in found[1] or found[4] in self.in_chains:
            return None
        return found if found[3] in self.in_chains else None

    def carried(self, loops: Mapping[str, str]) -> tuple[dict[str, int], dict[str, int]]:
        """Of each number in a loop, which of those it is made of that a round hands to the next, and which it is
        handed on in: bits, one for each such number."""
        made_of: dict[str, int] = {}
        handed_on: dict[str, int] = {}
        bit = 1
        inside = [
            (label, line)
            for (label, _), line in zip(blocks_of(self.body), self.lines, strict=True)
            if line is not None and label in loops and line.opcode != "load"
        ]
        for label, line in inside:
            if line.opcode == "phi" and label == loops[label]:
                if line.rest.startswith(("double", "float")):
                    made_of[line.name] = bit
                    handed_on.update({name: handed_on.get(name, 0) | bit for name in line.read})
                    bit <<= 1
            else:
                for name in line.read:
                    made_of[line.name] = made_of.get(line.name, 0) | made_of.get(name, 0)
        for label, line in reversed(inside):
            if line.opcode != "phi" or label != loops[label]:
                for name in line.read:
                    handed_on[name] = handed_on.get(name, 0) | handed_on.get(line.name, 0)
        return made_of, handed_on

    def with_reciprocals(self, loops: Mapping[str, str]) -> Self:
        """The function with reciprocals in front of quotients in chains."""
        made: list[str] = []
        reciprocals: dict[str, str] = {}
        known: dict[tuple[str, str], str] = {}
        blocks = list(blocks_of(self.body))
        quotients = {
            at: found
            for at, (label, _) in enumerate(blocks)
            if label in loops and (found := self.divides_late(at)) is not None
        }
        if not quotients:
            return self
        made_of, handed_on = self.carried(loops)
        for at, (label, text) in enumerate(blocks):
            line, found = self.lines[at], quotients.get(at)
            in_chain = found is not None and made_of.get(found[3], 0) & handed_on.get(
                self.name_at(at), 0
            )
            if line is not None and found is not None and in_chain:
                name = known.get((label, found[4]))
                if name is None:
                    name = known[label, found[4]] = f"%enzyme.reciprocal.{at}"
                    made.append(f"  {name} = fdiv {found[2]} 1.000000e+00, {found[4]}")
                reciprocals[line.name] = name
            made.append(text)
        return type(self)(made, reciprocals) if reciprocals else self


def multiplied(line: Line, quotients: Mapping[str, str]) -> str:
    """The text of a line, of a quotient as a product with the reciprocal."""
    found = _QUOTIENT.match(line.rest) if line.name in quotients else None
    if found is None:
        return line.text
    return f"  {line.name} = fmul {found[1]}{found[2]} {found[3]}, {quotients[line.name]}"


__all__ = ["TextFunction", "multiplied"]
