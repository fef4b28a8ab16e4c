"""Decide which calls to inline before AD, and mark the callees for LLVM's always-inliner.

Differentiation gains more from inlining than machine code does (no augmented call, no cache
across the call), so the measure is generous. Recursive functions are never inlined.
"""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass, field

import llvmlite.binding as llvm

_NAME = r'@("(?:[^"\\]|\\.)*"|[-a-zA-Z$._0-9]+)\('
_DEFINE = re.compile(r"define [^@]*" + _NAME)
_CALL = re.compile(r"^  (?:%\S+ = )?(?:tail |musttail |notail )?(?:call|invoke) [^@]*?" + _NAME)


@dataclass
class _Function:
    size: int = 0
    calls: list[str] = field(default_factory=list)


def _survey(text: str) -> dict[str, _Function]:
    """Size and direct callees (with repetition) of every defined function.

    Read off the printed module: walking it through llvmlite costs ten times as much.
    """
    found: dict[str, _Function] = {}
    current = _Function()
    for line in text.splitlines():
        if line.startswith("  "):
            current.size += 1
            call = _CALL.match(line)
            if call:
                current.calls.append(_plain(call.group(1)))
        elif line.startswith("define "):
            define = _DEFINE.match(line)
            assert define, line
            current = found.setdefault(_plain(define.group(1)), _Function())
    for entry in found.values():
        entry.calls = [name for name in entry.calls if name in found]
    return found


def _plain(name: str) -> str:
    """A symbol without the quotes and escapes of the text."""
    return re.sub(r"\\([0-9A-Fa-f]{2})", lambda m: chr(int(m[1], 16)), name.strip('"'))


def _reaches(found: dict[str, _Function], start: str, goal: str) -> bool:
    seen: set[str] = set()
    pending = list(found[start].calls)
    while pending:
        name = pending.pop()
        if name == goal:
            return True
        if name not in seen:
            seen.add(name)
            pending.extend(found[name].calls)
    return False


def mark_inline(
    module: llvm.ModuleRef, text: str, small: int, single: int, keep: Container[str]
) -> set[str]:
    """Mark callees `alwaysinline` in a module, given its `text` too; names of the functions they will be inlined into.

    Each is judged by its size as it stands; call again until the answer is empty.
    """
    found = _survey(text)
    uses: dict[str, int] = {}
    for entry in found.values():
        for name in entry.calls:
            uses[name] = uses.get(name, 0) + 1

    chosen: set[str] = set()
    for name, count in uses.items():
        limit = single if count == 1 else small
        if found[name].size > limit or name in keep or _reaches(found, name, name):
            continue
        handle = module.get_function(name)
        if handle.linkage != llvm.Linkage.internal:
            continue
        if any(b"noinline" in attributes for attributes in handle.attributes):
            continue
        handle.add_function_attribute("alwaysinline")
        chosen.add(name)
    return {name for name, entry in found.items() if chosen.intersection(entry.calls)}
