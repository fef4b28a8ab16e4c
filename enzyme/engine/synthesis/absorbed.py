"""Floats that may be infinite, or no number at all, and the result a number all the same.

The exponential of minus infinity is zero, and so is one divided by infinity; a select may choose the other arm. What
is added to, multiplied with something or written down as the one result of the function makes that infinite or NaN as
well: then there is no derivative to keep from NaN. Which operations let it through their ranges tell.

The one result is a float that the function returns, or what it writes behind one of its parameters, if it writes
nothing else that others see.
"""

from __future__ import annotations

import math
from collections.abc import Container

from enzyme.engine.analysis.known_functions import lookup_known
from enzyme.engine.analysis.value_ranges import Evaluator
from enzyme.engine.derivatives import ranges
from enzyme.engine.derivatives.catalogue import row_for_call
from enzyme.engine.derivatives.operands import primal_operands
from enzyme.engine.derivatives.ranges import ANYTHING, NOTHING, Range
from enzyme.engine.ir.graph import reached
from enzyme.engine.ir.instructions import Call, Instruction, Phi, Store
from enzyme.engine.ir.module import Block
from enzyme.engine.ir.opcodes import ATOMICS
from enzyme.engine.ir.values import Argument, ConstFloat, Value
from enzyme.engine.synthesis.discarded import Readers, passes_by
from enzyme.engine.synthesis.prepare import CanonicalFunction

_EVALUATOR = Evaluator(strict=False)
_NO_NUMBER = NOTHING._replace(above=True, below=True, nan=True)
_PARTS = tuple(ranges.number(x) for x in (0.0, math.inf, -math.inf, math.nan))


def let_through(
    p: CanonicalFunction, readers: Readers, discarded: Container[Instruction]
) -> set[Instruction]:
    """The floats that are finite wherever the result is."""
    sinks = _result(p, readers)
    if not sinks:
        return set()
    # The last ones first: few lose what they rest on afterwards.
    pending = [i for b in p.blocks for i in b.instructions if i.type.scalar.is_float]
    found = set(pending)
    while pending:
        i = pending.pop()
        if i not in found:
            continue
        wanted = [u for u in i.users if u in sinks or (u in found and passes_on(u, i))]
        if i in discarded or not wanted or passes_by(i, wanted, readers) is not None:
            found.discard(i)
            pending += [o for o in i.operands if isinstance(o, Instruction) and o in found]
    return found


def _result(p: CanonicalFunction, readers: Readers) -> set[Instruction]:
    """What gives the one result on each way to the end; nothing where there is none, or more than one."""
    stores: dict[Value, list[Store]] = {}
    returned = []
    for block in p.blocks:
        for i in block.instructions:
            if isinstance(i, Store):
                if not readers.is_private(i.pointer):
                    stores.setdefault(i.pointer, []).append(i)
            elif i.opcode == "ret":
                if i.operands and i.operands[0].type.is_float:
                    returned.append(i)
            elif (isinstance(i, Call) and not _writes_nothing(i, readers)) or i.opcode in ATOMICS:
                return set()
    if not stores:
        return set(returned)
    if returned or len(stores) > 1:
        return set()
    ((pointer, found),) = stores.items()
    blocks = [i.parent for i in found if i.parent is not None]
    behind = reached((s for b in blocks for s in b.successors()), Block.successors)
    last = len(set(blocks)) == len(found) and not any(b in behind for b in blocks)
    numbers = all(i.value.type.is_float for i in found)
    return set(found) if last and numbers and isinstance(pointer, Argument) else set()


def _writes_nothing(call: Call, readers: Readers) -> bool:
    """Is nothing written that others see? What it allocates or gives back is no number."""
    known = lookup_known(call)
    if known is None:
        return row_for_call(call) is not None
    written = (call.arguments[k] for k in known.writes if k < len(call.arguments))
    return not known.writes_other and all(map(readers.is_private, written))


def passes_on(user: Instruction, operand: Value) -> bool:
    """Is what it gives no number where the operand is none?"""
    if isinstance(user, Phi):
        return True
    if not user.type.is_float:
        return False
    return not _may_be_number(
        user, [_NO_NUMBER if o is operand else _of(o) for o in primal_operands(user)]
    )


def of_finite(i: Instruction, operands: list[Range], result: Range) -> tuple[list[Range], Range]:
    """What operands and result may be where the result is a number."""
    for k, old in enumerate(operands):
        for part in _PARTS:
            if not _may_be_number(
                i, [part if n == k else ANYTHING for n, _ in enumerate(operands)]
            ):
                old = _without(old, part)
        operands = [*operands[:k], old, *operands[k + 1 :]]
    return operands, _without(result, _NO_NUMBER)


def _without(range_: Range, part: Range) -> Range:
    return range_._replace(
        zero=range_.zero and not part.zero,
        above=range_.above and not part.above,
        below=range_.below and not part.below,
        nan=range_.nan and not part.nan,
    )


def _may_be_number(i: Instruction, operands: list[Range]) -> bool:
    made = _EVALUATOR.evaluate(i, operands)
    return made.low <= made.high or made.zero


def _of(value: Value) -> Range:
    return ranges.number(value.value) if isinstance(value, ConstFloat) else ANYTHING


__all__ = ["let_through", "of_finite", "passes_on"]
