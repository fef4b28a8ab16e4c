"""How much memory the process may have, and which part of it the pool of derivatives keeps at most."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from pathlib import Path

_SHARE = 8


def share_of_memory(
    groups: Path = Path("/sys/fs/cgroup"), process: Path = Path("/proc/self/cgroup")
) -> int:
    """An eighth of the memory of the machine, of the process or of its groups, whichever is least; in bytes.

    `groups` is where Linux shows the limits of groups of processes, `process` tells the groups of this one.
    """
    limits = [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    if soft != resource.RLIM_INFINITY:
        limits.append(soft)
    for path in _files(groups, process):
        try:
            limits.append(int(path.read_text()))
        except (OSError, ValueError):  # there is no such file, or it says "max"
            continue
    return min(limits) // _SHARE


def _files(groups: Path, process: Path) -> Iterator[Path]:
    """Files with the limits of the group and of those around it, in version 2 and version 1 of the interface.

    In a container the group of the process is the root, whatever the process is told.
    """
    yield groups / "memory.max"
    yield groups / "memory" / "memory.limit_in_bytes"
    try:
        lines = process.read_text().splitlines()
    except OSError:
        return
    for line in lines:
        _, kinds, name = line.split(":", 2)
        inside = Path(name.lstrip("/"))
        for group in (inside, *inside.parents):
            if not kinds:
                yield groups / group / "memory.max"
            elif "memory" in kinds.split(","):
                yield groups / "memory" / group / "memory.limit_in_bytes"
