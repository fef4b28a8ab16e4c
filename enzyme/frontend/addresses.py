"""Addresses of this process in code: what holds one runs in no other process."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator
from pathlib import Path

_WORD = re.compile(r"\bi64 (\d{7,20}|-\d{7,20})\b")
_POINTER = re.compile(r"inttoptr \(i\d+ (-?\d+) to ")
_PAGE = 4096
_NAMED = "@numba.dynamic.globals."
_DEFINED = re.compile(rf"^{re.escape(_NAMED)}\w+ = .*\n", re.MULTILINE)


def address_in(text: str) -> str:
    """Something in the text of a module that is an address of this process, or may be one; "" if nothing is."""
    text = _DEFINED.sub("", text)  # those that nobody reads any more
    if _NAMED in text:
        return "an array, or another object, that numba refers to by its address"
    for number in _POINTER.findall(text):
        if not -_PAGE < int(number) < _PAGE:
            return f"the address {int(number):#x}"
    numbers = {int(number) for number in _WORD.findall(text)}
    if not numbers:
        return ""
    ranges = sorted(_mapped())
    starts = [start for start, _ in ranges]
    for number in sorted(numbers):
        at = bisect.bisect(starts, number) - 1
        if at >= 0 and number < ranges[at][1]:
            return f"the number {number}, which may be an address"
    return ""


def _mapped(table: Path = Path("/proc/self/maps")) -> Iterator[tuple[int, int]]:
    """The ranges of addresses that the process has, where the system tells."""
    try:
        lines = table.read_text().splitlines()
    except OSError:
        return
    for line in lines:
        start, _, end = line.split(" ", 1)[0].partition("-")
        yield int(start, 16), int(end, 16)
