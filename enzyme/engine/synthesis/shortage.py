"""What a derivative does for lack of memory: it leaves with a status of its own, after a hook has said why."""

from __future__ import annotations

from collections.abc import Callable

from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.edit import split_block
from enzyme.engine.ir.instructions import Instruction
from enzyme.engine.ir.module import Block
from enzyme.engine.ir.types import PTR, VOID, IntType, StructType, Type
from enzyme.engine.ir.values import ConstInt, Value, zero_of


def leave_without(result: Instruction, exit_: Callable[[], Block]) -> None:
    """Behind the instruction, go to the exit for lack of memory if it gave null, or a negative status."""
    block = result.parent
    if block is None:  # it was found to be of no use
        return
    tail = split_block(block, block.instructions.index(result) + 1, f"{block.name}.kept")
    block.instructions[-1].erase()
    b = Builder(block)
    failed = b.icmp("eq" if result.type is PTR else "slt", result, zero_of(result.type))
    b.cond_br(failed, exit_(), tail)


def emit_status(b: Builder, primal: Type, status: int | None, hook: str) -> Value | None:
    """Call the hook and give the result, of type `primal`, of a primal that failed for lack of memory.

    None if the type has no status: then the process ends. A derivative that is a primal has its results behind the
    status.
    """
    inside = primal.elements[0] if isinstance(primal, StructType) and primal.elements else primal
    if status is None or not isinstance(inside, IntType):
        b.call_named("abort", VOID, [])
        b.unreachable()
        return None
    if hook:
        b.call_named(hook, VOID, [])
    code: Value = ConstInt(inside, status)
    if not isinstance(primal, StructType):
        return code
    return b.make_struct(primal, [code, *(zero_of(t) for t in (primal.elements or ())[1:])])
