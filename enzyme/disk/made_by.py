"""What derivatives are made by: versions, the processor, switches. What one of these made no other one may use."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined"

from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
import platform
import sys
from collections.abc import Iterator
from pathlib import Path

import llvmlite
import numba
import numpy as np
from numba import config

from enzyme.backend import host
from enzyme.disk.files import in_folder

_PACKAGES = ("enzyme", "enzymecore", "enzyme_rules")
# Say where and how much, not what.
_ASIDE = frozenset(
    "CACHE_DIR CACHE_LOCATOR_CLASSES NUM_THREADS NUMBA_NUM_THREADS NUMBA_DEFAULT_NUM_THREADS THREADING_LAYER"
    " THREADING_LAYER_PRIORITY DEBUG_CACHE COLOR_SCHEME GDB_BINARY CUDA_LOG_LEVEL".split()
)
_SWITCHES = ("ENZYME_VECTOR_MATH",)


@functools.cache
def constant_part() -> str:
    """What stays the same while the process runs."""
    lines = [
        f"python {sys.version} {platform.machine()} {sys.platform} {sys.byteorder}",
        f"numba {numba.__version__} llvmlite {llvmlite.__version__} numpy {np.__version__}",
        f"cpu {host.triple()} {host.cpu()} {host.features()}",
        *_files(),
        *_scipy(),
    ]
    return "\n".join(lines)


def changing_part() -> str:
    """Switches, which may change while the process runs."""
    values = {
        name: value
        for name, value in vars(config).items()
        if name.isupper()
        and name not in _ASIDE
        and isinstance(value, str | int | float | type(None))
    }
    switches = [f"{name} {os.environ.get(name)}" for name in _SWITCHES]
    return "\n".join([*(f"{name} {values[name]!r}" for name in sorted(values)), *switches])


def digest() -> str:
    """A digest of both."""
    return hashlib.sha256(f"{constant_part()}\n{changing_part()}".encode()).hexdigest()


def _files() -> Iterator[str]:
    """The files of this library: one that is worked on changes more often than its version."""
    for package in _PACKAGES:
        folder = Path(sys.modules[package].__file__ or "").parent
        yield from sorted(in_folder(str(folder), package, (".py",)))


def _scipy() -> Iterator[str]:
    """SciPy, whose linear algebra numba calls; it is not imported for this."""
    spec = importlib.util.find_spec("scipy")
    if spec is not None and spec.origin is not None:
        found = (Path(spec.origin).parent / "version.py").stat()
        yield f"scipy {found.st_size} {found.st_mtime_ns}"
