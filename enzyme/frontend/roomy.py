"""Calls of machine code that needs more of the stack than there may be.

What does not fit into registers is on the stack, a place for each value that lives long enough: millions of bytes for
a derivative of hundreds of thousands of instructions, and a stack that is full ends the process. Such code runs in a
thread with a stack of its own; that costs some microseconds, where the call itself takes milliseconds.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

# Derivatives with more characters of code than this, and what their stack may hold; the system gives what is used.
LARGE = 10_000_000
_STACK = 1 << 29
_lock = threading.Lock()


def roomy(entry: Callable[..., Any], size: int) -> Callable[..., Any]:
    """`entry`, or for code of more than LARGE characters a function that calls it with room on the stack."""
    return _Roomy(entry) if size > LARGE else entry


class _Roomy:
    """The call in a thread."""

    def __init__(self, entry: Callable[..., Any]) -> None:
        self.entry = entry

    def __call__(self, *args: Any) -> Any:
        found: list[Any] = []
        raised: list[BaseException] = []

        def run() -> None:
            try:
                found.append(self.entry(*args))
            except BaseException as error:
                raised.append(error)

        thread = threading.Thread(target=run, name="enzyme")
        with _lock:
            before = threading.stack_size(_STACK)
            try:
                thread.start()
            finally:
                threading.stack_size(before)
        thread.join()
        if raised:
            raise raised[0]
        return found[0]


__all__ = ["LARGE", "roomy"]
