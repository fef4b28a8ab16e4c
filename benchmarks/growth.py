"""Cost against size: some programs of each family over three decades of work.

    python -m benchmarks growth

The size of a program is chosen such that its work is from 1/30 to 30 times that of the benchmark.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks import charts
from benchmarks.families import FAMILIES, FAMILY_OF, PROGRAMS
from benchmarks.measure import gradient_call, in_one_line, interleaved, keep_freed_memory
from benchmarks.program import Program
from benchmarks.report import WIDTH, keep

POINTS = 7
DECADES = 3.0
PER_FAMILY = 4
FOLDER = Path(__file__).parent / "results"


@dataclass(slots=True)
class Growth:
    """Seconds of primal and gradient at each size; `work` is relative to that of the benchmark's size."""

    name: str
    family: str
    sizes: list[int] = field(default_factory=list)
    work: list[float] = field(default_factory=list)
    primal: list[float] = field(default_factory=list)
    gradient: list[float] = field(default_factory=list)
    error: str = ""

    @property
    def exponent(self) -> float:
        """Slope of log(gradient) over log(primal) in the upper half: 1 where the ratio stays."""
        half = len(self.work) // 2
        x, y = np.log(self.primal[half:]), np.log(self.gradient[half:])
        return float(np.polyfit(x, y, 1)[0]) if len(x) > 1 else float("nan")


def sizes(program: Program) -> list[int]:
    steps = np.linspace(-DECADES / 2, DECADES / 2, POINTS)
    found = [max(2, round(program.size * 10 ** (s / program.order))) for s in steps]
    return list(dict.fromkeys(found))


def power_of_two(n: int) -> int:
    return 1 << max(3, round(np.log2(n)))


def measure(program: Program, repeat: int) -> Growth:
    found = Growth(program.name, FAMILY_OF[program.name])
    keep_freed_memory()
    try:
        for n in sizes(program):
            n = power_of_two(n) if program.name == "fourier" else n
            inputs = program.inputs(n)
            gradient, _ = gradient_call(program, inputs)
            calls = [lambda inputs=inputs: program.function(*inputs), gradient]
            primal, own = (min(samples) for samples in interleaved(calls, repeat))
            found.sizes.append(n)
            found.work.append((n / program.size) ** program.order)
            found.primal.append(primal)
            found.gradient.append(own)
    except Exception as error:
        found.error = in_one_line(error)
    return found


def default() -> list[str]:
    """The first ones of each family."""
    return [p.name for family in FAMILIES.values() for p in family[:PER_FAMILY]]


def table(results: list[Growth]) -> Table:
    shown = Table(title="gradient / primal over the work, 1 at the size of the benchmark")
    shown.add_column("program")
    heads = [f"{10**s:.2g}" for s in np.linspace(-DECADES / 2, DECADES / 2, POINTS)]
    for head in (*heads, "exponent"):
        shown.add_column(head, justify="right")
    for r in results:
        if r.error:
            shown.add_row(r.name, r.error)
            continue
        ratios = [f"{g / p:.2f}" for g, p in zip(r.gradient, r.primal, strict=True)]
        ratios = [""] * (POINTS - len(ratios)) + ratios
        shown.add_row(r.name, *ratios, f"{r.exponent:.2f}")
    return shown


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks growth", description=__doc__)
    parser.add_argument(
        "--programs", nargs="+", choices=list(PROGRAMS), default=default(), metavar="NAME"
    )
    parser.add_argument("--families", nargs="+", choices=list(FAMILIES), metavar="NAME")
    parser.add_argument("--repeat", type=int, default=5, help="samples per size")
    parser.add_argument("--out", type=Path, default=FOLDER, help=f"folder (default: {FOLDER})")
    options = parser.parse_args(arguments)
    names = options.programs
    if options.families:
        names = [p.name for f in options.families for p in FAMILIES[f]]
    errors = Console(stderr=True)
    chosen = track(names, "measuring", console=errors, transient=True)
    results = [measure(PROGRAMS[name], options.repeat) for name in chosen]
    shown = table(results)
    Console(width=None if sys.stdout.isatty() else WIDTH).print(shown)
    rows = [asdict(r) for r in results]
    keep(options.out, "growth", shown, [], {"results": rows})
    charts.lines([r for r in rows if not r["error"]], options.out / "growth.png")
    return int(any(r.error for r in results))


def kept_rows() -> list[dict]:
    path = FOLDER / "growth.json"
    return json.loads(path.read_text(encoding="utf-8"))["results"] if path.exists() else []
