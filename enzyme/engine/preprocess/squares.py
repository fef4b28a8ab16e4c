"""The square of a length is a sum of squares, smooth where the length is not.

A length has a kink at the origin, where its derivative is taken as zero. So the derivatives of `norm(v) ** 2` would
be those of the kink: the second one at zero would be 0 instead of 2. Where a program squares a length, it gets the
sum of squares instead: `enzyme_sumsq` for the norm of a vector, products for `hypot`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from enzyme.engine.derivatives.catalogue import entry_of
from enzyme.engine.derivatives.linear_calls import symbol
from enzyme.engine.derivatives.routines import linear_call
from enzyme.engine.derivatives.terms import of
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.instructions import Call, Instruction
from enzyme.engine.ir.module import Function
from enzyme.engine.ir.values import ConstFloat, ConstInt, Value


def smooth_squares(function: Function) -> None:
    """Replace the squares of lengths by sums of squares."""
    for block in function.blocks:
        for call in list(block.instructions):
            if call.parent is not block:  # a power that was replaced
                continue
            square = _square_of(call) if isinstance(call, Call) else None
            squared = [] if square is None else list(_squares(call))
            if square is None or not squared:
                continue
            b = Builder()
            b.behind(call)
            made = square(b)
            for instruction in squared:
                instruction.replace_uses_with(made)
                instruction.erase()
            if not call.users:
                call.erase()


def _squares(length: Instruction) -> Iterator[Instruction]:
    for user in list(length.users):
        if user.opcode == "fmul" and user.operands[0] is user.operands[1]:
            yield user
        elif isinstance(user, Call) and user.arguments[:1] == [length]:
            entry = entry_of(user)
            if entry is not None and entry.is_power and _is_two(user.arguments[-1]):
                yield user


def _is_two(value: Value) -> bool:
    return isinstance(value, ConstFloat | ConstInt) and value.value == 2


def _square_of(call: Call) -> Callable[[Builder], Value] | None:
    """Emits the square of a length; None for other calls."""
    known = linear_call(call)
    if known is not None and known.routine.square:
        name = symbol(known.routine.square, known.kind)
        declared = call.callee
        assert isinstance(declared, Function)
        return lambda b: b.call_named(
            name, call.type, call.arguments, declaration_suffix=declared.suffix
        )
    entry = entry_of(call)
    if entry is None or entry.square is None:
        return None
    square = entry.square
    return lambda b: square(*(of(b, a) for a in call.arguments)).value
