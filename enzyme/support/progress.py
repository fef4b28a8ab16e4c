"""Says what is being compiled: in one line where that takes long, and stage by stage where it was asked for.

Lines go to the logger ``enzyme`` of the standard library: a compilation that takes long is a warning, said at the end
of a stage (a thread that waits would cost address space), stages are of level debug. What is compiled in the course of
something else is a part of that.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import perf_counter

from enzyme.support.switches import is_on
from enzyme.support.symbols import MANGLED, primal_of, words

__all__ = ["PATIENCE", "VARIABLE", "compiling", "log", "passed"]

PATIENCE = 3.0
"""Seconds after which a compilation is spoken of."""
VARIABLE = "ENZYME_LOG"

_logger = logging.getLogger("enzyme")


class _Compilation:
    """One that runs, and the last stage that it has passed."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.begin = perf_counter()
        self.stage = ""
        self.function = ""
        self.is_late = False

    @property
    def seconds(self) -> float:
        return perf_counter() - self.begin

    def report(self) -> None:
        self.is_late = True
        behind = f", the last stage passed is {self.stage}" if self.stage else ""
        of = f" of {_name(self.function)}" if self.function else ""
        _logger.warning(
            "compiling %s takes long (once): %.0f s%s%s", self.name, self.seconds, behind, of
        )


_here: ContextVar[_Compilation | None] = ContextVar("enzyme_compilation", default=None)


@contextmanager
def compiling(function: str) -> Iterator[None]:
    """Speak of the block as the making of a function's derivative, if it takes long; not if it is part of another one.

    >>> with compiling("f"):
    ...     passed("parse", "f")
    """
    if _here.get() is not None:
        yield
        return
    mine = _Compilation(f"the derivative of {function}")
    token = _here.set(mine)
    try:
        yield
    finally:
        _here.reset(token)
        level = logging.WARNING if mine.is_late else logging.DEBUG
        _logger.log(level, "%s is there after %.2f s", mine.name, mine.seconds)


def _name(symbol: str) -> str:
    """The name in the program."""
    symbol = primal_of(symbol)
    if symbol.startswith(MANGLED):
        symbol = next(reversed(words(symbol.removeprefix(MANGLED))), symbol)
    return symbol.replace("_3c", "<").replace("_3e", ">")


def passed(stage: str, function: str) -> None:
    """Say that a stage has ended; of a function, or of a whole program where that is empty."""
    found = _here.get()
    if found is None:
        return
    found.stage, found.function = stage, function
    if not found.is_late and found.seconds > PATIENCE:
        found.report()
    if _logger.isEnabledFor(logging.DEBUG):
        of = f" of {_name(function)}" if function else ""
        _logger.debug("%s: %.3f s: %s%s", found.name, found.seconds, stage, of)


def log(on: bool = True) -> None:
    """Print all stages of what is compiled from now on, with times, to the standard error stream.

    The environment variable ``ENZYME_LOG=1`` does the same for the whole life of a process. What is printed goes
    through the logger ``enzyme`` of the standard library. A compilation that takes more than three seconds is
    spoken of without being asked.

    Parameters
    ----------
    on
        False switches it off.

    Examples
    --------
    >>> import enzyme
    >>> enzyme.log()
    >>> enzyme.log(False)
    """
    for handler in [h for h in _logger.handlers if isinstance(h, _Handler)]:
        _logger.removeHandler(handler)
    _logger.setLevel(logging.DEBUG if on else logging.NOTSET)
    _logger.propagate = not on
    if on:
        handler = _Handler(sys.stderr)
        handler.setFormatter(logging.Formatter("enzyme: %(message)s"))
        _logger.addHandler(handler)


class _Handler(logging.StreamHandler):  # type: ignore[type-arg]
    """The one that `log` adds."""


def log_as_asked() -> None:
    """Do what the environment variable says."""
    if is_on(VARIABLE):
        log()
