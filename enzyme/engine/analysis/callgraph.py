"""Who calls whom: recursion groups, callees before callers.

Only direct calls are edges.
"""

from __future__ import annotations

from collections.abc import Container, Iterable

from enzyme.engine.analysis.dataflow import strong_groups
from enzyme.engine.ir.instructions import Call
from enzyme.engine.ir.module import Function


class CallGraph:
    """Direct calls between the functions that are reached from roots without going through what is left out."""

    def __init__(self, roots: Iterable[Function], out: Container[Function] = ()) -> None:
        self.callees: dict[Function, list[Function]] = {}
        pending = list(roots)
        for function in pending:  # to which more is added meanwhile
            if function in self.callees:
                continue
            found: dict[Function, None] = {}
            for instruction in function.instructions():
                called = instruction.callee if isinstance(instruction, Call) else None
                if isinstance(called, Function) and called not in out:
                    found[called] = None
            self.callees[function] = list(found)
            pending += found

    def groups(self) -> list[tuple[Function, ...]]:
        """Strongly connected groups in call order: callees before their callers."""
        return strong_groups(self.callees)

    def __str__(self) -> str:
        lines = []
        for group in self.groups():
            names = ", ".join(f"@{f.name}" for f in group)
            called = dict.fromkeys(c.name for f in group for c in self.callees[f])
            lines.append(f"{names} -> {', '.join('@' + c for c in called) or 'nothing'}")
        return "\n".join(lines) + "\n"
