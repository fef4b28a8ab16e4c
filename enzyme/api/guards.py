"""Source of tests that a value is surely of the type that code was compiled for.

They are for floats and arrays of numbers, which nearly all values are, and quicker than keys (`api.values`). A test
that fails says nothing: the value may still be right, and is looked at closely.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types
from numba.np.numpy_support import as_dtype

from enzymecore import Active, Const, Duplicated, DuplicatedNoNeed

_NUMBERS = (types.Float, types.Complex, types.Integer, types.Boolean)
_SINGLE = (Active, Const)
_PAIRS = (Duplicated, DuplicatedNoNeed)
_C, _F, _ALIGNED, _WRITEABLE = 0x1, 0x2, 0x100, 0x400  # NumPy's flags
# By numba's layout: flags to look at, and what they must be.
_LAYOUTS = {"C": (_C, _C), "F": (_C | _F, _F), "A": (_C | _F, 0)}


def guard(cls: type, ty: types.Type, name: str, scope: dict[str, Any]) -> str:
    """An expression: is the annotation `name`, which is of class `cls`, surely one of type `ty`, its shadow too?

    Empty if there is no quick test. `scope` gets the names that it uses.

    Examples
    --------
    >>> guard(Const, types.float64, "a0", {})
    'type(a0.val) is float'
    """
    if cls in _SINGLE:
        return _test(ty, f"{name}.val", scope)
    if cls not in _PAIRS or (_is_plain(ty) and not ty.mutable):  # a shadow is written to
        return ""
    tests = [_test(ty, f"{name}.{part}", scope) for part in ("val", "dval")]
    return " and ".join(tests) if all(tests) else ""


def _test(ty: types.Type, place: str, scope: dict[str, Any]) -> str:
    if ty == types.float64:
        return f"type({place}) is float"
    if not _is_plain(ty):
        return ""
    if ty.layout == "C" and ty.mutable:
        laid_out = "v.flags.carray"  # all of it, in half the time
    else:
        looked_at, expected = _LAYOUTS[ty.layout]
        looked_at |= _ALIGNED | _WRITEABLE
        expected |= _ALIGNED | _WRITEABLE * ty.mutable
        laid_out = f"v.flags.num & {looked_at} == {expected}"
    name = f"dtype_{ty.dtype}"
    scope["ndarray"] = np.ndarray
    scope[name] = np.dtype(as_dtype(ty.dtype))  # each is one object; its equals take the long way
    return (
        f"type(v := {place}) is ndarray and v.dtype is {name} and v.ndim == {ty.ndim} "
        f"and {laid_out}"
    )


def _is_plain(ty: types.Type) -> bool:
    """An array of numbers, as NumPy makes it?"""
    return type(ty) is types.Array and ty.aligned and isinstance(ty.dtype, _NUMBERS)
