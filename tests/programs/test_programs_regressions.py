"""Programs that failed once obey the law (see `programs_regressions`)."""

from __future__ import annotations

import pytest

from tests.programs import harness, programs_regressions

NAMES = [name for name in harness.CASES if name.startswith("regressions.")]


def test_the_programs_are_found():
    assert programs_regressions
    assert NAMES


# Open defects: each ends in an error, none in a wrong number.
OPEN = pytest.mark.xfail(reason="open defect: refused with an internal or activity error")


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=OPEN) if "two_triangles" in n else n for n in NAMES],
)
def test_regression(name):
    harness.check_unless_refused(harness.CASES[name])
