"""Places in the user's program: reading and underlining the line an error speaks of.

Source is read through `linecache`, so notebooks and interactive sessions work as in tracebacks. A
line that cannot be read is left out; an error message never fails for want of source text.
"""

from __future__ import annotations

import linecache

from enzymecore.record import record

__all__ = ["SourceLoc", "excerpt", "read_line", "underline"]


@record
class SourceLoc:
    """One place in a source file.

    Parameters
    ----------
    file
        Path as the compiler saw it.
    line
        Line number, the first is 1; 0 means that it is not known.
    column
        Column, the first is 1; 0 means that it is not known.
    function
        Name of the enclosing function, or empty.

    Examples
    --------
    >>> print(SourceLoc("model.py", 41))
    model.py:41
    >>> print(SourceLoc("model.py", 41, 9, "loss"))
    model.py:41:9, in loss
    """

    file: str
    line: int
    column: int = 0
    function: str = ""

    def __str__(self) -> str:
        text = self.file
        if self.line > 0:
            text += f":{self.line}"
            if self.column > 0:
                text += f":{self.column}"
        return f"{text}, in {self.function}" if self.function else text

    def excerpt(self) -> str:
        """Return the place and, where it can be read, its source line, underlined.

        Examples
        --------
        >>> SourceLoc("no such file.py", 3).excerpt()
        'no such file.py:3'
        """
        return excerpt(self)


def read_line(loc: SourceLoc) -> str:
    """Return the source line at `loc` without its line end; empty where it cannot be read.

    Examples
    --------
    >>> read_line(SourceLoc("no such file.py", 3))
    ''
    """
    if loc.line < 1:
        return ""
    # A file that was edited since it was last shown must not show a stale line.
    linecache.checkcache(loc.file)
    return linecache.getline(loc.file, loc.line).rstrip()


def underline(text: str, column: int = 0, indent: str = "    ") -> str:
    """Return `text` without its indentation, with marks below the part that starts at `column`.

    Parameters
    ----------
    text
        A source line.
    column
        Column counted from 1 in `text`; 0 or a column outside the line marks nothing.
    indent
        Put in front of both lines.

    Examples
    --------
    >>> print(underline("        y = zeta(s, 1.0)", 13))
        y = zeta(s, 1.0)
            ^^^^
    >>> print(underline("  y = x", 0))
        y = x
    """
    stripped = text.strip()
    start = column - 1 - (len(text) - len(text.lstrip()))
    if column < 1 or not 0 <= start < len(stripped):
        return indent + stripped
    end = start
    while end < len(stripped) and (stripped[end].isalnum() or stripped[end] in "_."):
        end += 1
    marks = "^" * max(1, end - start)
    # Tabs inside the line stay tabs below it, so that the marks line up.
    padding = "".join("\t" if char == "\t" else " " for char in stripped[:start])
    return f"{indent}{stripped}\n{indent}{padding}{marks}"


def excerpt(loc: SourceLoc) -> str:
    """Return ``file:line`` and below it the source line, underlined if the column is known.

    Examples
    --------
    >>> excerpt(SourceLoc("no such file.py", 3, function="loss"))
    'no such file.py:3, in loss'
    """
    line = read_line(loc)
    return f"{loc}\n{underline(line, loc.column)}" if line.strip() else str(loc)
