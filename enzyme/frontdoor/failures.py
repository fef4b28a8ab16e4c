"""Errors of the front door, and how any error of the compiler becomes one line."""

from __future__ import annotations

import re

from enzyme.errors import EnzymeError, IRParseError
from enzyme.frontdoor.advice import in_these_words
from enzyme.source import SourceLoc

# How the names of copies of the user's functions end, which are what is differentiated.
PRIMAL_SUFFIX = ".primal"
_COPY = re.compile(r"(\w)" + re.escape(PRIMAL_SUFFIX) + r"(?:\.\d+)?(\W|$)")


class FrontDoorError(EnzymeError, ValueError):
    """A call of ``__enzyme_*`` that cannot be lowered as it is written.

    Examples
    --------
    >>> print(FrontDoorError(what="argument 1 has no shadow", where="in @main"))
    in @main
    argument 1 has no shadow
    """


def without_copies(said: str) -> str:
    """The user knows nothing of copies.

    >>> without_copies("the call of 'f.primal.2'")
    "the call of 'f'"
    """
    return _COPY.sub(r"\1\2", said)


def one_line(error: BaseException) -> str:
    """The message on one line: where, what, why and the first thing to do.

    >>> one_line(IRParseError("expected a type", line=3, text="  ret %x"))
    'line 3: expected a type: ret %x'
    """
    if isinstance(error, IRParseError) and error.line > 0:
        return _joined([f"line {error.line}", error.what, error.text])
    if isinstance(error, EnzymeError):
        place = error.where
        if isinstance(place, SourceLoc):
            shown = f"{place.file}:{place.line}"
        else:
            shown = "" if place is None else str(place).partition("\n")[0]
        parts = [shown, error.what or str(error), error.why]
        todo = in_these_words(error.todo)
        return _joined(parts) + (f" ({_flat(todo[0].removeprefix('or '))})" if todo else "")
    if isinstance(error, OSError) and error.filename:
        return f"{error.filename}: {error.strerror}"
    return _flat(str(error)) or type(error).__name__


def _joined(parts: list[str]) -> str:
    return ": ".join(_flat(part) for part in parts if part)


def _flat(text: str) -> str:
    return " ".join(text.split())
