"""Words of Enzyme's in a module that nobody has read.

The readers take what they understand out of the module: calls of ``__enzyme_autodiff`` and ``__enzyme_fwddiff`` with
their markers. Whatever still says ``enzyme`` then, as a symbol, an attribute, or metadata, asks for something that
would silently not happen. So the search is over the text of the module, where no form of a word can be missed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from enzyme.engine.synthesis.arena import arena_text
from enzyme.frontdoor.c_library import C_LIBRARY
from enzyme.frontdoor.failures import FrontDoorError
from enzyme.frontdoor.sites import mode_of
from enzyme.frontdoor.surface import ATTRIBUTES, MARKERS, METADATA, Word, call_word

# A symbol may be mangled: _Z16__enzyme_autodiffPv. Names with dots are this compiler's own.
_SYMBOL = re.compile(r'@(?:"((?:[^"\\]|\\.)*)"|([\w.$-]+))')
_NAMED = re.compile(r"^(?:[\w$]*?(?:\d|\.|\$))?enzyme_|__enzyme_")
_STRING = re.compile(r'(\bc|!|: |= |\bsection |\basm [\w ]*|, )?"((?:[^"\\]|\\.)*)"')
_METADATA_NAME = re.compile(r"!(enzyme[\w.$-]*)")
_OWN = frozenset(re.findall(r"@([\w.]+)", arena_text(C_LIBRARY)))
_TODO = "docs/llvm.md lists what can be asked for"


def is_annotation(symbol: str) -> bool:
    """Does a symbol speak to the compiler?

    >>> is_annotation("__enzyme_inactivefn_log"), is_annotation("_Z15enzyme_allocatev")
    (True, True)
    >>> is_annotation("square"), is_annotation("my_enzyme_wrapper"), is_annotation("enzyme_hold")
    (False, False, False)
    """
    if symbol.startswith("enzyme.") or symbol in _OWN:
        return False
    word = call_word(symbol)
    if word is not None and word.name == "__enzyme_ignore_derivatives":
        return False
    return _NAMED.search(symbol) is not None


def refuse_unread(text: str) -> None:
    """Raise for the first word of Enzyme's in the text of a module.

    >>> refuse_unread("define void @f() { ret void }")
    >>> try:
    ...     refuse_unread('define void @f() "enzyme_inactive" {')
    ... except FrontDoorError as error:
    ...     error.where, error.what
    ('in @f', 'the attribute "enzyme_inactive" is not supported')
    """
    if "enzyme" not in text:
        return
    lines = text.split("\n")
    place = ""
    for line in lines:
        if line.startswith("define "):
            place = _first_symbol(line)
        elif line.startswith("}"):
            place = ""
        if "enzyme" not in line:
            continue
        for word in _words(line):
            at = place or _owner(line, lines)
            known = _known(word)
            raise FrontDoorError(
                where=f"in @{at}" if at else None,
                what=_what(word),
                why="it would be ignored, and the derivative not be the one that was asked for"
                if known is None
                else known.meaning,
                todo=_TODO if known is None or not known.todo else known.todo,
            )


def _known(word: str) -> Word | None:
    """The row of a word that is refused."""
    symbol = word.removeprefix("@")
    found = call_word(symbol) if symbol != word else None
    found = found or MARKERS.get(symbol)
    name = re.search(r"enzyme_\w+", word)
    if found is None and name is not None and word.startswith("the attribute"):
        found = ATTRIBUTES.get(name.group())
    elif found is None and name is not None and word.startswith("the metadata"):
        found = METADATA.get(name.group())
    return found if found is not None and found.refused else None


def _what(word: str) -> str:
    symbol = word.removeprefix("@")
    if mode_of(symbol) is not None:
        return f"{word} is used as a value; it can only be declared and called"
    if symbol in MARKERS:
        return f"{word} is used as a value; it can only mark an operand of a derivative"
    return f"{word} is not supported"


def _words(line: str) -> Iterator[str]:
    """What on one line of a module speaks to Enzyme, described."""
    if line.startswith(("source_filename", ";")):
        return
    described = re.match(r"!\d+ = (?:distinct )?!DI", line) is not None
    bare = line if described else _STRING.sub("", line)
    if not described:
        for symbol in _symbols(line):
            if is_annotation(symbol) and not _is_harmless(line, symbol):
                yield f"@{symbol}"
        for before, string in _STRING.findall(line):
            if not string.startswith(("enzyme", "__enzyme")):
                continue
            if before == "!":
                yield f'the metadata !"{string}"'
            elif before == "c" and "llvm.metadata" in line:
                yield f'the annotation "{string.partition(chr(92))[0]}"'
            elif before in ("", ", ") and not _is_name(line, string):
                yield f'the attribute "{string}"'
    for name in _METADATA_NAME.findall(bare):
        yield f"the metadata !{name}"


def _is_harmless(line: str, symbol: str) -> bool:
    """Does the line only declare the symbol (what uses it counts), or define a marker that is understood?"""
    if line.startswith("declare "):
        return symbol == _first_symbol(line)
    return line.startswith(f"@{symbol} = ") and (symbol in MARKERS or " external " in line)


def _is_name(line: str, string: str) -> bool:
    """Is the string the quoted name of something?"""
    return re.search(rf'[@%$]"{re.escape(string)}"', line) is not None


def _symbols(line: str) -> Iterator[str]:
    for quoted, plain in _SYMBOL.findall(line):
        yield quoted or plain


def _first_symbol(line: str) -> str:
    return next(_symbols(line), "")


def _owner(line: str, lines: list[str]) -> str:
    """Which function or variable a top-level line belongs to: itself, or the first that refers to it."""
    if line.startswith(("@", "declare ")):
        symbol = _first_symbol(line)
        return "" if is_annotation(symbol) else symbol
    group = re.match(r"attributes (#\d+) ", line)
    node = re.match(r"(!\d+) ", line)
    wanted = group or node
    if wanted is None:
        return ""
    place = ""
    use = re.compile(re.escape(wanted[1]) + r"\b")
    for other in lines:
        if other.startswith(("define ", "declare ", "@")):
            place = _first_symbol(other)
        if other is not line and other[:1] not in "!a" and use.search(other):
            return place
    return ""
