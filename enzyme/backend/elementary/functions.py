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
    """A function by its name in the C library; `least` is how many doubles a processor must compute with at once for
    vectors of them to be quicker than the C library. `rare` computes what `Writer.rarely` tells, in all lanes; without
    it the C library does, one by one. A `helper` is no function of the C library."""

    name: str
    body: Body
    operands: int = 1
    least: int = 2
    rare: Body | None = None
    helper: bool = False


_ALL = (
    Elementary("exp", exponentials.exp, least=4),
    Elementary("exp2", exponentials.exp2, least=4),
    Elementary("expm1", exponentials.expm1),
    Elementary("tanh", exponentials.tanh),
    Elementary("tanh_kept", exponentials.tanh_kept, rare=exponentials.tanh, helper=True),
    Elementary(
        "tanh_slope", exponentials.tanh_slope, rare=exponentials.tanh_slope_far, helper=True
    ),
    Elementary("sinh", exponentials.sinh),
    Elementary("cosh", exponentials.cosh),
    Elementary("log", logarithms.log, least=4),
    Elementary("log1p", logarithms.log1p),
    Elementary("log2", logarithms.log2, least=4),
    Elementary("log10", logarithms.log10, least=4),
    Elementary("sin", circular.sin, least=4),
    Elementary("cos", circular.cos, least=4),
    Elementary("tan", circular.tan),
    Elementary("asin", inverse_circular.asin),
    Elementary("acos", inverse_circular.acos, least=4),
    Elementary("atan", inverse_circular.atan),
    Elementary("atan2", inverse_circular.atan2, 2),
    Elementary("pow", powers.pow, 2, least=4),
    Elementary("pow_slope_far", powers.pow_slope_far, 3, least=4, helper=True),
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
    type_ = w.type(kind)
    arguments = [f"%x{k}" for k in range(function.operands)]
    parameters = ", ".join(f"{type_} {argument}" for argument in arguments)
    head = f"define {type_} @{symbol(name, kind, lanes)}({parameters}) {PURE} {{"
    read = [_read(w, kind, argument) for argument in arguments]
    result = function.body(*read)
    places: list[str] = []
    if w.rare is not None:
        w.lines.append(f"  br i1 {_asked(w, w.rare)}, label %rare, label %common, !prof !0")
        w.lines.append("common:")
        _give(w, kind, result)
        w.lines.append("rare:")
        if function.rare is not None:
            _give(w, kind, function.rare(*read))
        elif lanes == 1:
            _call_once(w, function, kind, arguments)
        else:
            places = [f"  {argument}.lanes = alloca {type_}" for argument in arguments]
            _call_for_each(w, function, kind, arguments)
    else:
        _give(w, kind, result)
    return "\n".join([head, "entry:", *places, *w.lines, "}"]), tuple(w.declarations)


def _give(w: Writer, kind: str, result: Number) -> None:
    if kind != "double":
        result = Number(w, w.add(f"fptrunc {w.typed(result)} to {w.type(kind)}"), kind)
    w.lines.append(f"  ret {w.typed(result)}")


def _asked(w: Writer, rare: Condition) -> str:
    """Is it so in any lane?"""
    if w.lanes == 1:
        return rare.text
    callee = f"@llvm.vector.reduce.or.v{w.lanes}i1"
    w.declarations[f"declare i1 {callee}({w.type('i1')})"] = None
    return w.add(f"call i1 {callee}({w.typed(rare)})")


def _call_once(w: Writer, function: Elementary, kind: str, arguments: Sequence[str]) -> None:
    """A call of the C library."""
    callee = f"{function.name}{_IN_C[kind]}"
    w.declarations[f"declare {kind} @{callee}({', '.join([kind] * function.operands)})"] = None
    passed = ", ".join(f"{kind} {argument}" for argument in arguments)
    w.lines += [f"  %called = call {kind} @{callee}({passed})", f"  ret {kind} %called"]


def _call_for_each(w: Writer, function: Elementary, kind: str, arguments: Sequence[str]) -> None:
    """A loop over the lanes, which wait in memory, with calls of the scalar function."""
    type_, own, first = w.type(kind), symbol(function.name, kind, 1), arguments[0]
    passed = ", ".join(f"{kind} {argument}.one" for argument in arguments)
    w.lines += [f"  store {type_} {argument}, ptr {argument}.lanes" for argument in arguments]
    w.lines += ["  br label %lane", "lane:", "  %k = phi i64 [ 0, %rare ], [ %next, %lane ]"]
    for argument in arguments:
        w.lines += [
            f"  {argument}.lane = getelementptr {kind}, ptr {argument}.lanes, i64 %k",
            f"  {argument}.one = load {kind}, ptr {argument}.lane",
        ]
    w.lines += [
        f"  %one = call {kind} @{own}({passed})",
        f"  store {kind} %one, ptr {first}.lane",
        "  %next = add i64 %k, 1",
        f"  %more = icmp ult i64 %next, {w.lanes}",
        "  br i1 %more, label %lane, label %done",
        "done:",
        f"  %all = load {type_}, ptr {first}.lanes",
        f"  ret {type_} %all",
    ]


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


def declaration(name: str, kind: str, lanes: int, known_as: str = "") -> str:
    """How a function is declared where it is called, under its own symbol or another."""
    known_as = known_as or symbol(name, kind, lanes)
    type_ = kind if lanes == 1 else f"<{lanes} x {kind}>"
    operands = ", ".join([type_] * ELEMENTARY[name].operands)
    return f"declare {type_} @{known_as}({operands}) {PURE}"
