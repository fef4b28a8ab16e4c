"""Which of the tests of large tables run: a share that the day chooses, in turn; all have run after some days.

``pytest.mark.rotating(n)`` marks a test, or a file by `pytestmark`: of all tests of a file that are marked so, one in n
runs, and one at least.  FUZZ_SEED gives the day, as CI has it; with ALL_TESTS or EXHAUSTIVE in the environment all run.
"""

from __future__ import annotations

import os
import zlib
from collections import defaultdict
from collections.abc import Iterable

import pytest

ALL = ("ALL_TESTS", "EXHAUSTIVE")


def all_run() -> bool:
    """Has somebody asked for all tests?"""
    return any(switch in os.environ for switch in ALL)


def rest_today(items: Iterable[pytest.Item]) -> set[str]:
    """The names of the tests that have to wait for another day."""
    if all_run():
        return set()
    groups: dict[tuple[object, int], list[str]] = defaultdict(list)
    for item in items:
        mark = item.get_closest_marker("rotating")
        if mark is not None:
            (share,) = mark.args
            groups[item.path, share].append(item.nodeid)
    day = int(os.environ.get("FUZZ_SEED", "0"))
    return {
        name
        for (_, share), names in groups.items()
        for place, name in enumerate(sorted(names, key=_number))
        if (place + day) % min(share, len(names)) != 0
    }


def _number(name: str) -> int:
    return zlib.crc32(name.encode())
