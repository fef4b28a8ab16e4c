"""How many bytes a gradient asks its arena for: what is kept between the forward and the reverse pass.

The arena's code is given a counter before the first derivative of the process is loaded, by name and place in its text:
one addition for each block of memory.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

_COUNTER = "@enzyme_asked_for = global i64 0\n"
_ALLOCATED = """
  %asked.before = load i64, ptr @enzyme_asked_for
  %asked.after = add i64 %asked.before, %size
  store i64 %asked.after, ptr @enzyme_asked_for"""
_GROWN = """
  %asked.before = load i64, ptr @enzyme_asked_for
  %asked.more = sub i64 %size, %held
  %asked.after = add i64 %asked.before, %asked.more
  store i64 %asked.after, ptr @enzyme_asked_for"""
# Behind these lines of the text.
_PLACES = {
    "%got = phi ptr [ %warm, %pool ], [ %block, %fresh ]": _ALLOCATED,
    "%now = phi ptr [ %warm, %copy ], [ %moved, %sized ]": _GROWN,
}


def with_counter(text: str) -> str:
    for line, code in _PLACES.items():
        if text.count(line) != 1:
            raise LookupError("the arena's code has changed: its bytes cannot be counted")
        text = text.replace(line, line + code)
    return _COUNTER + text


_counting: list[Callable[[Any], Any]] = []


def count() -> None:
    """Count from now on. No derivative of this process may have been loaded before."""
    from enzyme.frontend import arena

    if _counting:
        return
    if arena.register.cache_info().currsize:
        raise RuntimeError("a derivative is loaded already: its arena does not count")
    plain = arena.arena_text
    arena.arena_text = lambda *args, **options: with_counter(plain(*args, **options))
    _counting.append(arena.register)


def asked_for_by(call: Callable[[], Any]) -> int | None:
    """Bytes of one call, or None where nobody counts."""
    if not _counting:
        return None
    from enzyme.frontend.target import cpu_context

    (register,) = _counting
    counter = ctypes.c_int64.from_address(register(cpu_context()).address("enzyme_asked_for"))
    before = counter.value
    call()
    return counter.value - before
