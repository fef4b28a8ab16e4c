"""Do all calls of a linked module agree with what they call?

With opaque pointers LLVM's verifier accepts a call by another calling convention, of other types or with too few
arguments; optimisation takes it for unreachable code, or the process dies. Two modules that were made apart meet
when they are linked, so that is where this is asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple


class CallMismatchError(ValueError):
    """Calls in a linked module that do not fit the functions they call."""


class Shape(NamedTuple):
    """How a function is called: its convention, the type of its result, those of its parameters."""

    convention: str
    result: str
    parameters: tuple[str, ...]

    def __str__(self) -> str:
        return " ".join(
            filter(None, (self.convention, f"{self.result} ({', '.join(self.parameters)})"))
        )


# Each begins with a word that is looked for before all else, which is several times as fast.
_DEFINED = re.compile(r'\ndefine ([^@\n]*)@("[^"]*"|[\w.$-]+)\(')
# Indirect calls have a local name where the symbol stands; a local name before it is that of a type.
_CALLED = tuple(
    re.compile(rf'{word} (?<!\w{word} )((?:[^@%\n]+|%[\w.]+(?= ))*+)@("[^"]*"|[\w.$-]+)\(')
    for word in ("call", "invoke")
)
_CONVENTION = re.compile(r"\b(?!ccc\b)(?:cc \d+|[a-z]\w*cc)(?= |$)")
_OPEN, _CLOSED = "([{<", ")]}>"


def check_calls(text: str) -> None:
    r"""Raise `CallMismatchError` unless each direct call of a function that the module defines fits it.

    >>> check_calls("define fastcc double @f(double %x) {\n ret double %x\n}\n"
    ...             "define double @g(double %x) {\n %y = call double @f(double %x)\n ret double %y\n}\n")
    Traceback (most recent call last):
        ...
    enzyme.backend.call_sites.CallMismatchError: @f is fastcc double (double), and called as double (double)
    """
    text = "\n" + text
    defined = {found[2]: _shape(text, found) for found in _DEFINED.finditer(text)}
    wrong = dict.fromkeys(
        f"@{found[2]} is {defined[found[2]]}, and called as {shape}"
        for pattern in _CALLED
        for found in pattern.finditer(text)
        if found[2] in defined and not _fits(shape := _shape(text, found), defined[found[2]])
    )
    if wrong:
        raise CallMismatchError("; ".join(wrong))


def _fits(called: Shape, defined: Shape) -> bool:
    if defined.parameters[-1:] != ("...",):
        return called == defined
    fixed = len(defined.parameters) - 1
    return called[:2] == defined[:2] and called.parameters[:fixed] == defined.parameters[:fixed]


def _shape(text: str, found: re.Match[str]) -> Shape:
    """The shape of what a match begins: words and the type of the result, a symbol, parameters."""
    words = found[1].strip()
    if words.endswith(")"):  # a call that spells out the type of the function
        words = words[: _matching_start(words)].rstrip()
    start = _matching_start(words) if words[-1] in _CLOSED else words.rfind(" ") + 1
    if words[start - 1 : start] == "<" and words.endswith("}>"):
        start -= 1
    parameters = tuple(_types(text, found.end()))
    convention = _CONVENTION.search(words[:start])
    return Shape(convention[0] if convention else "", words[start:], parameters)


def _matching_start(words: str) -> int:
    """Where the bracket that ends the words was opened."""
    depth = 0
    for position in range(len(words) - 1, -1, -1):
        depth += (words[position] in _CLOSED) - (words[position] in _OPEN)
        if depth == 0:
            return position
    return 0


_SPECIAL = re.compile(r'"[^"]*"|[][(){}<>,]')


def _types(text: str, start: int) -> Iterator[str]:
    """The types of the parameters or arguments that begin at `start`, behind their parenthesis."""
    depth, begin = 0, start
    for found in _SPECIAL.finditer(text, start):
        mark = found[0]
        if depth == 0 and mark in (",", ")"):
            part = text[begin : found.start()].strip()
            if part:
                yield _leading_type(part)
            if mark == ")":
                return
            begin = found.end()
        elif mark in _OPEN:
            depth += 1
        elif mark in _CLOSED:
            depth -= 1


def _leading_type(part: str) -> str:
    """The type that the text of a parameter begins with."""
    if part[0] not in _OPEN:
        return part.split(None, 1)[0]
    depth = 0
    for position, letter in enumerate(part):
        depth += (letter in _OPEN) - (letter in _CLOSED)
        if depth == 0:
            return part[: position + 1]
    return part
