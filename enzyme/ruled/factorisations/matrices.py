"""Products and copies of matrices, with as little code as possible: for one kind of number, in C order.

`np.dot` asks for shapes and layouts where it runs, and has a routine for each.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-untyped-def, no-untyped-call, untyped-decorator"

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from enzyme.ruled.apart import inlined

_LETTERS = {
    types.float32: "s",
    types.float64: "d",
    types.complex64: "c",
    types.complex128: "z",
}
_intrinsic: Any = intrinsic  # what it makes is called without the typing context


@_intrinsic
def _accumulate(typingctx, how, a, b, c):
    """``C += op(A) op(B)``: `how` has the sign and for each operand "n", or "c" for its adjoint. Rows have no gaps."""
    letters = {"n": ord("N"), "c": ord("C")}
    if not isinstance(how, types.StringLiteral):
        return None
    sign, of_a, of_b = how.literal_value
    factor = 1.0 if sign == "+" else -1.0

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = c.dtype
        left, right, into = (
            context.make_array(ty)(context, builder, value)
            for ty, value in ((a, args[1]), (b, args[2]), (c, args[3]))
        )
        size = ir.IntType(64)
        item = size(context.get_abi_sizeof(context.get_data_type(kind)))

        def leading(array: Any) -> Any:
            return builder.sdiv(cgutils.unpack_tuple(builder, array.strides)[0], item)

        rows, columns = cgutils.unpack_tuple(builder, into.shape)
        across = cgutils.unpack_tuple(builder, left.shape)[of_a == "n"]
        scalars = [
            cgutils.alloca_once_value(builder, context.get_constant_generic(builder, kind, value))
            for value in (factor, 1.0)
        ]
        anything = builder.icmp_signed(
            "!=", builder.mul(builder.mul(rows, columns), across), size(0)
        )
        byte, pointer = ir.IntType(8), cgutils.voidptr_t
        with builder.if_then(anything):
            shape = ir.FunctionType(
                ir.IntType(32),
                [
                    *[byte] * 3,
                    *[size] * 3,
                    pointer,
                    pointer,
                    size,
                    pointer,
                    size,
                    pointer,
                    pointer,
                    size,
                ],
            )
            callee = cgutils.get_or_insert_function(builder.module, shape, "numba_xxgemm")
            given = [  # rows are columns to BLAS
                byte(ord(_LETTERS[kind])),
                byte(letters[of_b]),
                byte(letters[of_a]),
                *(columns, rows, across, scalars[0]),
                *(right.data, leading(right), left.data, leading(left)),
                *(scalars[1], into.data, leading(into)),
            ]
            builder.call(
                callee,
                [
                    builder.bitcast(value, ty) if isinstance(ty, ir.PointerType) else value
                    for value, ty in zip(given, shape.args, strict=True)
                ],
            )
        return context.get_dummy_value()

    return types.none(how, a, b, c), emit


@inlined
def times(a, b):
    """``A B``."""
    c = np.zeros((a.shape[0], b.shape[1]), a.dtype)
    _accumulate("+nn", a, b, c)
    return c


@inlined
def adjoint_times(a, b):
    """``A^H B``."""
    c = np.zeros((a.shape[1], b.shape[1]), a.dtype)
    _accumulate("+cn", a, b, c)
    return c


@inlined
def times_adjoint(a, b):
    """``A B^H``."""
    c = np.zeros((a.shape[0], b.shape[0]), a.dtype)
    _accumulate("+nc", a, b, c)
    return c


@inlined
def add_product_adjoint(a, b, c):
    """``C += A B^H``."""
    _accumulate("+nc", a, b, c)


@inlined
def add_adjoint_product(a, b, c):
    """``C += A^H B``."""
    _accumulate("+cn", a, b, c)


@inlined
def subtract_product(a, b, c):
    """``C -= A B``."""
    _accumulate("-nn", a, b, c)


@inlined
def subtract_adjoint_product(a, b, c):
    """``C -= A^H B``."""
    _accumulate("-cn", a, b, c)


@inlined
def in_c_order(x):
    """A copy of a matrix."""
    made = np.empty(x.shape, x.dtype)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            made[i, j] = x[i, j]
    return made


@inlined
def adjoint(x):
    """The adjoint of a matrix."""
    made = np.empty((x.shape[1], x.shape[0]), x.dtype)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            made[j, i] = np.conj(x[i, j])
    return made


@inlined
def lower(x):
    """What is above the diagonal becomes zero, in place."""
    for i in range(x.shape[0]):
        for j in range(i + 1, x.shape[1]):
            x[i, j] = 0
    return x


@inlined
def minus(x):
    """The negative, in place."""
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            x[i, j] = -x[i, j]
    return x


@inlined
def subtract(x, y):
    """``X -= Y``."""
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            x[i, j] -= y[i, j]
    return x


@inlined
def add(x, y):
    """``X += Y``."""
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            x[i, j] += y[i, j]
    return x


@inlined
def in_fortran_order(x):
    """A copy of a matrix, in Fortran order."""
    made = np.empty((x.shape[1], x.shape[0]), x.dtype)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            made[j, i] = x[i, j]
    return made.T


@inlined
def mirrored(a):
    """The Hermitian matrix of which numba reads the lower triangle."""
    made = np.empty(a.shape, a.dtype)
    for i in range(a.shape[0]):
        for j in range(i):
            made[i, j] = a[i, j]
            made[j, i] = np.conj(a[i, j])
        made[i, i] = a[i, i].real
    return made


@inlined
def folded(g):
    """The adjoint of `mirrored`."""
    made = np.zeros(g.shape, g.dtype)
    for i in range(g.shape[0]):
        for j in range(i):
            made[i, j] = g[i, j] + np.conj(g[j, i])
        made[i, i] = g[i, i].real
    return made


@inlined
def adjoint_in_fortran_order(x):
    """The adjoint of a matrix, in Fortran order."""
    made = np.empty(x.shape, x.dtype)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            made[i, j] = np.conj(x[i, j])
    return made.T
