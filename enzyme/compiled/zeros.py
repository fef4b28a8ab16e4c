"""`make_zero` and its forms in compiled code: chosen from types, as everything there."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba.core import types
from numba.extending import overload
from numba.np.numpy_support import as_dtype

from enzyme.contract.zeros import Zero, kind_of, steps
from enzyme.errors import ActivityError
from enzyme.support.generated import generated
from enzyme.typed.where import placed
from enzymecore import make_zero, make_zero_inplace, remake_zero_inplace
from enzymecore.zeros_inplace import immutable_zero


def implements(function: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Numba's `overload`, which compares signatures with their annotations."""

    def register(implementation: Callable[..., Any]) -> Callable[..., Any]:
        implementation.__annotations__ = {}
        overload(function)(implementation)
        return implementation

    return register


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


def _make_of_tuple(x: types.BaseTuple) -> Callable[..., Any]:
    scope: dict[str, Any] = {"make_zero": make_zero}
    lines = ["def zero_of(x, copy_if_inactive=False):"]
    for k, ty in enumerate(x.types):
        lines.append(f"    z{k} = make_zero(x[{k}], copy_if_inactive)")
        if isinstance(ty, types.Array):  # one array that stands twice has one zero
            for j in (j for j in range(k) if x.types[j] == ty):
                lines += [f"    if x[{k}] is x[{j}]:", f"        z{k} = z{j}"]
    lines.append(f"    return {members_of(x, [f'z{k}' for k in range(len(x))], scope)}")
    return generated("zero_of", lines, scope)


def _make_of_numbers(x: Any) -> Callable[..., Any]:
    lines = [
        "def zero_of(x, copy_if_inactive=False):",
        "    zero = x.copy()",
        *_clear_numbers(x, "zero"),
        "    return zero",
    ]
    return generated("zero_of", lines, {})


def _clear_numbers(x: Any, name: str) -> list[str]:
    """Lines that set the numbers in a typed list or dictionary to zero."""
    places = f"range(len({name}))" if isinstance(x, types.ListType) else name
    return [f"    for place in {places}:", f"        {name}[place] = 0.0"]


def _make_of_records(x: types.Array) -> Callable[..., Any]:
    fresh = "strided_zeros(x)" if x.layout == "A" else "np.zeros_like(x)"
    lines = [
        "def zero_of(x, copy_if_inactive=False):",
        f"    zero = {fresh}",
        "    zero[...] = x",
        *_clear_records(x, "zero"),
        "    return zero",
    ]
    return generated("zero_of", lines, {"np": np, "strided_zeros": numba.njit(strided_zeros)})


@implements(make_zero)
def _make_zero(x: Any, copy_if_inactive: Any = False) -> Any:
    with placed():
        kind = kind_of(x)
        if kind is Zero.INACTIVE:
            if not isinstance(x, types.Array) or x.layout != "C" or not x.mutable:
                return _same

            def inactive(x, copy_if_inactive=False):  # type: ignore[no-untyped-def]
                return x.copy() if copy_if_inactive else x

            return inactive
        if kind is Zero.NUMBER:
            zero = zero_of_type(x)
            return lambda x, copy_if_inactive=False: zero
        if kind is Zero.ARRAY:
            if x.layout == "A":
                return strided_zeros
            return lambda x, copy_if_inactive=False: np.zeros_like(x)
        if kind is Zero.RECORDS:
            return _make_of_records(x)
        if kind is Zero.TUPLE:
            return _make_of_tuple(x)
        if kind is Zero.NUMBERS:
            return _make_of_numbers(x)
        raise ActivityError(
            what=f"make_zero of a value of type {x} in compiled code",
            why="compiled code, where second derivatives are made, has zeros of numbers, arrays and tuples",
            todo=(
                "take a first derivative from Python: grad, gradient, or autodiff with make_zero(x)",
                "or keep the numbers in arrays, or tuples of arrays",
            ),
        )


@implements(make_zero_inplace)
def _make_zero_inplace(x: Any) -> Any:
    return _clearing(x, True)


@implements(remake_zero_inplace)
def _remake_zero_inplace(x: Any) -> Any:
    return _clearing(x, False)


def _clearing(x: Any, strict: bool) -> Any:
    with placed():
        lines = ["def clear(x):", *_clear_lines(x, "x", "", strict), "    return None"]
        return generated("clear", lines, {"np": np})


def _clear_lines(ty: Any, name: str, path: str, strict: bool) -> list[str]:
    kind = kind_of(ty)
    if kind is Zero.INACTIVE:
        return []
    if kind is Zero.NUMBER or (kind in (Zero.ARRAY, Zero.RECORDS) and not ty.mutable):
        if not strict:
            return []
        raise immutable_zero(str(ty), path)
    if kind is Zero.ARRAY:
        return [f"    {name}[...] = 0"]
    if kind is Zero.RECORDS:
        return _clear_records(ty, name)
    if kind is Zero.NUMBERS:
        return _clear_numbers(ty, name)
    if kind is Zero.TUPLE:
        return [
            line
            for k, (part, step) in enumerate(zip(ty.types, steps(ty), strict=True))
            for line in _clear_lines(part, f"{name}[{k}]", path + step, strict)
        ]
    raise ActivityError(
        what=f"a value of type {ty} cannot be zeroed in compiled code",
        todo="do it in Python, with make_zero_inplace",
    )


def _clear_records(ty: Any, name: str) -> list[str]:
    """Lines that set the floats of an array of records to zero."""
    return [
        f"    for index in np.ndindex({name}.shape):",
        f"        record = {name}[index]",
        *_clear_fields(ty.dtype, "record"),
    ]


def _clear_fields(record: Any, name: str) -> list[str]:
    lines = []
    for field in record.fields:
        ty = record.typeof(field)
        place = f"{name}[{field!r}]"
        if isinstance(ty, types.Record):
            lines += _clear_fields(ty, place)
        elif isinstance(ty, types.NestedArray):
            if isinstance(ty.dtype, types.Float | types.Complex):
                lines.append(f"        {place}[...] = 0")
        elif isinstance(ty, types.Float | types.Complex):
            lines.append(f"        {place} = 0")
    return lines
