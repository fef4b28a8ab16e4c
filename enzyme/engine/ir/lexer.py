"""Splits LLVM's textual IR into tokens: plain strings, one regular expression, no token objects.

What the engine carries along by the line (metadata nodes, attribute groups, comdats, target lines) is one
token per line. Line numbers are not stored; `position_of` finds one by scanning again, because only an error
needs it. Newlines are no tokens, so several instructions may stand on one line.
"""

from __future__ import annotations

import re

_NAME = r'(?:[-a-zA-Z0-9$._]+|"[^"]*")'

_TOKEN = re.compile(
    rf"""
    %{_NAME}
  | [c$]"[^"]*"
  | attributes[ ]\#\d+[ ]*=[^\n]*
  | source_filename[ ]*=[^\n]*
  | target[ ]+(?:datalayout|triple)[ ]*=[^\n]*
  | module[ ]+asm[ ][^\n]*
  | uselistorder(?:_bb)?[ ][^\n]*
  | [-a-zA-Z0-9$._]+(?:(?<=[eE])\+\d+)?:?
  | @{_NAME}
  | ![-a-zA-Z0-9$._\\]+[ ]*=[^\n]*
  | !(?:[-a-zA-Z0-9$._\\]+|"[^"]*")?
  | "[^"]*":?
  | \#\w+
  | ;[^\n]*
  | \^\d+[ ]*=[^\n]*
  | \+\w+
  | \S
    """,
    re.VERBOSE | re.ASCII,
)

END = ""


def tokenize(text: str) -> list[str]:
    """All tokens without comments, and `END` at the end."""
    tokens = [token for token in _TOKEN.findall(text) if token[0] != ";"]
    tokens.append(END)
    return tokens


def position_of(text: str, index: int) -> tuple[int, str, int]:
    """Line number, line and column (both numbers from 1) at which token `index` starts."""
    start = len(text)
    for match in _TOKEN.finditer(text):
        if text[match.start()] == ";":
            continue
        if index == 0:
            start = match.start()
            break
        index -= 1
    line_start = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", start)
    line = text[line_start : line_end if line_end >= 0 else len(text)]
    return text.count("\n", 0, start) + 1, line, start - line_start + 1


_ESCAPE = re.compile(rb"\\([0-9a-fA-F]{2})")
_SIMPLE = re.compile(r"[-a-zA-Z._][-a-zA-Z0-9._]*", re.ASCII)


def unescape(quoted: str) -> str:
    """The name that stands between quotes, with LLVM's two-digit escapes resolved."""
    if "\\" not in quoted:
        return quoted
    raw = quoted.replace("\\\\", "\\5C").encode("utf-8", "surrogateescape")
    raw = _ESCAPE.sub(lambda match: bytes([int(match[1], 16)]), raw)
    return raw.decode("utf-8", "surrogateescape")


def quote_name(name: str) -> str:
    """A name as LLVM prints it after ``%`` or ``@``: quoted and escaped where needed."""
    if _SIMPLE.fullmatch(name):
        return name
    inner = "".join(
        chr(byte) if 32 <= byte < 127 and byte not in (34, 92) else f"\\{byte:02X}"
        for byte in name.encode("utf-8", "surrogateescape")
    )
    return f'"{inner}"'
