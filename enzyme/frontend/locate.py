"""From an instruction in a module's text to the Python line it came from.

Line numbers exist only in modules compiled with `debug=True`. The usual path pays nothing for them:
when the engine refuses an instruction, the primal is compiled again with debug information, the
engine is run on that, and the instruction its error names is looked up here.

A location may be a chain: numba's own helper, inlined into user code, inlined into its caller.
The line shown to users is the innermost one outside numba.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numba
from numba.core.errors import NumbaDebugInfoWarning

from enzyme.source import SourceLoc

if TYPE_CHECKING:
    from enzyme.frontend.target import PrimalModule

_NUMBA = os.path.dirname(numba.__file__) + os.sep
_DBG = re.compile(r"!dbg !(\d+)")
_NODE = re.compile(r"^!(\d+) = (?:distinct )?(!\w+)\((.*)\)$")
_FIELD = re.compile(r'(\w+): (?:"((?:[^"\\]|\\.)*)"|!(\d+)|([^,]+))')
_DEFINE = re.compile(r'^define [^@]*@("[^"]*"|[-\w$.]+)\(')


class DebugInfo:
    """Locations of one module's text."""

    def __init__(self, text: str) -> None:
        self._lines = text.splitlines()
        self._nodes: dict[int, tuple[str, dict[str, str]]] = {}
        for line in self._lines:
            match = _NODE.match(line)
            if match:
                fields = {
                    key: quoted or reference or plain or ""
                    for key, quoted, reference, plain in _FIELD.findall(match.group(3))
                }
                self._nodes[int(match.group(1))] = (match.group(2), fields)

    def chain(self, instruction: str, function: str | None = None) -> tuple[SourceLoc, ...]:
        """Innermost place first. `instruction` is a result name (`%x`) or the printed line."""
        line = self._find(instruction.strip(), function)
        found = _DBG.search(line) if line else None
        return tuple(self._resolve(int(found.group(1)))) if found else ()

    def locate(self, instruction: str, function: str | None = None) -> SourceLoc | None:
        """The innermost place outside numba; None where nothing is recorded."""
        places = self.chain(instruction, function)
        return next((p for p in places if not p.file.startswith(_NUMBA)), None)

    def _find(self, instruction: str, function: str | None) -> str | None:
        inside = function is None
        wanted = function.strip('@"') if function else None
        text = _DBG.sub("", instruction).rstrip(" ,")
        for line in self._lines:
            define = _DEFINE.match(line)
            if define:
                inside = wanted is None or define.group(1).strip('"') == wanted
            elif inside and line.startswith("  "):
                body = line.strip()
                if body == instruction or body.startswith(f"{instruction} = "):
                    return line
                if text and body.startswith(text):
                    return line
        return None

    def _resolve(self, number: int) -> Sequence[SourceLoc]:
        places: list[SourceLoc] = []
        seen: set[int] = set()
        while number in self._nodes and number not in seen:
            seen.add(number)
            kind, fields = self._nodes[number]
            if kind != "!DILocation":
                break
            scope = self._scope(fields.get("scope", ""))
            if scope is not None:
                line = int(fields.get("line", "0"))
                column = int(fields.get("column", "0"))
                places.append(SourceLoc(scope[0], line, column, scope[1]))
            number = int(fields["inlinedAt"]) if "inlinedAt" in fields else -1
        return places

    def _scope(self, reference: str) -> tuple[str, str] | None:
        """(file, function) of a scope node."""
        name = ""
        while reference.isdigit() and int(reference) in self._nodes:
            kind, fields = self._nodes[int(reference)]
            if kind == "!DISubprogram":
                name = name or fields.get("name", "")
            if kind == "!DIFile":
                return os.path.join(fields.get("directory", ""), fields["filename"]), name
            reference = fields.get("file") or fields.get("scope", "")
        return None


def locate(text: str, instruction: str, function: str | None = None) -> SourceLoc | None:
    """Python line of an instruction in `text`; None for a module without debug information."""
    return DebugInfo(text).locate(instruction, function)


def recompile_with_debug(primal: PrimalModule) -> PrimalModule:
    """The same primal with line numbers. Instruction names differ from those of `primal.text`."""
    from enzyme.frontend.target import compile_primal

    with warnings.catch_warnings():  # of array expressions, which have no source
        warnings.simplefilter("ignore", NumbaDebugInfoWarning)
        return compile_primal(
            primal.function, primal.requested, debug=True, fastmath=primal.fastmath
        )
