"""The line of jitted code that numba is looking at."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import numba
from numba.core.ir import Loc

from enzyme.errors import EnzymeError
from enzyme.source import SourceLoc

# Code that is made for a call, and this package: what the user wrote called it.
_OURS = ("<enzyme.", os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep)

_NUMBA = os.path.dirname(numba.__file__) + os.sep


def line_being_typed() -> SourceLoc | None:
    """The line of the call whose type or code numba asks for: who asks stands on the stack and knows it."""
    frame = sys._getframe(1)
    while frame is not None:
        loc = getattr(frame.f_locals.get("self"), "loc", None)
        if isinstance(loc, Loc) and not str(loc.filename).startswith(_OURS):
            return SourceLoc(str(loc.filename), loc.line)
        frame = frame.f_back  # type: ignore[assignment]
    return None


def line_in_messages() -> str:
    """The beginning of a message that code raises when it runs."""
    where = line_being_typed()
    return "" if where is None else f"{where.file}:{where.line}: "


@contextmanager
def placed() -> Iterator[None]:
    """Give errors the line of the call.

    An error that knows a line has the one inside the function that is differentiated.
    """
    try:
        yield
    except EnzymeError as error:
        where = line_being_typed()
        known = str(error.where or "")
        if where is not None and (not known or known.startswith(_NUMBA)):
            error.where = where
            error.args = (error.render(),)
        raise
