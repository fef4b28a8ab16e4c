"""Intrinsics of x86 in copies of primals, as the instructions that LLVM has for all processors."""

from __future__ import annotations

import re

from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.instructions import Call, Instruction
from enzyme.engine.ir.module import Function
from enzyme.engine.ir.types import I32, VectorType, vector_type
from enzyme.engine.ir.values import ConstAggregate, ConstInt, Value

_NAME = re.compile(r"llvm\.x86\.(?:sse|sse2|sse3|avx)\.(hadd|hsub|min|max)\.(?:ps|pd)(?:\.256)?")


def read_intrinsics(function: Function) -> None:
    """Replace sums of neighbours, and what is smaller or larger."""
    for call in [i for i in function.instructions() if isinstance(i, Call)]:
        found = _NAME.fullmatch(call.callee_name)
        if found is None or not isinstance(call.type, VectorType) or len(call.arguments) != 2:
            continue
        b = Builder()
        b.before(call)
        first, second = call.arguments
        if found.group(1) in ("hadd", "hsub"):
            even, odd = (_of_pairs(b, first, second, call.type, k) for k in (0, 1))
            value = b.fadd(even, odd) if found.group(1) == "hadd" else b.fsub(even, odd)
        else:
            less = b.fcmp("olt" if found.group(1) == "min" else "ogt", first, second)
            value = b.select(less, first, second)
        call.replace_uses_with(value)
        call.erase()


def _of_pairs(b: Builder, first: Value, second: Value, type_: VectorType, which: int) -> Value:
    """One of each pair of neighbours: per 128 bits, those of the first operand and then those of the second."""
    per_half = 128 // type_.element.bits  # type: ignore[attr-defined]
    places: list[Value] = []
    for start in range(0, type_.count, per_half):
        for offset in (0, type_.count):
            places += [ConstInt(I32, offset + start + k + which) for k in range(0, per_half, 2)]
    mask = ConstAggregate(vector_type(type_.count, I32), places)
    return b.add(Instruction("shufflevector", type_, (first, second, mask)))
