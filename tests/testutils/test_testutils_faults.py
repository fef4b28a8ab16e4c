"""Wrong derivatives must not pass: faults that are planted, and the same functions without them."""

from __future__ import annotations

import numpy as np
import pytest

from enzyme import Active, Const, Duplicated
from enzyme_testutils import DerivativeTestError, test_forward, test_reverse
from tests.testutils.faulty import FAULTS

pytestmark = pytest.mark.rotating(18)


@pytest.mark.parametrize("name", FAULTS)
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


def test_constants_that_hold_nan():
    """Data with gaps, which the function does not write to, is unchanged."""
    data = np.array([np.nan, 2.0])
    test_forward(lambda x, data: x * data[1], Duplicated, (1.5, Duplicated), (data, Const))


def test_whole_numbers_as_cotangents():
    test_reverse(lambda x: x * x, Active, (1.5, Active), output_tangent=1)
