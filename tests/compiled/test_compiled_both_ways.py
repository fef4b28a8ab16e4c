"""What a call means from Python it means inside a jitted function: the table of `both_ways`.

One row in many is run, chosen by its name; with ALL_CALLS in the environment, all are.
"""

from __future__ import annotations

import os
import zlib

import pytest

from enzymecore.structure import Kind, kind_of
from tests.compiled.both_ways import ARGUMENTS, REASONS, WITHOUT_TYPE, difference, reason, rows

pytestmark = pytest.mark.rotating(27)

ROWS_IN = 1 if "ALL_CALLS" in os.environ else 24
ROWS = [row for row in rows() if zlib.crc32(str(row).encode()) % ROWS_IN == 0]


@pytest.mark.parametrize("row", [row for row in ROWS if not reason(row)], ids=str)
def test_agree(row):
    assert difference(row) == ""


@pytest.mark.parametrize("row", [row for row in ROWS if reason(row)][:: ROWS_IN // 8 or 1], ids=str)
def test_excused_rows_do_not_crash(row):
    assert "RuntimeError" not in difference(row) and "Internal" not in difference(row)


def test_every_kind_of_value_has_a_row():
    there = {kind_of(argument.make()) for argument in ARGUMENTS.values()}
    assert there | set(WITHOUT_TYPE) == set(Kind)
    assert not there & set(WITHOUT_TYPE)


def test_every_reason_is_needed():
    for why, applies in REASONS:
        assert any(applies(row) for row in rows()), why
