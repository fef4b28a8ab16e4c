"""What one call of a derivative from Python costs, over the same call of its primal.

    python -m benchmarks calls

The functions do next to nothing, so that what is measured is the way to native code and back. All calls take turns in
one process, and of each the least of many samples counts: what is more is a busy neighbour.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from math import inf
from pathlib import Path
from time import perf_counter, perf_counter_ns

import numpy as np
from numba import njit
from rich.console import Console
from rich.table import Table

from benchmarks.report import NONE, WIDTH, keep
from benchmarks.small import square

SAMPLE = 3e5  # nanoseconds
FEWEST = 20  # calls in a sample


@njit
def first_squared(x):
    return x[0] * x[0]


@njit
def of_five(a, b, c, d, e):
    return a[0] * b[0] + c[0] * d[0] + e[0]


@dataclass(slots=True)
class Call:
    """A way to call; `primal` names the call that it is measured against, `limit` is what it may cost more, in ns."""

    name: str
    run: Callable[[], object]
    primal: str | None = None
    limit: float | None = None


@dataclass(slots=True)
class Measured:
    """Nanoseconds of a call, what of them is over the primal, and how much of that is allowed."""

    name: str
    nanoseconds: float
    over: float | None
    limit: float | None

    @property
    def holds(self) -> bool:
        return self.limit is None or (self.over is not None and self.over <= self.limit)


def calls() -> list[Call]:
    """All that is measured."""
    from enzyme import (
        Active,
        Const,
        Duplicated,
        Forward,
        Reverse,
        ReverseSplitNoPrimal,
        autodiff,
        autodiff_thunk,
        grad,
        gradient,
        hvp,
        typeof,
        value_and_grad,
    )

    def plain(x):
        return x * x

    one = np.array([3.25])
    five = [np.ones(1) for _ in range(5)]
    pairs = [Duplicated(x, np.zeros(1)) for x in five]
    dx, direction = np.zeros(1), np.ones(1)
    scalar, array = Const[typeof(square)], Const[typeof(first_squared)]
    of_scalar, of_array = Const(square), Const(first_squared)
    pair = Duplicated[typeof(one)]

    tangent = autodiff_thunk(Forward, scalar, Duplicated, Duplicated[float])
    forward, reverse = autodiff_thunk(ReverseSplitNoPrimal, scalar, Active, Active[float])
    tape, _, _ = forward(of_scalar, Active(3.25))
    along = autodiff_thunk(Forward, array, Duplicated, pair)
    forward_of_array, reverse_of_array = autodiff_thunk(ReverseSplitNoPrimal, array, Active, pair)

    def both(forward, reverse, function, annotated):
        tape, _, _ = forward(function, annotated)
        return reverse(function, annotated, 1.0, tape)

    x, annotated = Active(3.25), Duplicated(one, dx)
    tangents, along_one = Duplicated(3.25, 1.0), Duplicated(one, direction)
    slope, slope_with_value = grad(first_squared), value_and_grad(first_squared)
    number, vector, vectors = "number", "array", "five arrays"
    return [
        Call(number, lambda: square(3.25)),
        Call(
            "autodiff, reverse",
            lambda: autodiff(Reverse, square, Active, Active(3.25)),
            number,
            1000,
        ),
        Call("autodiff, annotation kept", lambda: autodiff(Reverse, square, Active, x), number),
        Call(
            "autodiff, plain function",
            lambda: autodiff(Reverse, plain, Active, Active(3.25)),
            number,
        ),
        Call(
            "autodiff, forward",
            lambda: autodiff(Forward, square, Duplicated, Duplicated(3.25, 1.0)),
            number,
        ),
        Call("gradient", lambda: gradient(Reverse, square, 3.25), number),
        Call("forward thunk", lambda: tangent(of_scalar, tangents), number, 500),
        Call("split thunk, forward", lambda: forward(of_scalar, x), number, 500),
        Call("split thunk, reverse", lambda: reverse(of_scalar, x, 1.0, tape), number, 500),
        Call(vector, lambda: first_squared(one)),
        Call(
            "autodiff, reverse",
            lambda: autodiff(Reverse, first_squared, Active, Duplicated(one, dx)),
            vector,
        ),
        Call(
            "autodiff, annotation kept",
            lambda: autodiff(Reverse, first_squared, Active, annotated),
            vector,
        ),
        Call("gradient", lambda: gradient(Reverse, first_squared, one), vector, 3000),
        Call("grad", lambda: slope(one), vector, 3000),
        Call("value_and_grad", lambda: slope_with_value(one), vector, 3000),
        Call("hvp", lambda: hvp(first_squared, one, direction), vector, 4000),
        Call("forward thunk", lambda: along(of_array, along_one), vector, 500),
        Call(
            "split thunk, both with a tape",
            lambda: both(forward_of_array, reverse_of_array, of_array, annotated),
            vector,
        ),
        Call(vectors, lambda: of_five(*five)),
        Call(
            "autodiff, annotation kept", lambda: autodiff(Reverse, of_five, Active, *pairs), vectors
        ),
        Call("gradient", lambda: gradient(Reverse, of_five, *five), vectors),
    ]


def measure(seconds: float) -> list[Measured]:
    """The least of all samples of each call."""
    chosen = calls()
    counts, least = [], [inf] * len(chosen)
    for call in chosen:
        call.run()
        start = perf_counter_ns()
        for _ in range(FEWEST):
            call.run()
        counts.append(max(FEWEST, int(SAMPLE * FEWEST / (perf_counter_ns() - start))))
    end = perf_counter() + seconds
    while perf_counter() < end:
        for k, call in enumerate(chosen):
            run, count = call.run, range(counts[k])
            start = perf_counter_ns()
            for _ in count:
                run()
            least[k] = min(least[k], (perf_counter_ns() - start) / counts[k])
    of = {call.name: time for call, time in zip(chosen, least, strict=True) if call.primal is None}
    return [
        Measured(
            call.name, time, None if call.primal is None else time - of[call.primal], call.limit
        )
        for call, time in zip(chosen, least, strict=True)
    ]


HEADS = ("what", "ns", "ns over the primal", "limit")


def rows(results: list[Measured]) -> list[list[str]]:
    """What stands in the table; a primal opens the calls that are measured against it."""
    found = []
    for r in results:
        if r.over is None:
            found.append([f"numba's call, {r.name}", f"{r.nanoseconds:.0f}", NONE, NONE])
        else:
            limit = NONE if r.limit is None else f"{r.limit:.0f}"
            found.append([r.name, f"{r.nanoseconds:.0f}", f"{r.over:.0f}", limit])
    return found


def table(results: list[Measured]) -> Table:
    shown = Table(title="A call from Python")
    for k, head in enumerate(HEADS):
        shown.add_column(head, justify="right" if k else "left")
    for r, row in zip(results, rows(results), strict=True):
        if r.over is None:
            shown.add_section()
        shown.add_row(*row)
    return shown


def over_the_limits(results: list[Measured]) -> list[str]:
    """A line for each limit that does not hold."""
    return [
        f"{r.name}: {r.over:.0f} ns over the primal, more than {r.limit:.0f}"
        for r in results
        if not r.holds
    ]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks calls", description=__doc__)
    parser.add_argument("--seconds", type=float, default=10.0, help="how long all of it takes")
    folder = Path(__file__).parent / "results"
    parser.add_argument("--out", type=Path, default=folder, help=f"folder (default: {folder})")
    options = parser.parse_args(arguments)
    results = measure(options.seconds)
    shown, over = table(results), over_the_limits(results)
    console = Console(width=None if sys.stdout.isatty() else WIDTH)
    console.print(shown)
    for line in over:
        console.print(line, style="red", markup=False)
    content = {"results": [asdict(r) for r in results]}
    keep(options.out, "calls", shown, over or ["All limits hold."], content)
    return int(bool(over))
