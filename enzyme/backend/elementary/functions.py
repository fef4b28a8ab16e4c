"""The functions there are, and the text of their definitions for any type and number of lanes.

Singles are computed as doubles and rounded at the end. Operands that a function leaves to the C library, see
`Writer.rarely`, go there one by one: the vector function then calls the scalar one for every lane.
"""

from __future__ import annotations

import functools
from collections.abc import Container, Sequence
from dataclasses import dataclass

from enzyme.backend.elementary import (
    circular,
    error_functions,
    exponentials,
    inverse_circular,
    logarithms,
    powers,
)
from enzyme.backend.elementary.writing import Body, Condition, Number, Writer

PREFIX = "enzyme.elementary."
_KINDS = {"double": "f64", "float": "f32"}
_IN_C = {"double": "", "float": "f"}
# Without `willreturn` and the like an unused call would stay.
PURE = "memory(none) nofree norecurse nosync nounwind willreturn"


@dataclass(frozen=True, slots=True)
class Elementary:
    """A function by its name in the C library."""

    name: str
    body: Body
    operands: int = 1


_ALL = (
    Elementary("exp", exponentials.exp),
    Elementary("exp2", exponentials.exp2),
    Elementary("expm1", exponentials.expm1),
    Elementary("tanh", exponentials.tanh),
    Elementary("sinh", exponentials.sinh),
    Elementary("cosh", exponentials.cosh),
    Elementary("log", logarithms.log),
    Elementary("log1p", logarithms.log1p),
    Elementary("log2", logarithms.log2),
    Elementary("log10", logarithms.log10),
    Elementary("sin", circular.sin),
    Elementary("cos", circular.cos),
    Elementary("tan", circular.tan),
    Elementary("asin", inverse_circular.asin),
    Elementary("acos", inverse_circular.acos),
    Elementary("atan", inverse_circular.atan),
    Elementary("atan2", inverse_circular.atan2, 2),
    Elementary("pow", powers.pow, 2),
    Elementary("cbrt", powers.cbrt),
    Elementary("erf", error_functions.erf),
    Elementary("erfc", error_functions.erfc),
)
ELEMENTARY = {function.name: function for function in _ALL}


def symbol(name: str, kind: str, lanes: int) -> str:
    """The symbol of a definition: ``enzyme.elementary.exp.v4f64``."""
    return f"{PREFIX}{name}.{f'v{lanes}' if lanes > 1 else ''}{_KINDS[kind]}"


@functools.cache
def definition(name: str, kind: str, lanes: int, fused: bool) -> tuple[str, tuple[str, ...]]:
    """A function and the declarations that it needs, without those of the scalar function."""
    function = ELEMENTARY[name]
    w = Writer(lanes, fused, single=kind == "float")
    arguments = [f"%x{k}" for k in range(function.operands)]
    result = function.body(*(_read(w, kind, argument) for argument in arguments))
    if kind != "double":
        result = Number(w, w.add(f"fptrunc {w.typed(result)} to {w.type(kind)}"), kind)
    type_ = w.type(kind)
    parameters = ", ".join(f"{type_} {argument}" for argument in arguments)
    head = f"define {type_} @{symbol(name, kind, lanes)}({parameters}) {PURE} {{"
    end = [f"  ret {w.typed(result)}"]
    places: list[str] = []
    if w.rare is not None:
        asked = _asked(w, w.rare)
        called = _called_once if lanes == 1 else _called_for_each
        rare, places = called(w, function, kind, arguments)
        branch = f"  br i1 {asked}, label %rare, label %common, !prof !0"
        end = [branch, "common:", *end, "rare:", *rare]
    text = "\n".join([head, "entry:", *places, *w.lines, *end, "}"])
    return text, tuple(w.declarations)


def _asked(w: Writer, rare: Condition) -> str:
    """Is it so in any lane?"""
    if w.lanes == 1:
        return rare.text
    callee = f"@llvm.vector.reduce.or.v{w.lanes}i1"
    w.declarations[f"declare i1 {callee}({w.type('i1')})"] = None
    return w.add(f"call i1 {callee}({w.typed(rare)})")


def _called_once(
    w: Writer, function: Elementary, kind: str, arguments: Sequence[str]
) -> tuple[list[str], list[str]]:
    """A call of the C library."""
    callee = f"{function.name}{_IN_C[kind]}"
    w.declarations[f"declare {kind} @{callee}({', '.join([kind] * function.operands)})"] = None
    passed = ", ".join(f"{kind} {argument}" for argument in arguments)
    return [f"  %called = call {kind} @{callee}({passed})", f"  ret {kind} %called"], []


def _called_for_each(
    w: Writer, function: Elementary, kind: str, arguments: Sequence[str]
) -> tuple[list[str], list[str]]:
    """A loop over the lanes, which wait in memory; and those places."""
    type_, own = w.type(kind), symbol(function.name, kind, 1)
    first = arguments[0]
    passed = ", ".join(f"{kind} {argument}.one" for argument in arguments)
    lines = [f"  store {type_} {argument}, ptr {argument}.lanes" for argument in arguments]
    lines += ["  br label %lane", "lane:", "  %k = phi i64 [ 0, %rare ], [ %next, %lane ]"]
    for argument in arguments:
        lines.append(f"  {argument}.lane = getelementptr {kind}, ptr {argument}.lanes, i64 %k")
        lines.append(f"  {argument}.one = load {kind}, ptr {argument}.lane")
    lines += [
        f"  %one = call {kind} @{own}({passed})",
        f"  store {kind} %one, ptr {first}.lane",
        "  %next = add i64 %k, 1",
        f"  %more = icmp ult i64 %next, {w.lanes}",
        "  br i1 %more, label %lane, label %done",
        "done:",
        f"  %all = load {type_}, ptr {first}.lanes",
        f"  ret {type_} %all",
    ]
    return lines, [f"  {argument}.lanes = alloca {type_}" for argument in arguments]


def _read(w: Writer, kind: str, argument: str) -> Number:
    if kind == "double":
        return Number(w, argument, "double")
    return Number(w, w.add(f"fpext {w.type(kind)} {argument} to {w.type('double')}"), "double")


# A branch that is hardly ever taken.
_WEIGHTS = '!0 = !{!"branch_weights", i32 1, i32 100000}'


def module_of(
    wanted: Sequence[tuple[str, str, int]], fused: bool, known: Container[str] = ()
) -> str:
    """The text of a module with functions by name, type and number of lanes, and the scalar ones that they call.

    What is `known` by its symbol is declared.
    """
    scalar = [(name, kind, 1) for name, kind, _ in wanted]
    made: list[str] = []
    declared: dict[str, None] = {}
    for each in dict.fromkeys([*scalar, *wanted]):
        if symbol(*each) in known:
            declared[declaration(*each)] = None
            continue
        text, needed = definition(*each, fused)
        made.append(text)
        declared.update(dict.fromkeys(needed))
    return "\n\n".join([*made, "\n".join(declared), _WEIGHTS]) + "\n"


def declaration(name: str, kind: str, lanes: int) -> str:
    """How a function is declared where it is called."""
    type_ = kind if lanes == 1 else f"<{lanes} x {kind}>"
    operands = ", ".join([type_] * ELEMENTARY[name].operands)
    return f"declare {type_} @{symbol(name, kind, lanes)}({operands}) {PURE}"
