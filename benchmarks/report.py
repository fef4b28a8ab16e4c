"""Tables on the terminal, and the same numbers as JSON."""

from __future__ import annotations

import json
import platform
import re
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import geometric_mean, median

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


def size(count: int | None) -> str:
    if count is None:
        return NONE
    for unit, scale in (("MB", 1e6), ("kB", 1e3)):
        if count >= scale:
            return f"{count / scale:.3g} {unit}"
    return f"{count} B"


# The columns of one program: what stands above, and what stands there.
COLUMNS: dict[str, Callable[[Result], str]] = {
    "primal": lambda r: milliseconds(r.primal),
    "gradient": lambda r: milliseconds(r.gradient),
    "gradient /\nprimal": lambda r: factor(r.ratio),
    "gradient /\nby hand": lambda r: factor(r.against_hand_written),
    "JAX /\nours": lambda r: factor(r.jax_against),
    "JAX /\nours, fast": lambda r: factor(r.fast_jax_against),
    "kept": lambda r: size(r.kept_bytes),
    "kept per\niteration": lambda r: cached(r.cache),
    "first\ngradient": lambda r: milliseconds(r.first_gradient),
    "error": lambda r: NONE if r.check is None else f"{r.check:.0e}",
}


def runtime_table(results: list[Result], title: str) -> Table:
    table = Table(title=title)
    table.add_column("program")
    for header in COLUMNS:
        table.add_column(header, justify="right")
    for r in results:
        table.add_row(r.name, *(show(r) for show in COLUMNS.values()))
    return table


@dataclass(frozen=True, slots=True)
class Summary:
    """Geometric means over the programs of a family that have the number; `counts` says how many these are."""

    family: str
    programs: int
    wrong: int
    ratio: float | None
    worst: str
    against_hand_written: float | None
    hand_written: int
    jax_against: float | None
    fast_jax_against: float | None
    jax: int
    kept_bytes: float | None
    first_gradient: float | None


def mean(numbers: list[float | None]) -> float | None:
    found = [n for n in numbers if n]
    return geometric_mean(found) if found else None


def summary(family: str, results: list[Result]) -> Summary:
    ratios = [r for r in results if r.ratio]
    worst = max(ratios, key=lambda r: r.ratio, default=None)
    kept = sorted(r.kept_bytes for r in results if r.kept_bytes is not None)
    first = [r.first_gradient for r in results if r.first_gradient]
    return Summary(
        family,
        len(results),
        sum(bool(r.error) for r in results),
        mean([r.ratio for r in results]),
        "" if worst is None else f"{worst.ratio:.1f} ({worst.name})",
        mean([r.against_hand_written for r in results]),
        sum(r.against_hand_written is not None for r in results),
        mean([r.jax_against for r in results]),
        mean([r.fast_jax_against for r in results]),
        sum(r.jax_against is not None for r in results),
        median(kept) if kept else None,
        median(first) if first else None,
    )


def summaries(results: list[Result]) -> list[Summary]:
    families = dict.fromkeys(r.family for r in results)
    found = [summary(f, [r for r in results if r.family == f]) for f in families]
    return [*found, summary("all", results)] if len(found) > 1 else found


SUMMARY_COLUMNS: dict[str, Callable[[Summary], str]] = {
    "family": lambda s: s.family,
    "programs": lambda s: f"{s.programs}" + f" ({s.wrong} failed)" * bool(s.wrong),
    "gradient /\nprimal": lambda s: factor(s.ratio),
    "worst": lambda s: s.worst,
    "gradient /\nby hand": lambda s: _of(s.against_hand_written, s.hand_written),
    "JAX / ours": lambda s: _of(s.jax_against, s.jax),
    "JAX / ours,\nfast": lambda s: factor(s.fast_jax_against),
    "kept,\nmedian": lambda s: NONE if s.kept_bytes is None else size(int(s.kept_bytes)),
    "first gradient,\nmedian": lambda s: milliseconds(s.first_gradient),
}


def _of(ratio: float | None, count: int) -> str:
    return NONE if ratio is None else f"{ratio:.2f} of {count}"


def summary_table(found: list[Summary]) -> Table:
    table = Table(title="Geometric means by family")
    for name in SUMMARY_COLUMNS:
        table.add_column(name, justify="left" if name in ("family", "worst") else "right")
    for s in found:
        table.add_row(*(show(s) for show in SUMMARY_COLUMNS.values()))
    return table


def stage_table(results: list[Result]) -> Table:
    """Medians over the programs."""
    stages = dict.fromkeys(s for r in results for s in r.stages)
    table = Table(title="Time to first gradient, medians")
    table.add_column("stage")
    table.add_column("time", justify="right")
    for stage in stages:
        table.add_row(stage, milliseconds(median(r.stages.get(stage, 0.0) for r in results)))
    if stages:
        table.add_section()
    seen = [r.first_gradient for r in results if r.first_gradient is not None]
    table.add_row("all, as the caller sees it", milliseconds(median(seen)))
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
) -> None:
    console = Console(width=None if sys.stdout.isatty() else WIDTH)
    for family in dict.fromkeys(r.family for r in results):
        console.print(runtime_table([r for r in results if r.family == family], family))
    if results:
        console.print(
            "Kept: what is asked for in one call, and per iteration, one number for each loop that keeps something; "
            "* trip count not known before."
        )
        console.print(summary_table(summaries(results)))
        if any(r.first_gradient is not None for r in results):
            console.print(stage_table([r for r in results if r.stages]))
    for r in results:
        for error in filter(None, (r.error, r.jax_error)):
            console.print(f"{r.name}: {error}", style="red", markup=False)
    if startup:
        console.print(small_table("A first gradient in a fresh process", startup, "ms", 1e3))
    if scalar:
        console.print(small_table("Repeated call with one float", scalar, "µs", 1e6))


def machine() -> dict[str, str]:
    """What the numbers depend on."""
    found = {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "processor": processor(),
    }
    for name in ("enzyme-autodiff", "numba", "llvmlite", "numpy", "jax"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def processor() -> str:
    """Its name, where the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return ""
    names = [line.partition(": ")[2] for line in lines if line.startswith("model name")]
    return names[0] if names else ""


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
        "families": [asdict(s) for s in summaries(results)],
        "startup": startup,
        "scalar": scalar,
        "modes": [asdict(r) for r in wide],
        "rules": rules,
    }
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
