"""May an array be written while others are read, element by element? Tested where the program runs."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from typing import Any

from llvmlite import ir

from enzyme.frontend.array_loops import Leaf

_INTP = ir.IntType(64)
_TRUE = ir.IntType(1)(1)


def keeps_apart(builder: Any, target: Leaf, leaf: Leaf) -> Any:
    """May the target be written while the leaf is read element by element?"""
    one, other = target.operand, leaf.operand
    if leaf is target:
        return _has_no_twins(builder, one)
    (low, high), (first, last) = _extent(builder, one), _extent(builder, other)
    outside = builder.or_(
        builder.icmp_unsigned("<=", high, first), builder.icmp_unsigned("<=", last, low)
    )
    if one.ndim != other.ndim or _item_size(one) != _item_size(other):
        return outside
    same = builder.icmp_unsigned("==", *(builder.ptrtoint(x.data, _INTP) for x in (one, other)))
    for axis in range(one.ndim):
        same = builder.and_(same, builder.icmp_signed("==", one.shape[axis], other.shape[axis]))
        if one.layout == "A" or one.layout != other.layout:
            steps = (_strides(builder, x)[axis] for x in (one, other))
            same = builder.and_(same, builder.icmp_signed("==", *steps))
    return builder.or_(outside, builder.and_(same, _has_no_twins(builder, one)))


def _extent(builder: Any, operand: Any) -> tuple[Any, Any]:
    """The first address of an array and the one after its last."""
    first = builder.ptrtoint(operand.data, _INTP)
    size = _INTP(_item_size(operand))
    low = high = _INTP(0)
    for length, stride in zip(operand.shape, _strides(builder, operand), strict=True):
        span = builder.mul(builder.sub(length, _INTP(1)), stride)
        backwards = builder.icmp_signed("<", span, _INTP(0))
        low = builder.add(low, builder.select(backwards, span, _INTP(0)))
        high = builder.add(high, builder.select(backwards, _INTP(0), span))
    return builder.add(first, low), builder.add(builder.add(first, high), size)


def _strides(builder: Any, operand: Any) -> list[Any]:
    if operand.layout == "A":
        return list(operand.strides)
    step: Any = _INTP(_item_size(operand))
    found = []
    lengths = operand.shape if operand.layout == "F" else operand.shape[::-1]
    for length in lengths:
        found.append(step)
        step = builder.mul(step, length)
    return found if operand.layout == "F" else found[::-1]


def _item_size(operand: Any) -> int:
    context = operand.context
    return context.get_abi_sizeof(context.get_data_type(operand.base_type))


def _has_no_twins(builder: Any, operand: Any) -> Any:
    """Is no element of an array there twice? So it is if each axis steps over all that inner axes reach."""
    if operand.layout != "A":
        return _TRUE
    answers = []
    for axes in (range(operand.ndim)[::-1], range(operand.ndim)):
        reach: Any = _INTP(_item_size(operand))
        answer = _TRUE
        for axis in axes:
            length, stride = operand.shape[axis], operand.strides[axis]
            backwards = builder.icmp_signed("<", stride, _INTP(0))
            step = builder.select(backwards, builder.neg(stride), stride)
            over = builder.icmp_signed(">=", step, reach)
            short = builder.icmp_signed("<=", length, _INTP(1))
            answer = builder.and_(answer, builder.or_(over, short))
            reach = builder.add(reach, builder.mul(builder.sub(length, _INTP(1)), step))
        answers.append(answer)
    return builder.or_(*answers)
