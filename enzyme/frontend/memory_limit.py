"""How much memory the process may have, and which part of it the pool of derivatives keeps at most."""

from __future__ import annotations

import os
import resource
from pathlib import Path

_SHARE = 8
# Of the group that this process belongs to, as it is seen in a container; version 2 of the interface, and version 1.
_GROUPS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)


def share_of_memory() -> int:
    """An eighth of the memory of the machine, of the group, or of the process, whichever is least; in bytes."""
    limits = [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    if soft != resource.RLIM_INFINITY:
        limits.append(soft)
    for path in _GROUPS:
        try:
            limits.append(int(path.read_text()))
        except (OSError, ValueError):  # there is no such file, or it says "max"
            continue
    return min(limits) // _SHARE
