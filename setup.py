"""The long description: README.md as an index of packages can show it, where links within the repository lead nowhere.

Everything else is in pyproject.toml; with `[tool.enzyme] repository` there, links lead to the files of that repository.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from setuptools import setup

ROOT = Path(__file__).resolve().parent
_LINK = re.compile(r"(!?)\[([^\]\n]*)\]\((?!https?:|mailto:)([^)\s]+)\)")


def long_description(readme: str, repository: str) -> str:
    """The text with links that are absolute; without a repository what they say remains, and pictures go."""

    def absolute(match: re.Match[str]) -> str:
        picture, text, target = match.groups()
        if not repository:
            return "" if picture else text
        return f"{picture}[{text}]({repository.rstrip('/')}/{'raw' if picture else 'blob'}/HEAD/{target})"

    return _LINK.sub(absolute, readme)


if __name__ == "__main__":
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    setup(
        long_description=long_description(
            (ROOT / "README.md").read_text(encoding="utf-8"),
            settings["tool"]["enzyme"]["repository"],
        ),
        long_description_content_type="text/markdown",
    )
