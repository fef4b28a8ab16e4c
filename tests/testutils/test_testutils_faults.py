"""Wrong derivatives must not pass: faults that are planted, and the same functions without them."""

from __future__ import annotations

import pytest

from enzyme_testutils import DerivativeTestError
from tests.testutils.faulty import FAULTS


@pytest.mark.parametrize("name", FAULTS)
def test_without_the_fault(name):
    fault = FAULTS[name]
    fault.check(fault.make(False))


@pytest.mark.parametrize("name", FAULTS)
def test_with_the_fault(name):
    """It is found, it is called by its name, and nothing else is said to be wrong."""
    fault = FAULTS[name]
    with pytest.raises(DerivativeTestError) as caught:
        fault.check(fault.make(True))
    found = [f"{c.subject} {c.problem}" for c in caught.value.checks if not c.ok]
    assert len(found) == len(fault.says), str(caught.value)
    for line, said in zip(found, fault.says):
        assert said in line and line in str(caught.value)
