"""Small records that C passes and returns in registers: a float and a count, say, in one integer of eight bytes.

What parts such an integer has is seen where it is made and where it is taken apart.  Functions that are given or return
one are inlined, so that both are in one function.
"""

from __future__ import annotations

from enzyme.engine.ir.module import Function
from enzyme.engine.ir.types import I64, FloatType, IntType, StructType, Type
from enzyme.engine.ir.values import Argument

_WHOLE = "noundef"  # clang says so of numbers, and not of records


def uses_single(function: Function) -> bool:
    """Has it numbers of single precision or less, of which two, or one and something else, fit into eight bytes?"""
    return any(
        isinstance(v.type.scalar, FloatType) and v.type.scalar.bits <= 32
        for i in function.instructions()
        for v in (i, *i.operands)
    )


def passes_parts(function: Function) -> bool:
    """Is it given a record in an integer, or does it return one?"""
    result = function.function_type.ret
    returned = result is I64 and _WHOLE not in function.prefix.split()
    return (
        any(_is_record(a) for a in function.args)
        or _has_integer(result)
        or (returned and _may_return_record(function))
    )


def _is_record(argument: Argument) -> bool:
    type_ = argument.type
    return isinstance(type_, IntType) and type_.bits >= 64 and not argument.has_attribute(_WHOLE)


def _has_integer(type_: Type) -> bool:
    if not isinstance(type_, StructType):
        return False
    return any(isinstance(e, IntType) and e.bits >= 64 for e in type_.elements or ())


def _may_return_record(function: Function) -> bool:
    """Is an integer that is returned put together or loaded there?"""
    returns = [b.terminator for b in function.blocks if b.terminator.opcode == "ret"]
    return any(
        getattr(value, "opcode", "") in ("load", "or", "zext", "bitcast")
        for end in returns
        for value in end.operands
    )
