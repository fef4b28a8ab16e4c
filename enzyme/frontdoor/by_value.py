"""Structures that are passed by value in memory (``byval``): the function that is called copies them itself.

LLVM lets the caller hand over an address and copy what is there only where the call is made: the function may write
there, and the caller does not see it.  Derivatives pass plain addresses, so that they would.  With a copy of its own at
its beginning a function reads what it is given once and never writes there; that copy is differentiated like any other.
"""

from __future__ import annotations

import re

from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.datalayout import DataLayout
from enzyme.engine.ir.module import Function, Module
from enzyme.engine.ir.parser import parse_module
from enzyme.engine.ir.types import I1, I64, VOID, Type
from enzyme.engine.ir.values import Argument, ConstInt
from enzyme.errors import IRParseError
from enzyme.frontdoor.failures import FrontDoorError

_ALIGNMENT = re.compile(r"\balign (\d+)")


def type_by_value(module: Module, parameter: Argument) -> Type | None:
    """The type of the structure that a parameter passes by value; None if there is none that is known."""
    if not parameter.has_attribute("byval"):
        return None
    text = _group(parameter.attributes, parameter.attributes.index("byval") + len("byval"))
    if text in module.structs:
        return module.structs[text]
    try:
        return parse_module(f"@passed = external global {text}").globals["passed"].value_type
    except (IRParseError, KeyError):
        return None


def _group(text: str, place: int) -> str:
    """What stands in the parentheses that open at a place."""
    depth = 0
    for end in range(place, len(text)):
        depth += {"(": 1, ")": -1}.get(text[end], 0)
        if not depth:
            return text[place + 1 : end]
    return ""


def copy_structures(module: Module, function: Function) -> None:
    """Let a function work on copies of the structures that it is given by value."""
    for parameter in function.args:
        if not parameter.users or not parameter.has_attribute("byval"):
            continue
        passed = type_by_value(module, parameter)
        if passed is None:
            raise FrontDoorError(
                what=f"argument {parameter.index} of @{function.name} is passed by value in memory",
                why=f"its type is not understood: {parameter.attributes}",
                todo="pass a pointer to it",
            )
        users = list(parameter.users)
        b = Builder(function.entry, function.entry.first_non_phi())
        alignment = _ALIGNMENT.search(parameter.attributes)
        copy = b.alloca(passed, align=int(alignment.group(1)) if alignment else 0)
        for user in users:
            user.replace_operand(parameter, copy)
        size = ConstInt(I64, DataLayout.of(module).size_of(passed))
        b.call_named("llvm.memcpy.p0.p0.i64", VOID, [copy, parameter, size, ConstInt(I1, 0)])
