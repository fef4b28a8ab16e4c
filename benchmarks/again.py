"""What the first gradient of a program costs in a process that finds it on disk.

    python -m benchmarks startup

Every program is differentiated in one process, which keeps the derivative, and in others, which take it: measured is
the time from ``import enzyme`` to the first gradient, without making the inputs, and from the start of the process.
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
IMPORTED, STARTED = 0.050, 0.6  # seconds that are aimed at


@dataclass(slots=True)
class Again:
    """Seconds to the first gradient, from where `enzyme` is imported and from the start of the process."""

    name: str
    made: float
    imported: float
    started: float


def _seconds(name: str, folder: str) -> tuple[float, float]:
    command = [sys.executable, "-m", "benchmarks.again_here", FAMILY_OF[name], name]
    environment = {
        **os.environ,
        "ENZYME_CACHE_DIR": folder,
        "BEGIN": str(time.time()),
        "PYTHONDONTWRITEBYTECODE": "",
    }
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    imported, started = json.loads(done.stdout)
    return imported, started


def measure(name: str) -> Again:
    """Medians of several processes behind one that keeps the derivative."""
    with tempfile.TemporaryDirectory() as folder:
        made, _ = _seconds(name, folder)
        found = [_seconds(name, folder) for _ in range(RUNS)]
    imported, started = (median(times) for times in zip(*found, strict=True))
    return Again(name, made, imported, started)


def table(results: list[Again]) -> Table:
    """Milliseconds of each program, and the medians."""
    made = Table(title="First gradient, from disk", width=WIDTH)
    for column in ("program", "made, ms", "from import enzyme, ms", "from process start, ms"):
        made.add_column(column, justify="left" if column == "program" else "right")
    rows = [(r.name, r.made, r.imported, r.started) for r in results]
    rows.append(("median", *(median(column) for column in list(zip(*rows, strict=True))[1:])))
    for name, *seconds in rows:
        made.add_row(name, *(f"{1e3 * s:.0f}" for s in seconds))
    return made


def said(results: list[dict]) -> str:
    """What a page says of kept results."""
    made, imported, started = (
        1e3 * median(r[name] for r in results) for name in ("made", "imported", "started")
    )
    return (
        f"`python -m benchmarks startup`: in a process that finds it on disk the first gradient of a program"
        f" comes {imported:.0f} ms after `import enzyme` and {started:.0f} ms after the start of the process. Where it"
        f" is made it comes {made:.0f} ms after `import enzyme`. These are medians over {len(results)} programs."
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
    imported, started = (median(getattr(r, n) for r in results) for n in ("imported", "started"))
    line = f"medians aimed at: {1e3 * IMPORTED:.0f} and {1e3 * STARTED:.0f} ms"
    print(line)
    if not options.programs:
        folder = Path(__file__).parent / "results"
        keep(folder, "again", shown, [line], {"results": [asdict(r) for r in results]})
    return int(imported > IMPORTED or started > STARTED)


if __name__ == "__main__":
    sys.exit(main())
