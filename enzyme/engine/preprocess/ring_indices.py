"""An index on a ring is a choice, not a remainder, where it is never further off than once around.

``(j - 1) % n`` is ``j - 1``, or `n` more where that is negative. Python's remainder has the sign of the divisor, which
numba makes of the processor's: a division for each cell, and nothing that a loop over neighbours could be made of.
"""

from __future__ import annotations

from enzyme.engine.analysis.integer_sums import constant, follows, minus, plus
from enzyme.engine.analysis.loop_indices import LoopFacts
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.instructions import Cmp, Instruction
from enzyme.engine.ir.module import Function
from enzyme.engine.ir.simplify import remove_dead
from enzyme.engine.ir.types import I64
from enzyme.engine.ir.values import ConstInt, Value, is_zero
from enzyme.engine.preprocess.plain_indices import certain_indices, is_address


def choose_on_rings(function: Function, loops: LoopFacts) -> bool:
    """Write remainders in addresses as choices, where the number divided is known to be near; was there any? Loops are
    described anew then."""
    if not any(i.opcode == "srem" for i in function.instructions()):
        return False
    indices = certain_indices(loops)
    written = False
    for block in function.blocks:
        for i in list(block.instructions):
            found = _remainder(i)
            if found is None or not is_address(i):
                continue
            number, around = found
            x, n = (indices.of(v, block) for v in found)
            facts = [*indices.facts(block), *indices.bounds_in([x, n])]
            wanted = plus(x, n), plus(minus(n, x), constant(-1)), plus(n, constant(-1))
            if all(follows(each, facts) for each in wanted):
                b = Builder()
                b.before(i)
                below = b.icmp("slt", number, ConstInt(I64, 0))
                i.replace_uses_with(
                    b.iadd(number, b.select(below, around, ConstInt(I64, 0)), i.name)
                )
                written = True
    if written:
        remove_dead(function)
    return written


def _remainder(i: Instruction) -> tuple[Value, Value] | None:
    """The number that is divided, and by what, if this is Python's remainder of it."""
    if i.opcode != "add" or i.type is not I64:
        return None
    for rest, more in (i.operands, reversed(i.operands)):
        if (
            isinstance(rest, Instruction)
            and rest.opcode == "srem"
            and isinstance(more, Instruction)
            and more.opcode == "select"
        ):
            number, around = rest.operands
            test, then, other = more.operands
            if then is around and is_zero(other) and _differs_in_sign(test, rest, around):
                return number, around
    return None


def _differs_in_sign(test: Value, rest: Value, around: Value) -> bool:
    if not isinstance(test, Cmp) or test.predicate != "slt" or not is_zero(test.operands[1]):
        return False
    signs = test.operands[0]
    return (
        isinstance(signs, Instruction)
        and signs.opcode == "xor"
        and set(signs.operands) == {rest, around}
    )


__all__ = ["choose_on_rings"]
