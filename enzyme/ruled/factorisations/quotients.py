"""Quotients whose divisors vanish at repeated eigenvalues and singular values, where vectors have no derivative.

There only what does not depend on the choice of vectors has one. Then what would be divided vanishes, and the quotient
counts as zero; otherwise it is no number. So is the derivative of a quotient that counts as zero.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-untyped-def, no-untyped-call, untyped-decorator"

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types
from numba.extending import intrinsic, overload
from numba.np.numpy_support import as_dtype

from enzyme.frontend.functions.stated import emit_differential, emit_with_derivative_of
from enzyme.frontend.registration import EnzymeContext
from enzyme.ruled.apart import inlined
from enzyme.ruled.products import pulled

_intrinsic: Any = intrinsic  # what it makes is called without the typing context
_SLACK = 16.0


def precision(x: Any) -> Any:
    """In compiled code: the distance from one to the next number of an array's type."""
    raise NotImplementedError


@overload(precision)
def _precision_of(x):
    found = np.finfo(as_dtype(x.dtype)).eps
    return lambda x: found


def not_a_number(x: Any) -> Any:
    """In compiled code: nan, of the precision of an array."""
    raise NotImplementedError


@overload(not_a_number)
def _not_a_number_of(x):
    found = np.finfo(as_dtype(x.dtype)).dtype.type(np.nan)
    return lambda x: found


@_intrinsic
def _zero_without_derivative(typingctx, x):
    """Zero, whose derivative is no number if that of the float is not zero."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = args[0].type
        if not isinstance(context, EnzymeContext):
            return kind(0.0)
        model = emit_differential(builder, kind(float("nan")), args[0])
        return emit_with_derivative_of(builder, kind(0.0), model)

    return x(x), emit


def _zero(x: Any) -> Any:
    raise NotImplementedError


@overload(_zero)
def _zero_of(x):
    if isinstance(x, types.Complex):
        return lambda x: complex(_zero_without_derivative(x.real), _zero_without_derivative(x.imag))
    return lambda x: _zero_without_derivative(x)


@inlined
def largest(x):
    """The largest absolute value in a matrix."""
    found = 0.0
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            size = abs(x[i, j])
            if not size <= found:  # not a number is largest
                found = size
    return found


@inlined
def quotient(numerator, divisor, vanishes, size, negligible):
    """``numerator / divisor``, where the divisor does not vanish; `size` is that of what goes into the numerator."""
    if not vanishes:
        return numerator / divisor
    if size <= _SLACK * negligible:
        return _zero(numerator)
    return numerator * np.nan


@inlined
def weighed(u, v, weights):
    """``U diag(weights) V^H`` of the first vectors; in code that is differentiated again a weight of zero wins over
    vectors that have no derivative."""
    made = np.zeros((u.shape[0], v.shape[0]), u.dtype)
    for i in range(u.shape[0]):
        for j in range(v.shape[0]):
            for k in range(len(weights)):
                made[i, j] += pulled(u[i, k] * np.conj(v[j, k]), weights[k])
    return made
