"""Tables on the terminal, and the same numbers as JSON."""

from __future__ import annotations

import json
import platform
import re
import sys
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import geometric_mean

from rich.console import Console
from rich.table import Table

from benchmarks.measure import Result
from benchmarks.modes import Modes

NONE = "–"

# What a file or a pipe gets: there is no terminal whose width could be asked for.
WIDTH = 130


def milliseconds(seconds: float | None) -> str:
    return NONE if seconds is None else f"{seconds * 1e3:.3g} ms"


def cached(report: str | None) -> str:
    """Bytes that each caching loop keeps per iteration; `*` where the cache has to grow."""
    if report is None:
        return NONE
    found = re.findall(r"(\w+), (\d+) bytes per iteration", report)
    return " + ".join(f"{count}{'*' * (kind == 'growing')}" for kind, count in found) or "0"


def factor(ratio: float | None) -> str:
    return NONE if ratio is None else f"{ratio:.2f}"


def runtime_table(results: list[Result], with_jax: bool) -> Table:
    table = Table(title="Gradient against primal, and against an adjoint written by hand")
    table.add_column("program")
    headers = [
        *("primal", "gradient", "gradient /\nprimal", "hand-written"),
        *("gradient /\nhand-written", "cached bytes\nper iteration", "error"),
    ]
    for header in headers + ["JAX gradient"] * with_jax:
        table.add_column(header, justify="right")
    for r in results:
        row = [
            r.name,
            milliseconds(r.primal),
            milliseconds(r.gradient),
            factor(r.ratio),
            milliseconds(r.hand_written),
            factor(r.against_hand_written),
            cached(r.cache),
            NONE if r.check is None else f"{r.check:.0e}",
        ]
        table.add_row(*row, *[milliseconds(r.jax_gradient)] * with_jax)
    return table


def means(results: list[Result]) -> dict[str, dict]:
    """Geometric mean and worst case of each ratio, over the programs that have it."""
    ratios = {
        "gradient / primal": {r.name: r.ratio for r in results if r.ratio},
        "gradient / hand-written": {
            r.name: r.against_hand_written for r in results if r.against_hand_written
        },
    }
    found = {}
    for name, by_program in ratios.items():
        if by_program:
            worst = max(by_program, key=by_program.__getitem__)
            found[name] = {
                "programs": len(by_program),
                "geometric_mean": geometric_mean(by_program.values()),
                "worst": by_program[worst],
                "worst_program": worst,
            }
    return found


def stage_table(results: list[Result]) -> Table:
    stages = dict.fromkeys(s for r in results for s in r.stages)
    table = Table(title="Time to first gradient")
    table.add_column("stage")
    for r in results:
        table.add_column(r.name, justify="right")
    for stage in stages:
        table.add_row(stage, *[milliseconds(r.stages.get(stage)) for r in results])
    if stages:
        table.add_section()
    table.add_row("all, as the caller sees it", *[milliseconds(r.first_gradient) for r in results])
    return table


def small_table(title: str, numbers: dict[str, float], unit: str, scale: float) -> Table:
    table = Table(title=title)
    table.add_column("what")
    table.add_column("time", justify="right")
    for name, seconds in numbers.items():
        table.add_row(name, f"{seconds * scale:.3g} {unit}")
    return table


def show(
    results: list[Result],
    startup: dict[str, float] | None,
    scalar: dict[str, float] | None,
    with_jax: bool,
) -> None:
    console = Console(width=None if sys.stdout.isatty() else WIDTH)
    if results:
        console.print(runtime_table(results, with_jax))
        for name, m in means(results).items():
            console.print(
                f"{name}: geometric mean {m['geometric_mean']:.2f} of {m['programs']} programs,"
                f" worst {m['worst']:.2f} ({m['worst_program']})"
            )
        console.print(
            "Cached bytes: one number per loop that caches; * trip count not known before."
        )
        if any(r.first_gradient is not None for r in results):
            console.print(stage_table(results))
    for r in results:
        if r.error:
            console.print(f"{r.name}: {r.error}", style="red", markup=False)
    if startup:
        console.print(small_table("A first gradient in a fresh process", startup, "ms", 1e3))
    if scalar:
        console.print(small_table("Repeated call with one float", scalar, "µs", 1e6))


def machine() -> dict[str, str]:
    """What the numbers depend on."""
    found = {"python": platform.python_version(), "machine": platform.machine()}
    for name in ("enzyme-ad", "numba", "llvmlite", "numpy", "jax"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def keep(folder: Path, name: str, shown: Table, lines: list[str], content: dict) -> None:
    """Write a table with lines behind it, and its numbers beside the machine as JSON, into files of this name."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{name}.txt").open("w", encoding="utf-8") as file:
        Console(file=file, width=WIDTH).print(shown)
        file.writelines(f"{line}\n" for line in lines)
    text = json.dumps({"machine": machine(), **content}, indent=1) + "\n"
    (folder / f"{name}.json").write_text(text, encoding="utf-8")


def write_json(
    path: Path,
    results: list[Result],
    startup: dict[str, float] | None,
    scalar: dict[str, float] | None,
    wide: list[Modes],
    rules: dict[str, float] | None,
) -> None:
    content = {
        "machine": machine(),
        "programs": [asdict(r) for r in results],
        "means": means(results),
        "startup": startup,
        "scalar": scalar,
        "modes": [asdict(r) for r in wide],
        "rules": rules,
    }
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
