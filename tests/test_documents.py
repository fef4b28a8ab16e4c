"""The examples in the documents run and print what they say."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
FENCE = re.compile(r"^\s*```.*$", re.MULTILINE)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: str(p.relative_to(ROOT)))
def test_examples(path):
    """All `>>>` examples of a document, in one namespace, from top to bottom; of another package, if that is there."""
    if path.parent.name == "hosts":
        pytest.importorskip(path.stem)
    # A fence that closes a block would read as expected output; line numbers stay right.
    text = FENCE.sub("", path.read_text(encoding="utf-8"))
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    test = doctest.DocTestParser().get_doctest(text, {}, path.name, str(path), 0)
    report: list[str] = []
    doctest.DocTestRunner(optionflags=flags, verbose=False).run(test, out=report.append)
    assert not report, "".join(report)
