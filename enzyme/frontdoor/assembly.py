"""Inline assembly in copies of primals that says in instructions what LLVM has words for.

Libraries of templates hold values in registers by assembly without any instruction, and call the fused
multiplication, and the larger and the smaller of packed numbers, by name. What is not in these forms stays, and is
refused if numbers pass through it.
"""

from __future__ import annotations

import re

from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.instructions import Call
from enzyme.engine.ir.module import Function
from enzyme.engine.ir.types import DOUBLE, FLOAT
from enzyme.engine.ir.values import RawConstant, Value
from enzyme.frontdoor.processor import smaller_or_larger

_ASSEMBLY = re.compile(r'asm ([\w ]*)"((?:[^"\\]|\\.)*)", "([^"]*)"')
_FUSED = re.compile(r"\s*vfmadd231[ps][ds] \$1, \$2, \$0\s*")
# The larger or smaller of packed numbers: in three registers, and where the second is the result.
_CHOICE = re.compile(r"\s*v(min|max)p([sd]) \$1, \$2, \$0\s*|\s*(min|max)p([sd]) \$1, \$0\s*")
_COMMENT = re.compile(r"\s*(?:#[^\n]*)?\s*")


def read_assembly(function: Function) -> None:
    """Replace what is understood."""
    for call in [i for i in function.instructions() if isinstance(i, Call)]:
        if call.opcode != "call" or not isinstance(call.callee, RawConstant):
            continue
        found = _ASSEMBLY.match(call.callee.text)
        if found is None:
            continue
        value = _value(call, found.group(2), found.group(3).split(","))
        if value is not None:
            call.replace_uses_with(value)
        if value is not None or _does_nothing(call, found.group(2)):
            call.erase()


def _value(call: Call, code: str, constraints: list[str]) -> Value | None:
    """What the assembly computes."""
    operands = call.arguments
    kinds = [c for c in constraints if not c.startswith("~")]
    if _COMMENT.fullmatch(code) and len(operands) == 1 and kinds[1:] == ["0"]:
        return operands[0] if operands[0].type is call.type else None
    if _FUSED.fullmatch(code) and len(operands) == 3 and kinds[1:] == ["x", "x", "0"]:
        if call.type.scalar.is_float:
            b = Builder()
            b.before(call)
            return b.intrinsic("fma", operands)
    choice = _CHOICE.fullmatch(code)
    if choice is not None and kinds[1:] == ["x", "x" if choice.group(1) else "0"]:
        which, width = choice.group(1, 2) if choice.group(1) else choice.group(3, 4)
        if call.type.is_vector and call.type.scalar is (DOUBLE if width == "d" else FLOAT):
            b = Builder()
            b.before(call)
            other, first = operands
            return smaller_or_larger(b, which, first, other)
    return None


def _does_nothing(call: Call, code: str) -> bool:
    """Is it a comment, or a barrier that only keeps a compiler from moving code?"""
    return bool(_COMMENT.fullmatch(code)) and not call.arguments and not call.users
