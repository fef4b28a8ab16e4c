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


LOADED = """
import cmath
from numba.extending import overload

def register():
    @overload(cmath.acos)
    def of_a_number(x):
        return lambda x: x * 2.0
"""
DIFFERENTIATES = """
import logging
import sys
sys.path.insert(0, FOLDER)
from numba import njit
from enzyme import grad

logging.basicConfig(level=logging.DEBUG, stream=sys.stdout, format="%(message)s")
for name in ("numba", "asyncio"):
    logging.getLogger(name).setLevel(logging.ERROR)

@njit(cache=True)
def f(x):
    return x * x * FACTOR

FACTOR = 3.0
print(grad(f)(2.0), "gauge" in sys.modules)
"""


def test_what_numba_loads_by_itself_counts_before_it_is_loaded(tmp_path):
    package = tmp_path / "packages" / "gauge"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(LOADED)
    about = tmp_path / "packages" / "gauge-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: gauge\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[numba_extensions]\ninit = gauge:register\n")
    program = tmp_path / "program.py"
    program.write_text(DIFFERENTIATES.replace("FOLDER", repr(str(package.parent))))

    def run():
        done = subprocess.run(
            [sys.executable, str(program)],
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
                "ENZYME_CACHE_DIR": str(tmp_path / "kept"),
            },
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout

    first, second = run(), run()
    assert "12.0 True" in first and "is not kept" not in first
    assert "12.0 False" in second and "taken from disk" in second
    (package / "__init__.py").write_text(LOADED.replace("2.0", "25.0"))
    assert "taken from disk" not in run()
