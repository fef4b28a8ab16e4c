"""Python's collector of cycles rests while a derivative is made.

A compiler makes many objects and keeps nearly all of them until it is done: each search through them is in vain, and
there are the more of them the larger the program is.
"""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["resting"]

_lock = threading.Lock()
_inside = 0
_was_on = False


@contextmanager
def resting() -> Iterator[None]:
    """No collection inside the block, in any thread; blocks nest.

    >>> import gc
    >>> with resting():
    ...     gc.isenabled()
    False
    >>> gc.isenabled()
    True
    """
    global _inside, _was_on
    with _lock:
        if not _inside:
            _was_on = gc.isenabled()
            gc.disable()
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if not _inside and _was_on:
                gc.enable()


def _begin_child() -> None:
    """A process that was forked inside a block, by another thread, is not inside."""
    global _inside, _lock
    _lock = threading.Lock()
    if _inside and _was_on:
        gc.enable()
    _inside = 0


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_child)
