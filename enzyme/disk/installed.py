"""Packages that are installed beside this one: what of them is in a program is told by their names and files."""

from __future__ import annotations

import functools
import hashlib
import os
import sys
from typing import Any

from enzyme.disk.files import in_folder


def package_of(x: Any) -> str | None:
    """The installed package that a function or class comes from; None if it is the user's.

    What is worked on, in a folder of the user's, is the user's: it is told by what is in it.

    Examples
    --------
    >>> import json, numba
    >>> package_of(numba.njit), package_of(json.loads)
    ('numba', None)
    """
    package = (getattr(x, "__module__", None) or "").partition(".")[0]
    return package if _place(package) is not None else None


@functools.lru_cache(maxsize=256)
def stamp(package: str) -> str:
    """A digest of the names, sizes and times of the files of an installed package."""
    place = _place(package)
    assert place is not None
    return _stamp(place, package)


def _stamp(place: str, package: str) -> str:
    if os.path.isdir(place):
        lines = sorted(in_folder(place, package))
    else:
        found = os.stat(place)
        lines = [f"{package} {found.st_size} {found.st_mtime_ns}"]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


_GROUP = "numba_extensions"


@functools.cache
def loaded_by_numba() -> dict[str, str]:
    """The packages that numba loads by itself when it first compiles, by their names, and digests of their files.

    They are found without numba: it loads them somewhere between two looks at the same program.
    """
    found = {}
    for folder in filter(os.path.isdir, sys.path):
        for path in sorted(os.listdir(folder)):
            if not path.endswith(".dist-info"):
                continue
            try:
                with open(os.path.join(folder, path, "entry_points.txt"), encoding="utf-8") as file:
                    text = file.read()
            except OSError:
                continue
            if f"[{_GROUP}]" not in text:
                continue
            import configparser  # most environments have none of these packages

            points = configparser.ConfigParser(delimiters="=", interpolation=None)
            points.read_string(text)
            for target in points[_GROUP].values():
                package = target.partition(":")[0].partition(".")[0].strip()
                places = (os.path.join(folder, package), os.path.join(folder, f"{package}.py"))
                place = next(filter(os.path.exists, places), None)
                found[package] = "" if place is None else _stamp(place, package)
    return found


@functools.lru_cache(maxsize=4096)
def _place(package: str) -> str | None:
    """The folder of an imported package, or the file of a module, that stands where packages are installed."""
    spec = getattr(sys.modules.get(package), "__spec__", None)
    origin = getattr(spec, "origin", None)
    if not origin or not os.path.isabs(origin):
        return None
    place = os.path.dirname(origin) if spec.submodule_search_locations else origin  # type: ignore[union-attr]
    return place if _has_packages(os.path.dirname(place)) else None


@functools.cache
def _has_packages(folder: str) -> bool:
    """Is this a folder that packages are installed in? An installer notes beside them what it did."""
    with os.scandir(folder) as entries:
        return any(entry.name.endswith(".dist-info") for entry in entries)
