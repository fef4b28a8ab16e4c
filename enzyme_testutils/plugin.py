"""The pytest plugin: ``--enzyme-seed``, the fixture `enzyme_rng`; loaded wherever this package is installed.

Imports neither numba nor the compiler, so that it costs other projects nothing.
"""

from __future__ import annotations

import secrets
import zlib
from typing import Any

import numpy as np
import pytest

from enzyme_testutils import seeds


def _seed(text: str) -> int | str:
    if text == "random":
        return text
    seed = int(text)
    if seed < 0:
        raise ValueError("a seed is not negative")
    return seed


def pytest_addoption(parser: Any) -> None:
    """Add ``--enzyme-seed``."""
    parser.getgroup("enzyme").addoption(
        "--enzyme-seed",
        type=_seed,
        default=0,
        metavar="SEED",
        help="seed of the tangents in tests of derivatives, or 'random' (default: 0)",
    )


def pytest_configure(config: Any) -> None:
    """Choose the seed; a worker of xdist has the one of the process that started it."""
    if hasattr(config, "workerinput"):
        config.option.enzyme_seed = config.workerinput["enzyme_seed"]
    elif config.option.enzyme_seed == "random":
        config.option.enzyme_seed = secrets.randbelow(2**32)
    seeds.set_seed(config.option.enzyme_seed)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Hand the seed to a worker of xdist."""
    node.workerinput["enzyme_seed"] = node.config.option.enzyme_seed


def pytest_report_header(config: Any) -> str:
    """Say the seed."""
    return f"enzyme: --enzyme-seed={config.option.enzyme_seed}"


@pytest.fixture
def enzyme_rng(request: Any) -> np.random.Generator:
    """A generator of random numbers that depends on the seed and on the test alone."""
    name = zlib.crc32(request.node.nodeid.encode())
    return np.random.default_rng([request.config.option.enzyme_seed, name])
