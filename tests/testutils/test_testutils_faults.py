"""Wrong derivatives must not pass: faults that are planted, and the same functions without them."""

from __future__ import annotations

import numpy as np
import pytest

from enzyme import Active, Const, Duplicated
from enzyme_testutils import DerivativeTestError, test_forward, test_reverse
from tests.testutils.faulty import FAULTS


def cases():
    """The table; what is missed must go on failing in this way until it is found."""
    for name, fault in FAULTS.items():
        mark = pytest.mark.xfail(strict=True, raises=pytest.fail.Exception, reason=fault.missed)
        yield pytest.param(name, marks=[mark] if fault.missed else [])


@pytest.mark.parametrize("name", list(cases()))
def test_faults_are_found(name):
    """The fault is called by its name, nothing else is said to be wrong; without it nothing is."""
    fault = FAULTS[name]
    fault.run(fault.right)
    with pytest.raises(DerivativeTestError) as caught:
        fault.run(fault.wrong)
    failed = [f"{check.subject} {check.problem}" for check in caught.value.checks if not check.ok]
    assert len(failed) == len(fault.says), str(caught.value)
    for line, said in zip(failed, fault.says):
        assert said in line and line in str(caught.value)


@pytest.mark.xfail(strict=True, reason="not-a-number in a constant counts as a change of it")
def test_constants_that_hold_nan():
    """A false alarm: data with gaps, which the function does not write to."""
    data = np.array([np.nan, 2.0])
    test_forward(lambda x, data: x * data[1], Duplicated, (1.5, Duplicated), (data, Const))


@pytest.mark.xfail(strict=True, reason="the seed 1 is not the number 1.0")
def test_whole_numbers_as_cotangents():
    """A false alarm."""
    test_reverse(lambda x: x * x, Active, (1.5, Active), output_tangent=1)
