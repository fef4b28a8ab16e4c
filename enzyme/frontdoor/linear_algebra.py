"""BLAS and LAPACK in programs: copies of primals call definitions of their routines, and derivatives the library.

Every call of a routine that has a formula (`derivatives.blas.names`), in a copy of a primal, goes to a function of
another name that `define_routines` gives a body before differentiation. The program's own calls stay what they are.
Derivatives call routines and loops of the engine's (`derivatives.linear_calls`): `define_kernels` adds the loops where
derivatives are taken again, and `call_library` lets routines call the library that the program calls.
"""

from __future__ import annotations

import re
from itertools import count

from enzyme.backend import passes
from enzyme.engine.derivatives.blas import formulas  # noqa: F401  (all of them)
from enzyme.engine.derivatives.blas.entries import (
    PROGRAM,
    Mismatch,
    Signature,
    check,
    expected,
    kernel_text,
    module_text,
    routine_text,
)
from enzyme.engine.derivatives.blas.known import settled
from enzyme.engine.derivatives.blas.names import TYPES, Name, read_name, stem_of
from enzyme.engine.derivatives.decompositions import KERNELS, base_of
from enzyme.engine.derivatives.linear_calls import KINDS, PREFIX
from enzyme.engine.derivatives.linear_kernels import kernels_text
from enzyme.engine.ir.instructions import Alloca, Call
from enzyme.engine.ir.module import Function, Module
from enzyme.engine.ir.types import IntType, function_type
from enzyme.engine.synthesis.arena import GROWTH_BY_COPYING
from enzyme.frontdoor.failures import FrontDoorError

_KINDS = "".join(KINDS)
_CALLED = re.compile(rf"@{PREFIX}(\w+)_([{_KINDS}])\(")
_DEFINED = re.compile(r"^define [^@]*@([\w.]+)\(", re.M)
_NUMBERED = "@enzyme.kernel."
_NAMED = re.compile(r"@([\w.]+)")
_DECLARED = re.compile(rf"declare [^\n]*@{PREFIX}(\w+)_([{_KINDS}])\(")
_BY_LIBRARY = ("gemm", "nrm2", "sumsq")


def call_routine(module: Module, call: Call) -> bool:
    """Let a call of BLAS or LAPACK go to a function that will have a definition; is it one?"""
    callee = call.callee
    if not isinstance(callee, Function) or not callee.is_declaration or call.opcode != "call":
        return False
    name = read_name(callee.name)
    if name is None:
        return False
    given = Signature(str(call.type), tuple(str(a.type) for a in call.arguments))
    try:
        check(name, given)
    except Mismatch as error:
        if not (name.cblas or name.behind or name.before):
            return False  # a word that others may use
        raise FrontDoorError(
            where=f"in @{call.function.name}",
            what=f"@{callee.name} is called as {given}",
            why=f"the routine of that name is {error}",
            todo="declare it as its library does",
        ) from None
    _check_integers(call, name)
    types = [a.type for a in call.arguments]
    for number in range(len(module.functions) + 1):
        new = f"{PROGRAM}{callee.name}.{number}"
        known = module.functions.get(new)
        if known is None or known.function_type == function_type(call.type, types):
            break
    made = module.declare(new, function_type(call.type, types), "nounwind")
    call.set_operand(len(call.operands) - 1, made)
    call.function_type = made.function_type
    return True


def _check_integers(call: Call, name: Name) -> None:
    """Fortran's integers stand behind pointers: do they have the width that the name says?"""
    if name.cblas:
        return
    skipped = len(call.arguments) - len(expected(name).operands)
    hidden = expected(name).result.startswith(("{", "<")) and str(call.type) == "void"
    operands = call.arguments[1:] if hidden and skipped > 0 else call.arguments
    for parameter, operand in zip(name.row.parameters, operands, strict=False):
        if TYPES.get(parameter, "int") not in ("int", "Integers") or not isinstance(
            operand, Alloca
        ):
            continue
        have = operand.allocated_type
        if isinstance(have, IntType) and have.bits != name.bits:
            raise FrontDoorError(
                where=f"in @{call.function.name}",
                what=f"@{call.callee_name} is given integers of {have.bits} bits",
                why=f"a routine of that name takes integers of {name.bits} bits",
                todo="routines with integers of 64 bits have names that end in 64_ or _64_",
            )


def families(module: Module) -> dict[str, Name]:
    """For each kind, a routine that the program calls: `gemm` is found where it is; and all of Fortran's by name."""
    found: dict[str, Name] = {}
    for function in module.functions.values():
        if not function.name.startswith(PROGRAM):
            continue
        called = function.name.removeprefix(PROGRAM).rpartition(".")[0]
        name = read_name(called)
        if name is not None and (name.kind not in found or name.cblas):
            found[name.kind] = name
        if name is not None and not name.cblas:
            found[stem_of(called)] = name
    return found


