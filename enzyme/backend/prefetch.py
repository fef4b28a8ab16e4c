"""Fetch the lines of a large cache before the loops that stream through it.

A loop nest fills its cache going up and reads it going down, once each, at the pace of main memory, while the
other arrays of the loop sit in a nearer cache.  Left alone the hardware fetches the stream too late: of a stencil's
gradient it was a quarter of the time.  The vectoriser does not take loops that prefetch, so the instructions are
added when it is done, to the vector loads and stores whose alias scope has the name that the engine gives to caches.

Addresses beyond the ends are harmless: a prefetch never faults.  Scalar loops are left as they are; they do enough
for each value that the hardware keeps up.
"""

from __future__ import annotations

import re

CACHE_SCOPE = "cache"
AHEAD_BYTES = 1024

_SCOPE = re.compile(rf'^(!\d+) = (?:distinct )?!\{{!\d+, !\d+, !"{CACHE_SCOPE}"\}}$', re.MULTILINE)
_SINGLE = re.compile(r"^(!\d+) = !\{(!\d+)\}$", re.MULTILINE)
_ACCESS = re.compile(
    r"^  (?:%\S+ = (?P<load>load) <\d+ x \w+>,|store <\d+ x \w+> .+,) ptr (?P<pointer>%\S+), "
    r"align \d+, .*!alias\.scope (?P<scope>!\d+)"
)
_DECLARATION = "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)"


def add_prefetches(text: str) -> str:
    """The module's text with a prefetch before each vector access to a cache; `text` itself if there is none."""
    scopes = set(_SCOPE.findall(text))
    lists = {name for name, only in _SINGLE.findall(text) if only in scopes}
    lines: list[str] = []
    count = 0
    for line in text.splitlines():
        access = _ACCESS.match(line) if "!alias.scope" in line else None
        if access is not None and access["scope"] in lists:
            distance, kind = (-AHEAD_BYTES, 0) if access["load"] else (AHEAD_BYTES, 1)
            ahead = f"%prefetch.{count}"
            lines.append(f"  {ahead} = getelementptr i8, ptr {access['pointer']}, i64 {distance}")
            lines.append(f"  call void @llvm.prefetch.p0(ptr {ahead}, i32 {kind}, i32 3, i32 1)")
            count += 1
        lines.append(line)
    if not count:
        return text
    if "@llvm.prefetch.p0(ptr" not in text:
        lines.append(_DECLARATION)
    return "\n".join(lines) + "\n"
