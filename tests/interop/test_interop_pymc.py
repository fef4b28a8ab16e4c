"""The example for PyMC: its posterior is where it should be, and gradients pay."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pymc")

EXAMPLE = Path(__file__).parents[2] / "examples" / "lotka_volterra_pymc.py"


@pytest.mark.filterwarnings("ignore")
def test_posterior():
    """Means of the rates as published for these data; more effective samples in a second than by a black box."""
    example = runpy.run_path(str(EXAMPLE))
    found = example["main"](draws=200, tune=300)
    np.testing.assert_allclose([found[k] for k in range(4)], [0.55, 0.028, 0.80, 0.024], rtol=0.08)
    assert found["least"] > 50
    assert found["rate"] > found["black box"]
