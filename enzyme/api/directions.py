"""Derivatives along directions, and of outputs, several at a time: what `gradient` and `jacobian` are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from enzyme.api.combined import autodiff
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
    ReverseSplitWidth,
    Split,
    active_register_state,
    make_zero,
    onehot,
    typeof,
)
from enzymecore.activity_state import holds_floats

__all__ = ["WithValue", "again", "forward_derivatives", "row_calls", "width_of_group"]


class WithValue(NamedTuple):
    """Derivatives together with the primal result, of modes that return it."""

    derivs: Any
    val: Any


def again(x: Any) -> Any:
    return x.copy() if isinstance(x, np.ndarray) else x


def row_calls(mode: Any, func: Any, x: Any, width: int) -> Callable[[Any, range], list[Any]]:
    """A function that gives some rows at once: the derivatives of these outputs."""
    is_array = isinstance(x, np.ndarray)
    batched = width > 1
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
        kind,
    )

    def rows(fresh: Any, outputs: range) -> list[Any]:
        lanes = tuple(np.zeros_like(fresh) for _ in range(width)) if is_array else ()
        annotated: Any
        if is_array:
            annotated = BatchDuplicated(fresh, lanes) if batched else Duplicated(fresh, lanes[0])
        else:
            annotated = Active(fresh)
        tape, _, seeds = forward(Const(func), annotated)
        for seed, k in zip(seeds if batched else (seeds,), outputs, strict=False):
            seed.flat[k] = 1.0
        ((adjoints,),) = reverse(Const(func), annotated, tape)
        if not is_array:
            lanes = adjoints if batched else (adjoints,)
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
    return WithValue(tuple(derivs), primal) if mode.return_primal else tuple(derivs)


def _along(mode: Any, f: Any, x: Any, chunk: int | None, directions: Any, flat: bool) -> Any:
    """The derivatives of a function of one argument along directions."""
    given = onehot(x) if directions is None else tuple(_flattened(directions, x))
    columns, primal = _columns(mode, lambda a: autodiff(mode, f, a), x, given, chunk)
    single = not isinstance(x, tuple | np.ndarray)
    if flat:
        derivs: Any = columns[0] if single and directions is None else tuple(columns)
    elif not columns:
        derivs = ()
    else:
        first = np.asarray(columns[0])
        stacked = np.stack([np.asarray(c) for c in columns], axis=-1)
        shape = first.shape if first.shape or single else (1,)
        inner = np.shape(x) if directions is None and isinstance(x, np.ndarray) else (len(columns),)
        derivs = stacked.reshape(shape + (() if single else inner))
        derivs = derivs.reshape((1,)) if derivs.ndim == 0 else derivs
    return WithValue(derivs, primal) if mode.return_primal else derivs


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
        if mode.return_primal:
            lanes, primal = found
        else:
            (lanes,) = found
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
