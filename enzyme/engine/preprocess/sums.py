"""Sums of loop counters and of what does not change, written as instructions again."""

from __future__ import annotations

from collections.abc import Mapping

from enzyme.engine.analysis.integer_sums import Sum
from enzyme.engine.analysis.loop_indices import LoopIndices
from enzyme.engine.analysis.loops import Loop
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.instructions import Phi
from enzyme.engine.ir.types import I64
from enzyme.engine.ir.values import ConstInt, Value


def write_sum(b: Builder, total: Sum, indices: LoopIndices, counters: Mapping[Loop, Phi]) -> Value:
    """The sum where the builder stands, which all that it consists of dominates."""
    made: Value | None = None
    for product, factor in sorted(total.items()):
        term: Value | None = None
        for number in product:
            each = _unknown(b, number, indices, counters)
            term = each if term is None else b.imul(term, each)
        if term is None:
            term = ConstInt(I64, factor)
        elif factor != 1:
            term = b.imul(term, ConstInt(I64, factor))
        made = term if made is None else b.iadd(made, term)
    return ConstInt(I64, 0) if made is None else made


def _unknown(b: Builder, number: int, indices: LoopIndices, counters: Mapping[Loop, Phi]) -> Value:
    what = indices.what(number)
    if isinstance(what, Loop):
        return counters[what]
    return what if isinstance(what, Value) else write_sum(b, what, indices, counters)
