"""The derivatives of small functions, as the engine writes them, are the stored ones, and they are right."""

from __future__ import annotations

import os

import pytest

from enzyme.support.watching import watch
from tests.stages import verify

from .snapshot_harness import MODES, NAMES, check_numbers, derivative, program, snapshot

RENEW = "make snapshots renews the stored derivatives; a review looks at the difference"
RENEWING = bool(os.environ.get("UPDATE_SNAPSHOTS"))


def test_there_are_enough():
    assert len(NAMES) >= 60


@pytest.mark.parametrize("name", NAMES)
def test_snapshot(name):
    """Set UPDATE_SNAPSHOTS=1 to write the snapshots again."""
    found = program(name)
    with watch(verify):
        made = {mode: derivative(found, mode) for mode in MODES}
    check_numbers(found, **made)
    for mode, text in made.items():
        path = snapshot(name, mode)
        if RENEWING:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        assert path.exists() and path.read_text() == text, RENEW


@pytest.mark.parametrize("mode", MODES)
def test_every_snapshot_has_a_program(mode):
    found = {path.stem: path for path in snapshot("", mode).parent.glob("*.ll")}
    if RENEWING:
        for name in found.keys() - set(NAMES):
            found.pop(name).unlink()
    assert sorted(found) == NAMES
