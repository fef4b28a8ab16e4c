"""Debug locations: from an instruction's `!dbg` to the user's file and line."""

from __future__ import annotations

import os
import re

from enzyme.engine.ir.instructions import Instruction
from enzyme.engine.ir.lexer import unescape
from enzyme.engine.ir.module import Module
from enzyme.source import SourceLoc

_FIELD = re.compile(r'(\w+): (?:!(\d+)|"((?:[^"\\]|\\.)*)"|(-?\w+))')


def locations_of(instruction: Instruction) -> list[SourceLoc]:
    """Where an instruction stands in the source, then the calls it was inlined through, innermost first."""
    function = instruction.parent.parent if instruction.parent is not None else None
    module = function.module if function is not None else None
    if module is None:
        return []
    places: list[SourceLoc] = []
    node = instruction.metadata.get("dbg", "").removeprefix("!")
    seen: set[str] = set()
    while node.isdigit() and node not in seen:
        seen.add(node)
        location = fields(module, int(node))
        place = _resolve(module, location)
        if place is not None:
            places.append(place)
        node = location.get("inlinedAt", "")
    return places


def location_of(instruction: Instruction) -> SourceLoc | None:
    """The innermost place outside the module's `library_folders`; None without debug information."""
    places = locations_of(instruction)
    function = instruction.parent.parent if instruction.parent is not None else None
    if not places or function is None or function.module is None:
        return None
    libraries = function.module.library_folders
    return next((p for p in places if not p.file.startswith(libraries)), None)


def fields(module: Module, node: int) -> dict[str, str]:
    """The fields of a metadata node; references come as their number."""
    found = {}
    for name, reference, text, word in _FIELD.findall(module.metadata.get(node, "")):
        found[name] = reference or unescape(text) or word
    return found


def _resolve(module: Module, location: dict[str, str]) -> SourceLoc | None:
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
