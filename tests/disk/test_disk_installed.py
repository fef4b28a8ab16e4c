"""Packages that extend numba do not keep derivatives from the disk: their files and what is given to them count."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PACKAGE = """
import math
from numba.extending import overload

class Settings:
    "Nothing outside of the package can tell what it is."

def extend(function, inner):
    settings = Settings()

    @overload(function)
    def of_a_number(x):
        settings.seen = True
        return lambda x: inner(x) * 2.0
"""
PROGRAM = """
import sys
import gauge
from cmath import acos
from numba import njit
from enzyme.api import kept
from tests.disk.mutations import signature

@njit
def inner(x):
    return x * FACTOR

@njit
def f(x):
    return x

gauge.extend(acos, inner)
print(kept._digest_of(f, signature()).digest())
"""


def _digest(folder: Path, factor: str = "1.0") -> str:
    path = os.pathsep.join([str(folder), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.replace("FACTOR", factor)],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def test_an_extension_counts_by_its_files_and_what_it_was_given(tmp_path):
    package = tmp_path / "gauge"
    package.mkdir()
    (package / "__init__.py").write_text(PACKAGE)
    (tmp_path / "gauge-1.0.dist-info").mkdir()
    first = _digest(tmp_path)
    assert _digest(tmp_path) == first
    other = _digest(tmp_path, "3.0")
    (package / "__init__.py").write_text(PACKAGE.replace("2.0", "25.0"))
    assert len({first, other, _digest(tmp_path)}) == 3
