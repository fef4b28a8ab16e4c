"""Forks of a process that has compiled what programs share, and no more, need not compile it again."""

from __future__ import annotations

import pytest

from tests.fuzz.apart import Apart


@pytest.fixture(scope="session")
def apart():
    process = Apart()
    yield process
    process.close()