def define_routines(text: str, module: Module) -> str:
    """The text of the module with definitions of the routines that copies of primals call."""
    entries = []
    for function in module.functions.values():
        if function.name.startswith(PROGRAM) and function.is_declaration:
            type_ = function.function_type
            name = read_name(function.name.removeprefix(PROGRAM).rpartition(".")[0])
            assert name is not None
            given = Signature(str(type_.ret), tuple(map(str, type_.params)))
            entries.append((function.name, name, given))
    return _linked(text, module_text(entries)) if entries else text


def _linked(text: str, added: str) -> str:
    program, part = passes.parse(text), passes.parse(added)
    part.triple, part.data_layout = program.triple, program.data_layout
    program.link_in(part)
    return str(program)


def optimised(text: str, options: passes.PreOptions) -> str:
    """The module as differentiation wants it, when it is settled which numbers are constants."""
    made = passes.optimise_before_ad(text, options)
    known = settled(made)
    return made if known is made else passes.simplify_again(known, options)


def define_for_nesting(text: str) -> str:
    """A derivative that is differentiated itself, with what it calls: loops, and storage that grows by copying."""
    if re.search(r"^declare [^\n]*@enzyme_grow\(", text, re.M):
        text = _merged(text, re.sub(r"^define ", "define internal ", GROWTH_BY_COPYING, flags=re.M))
    return define_kernels(text)


def _kernels_called(text: str) -> list[tuple[str, str]]:
    """The kernels that are formulas and that a text calls, with their kinds."""
    called: dict[tuple[str, str], None] = dict.fromkeys(_CALLED.findall(text))
    return [(name, kind) for name, kind in called if name in KERNELS]


def define_kernels(text: str) -> str:
    """The text with the loops that derivatives in it call."""
    defined = set(_DEFINED.findall(text))
    called = dict.fromkeys(found[0][1:-1] for found in _CALLED.finditer(text))
    kinds = sorted({name[-1] for name in called if name not in defined})
    for name, kind in _kernels_called(text):
        if f"{PREFIX}{name}_{kind}" not in defined:
            number = next(n for n in count() if f"{_NUMBERED}{n}." not in text)
            text = _merged(text, kernel_text(name, kind, number))
    for kind in kinds:
        loops = _only_called(kernels_text(kind), [n for n in called if n not in defined])
        text = _merged(text, loops)
    return text


def _merged(text: str, added: str) -> str:
    """Two texts as one: the functions of the second may call what is internal to the first."""
    defined = set(_DEFINED.findall(added))
    kept = [
        line
        for line in text.splitlines()
        if not (line.startswith("declare") and defined.intersection(_NAMED.findall(line)))
    ]
    known = {
        n for line in kept if line.startswith(("declare", "define")) for n in _NAMED.findall(line)
    }
    more = [
        line
        for line in added.splitlines()
        if not (line.startswith("declare") and known.intersection(_NAMED.findall(line)))
    ]
    return "\n".join([*kept, "", *more, ""])


def _only_called(loops: str, names: list[str]) -> str:
    """Those of the functions of a text that these names come to, as internal ones."""
    head, *parts = re.split(r"^(?=define )", loops, flags=re.M)
    bodies = {found[1]: part for part in parts if (found := _DEFINED.match(part)) is not None}
    wanted: dict[str, None] = {}
    pending = [name for name in names if name in bodies]
    while pending:
        name = pending.pop()
        if name not in wanted:
            wanted[name] = None
            pending += [n for n in _NAMED.findall(bodies[name]) if n in bodies]
    declared = [
        line for part in (head, *parts) for line in part.splitlines() if line.startswith("declare")
    ]
    made = "".join(_body(bodies[name]) for name in wanted)
    used = set(_NAMED.findall(made))
    heads = [line for line in declared if used.intersection(_NAMED.findall(line))]
    return "\n".join([*dict.fromkeys(heads), made])


def _body(text: str) -> str:
    """One function, without what stands behind it in a text."""
    body = text[: text.index("\n}") + 3]
    return re.sub(r"^define (?!internal)", "define internal ", body)


def call_library(text: str, found: dict[str, Name]) -> str:
    """The text in which the engine's routines are defined by the program's library."""
    declared = sorted(set(_DECLARED.findall(text)))
    for routine, kind in [(r, k) for r, k in declared if base_of(r)]:
        base = base_of(routine)
        family = found.get(kind + base) or found[kind + base.replace("sy", "he")]
        text = _merged(text, routine_text(routine, kind, family))
    declared = sorted(set(_DECLARED.findall(text)))
    for routine, kind in [(r, k) for r, k in declared if r in _BY_LIBRARY]:
        family = found.get(kind) or next(iter(found.values()))
        text = _merged(text, routine_text(routine, kind, family))
    return text
