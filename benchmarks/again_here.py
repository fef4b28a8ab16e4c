"""The process that `again` measures: it imports what a user's program would, and nothing of the benchmarks' reports."""

from __future__ import annotations

import json
import os
import sys
import time


def run_here(family_name: str, name: str) -> None:
    """The first gradient of one program; prints seconds: of the imports, of the gradient, since the process began."""
    import numpy as np

    begin = time.perf_counter()
    import numba  # noqa: F401

    numba_there = time.perf_counter() - begin

    import enzyme  # noqa: F401
    from benchmarks.families import family

    program = next(program for program in family(family_name) if program.name == name)
    inputs = program.make_inputs()
    active = set(program.active(inputs))
    begin = time.perf_counter()
    from enzyme import Active, Const, Duplicated, Reverse, autodiff

    imported = time.perf_counter()
    shadows = [np.zeros_like(x) if i in active else None for i, x in enumerate(inputs)]
    annotated = [
        Const(x) if d is None else Duplicated(x, d) for x, d in zip(inputs, shadows, strict=True)
    ]
    autodiff(Reverse, program.function, Active, *annotated)
    now = time.perf_counter()
    started = time.time() - float(os.environ["BEGIN"])
    print(json.dumps([numba_there, imported - begin, now - imported, started]))


if __name__ == "__main__":
    run_here(*sys.argv[1:])
