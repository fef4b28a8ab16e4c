"""Alias scopes: tell LLVM that primal, shadow and cache memory never overlap.

That is the caller's promise for primal and shadow, and true by construction for caches.  Without it no loop of a
reverse pass could be vectorised.  The lanes of a batch have scopes of their own where the caller promises that.
"""

from __future__ import annotations

from enzyme.engine.ir.instructions import Instruction, Load, Store
from enzyme.engine.ir.lexer import quote_name
from enzyme.engine.ir.module import Module


class Scopes:
    """Metadata nodes of one generated function; `lanes` shadows keep apart from each other."""

    def __init__(self, module: Module, name: str, lanes: int = 1) -> None:
        words = ["primal", "cache", *(f"shadow {lane}" for lane in range(lanes))]
        start = max(module.metadata, default=-1) + 1
        domain = start
        quoted = f'"{quote_name(name).strip(chr(34))}"'
        module.metadata[domain] = f"distinct !{{!{domain}, !{quoted}}}"
        scope = {}
        for k, word in enumerate(words):
            number = start + 1 + k
            scope[word] = number
            module.metadata[number] = f'distinct !{{!{number}, !{domain}, !"{word}"}}'
        self._lanes = lanes
        self._own: dict[str, str] = {}
        self._others: dict[str, str] = {}
        number = start + 1 + len(words)
        for word in words:
            module.metadata[number] = f"!{{!{scope[word]}}}"
            self._own[word] = f"!{number}"
            others = ", ".join(f"!{scope[w]}" for w in words if w != word)
            module.metadata[number + 1] = f"!{{{others}}}"
            self._others[word] = f"!{number + 1}"
            number += 2

    def _tag(self, instruction: Instruction, word: str) -> Instruction:
        if isinstance(instruction, (Load, Store)):
            instruction.metadata["alias.scope"] = self._own[word]
            instruction.metadata["noalias"] = self._others[word]
        return instruction

    def primal(self, instruction: Instruction) -> Instruction:
        return self._tag(instruction, "primal")

    def shadow(self, instruction: Instruction, lane: int) -> Instruction:
        return self._tag(instruction, f"shadow {min(lane, self._lanes - 1)}")

    def cache(self, instruction: Instruction) -> Instruction:
        return self._tag(instruction, "cache")
