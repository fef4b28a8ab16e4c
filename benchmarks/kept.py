"""How many bytes a gradient asks its arena for: what is kept between the forward and the reverse pass.

The arena's code is given a counter before the first derivative of the process is loaded, by name and place in its text:
one addition for each block of memory.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

_COUNTER = "@enzyme_asked_for = global i64 0\n"


def _counting_code(number: int, operation: str, what: str) -> str:
    """``counter = counter operation what``; the names of each piece of code are its own."""
    before, after = f"%asked.{number}.before", f"%asked.{number}.after"
    return f"""
  {before} = load i64, ptr @enzyme_asked_for
  {after} = {operation} i64 {before}, {what}
  store i64 {after}, ptr @enzyme_asked_for"""


# Behind these lines of the text.
_PLACES = {
    # Allocated.
    "define  noalias ptr @enzyme_allocate(ptr %arena, i64 %size) nounwind noinline {\nentry:": (
        _counting_code(0, "add", "%size")
    ),
    # Grown where it is, and to another block; what is allocated anew for it was counted.
    "stay:": _counting_code(1, "add", "%size") + _counting_code(2, "sub", "%held"),
    "%now = phi ptr [ %kept, %copy ], [ %moved, %move ]": (
        _counting_code(3, "add", "%size") + _counting_code(4, "sub", "%held")
    ),
    "carry:\n  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %other, ptr align 8 %old, i64 %held, i1 false)": (
        _counting_code(5, "sub", "%held")
    ),
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
    from enzyme.frontend import arena, arena_code, pieces

    if _counting:
        return
    if pieces.is_loaded(arena.PIECE):
        raise RuntimeError("a derivative is loaded already: its arena does not count")
    if pieces.in_use():
        raise RuntimeError("derivatives are kept on disk: an arena that counts must not be")
    plain = arena_code.arena_text
    arena_code.arena_text = lambda *args, **options: with_counter(plain(*args, **options))
    _counting.append(arena.register)


def asked_for_by(call: Callable[[], Any]) -> int | None:
    """Bytes of one call, or None where nobody counts.

    What was kept for earlier calls is given back first: storage that grows takes all of a block that it gets.
    """
    if not _counting:
        return None
    from enzyme.api import empty_pool

    empty_pool()
    (register,) = _counting
    counter = ctypes.c_int64.from_address(register().address("enzyme_asked_for"))
    before = counter.value
    call()
    return counter.value - before
