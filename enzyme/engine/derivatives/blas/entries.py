"""What a program calls, by formulas: scalars behind pointers are loaded, values of enumerations become letters.

Fortran passes everything behind pointers, perhaps with the lengths of texts at the end; CBLAS passes numbers by value,
but complex ones, and says first whether matrices are stored row by row. A complex result of Fortran is returned as a
structure or a vector of two, or behind a pointer that comes first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from enzyme.engine.derivatives.blas.compiler import (
    LIBRARY,
    compiled,
    compiled_text,
    formula_symbol,
)
from enzyme.engine.derivatives.blas.compiler import PREFIX as FORMULA
from enzyme.engine.derivatives.blas.known import KNOWN
from enzyme.engine.derivatives.blas.names import TYPES, Name
from enzyme.engine.derivatives.decompositions import base_of
from enzyme.engine.derivatives.linear_calls import KINDS, PREFIX, is_complex, symbol
from enzyme.engine.derivatives.routines import ROUTINES

PROGRAM = "enzyme.routine."
NORMS = ("nrm2", "sumsq")
_GEMM = "ta tb m n k alpha a lda b ldb beta c ldc"
_ROUTINE = "nounwind willreturn nomerge memory(argmem: readwrite)"
_IN, _OUT = "ptr readonly captures(none)", "ptr captures(none)"
_POINTERS = ("Numbers", "Reals", "Integers", "Singles")
_REALS = {"Single": "float", "Double": "double"}


class Mismatch(Exception):
    """A program declares a routine in a way that it cannot have; the text says which would be right."""


@dataclass(frozen=True, slots=True)
class Signature:
    """The types of a call."""

    result: str
    operands: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.result} ({', '.join(self.operands)})"


def _annotation(parameter: str) -> str:
    return TYPES.get(parameter, "int")


def _is_pointer(name: Name, parameter: str) -> bool:
    """Is what stands in the program's call a pointer?"""
    annotation = _annotation(parameter)
    if not name.cblas or annotation in _POINTERS:
        return True
    return annotation == "Number" and is_complex(name.kind)


def _has_layout(name: Name) -> bool:
    return name.cblas and bool(name.row.rows)


def expected(name: Name) -> Signature:
    """The types that a call of a routine has, as this compiler would write it."""
    integer, real = f"i{name.bits}", KINDS[name.kind].text
    operands = ["i32"] if _has_layout(name) else []
    for parameter in name.row.parameters:
        if _is_pointer(name, parameter):
            operands.append("ptr")
            continue
        by_annotation = {"Letter": "i32", "int": integer, "Number": real, "Real": real}
        operands.append({**by_annotation, **_REALS}[_annotation(parameter)])
    return Signature(_result(name, integer, real), tuple(operands))


def _result(name: Name, integer: str, real: str) -> str:
    result = name.row.result
    if result == "Number" and is_complex(name.kind):
        return f"<2 x {real}>" if real == "float" else _pair(real)
    if result == "int":
        return "i64" if name.cblas else integer
    return {"None": "void", "Number": real, "Real": real, **_REALS}[result]


def _pair(real: str) -> str:
    return f"{{ {real}, {real} }}"


def _is_pair(type_: str) -> bool:
    return type_.startswith(("{", "<"))


def _letters(name: Name) -> int:
    return sum(_annotation(p) == "Letter" for p in name.row.parameters)


def check(name: Name, given: Signature) -> tuple[bool, int]:
    """Is a complex result returned behind the first operand, and how many operands stand behind the last?

    Raises
    ------
    Mismatch
        If the types of a call are none that the routine can have.
    """
    wanted = expected(name)
    hidden = given.result == "void" and _is_pair(wanted.result)
    operands = given.operands[1:] if hidden else given.operands
    more = len(operands) - len(wanted.operands)
    lengths = set(operands[len(wanted.operands) :]) <= {"i32", "i64"}
    fits = more == 0 or (not name.cblas and lengths and more == _letters(name))
    for have, want in zip(operands, wanted.operands, strict=False):
        fits = fits and (have == want or {have, want} == {"i32", "i64"})
    results = {wanted.result}
    if wanted.result == "void":
        results.add("i32")  # a translation of Fortran to C returns zero
    if wanted.result in ("i32", "i64"):
        results |= {"i32", "i64"}
    if _is_pair(wanted.result):
        results |= {f"<2 x {KINDS[name.kind].text}>", _pair(KINDS[name.kind].text)}
    if not fits or not (hidden or given.result in results):
        raise Mismatch(str(wanted))
    return hidden, more


