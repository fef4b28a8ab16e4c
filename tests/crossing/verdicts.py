"""What became of a cell: right, refused in words, or numba itself cannot do it."""

from __future__ import annotations

import numpy as np

from enzyme.backend.passes import compiling_with
from enzyme.errors import EnzymeError, EnzymeInternalError
from tests.crossing.cells import Cell, Program
from tests.crossing.kinds import KINDS
from tests.crossing.modes import MODES
from tests.effort import options_for

RIGHT, REFUSED, NOT_NUMBA = "right", "refused", "not numba"


def run(cell: Cell) -> tuple[str, str]:
    """The verdict and what was said; a wrong number or a raw error is raised."""
    dtype = complex if cell.mode == "holomorphic" else float
    program = Program(cell.body, KINDS[cell.kind], cell.option, dtype)
    try:
        value = program.function(*program.arguments())
    except Exception as error:
        return NOT_NUMBA, f"{type(error).__name__}: {error}"
    np.testing.assert_allclose(value, program.value, 1e-13, err_msg="the program itself")
    try:
        with compiling_with(options_for(str(cell))):
            MODES[cell.mode](program)
    except EnzymeInternalError:
        raise
    except EnzymeError as error:
        assert len(str(error)) > 20
        return REFUSED, str(error)
    return RIGHT, ""


_IN_JITTED_CODE = {"jitted_forward", "jitted_reverse"} | {m for m in MODES if "_over_" in m}
_CONTAINERS = {"typed_list", "list_of_lists", "typed_dict", "jitclass", "structref"}


def excuse(cell: Cell) -> str:
    """What the refusal of this cell must say; a text that no error has where it must be right."""
    if cell.mode in _IN_JITTED_CODE and cell.kind in _CONTAINERS:
        return "compiled code compares shadows with arrays, records and tuples of them only"
    return "nothing of this may be refused"
