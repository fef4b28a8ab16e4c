"""Switches that hold for every call, in addition to what its mode says."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from enzyme.support.switches import is_on
from enzymecore import set_check_nan as _checking_nan
from enzymecore import set_fast_adjoints as _fast
from enzymecore import set_strong_zero as _strong
from enzymecore.record import record


@record
class Switches:
    """What is on for every mode; `exact_adjoints` is the opposite of `fast_adjoints`."""

    runtime_activity: bool = False
    strong_zero: bool = False
    exact_adjoints: bool = False
    check_nan: bool = False

    @property
    def changes_modes(self) -> bool:
        """Is anything on that a mode can say by itself, for compiled code too?"""
        return self.strong_zero or self.exact_adjoints or self.check_nan


_OFF = Switches()
# What compiled derivatives are found by, beside the mode: the switches; False if all are off.
state: Switches | bool = False


def _set(**changed: bool) -> None:
    global state
    made = replace(state or _OFF, **changed)  # type: ignore[type-var]
    state = False if made == _OFF else made


def _is_on(name: str) -> bool:
    return bool(state) and bool(getattr(state, name))


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
    _set(runtime_activity=bool(on))


def runtime_activity() -> bool:
    """Is runtime activity on for every mode?"""
    return _is_on("runtime_activity")


def set_strong_zero(on: bool = True) -> None:
    """Let zero derivatives stay zero in every product, in every mode, or only in those that ask for it.

    Functions that are jitted keep what held when they were compiled.

    Examples
    --------
    >>> from enzyme.api import set_strong_zero, strong_zero
    >>> set_strong_zero(True)
    >>> strong_zero()
    True
    >>> set_strong_zero(False)
    """
    _set(strong_zero=bool(on))


def strong_zero() -> bool:
    """Is strong zero on for every mode?"""
    return _is_on("strong_zero")


def set_fast_adjoints(on: bool = True) -> None:
    """Allow, or with False forbid in every mode, that arithmetic on adjoints is contracted and sums are reordered.

    Functions that are jitted keep what held when they were compiled.

    Examples
    --------
    >>> from enzyme.api import fast_adjoints, set_fast_adjoints
    >>> set_fast_adjoints(False)
    >>> fast_adjoints()
    False
    >>> set_fast_adjoints(True)
    """
    _set(exact_adjoints=not on)


def fast_adjoints() -> bool:
    """May modes that do not forbid it reorder arithmetic on adjoints?"""
    return not _is_on("exact_adjoints")


def set_check_nan(on: bool = True) -> None:
    """Let the first NaN in any derivative raise `EnzymeNaNError` with its line, or only where a mode asks for it.

    ``ENZYME_CHECK_NAN=1`` in the environment does so from the start. Functions that are jitted keep what held when they
    were compiled.

    Examples
    --------
    >>> from enzyme.api import check_nan, set_check_nan
    >>> set_check_nan(True)
    >>> check_nan()
    True
    >>> set_check_nan(False)
    """
    _set(check_nan=bool(on))


def check_nan() -> bool:
    """Is every derivative looked at for NaN?"""
    return _is_on("check_nan")


if is_on("ENZYME_CHECK_NAN"):
    set_check_nan()


def effective(mode: Any) -> Any:
    """A mode with what the switches add to it, apart from runtime activity (see `counts`)."""
    if not state or not state.changes_modes:  # type: ignore[union-attr]
        return mode
    switches: Any = state
    if switches.strong_zero:
        mode = _strong(mode)
    if switches.exact_adjoints:
        mode = _fast(mode, False)
    return _checking_nan(mode) if switches.check_nan else mode


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
    return bool(mode.runtime_activity or (runtime_activity() and not getattr(_here, "off", False)))


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
