"""Programs that once failed, as `long_run --out` stores them, obey the law.

A program that still fails is named below with its reason; it must fail, so that its repair is
noticed.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.long_run import ProgramFailed
from tests.fuzz.program import from_text

pytestmark = pytest.mark.rotating(35)

FOUND = sorted((Path(__file__).parent / "found").glob("*.txt"))
STILL_FAILING: dict[str, str] = {}


@pytest.mark.parametrize("path", FOUND, ids=lambda path: path.stem)
def test_found(path, request, apart):
    if path.stem in STILL_FAILING:
        reason = STILL_FAILING[path.stem]
        request.applymarker(pytest.mark.xfail(reason=reason, raises=ProgramFailed, strict=True))
    apart.check(from_text(path.read_text()))


def test_names():
    """What is said to fail is there."""
    assert set(STILL_FAILING) <= {path.stem for path in FOUND}
