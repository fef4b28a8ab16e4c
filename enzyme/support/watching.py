"""Who wants to look at what a stage made is told when it is made; nobody looks unless asked.

The pipeline says `reached` after each of its stages, by the names of the table in `engine.synthesis.stages`.  What was
made is turned into text only if a watcher asks for it.  Watchers belong to the current context (thread or task), as
the collectors of `timing` do; those of `watch_process` see every thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from enzyme.support.progress import passed

__all__ = ["Reached", "Watcher", "is_watched", "reached", "watch", "watch_process"]


@dataclass(frozen=True, slots=True)
class Reached:
    """The end of a stage: `function` is the symbol of the primal, empty if the stage is one of the whole module;
    `made` is the function, the module or the analysis."""

    stage: str
    function: str
    made: object
    text: Callable[[], str]


Watcher = Callable[[Reached], None]
_here: ContextVar[tuple[Watcher, ...]] = ContextVar("enzyme_watchers", default=())
_process: tuple[Watcher, ...] = ()


@contextmanager
def watch(watcher: Watcher) -> Iterator[None]:
    """Tell `watcher` of every stage that ends inside the block.

    >>> with watch(lambda found: print(found.stage, found.text())):
    ...     reached("parse", "", None, lambda: "define void @f()")
    parse define void @f()
    """
    token = _here.set((*_here.get(), watcher))
    try:
        yield
    finally:
        _here.reset(token)


def watch_process(watchers: Sequence[Watcher]) -> None:
    """Tell these watchers, and no earlier ones, of every stage in any thread from now on."""
    global _process
    _process = tuple(watchers)


def is_watched() -> bool:
    """Does anybody look at stages here?"""
    return bool(_process or _here.get())


def reached(stage: str, function: str, made: object, text: Callable[[], str]) -> None:
    """Say that a stage has ended."""
    passed(stage, function)
    watchers = _here.get()
    if watchers or _process:
        found = Reached(stage, function, made, text)
        for watcher in (*_process, *watchers):
            watcher(found)
