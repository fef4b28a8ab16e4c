"""Alias scopes: tell LLVM that primal, shadow and cache memory never overlap, nor parts of either.

That is the caller's promise for primal and shadow, and true by construction for caches.  Without it no loop of a
reverse pass could be vectorised.  The lanes of a batch have scopes of their own where the caller promises that.
Objects that the alias oracle keeps apart (`analysis.regions`) have scopes of their own too, and so have their shadows:
an adjoint that does not move in a loop stays in a register only if it is known that the others are elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from enzyme.engine.analysis.alias import AliasOracle
from enzyme.engine.analysis.regions import Regions
from enzyme.engine.ir.instructions import Instruction, Load, Store
from enzyme.engine.ir.lexer import quote_name
from enzyme.engine.ir.module import Block, Module
from enzyme.engine.ir.values import Value


class Scopes:
    """Metadata nodes of one generated function; `lanes` shadows keep apart from each other."""

    def __init__(self, module: Module, name: str, regions: Regions, lanes: int = 1) -> None:
        self._module = module
        self._regions = regions
        self._lanes = lanes
        words = ["primal", *(f"shadow {lane}" for lane in range(lanes))]
        parts = {word: [f"{word} {k}" for k in range(regions.count)] for word in words}
        self._next = max(module.metadata, default=-1) + 1
        # Nodes are made when they are needed; functions that are synthesised meanwhile number theirs behind these.
        most = 2 + sum(map(len, parts.values())) + 2 * sum(len(p) + 1 for p in parts.values()) + 2
        module.metadata[self._next + most] = "!{}"
        quoted = f'"{quote_name(name).strip(chr(34))}"'
        domain = self._add(lambda number: f"distinct !{{!{number}, !{quoted}}}")
        self._parts: dict[str, list[int]] = {}
        for word, names in {"cache": ["cache"], **parts}.items():
            self._parts[word] = [self._add(_scope(domain, text)) for text in names]
        self._lists: dict[tuple[str, int | None], tuple[str, str]] = {}

    def _add(self, text: Callable[[int], str]) -> int:
        number = self._next
        self._next += 1
        self._module.metadata[number] = text(number)
        return number

    def _listed(self, scopes: Iterable[int]) -> str:
        inside = ", ".join(f"!{scope}" for scope in scopes)
        return f"!{self._add(lambda number: f'!{{{inside}}}')}"

    def _tag(self, instruction: Instruction, word: str, region: int | None) -> Instruction:
        if not isinstance(instruction, (Load, Store)):
            return instruction
        found = self._lists.get((word, region))
        if found is None:
            mine = self._parts[word] if region is None else [self._parts[word][region]]
            others = [s for scopes in self._parts.values() for s in scopes if s not in mine]
            found = self._listed(mine), self._listed(others)
            self._lists[word, region] = found
        instruction.metadata["alias.scope"], instruction.metadata["noalias"] = found
        return instruction

    def primal(self, instruction: Instruction, pointer: Value) -> Instruction:
        """Memory of the program behind `pointer`, as it is called in the function that is differentiated."""
        return self._tag(instruction, "primal", self._of(pointer))

    def shadow(
        self, instruction: Instruction, lane: int, pointer: Value | None = None
    ) -> Instruction:
        """The shadow of what is behind `pointer`; of anything, without."""
        return self._tag(instruction, f"shadow {min(lane, self._lanes - 1)}", self._of(pointer))

    def cache(self, instruction: Instruction) -> Instruction:
        return self._tag(instruction, "cache", None)

    def _of(self, pointer: Value | None) -> int | None:
        return None if pointer is None else self._regions.of(pointer)


def _scope(domain: int, name: str) -> Callable[[int], str]:
    return lambda number: f'distinct !{{!{number}, !{domain}, !"{name}"}}'


def same_tag(made: Load | Store, access: Load | Store) -> None:
    """Let what is read or written in a shadow be of the type that the program's tag tells, where it is of one size.

    So it is in forward mode, where a shadow holds at any time what its object does.
    """
    if made.accessed is access.accessed and "tbaa" in access.metadata:
        made.metadata["tbaa"] = access.metadata["tbaa"]


def regions_of(oracle: AliasOracle, blocks: Iterable[Block]) -> Regions:
    """The regions of what the program in these blocks reads and writes."""
    accesses = (i for b in blocks for i in b.instructions if isinstance(i, (Load, Store)))
    return Regions(oracle, (i.pointer for i in accesses))
