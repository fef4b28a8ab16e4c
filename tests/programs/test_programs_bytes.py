"""The code of a derivative is the same bytes in every process, whatever was compiled before it.

Some programs of the day, or with ALL_BYTES in the environment all, are compiled in two processes, in opposite orders.
"""

from __future__ import annotations

import datetime
import os
import subprocess
import sys
import zlib

from tests.programs.suite import CASES

SAMPLE = 5
# Numba keeps what runs in object mode as a pickled function, with a random number in it. The other one calls copies of
# numba's functions, and LLVM numbers their constants by the order in which they are linked.
OF_CHANCE = {"calls.object_mode_inactive", "typed_lists.t_ops"}


def programs() -> list[str]:
    """The programs that are compared in this run."""
    # Other tests add regressions to the suite, which the processes do not know.
    names = [n for n in CASES if n not in OF_CHANCE and not n.startswith("regressions.")]
    if "ALL_BYTES" in os.environ:
        return names
    today = datetime.date.today()
    return sorted(names, key=lambda name: zlib.crc32(f"{today} {name}".encode()))[:SAMPLE]


def start(names: list[str], seed: int, *options: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-W", "ignore", "-m", "tests.programs.bytes", *options, *names]
    environment = {**os.environ, "PYTHONHASHSEED": str(seed)}
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)


def test_derivatives_are_the_same_bytes_in_every_process():
    names = programs()
    running = [start(names, 1), start(names, 2, "--reversed", "--scattered")]
    found = [process.communicate()[0].splitlines() for process in running]
    assert [process.returncode for process in running] == [0, 0]
    assert len(found[0]) == 3 * len(names)
    differing = sorted(set(found[0]) ^ set(found[1]))
    assert not differing, "\n".join(differing)
