"""Derivatives along directions, and of outputs, several at a time: what `gradient` and `jacobian` are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from enzyme.api.callables import unbind
from enzyme.api.combined import autodiff
from enzyme.api.signature import check_function
from enzyme.api.thunks import autodiff_thunk
from enzyme.errors import ActivityError
from enzymecore import (
    Active,
    AnyState,
    BatchDuplicated,
    BatchDuplicatedNoNeed,
    Const,
    Duplicated,
    DuplicatedNoNeed,
    ForwardWithPrimal,
    ReverseSplitWidth,
    Split,
    active_register_state,
    make_zero,
    onehot,
    typeof,
)
from enzymecore.activity_state import holds_floats

__all__ = ["WithValue", "again", "forward_derivatives", "row_calls", "value_of", "width_of_group"]


class WithValue(NamedTuple):
    """Derivatives together with the primal result, of modes that return it."""

    derivs: Any
    val: Any


def again(x: Any) -> Any:
    return x.copy() if isinstance(x, np.ndarray) else x


def row_calls(mode: Any, f: Any, x: Any, width: int) -> Callable[[Any, range, complex], list[Any]]:
    """A function that gives some rows at once: the derivatives of these outputs, from seeds of one value.

    `x` is a fresh copy, as the ones that the function is called with.
    """
    is_array = isinstance(x, np.ndarray)
    batched = width > 1
    bound = unbind(f)
    func = check_function(f, ()) if bound is None else bound.function(1)
    before = [] if bound is None else [bound.annotation]
    described = typeof(x)
    kind: Any
    if is_array:
        kind = BatchDuplicated[described, width] if batched else Duplicated[described]
    else:
        kind = Active[described]
    forward, reverse = autodiff_thunk(
        ReverseSplitWidth(Split(mode), width),
        Const[typeof(func)],
        BatchDuplicatedNoNeed if batched else DuplicatedNoNeed,
        *(type(a)[typeof(a.val)] for a in before),
        kind,
    )

    def rows(fresh: Any, outputs: range, seed: complex) -> list[Any]:
        lanes = tuple(np.zeros_like(fresh) for _ in range(width)) if is_array else ()
        annotated: Any
        if is_array:
            annotated = BatchDuplicated(fresh, lanes) if batched else Duplicated(fresh, lanes[0])
        else:
            annotated = Active(fresh)
        tape, _, seeds = forward(Const(func), *before, annotated)
        for one, k in zip(seeds if batched else (seeds,), outputs, strict=False):
            one.flat[k] = seed
        (adjoints,) = reverse(Const(func), *before, annotated, tape)
        if not is_array:
            lanes = adjoints[-1] if batched else adjoints[-1:]
        return list(lanes[: len(outputs)])

    return rows


def forward_derivatives(
    mode: Any, f: Any, args: tuple[Any, ...], chunk: int | None, directions: Any, flat: bool
) -> Any:
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

        def run(annotated: Any, at: int = position) -> Any:
            given: list[Any] = [a if isinstance(a, Const) else Const(again(a)) for a in args]
            given[at] = annotated
            return autodiff(mode, f, *given)

        columns, primal = _columns(mode, run, x, onehot(x), chunk)
        derivs.append(_stacked(x, columns))
    if not mode.return_primal:
        return tuple(derivs)
    return WithValue(tuple(derivs), value_of(f, args) if primal is None else primal)


def value_of(f: Any, args: Sequence[Any]) -> Any:
    """The plain result, where there was nothing to differentiate."""
    constants = [a if isinstance(a, Const) else Const(again(a)) for a in args]
    return autodiff(ForwardWithPrimal, f, Const, *constants)[0]


def _along(mode: Any, f: Any, x: Any, chunk: int | None, directions: Any, flat: bool) -> Any:
    """The derivatives of a function of one argument along directions."""
    if isinstance(x, Const) or active_register_state(x) is AnyState:
        return WithValue(None, value_of(f, (x,))) if mode.return_primal else None
    given = onehot(x) if directions is None else tuple(_flattened(directions, x))
    columns, primal = _columns(mode, lambda a: autodiff(mode, f, a), x, given, chunk)
    if mode.return_primal and not columns:
        primal = value_of(f, (x,))
    single = not isinstance(x, tuple | np.ndarray)
    if flat:
        if isinstance(x, tuple) and directions is None:
            columns = [_like(part, c) for part, c in zip(x, columns, strict=True)]
        derivs: Any = columns[0] if single and directions is None else tuple(columns)
    elif not columns:
        derivs = ()
    else:
        first = np.asarray(columns[0])
        stacked = np.stack([np.asarray(c) for c in columns], axis=-1)
        shape = first.shape if isinstance(columns[0], np.ndarray) or single else (1,)
        inner = np.shape(x) if directions is None and isinstance(x, np.ndarray) else (len(columns),)
        derivs = stacked.reshape(shape + (() if single else inner))
        derivs = derivs.reshape((1,)) if derivs.ndim == 0 else derivs
    return WithValue(derivs, primal) if mode.return_primal else derivs


def _like(x: Any, derivative: Any) -> Any:
    """The derivative with respect to a number, in its precision."""
    numbers = isinstance(derivative, float | complex) and isinstance(x, np.float32 | np.complex64)
    return x.dtype.type(derivative) if numbers else derivative


def _flattened(directions: Any, x: Any) -> Iterator[Any]:
    """Directions that may come in groups."""
    for group in directions:
        if isinstance(group, tuple) and not (
            isinstance(x, tuple) and not any(isinstance(part, tuple) for part in group)
        ):
            yield from group
        else:
            yield group


def _columns(
    mode: Any,
    run: Callable[[Any], Any],
    x: Any,
    directions: Sequence[Any],
    chunk: int | None,
) -> tuple[list[Any], Any]:
    """The derivative along each direction, and the primal result (of the last call)."""
    columns: list[Any] = []
    primal = None
    width = width_of_group(chunk, len(directions))
    for start in range(0, len(directions), width):
        group = [again(d) for d in directions[start : start + width]]
        used = len(group)
        # The last group is filled up: code for another width would cost more than these lanes.
        group += [make_zero(group[0]) for _ in range(width - used)]
        value = again(x)
        one = Duplicated(value, group[0]) if width == 1 else BatchDuplicated(value, tuple(group))
        found = run(one)
        if len(found) <= mode.return_primal:
            raise ActivityError(
                what="the result of the function holds no floats, so it has no derivative",
                todo="return a float or an array of floats",
            )
        lanes = found[0]
        if mode.return_primal:
            primal = found[1]
        columns += (lanes,) if width == 1 else lanes[:used]
    return columns, primal


# More shadows than this do not stay in registers.
_WIDEST = 8


def width_of_group(chunk: int | None, count: int) -> int:
    """How many directions or outputs go together."""
    return max(1, min(_WIDEST if chunk is None else chunk, count))


def _stacked(x: Any, columns: Sequence[Any]) -> Any:
    """The derivatives along the unit directions of one of several arguments, in its shape."""
    if not isinstance(x, np.ndarray):
        return columns[0] if not isinstance(x, tuple) else tuple(columns)
    first = columns[0] if columns else 0.0
    if isinstance(first, np.ndarray) and holds_floats(first.dtype):
        return np.stack(columns, axis=-1).reshape(first.shape + x.shape)
    if not columns or isinstance(first, int | float | complex | np.number):
        return np.array(columns).reshape(x.shape)
    made = np.empty(x.size, object)
    made[:] = list(columns)
    return made.reshape(x.shape)
