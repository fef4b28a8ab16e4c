"""Debug locations: from an instruction's `!dbg` to the user's file and line."""

from __future__ import annotations

import os
import re

from enzyme.engine.ir.instructions import Instruction
from enzyme.engine.ir.module import Module
from enzyme.source import SourceLoc

_FIELD = re.compile(r'(\w+): (?:!(\d+)|"((?:[^"\\]|\\.)*)"|(-?\w+))')


def location_of(instruction: Instruction) -> SourceLoc | None:
    """The outermost source location of an instruction, or None without debug information."""
    node = instruction.metadata.get("dbg")
    if node is None or instruction.parent is None or instruction.parent.parent is None:
        return None
    module = instruction.parent.parent.module
    if module is None or not node.startswith("!") or not node[1:].isdigit():
        return None
    return _resolve(module, int(node[1:]))


def fields(module: Module, node: int) -> dict[str, str]:
    """The fields of a metadata node; references come as their number."""
    found = {}
    for name, reference, text, word in _FIELD.findall(module.metadata.get(node, "")):
        found[name] = reference or text or word
    return found


def _resolve(module: Module, node: int) -> SourceLoc | None:
    location = fields(module, node)
    if "line" not in location or "scope" not in location:
        return None
    scope = location["scope"]
    seen = set()
    while scope.isdigit() and scope not in seen:
        seen.add(scope)
        described = fields(module, int(scope))
        if "file" in described and described["file"].isdigit():
            file = fields(module, int(described["file"]))
            path = file.get("filename", "")
            if path and not os.path.isabs(path):
                path = os.path.join(file.get("directory", ""), path)
            return SourceLoc(
                path,
                int(location["line"]),
                int(location.get("column", "0")),
                described.get("name", ""),
            )
        scope = described.get("scope", "")
    return None