# Text ---------------------------------------------------------------------------------------------------


def _source(name: Name) -> str:
    """The routine as a function of the language."""
    row = name.row
    shown = ", ".join(f"{p}: {_annotation(p)}" for p in row.parameters)

    def body(call: str) -> str:
        return call if row.result == "None" else f"return {call}"

    if not _has_layout(name):
        return f"def f({shown}) -> {row.result}:\n    {body(row.columns)}\n"
    return (
        f"def f(by_rows: bool, {shown}) -> {row.result}:\n    if by_rows:\n        {body(row.rows)}\n"
        f"    else:\n        {body(row.columns)}\n"
    )


class _Entry:
    """Writes the function that stands for a routine in the program."""

    def __init__(self, name: Name) -> None:
        self.name, self.lines, self.passed = name, list[str](), list[str]()
        self.real = KINDS[name.kind].text
        self.count = 0

    def value(self, code: str) -> str:
        self.count += 1
        self.lines.append(f"  %v{self.count} = {code}")
        return f"%v{self.count}"

    def number(self, at: str, type_: str, complex_: bool) -> None:
        self.passed.append(f"{type_} {self.value(f'load {type_}, ptr {at}')}")
        if complex_:
            second = self.value(f"getelementptr {type_}, ptr {at}, i64 1")
            self.passed.append(f"{type_} {self.value(f'load {type_}, ptr {second}')}")

    def operand(self, parameter: str, type_: str, given: str) -> None:
        annotation, name = _annotation(parameter), self.name
        if annotation in _POINTERS:
            self.passed.append(f"ptr {given}")
        elif type_ == "ptr" and annotation in ("Number", "Real", *_REALS):
            complex_ = annotation == "Number" and is_complex(name.kind)
            self.number(given, _REALS.get(annotation, self.real), complex_)
        elif annotation == "Letter":
            if type_ == "ptr":
                letter = self.value(f"zext i8 {self.value(f'load i8, ptr {given}')} to i64")
                letter = self.value(f"and i64 {letter}, 223")
            else:
                wide = self.wide(type_, given)
                letter = self.value(
                    f"call i64 @{formula_symbol('letter_of', name.kind, name.bits)}(i64 {wide})"
                )
            self.passed.append(f"i64 {letter}")
        elif annotation == "int":
            if type_ == "ptr":
                type_ = f"i{name.bits}"
                given = self.value(f"load {type_}, ptr {given}")
            self.passed.append(f"i64 {self.wide(type_, given)}")
        else:
            self.passed.append(f"{type_} {given}")

    def wide(self, type_: str, given: str) -> str:
        return given if type_ == "i64" else self.value(f"sext {type_} {given} to i64")

    def finish(self, inner: str, given: Signature, hidden: bool) -> None:
        wanted, call = expected(self.name).result, f"@{inner}({', '.join(self.passed)})"
        if wanted == "void":
            self.lines.append(f"  call void {call}")
            self.lines.append("  ret void" if given.result == "void" else "  ret i32 0")
            return
        if wanted in ("i32", "i64"):
            made = self.value(f"call i64 {call}")
            if given.result != "i64":
                made = self.value(f"trunc i64 {made} to {given.result}")
        else:
            wanted = _pair(self.real) if _is_pair(wanted) else wanted
            made = self.value(f"call {wanted} {call}")
        if hidden:
            for k in (0, 1):
                part = self.value(f"extractvalue {wanted} {made}, {k}")
                place = self.value(f"getelementptr {self.real}, ptr %a0, i64 {k}")
                self.lines.append(f"  store {self.real} {part}, ptr {place}")
            self.lines.append("  ret void")
            return
        if given.result.startswith("<"):
            parts = [self.value(f"extractvalue {wanted} {made}, {k}") for k in (0, 1)]
            made = "poison"
            for k, part in enumerate(parts):
                made = self.value(
                    f"insertelement {given.result} {made}, {self.real} {part}, i32 {k}"
                )
        self.lines.append(f"  ret {given.result} {made}")


