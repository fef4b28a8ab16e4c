"""The line of jitted code that numba is looking at."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from numba.core.ir import Loc

from enzyme.errors import EnzymeError
from enzyme.source import SourceLoc

# Code that is made for a call, and this package: what the user wrote called it.
_OURS = ("<", os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep)


def line_being_typed() -> SourceLoc | None:
    """The line of the call whose type numba asks for: its constraint stands on the stack."""
    frame = sys._getframe(1)
    while frame is not None:
        loc = getattr(frame.f_locals.get("self"), "loc", None)
        if isinstance(loc, Loc) and not str(loc.filename).startswith(_OURS):
            return SourceLoc(str(loc.filename), loc.line)
        frame = frame.f_back  # type: ignore[assignment]
    return None


@contextmanager
def placed() -> Iterator[None]:
    """Give errors the line of the call.

    An error that knows a line has the one inside the function that is differentiated.
    """
    try:
        yield
    except EnzymeError as error:
        where = line_being_typed()
        if error.where is None and where is not None:
            error.where = where
            error.args = (error.render(),)
        raise
