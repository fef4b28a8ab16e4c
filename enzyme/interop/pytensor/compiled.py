"""Programs as compiled functions of arrays, of which those without axes are numbers.

PyTensor may write to what comes out, so outputs share memory with nothing else.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-any-return, no-untyped-call"

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types
from numba.extending import overload, register_jitable

from enzyme.api.values import closure, jitted
from enzyme.interop.typed import Typed


def compiled(program: Typed) -> Any:
    """The jitted function of a program."""
    count, outputs = len(program.inputs), program.outputs
    arrays = [f"a{k}" for k, form in enumerate(program.inputs) if form.ndim]
    lines = [f"a{k} = dense(x{k})" for k, form in enumerate(program.inputs) if form.ndim]
    given = [f"a{k}" if form.ndim else f"x{k}.item()" for k, form in enumerate(program.inputs)]
    lines.append(f"r = f({', '.join(given)})")
    for k, form in enumerate(outputs):
        found = "r" if program.derivable.alone else f"r[{k}]"
        if form.ndim:
            lines.append(f"y{k} = owned(exact({found}, {form.dtype}), ({', '.join(arrays)},))")
            arrays.append(f"y{k}")
        else:
            lines.append(f"y{k} = np.asarray({form.dtype}({found}))")
    lines.append(f"return {', '.join(f'y{k}' for k in range(len(outputs)))}")
    scope = {form.dtype: np.dtype(form.dtype).type for form in outputs}
    return closure(
        jitted(program.derivable.f, count),
        ", ".join(f"x{k}" for k in range(count)),
        "\n        ".join(lines).replace("(,)", "()"),
        repr(program),
        np=np,
        dense=dense,
        exact=exact,
        owned=owned,
        **scope,
    )


def dense(x):
    """An array in C's order: code for others would be compiled for every combination."""
    raise NotImplementedError


def exact(y, dtype):
    """An array of this type of numbers."""
    raise NotImplementedError


def owned(y, others):
    """An array that shares no memory with others, and may be written."""
    raise NotImplementedError


@overload(dense)
def _dense(x):
    if x.layout == "C":
        return lambda x: x
    return lambda x: x.copy()


@overload(exact)
def _exact(y, dtype):
    if y.dtype == dtype.dtype:
        return lambda y, dtype: y
    return lambda y, dtype: y.astype(dtype)


@overload(owned)
def _owned(y, others):
    if not y.mutable:
        return lambda y, others: y.copy()
    if isinstance(others, types.Tuple | types.UniTuple) and not len(others):
        return lambda y, others: y

    def choose(y, others):
        return _apart(y, others)

    return choose


@register_jitable
def _apart(y, others):
    first, last = _extent(y)
    for start, end in _extents(others):
        if first < end and start < last:
            return _copied(y)
    return y


def _extents(others):
    raise NotImplementedError


@overload(_extents)
def _extents_of(others):
    if len(others) == 1:
        return lambda others: (_extent(others[0]),)
    return lambda others: (_extent(others[0]), *_extents(others[1:]))


def _copied(y):
    raise NotImplementedError


@overload(_copied)
def _copy_of(y):
    """A copy of the same layout, for numba wants one type."""
    if y.layout == "C":
        return lambda y: y.copy()
    if y.layout == "F":
        return lambda y: y.T.copy().T
    return lambda y: y.copy()[::1]


@register_jitable
def _extent(x):
    """Where the memory of an array starts and ends."""
    first = last = x.ctypes.data
    if x.size == 0:
        return first, first
    for k in range(x.ndim):
        reach = (x.shape[k] - 1) * x.strides[k]
        if reach < 0:
            first += reach
        else:
            last += reach
    return first, last + x.itemsize
