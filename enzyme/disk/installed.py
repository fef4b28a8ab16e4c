"""Packages that are installed beside this one: what of them is in a program is told by their names and files."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Iterator


@functools.lru_cache(maxsize=256)
def stamp(package: str) -> str | None:
    """The names, sizes and times of the files of an imported package; None if it is not installed as packages are.

    What is worked on, in a folder of the user's, is none: its functions are told by what is in them.

    Examples
    --------
    >>> stamp("numba") is None, stamp("__main__"), stamp("json")
    (False, None, None)
    """
    spec = getattr(sys.modules.get(package), "__spec__", None)
    origin = getattr(spec, "origin", None)
    if not origin or not os.path.isabs(origin):
        return None
    folder = os.path.dirname(origin)
    if not getattr(spec, "submodule_search_locations", None):
        return _of_file(origin) if _has_packages(folder) else None
    if not _has_packages(os.path.dirname(folder)):
        return None
    return "\n".join(sorted(_files(folder)))


@functools.cache
def _has_packages(folder: str) -> bool:
    """Is this a folder that packages are installed in? An installer notes beside them what it did."""
    with os.scandir(folder) as entries:
        return any(entry.name.endswith(".dist-info") for entry in entries)


def _files(folder: str) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir() and entry.name != "__pycache__":
                yield from _files(entry.path)
            elif entry.is_file() and not entry.name.endswith(".pyc"):
                yield _of_file(entry.path)


def _of_file(path: str) -> str:
    found = os.stat(path)
    return f"{path} {found.st_size} {found.st_mtime_ns}"
