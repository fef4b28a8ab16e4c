"""The square of a length is a sum of squares, smooth where the length is not.

A length has a kink at the origin, where its derivative is taken as zero. So the derivatives of `norm(v) ** 2` would
be those of the kink: the second one at zero would be 0 instead of 2. Where a program squares a length, it gets the
sum of squares instead: `enzyme_sumsq` for the norm of a vector, products for `hypot`.

The square of a root is what the root is taken of. In code that is differentiated again products with two factors of
one root keep their values, and have the derivatives of that; elsewhere the first derivative is the same without.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from enzyme.engine.derivatives.catalogue import entry_of
from enzyme.engine.derivatives.linear_calls import symbol
from enzyme.engine.derivatives.routines import linear_call
from enzyme.engine.derivatives.stated import KINDS, with_derivative_of
from enzyme.engine.derivatives.terms import of
from enzyme.engine.ir.builder import Builder, mangle
from enzyme.engine.ir.instructions import Call, Cmp, Instruction
from enzyme.engine.ir.module import Function, Module
from enzyme.engine.ir.values import ConstFloat, ConstInt, Value

# What a factor goes through, and through how many of them.
_LEADS_ON = frozenset(("fmul", "fneg", "fptrunc"))
_DEEPEST = 4


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
            for instruction, negative in squared:
                instruction.replace_uses_with(b.fneg(made) if negative else made)
                instruction.erase()
            if not call.users:
                call.erase()


def _squares(length: Instruction) -> Iterator[tuple[Instruction, bool]]:
    """What has the square, or its negative, as value."""
    for user in list(length.users):
        if user.opcode == "fmul":
            parts = [_factor(operand, length) for operand in user.operands]
            if all(part is not None and not part.others for part in parts):
                yield user, parts[0] != parts[1]
        elif isinstance(user, Call) and user.arguments[:1] == [length]:
            entry = entry_of(user)
            if entry is not None and entry.is_power and _is_two(user.arguments[-1]):
                yield user, False


@dataclass(frozen=True)
class _Factor:
    """A number that is another one times `others`, or the negative of that."""

    negative: bool
    others: tuple[Value, ...]


def _factor(value: Value, of_: Value, depth: int = _DEEPEST) -> _Factor | None:
    """How `of_` is a factor of a number, perhaps rounded to single precision; None if it is not seen to be one."""
    if value is of_:
        return _Factor(False, ())
    if not isinstance(value, Instruction) or value.opcode not in _LEADS_ON or not depth:
        return None
    parts = [_factor(operand, of_, depth - 1) for operand in value.operands]
    known = [part for part in parts if part is not None]
    if len(known) != 1:
        return None
    (part,) = known
    others = [o for o, found in zip(value.operands, parts, strict=True) if found is None]
    return _Factor(part.negative != (value.opcode == "fneg"), (*part.others, *others))


def smooth_roots(module: Module) -> None:
    """Give products with two factors of one root the derivatives of what it is taken of."""
    for function in list(module.functions.values()):
        for i in list(function.instructions()):
            square = _square_in(i) if isinstance(i, Call) and mangle(i.type) in KINDS else None
            if square is not None:
                for form in _forms(i, square):
                    _smooth_root(form, square)


def _square_in(call: Call) -> Value | None:
    """The operand of which a call gives the root."""
    entry = entry_of(call)
    if entry is None:
        return None
    exponent = call.arguments[-1] if entry.is_power else None
    if isinstance(exponent, ConstFloat) and exponent.value == 0.5:
        return call.arguments[0]
    return call.arguments[entry.square_at] if entry.square_at >= 0 else None


def _forms(root: Instruction, inside: Value) -> Iterator[Instruction]:
    """A root, and what it is but for its sign and at minus infinity, as a power of one half is."""
    yield root
    for user in list(root.users):
        positive = isinstance(user, Call) and user.callee_name.startswith("llvm.fabs.")
        chosen = user.opcode == "select" and _asks_for_minus_infinity(user.operands[0], inside)
        if positive or chosen:
            yield from _forms(user, inside)


def _asks_for_minus_infinity(condition: Value, value: Value) -> bool:
    if not isinstance(condition, Cmp) or value not in condition.operands:
        return False
    return any(isinstance(o, ConstFloat) and o.value == -math.inf for o in condition.operands)


def _smooth_root(root: Instruction, inside: Value) -> None:
    for product in _behind(root):
        parts: list[_Factor | None] = [None]
        if product.opcode == "fmul":
            parts = [_factor(operand, root) for operand in product.operands]
        elif isinstance(product, Call) and product.arguments:
            entry = entry_of(product)
            if entry is not None and entry.is_power and _is_two(product.arguments[-1]):
                parts = [_factor(product.arguments[0], root)] * 2
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            continue
        b = Builder()
        b.behind(product)
        model: Value = inside
        for other in (other for part in known for other in part.others):
            wide = other if other.type is model.type else b.cast("fpext", other, model.type)
            model = b.fmul(wide, model)
        if sum(part.negative for part in known) % 2:
            model = b.fneg(model)
        if product.type is not model.type:
            model = b.cast("fptrunc", model, product.type)
        users = list(product.users)
        made = with_derivative_of(b, product, model)
        for user in users:
            if user is not made and user is not model:
                user.replace_operand(product, made)


def _behind(root: Instruction) -> list[Instruction]:
    """What may be a product with two factors of the root: users of it, and of what it is a factor of."""
    found: dict[Instruction, None] = {}
    near = [root]
    for _ in range(_DEEPEST + 1):
        users = dict.fromkeys(user for value in near for user in value.users)
        near = [user for user in users if user.opcode in _LEADS_ON and user not in found]
        found.update(users)
    return list(found)


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
