"""The example for PyMC: its posterior is where the data come from, and gradients pay."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pymc")

EXAMPLE = Path(__file__).parents[2] / "examples" / "growth_pymc.py"


@pytest.mark.filterwarnings("ignore")
def test_posterior():
    """Means are near what the data were made with; in a second there are more effective samples than by a black box."""
    example = runpy.run_path(str(EXAMPLE))
    found = example["main"](draws=200)
    assert abs(found["log rate"] - np.log(example["RATE"])) < 0.3
    assert abs(found["log capacity"] - np.log(example["CAPACITY"])) < 0.35
    assert abs(found["noise"] - example["NOISE"]) < 0.03
    assert found["least"] > 30
    assert found["fast"] > found["slow"]
