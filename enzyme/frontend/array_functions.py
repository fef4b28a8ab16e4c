"""Numba's functions that compute arrays element by element, as parts of array expressions: where, clip, astype.

Numba has loops of its own for each of them, and arrays for what stands in their arguments. Here a call is an operation
on elements like any other. What it does to one element, and the error for shapes that do not fit, are numba's.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, misc"

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba.core import types

from enzyme.frontend.array_facts import NUMBERS, Facts
from enzyme.frontend.numba_compat.ufunc_loops import nearest

_SHAPES = "shape mismatch: objects cannot be broadcast to a single shape"

# Of context, builder, types and values of the operands, and the type of the result: the value.
Compute = Callable[[Any, Any, Sequence[Any], Sequence[Any], Any], Any]


@dataclass(eq=False)
class Element:
    """A call that computes an array element by element; `method` is what gave the method that is called.

    Where it is `exact`, operands with a single element are not stretched.
    """

    operands: tuple[Any, ...]
    compute: Compute
    misfit: str = _SHAPES
    method: Any = None
    exact: bool = False

    def list_vars(self) -> list[Any]:
        return list(self.operands)


def elementwise(function: Facts, call: Any, result: Any) -> Element | None:
    """What a call does to elements, if it does no more; `result` is the type of the array that it makes."""
    callee = function.callee(call)
    if call.kws or call.vararg is not None:
        return None
    if callee is np.where and len(call.args) == 3:
        return _where(function, call.args, result)
    if callee is np.clip and len(call.args) == 3:
        return _clip(function, call.args)
    if isinstance(callee, str):
        method = function.definition(call.func.name)
        if callee == "clip" and len(call.args) == 2:
            return _of_method(_clip(function, [method.value, *call.args]), method)
        if callee == "astype" and len(call.args) == 1:
            return _of_method(_astype(function, method.value, result), method)
    return None


def _of_method(element: Element | None, method: Any) -> Element | None:
    if element is not None:
        element.method = method
    return element


def plain_type(ty: Any) -> Any:
    """The type of a number, also where numba knows which."""
    return types.unliteral(ty)


def _number(function: Facts, var: Any) -> Any:
    """The type of a number, or of the elements of an array; None for what is neither."""
    array = function.array(var.name)
    ty = function.types.get(var.name)
    return array.dtype if array is not None else plain_type(ty) if isinstance(ty, NUMBERS) else None


# Choice -----------------------------------------------------------------------------------------------


def _where(function: Facts, args: Sequence[Any], result: Any) -> Element | None:
    condition, *values = (_number(function, var) for var in args)
    if (
        function.array(args[0].name) is None
        or None in values
        or isinstance(condition, types.Complex)
    ):
        return None
    if function.typing.unify_types(*values) != result.dtype:
        return None
    return Element(tuple(args), _chosen)


def _chosen(context: Any, builder: Any, kinds: Any, values: Any, dtype: Any) -> Any:
    test = context.is_true(builder, kinds[0], values[0])
    cast = [
        context.cast(builder, x, ty, dtype) for x, ty in zip(values[1:], kinds[1:], strict=True)
    ]
    return builder.select(test, *cast)


# Bounds -----------------------------------------------------------------------------------------------


def _clip(function: Facts, args: Sequence[Any]) -> Element | None:
    """Bounds are numbers or None: with arrays for bounds numba looks at shapes in a way of its own."""
    source, *bounds = args
    if function.array(source.name) is None:
        return None
    known = []
    for bound, beyond in zip(bounds, (operator.gt, operator.lt), strict=True):
        ty = function.types.get(bound.name)
        if isinstance(ty, types.Integer | types.Float):
            known.append((bound, beyond))
        elif not isinstance(ty, types.NoneType):
            return None
    if not known or isinstance(function.array(source.name).dtype, types.Complex):
        return None
    tests = [beyond for _, beyond in known]

    def compute(context: Any, builder: Any, kinds: Any, values: Any, dtype: Any) -> Any:
        (kind, *others), (value, *limits) = kinds, values
        for beyond, other, limit in zip(tests, others, limits, strict=True):
            value = nearest(context, builder, (kind, other), (value, limit), beyond)
            kind = context.typing_context.unify_types(kind, other)
        return context.cast(builder, value, kind, dtype)

    return Element((source, *(bound for bound, _ in known)), compute)


# Kinds of numbers -------------------------------------------------------------------------------------


def _astype(function: Facts, source: Any, result: Any) -> Element | None:
    given = _number(function, source)
    if function.array(source.name) is None or given is None:
        return None
    if isinstance(given, types.Complex) and not isinstance(result.dtype, types.Complex):
        return None
    return Element((source,), _converted)


def _converted(context: Any, builder: Any, kinds: Any, values: Any, dtype: Any) -> Any:
    return context.cast(builder, values[0], kinds[0], dtype)