def entry_text(new: str, name: Name, given: Signature) -> tuple[str, list[tuple[str, str, int]]]:
    """The definition of `new`, which does what the routine does; formulas that it calls, by name, kind and bits."""
    hidden, _ = check(name, given)
    inner = f"{new}.inner"
    text, called = compiled_text(_source(name), inner, name.kind, name.bits)
    e = _Entry(name)
    at = 1 if hidden else 0
    if _has_layout(name):
        e.passed.append(f"i1 {e.value(f'icmp eq {given.operands[0]} %a0, 101')}")
        at = 1
    for parameter in name.row.parameters:
        e.operand(parameter, given.operands[at], f"%a{at}")
        at += 1
    e.finish(inner, given, hidden)
    shown = ", ".join(f"{t} %a{k}" for k, t in enumerate(given.operands))
    head = f'define linkonce_odr {given.result} @"{new}"({shown}) alwaysinline nounwind {{\n'
    text = text.replace(f"@{inner}", f'@"{inner}"')
    body = "\n".join(e.lines).replace(f"@{inner}", f'@"{inner}"')
    needed = [(c, kind, name.bits) for c, kind in called]
    if name.cblas:
        needed.append(("letter_of", name.kind, name.bits))
    return f"{text}\n{head}{body}\n}}\n", needed


def module_text(entries: Sequence[tuple[str, Name, Signature]]) -> str:
    """A module that defines entries, with the formulas that they need."""
    text = ""
    pending: list[tuple[str, str, int]] = []
    for new, name, given in entries:
        made, needed = entry_text(new, name, given)
        text += made
        pending += needed
    text += formulas_text(pending)
    return declarations(text) + text


def formulas_text(pending: list[tuple[str, str, int]]) -> str:
    """Formulas, by name, kind and bits, with those that they need, and without declarations."""
    text = ""
    done: set[tuple[str, str, int]] = set()
    while pending:
        wanted = pending.pop()
        if wanted in done:
            continue
        done.add(wanted)
        made, called = compiled(*wanted)
        text += made
        pending += [(c, kind, wanted[2]) for c, kind in called]
    return text


def kernel_text(name: str, kind: str, number: int) -> str:
    """A kernel of the engine's that is a formula (`decompositions`), with what it needs, under names with a number.

    Its integers are nobody else's.
    """
    bits = 32
    text = formulas_text([(name, kind, bits)])
    text = text.replace(f"@{formula_symbol(name, kind, bits)}(", f"@{symbol(name, kind)}(")
    text = text.replace(f"@{FORMULA}", f"@enzyme.kernel.{number}.")
    return declarations(text) + text


_CALLED = re.compile(r"call (?:noalias )?(\{[^}]*\}|\S+) @([\w.]+)\(([^)]*)\)")
_DEFINED = re.compile(r'^define [^@]*@"?([\w.]+)"?\(', re.MULTILINE)
_ROUTINES = re.compile(rf"{PREFIX}(gemm|nrm2)_([{''.join(KINDS)}])")
_OPERAND = re.compile(r"(\{[^}]*\}|\w+) ")


def declarations(text: str) -> str:
    """Declarations of what the text calls and does not define."""
    defined = set(_DEFINED.findall(text))
    made: dict[str, str] = {}
    for result, called, operands in _CALLED.findall(text):
        if called in defined or called in made:
            continue
        types = _OPERAND.findall(operands)
        attributes = "nounwind"
        found = _ROUTINES.fullmatch(called)
        if found is not None:
            types = _routine_types(found[1], found[2])
            attributes = _ROUTINE
        elif called.startswith(PREFIX) and called[len(PREFIX) : -2] in ROUTINES:
            routine = ROUTINES[called[len(PREFIX) : -2]]
            only_read = routine.positions(routine.reads - routine.writes)
            types = [
                (_IN if k in only_read else _OUT) if t == "ptr" else t for k, t in enumerate(types)
            ]
            attributes = _ROUTINE
        elif called.startswith((KNOWN, "llvm.")):
            attributes = "nounwind willreturn memory(none)"
        fresh = "noalias " if called == "malloc" else ""
        made[called] = f"declare {fresh}{result} @{called}({', '.join(types)}) {attributes}\n"
    return "".join(made.values())


def _routine_types(routine: str, kind: str) -> list[str]:
    part = KINDS[kind].text
    number = f"{{ {part}, {part} }}" if is_complex(kind) else part
    if routine in NORMS:
        return ["i64", _IN, "i64"]
    return [
        *("i8", "i8", "i64", "i64", "i64", number),
        *(_IN, "i64", _IN, "i64", number, _OUT, "i64"),
    ]


