"""Calls by pointers that cannot be of a function, as its derivative would need itself.

``f`` calls ``p(x)``, and ``df`` has the type of ``p`` and asks for the derivative of ``f``. Were ``df`` what ``p``
points to, then the derivative of ``f`` would need that of ``df``, and so the second of ``f``, and so on without end.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from enzyme.engine.ir.instructions import Call, Instruction
from enzyme.engine.ir.module import Function
from enzyme.engine.ir.values import Argument, GlobalAlias, Value


def behind(operand: Value) -> Function | None:
    """The function with a body that an operand is, perhaps by another name."""
    while isinstance(operand, GlobalAlias) and operand.kind == "alias":
        operand = operand.aliasee
    return operand if isinstance(operand, Function) and not operand.is_declaration else None


def is_by_pointer(i: Instruction) -> bool:
    """Is it a call of a function that only the running program knows?"""
    return (
        isinstance(i, Call)
        and i.opcode in ("call", "invoke")
        and isinstance(i.callee, Instruction | Argument)
    )


class Cycles:
    """`stand_in` is how the names begin of what stands for derivatives; their first operands are the primals."""

    def __init__(self, taken: Sequence[Function], stand_in: str) -> None:
        self.taken = taken
        self.stand_in = stand_in
        self._asked: dict[Function, list[Function]] = {}
        self._comes_to: dict[Function, set[Function]] = {}

    def candidates(self, function: Function) -> list[Function]:
        """What calls by pointers in a function may be calls of.

        On each way round that has a call by a pointer in it, the last of them before the derivative is asked for is
        what is left out: from there on, functions are called by their names.
        """
        return [
            f for f in self.taken if not any(function in self._from(p) for p in self._primals(f))
        ]

    def _primals(self, function: Function) -> list[Function]:
        """Functions whose derivatives are asked for by what a function comes to without pointers."""
        if function not in self._asked:
            self._asked[function] = [
                primal
                for other in self._reached(function, by_pointers=False)
                for i in other.instructions()
                if isinstance(i, Call) and i.callee_name.startswith(self.stand_in)
                if (primal := behind(i.arguments[0])) is not None
            ]
        return self._asked[function]

    def _from(self, primal: Function) -> set[Function]:
        if primal not in self._comes_to:
            self._comes_to[primal] = self._reached(primal, by_pointers=True)
        return self._comes_to[primal]

    def _reached(self, start: Function, *, by_pointers: bool) -> set[Function]:
        found: set[Function] = set()
        pending = [start]
        while pending:
            function = pending.pop()
            if function in found:
                continue
            found.add(function)
            for i in function.instructions():
                pending += self._named(i.operands)
                if by_pointers and isinstance(i, Call) and is_by_pointer(i):
                    pending += [f for f in self.taken if f.function_type is i.function_type]
        return found

    def _named(self, operands: Iterable[Value]) -> list[Function]:
        return [f for operand in operands if (f := behind(operand)) is not None]
