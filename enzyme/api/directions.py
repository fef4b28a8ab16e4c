"""Derivatives along directions, and of outputs, several at a time: what `gradient` and `jacobian` are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import is_dataclass
from typing import Any

import numpy as np

from enzyme.api import settings
from enzyme.api.assembled import (
    NUMBERS,
    VALUES,
    directions_of,
    from_columns,
    in_precision_of,
    like,
    objects,
    stacked,
)
from enzyme.api.combined import autodiff, derivative
from enzyme.api.runtime import patient_autodiff
from enzyme.api.separate import contiguous, copies, direction, writes
from enzyme.api.values import WITH_KEYS
from enzyme.contract import derivatives
from enzyme.contract.derivatives import WithValue, width_of_group
from enzyme.errors import ActivityError, EnzymeConstStorageError, EnzymeRuntimeActivityError
from enzymecore import (
    AnyState,
    BatchDuplicated,
    Const,
    Duplicated,
    ForwardWithPrimal,
    active_register_state,
    make_zero,
    onehot,
)
from enzymecore.copying import copied
from enzymecore.structure import Kind, kind_of

__all__ = ["forward_derivatives", "value_of"]


def forward_derivatives(
    mode: Any, f: Any, args: tuple[Any, ...], chunk: int | None, directions: Any, flat: bool
) -> Any:
    args = contiguous(args)
    if len(args) == 1:
        return _along(mode, f, args[0], chunk, directions, flat)
    if directions is not None:
        raise ActivityError(
            what="directions are given, but the function has several arguments",
            todo="leave shadow out",
        )
    derivs: list[Any] = []
    primal = None
    for position, x in enumerate(args):
        if isinstance(x, Const) or active_register_state(x) is AnyState:
            derivs.append(None)
            continue

        columns, primal = _along_units(mode, f, args, position, chunk)
        _check_whole(x, columns)
        value = columns[0] if columns else value_of(f, args)
        if not flat:
            _check_rows(value)
        derivs.append((_nested if flat else from_columns)(x, columns, value))
    if not mode.return_primal:
        return tuple(derivs)
    return WithValue(tuple(derivs), value_of(f, args) if primal is None else primal)


def value_of(f: Any, args: Sequence[Any]) -> Any:
    """The plain result, where there was nothing to differentiate."""
    return autodiff(ForwardWithPrimal, f, Const, *map(_constant, copies(args)))[0]


def code_size(f: Any, args: Sequence[Any]) -> int:
    """How many characters of code the program is, with the derivatives in it; `value_of` has compiled it."""
    call = derivative(ForwardWithPrimal, f, (Const, *map(_constant, args)))
    made = getattr(getattr(call, "program", None), "made", None)
    return len(made.text) if made is not None else 0


def _constant(x: Any) -> Const:
    return x if isinstance(x, Const) else Const(x)


def _along(mode: Any, f: Any, x: Any, chunk: int | None, directions: Any, flat: bool) -> Any:
    """The derivatives of a function of one argument along directions."""
    if isinstance(x, Const) or active_register_state(x) is AnyState:
        return WithValue(None, value_of(f, (x,))) if mode.return_primal else None
    if directions is None:
        columns, primal = _along_units(mode, f, (x,), 0, chunk)
        _check_whole(x, columns)
    else:
        given = tuple(_flattened(directions, x))
        columns, primal = _columns(mode, f, (x,), 0, given, chunk)
    if mode.return_primal and not columns:
        primal = value_of(f, (x,))
    derivs: Any
    if not flat and columns:
        _check_rows(columns[0])
    if directions is not None:
        derivs = tuple(columns) if flat else _given_columns(columns)
    elif not flat:
        derivs = from_columns(x, columns, columns[0] if columns else value_of(f, (x,)))
    elif isinstance(x, tuple):
        derivs = tuple(_nested(x, columns, columns[0] if columns else 0.0))
    elif isinstance(x, np.ndarray) and x.dtype.names:
        derivs = stacked(x, columns, columns[0] if columns else value_of(f, (x,)), False)
    else:
        derivs = tuple(columns) if isinstance(x, np.ndarray) else columns[0]
    return WithValue(derivs, primal) if mode.return_primal else derivs


def _given_columns(columns: Sequence[Any]) -> Any:
    """One column for each direction that was given."""
    if not columns or isinstance(columns[0], tuple):
        return objects(columns, (len(columns),))
    first = columns[0]
    made = np.stack([np.asarray(c) for c in columns], axis=-1)
    return made if isinstance(first, np.ndarray) else made.reshape((1, len(columns)))


def _flattened(directions: Any, x: Any) -> Iterator[Any]:
    """Directions that may come in groups."""
    for group in directions:
        if isinstance(group, tuple) and not (
            isinstance(x, tuple) and not any(isinstance(part, tuple) for part in group)
        ):
            yield from group
        else:
            yield group


def _along_units(
    mode: Any, f: Any, args: tuple[Any, ...], position: int, chunk: int | None
) -> tuple[list[Any], Any]:
    """`_columns` along all unit directions."""
    found = _units_in_place(mode, f, args, position, chunk)
    if found is not None:
        return found
    return _columns(mode, f, args, position, _directions(args[position], len(args) == 1), chunk)


def _units_in_place(
    mode: Any, f: Any, args: tuple[Any, ...], position: int, chunk: int | None
) -> tuple[list[Any], Any] | None:
    """The same of an array of real numbers, for a function that writes to no argument: every call has the same ones,
    and ones are put into one block of zeros in turn. None where it must be done in another way."""
    x = args[position]
    if type(x) is not np.ndarray or x.dtype.char not in "fd" or not x.flags.c_contiguous:
        return None
    if not x.ndim or not x.size:
        return None
    width = width_of_group(chunk, x.size)
    block = np.zeros((width, *x.shape), x.dtype)
    lanes, places = tuple(block), block.reshape(width, x.size)
    given: list[Any] = list(map(_constant, args))
    given[position] = (
        Duplicated(x, lanes[0], False) if width == 1 else BatchDuplicated(x, lanes, False)
    )
    try:
        with settings.refusing_early():
            call = derivative(mode, f, tuple(given))
    except (EnzymeRuntimeActivityError, EnzymeConstStorageError):
        return None
    if any(writes(call, k) for k in range(len(args))):
        return None
    columns: list[Any] = []
    primal = None
    for start in range(0, x.size, width):
        used = min(width, x.size - start)
        mine = range(used), range(start, start + used)
        places[mine] = 1.0
        found = call(*given)
        if len(found) <= mode.return_primal:
            raise derivatives.no_derivative()
        if mode.return_primal:
            primal = found[1]
        for lane in (found[0],) if width == 1 else found[0][:used]:
            columns.append(_apart_from(block, lane))
        places[mine] = 0.0
    plain = isinstance(primal, (np.ndarray, *NUMBERS))
    if not plain or any(np.may_share_memory(primal, a) for a in args if type(a) is np.ndarray):
        primal = copied(primal)
    return columns, primal


def _apart_from(block: np.ndarray[Any, Any], tangent: Any) -> Any:
    """A tangent, which may be a part of the block that will be written to."""
    if isinstance(tangent, np.ndarray):
        return tangent.copy() if np.may_share_memory(tangent, block) else tangent
    if isinstance(tangent, tuple):
        return like(tangent, [_apart_from(block, part) for part in tangent])
    return tangent if isinstance(tangent, NUMBERS) else copied(tangent)


def _columns(
    mode: Any,
    f: Any,
    args: tuple[Any, ...],
    position: int,
    directions: Sequence[Any],
    chunk: int | None,
) -> tuple[list[Any], Any]:
    """The derivative along each direction of one argument, and the primal result (of the last call)."""
    columns: list[Any] = []
    primal = None
    width = width_of_group(chunk, len(directions))
    for start in range(0, len(directions), width):
        group = list(map(direction, directions[start : start + width]))
        used = len(group)
        # The last group is filled up: code for another width would cost more than these lanes.
        group += [make_zero(group[0]) for _ in range(width - used)]
        given: list[Any] = [*map(_constant, copies(args))]
        x = given[position].val
        given[position] = (
            Duplicated(x, group[0]) if width == 1 else BatchDuplicated(x, tuple(group))
        )
        found = patient_autodiff(autodiff, mode, f, *given)
        if len(found) <= mode.return_primal:
            raise derivatives.no_derivative()
        lanes = found[0]
        if mode.return_primal:
            primal = found[1]
        columns += (lanes,) if width == 1 else lanes[:used]
    return columns, primal


def _check_rows(value: Any) -> None:
    """The rows of a Jacobian are the elements of arrays."""
    if isinstance(value, tuple):
        for part in value:
            _check_rows(part)
    elif kind_of(value) in (Kind.LIST, Kind.DICT, Kind.TYPED_LIST, Kind.TYPED_DICT, Kind.INSTANCE):
        raise derivatives.no_rows(type(value))


def _check_whole(x: Any, columns: Sequence[Any]) -> None:
    """Along the unit directions a real function of complex numbers shows half of its derivative."""
    if columns and _has(x, np.iscomplexobj) and _has(columns[0], np.isrealobj):
        raise derivatives.half_of_derivative(_has(columns[0], np.iscomplexobj))


def _has(x: Any, kind: Callable[[Any], bool]) -> bool:
    """Is a floating-point number or array in it of this kind?"""
    if isinstance(x, tuple):
        return any(_has(part, kind) for part in x)
    if isinstance(x, np.ndarray) and x.dtype.names:
        return any(_has(x[name], kind) for name in x.dtype.names)
    return np.asarray(x).dtype.kind in "fc" and bool(kind(x))


def _directions(x: Any, alone: bool = True) -> tuple[Any, ...]:
    """The unit directions of a value; of a tuple part by part, without those of what holds no floats."""
    if not isinstance(x, (tuple, np.ndarray, *NUMBERS)):
        kind = "record" if isinstance(x, np.void) else type(x).__name__
        with_keys = isinstance(x, dict) or is_dataclass(x)
        raise derivatives.no_directions(
            kind, type(x) is list, not alone, instead=WITH_KEYS if with_keys else ""
        )
    if not isinstance(x, tuple):
        return onehot(x)
    found = []
    for k, part in enumerate(x):
        if active_register_state(part) is AnyState:
            continue
        for one in _directions(part, alone):
            zeros = list(make_zero(x))
            zeros[k] = one
            found.append(like(x, zeros))
    return tuple(found)


def _nested(x: Any, columns: Sequence[Any], value: Any) -> Any:
    """Of `gradient`: what is like `value` along the unit directions of `x`, put together like `x`."""
    rest = iter(columns)

    def of(part: Any, _: Any) -> Any:
        if isinstance(part, np.ndarray):
            return stacked(part, [next(rest) for _ in range(directions_of(part))], value, False)
        return in_precision_of(part, next(rest))

    return derivatives.by_structure(VALUES, x, of)
