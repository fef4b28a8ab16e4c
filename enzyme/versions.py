"""Which versions are at work: of this package, of what it stands on, of the machine."""

from __future__ import annotations

import platform
import sys
from importlib import metadata

__all__ = ["DISTRIBUTION", "show_versions", "version"]

DISTRIBUTION = "enzyme-autodiff"
_BESIDE = ("numba", "llvmlite", "numpy", "scipy", "finitediff", "hypothesis", "jax")


def version(distribution: str = DISTRIBUTION) -> str:
    """The version of an installed distribution; "not installed" where there is none.

    Examples
    --------
    >>> version("no-such-distribution")
    'not installed'
    """
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return "not installed"


def show_versions() -> None:
    """Print the versions that a report of a defect should name.

    Examples
    --------
    >>> show_versions()  # doctest: +ELLIPSIS
    enzyme-autodiff ...
    python          ...
    """
    rows = {DISTRIBUTION: version(), "python": sys.version.split()[0]}
    rows |= {name: version(name) for name in _BESIDE}
    try:
        from llvmlite import binding

        rows["LLVM"] = ".".join(map(str, binding.llvm_version_info))
        rows["processor"] = f"{platform.machine()}, {binding.get_host_cpu_name()}"
    except ImportError:
        rows["processor"] = platform.machine()
    rows["system"] = platform.platform()
    width = max(map(len, rows))
    for name, found in rows.items():
        print(f"{name:{width}} {found}")
