"""Globals to which the program gives shadows: ``@g = global double 0.0, !enzyme_shadow !0``, ``!0 = !{ptr @dg}``.

They are passed to derivatives as an argument with a shadow would be: nobody clears it.
"""

from __future__ import annotations

from enzyme.engine.ir.module import Module
from enzyme.engine.ir.values import GlobalVariable
from enzyme.frontdoor.active_globals import can_have_shadow
from enzyme.frontdoor.attributes import METADATA_OF, SYMBOL
from enzyme.frontdoor.failures import FrontDoorError

_WORD = "enzyme_shadow"


def given_shadows(module: Module) -> dict[GlobalVariable, GlobalVariable]:
    """The shadows by their globals, whose metadata goes."""
    found: dict[GlobalVariable, GlobalVariable] = {}
    for variable in list(module.globals.values()):
        if not isinstance(variable, GlobalVariable) or _WORD not in variable.suffix:
            continue
        for name, node in METADATA_OF.findall(variable.suffix):
            if name == _WORD:
                found[variable] = _shadow(module, variable, int(node))
        variable.suffix = METADATA_OF.sub(
            lambda m: "" if m.group(1) == _WORD else m.group(), variable.suffix
        )
    return found


def _shadow(module: Module, variable: GlobalVariable, node: int) -> GlobalVariable:
    where = f"in @{variable.name}"
    symbol = SYMBOL.search(module.metadata.get(node, ""))
    shadow = module.globals.get(symbol.group(1) or symbol.group(2)) if symbol else None
    if not isinstance(shadow, GlobalVariable) or shadow.value_type is not variable.value_type:
        raise FrontDoorError(
            where=where, what=f"the metadata !{_WORD} does not hold a global of the same type"
        )
    if shadow.is_const or not can_have_shadow(module, variable.name):
        raise FrontDoorError(
            where=where,
            what=f"@{variable.name} cannot have the shadow that !{_WORD} gives it",
            why="one of both is constant, or of a thread, or its address is kept in memory",
            todo="pass the memory as an argument with a shadow",
        )
    return shadow
