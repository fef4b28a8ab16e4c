"""Switches that hold for every call, in addition to what its mode says."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

# What compiled derivatives are found by, beside the mode: the state of all switches.
state = False


def set_runtime_activity(on: bool = True) -> None:
    """Switch runtime activity on for every mode, or off for those that do not ask for it.

    Examples
    --------
    >>> from enzyme.api import runtime_activity, set_runtime_activity
    >>> set_runtime_activity(True)
    >>> runtime_activity()
    True
    >>> set_runtime_activity(False)
    """
    global state
    state = bool(on)


def runtime_activity() -> bool:
    """Is runtime activity on for every mode?"""
    return state


_here = threading.local()


@contextmanager
def without_switches() -> Iterator[None]:
    """Let modes alone count meanwhile, in this thread."""
    before = getattr(_here, "off", False)
    _here.off = True
    try:
        yield
    finally:
        _here.off = before


def counts(mode: Any) -> bool:
    """Has a mode runtime activity, by itself or by the switch?"""
    return bool(mode.runtime_activity or (state and not getattr(_here, "off", False)))


@contextmanager
def refusing_early() -> Iterator[None]:
    """Let derivatives that are compiled meanwhile, in this thread, raise errors of constants before anything runs."""
    before = refuse_early()
    _here.early = True
    try:
        yield
    finally:
        _here.early = before


def refuse_early() -> bool:
    """Must errors of constants be raised at once, though no path that runs may lead there?"""
    return getattr(_here, "early", False)
