"""May a function be run again without anybody noticing?

``__enzyme_fwdsplit`` comes behind the augmented run of the same function. Here its tangents are computed beside the
values, once more: right if nothing that the function reads can have changed in between, and nothing that it does would
be done twice. That is what is asked here, of the function and of all that it calls: it takes no memory, uses no
variables of the module, and calls only functions of mathematics and those that hand out memory.
"""

from __future__ import annotations

from collections.abc import Iterator

from enzyme.engine.derivatives.catalogue import find
from enzyme.engine.ir.instructions import Call
from enzyme.engine.ir.module import Function, Module
from enzyme.engine.ir.values import ConstAggregate, ConstExpr, GlobalAlias, GlobalVariable, Value
from enzyme.frontdoor.c_library import C_LIBRARY
from enzyme.frontdoor.declarations import Declarations
from enzyme.frontdoor.failures import FrontDoorError
from enzyme.frontdoor.function_pointers import taken_functions
from enzyme.frontdoor.sites import Site

_MEMORY = ("allocate", "reallocate", "free")
_ENDING = ("abort", "_exit", "__assert_fail", "_ZSt9terminatev")


def check_repeatable(site: Site, module: Module, declared: Declarations) -> None:
    """Raise if the primal of a site cannot be run again."""
    primal = site.primal
    why = _reason(primal, module, declared)
    if why:
        raise FrontDoorError(
            where=site.place,
            what=f"__enzyme_fwdsplit is not supported for @{primal.name}",
            why=f"it would be run again, and {why}",
            todo="call __enzyme_fwddiff",
        )


def _reason(primal: Function, module: Module, declared: Declarations) -> str:
    for argument in primal.args:
        if argument.type.is_pointer:
            return f"argument {argument.index} leads to memory that may have changed"
    taken = taken_functions(module)
    pending, seen = [primal], {primal}
    while pending:
        function = pending.pop()
        called: list[Function] = []
        for i in function.instructions():
            for operand in i.operands:
                for value in _parts(operand):
                    if isinstance(value, GlobalVariable) and not value.is_const:
                        return f"@{value.name} may have changed"
                    if isinstance(value, Function):
                        called.append(value)
            if isinstance(i, Call) and not isinstance(i.callee, Function | GlobalAlias):
                if i.callee_name or not any(f.function_type is i.function_type for f in taken):
                    return f"what a call in @{function.name} does is not known"
                called += [f for f in taken if f.function_type is i.function_type]
        for other in called:
            if other in seen:
                continue
            seen.add(other)
            if other.is_declaration and not _is_known(other.name):
                return f"what @{other.name} does would happen twice"
            pending.append(other)
            if other in declared.derivatives:
                pending.append(declared.derivatives[other])
    return ""


def _is_known(name: str) -> bool:
    """Is it a function without a body that may be called twice?"""
    row = C_LIBRARY.functions.get(name)
    known = row is not None and row.kind in _MEMORY
    return known or name.startswith("llvm.") or name in _ENDING or find(name) is not None


def _parts(value: Value) -> Iterator[Value]:
    """A value and what it is made of, as far as that is constant."""
    yield value
    if isinstance(value, GlobalAlias):
        yield from _parts(value.aliasee)
    elif isinstance(value, ConstAggregate | ConstExpr):
        for operand in value.operands:
            yield from _parts(operand)
