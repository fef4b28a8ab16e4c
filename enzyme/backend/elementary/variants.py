"""Offers the vectoriser the functions of `functions`, and puts those that it took in the module.

A call of the scalar function, ``exp`` or ``llvm.exp.f64``, gets the attribute by which LLVM is told of vector
functions. Where the vectoriser has taken one, what is left of the loop calls our scalar function, so that all numbers
have the same digits. Elsewhere the C library stays: of one number alone it is nowhere slower. To tell what is left of
which loop, the functions bear the number of their loop as long as LLVM is at work.

Where the program allows approximations, glibc's vector functions are offered.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass

from enzyme.backend import host
from enzyme.backend.elementary import unit_strides
from enzyme.backend.elementary.functions import (
    ELEMENTARY,
    PREFIX,
    PURE,
    Elementary,
    declaration,
    symbol,
)
from enzyme.backend.elementary.glibc import vector_functions
from enzyme.backend.loops_in_text import blocks_of, innermost_loops

LANES = (2, 4, 8, 16)
_KINDS = {"f64": "double", "f32": "float"}
_KEPT = "@llvm.compiler.used"
# What a derivative defines under names like this is what we know under them.
_OURS = "enzyme."
# The attribute groups of a module are numbered from 0.
_FIRST_GROUP = 900_000
_APPROXIMATE = frozenset(("fast", "afn"))
# The power of one third, where approximations are allowed, becomes a cube root in machine code: that is how numba's
# `cbrt` is written, and the rounded exponent would be 60 units off at the ends of the range.
_CUBE_ROOT = re.compile(r"\bfast \w+ @llvm\.pow\.f(64|32)\(.*, \w+ 0x3FD55555(55555555|60000000)\)")
_MARKED = re.compile(rf"@{re.escape(PREFIX)}(\w+)\.v(\d+)(f64|f32)\.(\d+)(?=\()")
_DECLARED = re.compile(rf"@({re.escape(PREFIX)}[\w.]+)\(")
_TAKEN = re.compile(
    rf"( = )[^@]*call [^@]*?(<\d+ x \w+>) @{re.escape(PREFIX)}\w+\.v\d+f\d+\.\d+\(.*"
)
_IN_GROUP = re.compile(rf"{re.escape(PREFIX)}(\w+)\.v\d+(f64|f32)\.(\d+)\)")
_VARIANTS = re.compile(r' "vector-function-abi-variant"="[^"]*"')
_GROUP = re.compile(r"^attributes (#\d+) = ")
_DEFINED = re.compile(r'define [^@]*@("[^"]*"|[-\w.$]+)\(')
_GLIBC = re.compile(r"@_ZGV\w+(?=\()")


@dataclass(frozen=True, slots=True)
class _Site:
    """Calls of one symbol in one loop; loop 0 stands for all that is in none."""

    symbol: str
    approximate: bool
    loop: int


def offered(text: str, forms: Mapping[str, str], features: str) -> str:
    """The module in which calls of the symbols in `forms` have vector variants; itself without such calls.

    `forms` has names of functions in `functions` by symbol; intrinsics are there with their types.
    The features are those of the processor that machine code will be made for.
    """
    at_once = host.doubles_at_once(features)
    forms = {name: form for name, form in forms.items() if ELEMENTARY[form].least <= at_once}
    pattern = _calls(forms)
    if _KEPT in text or pattern.search(text) is None:
        return text
    sites: dict[_Site, str] = {}
    lines = text.split("\n")
    own = _defined(lines)
    loops = 0
    for begin, end in _functions(lines):
        body = lines[begin:end]
        if not any(pattern.search(line) for line in body):
            continue
        inside = innermost_loops(body)
        numbers = {header: loops + k + 1 for k, header in enumerate(dict.fromkeys(inside.values()))}
        loops += len(numbers)
        for place, (label, line) in enumerate(blocks_of(body), begin):
            call = pattern.search(line)
            if call is None or (call[2] in own and not call[2].startswith(_OURS)):
                continue
            if _CUBE_ROOT.search(line):
                continue
            approximate = not _APPROXIMATE.isdisjoint(call[1].split())
            site = _Site(call[2], approximate, numbers.get(inside.get(label, ""), 0))
            group = sites.setdefault(site, f"#{_FIRST_GROUP + len(sites)}")
            lines[place] = f"{line[: call.end()]} {group}{line[call.end() :]}"
    if not sites:
        return text
    return "\n".join([*lines, *_variants(sites, forms, features), ""])


def _defined(lines: list[str]) -> set[str]:
    """Symbols that the module has bodies for."""
    return {found[1] for line in lines if (found := _DEFINED.match(line)) is not None}


def _functions(lines: list[str]) -> list[tuple[int, int]]:
    """Where the lines between the braces of each function begin and end."""
    begins = [k + 1 for k, line in enumerate(lines) if line.startswith("define ")]
    return [(begin, lines.index("}", begin)) for begin in begins]


def _variants(sites: Mapping[_Site, str], forms: Mapping[str, str], features: str) -> list[str]:
    """Attributes that tell of the vector functions, and declarations of these that no pass may drop."""
    declared: dict[str, str] = {}
    attributes: list[str] = []
    for site, group in sites.items():
        function, kind = ELEMENTARY[forms[site.symbol]], kind_of(site.symbol)
        known: tuple[tuple[int, str], ...] = ()
        if site.approximate:
            known = vector_functions(function.name, kind, function.operands, features)
        mappings: list[str] = []
        for lanes, vector in known or _own(function, kind, site.loop):
            shape = f"N{lanes}{'v' * function.operands}"
            mappings.append(f"_ZGV_LLVM_{shape}_{site.symbol}({vector})")
            declared[vector] = declaration(function.name, kind, lanes, vector)
        listed = ",".join(mappings)
        attributes.append(
            f'attributes {group} = {{ {PURE} "vector-function-abi-variant"="{listed}" }}'
        )
    # LLVM changes the parameters of functions that only calls refer to, and then stumbles over the attribute.
    written = dict.fromkeys(site.symbol for site in sites if site.symbol.startswith(_OURS))
    names = [*declared, *written]
    kept = ", ".join(f"ptr @{name}" for name in names)
    keep = f'{_KEPT} = appending global [{len(names)} x ptr] [{kept}], section "llvm.metadata"'
    return [keep, *declared.values(), *attributes]


def _own(function: Elementary, kind: str, loop: int) -> list[tuple[int, str]]:
    return [
        (lanes, f"{symbol(function.name, kind, lanes)}.{loop}")
        for lanes in LANES
        if lanes >= function.least
    ]


def kind_of(name: str) -> str:
    """The type that a symbol computes with."""
    suffix = name.rpartition(".")[2]
    if suffix in _KINDS:
        return _KINDS[suffix]
    return "float" if name.endswith("f") and name not in ELEMENTARY else "double"


def _calls(forms: Mapping[str, str]) -> re.Pattern[str]:
    """A call with its words and the symbol; arguments are no expressions of constants."""
    return _calls_of(tuple(forms))


@functools.lru_cache(maxsize=4)
def _calls_of(names: tuple[str, ...]) -> re.Pattern[str]:
    listed = "|".join(map(re.escape, names))
    return re.compile(rf"(?<= )call ((?:\w+ )*)(?:double|float) @({listed})\([^()]*\)")


def settled(text: str, forms: Mapping[str, str]) -> str:
    """The optimised module without what `offered` put there, in which what is left of a vectorised loop is ours."""
    lines = text.split("\n")
    if unit_strides.TEST in text:
        _close_columns(lines)
    taken = [found for line in lines if " call " in line for found in _MARKED.findall(line)]
    used = {
        symbol(name, _KINDS[kind], int(lanes)): (name, _KINDS[kind], int(lanes))
        for name, lanes, kind, _ in taken
    }
    ours = {(name, _KINDS[kind], loop) for name, _, kind, loop in taken}
    loops = _loops_of_groups(lines)
    glibc = {found for line in lines if " call " in line for found in _GLIBC.findall(line)}
    pattern = _calls(forms)
    made: list[str] = []
    declared: set[str] = set()
    for line in lines:
        if line.startswith(_KEPT):
            continue
        if line.startswith("attributes #"):  # whoever optimises again may change parameters
            line = _VARIANTS.sub("", line)
        if line.startswith("declare "):
            if _MARKED.search(line) or _is_unused(line, glibc):
                continue
            declared.update(_DECLARED.findall(line))  # by a part that was optimised before
        if " call " in line:
            line = _MARKED.sub(lambda found: f"@{PREFIX}{found[1]}.v{found[2]}{found[3]}", line)
            call = pattern.search(line) if taken else None
            if call is not None and _APPROXIMATE.isdisjoint(call[1].split()):
                name, kind = forms[call[2]], kind_of(call[2])
                group = line[call.end() :].split(",", 1)[0].strip()
                if (name, kind, loops.get(group, "")) in ours:
                    line = _renamed(line, call, symbol(name, kind, 1))
                    used[symbol(name, kind, 1)] = (name, kind, 1)
        made.append(line)
    missing = [declaration(*each) for name, each in used.items() if name not in declared]
    return "\n".join([*made, *missing, ""])


def _close_columns(lines: list[str]) -> None:
    """No vectors where only arrays of one column would have them: for all others the C library is quicker than ours."""
    for begin, end in _functions(lines):
        body = lines[begin:end]
        closed = unit_strides.closed(
            body, {x for x, line in blocks_of(body) if _MARKED.search(line)}
        )
        if closed:
            lines[begin:end] = [
                _TAKEN.sub(r"\1freeze \2 zeroinitializer", line) if label in closed else line
                for label, line in blocks_of(body)
            ]


def _loops_of_groups(lines: list[str]) -> dict[str, str]:
    """The number of the loop that the attributes of a call tell, by the group of attributes."""
    made: dict[str, str] = {}
    for line in lines:
        group = _GROUP.match(line)
        found = _IN_GROUP.search(line) if group is not None else None
        if group is not None and found is not None:
            made[group[1]] = found[3]
    return made


def _is_unused(line: str, called: set[str]) -> bool:
    found = _GLIBC.search(line)
    return found is not None and found[0] not in called


def _renamed(line: str, call: re.Match[str], own: str) -> str:
    """The line with a call of our function, which has C's calling convention."""
    words = call[0].replace("call fastcc ", "call ", 1).replace(f"@{call[2]}(", f"@{own}(", 1)
    return line[: call.start()] + words + line[call.end() :]
