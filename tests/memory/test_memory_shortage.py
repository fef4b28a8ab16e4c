"""What cannot be had is a MemoryError, in every mode (see `shortage`)."""

from __future__ import annotations

import sys

import pytest

from tests.memory.separate import output_of


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits memory as Linux does")
def test_every_mode_raises_and_goes_on():
    forward, modes = ("forward", "batch"), ("forward", "batch", "reverse", "split")
    assert output_of("shortage").splitlines() == [
        "returned, primal",
        "behind_others, primal",
        "copied, reverse",
        "copied, split",
        *(f"one_array, {mode}" for mode in modes),
        *(f"filled, {mode}" for mode in forward),
        *(f"{f}, {mode}" for f in ("in_recursion", "returned", "behind_others") for mode in modes),
    ]
