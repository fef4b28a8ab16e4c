"""Symbols that tell what a function is, and not when it was compiled.

Numba's names hold serial numbers of the process and addresses of Python objects.  A primal enters the engine without
them, so that the derivative of a program is the same text in every process.  Symbols that are found outside the module
get their names back where it is loaded or becomes part of another program.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from typing import Any

from llvmlite import ir

from enzyme.backend import symbols
from enzyme.frontend.numba_compat.code import ENVIRONMENT
from enzyme.support.ordered import Namer

_MANGLED = "_ZN"
_OBJECT = "enzyme.object"
# Numbers that this compiler counts or that tell an object, numba's types of records, and addresses: of a function or
# an expression, and of a jitclass.
_COUNTED = re.compile(r"\b(enzyme\.(?:nested|object|rule))\.\d+\.")
_RECORD = re.compile(r"6RecordILi\d+E")
_ADDRESS = re.compile(r"(0x|#|_23)[0-9a-f]{8,16}(?![0-9a-f])(?:_\d+$)?")
_LENGTH = re.compile(r"(?<!Li)\d+")
_SERIAL = re.compile(r"B(\d+)(v\d+)")


def spelled(name: str) -> str:
    """A name of Python as numba writes it in symbols.

    >>> spelled("<lambda>"), spelled("größe")
    ('_3clambda_3e', 'gr_c3_b6_c3_9fe')
    """
    return re.sub(r"[^a-zA-Z0-9_]", lambda m: "".join(f"_{b:02x}" for b in m[0].encode()), name)


@functools.lru_cache(maxsize=8192)
def plain(symbol: str) -> str:
    """A symbol without what differs from process to process.

    >>> plain("_ZN6module1fB4v123Edd"), plain("_ZN29__numba_array_expr_0x7f001122B2v1Ed")
    ('_ZN6module1fEdd', '_ZN21__numba_array_expr_0xEd')
    """
    head, mangled, rest = _COUNTED.sub(r"\1.", symbol).partition(_MANGLED)
    return _ADDRESS.sub(r"\1", head) + mangled + (_without_serials(rest) if mangled else "")


def _without_serials(mangled: str) -> str:
    """Numba's mangled name is words with their lengths before them, and letters for types."""
    mangled = _RECORD.sub("6RecordILi0E", mangled)
    made: list[str] = []
    at = 0
    while at < len(mangled):
        serial = _SERIAL.match(mangled, at)
        if serial and int(serial[1]) == len(serial[2]):
            at = serial.end()
            continue
        length = _LENGTH.match(mangled, at)
        if length is None:
            made.append(mangled[at])
            at += 1
            continue
        at = length.end()
        word = mangled[at : at + int(length[0])]
        if not word or len(word) < int(length[0]):
            made.append(length[0])
            continue
        at += len(word)
        short = _ADDRESS.sub(r"\1", word)
        made.append(f"{length[0] if short == word else len(short)}{short}")
    return "".join(made)


def settle_names(module: Any) -> tuple[dict[str, str], dict[str, str]]:
    """Give the symbols of a program plain names; those of one plain name are numbered in the order of the module.

    Returns the plain names by the old ones, and the old names of what is found outside the module by the plain ones.
    """
    found = [*module.functions, *module.global_variables]
    changed = [(symbol, symbol.name, plain(symbol.name)) for symbol in found]
    namer = Namer(old for _, old, name in changed if name == old)
    new: dict[str, str] = {}
    outside: dict[str, str] = {}
    for symbol, old, stem in changed:
        if stem == old:
            continue
        name = symbol.name = new[old] = namer.fresh(stem)
        if symbol.is_declaration or old.startswith(ENVIRONMENT):
            outside[name] = old
    return new, outside


def merged(text: str, new: Mapping[str, str]) -> str:
    """The text of a program without second copies of functions, given the plain names of its symbols by the old ones.

    Numba compiles some of its functions several times, and which copy is called depends on what it compiled before.
    """
    first: dict[str, str] = {}
    pairs = [
        (one, name)
        for old, name in new.items()
        if not old.startswith(ENVIRONMENT) and (one := first.setdefault(plain(old), name)) != name
    ]
    before = ""
    while pairs and text != before:
        before = text
        for one, name in pairs:
            kept, copy = _definition(text, one), _definition(text, name)
            symbol = re.compile(rf'@(?:"{re.escape(name)}"|{re.escape(name)}(?![\w.$-]))')
            it = _symbol(one).replace("\\", r"\\")
            if copy and symbol.sub(it, copy) == kept:
                text = symbol.sub(it, text.replace(copy, ""))
    return text


def _symbol(name: str) -> str:
    return f"@{name}" if re.fullmatch(r"[\w.$-]+", name) else f'@"{name}"'


def _definition(text: str, name: str) -> str:
    """The text of a function, "" if it is only declared."""
    found = re.search(rf"^define [^@\n]*{re.escape(_symbol(name))}\(", text, re.MULTILINE)
    return text[found.start() : text.index("\n}\n", found.start()) + 3] if found else ""


def restore_names(module: Any, outside: Mapping[str, str]) -> None:
    """Give what is found outside the module the names under which it is found."""
    if not outside:
        return
    for symbol in (*module.functions, *module.global_variables):
        name = outside.get(symbol.name)
        if name is not None:
            symbol.name = name


def object_address(module: Any, identity: int, name: str) -> Any:
    """The address of a Python object, as a symbol: the number itself would be another one in each process."""
    symbol = f"{_OBJECT}.{identity}.{name}"
    found = module.globals.get(symbol)
    if found is None:
        symbols.register(symbol, identity)
        found = ir.GlobalVariable(module, ir.IntType(8), symbol)
        found.global_constant = True
    return found


__all__ = ["merged", "object_address", "plain", "restore_names", "settle_names"]
