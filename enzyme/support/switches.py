"""Switches in the environment of the process."""

from __future__ import annotations

import os

__all__ = ["is_on"]


def is_on(variable: str) -> bool:
    """Is an environment variable set to anything but nothing and 0?

    >>> is_on("ENZYME_NO_SUCH_SWITCH")
    False
    """
    return os.environ.get(variable, "0") not in ("", "0")
