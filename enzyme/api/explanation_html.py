"""An explanation as tables, which notebooks show in place of the text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from typing import TYPE_CHECKING

from enzyme.engine.synthesis.cache_report import FunctionCacheReport, KeptValue, Storage, alike
from enzyme.source import SourceLoc, read_line

if TYPE_CHECKING:
    from enzyme.api.explanation import Explanation

_LEFT = ' style="text-align: left"'


def as_html(found: Explanation) -> str:
    """The tables: what is kept beside the line that computes it, then the seconds of each stage.

    Examples
    --------
    >>> from enzyme.api.explanation import Explanation
    >>> as_html(Explanation("f, reverse mode", (), {}, "", "", ""))
    '<b>f, reverse mode</b>'
    """
    return "\n".join(_parts(found))


def _parts(found: Explanation) -> Iterator[str]:
    yield f"<b>{escape(found.title)}</b>"
    for error in found.refused:
        place = f", {_code(error.where)}" if isinstance(error.where, SourceLoc) else ""
        yield f"<p>raises {type(error).__name__} where it runs: {escape(error.what)}{place}</p>"
    for function in found.functions:
        if len(found.functions) > 1:
            yield f"<p>function <code>{escape(function.function)}</code></p>"
        yield from _kept(function)
    if found.stages:
        total = sum(found.stages.values())
        rows = [(name.replace("_", " "), f"{s * 1e3:.1f} ms") for name, s in found.stages.items()]
        table = "\n".join(_table(("stage", "time"), rows))
        yield (f"<details><summary>compiled in {total * 1e3:.0f} ms</summary>\n{table}\n</details>")


def _kept(function: FunctionCacheReport) -> Iterator[str]:
    rows = [
        (
            *_place(value),
            f"{value.size}, {escape(value.type)}{f', {count} times' if count > 1 else ''}",
            _how_often(storage),
            escape(value.why),
        )
        for storage in function.storages
        for value, count in alike(storage.values)
    ]
    rows.sort(key=lambda row: int(row[0] or 0))
    if rows:
        yield from _table(("line", "source", "bytes, type", "kept", "why"), rows)
    else:
        yield "<p>keeps nothing</p>"
    if function.recomputed:
        again = sorted(
            {_place(value) for value in function.recomputed}, key=lambda p: int(p[0] or 0)
        )
        table = "\n".join(_table(("line", "source"), again))
        yield f"<details><summary>computed again</summary>\n{table}\n</details>"


def _how_often(storage: Storage) -> str:
    if storage.kind == "stack":
        return "once"
    lines = ", ".join("?" if loop is None else str(loop.line) for loop in storage.loops)
    grows = ", storage grows" if storage.kind == "growing" else ""
    return f"in each iteration of the loop at line {lines}{grows}"


def _place(value: KeptValue) -> tuple[str, str]:
    return ("", "") if value.where is None else (str(value.where.line), _code(value.where))


def _code(where: SourceLoc) -> str:
    return f"<code>{escape(read_line(where).strip())}</code>"


def _table(titles: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """Cells are HTML."""
    yield "<table>"
    yield "<tr>" + "".join(f"<th{_LEFT}>{title}</th>" for title in titles) + "</tr>"
    for row in rows:
        yield "<tr>" + "".join(f"<td{_LEFT}>{cell}</td>" for cell in row) + "</tr>"
    yield "</table>"
