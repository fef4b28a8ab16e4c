"""All registered programs in many threads at once: ``python -m tests.programs.threads``, half an hour or so.

Each program is checked twice, in an order that a seed gives, so that threads compile and call the same derivatives at
the same time: forward, reverse and split mode, and differences. A crash prints the frames of all threads.
"""

from __future__ import annotations

import argparse
import faulthandler
import random
import sys
import traceback
from concurrent.futures import ThreadPoolExecutor

from tests.programs import checks, memory
from tests.programs.suite import CASES


def failure_of(name: str) -> str:
    """What is wrong with a program; nothing if all is right."""
    try:
        with memory.where_numba_keeps(True):  # what is alive is counted for all threads together
            checks.LAW.run(CASES[name])
    except Exception:
        return f"{name}\n{traceback.format_exc()}"
    return ""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.programs.threads", description=__doc__)
    parser.add_argument("--threads", type=int, default=16)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--programs", type=int, default=len(CASES), help="how many of them")
    options = parser.parse_args()
    faulthandler.enable(all_threads=True)
    shuffled = random.Random(options.seed)
    chosen = shuffled.sample(list(CASES), options.programs)
    order = shuffled.sample(chosen * 2, 2 * len(chosen))
    with ThreadPoolExecutor(options.threads) as pool:
        wrong = [found for found in pool.map(failure_of, order) if found]
    print("\n".join(wrong))
    print(f"{len(chosen)} programs twice in {options.threads} threads, {len(wrong)} wrong")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
