"""`make_zero` and its forms in compiled code: chosen from types, as everything there."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba.core import types
from numba.extending import overload
from numba.np.numpy_support import as_dtype

from enzyme.errors import ActivityError, ImmutableZeroError
from enzyme.frontend.abi import is_differentiable, is_fixed
from enzyme.typed.where import placed
from enzymecore import make_zero, make_zero_inplace, remake_zero_inplace


def implements(function: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Numba's `overload`, which compares signatures with their annotations."""

    def register(implementation: Callable[..., Any]) -> Callable[..., Any]:
        implementation.__annotations__ = {}
        overload(function)(implementation)
        return implementation

    return register


def generated(name: str, lines: list[str], scope: dict[str, Any]) -> Callable[..., Any]:
    """A function from source: an implementation that depends on the types of its arguments."""
    exec(compile("\n".join(lines) + "\n", f"<enzyme.{name}>", "exec"), scope)
    made: Callable[..., Any] = scope[name]
    return made


def members_of(ty: types.BaseTuple, parts: list[str], scope: dict[str, Any]) -> str:
    """Source of a tuple, or named tuple, of the kind of `ty`."""
    if isinstance(ty, types.BaseNamedTuple):
        name = f"make_{len(scope)}"
        scope[name] = ty.instance_class
        return f"{name}({', '.join(parts)})"
    return f"({', '.join(parts)}{',' * (len(parts) == 1)})"


def zero_of_type(ty: types.Type) -> Any:
    """Zero of a type of number."""
    return as_dtype(ty).type(0)


def _same(x, copy_if_inactive=False):  # type: ignore[no-untyped-def]
    return x


def strided_zeros(x, copy_if_inactive=False):  # type: ignore[no-untyped-def]
    """Zeros with the strides of an array, gaps and directions included."""
    low = 0
    high = 0
    for axis in range(x.ndim):
        reach = (max(x.shape[axis], 1) - 1) * x.strides[axis]
        low += min(reach, 0)
        high += max(reach, 0)
    memory = np.zeros(high - low + x.itemsize, np.uint8)
    first = memory[-low : x.itemsize - low].view(x.dtype)
    return np.lib.stride_tricks.as_strided(first, x.shape, x.strides)


@implements(make_zero)
def _make_zero(x: Any, copy_if_inactive: Any = False) -> Any:
    with placed():
        if isinstance(x, types.Array) and not is_differentiable(x):

            def inactive(x, copy_if_inactive=False):  # type: ignore[no-untyped-def]
                return x.copy() if copy_if_inactive else x

            return inactive if x.layout == "C" and x.mutable else _same
        if is_fixed(x) or not is_differentiable(x):
            return lambda x, copy_if_inactive=False: x
        if isinstance(x, types.Float | types.Complex):
            zero = zero_of_type(x)
            return lambda x, copy_if_inactive=False: zero
        if isinstance(x, types.Array) and x.layout == "A":
            return strided_zeros
        if isinstance(x, types.Array):
            return lambda x, copy_if_inactive=False: np.zeros_like(x)
        if isinstance(x, types.BaseTuple):
            scope: dict[str, Any] = {"make_zero": make_zero}
            lines = ["def zero_of(x, copy_if_inactive=False):"]
            for k, ty in enumerate(x.types):
                lines.append(f"    z{k} = make_zero(x[{k}], copy_if_inactive)")
                if isinstance(ty, types.Array):  # one array that stands twice has one zero
                    for j in (j for j in range(k) if x.types[j] == ty):
                        lines += [f"    if x[{k}] is x[{j}]:", f"        z{k} = z{j}"]
            lines.append(f"    return {members_of(x, [f'z{k}' for k in range(len(x))], scope)}")
            return generated("zero_of", lines, scope)
        raise ActivityError(
            what=f"make_zero of a value of type {x} in compiled code",
            todo="make the shadow in Python and pass it as an argument",
        )


@implements(make_zero_inplace)
def _make_zero_inplace(x: Any) -> Any:
    return _clearing(x, True)


@implements(remake_zero_inplace)
def _remake_zero_inplace(x: Any) -> Any:
    return _clearing(x, False)


def _clearing(x: Any, strict: bool) -> Any:
    with placed():
        lines = ["def clear(x):", *_clear_lines(x, "x", strict), "    return None"]
        return generated("clear", lines, {})


def _clear_lines(ty: Any, name: str, strict: bool) -> list[str]:
    if is_fixed(ty) or not is_differentiable(ty):
        return []
    if isinstance(ty, types.Array):
        return [f"    {name}[...] = 0"]
    if isinstance(ty, types.BaseTuple):
        members = enumerate(ty.types)
        return [line for k, part in members for line in _clear_lines(part, f"{name}[{k}]", strict)]
    if isinstance(ty, types.Float | types.Complex):
        if not strict:
            return []
        raise ImmutableZeroError(
            what=f"cannot zero an immutable value of type {ty} in place",
            todo="use make_zero, which returns a new value",
        )
    raise ActivityError(
        what=f"a value of type {ty} cannot be zeroed in compiled code",
        todo="do it in Python, with make_zero_inplace",
    )
