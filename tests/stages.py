"""Verifies the IR after every stage of the pipeline while tests run.

That of all programs costs more than it finds, see `VERIFIED_IN`; with ALL_VERIFIED in the environment it is done.
"""

from __future__ import annotations

import os
import zlib
from contextlib import AbstractContextManager, nullcontext

from enzyme.engine.ir.module import Function, Module
from enzyme.engine.ir.verifier import verify_function, verify_module
from enzyme.errors import IRVerifyError
from enzyme.support.watching import Reached, watch

VERIFIED_IN = 10


def verify(found: Reached) -> None:
    """Raise an error that names the stage if the IR that it made is not well formed."""
    try:
        if isinstance(found.made, Function):
            verify_function(found.made)
        elif isinstance(found.made, Module):
            verify_module(found.made)
    except IRVerifyError as error:
        error.add_note(f"after the stage {found.stage!r} of @{found.function}")
        raise


def verifying(name: str, well_formed: bool) -> AbstractContextManager[None]:
    """Verify meanwhile, if it is the turn of the test of this name, and what it begins with is well formed."""
    # Not the tests that are compiled in full, see `effort`: these are one in ten as well.
    turn = zlib.crc32(f"verified {name}".encode()) % VERIFIED_IN == 0
    wanted = well_formed and (turn or "ALL_VERIFIED" in os.environ)
    return watch(verify) if wanted else nullcontext()
