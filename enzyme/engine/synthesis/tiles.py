"""Fused loops (`fused`) of which a few iterations run before these are reversed.

Where an iteration is a chain, each step of an inner loop waiting for the one before, a processor computes several
iterations at a time if nothing else stands between them.  So iterations of such loops run in tiles: some forwards, then
the same ones backwards.  What is kept has room for one tile.  Where inner loops are long that would be more than the
nearest memory holds, so the program finds out how many iterations a tile has, before the nest: some, or one.
"""

from __future__ import annotations

from collections.abc import Callable

from enzyme.engine.analysis.loops import Loop
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.types import I64
from enzyme.engine.ir.values import ConstInt, Value

# Iterations, a power of two.
LENGTH = 8
# Steps of all inner loops together, up to which there is more than one iteration in a tile.
MOST_STEPS = 256
# Instructions of an inner loop, above which a processor does not look as far as the next iteration.
_MOST_INSTRUCTIONS = 32


def is_chained(loop: Loop, carries_more_than_sums: Callable[[Loop], bool]) -> bool:
    """Are the loops inside all short chains?"""
    return bool(loop.children) and all(
        not inner.children
        and sum(len(block.instructions) for block in inner.blocks) <= _MOST_INSTRUCTIONS
        and carries_more_than_sums(inner)
        for inner in loop.children
    )


def length_for(b: Builder, extents: list[Value]) -> Value:
    """How many iterations a tile has where the inner loops are that long."""
    steps = extents[0]
    for extent in extents[1:]:
        steps = b.iadd(steps, extent)
    short = b.icmp("sle", steps, ConstInt(I64, MOST_STEPS))
    return b.select(short, ConstInt(I64, LENGTH), ConstInt(I64, 1), "tile")
