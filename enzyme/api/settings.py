"""Switches that hold for every call, in addition to what its mode says."""

from __future__ import annotations

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
