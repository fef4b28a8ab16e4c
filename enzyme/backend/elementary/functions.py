"""The functions there are, and the text of their definitions for any type and number of lanes.

Singles are computed as doubles and rounded at the end. Operands that a function leaves to the C library, see
`Writer.rarely`, go there one by one: the vector function then calls the scalar one for every lane.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

from enzyme.backend.elementary import (
    circular,
    error_functions,
    exponentials,
    inverse_circular,
    logarithms,
    powers,
)
from enzyme.backend.elementary.writing import Body, Number, Writer

PREFIX = "enzyme.elementary."
_KINDS = {"double": "f64", "float": "f32"}
_IN_C = {"double": "", "float": "f"}
# Without `willreturn` and the like an unused call would stay.
_PURE = "memory(none) nofree norecurse nosync nounwind willreturn"


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
    head = f"define {type_} @{symbol(name, kind, lanes)}({parameters}) {_PURE} {{"
    lines = [head, "entry:", *w.lines]
    if w.rare is None:
        lines.append(f"  ret {w.typed(result)}")
    else:
        lines += _with_rare(w, function, kind, arguments, result)
    return "\n".join([*lines, "}"]), tuple(w.declarations)


def _read(w: Writer, kind: str, argument: str) -> Number:
    if kind == "double":
        return Number(w, argument, "double")
    return Number(w, w.add(f"fpext {w.type(kind)} {argument} to {w.type('double')}"), "double")


def _with_rare(
    w: Writer, function: Elementary, kind: str, arguments: Sequence[str], result: Number
) -> list[str]:
    """The end of a function: the result, or where a lane needs it those of the scalar functions."""
    assert w.rare is not None
    lines: list[str] = []
    asked = w.rare.text
    if w.lanes > 1:
        w.declarations[f"declare i1 @llvm.vector.reduce.or.v{w.lanes}i1(<{w.lanes} x i1>)"] = None
        lines.append(f"  %any = call i1 @llvm.vector.reduce.or.v{w.lanes}i1({w.typed(w.rare)})")
        asked = "%any"
    lines += [f"  br i1 {asked}, label %rare, label %common, !prof !0", "common:"]
    lines += [f"  ret {w.typed(result)}", "rare:"]
    if w.lanes == 1:
        callee = f"{function.name}{_IN_C[kind]}"
        types = ", ".join([kind] * function.operands)
        w.declarations[f"declare {kind} @{callee}({types})"] = None
        passed = ", ".join(f"{kind} {argument}" for argument in arguments)
        return [*lines, f"  %called = call {kind} @{callee}({passed})", f"  ret {kind} %called"]
    made = "poison"
    type_, callee = w.type(kind), symbol(function.name, kind, 1)
    for lane in range(w.lanes):
        for k, argument in enumerate(arguments):
            lines.append(f"  %x{k}.{lane} = extractelement {type_} {argument}, i32 {lane}")
        passed = ", ".join(f"{kind} %x{k}.{lane}" for k in range(function.operands))
        lines.append(f"  %y.{lane} = call {kind} @{callee}({passed})")
        lines.append(f"  %r.{lane} = insertelement {type_} {made}, {kind} %y.{lane}, i32 {lane}")
        made = f"%r.{lane}"
    return [*lines, f"  ret {type_} {made}"]


# A branch that is hardly ever taken.
_WEIGHTS = '!0 = !{!"branch_weights", i32 1, i32 100000}'


def module_of(wanted: Sequence[tuple[str, str, int]], fused: bool) -> str:
    """The text of a module with functions by name, type and number of lanes, and the scalar ones that they call."""
    scalar = dict.fromkeys((name, kind, 1) for name, kind, _ in wanted)
    made = [definition(*each, fused) for each in dict.fromkeys([*scalar, *wanted])]
    declared = dict.fromkeys(line for _, lines in made for line in lines)
    return "\n\n".join([*(text for text, _ in made), "\n".join(declared), _WEIGHTS]) + "\n"
