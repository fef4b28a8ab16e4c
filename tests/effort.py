"""How much LLVM does for a derivative in tests.

A derivative is compiled for a handful of calls here: all of `-O3` and of instruction selection takes nine times as
long as the little that they need. One in ten, chosen by its name, gets what users get; with ALL_OPTIMISED in the
environment, all do.
"""

from __future__ import annotations

import os
import zlib

from enzyme.backend.passes import POST_DEFAULT, POST_QUICK, PostOptions

FULL_IN = 10


def is_full(name: str) -> bool:
    """Is what bears this name compiled as for users?"""
    return "ALL_OPTIMISED" in os.environ or zlib.crc32(name.encode()) % FULL_IN == 0


def options_for(name: str) -> PostOptions:
    """The knobs for the derivatives of a test or a program."""
    return POST_DEFAULT if is_full(name) else POST_QUICK
