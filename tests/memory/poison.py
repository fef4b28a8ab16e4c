"""Runs pytest with memory that tells on itself: ``python -m tests.memory.poison [arguments of pytest]``.

Fresh memory is filled with signalling NaN, freed memory with another, and memory that grows always moves (`poison.c`,
loaded before the C library, so that it serves numba's runtime, its lists and dictionaries and compiled code alike).
A derivative that reads what nobody wrote, or what is gone, gives NaN or stops.  The arena gives its blocks back in
place of keeping them for the next call.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

SWITCH = "ENZYME_TESTS_POISONED"


def library(folder: str) -> str:
    """Compile the memory functions; the path of the library."""
    made = Path(folder) / "poison.so"
    source = Path(__file__).with_suffix(".c")
    compiler = os.environ.get("CC", "cc")
    subprocess.run(
        [compiler, "-O2", "-fno-builtin", "-shared", "-fPIC", "-o", str(made), str(source)],
        check=True,
    )
    return str(made)


def main(arguments: list[str]) -> int:
    with tempfile.TemporaryDirectory(prefix="enzyme-poison-") as folder:
        environment = {**os.environ, "LD_PRELOAD": library(folder), SWITCH: "1"}
        command = [sys.executable, "-m", "pytest", *arguments]
        return subprocess.run(command, env=environment, check=False).returncode


def settle_in() -> None:
    """In the poisoned process, before anything is compiled."""
    from enzyme.frontend import arena_code

    arena_code.arena_text = partial(arena_code.arena_text, pooled=False)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
