"""How the time and the memory of a derivative grow with the program.

    python -m benchmarks scale

Each shape of `benchmarks.shapes` is differentiated in growing sizes, each in a process of its own. A stage's seconds
are those of the processor, so that busy neighbours do not count; its memory is the most that the process held while
it ran. The exponent of growth is fitted over the last decade of sizes.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from time import process_time

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.report import WIDTH, keep
from benchmarks.shapes import SHAPES, request

SIZES = (1000, 2000, 5000, 10_000, 20_000, 50_000)
MODES = ("forward", "reverse")
OURS = ("engine",)
LIMIT_SECONDS = 600
# What is to hold, in seconds and bytes: exponent, engine and all at 50,000 instructions, all at 10,000.
LIMITS = {"exponent": 1.15, "engine": 20.0, "all": 60.0, "small": 6.0, "memory": 2e9}


@dataclass(slots=True)
class Measured:
    """One derivative: instructions of the primal, seconds and peak bytes by stage."""

    shape: str
    mode: str
    size: int
    instructions: int = 0
    seconds: dict[str, float] = field(default_factory=dict)
    bytes: dict[str, int] = field(default_factory=dict)
    error: str = ""

    @property
    def engine(self) -> float:
        return self.seconds.get("engine", float("nan"))

    @property
    def llvm(self) -> float:
        return self.all - self.engine

    @property
    def all(self) -> float:
        return sum(self.seconds.values()) if self.seconds else float("nan")

    @property
    def peak(self) -> int:
        return max(self.bytes.values(), default=0)


# One derivative, in this process ---------------------------------------------------------------------


def peak_memory() -> int:
    """Bytes that this process has held at most since `forget_peak`."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return 0


def forget_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5")


def measure_here(shape: str, size: int, mode: str) -> Measured:
    # What both compilers set up once belongs to no program.
    if size > 100:
        measure_here(shape, 100, mode)
    from enzyme.backend import passes
    from enzyme.engine.analysis.kinds import DiffMode
    from enzyme.engine.differentiate import differentiate

    text, kinds = SHAPES[shape](size)
    found = Measured(shape, mode, size, instructions=count_instructions(text))

    @contextmanager
    def stage(name: str) -> Iterator[None]:
        forget_peak()
        start = process_time()
        yield
        found.seconds[name] = process_time() - start
        found.bytes[name] = peak_memory()

    with stage("LLVM before"):
        text = passes.optimise_before_ad(text)
    with stage("engine"):
        made = differentiate(text, request(kinds, DiffMode(mode)))
    with stage("LLVM after"):
        options = passes.options_for(made.text, passes.POST_DEFAULT)
        module = passes.optimise_after_ad_module(made.text, options, [made.symbol])
    with stage("machine code"):
        machine_code(module, options.quick_code)
    return found


def machine_code(module, quick: bool) -> None:
    from enzyme.backend import host, passes

    if quick:
        passes.quick_object(module)
    else:
        host.target_machine().emit_object(module)


def count_instructions(text: str) -> int:
    return sum(line.startswith("  ") for line in text.splitlines())


# All of them -----------------------------------------------------------------------------------------


def measure(shape: str, size: int, mode: str) -> Measured:
    """The same in a process of its own; what takes too long or fails is said in `error`."""
    command = [sys.executable, "-m", "benchmarks.scale", shape, str(size), mode]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=LIMIT_SECONDS
        )
    except subprocess.TimeoutExpired:
        return Measured(shape, mode, size, error=f"more than {LIMIT_SECONDS} s")
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"status {done.returncode}"]
        return Measured(shape, mode, size, error=lines[-1][:200])
    return Measured(**json.loads(done.stdout))


def exponent(results: list[Measured]) -> float:
    """Slope of log(seconds of the engine) over log(instructions), over the last decade of sizes."""
    good = [r for r in results if not r.error]
    last = [r for r in good if r.size >= max(g.size for g in good) / 10] if good else []
    if len(last) < 2:
        return float("nan")
    x, y = np.log([r.instructions for r in last]), np.log([max(r.engine, 1e-6) for r in last])
    return float(np.polyfit(x, y, 1)[0])


def by_series(results: list[Measured]) -> dict[tuple[str, str], list[Measured]]:
    series: dict[tuple[str, str], list[Measured]] = {}
    for r in results:
        series.setdefault((r.shape, r.mode), []).append(r)
    return series


