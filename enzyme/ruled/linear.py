"""The arithmetic of easy rules, for numba: partials times tangents and adjoints, lane by lane.

A partial of an array has the shape of the result followed by that of the argument.  Zero derivatives stay zero,
whatever they are multiplied with (`products`).
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-untyped-def, misc"

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types
from numba.extending import overload, register_jitable
from numba.np.numpy_support import as_dtype

from enzyme.errors import CustomRuleError
from enzyme.ruled.products import pulled, pushed
from enzyme.typed.annotations import AnnotationType
from enzyme_rules import linear
from enzymecore import BatchDuplicated, Duplicated


def _is_array(ty: Any) -> bool:
    return isinstance(ty, types.Array)


def is_none(ty: Any) -> bool:
    return ty is None or isinstance(ty, types.NoneType)


def check_argument(ty: types.Type) -> None:
    """Refuse derivatives by what is neither a number nor an array."""
    if not isinstance(types.unliteral(ty), types.Number | types.Array):
        raise CustomRuleError(
            what=f"an easy rule is asked for the derivative by an argument of type {ty}",
            why="it has partials by numbers and arrays only",
            todo=("pass the parts as arguments of their own", "or write the rules out"),
        )


def check_result(ty: types.Type) -> None:
    """Refuse results that are neither numbers nor arrays."""
    ty = types.unliteral(ty)
    if not isinstance(ty, types.Number | types.Boolean | types.Array):
        raise CustomRuleError(
            what=f"an easy rule is asked for the derivative of a result of type {ty}",
            why="it has partials of numbers and arrays, returned alone or in one tuple",
            todo=("return the parts in one tuple", "or write the rules out"),
        )


def _lanes(config: Any) -> int:
    return config.python_value.width  # type: ignore[no-any-return]


def lane_suffixes(config: Any) -> list[str]:
    """What is written behind a value to speak of one lane of it."""
    width = _lanes(config)
    return [""] if width == 1 else [f"[{k}]" for k in range(width)]


def _each_lane(width: int, parameters: str, one: str, scope: dict[str, Any]) -> Any:
    """A function of `parameters` that returns `one`, or at a width above one the tuple of its lanes.

    In `one`, a lane of a value is written as ``value{k}``.
    """
    lanes = [one.replace("{k}", f"[{k}]") for k in range(width)]
    result = one.replace("{k}", "") if width == 1 else f"({', '.join(lanes)},)"
    exec(f"def function({parameters}):\n    return {result}\n", scope)
    return scope["function"]


@register_jitable
def _ravel(x):
    return np.ascontiguousarray(x).reshape(-1)


@register_jitable
def _spread(partial, like):
    """A partial of one number or array by another as a flat array; a single number stands for all."""
    return np.broadcast_to(_ravel(partial), like.size)


@overload(linear.no_tangent)
def _no_tangent(config, omega):
    check_result(omega)
    one = "np.zeros_like(omega)" if _is_array(omega) else "zero"
    scope = {"np": np, "zero": None if _is_array(omega) else _constructor(omega)(0)}
    return _each_lane(_lanes(config), "config, omega", one, scope)


@overload(linear.no_adjoint)
def _no_adjoint(config, value):
    check_argument(value)
    scope = {"zero": _constructor(value)(0)}
    return _each_lane(_lanes(config), "config, value", "zero", scope)


@overload(linear.zeros)
def _zeros(config, omega):
    if isinstance(omega, types.BaseTuple):
        members = ", ".join(f"np.zeros_like(omega[{k}])" for k in range(len(omega)))
        return _each_lane(_lanes(config), "config, omega", f"({members},)", {"np": np})
    return _each_lane(_lanes(config), "config, omega", "np.zeros_like(omega)", {"np": np})


@overload(linear.push)
def _push(config, tangent, partial, dval):
    scope = {"term": _term}
    return _each_lane(
        _lanes(config),
        "config, tangent, partial, dval",
        "term(tangent{k}, partial, dval{k})",
        scope,
    )


def _term(tangent, partial, d):
    raise NotImplementedError


@overload(_term)
def _term_of(tangent, partial, d):
    if is_none(partial) or is_none(d):
        return lambda tangent, partial, d: tangent
    check_argument(d)
    real = not isinstance(dtype_of(tangent), types.Complex)
    if not _is_array(d):
        if _is_array(tangent):

            def scaled(tangent, partial, d):
                found = tangent.copy()
                rows = _spread(partial, found)
                into = found.reshape(-1)
                for i in range(found.size):
                    product = pushed(rows[i], d)
                    into[i] += product.real if real else product
                return found

            return scaled
        kind = _constructor(tangent)
        if real:
            return lambda tangent, partial, d: kind(tangent + pushed(partial, d).real)
        return lambda tangent, partial, d: kind(tangent + pushed(partial, d))
    if _is_array(tangent):

        def product(tangent, partial, d):
            rows = np.ascontiguousarray(partial).reshape((tangent.size, d.size))
            flat = _ravel(d)
            found = np.zeros_like(tangent)
            into = found.reshape(-1)
            for i in range(tangent.size):
                for j in range(d.size):
                    product = pushed(rows[i, j], flat[j])
                    into[i] += product.real if real else product
            return tangent + found

        return product
    kind = _constructor(tangent)

    def inner(tangent, partial, d):
        found = tangent
        row = _spread(partial, d)
        flat = _ravel(d)
        for j in range(d.size):
            product = pushed(row[j], flat[j])
            found += product.real if real else product
        return kind(found)

    return inner


def dtype_of(ty: types.Type) -> types.Type:
    """The type of a number, or of the numbers in an array."""
    return types.unliteral(ty.dtype if _is_array(ty) else ty)


def _constructor(ty: types.Type) -> Any:
    """What makes a number of this type."""
    return as_dtype(types.unliteral(ty)).type


@overload(linear.joined)
def _joined(config, omega, tangents):
    width, count = _lanes(config), len(tangents.types)
    named = omega.instance_class if isinstance(omega, types.BaseNamedTuple) else None
    members = ", ".join(f"tangents[{k}]{{k}}" for k in range(count))
    one = f"make({members})" if named else f"({members},)"
    return _each_lane(width, "config, omega, tangents", one, {"make": named})


@overload(linear.both)
def _both(config, omega, tangent):
    if _lanes(config) == 1:
        return lambda config, omega, tangent: Duplicated(omega, tangent)
    return lambda config, omega, tangent: BatchDuplicated(omega, tangent)


@overload(linear.seed)
def _seed(config, dret, shadow, row):
    if not is_none(shadow):
        one = "shadow{k}"
    elif isinstance(dret, types.BaseTuple | AnnotationType):
        one = "dret{k}.val"
    else:
        return lambda config, dret, shadow, row: None
    if isinstance(row, types.IntegerLiteral) and row.literal_value >= 0:
        one += f"[{row.literal_value}]"
    elif not isinstance(row, types.IntegerLiteral):
        return None
    return _each_lane(_lanes(config), "config, dret, shadow, row", one, {})


@overload(linear.pull)
def _pull(config, adjoint, partial, seed, value):
    lane = "" if is_none(seed) else "{k}"
    return _each_lane(
        _lanes(config),
        "config, adjoint, partial, seed, value",
        f"adjoint{{k}} + part(partial, seed{lane}, value)",
        {"part": _part},
    )


def _part(partial, seed, value):
    raise NotImplementedError


@overload(_part)
def _part_of(partial, seed, value):
    """What an adjoint of a result adds to that of a number."""
    kind = _constructor(value)
    real = not isinstance(types.unliteral(value), types.Complex)
    if is_none(partial) or is_none(seed):
        return lambda partial, seed, value: kind(0)
    if _is_array(seed):

        def summed(partial, seed, value):
            found = kind(0)
            column = _spread(partial, seed)
            flat = _ravel(seed)
            for i in range(seed.size):
                product = pulled(np.conj(column[i]), flat[i])
                found += product.real if real else product
            return kind(found)

        return summed
    if real:
        return lambda partial, seed, value: kind(pulled(np.conj(partial), seed).real)
    return lambda partial, seed, value: kind(pulled(np.conj(partial), seed))


@overload(linear.pull_into)
def _pull_into(config, shadow, partial, seed, value):
    if is_none(partial) or is_none(seed):
        return lambda config, shadow, partial, seed, value: None
    check_argument(value)
    body = "\n".join(f"    add(shadow{k}, partial, seed{k})" for k in lane_suffixes(config))
    scope: dict[str, Any] = {"add": _add}
    exec(f"def function(config, shadow, partial, seed, value):\n{body}\n", scope)
    return scope["function"]


def _add(shadow, partial, seed):
    raise NotImplementedError


@overload(_add)
def _add_to(shadow, partial, seed):
    real = not isinstance(shadow.dtype, types.Complex)
    if not _is_array(seed):

        def scaled(shadow, partial, seed):
            row = _spread(partial, shadow)
            for j, (index, _) in enumerate(np.ndenumerate(shadow)):
                product = pulled(np.conj(row[j]), seed)
                shadow[index] += product.real if real else product

        return scaled

    def product(shadow, partial, seed):
        rows = np.ascontiguousarray(partial).reshape((seed.size, shadow.size))
        flat = _ravel(seed)
        for column, (index, _) in enumerate(np.ndenumerate(shadow)):
            for i in range(seed.size):
                product = pulled(np.conj(rows[i, column]), flat[i])
                shadow[index] += product.real if real else product

    return product


@overload(linear.clear)
def _clear(config, shadow):
    if is_none(shadow):
        return lambda config, shadow: None
    places = lane_suffixes(config)
    lane = shadow if _lanes(config) == 1 else shadow.types[0]
    if isinstance(lane, types.BaseTuple):
        places = [f"{place}[{k}]" for place in places for k in range(len(lane))]
    body = "\n".join(f"    shadow{place}[...] = 0" for place in places)
    scope: dict[str, Any] = {}
    exec(f"def function(config, shadow):\n{body}\n", scope)
    return scope["function"]
