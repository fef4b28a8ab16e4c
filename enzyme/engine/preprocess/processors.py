"""Intrinsics of one kind of processor that are what others write as a few instructions.

Libraries call them by name: Eigen takes the larger of packed numbers so. The derivative is that of the instructions.
"""

from __future__ import annotations

import re

from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.instructions import Call
from enzyme.engine.ir.module import Function

# The second where neither is larger, or one is not a number; of 512 bits with a word on rounding behind them.
_CHOICES = re.compile(r"llvm\.x86\.(?:sse2?|avx|avx512)\.(max|min)\.p[sd](?:\.(?:256|512))?")


def write_out_choices(function: Function) -> None:
    """Write x86's larger and smaller of packed numbers as comparisons and selections."""
    for call in [i for i in function.instructions() if isinstance(i, Call)]:
        found = _CHOICES.fullmatch(call.callee_name)
        if found is None:
            continue
        one, other = call.arguments[:2]
        b = Builder()
        b.before(call)
        chosen = b.fcmp("ogt" if found[1] == "max" else "olt", one, other)
        call.replace_uses_with(b.select(chosen, one, other, call.name))
        call.erase()
