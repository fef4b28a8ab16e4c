"""What an operand of a call trivially is: a function, a number, or a marker."""

from __future__ import annotations

import re
from collections.abc import Collection

from enzyme.engine.ir.instructions import Alloca, Call, Instruction, Load, Store
from enzyme.engine.ir.module import Block, Function, Module
from enzyme.engine.ir.values import (
    ConstExpr,
    GlobalAlias,
    GlobalVariable,
    MetadataOperand,
    Value,
)
from enzyme.frontdoor.surface import MARKERS

_METADATA_STRING = re.compile(r'!"(enzyme_\w+)"')
# C++ mangles the names of variables in namespaces.
_MANGLED = re.compile(r"^(?:[\w$]*?(?:\d|\.|\$))?(enzyme_\w+?)E?$")
# Through how many variables of inlined functions, as those of the header for C++, a marker may come.
_MOST_STEPS = 256
_CASTS = ("bitcast", "addrspacecast")


def resolve(value: Value) -> Value:
    """What a value trivially is: behind casts, aliases, and loads of memory that is stored to once."""
    for _ in range(_MOST_STEPS):
        known = _step(value)
        if known is None:
            return value
        value = known
    return value


def _step(value: Value) -> Value | None:
    if isinstance(value, GlobalAlias):
        return value.aliasee
    if isinstance(value, ConstExpr) and value.opcode in _CASTS:
        return value.operands[0]
    if isinstance(value, Instruction) and value.opcode in (*_CASTS, "freeze"):
        return value.operands[0]
    if isinstance(value, Call):
        return _returned(value)
    return _loaded(value) if isinstance(value, Load) else None


def _returned(call: Call) -> Value | None:
    """The function that a call always gives, as the conversion of a lambda to a pointer does."""
    callee = call.callee
    if not isinstance(callee, Function) or len(callee.blocks) != 1:
        return None
    end = callee.entry.terminator
    if end.opcode != "ret" or not end.operands or not end.operands[0].type.is_pointer:
        return None
    found = resolve(end.operands[0])
    return found if isinstance(found, Function) else None


def _loaded(load: Load) -> Value | None:
    memory = resolve(load.pointer)
    if isinstance(memory, GlobalVariable):
        if marker_name(memory) is not None:
            return memory
        private = any(word in memory.prefix.split() for word in ("internal", "private"))
        # Initializers and constant expressions refer to it without being users.
        unchanged = memory.is_const or (
            private and all(isinstance(user, Load) for user in memory.users)
        )
        return memory.initializer if unchanged else None
    if not isinstance(memory, Alloca):
        return None
    stored: list[Value] = []
    for user in memory.users:
        if isinstance(user, Store) and user.value is not memory:
            stored.append(user.value)
        elif _is_remark(user):
            continue
        elif not isinstance(user, Load):
            return None
    return stored[0] if len(stored) == 1 else None


def _is_remark(user: Instruction) -> bool:
    """Does it say something of a variable, to a debugger or to the optimiser, and nothing else?"""
    if isinstance(user, Call):
        return user.callee_name.startswith(("llvm.lifetime.", "llvm.dbg."))
    return user.opcode.startswith("#dbg")


def marker_name(value: Value) -> str | None:
    """The marker that a (resolved) operand is, whether known or not."""
    if isinstance(value, GlobalVariable):
        found = _MANGLED.match(value.name)
        return found.group(1) if found else None
    if isinstance(value, MetadataOperand):
        found = _METADATA_STRING.search(value.text)
        return found.group(1) if found else None
    return None


def chosen_markers(value: Value) -> set[str]:
    """The markers one of which a value is: compilers merge calls that differ in nothing else."""
    found: set[str] = set()
    pending, seen = [value], {value}
    while pending:
        value = resolve(pending.pop())
        name = marker_name(value)
        if name is not None:
            found.add(name)
        elif isinstance(value, Instruction) and value.opcode in ("phi", "select"):
            values = value.operands[1:] if value.opcode == "select" else value.operands
            more = [v for v in values if not isinstance(v, Block) and v not in seen]
            seen.update(more)
            pending += more
    return found


def drop_markers(module: Module, functions: list[Function]) -> None:
    """Remove markers on their way to calls that are gone, and markers that nobody refers to."""
    for function in functions:
        _forget_markers(function)
    for name, variable in list(module.globals.items()):
        if isinstance(variable, GlobalVariable) and variable.initializer is None:
            if marker_name(variable) in MARKERS and not variable.users:
                del module.globals[name]


def _forget_markers(function: Function) -> None:
    """Erase loads of markers, and their ways over the stack, where nobody reads them any more."""
    for i in list(function.instructions()):
        if _is_remark(i) and any(_is_marker(v) for v in i.operands):
            i.erase()  # a debugger would be told where a parameter of the header came from
    doomed = {i: None for i in function.instructions() if _carries_marker(i)}
    while True:
        kept = [i for i in doomed if not _is_unread(i, doomed)]
        if not kept:
            break
        for i in kept:
            del doomed[i]
    for i in doomed:
        if isinstance(i, Store):
            i.erase()
    for i in reversed(doomed):
        if isinstance(i, Load):
            i.erase()


def _is_marker(value: Value) -> bool:
    return marker_name(resolve(value)) in MARKERS


def _carries_marker(i: Instruction) -> bool:
    """Is it a load of a marker, or of its address, or a store of one?"""
    if isinstance(i, Store):
        return _is_marker(i.value)
    return isinstance(i, Load) and _is_marker(i)


def _is_unread(i: Instruction, doomed: Collection[Instruction]) -> bool:
    """Does nobody but what is to go use a load, or the variable on the stack that a store fills?"""
    if isinstance(i, Load):
        return all(user in doomed for user in i.users)
    assert isinstance(i, Store)
    memory = i.pointer
    return isinstance(memory, Alloca) and all(
        (isinstance(user, Store) and user.value is not memory) or _is_remark(user) or user in doomed
        for user in memory.users
    )
