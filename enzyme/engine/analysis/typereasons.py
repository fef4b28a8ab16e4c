"""Why a fact about types holds, in words, and the error for two facts that contradict."""

from __future__ import annotations

from enzyme.engine.analysis.typetree import ConcreteType, illegal
from enzyme.engine.ir.instructions import Instruction
from enzyme.engine.ir.printer import print_instruction
from enzyme.engine.ir.values import Value

Reason = Value | str


def explain(reason: Reason) -> str:
    """Why a fact holds, in words."""
    if isinstance(reason, str):
        return reason
    if not isinstance(reason, Instruction):
        return f"{reason.type} {reason.name}"
    text = print_instruction(reason).strip()
    if reason.parent is not None and reason.parent.name:
        text += f" (in block %{reason.parent.name})"
    return text


def clash(
    first: ConcreteType, why: Reason, second: ConcreteType, why_second: Reason, joined: Reason = ""
) -> Exception:
    where = explain(joined or why_second)
    return illegal(where, first, explain(why), second, explain(why_second))
