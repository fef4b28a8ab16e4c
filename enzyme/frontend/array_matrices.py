"""Products of small matrices, and of matrices and vectors, as loops.

A routine of BLAS takes a tenth of a microsecond to begin, and its derivative two more: a rotation of a point, the step
of a filter or of a small recurrent network is over before. Loops are inlined, and where LLVM knows the lengths they
and the arrays between them are registers. Which way a product goes is decided where it runs.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, misc"

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from llvmlite import ir as llvmir
from numba.core import cgutils, ir, types
from numba.core.typing import signature

from enzyme.frontend.array_facts import Facts
from enzyme.frontend.array_products import ANY_ORDER, MISFIT, factors_of
from enzyme.frontend.array_statements import Planter
from enzyme.frontend.numba_compat import ufunc_loops as numba_loops

_INTP = llvmir.IntType(64)
_ONE = _INTP(1)
_KINDS = ("", "vector", "matrix")

# Up to so many products of numbers, `rows * inner * columns`, loops take less time than BLAS: of two matrices, if the
# left one is walked along its memory or across, and of a matrix, row by row, with a vector.
_SHORT, _SHORT_ACROSS, _SHORT_ROWS = 512, 216, 1024
# Where a vector is summed up of stretches of memory so long, loops are as fast as BLAS in one thread, at any size.
_LONG_STRETCH = 20


def matrix_product(function: Facts, value: Any, given: Any) -> tuple[Any, Any]:
    """A statement for the product of two matrices, or of a matrix and a vector, either way round, an array of the type
    `given`; and the method that is called. None for what is something else."""
    pair, method = factors_of(function, value)
    kinds = [function.array(var.name) for var in pair]
    if len(pair) != 2 or None in kinds or any(ty.ndim > 2 for ty in kinds):
        return None, None
    matrices = [ty for ty in kinds if ty.ndim == 2]
    if not matrices or type(given) is not types.Array or given.layout != "C":
        return None, None
    if not isinstance(given.dtype, types.Float):
        return None, None
    if any(ty.layout == "A" for ty in matrices) or any(ty.dtype != given.dtype for ty in kinds):
        return None, None
    made = ir.Expr("enzyme_matrix_product", value.loc, pair=pair, ty=given, reads=pair)
    return made, method


@dataclass
class _Product:
    """Of two operands: an element `[i, j]` is the sum of `left[i, k] * right[k, j]`; a vector has `k` only."""

    context: Any
    builder: Any
    left: Any
    right: Any

    @property
    def lengths(self) -> tuple[Any, Any, Any]:
        """Of i, k and j; an axis that is not there has length one."""
        rows = self.left.shape[0] if self.left.ndim == 2 else _ONE
        columns = self.right.shape[1] if self.right.ndim == 2 else _ONE
        return rows, self.left.shape[-1], columns

    @property
    def shape(self) -> list[Any]:
        return [*self.left.shape[:-1], *self.right.shape[1:]]

    def term(self, i: Any, k: Any, j: Any) -> Any:
        one = self.left.load_data([i, k][-self.left.ndim :])
        other = self.right.load_data([k, j][: self.right.ndim])
        return self.builder.fmul(one, other, flags=("contract",))

    def place(self, i: Any, j: Any) -> list[Any]:
        return [*([i] if self.left.ndim == 2 else []), *([j] if self.right.ndim == 2 else [])]

    def loop(self, length: Any) -> Any:
        return cgutils.for_range(self.builder, length, intp=_INTP)

    def by_sums(self, made: Any) -> None:
        """One element of the result after the other."""
        builder, ty = self.builder, self.context.get_value_type(self.left.base_type)
        rows, inner, columns = self.lengths
        with self.loop(rows) as i, self.loop(columns) as j:
            total = cgutils.alloca_once(builder, ty)
            builder.store(ty(0.0), total)
            with self.loop(inner) as k:
                part = self.term(i.index, k.index, j.index)
                builder.store(builder.fadd(builder.load(total), part, flags=ANY_ORDER), total)
            made.store_data(self.place(i.index, j.index), builder.load(total))

    def by_updates(self, made: Any) -> None:
        """Over a row, or the whole column, of the result once for each `k`."""
        numba_loops.clear(self.context, self.builder, made)
        rows, inner, columns = self.lengths

        def add(i: Any, k: Any, j: Any) -> None:
            place, part = self.place(i, j), self.term(i, k, j)
            before = made.load_data(place)
            made.store_data(place, self.builder.fadd(before, part, flags=ANY_ORDER))

        if self.right.ndim == 1:
            with self.loop(inner) as k, self.loop(rows) as i:
                add(i.index, k.index, _INTP(0))
        else:
            with self.loop(rows) as i, self.loop(inner) as k, self.loop(columns) as j:
                add(i.index, k.index, j.index)


def lower_matrix_product(lowerer: Any, expr: Any) -> Any:
    context, builder = lowerer.context, lowerer.builder
    planter = Planter(lowerer)
    left, right = (planter.leaf(var.name).operand for var in expr.pair)
    product = _Product(context, builder, left, right)
    rows, inner, columns = product.lengths
    # Without terms, numba does not look whether there would be as many on the other side.
    some = builder.icmp_signed("!=", inner, _INTP(0))
    misfit = builder.and_(some, builder.icmp_signed("!=", inner, right.shape[0]))
    with cgutils.if_unlikely(builder, misfit):
        message = MISFIT.format(_KINDS[left.ndim], _KINDS[right.ndim])
        context.call_conv.return_user_exc(builder, ValueError, (message,))
    made = numba_loops.fresh_array(context, builder, expr.ty, product.shape)
    # The inner loop is along memory: of the matrix that is summed over, or of the one that is added.
    updates = right.layout == "C" if right.ndim == 2 else left.layout == "F"
    by_loops: Callable[[Any], None] = product.by_updates if updates else product.by_sums
    both = left.ndim == right.ndim
    work = builder.mul(builder.mul(rows, columns), inner)
    most = (_SHORT if left.layout == "C" else _SHORT_ACROSS) if both else _SHORT_ROWS
    soon = builder.icmp_signed("<=", work, _INTP(most))
    if updates and not both:
        long_stretch = builder.icmp_signed(">=", made.shape[0], _INTP(_LONG_STRETCH))
        soon = builder.or_(soon, long_stretch)
    with builder.if_else(soon) as (short, long):
        with short:
            by_loops(made)
        with long:
            _by_blas(lowerer, expr, made)
    return made.return_val


def _by_blas(lowerer: Any, expr: Any, made: Any) -> None:
    """A matrix is computed in its place. A vector is copied there, so that it may be in registers where it is short."""
    context, builder = lowerer.context, lowerer.builder
    kinds = [lowerer.typeof(var.name) for var in expr.pair]
    out = (
        made
        if expr.ty.ndim == 2
        else numba_loops.fresh_array(context, builder, expr.ty, made.shape)
    )
    args = [*(lowerer.loadvar(var.name) for var in expr.pair), out.return_val]
    result = context.compile_internal(builder, _into, signature(expr.ty, *kinds, expr.ty), args)
    context.nrt.decref(builder, expr.ty, result)
    if out is not made:
        with cgutils.for_range(builder, made.shape[0], intp=_INTP) as loop:
            made.store_data([loop.index], out.load_data([loop.index]))
        context.nrt.decref(builder, expr.ty, out.return_val)


def _into(a: Any, b: Any, out: Any) -> Any:
    return np.dot(a, b, out)


LOWERING = {"enzyme_matrix_product": lower_matrix_product}
