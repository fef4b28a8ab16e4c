"""The memory of `make poison` tells: fresh memory reads as NaN, and derivatives are right in it."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.memory import poison

# `conftest` settles in when it is imported, as in every poisoned run.
_PROGRAM = """
import numpy as np
from numba import njit

import tests.conftest
from enzyme import grad

@njit
def squares(x):
    work = np.empty(x.size)
    for i in range(x.size):
        work[i] = x[i] * x[i]
    return work.sum()

@njit
def unwritten(x):
    return np.empty(1000)[500] * x[0]

print(grad(squares)(np.arange(5.0)), grad(unwritten)(np.ones(1)))
"""


def test_poisoned_memory_tells(tmp_path):
    environment = {**os.environ, "LD_PRELOAD": poison.library(str(tmp_path)), poison.SWITCH: "1"}
    call = [sys.executable, "-c", _PROGRAM]
    done = subprocess.run(call, env=environment, check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[0. 2. 4. 6. 8.] [nan]"
