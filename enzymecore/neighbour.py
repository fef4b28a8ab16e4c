"""Another distribution has a package `enzyme`, too: whoever installs both must hear of it."""

from __future__ import annotations

from pathlib import Path

__all__ = ["check_neighbour"]


def check_neighbour(home: Path) -> None:
    """Refuse a package `enzyme` in this directory that is not the one that belongs to this package.

    Raises
    ------
    ImportError
        If the files of the other distribution have replaced those of this one.
    """
    package = home / "enzyme"
    if not (package / "mkv.py").exists():
        return
    if "enzymecore" not in (package / "__init__.py").read_text(encoding="utf-8"):
        raise ImportError(
            f"{package} is the package of another distribution named enzyme, which reads metadata of videos: remove it"
            " with `pip uninstall enzyme`, then `pip install --force-reinstall enzyme-autodiff`"
        )
