"""The examples with networks: they learn, and loops of numba's take less time than those in a framework's words."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def example(name):
    return runpy.run_path(str(EXAMPLES / f"{name}.py"))["main"]


@pytest.fixture
def precision():
    """What an example sets for its process is as before."""
    yield
    if "jax" in sys.modules:
        sys.modules["jax"].config.update("jax_enable_x64", False)


@pytest.mark.parametrize("host", ["torch", "jax"])
def test_a_network_is_trained_through_a_simulator(host, precision):
    """It misses by less than a metre; both ways have the same gradient, as the program checks."""
    pytest.importorskip(host)
    ours, theirs, missed = example("throw")((host,), steps=150)[host]
    assert missed < 1.0
    assert ours < theirs


def test_losses_that_are_loops():
    """PyTorch's CTC is C++ by hand, which may be faster."""
    pytest.importorskip("torch")
    found = example("losses_torch")(steps=200)
    error, ours, theirs = found["filter"]
    assert error < 1e-3
    assert ours < theirs
    assert found["CTC"][0] > 0.9
