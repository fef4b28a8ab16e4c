"""``python -m enzyme``: the commands of the compiler, without numba."""

from __future__ import annotations

import os
import sys

from enzyme.support.collector import resting


def run() -> int:
    """The status of the command; nothing is collected meanwhile, for the process ends with it."""
    with resting():
        from enzyme.frontdoor.command import main

        return main()


if __name__ == "__main__":
    status = run()
    sys.stdout.flush()
    sys.stderr.flush()
    # To take thousands of objects apart one by one would take longer than to start.
    os._exit(status)
