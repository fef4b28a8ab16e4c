"""Floats that a function returns as the bits of an integer, in a small record, are returned as floats.

So a `std::optional<double>` comes back: in two registers, of which a calling convention says how wide they are and
no more. Where all who call the function are seen, and make a float of these bits, it is one on the way, too.
"""

from __future__ import annotations

import re
from typing import TypeGuard

from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.instructions import Aggregate, Call, Instruction
from enzyme.engine.ir.module import Function, Module
from enzyme.engine.ir.printer import print_module, symbol_text
from enzyme.engine.ir.types import FloatType, StructType, function_type, struct_type
from enzyme.engine.ir.values import Value, poison_of
from enzyme.engine.preprocess.whole_values import part_of

_LOCAL = frozenset(("internal", "private"))


def return_floats(module: Module) -> None:
    """Rewrite such functions and their calls, in the whole module."""
    for function in module.functions.values():
        kind = function.function_type.ret
        if (
            not function.is_declaration
            and isinstance(kind, StructType)
            and any(member.is_int for member in kind.elements or ())
            and _LOCAL & set(function.prefix.split())
        ):
            _return_floats(function, kind)


def _return_floats(function: Function, kind: StructType) -> None:
    calls = [u for u in function.users if isinstance(u, Call) and function not in u.operands[:-1]]
    parts = [part for call in calls for part in call.users if _is_part(part)]
    if len(calls) < len(function.users) or len(parts) < sum(len(c.users) for c in calls):
        return
    members = [
        _wanted([user for p in parts if p.indices == (place,) for user in p.users]) or member
        for place, member in enumerate(kind.elements or ())
    ]
    if members == list(kind.elements or ()) or not _is_all(function, calls):
        return
    made = struct_type(members, kind.packed)
    function.function_type = function_type(made, function.function_type.params)
    for block in function.blocks:
        if block.terminator.opcode == "ret":
            _return(block.terminator, made)
    for call in calls:
        call.type, call.function_type = made, function.function_type
    for part in parts:
        part.type = members[part.indices[0]]
        for cast in list(part.users) if isinstance(part.type, FloatType) else ():
            cast.replace_uses_with(part)
            cast.erase()


def _is_all(function: Function, calls: list[Call]) -> bool:
    """Does nothing else of the module name the function, such as a table of functions?"""
    assert function.module is not None
    named = re.compile(re.escape(symbol_text(function)) + r"(?![\w.$-])")
    return len(named.findall(print_module(function.module))) == 1 + len(calls)


def _wanted(users: list[Instruction]) -> FloatType | None:
    """The type of float that all of these make of the bits."""
    found = {u.type if u.opcode == "bitcast" else None for u in users}
    (one,) = found if len(found) == 1 else (None,)
    return one if isinstance(one, FloatType) else None


def _is_part(user: Instruction) -> TypeGuard[Aggregate]:
    return isinstance(user, Aggregate) and user.opcode == "extractvalue" and len(user.indices) == 1


def _return(end: Instruction, kind: StructType) -> None:
    """Return what was returned, as a value of another type."""
    b = Builder()
    b.before(end)
    whole = end.operands[0]
    made: Value = poison_of(kind)
    for place, member in enumerate(kind.elements or ()):
        part = part_of(b, whole, (place,))
        if part.type is not member:
            part = b.cast("bitcast", part, member)
        made = b.insert_value(made, part, (place,))
    end.set_operand(0, made)
