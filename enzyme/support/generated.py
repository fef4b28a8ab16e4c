"""Functions from source that is written where they are made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["generated"]


def generated(name: str, lines: list[str], scope: dict[str, Any]) -> Callable[..., Any]:
    """A function from source: an implementation that depends on the types of its arguments.

    >>> generated("twice", ["def twice(x):", "    return factor * x"], {"factor": 2})(4)
    8
    """
    exec(compile("\n".join(lines) + "\n", f"<enzyme.{name}>", "exec"), scope)
    made: Callable[..., Any] = scope[name]
    return made
