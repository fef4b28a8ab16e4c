"""``python -m enzyme``: the commands of the compiler, without numba."""

from __future__ import annotations

import os
import sys

from enzyme.support.collector import resting


def run() -> int:
    """The status of the command; nothing is collected meanwhile, for the process ends with it."""
    with resting():
        from enzyme.frontdoor.command import main

        try:
            return main()
        except SystemExit as end:  # of the reader of options
            return int(end.code or 0)


if __name__ == "__main__":
    if sys.argv[1:2] == ["opt"] and hasattr(os, "memfd_create"):
        from enzyme.frontdoor.guard import guarded

        status = guarded(run)
    else:
        status = run()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)
