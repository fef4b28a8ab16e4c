"""Work that is counted, not timed: the same on every machine."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any


def calls(work: Callable[..., Any], *args: Any) -> int:
    """How many functions are called, Python's and C's, while `work` runs on `args` in this thread."""
    count = 0

    def profile(frame: Any, event: str, arg: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        work(*args)
    finally:
        sys.setprofile(before)
    return count
