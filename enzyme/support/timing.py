"""Named stage timers and counters; off unless somebody collects.

A stage's time is its own: while an inner stage runs, the outer one's clock stands still.  So the
stages of a report add up to the time spent inside the outermost ones, and nothing counts twice.
A collector belongs to the current context (thread or task): what another thread compiles in the
meantime is not mixed in.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from time import perf_counter

__all__ = ["Timings", "collect", "count", "stage"]


@dataclass(slots=True)
class Timings:
    """What one `collect` block saw: seconds per stage and counters, in order of first use."""

    seconds: dict[str, float] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    _inner: list[float] = field(default_factory=list, repr=False)

    def __str__(self) -> str:
        width = max((len(name) for name in (*self.seconds, *self.counts)), default=0)
        lines = [f"{name:<{width}}  {s * 1e3:9.2f} ms" for name, s in self.seconds.items()]
        lines += [f"{name:<{width}}  {n:9d}" for name, n in self.counts.items()]
        return "\n".join(lines)


_active: ContextVar[Timings | None] = ContextVar("enzyme_timings", default=None)


@contextmanager
def collect() -> Iterator[Timings]:
    """Collect the stages and counters of everything that runs inside the block.

    Blocks nest: the innermost one collects.

    >>> with collect() as timings:
    ...     with stage("parse"):
    ...         count("lines", 120)
    >>> list(timings.seconds), timings.counts
    (['parse'], {'lines': 120})
    """
    timings = Timings()
    token = _active.set(timings)
    try:
        yield timings
    finally:
        _active.reset(token)


@contextmanager
def stage(name: str) -> Iterator[None]:
    """Add the time of the block to stage `name`, less the time of the stages inside it."""
    timings = _active.get()
    if timings is None:
        yield
        return
    # An entry made on the way in keeps the report in the order in which stages began.
    timings.seconds.setdefault(name, 0.0)
    timings._inner.append(0.0)
    start = perf_counter()
    try:
        yield
    finally:
        elapsed = perf_counter() - start
        timings.seconds[name] += elapsed - timings._inner.pop()
        if timings._inner:
            timings._inner[-1] += elapsed


def count(name: str, amount: int = 1) -> None:
    """Add `amount` to the counter `name`."""
    timings = _active.get()
    if timings is not None:
        timings.counts[name] = timings.counts.get(name, 0) + amount
