"""What an operand of a call trivially is: a function, a number, or a marker."""

from __future__ import annotations

import re

from enzyme.engine.ir.instructions import Alloca, Call, Instruction, Load, Store
from enzyme.engine.ir.module import Function, Module
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
_CASTS = ("bitcast", "addrspacecast")


def resolve(value: Value) -> Value:
    """What a value trivially is: behind casts, aliases, and loads of memory that is stored to once."""
    for _ in range(16):
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
    return _loaded(value) if isinstance(value, Load) else None


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
        elif isinstance(user, Call) and user.callee_name.startswith("llvm.lifetime."):
            continue
        elif not isinstance(user, Load):
            return None
    return stored[0] if len(stored) == 1 else None


def marker_name(value: Value) -> str | None:
    """The marker that a (resolved) operand is, whether known or not."""
    if isinstance(value, GlobalVariable):
        found = _MANGLED.match(value.name)
        return found.group(1) if found else None
    if isinstance(value, MetadataOperand):
        found = _METADATA_STRING.search(value.text)
        return found.group(1) if found else None
    return None


def drop_markers(module: Module, functions: list[Function]) -> None:
    """Remove markers on their way to calls that are gone, and markers that nobody refers to."""
    for function in functions:
        _forget_markers(function)
    for name, variable in list(module.globals.items()):
        if isinstance(variable, GlobalVariable) and variable.initializer is None:
            if marker_name(variable) in MARKERS and not variable.users:
                del module.globals[name]


def _forget_markers(function: Function) -> None:
    """Erase loads of markers, and their copies on the stack, where nobody reads them any more."""
    pending = [i for i in function.instructions() if isinstance(i, Load)][::-1]
    while pending:
        load = pending.pop()
        memory = resolve(load.pointer)
        marker = marker_name(resolve(load))
        if load.parent is None or marker not in MARKERS or not _is_unread(load):
            continue
        for store in list(load.users):
            assert isinstance(store, Store)
            store.erase()
        load.erase()
        if isinstance(memory, Alloca):
            stored = (user.value for user in memory.users if isinstance(user, Store))
            pending += [value for value in stored if isinstance(value, Load)]


def _is_unread(load: Load) -> bool:
    """Does nobody use what is loaded, but for stores on the stack which nobody loads from?"""
    return all(
        isinstance(user, Store)
        and user.value is load
        and isinstance(user.pointer, Alloca)
        and all(isinstance(u, Store) and u.pointer is user.pointer for u in user.pointer.users)
        for user in load.users
    )
