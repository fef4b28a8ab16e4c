"""Which calls may fail without ending their caller: an exception is caught, or a status means something else.

What such a call did before it failed is part of what the caller computes, so that its failing exits have derivatives.
"""

from __future__ import annotations

from collections.abc import Collection

from enzyme.engine.analysis.integer_facts import outcome
from enzyme.engine.ir.dispatch import Selection
from enzyme.engine.ir.instructions import Call, Cmp, Instruction, Phi
from enzyme.engine.ir.module import Block, Module
from enzyme.engine.ir.types import I1, IntType
from enzyme.engine.ir.values import ConstInt, Value

# What functions with rules return when they have raised: an exception of their own, or one of Python's.
RAISED = (1, -1)
# A program with more ways than this from a call on is taken to catch what is raised there.
_MOST_STEPS = 2000
_DEEPEST = 30  # of conditions made of conditions
_Known = dict[Value, int]


def returned_constants(module: Module) -> tuple[int, ...]:
    """The integers that functions of the module return as they stand there, statuses among them."""
    found: dict[int, None] = {}
    for function in module.functions.values():
        for block in function.blocks:
            if block.is_terminated and block.terminator.opcode == "ret":
                found.update(dict.fromkeys(_constants(block.terminator.operands)))
    return tuple(found)


def _constants(operands: Collection[Value]) -> list[int]:
    """Those among these values, and among the operands of those that are phis and selects."""
    found: list[int] = []
    for value in operands:
        if isinstance(value, Phi) or (isinstance(value, Instruction) and value.opcode == "select"):
            found += [v.value for v in value.operands if isinstance(v, ConstInt)]
        elif isinstance(value, ConstInt):
            found.append(value.value)
    return found


def may_be_caught(call: Call, successful: Collection[Block], statuses: Collection[int]) -> bool:
    """Can control get from this call, which returned one of the failing `statuses`, to a successful exit?"""
    return isinstance(call.type, IntType) and any(
        _reaches(call, {call: status}, successful) for status in statuses
    )


def _reaches(call: Call, known: _Known, successful: Collection[Block]) -> bool:
    assert call.parent is not None
    pending = [(call.parent, known)]
    seen: set[tuple[Block, frozenset[tuple[Value, int]]]] = set()
    while pending:
        block, known = pending.pop()
        key = block, frozenset(known.items())
        if key in seen:
            continue
        seen.add(key)
        if block in successful or len(seen) > _MOST_STEPS:
            return True
        if block is call.parent and len(seen) > 1:
            continue  # the call is made again: what comes of that is asked from there
        for successor in _ways(block, known):
            pending.append((successor, _entering(successor, block, known)))
    return False


def _entering(block: Block, source: Block, known: _Known) -> _Known:
    """What is known of integers at the beginning of a block."""
    found = dict(known)
    for phi in block.phis():
        value = _value(phi.value_from(source), known)
        if value is None:
            found.pop(phi, None)
        elif isinstance(phi.type, IntType):
            found[phi] = value
    return found


def _ways(block: Block, known: _Known) -> list[Block]:
    """Where control may go from the end of a block."""
    terminator = block.terminator
    ways = list(dict.fromkeys(terminator.successors()))
    if terminator.opcode not in ("br", "switch") or len(ways) < 2:
        return ways
    value = _value(terminator.operands[0], known)
    if value is None:
        return ways
    if terminator.opcode == "br":
        chosen = terminator.operands[1 if value else 2]
    else:
        rest = terminator.operands[2:]
        cases = zip(rest[::2], rest[1::2], strict=True)
        chosen = next(
            (way for case, way in cases if isinstance(case, ConstInt) and case.value == value),
            terminator.operands[1],
        )
    assert isinstance(chosen, Block)
    return [chosen]


DECIDED = Selection(
    "caught",
    "which way control goes on is told by it, if its operands are known",
    ("icmp", "select", "and", "or", "xor"),
)


def _value(value: Value, known: _Known, depth: int = _DEEPEST) -> int | None:
    """An integer, if what is known tells; conditions are 0 or 1."""
    if isinstance(value, ConstInt):
        return value.value
    if value in known:
        return known[value]
    if not depth or not isinstance(value, Instruction) or not isinstance(value.type, IntType):
        return None
    if value.opcode not in DECIDED or (
        value.opcode in ("and", "or", "xor") and value.type is not I1
    ):
        return None
    operands = [_value(v, known, depth - 1) for v in value.operands]
    if value.opcode == "select":
        condition, then, other = operands
        if condition is None:
            return then if then == other else None
        return then if condition else other
    left, right = operands
    if value.opcode in ("and", "or") and (deciding := int(value.opcode == "or")) in operands:
        return deciding
    if left is None or right is None:
        return None
    if isinstance(value, Cmp):
        return int(outcome(value.predicate, left, right, 64))
    return left ^ right if value.opcode == "xor" else left & right
