"""A derivative leaves the program alone that it is the derivative of."""

from __future__ import annotations

import pytest

from tests.fuzz.helpers import HEAD
from tests.fuzz.program import Program
from tests.fuzz.ruled_helpers import RULED
from tests.programs.harness import run_forward, run_reverse, run_split

pytestmark = pytest.mark.rotating(14)

# `spun` is called by its rules too.
SOURCE = f"""\
{HEAD}
{RULED["spun"]}
@njit
def program(x, y, a, b, n):
    s = 0.0
    for k in range(2):
        s += spun(x, a + k)[1] + spun(x[::1], a * k)[0]
    return s
"""


@pytest.mark.parametrize("run", [run_forward, run_reverse, run_split])
def test_the_program_gives_the_same_afterwards(run):
    """Numba's execution engine took functions inside of derivatives, with other parameters, for its own."""
    made = Program(SOURCE, False, "C", 1)
    program, args = made.compiled(), made.arguments()
    run(program, args, args, *([] if run is run_forward else [1.0]))
    assert program(*args) == pytest.approx(made.interpreted()(*args), rel=1e-12)
