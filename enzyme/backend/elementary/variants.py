"""Offers the vectoriser the functions of `functions`, and puts those that it took in the module.

A call of the scalar function, ``exp`` or ``llvm.exp.f64``, gets the attribute by which LLVM is told of vector
functions. Where the vectoriser has taken one, its definition is added, and what is left of the scalar calls goes to
our scalar function, so that all numbers of a module have the same digits. Where it has taken none, everything is as
it was: one number alone is nowhere computed faster than by the C library.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping

from enzyme.backend.elementary.functions import (
    ELEMENTARY,
    PREFIX,
    PURE,
    declaration,
    symbol,
)

LANES = (2, 4, 8, 16)
_KINDS = {"f64": "double", "f32": "float"}
_KEPT = "@llvm.compiler.used"
# The attribute groups of a module are numbered from 0.
_FIRST_GROUP = 900_000
_USED = re.compile(rf"@{re.escape(PREFIX)}(\w+)\.v(\d+)(f64|f32)\(")


def offered(text: str, forms: Mapping[str, str]) -> str:
    """The module in which calls of the symbols in `forms` have vector variants; itself without such calls.

    `forms` has names of functions in `functions` by symbol; intrinsics are there with their types.
    """
    called = [name for name in dict.fromkeys(_calls(forms).findall(text)) if name in forms]
    called = [
        name for name in called if not re.search(rf"^define .*@{re.escape(name)}\(", text, re.M)
    ]
    if not called or _KEPT in text:
        return text
    groups = {name: f"#{_FIRST_GROUP + k}" for k, name in enumerate(called)}
    declared: list[str] = []
    added: list[str] = []
    for name, group in groups.items():
        function, kind = ELEMENTARY[forms[name]], kind_of(name)
        mappings: list[str] = []
        for lanes in LANES:
            vector = symbol(function.name, kind, lanes)
            mappings.append(f"_ZGV_LLVM_N{lanes}{'v' * function.operands}_{name}({vector})")
            declared.append(declaration(function.name, kind, lanes))
        variants = ",".join(mappings)
        added.append(
            f'attributes {group} = {{ {PURE} "vector-function-abi-variant"="{variants}" }}'
        )
    declared = list(dict.fromkeys(declared))
    kept = ", ".join(f"ptr {_USED.search(line)[0][:-1]}" for line in declared)  # type: ignore[index]
    marked = _calls(forms).sub(
        lambda call: f"{call[0]} {groups[call[1]]}" if call[1] in groups else call[0], text
    )
    keep = f'{_KEPT} = appending global [{len(declared)} x ptr] [{kept}], section "llvm.metadata"'
    return "\n".join([marked, keep, *declared, *added, ""])


def kind_of(name: str) -> str:
    """The type that a symbol computes with."""
    if name.startswith("llvm."):
        return _KINDS[name.rsplit(".", 1)[1]]
    return "float" if name.endswith("f") and name not in ELEMENTARY else "double"


def _calls(forms: Mapping[str, str]) -> re.Pattern[str]:
    return _calls_of(tuple(forms))


@functools.lru_cache(maxsize=4)
def _calls_of(names: tuple[str, ...]) -> re.Pattern[str]:
    listed = "|".join(re.escape(name) for name in names)
    return re.compile(rf"(?<= )call (?:\w+ )*(?:double|float) @({listed})\([^()]*\)")


def taken(text: str) -> list[tuple[str, str, int]]:
    """The vector functions that an optimised module calls: name, type, lanes."""
    found: dict[tuple[str, str, int], None] = {}
    for line in text.split("\n"):
        if PREFIX in line and " call " in line:
            for name, lanes, kind in _USED.findall(line):
                found[name, _KINDS[kind], int(lanes)] = None
    return list(found)


def settled(text: str, forms: Mapping[str, str], used: Iterable[tuple[str, str, int]]) -> str:
    """The module without what `offered` put there, whose scalar calls of functions in `used` are ours."""
    ours = {(name, kind) for name, kind, _ in used}
    declared: set[str] = set()

    def renamed(call: re.Match[str]) -> str:
        name = call[1]
        if (forms[name], kind_of(name)) not in ours:
            return call[0]
        own = symbol(forms[name], kind_of(name), 1)
        declared.add(own)
        return call[0].replace(f"@{name}(", f"@{own}(")

    lines = [line for line in text.split("\n") if not line.startswith(_KEPT)]
    kept = [line for line in lines if not (line.startswith("declare ") and f"@{PREFIX}" in line)]
    made = _calls(forms).sub(renamed, "\n".join(kept))
    own = [(name, kind, 1) for name, kind in ours if symbol(name, kind, 1) in declared]
    return "\n".join([made, *(declaration(*each) for each in (*used, *own)), ""])
