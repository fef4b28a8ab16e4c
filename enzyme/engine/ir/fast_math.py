"""Which liberties LLVM may take with the numbers of a derivative."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.instructions import Instruction

# Products keep their order: of factors that are far from one, others would overflow or vanish.
FAST = ("nsz", "arcp", "contract")
SUMS = ("reassoc",)


@contextmanager
def as_free_as(b: Builder, primal: Instruction) -> Iterator[None]:
    """Within, numbers may be computed with the liberties that are allowed for `primal`, and no others."""
    known = b.fast, b.sums
    free = "fast" in primal.flags
    b.fast = tuple(word for word in FAST if free or word in primal.flags)
    b.sums = tuple(word for word in SUMS if free or word in primal.flags)
    try:
        yield
    finally:
        b.fast, b.sums = known
