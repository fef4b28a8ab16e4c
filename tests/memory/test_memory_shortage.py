"""What cannot be had is a MemoryError, in every mode (see `shortage`)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits memory as Linux does")
def test_every_mode_raises_and_goes_on():
    done = subprocess.run(
        [sys.executable, "-m", "tests.memory.shortage"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    forward, modes = ("forward", "batch"), ("forward", "batch", "reverse", "split")
    assert done.stdout.splitlines() == [
        "returned, primal",
        "behind_others, primal",
        *(f"one_array, {mode}" for mode in modes),
        *(f"filled, {mode}" for mode in forward),
        *(f"{f}, {mode}" for f in ("in_recursion", "returned", "behind_others") for mode in modes),
    ]
