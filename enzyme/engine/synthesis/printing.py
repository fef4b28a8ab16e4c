"""Prints what a stage of the pipeline made, to the standard error stream.

Functions are chosen by the name that they have in the program: the symbol, or the last word of a mangled one. The
derivatives of a function count as the function.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator

from enzyme.engine.synthesis.stages import check_stage
from enzyme.support.symbols import MANGLED, primal_of, words
from enzyme.support.watching import Reached, Watcher, watch_process

VARIABLE = "ENZYME_PRINT_AFTER"
_DEFINITION = re.compile(r'^define [^@\n]*@(?:"([^"\n]+)"|([^("\s]+))\(.*?^}$', re.M | re.S)


def print_as_asked(spelled: Callable[[str], str] = str) -> None:
    """From now on, do what the environment variable says; names are `spelled` as the symbols of the program spell them.

    Raises
    ------
    ValueError
        If it names a stage that there is not.
    """
    asked = [entry.strip() for entry in os.environ.get(VARIABLE, "").split(",")]
    pairs = [entry.partition(":") for entry in asked if entry]
    watch_process([printer(stage, spelled(function) or None) for stage, _, function in pairs])


def printer(stage: str, function: str | None) -> Watcher:
    """What shows a stage, of this function or of all, when it is reached.

    Raises
    ------
    ValueError
        If there is no such stage; the message lists all.
    """
    check_stage(stage)

    def show(found: Reached) -> None:
        if found.stage != stage:
            return
        if found.function and function is not None and not is_called(found.function, function):
            return
        text = found.text().strip("\n")
        if not found.function and function is not None:
            text = "\n\n".join(_definitions(text, function))
        if text:
            of = f" of @{found.function}" if found.function else ""
            print(f"; after {stage}{of}\n{text}\n", file=sys.stderr, flush=True)

    return show


def _definitions(text: str, function: str) -> Iterator[str]:
    """The definitions of the functions of this name in the text of a module."""
    for found in _DEFINITION.finditer(text):
        if is_called(found[1] or found[2], function):
            yield found[0]


def is_called(symbol: str, name: str) -> bool:
    """Is this the symbol of the function of this name, or of a derivative or a copy of it?

    >>> [is_called(s, "f") for s in ("f", "grad.f", "fwd.grad.f.1", "_ZN8__main__1fEd", "_ZN1f1gEd", "ff")]
    [True, True, True, True, False, False]
    """
    symbol = primal_of(symbol)
    if MANGLED in symbol:
        return words(symbol.rpartition(MANGLED)[2])[-1:] == [name]
    return symbol == name or symbol.startswith(f"{name}.")


__all__ = ["VARIABLE", "print_as_asked", "printer"]
