"""What a derivative does for lack of memory: it leaves with a status of its own, after a hook has said why.

The derivative of a callee tells its caller apart from the status: what LLVM knew of the statuses of the primal decided
what callers do with them. In reverse mode the tape is null then, in forward mode a flag is set.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.edit import split_block
from enzyme.engine.ir.instructions import Instruction
from enzyme.engine.ir.module import Block
from enzyme.engine.ir.types import I1, I64, PTR, VOID, IntType, StructType, Type
from enzyme.engine.ir.values import ConstInt, Value, zero_of
from enzyme.engine.synthesis.helpers import helper


def leave_without(
    result: Instruction, exit_: Callable[[], Block], escaping: Sequence[Value] = ()
) -> None:
    """Behind the instruction, go to the exit for lack of memory if it gave null, a negative status, or true.

    `escaping` are objects just made that would have been handed on: nobody will give back their first reference.
    """
    block = result.parent
    if block is None:  # it was found to be of no use
        return
    # Blocks of many calls are split many times: names must not grow with each.
    stem = block.name.partition(".kept")[0]
    tail = split_block(block, block.index_of(result) + 1, f"{stem}.kept")
    block.instructions[-1].erase()
    b = Builder(block)
    failed: Value = result
    if result.type is not I1:
        failed = b.icmp("eq" if result.type is PTR else "slt", result, zero_of(result.type))
    if not escaping:
        b.cond_br(failed, exit_(), tail)
        return
    assert block.parent is not None
    between = block.parent.append_block("no.memory.here")
    b.cond_br(failed, between, tail)
    b = Builder(between)
    for made in escaping:
        b.call(helper(b.module, "enzyme_discard"), [made, ConstInt(I64, 1)])
    b.br(exit_())


def emit_status(b: Builder, primal: Type, status: int | None) -> Value | None:
    """The result, of type `primal`, of a primal that failed for lack of memory; None if the type has no status.

    A derivative that is a primal has its results behind the status.
    """
    inside = primal.elements[0] if isinstance(primal, StructType) and primal.elements else primal
    if status is None or not isinstance(inside, IntType):
        return None
    code: Value = ConstInt(inside, status)
    if not isinstance(primal, StructType):
        return code
    return b.make_struct(primal, [code, *(zero_of(t) for t in (primal.elements or ())[1:])])


def end_process(b: Builder) -> None:
    """For lack of memory where nobody can be told of it."""
    b.call_named(b.module.runtime.abort, VOID, [])
    b.unreachable()
