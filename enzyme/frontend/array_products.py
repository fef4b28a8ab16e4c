"""Scalar products and norms as loops, fused with what they are made of.

``d = x[i] - x[j]; np.dot(d, d)`` is how most distances are written. Numba makes an array of each difference and calls
BLAS, for three numbers as for a million. Here the sum is a loop like any other, also where its factors are in memory:
the derivative has loops in which it can be computed again. BLAS says nothing of the order of the terms, so LLVM may
take them in any.

A norm is the root of such a sum, where that is far from both ends of its range; else the elements are scaled by a
constant first. The norm of zeros is a constant: its derivative is zero, as it is where BLAS computes it.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, misc"

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from llvmlite import ir as llvmir
from numba.core import cgutils, ir, types

from enzyme.frontend.array_facts import Facts
from enzyme.frontend.array_functions import Element
from enzyme.frontend.array_loops import Loops, Node, Read, Shape, Tree, order_of
from enzyme.frontend.array_statements import Planter, reads_of
from enzyme.frontend.numba_compat import ufunc_loops as numba_loops

_MISFIT = "incompatible array sizes for np.dot(a, b) (vector * vector)"
_ANY_ORDER = ("reassoc", "nsz", "contract")

# Of doubles: sums of squares between these lost nothing at either end; beyond, elements are scaled by this before
# they are squared. Squares of floats are doubles, and need none of this.
_LEAST, _MOST = 2.0**-960, 2.0**1000
_UP, _DOWN = 2.0**600, 2.0**-600

# What stands in numba's programs ----------------------------------------------------------------------


def product(function: Facts, value: Any, given: Any) -> Element | None:
    """The products of the elements of two vectors, if their sum, of the type `given`, is what a statement computes."""
    method: Any = None
    pair: tuple[Any, ...] = ()
    if value.op == "binop":
        if value.fn is not operator.matmul:
            return None
        pair = (value.lhs, value.rhs)
    elif value.kws or value.vararg is not None:
        return None
    else:
        pair = tuple(value.args)
        callee = function.callee(value)
        if callee == "dot":
            method = function.definition(value.func.name)
            pair = (method.value, *pair)
        elif callee is not np.dot and callee is not np.vdot:
            return None
    kinds = [function.array(var.name) for var in pair]
    if len(pair) != 2 or any(ty is None or ty.ndim != 1 or ty.dtype != given for ty in kinds):
        return None
    if not isinstance(given, types.Float):
        return None
    return Element(pair, _times, _MISFIT, method, exact=True)


def _times(context: Any, builder: Any, kinds: Any, values: Any, dtype: Any) -> Any:
    return builder.fmul(*values, flags=("contract",))


def normed(function: Facts, value: Any, given: Any) -> Any:
    """The array of which a call computes the Euclidean norm, of the type `given`; None for other calls."""
    known = function.callee(value) is np.linalg.norm and len(value.args) == 1
    if not known or value.kws or value.vararg is not None:
        return None
    ty = function.array(value.args[0].name)
    fits = ty is not None and ty.ndim <= 2 and ty.dtype == given and isinstance(given, types.Float)
    return value.args[0] if fits else None


def norm(source: Any, loc: Any) -> Any:
    return ir.Expr("enzyme_norm", loc, source=source, reads=reads_of(source))


def total(source: Any, loc: Any) -> Any:
    """The sum of an expression, in any order."""
    return ir.Expr("enzyme_total", loc, source=source, reads=reads_of(source))


# Code -------------------------------------------------------------------------------------------------


def lower_total(lowerer: Any, expr: Any) -> Any:
    tree = Planter(lowerer).source(expr.source)
    return _sum(lowerer, tree, lowerer.context.get_value_type(tree.dtype), expr.loc)


def lower_norm(lowerer: Any, expr: Any) -> Any:
    builder = lowerer.builder
    tree = Planter(lowerer).source(expr.source)
    double = llvmir.DoubleType()

    def sum_of_squares(scale: Any = None) -> Any:
        def squared(value: Any) -> Any:
            wide = value if value.type == double else builder.fpext(value, double)
            part = wide if scale is None else builder.fmul(wide, scale)
            return builder.fmul(part, part, flags=("contract",))

        return _sum(lowerer, _of_one(tree, squared), double, expr.loc)

    def root(square: Any) -> Any:
        return builder.call(builder.module.declare_intrinsic("llvm.sqrt", [double]), [square])

    square = sum_of_squares()
    result = cgutils.alloca_once_value(builder, double(0.0))
    if tree.dtype != types.float64:
        with builder.if_then(builder.fcmp_unordered("!=", square, double(0.0)), likely=True):
            builder.store(root(square), result)
        return builder.fptrunc(builder.load(result), llvmir.FloatType())
    inside = builder.and_(
        builder.fcmp_ordered(">=", square, double(_LEAST)),
        builder.fcmp_ordered("<=", square, double(_MOST)),
    )
    with builder.if_else(inside, likely=True) as (plain, beyond):
        with plain:
            builder.store(root(square), result)
        with beyond:
            small = builder.fcmp_ordered("<", square, double(1.0))
            scale = builder.select(small, double(_UP), double(_DOWN))
            back = builder.select(small, double(_DOWN), double(_UP))
            scaled = sum_of_squares(scale)
            with builder.if_then(builder.fcmp_unordered("!=", scaled, double(0.0))):
                builder.store(builder.fmul(root(scaled), back), result)
    return builder.load(result)


def _of_one(tree: Tree, function: Any) -> Node:
    """A tree of a function of each element."""

    class Kernel:
        generate = staticmethod(function)

    return Node(Kernel, [tree], tree.ndim, tree.dtype, tree.layout, tree.shape)


def _sum(lowerer: Any, tree: Tree, ty: Any, loc: Any) -> Any:
    builder = lowerer.builder
    sum_ = cgutils.alloca_once_value(builder, ty(0.0))
    builder.store(ty(0.0), sum_)

    def body(indices: Any, read: Read, whole: Shape) -> None:
        value = read.value(tree)
        numba_loops.go_to_line(lowerer, loc)
        builder.store(builder.fadd(builder.load(sum_), value, flags=_ANY_ORDER), sum_)

    Loops(builder, tree, tree.shape, order_of([tree.layout]), body).emit()
    return builder.load(sum_)


LOWERING = {"enzyme_total": lower_total, "enzyme_norm": lower_norm}
