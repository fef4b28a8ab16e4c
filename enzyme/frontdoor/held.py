"""What the program's functions and globals are kept for until all derivatives are made.

Copies call by other names what is declared of functions, and the engine asks for rules by name. An optimiser sees none
of that: to it a ``static`` function that only derivatives will call is dead, one whose other callers all pass 3 takes
no parameter, and a ``static`` global that nobody writes is a constant. A table of ours that all might read has their
addresses meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterator

from enzyme.engine.derivatives.catalogue import LIKE
from enzyme.engine.ir.module import Function, Module
from enzyme.engine.ir.types import PTR, array_type
from enzyme.engine.ir.values import ConstAggregate, GlobalAlias, GlobalVariable
from enzyme.frontdoor.declarations import Declarations
from enzyme.frontdoor.hidden_globals import ADDRESS
from enzyme.frontdoor.rules import RULED

INACTIVE = "enzyme.inactive."
_TABLE = "enzyme.held"


def own_name(name: str) -> str:
    """What the program calls what copies call by this name; "" of all other names.

    >>> own_name("enzyme.inactive.rounded"), own_name("enzyme.like.log1p.fast"), own_name("rounded")
    ('rounded', 'fast', '')
    """
    for prefix in (INACTIVE, RULED, ADDRESS):
        if name.startswith(prefix):
            return name.removeprefix(prefix)
    return name.removeprefix(LIKE).partition(".")[2] if name.startswith(LIKE) else ""


def hold(module: Module, declared: Declarations) -> None:
    """Keep what derivatives will refer to by name as it is."""
    wanted = dict.fromkeys(_wanted(module, declared))
    if wanted:
        kind = array_type(len(wanted), PTR)
        table = GlobalVariable(_TABLE, kind, True, ConstAggregate(kind, list(wanted)))
        module.globals[_TABLE] = table


def _wanted(
    module: Module, declared: Declarations
) -> Iterator[Function | GlobalVariable | GlobalAlias]:
    for name in module.functions:
        own = own_name(name)
        found = module.functions.get(own) or module.globals.get(own)
        if found is not None and found.type is PTR:
            yield found
    for rules in declared.gradients.values():
        yield from rules
    yield from declared.derivatives.values()


def let_go(module: Module) -> None:
    """When all derivatives are made: keep only what is used."""
    module.globals.pop(_TABLE, None)
