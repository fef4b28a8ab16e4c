"""Hooks of mkdocs: the pages of the site that do not stand in `docs/`, and links that leave it.

Documents link as they stand in the repository.  A link to a page of the site is led there; pictures and the
programs of the gallery are taken along; of a link to anything else the text remains.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parent.parent
# Where a file of the repository is found in the site.
TAKEN = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "benchmarks/results/growth.png": "images/growth.png",
    "benchmarks/results/performance.png": "images/performance.png",
    **{
        f"examples/gallery/{path.name}": f"gallery/{path.name}"
        for path in sorted((ROOT / "examples" / "gallery").iterdir())
        if path.suffix in {".png", ".py"}
    },
}
ORIGIN = {page: source for source, page in TAKEN.items()}
LINK = re.compile(r"(!?)\[([^\]\n]*)\]\((?!https?:|mailto:|#)([^)#\s]+)(#[^)\s]*)?\)")
FENCED = re.compile(r"(^```.*?^```[ \t]*$)", re.MULTILINE | re.DOTALL)
CONSOLE = re.compile(r"\A```python\n(?=>>> )")


def on_files(files: Any, *, config: Any) -> Any:
    """Add what `TAKEN` names."""
    for source, page in TAKEN.items():
        files.append(File.generated(config, page, abs_src_path=str(ROOT / source)))
    return files


def on_page_markdown(markdown: str, *, page: Any, files: Any, **_: Any) -> str:
    """Lead links to pages of the site; a fence with prompts is a console."""
    here = page.file.src_uri
    origin = ORIGIN.get(here, f"docs/{here}")

    def led(match: re.Match[str]) -> str:
        picture, text, target, anchor = match.groups()
        source = posixpath.normpath(posixpath.join(posixpath.dirname(origin), target))
        there = TAKEN.get(
            source, source.removeprefix("docs/") if source.startswith("docs/") else None
        )
        if there is None:
            # A file that is not there stays a link, of which mkdocs complains.
            return text if (ROOT / source).exists() else match.group()
        way = posixpath.relpath(there, posixpath.dirname(here) or ".")
        return f"{picture}[{text}]({way}{anchor or ''})"

    parts = FENCED.split(markdown)
    return "".join(
        CONSOLE.sub("```pycon\n", part) if part.startswith("```") else LINK.sub(led, part)
        for part in parts
    )
