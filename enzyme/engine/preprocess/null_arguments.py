"""A function that is called with a null pointer gets a form for these calls, in which the parameter is null.

Numba passes the parts of an array one by one.  One is the object that owns the memory: null for an array that the
program made, not for one that it was given.  Null memory has no shadow; as a parameter it would look like memory
declared constant, whose address is kept together with active memory.
"""

from __future__ import annotations

import re

from enzyme.engine.analysis.known_functions import lookup_known
from enzyme.engine.ir.clone import clone_function
from enzyme.engine.ir.instructions import Call
from enzyme.engine.ir.module import Function, Module
from enzyme.engine.ir.values import Value, is_zero, zero_of

_LINKAGE = re.compile(
    r"\b(?:private|internal|external|weak|weak_odr|linkonce|linkonce_odr|dso_local|hidden|protected)\b"
)


def separate_null_arguments(module: Module) -> None:
    """Let calls with null pointers that are looked at call copies that know of them."""
    made: dict[tuple[Function, frozenset[int]], Function] = {}
    forms: dict[Function, tuple[Function, frozenset[int]]] = {}
    pending = [f for f in module.functions.values() if not f.is_declaration]
    while pending:
        for call in list(pending.pop().instructions()):
            if not isinstance(call, Call):
                continue
            callee = call.callee
            if not isinstance(callee, Function) or callee.is_declaration:
                continue
            nulls = _null_parameters(call, callee)
            if not nulls or lookup_known(call) is not None:
                continue
            function, before = forms.get(callee, (callee, frozenset()))
            key = function, before | nulls
            if key not in made:
                made[key] = _form(module, *key)
                forms[made[key]] = key
                pending.append(made[key])
            call.set_operand(len(call.operands) - 1, made[key])


def _null_parameters(call: Call, callee: Function) -> frozenset[int]:
    """The pointers that are null in this call and that the function does something with."""
    return frozenset(
        k
        for k, (parameter, given) in enumerate(zip(callee.args, call.arguments, strict=False))
        if given.type.is_pointer and is_zero(given) and parameter.users
    )


def _form(module: Module, function: Function, nulls: frozenset[int]) -> Function:
    values: dict[Value, Value] = {a: zero_of(a.type) for a in function.args if a.index in nulls}
    made, _ = clone_function(function, module.fresh_symbol(f"{function.name}.null"), values)
    made.prefix = f"internal {' '.join(_LINKAGE.sub('', function.prefix).split())}".strip()
    return made
