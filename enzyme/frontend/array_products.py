"""Scalar products and norms as loops, fused with what they are made of.

``d = x[i] - x[j]; np.dot(d, d)`` is how most distances are written. Numba makes an array of each difference and calls
BLAS, for three numbers as for a million. Here the sum is a loop like any other, also where its factors are in memory:
the derivative has loops in which it can be computed again. BLAS says nothing of the order of the terms, so LLVM may
take them in any.

A norm is the root of such a sum, and where that came near an end of its range, of one with scaled elements. The
derivative of the root is zero for the norm zero, and no number where the norm is none
(`engine.derivatives.known_roots`).
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, misc"

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir as llvmir
from numba.core import cgutils, ir, types

from enzyme.engine.derivatives.known_roots import KNOWN_LENGTH, KNOWN_ROOT
from enzyme.frontend.array_facts import Facts
from enzyme.frontend.array_functions import Element
from enzyme.frontend.array_loops import Loops, Read, Shape, Tree, order_of
from enzyme.frontend.array_statements import Planter, reads_of
from enzyme.frontend.numba_compat import ufunc_loops as numba_loops

MISFIT = "incompatible array sizes for np.dot(a, b) ({} * {})"
ANY_ORDER = ("reassoc", "nsz", "contract")
_DOUBLE = llvmir.DoubleType()

# Between 2^-300 and 2^300 sums of squares lost nothing at either end, and derivatives over their roots are in range.
# Beyond, elements are divided by a unit between one and the norm: neither squares overflow or vanish then nor, in a
# derivative, the adjoint of the norm times the unit. The norm is known from elements scaled by 2^600 or 2^-600.
# All are exponents of two: limits of the norm, the unit below each, and the one above all.
_FAR, _SCALE = 300, 600
_UNITS = (
    *((-1000, -600), (-900, -500), (-700, -400), (-480, -300)),
    *((0, -150), (480, 150), (700, 300), (900, 450)),
)
_LARGEST = 600

# What stands in numba's programs ----------------------------------------------------------------------


def product(function: Facts, value: Any, given: Any) -> Element | None:
    """The products of the elements of two vectors, if their sum, of the type `given`, is what a statement computes."""
    pair, method = factors_of(function, value)
    kinds = [function.array(var.name) for var in pair]
    if len(pair) != 2 or any(ty is None or ty.ndim != 1 or ty.dtype != given for ty in kinds):
        return None
    if not isinstance(given, types.Float):
        return None
    return Element(pair, _times, MISFIT.format("vector", "vector"), method, exact=True)


def factors_of(function: Facts, value: Any) -> tuple[tuple[Any, ...], Any]:
    """The factors of a product of arrays, and the method of the first one that is called, if one is."""
    if value.op == "binop":
        return ((value.lhs, value.rhs) if value.fn is operator.matmul else ()), None
    if value.kws or value.vararg is not None:
        return (), None
    callee = function.callee(value)
    if callee == "dot":
        method = function.definition(value.func.name)
        return (method.value, *value.args), method
    known = callee is np.dot or callee is np.vdot
    return (tuple(value.args) if known else ()), None


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
    total = _sum(lowerer, tree, lambda value: value, expr.loc)
    ty = lowerer.context.get_value_type(tree.dtype)
    return total if ty == _DOUBLE else lowerer.builder.fptrunc(total, ty)


def lower_norm(lowerer: Any, expr: Any) -> Any:
    context, builder = lowerer.context, lowerer.builder
    tree = Planter(lowerer).source(expr.source)

    def sum_of_squares(scale: Any = None) -> Any:
        def squared(value: Any) -> Any:
            part = value if scale is None else builder.fmul(value, scale)
            return builder.fmul(part, part, flags=("contract",))

        return _sum(lowerer, tree, squared, expr.loc, seldom=scale is not None)

    def root_of(value: Any) -> Any:
        return builder.call(builder.module.declare_intrinsic("llvm.sqrt", [_DOUBLE]), [value])

    def is_below(value: Any, exponent: int) -> Any:
        return builder.fcmp_ordered("<", value, _DOUBLE(2.0**exponent))

    square = sum_of_squares()
    total = cgutils.alloca_once_value(builder, square)
    unit = cgutils.alloca_once_value(builder, _DOUBLE(1.0))
    inside = builder.and_(
        builder.fcmp_ordered(">=", square, _DOUBLE(2.0**-_FAR)), is_below(square, _FAR)
    )
    with cgutils.if_unlikely(builder, builder.not_(inside)):
        small = is_below(square, 0)
        scale = builder.select(small, _DOUBLE(2.0**_SCALE), _DOUBLE(2.0**-_SCALE))
        back = builder.select(small, _DOUBLE(2.0**-_SCALE), _DOUBLE(2.0**_SCALE))
        length = builder.fmul(root_of(sum_of_squares(scale)), back)
        chosen: Any = _DOUBLE(2.0**_LARGEST)
        for limit, exponent in reversed(_UNITS):
            chosen = builder.select(is_below(length, limit), _DOUBLE(2.0**exponent), chosen)
        builder.store(chosen, unit)
        builder.store(sum_of_squares(builder.fdiv(_DOUBLE(1.0), chosen)), total)

    def known(symbol: str, *numbers: Any) -> Any:
        type_ = llvmir.FunctionType(_DOUBLE, [_DOUBLE, _DOUBLE])
        callee = cgutils.get_or_insert_function(builder.module, type_, symbol)
        return builder.call(callee, numbers)

    found = builder.load(total)
    root = known(KNOWN_ROOT, found, root_of(found))
    result = known(KNOWN_LENGTH, builder.fmul(root, builder.load(unit)), square)
    ty = context.get_value_type(tree.dtype)
    return result if ty == _DOUBLE else builder.fptrunc(result, ty)


def _sum(
    lowerer: Any, tree: Tree, function: Callable[[Any], Any], loc: Any, seldom: bool = False
) -> Any:
    """The sum of a function of each element, a double; in one nest of loops if that is `seldom` computed."""
    builder = lowerer.builder
    total = cgutils.alloca_once_value(builder, _DOUBLE(0.0))

    def body(indices: Any, read: Read, whole: Shape) -> None:
        value = read.value(tree)
        numba_loops.go_to_line(lowerer, loc)
        wide = value if value.type == _DOUBLE else builder.fpext(value, _DOUBLE)
        added = builder.fadd(builder.load(total), function(wide), flags=ANY_ORDER)
        builder.store(added, total)

    loops = Loops(builder, tree, tree.shape, order_of([tree.layout]), body)
    if seldom:
        loops.emit_plainly()
    else:
        loops.emit()
    return builder.load(total)


LOWERING = {"enzyme_total": lower_total, "enzyme_norm": lower_norm}
