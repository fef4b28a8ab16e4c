"""Everything meets everything: modes, kinds of arguments and options, two at a time in this test.

`python -m tests.crossing` runs the whole table.  What may be refused is listed here; everything else must be right.
"""

from __future__ import annotations

import itertools

import pytest

from tests.crossing.cells import Cell, pairwise_cells
from tests.crossing.kinds import KINDS
from tests.crossing.options import OPTIONS
from tests.crossing.verdicts import NOT_NUMBA, REFUSED, excuse, run

pytestmark = pytest.mark.rotating(35)

CELLS = pairwise_cells()


def test_each_two_meet():
    axes = ("mode", "kind", "option", "body")
    for one, other in itertools.combinations(axes, 2):
        met = {(getattr(c, one), getattr(c, other)) for c in CELLS}
        firsts, seconds = {m[0] for m in met}, {m[1] for m in met}
        assert met == set(itertools.product(firsts, seconds)), (one, other)
    assert {c.kind for c in CELLS} == set(KINDS) and {c.option for c in CELLS} == set(OPTIONS)


@pytest.mark.parametrize("cell", CELLS, ids=str)
def test_cell(cell: Cell):
    verdict, said = run(cell)
    if verdict == REFUSED:
        assert excuse(cell) in said, f"refused: {said}"
    assert verdict != NOT_NUMBA, said
