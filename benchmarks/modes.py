"""Forward mode against the primal, batches against single calls, and reverse mode with the primal's result, and split,
against without and combined, in turns as in `measure`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import geometric_mean, median
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.measure import in_one_line, interleaved, keep_freed_memory, median_ratio
from benchmarks.program import Program
from benchmarks.small import square

WIDTHS = (1, 4, 8)


@dataclass(slots=True)
class Modes:
    """Seconds per call by name of the call, and ratios of them."""

    name: str
    seconds: dict[str, float] = field(default_factory=dict)
    ratios: dict[str, float] = field(default_factory=dict)
    error: str = ""


def annotated(program: Program, inputs: tuple, width: int) -> tuple[list, list]:
    """The annotations of the inputs, and their shadows."""
    from enzyme import BatchDuplicated, Const, Duplicated

    found: list = []
    shadows: list = []
    active = program.active(inputs)
    for i, x in enumerate(inputs):
        if i not in active:
            found.append(Const(x))
            continue
        lanes = tuple(np.zeros_like(x) for _ in range(width))
        shadows += lanes
        found.append(Duplicated(x, lanes[0]) if width == 1 else BatchDuplicated(x, lanes))
    return found, shadows


def wide_call(program: Program, inputs: tuple, mode: Any, width: int = 1) -> Callable[[], Any]:
    """A call of `autodiff` with `width` shadows."""
    from enzyme import Active, DuplicatedNoNeed, ForwardMode, autodiff

    annotations, shadows = annotated(program, inputs, width)
    forward = isinstance(mode, ForwardMode)
    returned = DuplicatedNoNeed if forward else Active

    def call():
        for shadow in shadows:
            shadow.fill(1.0 if forward else 0.0)
        return autodiff(mode, program.function, returned, *annotations)

    return call


def split_call(program: Program, inputs: tuple) -> Callable[[], Any]:
    """Both calls of split mode, which may rely on nothing being changed in between, as combined mode does."""
    from enzyme import (
        Active,
        Const,
        ReverseSplitModified,
        ReverseSplitNoPrimal,
        autodiff_thunk,
        typeof,
    )

    annotations, shadows = annotated(program, inputs, 1)
    types = [type(a)[typeof(a.val)] for a in annotations]
    mode = ReverseSplitModified(ReverseSplitNoPrimal, (False,) * (1 + len(types)))
    function = Const(program.function)
    forward, reverse = autodiff_thunk(mode, Const[typeof(program.function)], Active, *types)

    def call():
        for shadow in shadows:
            shadow.fill(0.0)
        tape, _, _ = forward(function, *annotations)
        return reverse(function, *annotations, 1.0, tape)

    return call


def measure_modes(program: Program, repeat: int) -> Modes:
    """All calls of one program, in turns."""
    from enzyme import Forward, Reverse, ReverseWithPrimal

    keep_freed_memory()
    inputs = program.make_inputs()
    found = Modes(program.name)
    calls: dict[str, Callable[[], Any]] = {"primal": lambda: program.function(*inputs)}
    try:
        for kind, mode in (("forward", Forward), ("reverse", Reverse)):
            for width in WIDTHS:
                calls[f"{kind} {width}"] = wide_call(program, inputs, mode, width)
        calls["with primal"] = wide_call(program, inputs, ReverseWithPrimal)
        calls["split"] = split_call(program, inputs)
        samples = dict(zip(calls, interleaved(list(calls.values()), repeat), strict=True))
    except Exception as error:
        found.error = in_one_line(error)
        return found
    found.seconds = {name: median(s) for name, s in samples.items()}
    for kind in ("forward", "reverse"):
        for width in WIDTHS[1:]:
            name = f"{kind} {width}"
            found.ratios[name] = median_ratio(samples[name], samples[f"{kind} 1"])
    found.ratios["forward 1"] = median_ratio(samples["forward 1"], samples["primal"])
    found.ratios["with primal"] = median_ratio(samples["with primal"], samples["reverse 1"])
    found.ratios["split"] = median_ratio(samples["split"], samples["reverse 1"])
    return found


def thunk_calls(repeat: int) -> dict[str, float]:
    """Seconds of a plain call of a compiled function of one float, and of thunks of it."""
    from enzyme import (
        Active,
        Const,
        Duplicated,
        Forward,
        ReverseSplitNoPrimal,
        autodiff_thunk,
        typeof,
    )

    name = Const[typeof(square)]
    f, x, pair = Const(square), Active(2.0), Duplicated(2.0, 1.0)
    tangent = autodiff_thunk(Forward, name, Duplicated, Duplicated[float])
    forward, reverse = autodiff_thunk(ReverseSplitNoPrimal, name, Active, Active[float])
    tape, _, _ = forward(f, x)
    calls = {
        "njit call": lambda: square(2.0),
        "forward thunk": lambda: tangent(f, pair),
        "split thunk, forward": lambda: forward(f, x),
        "split thunk, reverse": lambda: reverse(f, x, 1.0, tape),
    }
    samples = interleaved(list(calls.values()), repeat)
    return {name: median(s) for name, s in zip(calls, samples, strict=True)}


def table(results: list[Modes]) -> Table:
    made = Table(title="Modes against each other")
    made.add_column("program")
    against = {"forward 1": "primal"}
    against |= {f"{kind} {w}": f"{kind} 1" for kind in ("forward", "reverse") for w in WIDTHS[1:]}
    against |= {"with primal": "reverse 1", "split": "combined"}
    for header in ("forward 1", "reverse 1"):
        made.add_column(header, justify="right")
    for name, other in against.items():
        made.add_column(f"{name} /\n{other}", justify="right")
    for r in results:
        if r.error:
            continue
        times = [f"{r.seconds[n] * 1e3:.3g} ms" for n in ("forward 1", "reverse 1")]
        made.add_row(r.name, *times, *(f"{r.ratios[n]:.2f}" for n in against))
    good = [r for r in results if not r.error]
    if good:
        made.add_section()
        means = [f"{geometric_mean([r.ratios[n] for r in good]):.2f}" for n in against]
        made.add_row("geometric mean", "", "", *means)
    return made


def show_modes(programs: list[Program], repeat: int, console: Console) -> list[Modes]:
    """Measure and print."""
    errors = Console(stderr=True)
    results = [
        measure_modes(p, repeat)
        for p in track(programs, "measuring modes", console=errors, transient=True)
    ]
    console.print(table(results))
    for r in results:
        if r.error:
            console.print(f"{r.name}: {r.error}", style="red", markup=False)
    return results
