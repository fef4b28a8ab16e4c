"""Run the programs of the gallery, one after the other: ``python -m tools.gallery [NAME ...]``.

Each checks its gradient and its result, and draws its picture; what it printed is shown if it fails.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

FOLDER = Path(__file__).resolve().parent.parent / "examples" / "gallery"
LIMIT = 60.0  # seconds of a processor


def names() -> list[str]:
    """The programs, in order."""
    return sorted(path.stem for path in FOLDER.glob("*.py"))


def run(name: str) -> tuple[float, str]:
    """Seconds of a processor that a program took, and what it printed if it failed."""
    begin = _used()
    done = subprocess.run(
        [sys.executable, str(FOLDER / f"{name}.py")],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )
    failed = done.returncode != 0 or not (FOLDER / f"{name}.png").exists()
    return _used() - begin, (done.stdout + done.stderr) if failed else ""


def _used() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main(given: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.gallery", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(names()))
    chosen = parser.parse_args(given).names or names()
    console = Console()
    table = Table("program", "seconds", "", title="Gallery")
    failures = 0
    for name in track(chosen, "running", console=Console(stderr=True), transient=True):
        seconds, output = run(name)
        verdict = "failed" if output else "slow" if seconds > LIMIT else "right"
        failures += verdict != "right"
        table.add_row(name, f"{seconds:.1f}", verdict)
        if output:
            console.print(output, style="red", markup=False)
    console.print(table)
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
