"""What the first gradient of an ordinary function costs, as a multiple of what numba takes for its primal.

    python -m benchmarks first

Each program is compiled in a process of its own, several times over, after both compilers were warmed up with another
function.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from time import process_time

from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.report import WIDTH, keep

RUNS = 3
LIMIT = 1.0


@dataclass(slots=True)
class First:
    """Seconds of the processor: numba's compilation of the primal, that of the gradient, and its stages."""

    name: str
    primal: float
    gradient: float
    stages: dict[str, float] = field(default_factory=dict)

    @property
    def ratio(self) -> float:
        return self.gradient / self.primal


def names() -> list[str]:
    from benchmarks.families import PROGRAMS

    return ["thirty_lines", *PROGRAMS]


def measure_here(name: str) -> First:
    """One program in this process: nothing of it is compiled yet."""
    import numba
    import numpy as np

    from benchmarks.families import PROGRAMS
    from benchmarks.measure import annotate
    from benchmarks.program import Program
    from benchmarks.small import thirty_lines, warm_up
    from enzyme import Active, Const, Duplicated, Reverse, autodiff
    from enzyme.api.reflection import fresh_program, stage_seconds
    from enzyme.support.collector import resting

    x, w = np.linspace(0.1, 1.0, 8), np.linspace(-1.0, 1.0, 40).reshape(5, 8)
    if name == "thirty_lines":
        program = Program(thirty_lines, lambda n: (x, w), 1, 1, "thirty lines")
    else:
        program = PROGRAMS[name]
    function, inputs = program.function, program.make_inputs()
    warm_up(x)
    autodiff(Reverse, warm_up, Active, Duplicated(x, np.zeros_like(x)))
    start = process_time()
    function.compile(tuple(map(numba.typeof, inputs)))
    primal = process_time() - start
    annotations = annotate(program, inputs, Const, Duplicated)
    start = process_time()
    with resting():  # as in `autodiff`
        fresh = fresh_program(function, Reverse, (Active, *annotations))
        fresh.thunk(distinct=True)
    gradient = process_time() - start
    return First(name, primal, gradient, stage_seconds(fresh))


def measure(name: str) -> First:
    """Medians of several processes."""
    runs = []
    for _ in range(RUNS):
        command = [sys.executable, "-m", "benchmarks.first", name]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        runs.append(First(**json.loads(done.stdout)))
    stages = {stage: median(r.stages[stage] for r in runs) for stage in runs[0].stages}
    middle = sorted(runs, key=lambda r: r.ratio)[RUNS // 2]
    return First(name, middle.primal, middle.gradient, stages)


def table(results: list[First]) -> Table:
    shown = Table(title="Compilation of a first gradient, in milliseconds")
    shown.add_column("program")
    for header in ("primal", "gradient", "ratio", *results[0].stages):
        shown.add_column(header.replace("_", "\n"), justify="right")
    for r in results:
        milliseconds = [f"{t * 1e3:.0f}" for t in (r.primal, r.gradient)]
        stages = [f"{t * 1e3:.0f}" for t in r.stages.values()]
        shown.add_row(r.name, *milliseconds, f"{r.ratio:.2f}", *stages)
    shown.add_section()
    total: Counter[str] = Counter()
    for r in results:
        total.update(r.stages)
    shares = [f"{t / sum(total.values()):.0%}" for t in total.values()]
    shown.add_row("median; shares", "", "", f"{median(r.ratio for r in results):.2f}", *shares)
    return shown


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks first", description=__doc__)
    known = names()
    parser.add_argument("--programs", nargs="+", choices=known, default=known, metavar="NAME")
    folder = Path(__file__).parent / "results"
    parser.add_argument("--out", type=Path, default=folder, help=f"folder (default: {folder})")
    options = parser.parse_args(arguments)
    errors = Console(stderr=True)
    chosen = track(options.programs, "measuring", console=errors, transient=True)
    results = [measure(name) for name in chosen]
    shown = table(results)
    Console(width=None if sys.stdout.isatty() else WIDTH).print(shown)
    keep(options.out, "first", shown, [], {"results": [asdict(r) for r in results]})
    return int(median(r.ratio for r in results) > LIMIT)


if __name__ == "__main__":
    print(json.dumps(asdict(measure_here(sys.argv[1]))))
