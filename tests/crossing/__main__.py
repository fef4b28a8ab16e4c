"""Run the whole table: ``python -m tests.crossing --jobs 2``.

A process runs a stretch of cells; one that dies is a crash in the cell that it had begun.  Prints what was not
right and the counts; leaves with status 1 when a cell was wrong or crashed.
"""

from __future__ import annotations

import argparse
import collections
import gc
import os
import sys
import time

# Every process is a fork of this one.
from tests.crossing.cells import all_cells, pairwise_cells
from tests.crossing.verdicts import REFUSED, excuse, run

CRASH, WRONG = "crash", "wrong"


def _work(cells: list, write: int) -> None:
    """Say of each cell that it begins, and how it ended."""
    for number, cell in cells:
        # What compilers keep is not garbage: looking through it would take longer than the cell.
        gc.freeze()
        os.write(write, f"{number}\n".encode())
        try:
            verdict, said = run(cell)
            if verdict == REFUSED and excuse(cell) not in said:
                verdict = "refused without excuse"
        except BaseException as error:
            verdict, said = WRONG, f"{type(error).__name__}: {error}"
        said = " | ".join(said.split("\n"))[:600]
        os.write(write, f"{number}\t{verdict}\t{said}\n".encode())
    os._exit(0)


class Worker:
    """A process with a stretch of cells."""

    def __init__(self, cells: list) -> None:
        self.cells = cells
        read, write = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(read)
            _work(cells, write)
        os.close(write)
        self.stream = os.fdopen(read, errors="replace")

    def results(self) -> list[tuple[int, str, str]]:
        """What it found; what it did not reach counts as waiting."""
        lines = self.stream.read().splitlines()
        self.stream.close()
        done = [line.split("\t", 2) for line in lines if "\t" in line]
        found = [(int(number), verdict, said) for number, verdict, said in done]
        begun = [int(line) for line in lines if "\t" not in line] or [self.cells[0][0]]
        if begun[-1] not in {number for number, *_ in found}:
            found.append((begun[-1], CRASH, "the process died"))
        return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--stretch", type=int, default=120, help="cells per process")
    parser.add_argument("--pairwise", action="store_true", help="only the cells of the test")
    parser.add_argument("--only", default="", help="cells whose name holds this text")
    parser.add_argument("--skip", type=int, default=0, help="how many of them were run before")
    options = parser.parse_args()
    cells = pairwise_cells() if options.pairwise else all_cells()
    waiting = [(k, c) for k, c in enumerate(cells) if options.only in str(c)]
    waiting = waiting[options.skip :]
    total, counts, begin = len(waiting), collections.Counter(), time.monotonic()
    running: dict[int, Worker] = {}
    while waiting or running:
        while waiting and len(running) < options.jobs:
            stretch, waiting = waiting[: options.stretch], waiting[options.stretch :]
            worker = Worker(stretch)
            running[worker.pid] = worker
        # Pipes hold 64 KiB: the results of a stretch fit.
        pid, _ = os.wait()
        worker = running.pop(pid)
        found = worker.results()
        known = {number for number, *_ in found}
        waiting = [(k, c) for k, c in worker.cells if k not in known] + waiting
        for number, verdict, said in found:
            counts[verdict] += 1
            if verdict not in ("right", "refused"):
                print(f"{cells[number]}: {verdict}: {said}", flush=True)
        done = sum(counts.values())
        print(f"{done}/{total} {dict(counts)} {time.monotonic() - begin:.0f} s", flush=True)
    print(f"{total} cells: {dict(sorted(counts.items()))}")
    return 1 if counts[WRONG] or counts[CRASH] or counts["refused without excuse"] else 0


if __name__ == "__main__":
    sys.exit(main())
