"""Prints what a stage of the pipeline made, to the standard error stream.

Functions are chosen by the name that they have in the program: the symbol, or numba's mangled form of it. The
derivatives of a function count as the function.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from enzyme.engine.synthesis.stages import check_stage
from enzyme.support.watching import Reached, Watcher, watch, watch_process

VARIABLE = "ENZYME_PRINT_AFTER"
_DEFINITION = re.compile(r'^define [^@\n]*@(?:"([^"\n]+)"|([^("\s]+))\(.*?^}$', re.M | re.S)
_OURS = re.compile(r"(?:enzyme\.\d+\.)?(?:(?:grad|fwd|aug|rev)\.)*")


@contextmanager
def print_after(stage: str, function: str | None = None) -> Iterator[None]:
    """Show the IR, or the facts, after a stage of every compilation inside the block, on standard error.

    The stages are listed in ``docs/architecture.md``. A derivative that was compiled before is not compiled again,
    so there is nothing to see of it; `enzyme.compile_report` compiles afresh. The environment variable
    ``ENZYME_PRINT_AFTER`` (``stage`` or ``stage:function``, several with commas between them) does the same for
    the whole life of a process.

    Parameters
    ----------
    stage
        The name of the stage.
    function
        Show this function only, and its derivatives; by default all that are differentiated.

    Raises
    ------
    ValueError
        If there is no such stage; the message lists all.

    Examples
    --------
    >>> import contextlib, sys
    >>> from enzyme import Active, Reverse, autodiff
    >>> from enzyme.api import print_after
    >>> def scaled(x, a):
    ...     return a * (x * x)
    >>> with contextlib.redirect_stderr(sys.stdout), print_after("cache_plan", "scaled"):
    ...     slope = autodiff(Reverse, scaled, Active, Active(3.0), Active(2.0))
    ; after cache_plan of @...scaled...
    cache plan of @...
      ...
      %... = fmul double %arg.x, %arg.x ...; recomputed
      ...
    """
    with watch(_printer(stage, function)):
        yield


def print_as_asked() -> None:
    """From now on, do what the environment variable says.

    Raises
    ------
    ValueError
        If it names a stage that there is not.
    """
    asked = [entry.strip() for entry in os.environ.get(VARIABLE, "").split(",")]
    pairs = [entry.partition(":") for entry in asked if entry]
    watch_process([_printer(stage, function or None) for stage, _, function in pairs])


def _printer(stage: str, function: str | None) -> Watcher:
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
    symbol = symbol[_OURS.match(symbol).end() :]  # type: ignore[union-attr]
    if "_ZN" in symbol:
        return _last_word(symbol.rpartition("_ZN")[2]) == _escaped(name)
    return symbol == name or symbol.startswith(f"{name}.")


def _escaped(name: str) -> str:
    """A name as numba writes it in symbols.

    >>> _escaped("<lambda>"), _escaped("größe")
    ('_3clambda_3e', 'gr_c3_b6_c3_9fe')
    """
    return re.sub(r"[^a-zA-Z0-9_]", lambda m: "".join(f"_{b:02x}" for b in m[0].encode()), name)


def _last_word(mangled: str) -> str:
    """The function's own name out of words with their lengths before them."""
    word = ""
    while found := re.match(r"\d+", mangled):
        start, length = found.end(), int(found[0])
        word, mangled = mangled[start : start + length], mangled[start + length :]
    return word


__all__ = ["VARIABLE", "print_after", "print_as_asked"]
