"""Every registered program obeys the law of `harness`: J forward, J transposed, finite differences."""

from __future__ import annotations

import pytest

from tests.programs import checks
from tests.programs.suite import CASES

pytestmark = pytest.mark.rotating(35)


def test_there_are_enough_programs():
    assert len(CASES) >= 480
    assert len({case.function for case in CASES.values()}) >= 300


@pytest.mark.parametrize("name", [name for name in CASES if not name.startswith("regressions.")])
def test_program(name):
    checks.run(CASES[name])
