"""Nothing is printed when a process ends, whatever is still alive then."""

from __future__ import annotations

import subprocess
import sys

_PROGRAM = """
import atexit, sys, threading, types
import numpy as np
from numba import njit
from enzyme import *
import enzyme.api.tapes

def first_two(x):
    return x[0] * x[1]

kind = Duplicated[typeof(np.ones(2))]
plain = autodiff_thunk(ReverseSplitWithPrimal, Const[typeof(first_two)], Active, kind)
chosen = autodiff_thunk(
    set_runtime_activity(ReverseSplitWithPrimal), Const[typeof(first_two)], Active, kind
)

def tape(pair=plain):
    return pair[0](Const(first_two), Duplicated(np.ones(2), np.zeros(2)))[0]

class Node:
    pass

kept = tape()                                   # a global
cycle = Node(); cycle.me, cycle.tape = cycle, tape()
module = types.ModuleType("kept"); module.tape = tape(); sys.modules["kept"] = module
sys.late = tape()                               # goes when the interpreter does
local = threading.local(); local.tape = tape()
held = [tape()]; atexit.register(held.clear)    # dropped by an exit function
enzyme.api.tapes.alive = tape(), tape(chosen)
numba_holds = njit(lambda: 1.0); numba_holds.tape = tape()
dropped = tape(); del dropped
"""


def test_tapes_that_are_alive():
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", _PROGRAM],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