def over_the_limits(results: list[Measured]) -> list[str]:
    """A line for each limit that does not hold."""
    lines = []
    for (shape, mode), rows in by_series(results).items():
        name = f"{shape}, {mode}"
        grows = exponent(rows)
        if grows > LIMITS["exponent"]:
            lines.append(f"{name}: the engine grows with exponent {grows:.2f}")
        for r in rows:
            if r.error:
                lines.append(f"{name}, {r.size}: {r.error}")
            if r.size <= 10_000 and r.all > LIMITS["small"]:
                lines.append(f"{name}, {r.size}: {r.all:.1f} s in all")
            if r.size <= 50_000 and (r.engine > LIMITS["engine"] or r.all > LIMITS["all"]):
                lines.append(f"{name}, {r.size}: engine {r.engine:.1f} s, all {r.all:.1f} s")
            if r.peak > LIMITS["memory"]:
                lines.append(f"{name}, {r.size}: {r.peak / 1e9:.1f} GB")
    return lines


def table(results: list[Measured]) -> Table:
    shown = Table(title="Seconds of one derivative, and the most memory that the process held")
    shown.add_column("shape")
    shown.add_column("mode")
    stages = list(dict.fromkeys(s for r in results for s in r.seconds))
    for header in ("instructions", *stages, "LLVM's", "all", "GB ours", "GB LLVM's", "exponent"):
        shown.add_column(header, justify="right")
    for (shape, mode), rows in by_series(results).items():
        for k, r in enumerate(rows):
            last = f"{exponent(rows):.2f}" if k == len(rows) - 1 else ""
            if r.error:
                shown.add_row(shape, mode, str(r.size), r.error)
                continue
            theirs = max(b for stage, b in r.bytes.items() if stage not in OURS)
            shown.add_row(
                *("" if k else shape, "" if k else mode, str(r.instructions)),
                *(f"{r.seconds[s]:.2f}" for s in stages),
                *(f"{r.llvm:.2f}", f"{r.all:.2f}"),
                *(f"{r.bytes['engine'] / 1e9:.2f}", f"{theirs / 1e9:.2f}", last),
            )
        shown.add_section()
    return shown


def plot(results: list[Measured], path: Path) -> None:
    """Seconds over instructions, one panel per mode and part, both axes logarithmic."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(
        2, len(MODES), figsize=(12, 10), sharex=True, sharey=True, squeeze=False
    )
    colours = dict(zip(SHAPES, pyplot.colormaps["tab20"].colors, strict=False))
    for (shape, mode), rows in by_series(results).items():
        good = [r for r in rows if not r.error]
        sizes = [r.instructions for r in good]
        for row, part in enumerate(("engine", "all")):
            seconds = [getattr(r, part) for r in good]
            panel = panels[row][MODES.index(mode)]
            panel.loglog(
                sizes, seconds, marker="o", markersize=3, color=colours[shape], label=shape
            )
    for row, part in enumerate(("engine", "engine and LLVM")):
        for column, mode in enumerate(MODES):
            panel = panels[row][column]
            panel.set_title(f"{mode} mode: {part}")
            panel.grid(True, which="both", alpha=0.25)
            panel.set_xlabel("instructions of the primal")
            panel.set_ylabel("seconds")
            ends = np.array([min(SIZES), max(SIZES)])
            most = LIMITS["all" if row else "engine"]
            line = f"linear: {most:.0f} s at 50,000"
            panel.loglog(ends, most / 50_000 * ends, "k:", linewidth=1, label=line)
            if not column:
                panel.legend(fontsize="small")
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks scale", description=__doc__)
    parser.add_argument("--shapes", nargs="+", choices=list(SHAPES), default=list(SHAPES))
    parser.add_argument("--sizes", nargs="+", type=int, default=list(SIZES), metavar="N")
    parser.add_argument("--modes", nargs="+", choices=MODES, default=list(MODES))
    folder = Path(__file__).parent / "results"
    parser.add_argument("--out", type=Path, default=folder, help=f"folder (default: {folder})")
    options = parser.parse_args(arguments)
    wanted = [(s, n, m) for s in options.shapes for m in options.modes for n in options.sizes]
    console = Console(width=None if sys.stdout.isatty() else WIDTH)
    results = [
        measure(*one)
        for one in track(wanted, "measuring", console=Console(stderr=True), transient=True)
    ]
    shown = table(results)
    console.print(shown)
    over = over_the_limits(results)
    for line in over:
        console.print(line, style="red", markup=False)
    content = {"limits": LIMITS, "results": [asdict(r) for r in results]}
    keep(options.out, "scale", shown, over or ["All limits hold."], content)
    plot(results, options.out / "scale.png")
    return int(bool(over))


if __name__ == "__main__":
    print(json.dumps(asdict(measure_here(sys.argv[1], int(sys.argv[2]), sys.argv[3]))))
