"""Objects that grow: which arguments of a function it makes longer, itself or through calls."""

from __future__ import annotations

from collections.abc import Iterable

from enzyme.engine.analysis.alias import AliasOracle
from enzyme.engine.analysis.known_functions import lookup_known
from enzyme.engine.ir.instructions import Call
from enzyme.engine.ir.module import Function, Module
from enzyme.engine.ir.values import Argument

KINDS = ("items", "resize", "insert")

# What the front end writes for lists and dictionaries; each is the same in all programs, whatever they hold.
SHARED = frozenset(
    """
    enzyme_items enzyme_resize enzyme_new enzyme_methods enzyme_find enzyme_insert enzyme_place enzyme_key
    enzyme_table enzyme_next
    """.split()
)


def grown_arguments(
    function: Function, oracle: AliasOracle, wanted: Iterable[Argument]
) -> dict[Argument, Call]:
    """The wanted arguments that are made longer, each with a call that does it."""
    known: dict[Function, dict[int, Call]] = {}
    before = -1
    while before != sum(map(len, known.values())):
        before = sum(map(len, known.values()))
        found = _grown(function, oracle, known, set())
    return {argument: found[argument.index] for argument in wanted if argument.index in found}


def _grown(
    function: Function,
    oracle: AliasOracle,
    known: dict[Function, dict[int, Call]],
    visited: set[Function],
) -> dict[int, Call]:
    found = known.setdefault(function, {})
    if function in visited:
        return found
    visited.add(function)
    for call in function.instructions():
        if not isinstance(call, Call) or not isinstance(call.callee, Function):
            continue
        row = lookup_known(call)
        inner: dict[int, Call] = {}
        if row is not None:
            inner = {0: call} if row.kind == "resize" else {}
        elif not call.callee.is_declaration:
            theirs = AliasOracle(oracle.module, call.callee, summaries=oracle.summaries)
            inner = _grown(call.callee, theirs, known, visited)
        for index, by in inner.items():
            for origin in oracle.underlying(call.arguments[index]):
                if isinstance(origin, Argument):
                    found[origin.index] = by
    return found


def release_calls(module: Module) -> None:
    """After differentiation nothing keeps these functions from being inlined."""
    for function in module.functions.values():
        row = lookup_known(function)
        if row is not None and row.kind in KINDS and not function.is_declaration:
            function.suffix = "nounwind" + " alwaysinline" * (row.kind == "items")


def share_calls(module: Module) -> None:
    """A derivative that will be differentiated is linked with others, which share these functions by their names."""
    shared = {module.functions[name] for name in SHARED if name in module.functions}
    for function in shared:
        if not function.is_declaration:
            function.prefix = "linkonce_odr"
    for function in module.functions.values():
        for call in function.instructions():
            if isinstance(call, Call) and call.callee in shared:
                call.cc = ""
