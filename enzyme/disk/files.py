"""The files of a folder, told by what changes when they do."""

from __future__ import annotations

import os
from collections.abc import Iterator


def in_folder(folder: str, name: str, endings: tuple[str, ...] = ("",)) -> Iterator[str]:
    """Name, size and time of all files in a folder and those in it that end so; its own name is `name`."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                if entry.name != "__pycache__":
                    yield from in_folder(entry.path, f"{name}/{entry.name}", endings)
            elif entry.name.endswith(endings):
                found = entry.stat()
                yield f"{name}/{entry.name} {found.st_size} {found.st_mtime_ns}"
