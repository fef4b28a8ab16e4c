"""What a first gradient costs in a fresh process; prints one JSON object.

    python -m benchmarks.startup

Both compilers are warmed up on another function, so that imports and the set-up of targets are
reported on their own and not blamed on the thirty lines that are compiled afterwards.
"""

from __future__ import annotations

import json
import os
import tempfile
from time import perf_counter

# Nothing may come from a cache on disk.
os.environ["ENZYME_CACHE_DIR"] = os.environ["NUMBA_CACHE_DIR"] = tempfile.mkdtemp()


def main() -> None:
    times = {}
    last = perf_counter()

    def lap(name: str) -> None:
        nonlocal last
        now = perf_counter()
        times[name] = now - last
        last = perf_counter()

    import numba  # noqa: F401

    lap("import numba")
    from enzyme import Active, Duplicated, Reverse, autodiff

    lap("import enzyme")
    import numpy as np

    from benchmarks.small import thirty_lines, warm_up

    x, w = np.linspace(0.1, 1.0, 8), np.linspace(-1.0, 1.0, 40).reshape(5, 8)
    last = perf_counter()
    warm_up(x)
    lap("warm-up: numba compiles another function")
    autodiff(Reverse, warm_up, Active, Duplicated(x, np.zeros_like(x)))
    lap("warm-up: its first gradient")
    thirty_lines(x, w)
    lap("numba compiles thirty lines")
    autodiff(
        Reverse,
        thirty_lines,
        Active,
        Duplicated(x, np.zeros_like(x)),
        Duplicated(w, np.zeros_like(w)),
    )
    lap("first gradient of thirty lines")
    print(json.dumps(times))


if __name__ == "__main__":
    main()
