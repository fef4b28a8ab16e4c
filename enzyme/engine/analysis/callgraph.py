"""Who calls whom: recursion groups, callees before callers.

Only direct calls are edges.
"""

from __future__ import annotations

from collections.abc import Iterable

from enzyme.engine.analysis.dataflow import strong_groups
from enzyme.engine.ir.instructions import Call
from enzyme.engine.ir.module import Function, Module


class CallGraph:
    """Direct calls between the functions of a module."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.callees: dict[Function, list[Function]] = {}
        for function in module.functions.values():
            found: dict[Function, None] = {}
            for instruction in function.instructions():
                called = instruction.callee if isinstance(instruction, Call) else None
                if isinstance(called, Function):
                    found[called] = None
            self.callees[function] = list(found)
        self._groups: list[tuple[Function, ...]] | None = None

    def groups(self) -> list[tuple[Function, ...]]:
        """Strongly connected groups in call order: callees before their callers."""
        if self._groups is None:
            self._groups = strong_groups(self.callees)
        return self._groups

    def reachable(self, roots: Iterable[Function]) -> list[Function]:
        """The roots and all that they may call directly or indirectly, in order of discovery."""
        found = dict.fromkeys(roots)
        pending = list(found)
        while pending:
            for callee in self.callees[pending.pop()]:
                if callee not in found:
                    found[callee] = None
                    pending.append(callee)
        return list(found)

    def __str__(self) -> str:
        lines = []
        for group in self.groups():
            names = ", ".join(f"@{f.name}" for f in group)
            called = dict.fromkeys(c.name for f in group for c in self.callees[f])
            lines.append(f"{names} -> {', '.join('@' + c for c in called) or 'nothing'}")
        return "\n".join(lines) + "\n"
