"""Runs a module of this folder in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def output_of(module: str) -> str:
    """What ``python -m tests.memory.<module>`` prints; fails if it does."""
    done = subprocess.run(
        [sys.executable, "-m", f"tests.memory.{module}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
