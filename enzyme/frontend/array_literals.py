"""Arrays whose elements the program lists: ``np.array([[c, -s], [s, c]])``.

Numba makes a list of each row and a list of these, and walks them for their lengths and their elements. Here each
element is stored where it belongs. The shape is a constant, so the array may become registers.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, misc"

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np
from llvmlite import ir as llvmir
from numba.core import ir, types

from enzyme.frontend.array_facts import NUMBERS, Facts
from enzyme.frontend.numba_compat import ufunc_loops as numba_loops

_INTP = llvmir.IntType(64)
# Each element is a store of its own in the code: up to so many.
_MOST = 256


def literal(
    function: Facts, body: list[Any], assigned: Mapping[str, int], value: Any, given: Any
) -> tuple[Any, list[int]]:
    """What stands for a call of `np.array`, an array of the type `given`, in a block; and the places of the statements
    that made its lists, which are not needed any more. None if nobody lists its elements.

    `assigned` are the places where variables of the block got their values.
    """
    if not _makes_array(function, value) or type(given) is not types.Array:
        return None, []
    if given.layout != "C" or not isinstance(given.dtype, NUMBERS):
        return None, []
    found: list[tuple[int, Any]] = []

    def shape_of(name: str, depth: int) -> tuple[int, ...] | None:
        """The shape of what a list or a tuple holds; its elements are found."""
        place, made = assigned.get(name), function.definition(name)
        known = isinstance(made, ir.Expr) and made.op in ("build_list", "build_tuple")
        if not known or place is None or function.readers[name] != 1 or not made.items:
            return None
        if not isinstance(body[place], ir.Assign) or body[place].value is not made:
            return None
        found.append((place, made))
        if depth == 1:
            still = all(assigned.get(var.name, -1) < place for var in made.items)
            numbers = all(isinstance(function.types.get(x.name), NUMBERS) for x in made.items)
            return (len(made.items),) if still and numbers else None
        inner = {shape_of(var.name, depth - 1) for var in made.items}
        (only,) = inner if len(inner) == 1 else (None,)
        return None if only is None else (len(made.items), *only)

    shape = shape_of(value.args[0].name, given.ndim)
    if shape is None or int(np.prod(shape)) > _MOST:
        return None, []
    rows = {body[place].target.name: made.items for place, made in found}

    def elements(name: str) -> list[tuple[Any, Any]]:
        """The elements, each with the type that it has in its list."""
        row = function.types[name]
        own = row.dtype if isinstance(row, types.List) else None
        inside: list[tuple[Any, Any]] = []
        for var in rows[name]:
            inside += elements(var.name) if var.name in rows else [(var, own)]
        return inside

    listed = elements(value.args[0].name)
    made = ir.Expr(
        "enzyme_literal",
        value.loc,
        shape=shape,
        ty=given,
        reads=tuple(var for var, _ in listed),
        own=tuple(ty for _, ty in listed),
    )
    return made, [place for place, _ in found]


def _makes_array(function: Facts, value: Any) -> bool:
    known = function.callee(value) is np.array and len(value.args) == 1 and value.vararg is None
    return known and all(name == "dtype" for name, _ in value.kws)


def lower_literal(lowerer: Any, expr: Any) -> Any:
    context, builder = lowerer.context, lowerer.builder
    made = numba_loops.fresh_array(context, builder, expr.ty, [_INTP(n) for n in expr.shape])
    places = product(*(range(n) for n in expr.shape))
    for place, var, own in zip(places, expr.reads, expr.own, strict=True):
        value, ty = lowerer.loadvar(var.name), lowerer.typeof(var.name)
        if own is not None:
            value, ty = context.cast(builder, value, ty, own), own
        value = context.cast(builder, value, ty, expr.ty.dtype)
        made.store_data([_INTP(k) for k in place], value)
    return made.return_val


LOWERING = {"enzyme_literal": lower_literal}
