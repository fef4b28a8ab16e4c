"""``python -m enzyme``: the commands of the compiler, without numba."""

from __future__ import annotations

import sys

from enzyme.frontdoor.command import main

if __name__ == "__main__":
    sys.exit(main())
