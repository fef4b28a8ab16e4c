"""Where an error happened: the line of the user's call, and the line where a function begins."""

from __future__ import annotations

import os
import sys
from types import TracebackType
from typing import Any

from numba.core.errors import NumbaError

import enzymecore
from enzyme.api.hints import add_hints
from enzyme.errors import EnzymeError, EnzymeInternalError
from enzyme.source import SourceLoc
from enzyme.support.switches import is_on

FULL_TRACEBACK = "ENZYME_FULL_TRACEBACK"
# What is raised for what a user wrote.
REPORTED = (EnzymeError, NumbaError)
_OURS = (
    *(
        os.path.dirname(os.path.abspath(path)) + os.sep
        for path in (os.path.dirname(__file__), enzymecore.__file__)
    ),
    "<enzyme",  # code that is written where it is made
)


_GENERATED = f"{_OURS[0]}<"


def generated_file(name: str) -> str:
    """A file name for code made at run time; `call_site` passes over it."""
    return f"{_GENERATED}{name}>"


def call_site() -> SourceLoc | None:
    """The innermost line on the stack outside this package."""
    frame = sys._getframe(1)
    while frame is not None:
        if not frame.f_code.co_filename.startswith(_OURS):
            return SourceLoc(
                frame.f_code.co_filename, frame.f_lineno, function=frame.f_code.co_name
            )
        frame = frame.f_back  # type: ignore[assignment]
    return None


def definition(func: Any) -> SourceLoc | None:
    """Where a function, jitted or not, begins; None for one of this package's."""
    code = getattr(getattr(func, "py_func", func), "__code__", None)
    if code is None or code.co_filename.startswith(_OURS):
        return None
    return SourceLoc(code.co_filename, code.co_firstlineno, function=code.co_name)


def place(error: Any, where: SourceLoc | None) -> Any:
    """Set where an error happened, unless it knows already, and take the frames of the compiler out of its traceback.

    What happened is told by the message; what the user's own function raises keeps the frames of that. A defect of the
    compiler keeps its frames, and all errors do with ``ENZYME_FULL_TRACEBACK=1`` in the environment.
    """
    if isinstance(error, EnzymeError) and error.where is None and where is not None:
        error.where = where
        error.args = (error.render(),)
    add_hints(error)
    if is_on(FULL_TRACEBACK) or isinstance(error, EnzymeInternalError):
        return error
    if isinstance(error, REPORTED):
        error.__traceback__ = None
        error.__suppress_context__ = True
    else:
        error.__traceback__ = _without_ours(error.__traceback__)
    return error


def _without_ours(traceback: TracebackType | None) -> TracebackType | None:
    """A traceback without frames of the compiler; as it is where the compiler itself failed."""
    frames = []
    while traceback is not None:
        frames.append(traceback)
        traceback = traceback.tb_next
    files = [each.tb_frame.f_code.co_filename for each in frames]
    if files and files[-1].startswith(_OURS) and not files[-1].startswith(_GENERATED):
        return frames[0]
    kept = None
    for each, file in zip(reversed(frames), reversed(files), strict=True):
        if not file.startswith(_OURS):
            kept = TracebackType(kept, each.tb_frame, each.tb_lasti, each.tb_lineno)
    return kept


def shown(func: Any) -> str:
    """A function's name in messages."""
    return getattr(func, "__name__", None) or type(func).__name__


def reason(error: NumbaError) -> str:
    """The line in which numba says why it cannot compile something."""
    lines = [line.strip() for line in str(error).splitlines()]
    said = [line for line in lines if line and not line.startswith("Failed in nopython mode")]
    return (said or lines)[0]