# The routines that derivatives are made of, by the program's library -------------------------------


def routine_text(routine: str, kind: str, family: Name) -> str:
    """The definition of a routine of the engine's for a kind, which calls the library that the program calls."""
    if base_of(routine):
        return _calling_text(routine, kind, family)
    part = KINDS[kind].text
    number = f"{{ {part}, {part} }}" if is_complex(kind) else part
    names = ("n x incx" if routine in NORMS else _GEMM).split()
    types = [t.split()[0] if t.startswith("ptr") else t for t in _routine_types(routine, kind)]
    shown = ", ".join(f"{t} %{n}" for t, n in zip(types, names, strict=True))
    w = _Calling(family, kind, number)
    passed = [w.passed(t, f"%{n}") for t, n in zip(types, names, strict=True)]
    stem = f"{kind}gemm"
    if routine in NORMS:
        stem = {"s": "snrm2", "d": "dnrm2", "c": "scnrm2", "z": "dznrm2"}[kind]
    elif family.cblas:
        passed.insert(0, "i32 102")
    called = f"{family.before}{'cblas_' if family.cblas else ''}{stem}{family.behind}"
    types_passed = ", ".join(p.split()[0] if not p.startswith("{") else number for p in passed)
    ret = "void" if routine == "gemm" else part
    call = f"call {ret} @{called}({', '.join(passed)})"
    lines = [*w.lines]
    if ret == "void":
        lines += [f"  {call}", "  ret void"]
    elif routine == "sumsq":
        lines += [f"  %r = {call}", f"  %s = fmul {ret} %r, %r", f"  ret {ret} %s"]
    else:
        lines += [f"  %r = {call}", f"  ret {ret} %r"]
    head = f"define internal {ret} @{symbol(routine, kind)}({shown}) nounwind {{"
    return f"declare {ret} @{called}({types_passed})\n" + "\n".join([head, *lines, "}", ""])


def _calling_text(routine: str, kind: str, family: Name) -> str:
    """The definition of one that is a formula (`calling`)."""
    name = f"library_{routine}"
    text = formulas_text([(name, kind, family.bits)])
    text = text.replace(
        f"@{formula_symbol(name, kind, family.bits)}(", f"@{symbol(routine, kind)}("
    )
    text = text.replace(f"@{FORMULA}", f"@enzyme.calling.{routine}.")
    called = rf"@{re.escape(LIBRARY)}(\w+)"
    text = re.sub(called, rf"@{family.before}\1{family.behind}", text)
    return declarations(text) + text


class _Calling:
    """Writes operands as the library takes them."""

    def __init__(self, family: Name, kind: str, number: str) -> None:
        self.family, self.kind, self.number = family, kind, number
        self.lines: list[str] = []

    def passed(self, type_: str, given: str) -> str:
        integer = f"i{self.family.bits}"
        if type_ == "ptr":
            return f"ptr {given}"
        if self.family.cblas:
            if type_ == "i8":
                self.lines.append(f"  {given}.capital = and i8 {given}, 223")
                for letter, value in (("N", 111), ("T", 112), ("C", 113)):
                    is_ = f"{given}.{letter}"
                    self.lines.append(f"  {is_} = icmp eq i8 {given}.capital, {ord(letter)}")
                    other = "113" if letter == "N" else self._last
                    self.lines.append(f"  {is_}.v = select i1 {is_}, i32 {value}, i32 {other}")
                    self._last = f"{is_}.v"
                return f"i32 {self._last}"
            if type_ == "i64":
                return f"{integer} {self.narrow(given)}"
            if not is_complex(self.kind):
                return f"{type_} {given}"
            return self.behind(type_, given)
        if type_ == "i64":
            return self.behind(integer, self.narrow(given), given)
        return self.behind(type_, given)

    _last = ""

    def narrow(self, given: str) -> str:
        if self.family.bits == 64:
            return given
        self.lines.append(f"  {given}.narrow = trunc i64 {given} to i32")
        return f"{given}.narrow"

    def behind(self, type_: str, value: str, stem: str = "") -> str:
        place = f"{stem or value}.at"
        self.lines.append(f"  {place} = alloca {type_}")
        self.lines.append(f"  store {type_} {value}, ptr {place}")
        return f"ptr {place}"
