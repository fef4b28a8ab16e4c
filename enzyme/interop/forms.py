"""Numbers and arrays as a host sees them before anything runs: what numbers, how many axes, no shapes."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-any-return"

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
from numba.core import types
from numba.np.numpy_support import as_dtype

from enzyme.interop.derivable import ARRAY, NUMBER, OTHER, no_tensor

# What numba has of the numbers that arrays of hosts hold, and the real type of complex ones.
REAL = frozenset("bool uint8 uint16 uint32 uint64 int8 int16 int32 int64 float32 float64".split())
PARTS = {"complex64": "float32", "complex128": "float64"}


@dataclass(frozen=True)
class Form:
    """The type of the numbers of an array, and its axes without those of layers."""

    dtype: str
    ndim: int


@dataclass(frozen=True)
class Returned:
    """One number or array that a function returns: where in its result, and what numba says of it."""

    source: str
    dtype: Any
    ndim: int
    is_array: bool


def is_float(form: Form) -> bool:
    """Do such arrays have derivatives?"""
    return form.dtype.startswith("float")


def kind_of(form: Form) -> str:
    """What it is to a `Derivable`."""
    if not is_float(form):
        return OTHER
    return ARRAY if form.ndim else NUMBER


def numba_type(form: Form) -> Any:
    """Numba's type of an input."""
    kind = numba.from_dtype(np.dtype(form.dtype))
    return types.Array(kind, form.ndim, "C") if form.ndim else kind


def returned(ty: Any, source: str, found: list[Returned]) -> Any:
    """Take in the numbers and arrays in a result of numba's type `ty`; the tree of their places in `found`."""
    if isinstance(ty, types.BaseTuple):
        parts = enumerate(ty.types)
        return tuple([returned(part, f"{source}[{k}]", found) for k, part in parts])
    is_array = isinstance(ty, types.Array)
    number = ty.dtype if is_array else types.unliteral(ty)
    if not isinstance(number, types.Number | types.Boolean):
        raise no_tensor(f"a value of numba's type {ty}")
    found.append(Returned(source, as_dtype(number), ty.ndim if is_array else 0, is_array))
    return len(found) - 1


def real_forms(dtype: Any, ndim: int) -> list[Form]:
    """Those of the real outputs for one of these numbers: of complex ones two."""
    name = np.dtype(dtype).name
    return [Form(PARTS[name], ndim)] * 2 if name in PARTS else [Form(name, ndim)]


def sources(outputs: tuple[Returned, ...]) -> list[str]:
    """The real outputs, in terms of the result `r`."""
    found = []
    for one in outputs:
        value = f"{one.source}[()]" if one.is_array and not one.ndim else one.source
        if one.dtype.kind != "c":
            found.append(value)
        elif one.ndim:
            found += [f"np.real({value}).copy()", f"np.imag({value}).copy()"]
        else:
            found += [f"{value}.real", f"{value}.imag"]
    return found
