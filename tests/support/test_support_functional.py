"""Every cell of the table of functions of functions is right, or is refused in words."""

from __future__ import annotations

import os
import re
import zlib

import pytest

from enzyme.errors import EnzymeError
from tests.support.functional import Cell, cells, disagreement

pytestmark = pytest.mark.rotating(4)

# One in ten is in every run; all are with EXHAUSTIVE in the environment.
CHOSEN = [
    cell
    for cell in cells()
    if "EXHAUSTIVE" in os.environ or zlib.crc32(str(cell).encode()) % 10 == 0
]


@pytest.mark.parametrize("cell", CHOSEN, ids=str)
def test_cell(cell: Cell) -> None:
    if cell.phrase is None:
        assert disagreement(cell) == ""
        return
    with pytest.raises(EnzymeError) as caught:
        disagreement(cell)
    assert re.search(cell.phrase, str(caught.value))
