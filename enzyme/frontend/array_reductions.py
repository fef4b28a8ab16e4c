"""Sums, products, means and extremes of what is computed element by element: an array of it is not made.

A sum along an axis gets its terms in the order of the axis, a sum of all in numba's order. An extreme is found in two
loops, one for its value and one for its place; then it is the element at that place, as far as a derivative can tell.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

import operator
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np
from llvmlite import ir as llvmir
from numba.core import cgutils, ir, types
from numba.core.typing import signature
from numba.np.numpy_support import as_dtype

from enzyme.frontend.array_loops import Loops, Read, Shape, order_of
from enzyme.frontend.array_statements import Planter, reads_of
from enzyme.frontend.numba_compat import ufunc_loops as numba_loops

_INTP = llvmir.IntType(64)
_TRUE, _FALSE = llvmir.IntType(1)(1), llvmir.IntType(1)(0)
_NOTHING = "zero-size array to reduction operation {}imum which has no identity"

# What stands in numba's programs ----------------------------------------------------------------------


def reduction(kind: str, source: Any, loc: Any) -> Any:
    return ir.Expr("enzyme_reduce", loc, kind=kind, source=source, reads=reads_of(source))


def reduction_along(source: Any, axis: int, ty: Any, loc: Any) -> Any:
    """``np.sum(source, axis)``, an array of the type `ty`."""
    return ir.Expr(
        "enzyme_reduce_along", loc, source=source, axis=axis, ty=ty, reads=reads_of(source)
    )


def extreme(kind: str, source: Any, loc: Any) -> Any:
    """The greatest or the least element."""
    return ir.Expr("enzyme_extreme", loc, kind=kind, source=source, reads=reads_of(source))


# Sums ---------------------------------------------------------------------------------------------------


def accumulator(kind: str, dtype: Any) -> Any:
    """The type in which numba adds or multiplies numbers of this type."""
    whole = isinstance(dtype, types.Integer | types.Boolean)
    if kind == "mean":
        return types.float64 if whole else dtype
    return numba_loops.accumulator_type(dtype)


def lower_reduce(lowerer: Any, expr: Any) -> Any:
    context, builder, kind = lowerer.context, lowerer.builder, expr.kind
    tree = Planter(lowerer).source(expr.source)
    ty = accumulator(kind, tree.dtype)
    step = _scalar_operation(context, operator.imul if kind == "prod" else operator.iadd, ty)
    begin = context.get_constant_generic(builder, ty, as_dtype(ty).type(kind == "prod"))
    total = cgutils.alloca_once_value(builder, begin)

    def body(indices: Any, read: Read, whole: Shape) -> None:
        given = read.value(tree)
        numba_loops.go_to_line(lowerer, expr.loc)
        value = context.cast(builder, given, tree.dtype, ty)
        builder.store(step(builder, (builder.load(total), value)), total)

    order = order_of([tree.layout])
    Loops(builder, tree, tree.shape, order, body).emit()
    if kind != "mean":
        return builder.load(total)
    return _mean_of(context, builder, ty, builder.load(total), _product(builder, tree.shape))


def lower_reduce_along(lowerer: Any, expr: Any) -> Any:
    """Each sum gets its terms in the order of the axis, whatever the order of the loops."""
    context, builder, axis, ty = lowerer.context, lowerer.builder, expr.axis, expr.ty
    tree = Planter(lowerer).source(expr.source)
    left = [length for k, length in enumerate(tree.shape) if k != axis]
    made = numba_loops.fresh_array(context, builder, ty, left)
    step = _scalar_operation(context, operator.iadd, ty.dtype)
    order = order_of([tree.layout])
    innermost = axis == (0 if order == "F" else tree.ndim - 1)
    begin = context.get_constant_generic(builder, ty.dtype, as_dtype(ty.dtype).type(0))
    total = cgutils.alloca_once_value(builder, begin)

    def added(read: Read, before: Any) -> Any:
        given = read.value(tree)
        numba_loops.go_to_line(lowerer, expr.loc)
        return step(builder, (before, context.cast(builder, given, tree.dtype, ty.dtype)))

    def to_total(indices: Any, read: Read, whole: Shape) -> None:
        builder.store(added(read, builder.load(total)), total)

    @contextmanager
    def one_total(outer: Any, whole: Shape) -> Iterator[None]:
        builder.store(begin, total)
        yield
        made.store_data(outer, builder.load(total))

    def to_place(indices: Any, read: Read, whole: Shape) -> None:
        place = [index for k, index in enumerate(indices) if k != axis]
        made.store_data(place, added(read, made.load_data(place)))

    if innermost:
        Loops(builder, tree, tree.shape, order, to_total, around=one_total).emit()
    else:
        numba_loops.clear(context, builder, made)
        Loops(builder, tree, tree.shape, order, to_place).emit()
    return made.return_val


def _scalar_operation(context: Any, op: Any, ty: Any) -> Any:
    function = context.typing_context.resolve_value_type(op)
    return context.get_function(
        function, function.get_call_type(context.typing_context, (ty, ty), {})
    )


@cache
def _mean_in(ty: Any) -> Any:
    kind = as_dtype(ty).type
    nothing = kind(complex("nan+nanj")) if isinstance(ty, types.Complex) else kind(np.nan)

    def mean(total: Any, size: int) -> Any:
        if size == 0:
            return nothing
        return kind(total / size)

    return mean


def _mean_of(context: Any, builder: Any, ty: Any, total: Any, size: Any) -> Any:
    sig = signature(ty, ty, types.intp)
    return context.compile_internal(builder, _mean_in(ty), sig, (total, size))


# Extremes ---------------------------------------------------------------------------------------------


def lower_extreme(lowerer: Any, expr: Any) -> Any:
    """The first of numba's order that no other one exceeds, or the first that is no number."""
    context, builder = lowerer.context, lowerer.builder
    tree = Planter(lowerer).source(expr.source)
    ty, shape = tree.dtype, tree.shape
    size = _product(builder, shape)
    with cgutils.if_unlikely(builder, builder.icmp_signed("==", size, _INTP(0))):
        message = _NOTHING.format(expr.kind)
        context.call_conv.return_user_exc(builder, ValueError, (message,))
    order = order_of([tree.layout])
    outside = Loops(builder, tree, shape, order, lambda *_: None)
    best = cgutils.alloca_once_value(builder, outside.at([_INTP(0)] * tree.ndim).value(tree))
    unknown = cgutils.alloca_once_value(builder, _FALSE)
    first = cgutils.alloca_once_value(builder, size)

    def find_value(indices: Any, read: Read, whole: Shape) -> None:
        value, before = read.value(tree), builder.load(best)
        if isinstance(ty, types.Float):
            # The place is found by comparison: zeros of both signs are alike. Where one is no number, this is not used.
            flags = ("nnan", "nsz")
            better = builder.fcmp_ordered(_SIGNS[expr.kind], value, before, flags=flags)
            builder.store(builder.select(better, value, before, flags=flags), best)
            none = builder.fcmp_unordered("uno", value, value)
            builder.store(builder.or_(builder.load(unknown), none), unknown)
        else:
            compare = builder.icmp_signed if ty.signed else builder.icmp_unsigned
            better = compare(_SIGNS[expr.kind], value, before)
            builder.store(builder.select(better, value, before), best)

    Loops(builder, tree, shape, order, find_value).emit()
    sought, nameless = builder.load(best), builder.load(unknown)

    def find_place(indices: Any, read: Read, whole: Shape) -> None:
        value = read.value(tree)
        if isinstance(ty, types.Float):
            none = builder.fcmp_unordered("uno", value, value)
            equal = builder.fcmp_ordered("==", value, sought)
            here = builder.select(nameless, none, equal)
        else:
            here = builder.icmp_signed("==", value, sought)
        place: Any = _INTP(0)
        pairs = list(zip(indices, whole, strict=True))
        for index, length in pairs if order == "C" else pairs[::-1]:
            place = builder.add(builder.mul(place, length), index)
        before = builder.load(first)
        nearer = builder.and_(here, builder.icmp_signed("<", place, before))
        builder.store(builder.select(nearer, place, before), first)

    Loops(builder, tree, shape, order, find_place).emit()
    rest, indices = builder.load(first), []
    for length in list(shape)[::-1] if order == "C" else shape:
        indices.append(builder.srem(rest, length))
        rest = builder.sdiv(rest, length)
    found = outside.at(indices[::-1] if order == "C" else indices).value(tree)
    numba_loops.go_to_line(lowerer, expr.loc)
    return found


_SIGNS = {"max": ">", "min": "<"}


def _product(builder: Any, shape: Shape) -> Any:
    size: Any = _INTP(1)
    for length in shape:
        size = builder.mul(size, length)
    return size


LOWERING = {
    "enzyme_reduce": lower_reduce,
    "enzyme_reduce_along": lower_reduce_along,
    "enzyme_extreme": lower_extreme,
}
