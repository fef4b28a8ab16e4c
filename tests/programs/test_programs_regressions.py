"""Programs that failed once obey the law (see `programs_regressions`)."""

from __future__ import annotations

import pytest

from tests.programs import harness, programs_regressions
from tests.programs.cases import CASES

pytestmark = pytest.mark.rotating(21)

NAMES = [name for name in CASES if name.startswith("regressions.")]


def test_the_programs_are_found():
    assert programs_regressions
    assert NAMES


@pytest.mark.parametrize("name", NAMES)
def test_regression(name):
    harness.check(CASES[name])
