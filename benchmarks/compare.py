"""Gradients of two versions of the library, measured in turns.

    python -m benchmarks --compare REV

A process each: one has the library as it is here, the other that of revision REV, from a worktree of its own. Both
have the programs as they are here. They take turns, so that a busy machine is busy for both.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from statistics import geometric_mean, median

from rich.console import Console
from rich.progress import track
from rich.table import Table

HERE = Path(__file__).resolve().parent.parent


@contextmanager
def checked_out(revision: str) -> Iterator[Path]:
    """A folder with the files of a revision."""
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent) / "library"
        git = ["git", "-C", str(HERE), "worktree"]
        subprocess.run([*git, "add", "--quiet", "--detach", str(folder), revision], check=True)
        try:
            yield folder
        finally:
            subprocess.run([*git, "remove", "--force", str(folder)], check=True)


class Side:
    """A process with one version of the library; it answers a line of JSON to each name of a program."""

    def __init__(self, library: Path, early: bool = False) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-W", "ignore", __file__, str(library), *["early"] * early],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, name: str) -> dict:
        assert self.process.stdin is not None and self.process.stdout is not None
        print(name, file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"the process that measures {name} has died")
        return json.loads(line)

    def close(self) -> None:
        with suppress(OSError):
            self.process.stdin.close()
        self.process.wait()


def compare(names: list[str], revision: str, repeat: int, errors: Console) -> dict[str, dict]:
    """Per program seconds of the gradient here and there, and the median of here / there over the turns."""
    with checked_out(revision) as library:
        return between([Side(HERE), Side(library)], names, repeat, errors)


def between(sides: list[Side], names: list[str], repeat: int, errors: Console) -> dict[str, dict]:
    """The same for two sides; they end."""
    found = {}
    try:
        for name in track(names, "measuring", console=errors, transient=True):
            row = found[name] = _in_turns(sides, name, repeat)
            if not errors.is_terminal:
                errors.print(f"{name}: {row.get('error') or round(row['ratio'], 3)}", markup=False)
    finally:
        for side in sides:
            side.close()
    return found


def _in_turns(sides: list[Side], name: str, repeat: int) -> dict:
    answers = [side.ask(name) for side in sides]  # compiles and warms up
    for answer, where in zip(answers, ("here", "there"), strict=True):
        if "error" in answer:
            return {"error": f"{where}: {answer['error']}"}
    turns = []
    for turn in range(repeat):
        order = sides if turn % 2 else sides[::-1]
        seconds = {id(side): side.ask(name)["seconds"] for side in order}
        turns.append([seconds[id(side)] for side in sides])
    here, there = zip(*turns, strict=True)
    return {
        "here": median(here),
        "there": median(there),
        "ratio": median(h / t for h, t in turns),
    }


def table(found: dict[str, dict], revision: str) -> Table:
    made = Table(title=f"Gradients here against those of {revision}")
    made.add_column("program")
    for header in ("here", revision, "here / there"):
        made.add_column(header, justify="right")
    for name, row in found.items():
        if "error" in row:
            made.add_row(name, row["error"])
        else:
            made.add_row(
                name, *(f"{row[k] * 1e3:.3g} ms" for k in ("here", "there")), f"{row['ratio']:.3f}"
            )
    ratios = [row["ratio"] for row in found.values() if "ratio" in row]
    if ratios:
        made.add_section()
        made.add_row("geometric mean", "", "", f"{geometric_mean(ratios):.3f}")
    return made


def answer(library: str, early: bool) -> None:
    """What a `Side` runs: a sample of the gradient of every program whose name comes in."""
    sys.path[0] = str(HERE)
    import benchmarks  # the rest of this package is found where it is

    sys.path[0] = library
    import enzyme
    from benchmarks import measure
    from benchmarks.families import PROGRAMS

    assert Path(benchmarks.__file__).is_relative_to(HERE)
    assert Path(enzyme.__file__).is_relative_to(library)
    measure.keep_freed_memory()
    if early:
        from benchmarks import ablation

        ablation.differentiate_early()
    ready: dict = {}
    for line in sys.stdin:
        name = line.strip()
        try:
            if name not in ready:
                inputs = PROGRAMS[name].make_inputs()
                PROGRAMS[name].function(*inputs)
                call, shadows = measure.gradient_call(PROGRAMS[name], inputs)
                call()
                off = measure.disagreement(PROGRAMS[name], inputs, shadows)
                if not off < measure.TOLERANCE:
                    raise ArithmeticError(f"off by {off:.1e} from finite differences")
                ready[name] = measure.calls_per_sample(call)
            # Where arrays begin within a line of the cache decides about a tenth: in each turn it is another place.
            displaced = bytes(16 * random.randrange(1, 1024))
            call, _ = measure.gradient_call(PROGRAMS[name], PROGRAMS[name].make_inputs())
            call()
            found = {"seconds": measure.seconds_per_call(call, ready[name])}
            del displaced
        except Exception as error:
            found = {"error": measure.in_one_line(error)}
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    answer(sys.argv[1], "early" in sys.argv[2:])
