"""The examples in the documents run and print what they say."""

from __future__ import annotations

import doctest
import re
import runpy
from pathlib import Path

import pytest

pytestmark = pytest.mark.rotating(27)

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
# What a page about several packages needs; another one needs that of its name.
NEEDED = {"arrays": ("awkward", "pandas", "xarray"), "processes": ("distributed", "joblib")}
FENCE = re.compile(r"^\s*```.*$", re.MULTILINE)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: str(p.relative_to(ROOT)))
def test_examples(path):
    """All `>>>` examples of a document, in one namespace, from top to bottom; of another package, if that is there."""
    if path.parent.name == "hosts":
        for package in NEEDED.get(path.stem, (path.stem,)):
            pytest.importorskip(package)
    # A fence that closes a block would read as expected output; line numbers stay right.
    text = FENCE.sub("", path.read_text(encoding="utf-8"))
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    test = doctest.DocTestParser().get_doctest(text, {}, path.name, str(path), 0)
    report: list[str] = []
    doctest.DocTestRunner(optionflags=flags, verbose=False).run(test, out=report.append)
    assert not report, "".join(report)


@pytest.mark.parametrize("repository", ["", "https://host/owner/name"])
def test_links_of_the_long_description(repository):
    """An index of packages has no files beside the text: all links are absolute, and what they say is there."""
    long_description = runpy.run_path(str(ROOT / "setup.py"))["long_description"]
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    link = r"\[([^\]\n]*)\]\(([^)\s]+)\)"
    found = re.findall(link, long_description(text, repository))
    assert all(target.startswith("https://") for _, target in found)
    here = [words for words, target in re.findall(link, text) if "://" not in target]
    assert len(here) > 10
    kept = [words for words, target in found if target.startswith("https://host/")]
    assert kept == (here if repository else [])
    assert "![" not in long_description(text, "")
