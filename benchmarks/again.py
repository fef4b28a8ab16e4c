"""What the first gradient of a program costs in a process that finds it on disk.

    python -m benchmarks startup

Every program is differentiated in one process, which keeps the derivative, and in others, which take it: measured is
what the import of the names costs that it needs, where numba is there, the first gradient behind it, without making
the inputs, and the time from the start of the process to its end.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.families import FAMILY_OF, PROGRAMS
from benchmarks.report import WIDTH, keep

RUNS = 3
GRADIENT, STARTED = 0.050, 0.6  # seconds that are aimed at


@dataclass(slots=True)
class Again:
    """Seconds of the imports of numba and ours, of the first gradient behind them, where it is made and where it comes
    from disk, and to its end from the start of the process."""

    name: str
    made: float
    numba: float
    imported: float
    gradient: float
    started: float


def _seconds(name: str, folder: str) -> tuple[float, float, float, float]:
    command = [sys.executable, "-m", "benchmarks.again_here", FAMILY_OF[name], name]
    environment = {
        **os.environ,
        "ENZYME_CACHE_DIR": folder,
        "BEGIN": str(time.time()),
        "PYTHONDONTWRITEBYTECODE": "",
    }
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    numba, imported, gradient, started = json.loads(done.stdout)
    return numba, imported, gradient, started


def measure(name: str) -> Again:
    """Medians of several processes behind one that keeps the derivative."""
    with tempfile.TemporaryDirectory() as folder:
        _, _, made, _ = _seconds(name, folder)
        found = [_seconds(name, folder) for _ in range(RUNS)]
    return Again(name, made, *(median(times) for times in zip(*found, strict=True)))


def table(results: list[Again]) -> Table:
    """Milliseconds of each program, and the medians."""
    made = Table(title="First gradient, from disk", width=WIDTH)
    columns = (
        "program",
        "made, ms",
        "import numba, ms",
        "import, ms",
        "gradient, ms",
        "from process start, ms",
    )
    for column in columns:
        made.add_column(column, justify="left" if column == "program" else "right")
    rows = [(r.name, r.made, r.numba, r.imported, r.gradient, r.started) for r in results]
    rows.append(("median", *(median(column) for column in list(zip(*rows, strict=True))[1:])))
    for name, *seconds in rows:
        made.add_row(name, *(f"{1e3 * s:.0f}" for s in seconds))
    return made


def said(results: list[dict]) -> str:
    """What a page says of kept results."""
    made, numba, imported, gradient, started = (
        1e3 * median(r[name] for r in results)
        for name in ("made", "numba", "imported", "gradient", "started")
    )
    return (
        f"`python -m benchmarks startup`: in a process that finds it on disk the first gradient of a program"
        f" takes {gradient:.0f} ms behind `import enzyme`, which takes {imported:.0f} ms where numba is there, and"
        f" comes {started:.0f} ms after the start of the process, of which numba's import takes {numba:.0f} ms."
        f" Where it is made it takes {made:.0f} ms."
        f" These are medians over {len(results)} programs."
    )


def main(given: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks startup", description=__doc__)
    parser.add_argument("--programs", nargs="+", metavar="NAME", help="which; all by default")
    options = parser.parse_args(given)
    names = options.programs or list(PROGRAMS)
    errors = Console(stderr=True)
    results = [measure(name) for name in track(names, "measuring", console=errors, transient=True)]
    shown = table(results)
    Console(width=WIDTH).print(shown)
    gradient, started = (median(getattr(r, n) for r in results) for n in ("gradient", "started"))
    line = f"medians aimed at: a gradient in {1e3 * GRADIENT:.0f} ms, {1e3 * STARTED:.0f} ms from the start"
    print(line)
    if not options.programs:
        folder = Path(__file__).parent / "results"
        keep(folder, "again", shown, [line], {"results": [asdict(r) for r in results]})
    return int(gradient > GRADIENT or started > STARTED)


if __name__ == "__main__":
    sys.exit(main())
