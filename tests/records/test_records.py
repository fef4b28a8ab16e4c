"""Arrays of records are differentiated however their items are reached.

By default every other form is met once; with ALL_RECORDS in the environment, every cell of the table is.
"""

from __future__ import annotations

import os

import pytest

from tests.records.table import (
    CONTAINERS,
    FORMS,
    LAYOUTS,
    MODES,
    OTHERS,
    Cell,
    all_cells,
    run,
    some_cells,
)

pytestmark = pytest.mark.rotating(18)

CELLS = all_cells() if "ALL_RECORDS" in os.environ else some_cells()


def test_everything_is_met():
    assert {c.form for c in all_cells()} == {*FORMS, *OTHERS}
    assert {c.layout for c in CELLS} == set(LAYOUTS)
    assert {c.container for c in CELLS} == set(CONTAINERS)
    assert {c.mode for c in CELLS} == set(MODES)


@pytest.mark.parametrize("cell", CELLS, ids=str)
def test_cell(cell: Cell):
    run(cell)
