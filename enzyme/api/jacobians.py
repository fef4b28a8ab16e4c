"""`jacobian` in reverse mode: a reverse pass for every few outputs, each behind an augmented primal of its own."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from enzyme.api import settings
from enzyme.api.assembled import VALUES, from_rows, like
from enzyme.api.callables import unbind
from enzyme.api.directions import code_size, value_of
from enzyme.api.holomorphic import check_real, derivative, real_parts
from enzyme.api.members import Members
from enzyme.api.mixed import ref_to
from enzyme.api.runtime import constants_known, named_constants
from enzyme.api.separate import contiguous, copies, zeros
from enzyme.api.thunks import autodiff_thunk
from enzyme.api.values import CALLED, closure, jitted
from enzyme.contract.admission import check_function
from enzyme.contract.derivatives import (
    ambiguous_rows,
    annotation_of,
    is_constant,
    no_rows,
    width_of_group,
    wrong_outputs,
)
from enzyme.contract.kinds import BATCH, MIXED
from enzyme.errors import (
    ActivityError,
    EnzymeConstStorageError,
    EnzymeRuntimeActivityError,
)
from enzyme.support.per_function_cache import table_of
from enzymecore import (
    Active,
    Annotation,
    AnyState,
    BatchDuplicatedNoNeed,
    Const,
    DuplicatedNoNeed,
    ReverseSplitWidth,
    Split,
    active_register_state,
    named_shadows,
    typeof,
)
from enzymecore.activity_state import holds_floats

__all__ = ["after", "rows_of"]

_PARTS = "__enzyme_parts__"


def rows_of(
    mode: Any,
    f: Any,
    args: tuple[Any, ...],
    n_outs: Any,
    chunk: int | None,
    gradient_of: Callable[..., Any],
    alone: bool = True,
) -> tuple[Any, Any]:
    """The Jacobians with respect to all arguments, and the value; `gradient_of` is for a result of one number, which
    has a row if it is not part of a tuple."""
    args = contiguous(args)
    value = value_of(f, args)
    if isinstance(value, tuple) and active_register_state(value) is not AnyState:
        return _of_parts(mode, f, args, value, chunk, gradient_of), value
    if isinstance(value, float | complex | np.inexact):
        shape: tuple[int, ...] = (1,) * alone
        return tuple(_of_rows(x, [d], shape) for x, d in zip(args, gradient_of(args))), value
    if not isinstance(value, np.ndarray) or not holds_floats(value.dtype):
        kind = f"an array of {value.dtype}" if isinstance(value, np.ndarray) else type(value)
        raise no_rows(kind)
    shape = value.shape if n_outs is None else _shape_of(n_outs)
    count = int(np.prod(shape, dtype=int))
    if count != value.size:
        raise IndexError(f"the function returns {value.size} elements, not n_outs={n_outs}")
    if not value.flags.writeable:  # nor is its shadow, of which elements may share a place
        f = after(f, len(args), ".copy()", "returns an array that cannot be written to")
    is_complex = value.dtype.kind == "c"
    if is_complex and not mode.holomorphic:
        real = any(True for x in args if not is_constant(VALUES, x) for _ in real_parts(x))
        raise ambiguous_rows(value.dtype, real)
    width = width_of_group(chunk, count, code_size(f, args) if chunk is None else 0)
    calls = _patient_row_calls(mode, f, args, width)
    rows: list[tuple[Any, ...]] = []
    for start in range(0, count, width):
        outputs = range(start, min(start + width, count))
        found = calls(outputs, 1.0)
        if is_complex:
            imaginary = calls(outputs, 1j)
            for row in imaginary:
                for position, part in enumerate(row):
                    check_real(position, part)
            found = [tuple(map(derivative, *pair)) for pair in zip(found, imaginary, strict=True)]
        rows += found
    columns: list[list[Any]] = [[row[k] for row in rows] for k in range(len(args))]
    return tuple(_of_rows(x, c, shape) for x, c in zip(args, columns, strict=True)), value


def _shape_of(n_outs: Any) -> tuple[int, ...]:
    """The shape of the outputs, as a number or a tuple of numbers."""
    sizes = n_outs if isinstance(n_outs, tuple) else (n_outs,)
    for size in sizes:
        if isinstance(size, bool) or not isinstance(size, int | np.integer):
            raise wrong_outputs(repr(n_outs))
    if any(size < 0 for size in sizes):
        raise IndexError(f"n_outs={n_outs} is negative; leave it out: it is found by a call")
    return tuple(map(int, sizes))


def _of_rows(x: Any, rows: list[Any], shape: tuple[int, ...]) -> Any:
    return None if is_constant(VALUES, x) else from_rows(x, rows, shape)


def _of_parts(
    mode: Any,
    f: Any,
    args: tuple[Any, ...],
    value: tuple[Any, ...],
    chunk: int | None,
    gradient_of: Callable[..., Any],
) -> tuple[Any, ...]:
    """For a tuple: a tuple of the Jacobians of its parts, for each argument."""
    found = []
    for k, part in enumerate(value):
        if active_register_state(part) is AnyState:
            found.append((None,) * len(args))
            continue
        one = after(f, len(args), f"[{k}]", "returns a tuple")
        found.append(
            rows_of(
                mode,
                one,
                args,
                None,
                chunk,
                lambda given, one=one: gradient_of(given, one),
                alone=False,
            )[0]
        )
    return tuple(
        None if is_constant(VALUES, x) else like(value, parts)
        for x, parts in zip(args, zip(*found, strict=True), strict=True)
    )


def after(f: Any, count: int, suffix: str, what: str) -> Any:
    """The function that returns `suffix` of what `f` returns, which `what` describes."""
    if unbind(f) is not None:
        raise ActivityError(
            what=f"the Jacobian of a callable object that {what}",
            todo="return a new array, or write a function and pass the data of the object as arguments",
        )
    func = jitted(check_function(f, ()), count)
    table = table_of(func, _PARTS)
    if (count, suffix) not in table:
        names = ", ".join(f"x{i}" for i in range(count))
        table[count, suffix] = closure(func, names, f"return f({names}){suffix}", "part")
    return table[count, suffix]


def _patient_row_calls(
    mode: Any, f: Any, args: Sequence[Any], width: int
) -> Callable[[range, complex], list[tuple[Any, ...]]]:
    """`_row_calls`, where constants that are in one place with differentiable data have shadows, too."""
    promoted = constants_known(f, (mode, width), tuple(map(type, args)))
    while True:
        given = [x.val if k in promoted else x for k, x in enumerate(args)]
        try:
            calls = _row_calls(mode, f, given, width)
        except (EnzymeRuntimeActivityError, EnzymeConstStorageError) as error:
            more = named_constants(error, f, given)
            if not more:
                raise
            promoted |= more
            continue
        if not promoted:
            return calls
        return lambda outputs, seed: [
            tuple(None if k in promoted else d for k, d in enumerate(row))
            for row in calls(outputs, seed)
        ]


def _row_calls(
    mode: Any, f: Any, args: Sequence[Any], width: int
) -> Callable[[range, complex], list[tuple[Any, ...]]]:
    """A function that gives some rows at once, for every argument, from seeds of one value."""
    batched = width > 1
    bound = unbind(f)
    func = check_function(f, ()) if bound is None else bound.function(len(args))
    func = jitted(func, len(args)) if isinstance(func, CALLED) else func
    before = [] if bound is None else [bound.annotation]
    # Of the copies that are passed: arrays between addresses of numbers have another type.
    kinds = [type(a)[typeof(a.val)] for a in before] + [_kind(x, width) for x in copies(args)]
    with settings.refusing_early():  # so that nothing has run when it is tried again
        forward, reverse = autodiff_thunk(
            ReverseSplitWidth(Split(mode), width),
            Const[typeof(func)],
            BatchDuplicatedNoNeed if batched else DuplicatedNoNeed,
            *kinds,
        )

    def rows(outputs: range, seed: complex) -> list[tuple[Any, ...]]:
        annotated = [_annotated(x, width) for x in copies(args)]
        members = [_members(x, position) for position, x in enumerate(annotated)]
        tape, _, seeds = forward(Const(func), *before, *annotated)
        for one, k in zip(seeds if batched else (seeds,), outputs, strict=False):
            one.flat[k] = seed
        (adjoints,) = reverse(Const(func), *before, *annotated, tape)
        found = zip(annotated, members, adjoints[len(before) :], strict=True)
        lanes = [_lanes(a, m, d, width) for a, m, d in found]
        return [tuple(lane[k] for lane in lanes) for k in range(len(outputs))]

    return rows


def _kind(x: Any, width: int) -> Any:
    """The annotation class of an argument, with its type."""
    if isinstance(x, Const):
        return Const[typeof(x.val)]
    cls, described = annotation_of(active_register_state(x), width), typeof(x)
    return cls[described, width] if issubclass(cls, BATCH) else cls[described]


def _annotated(x: Any, width: int) -> Annotation:
    if isinstance(x, Const):
        return x
    cls = annotation_of(active_register_state(x), width)
    if cls in (Const, Active):
        return cls(x)
    lanes: tuple[Any, ...] = tuple(zeros(x) for _ in range(width))
    if issubclass(cls, MIXED):
        lanes = tuple(map(ref_to, lanes))
    return cls(x, lanes if issubclass(cls, BATCH) else lanes[0])


def _members(annotated: Annotation, position: int) -> list[Members]:
    """What the shadow in each lane consists of, before the function puts other members there."""
    return [Members(shadow, f"argument {position}") for _, shadow in named_shadows(annotated)]


def _lanes(
    annotated: Annotation, members: Sequence[Members], adjoint: Any, width: int
) -> Sequence[Any]:
    """The derivative in each lane."""
    if isinstance(annotated, Const):
        return (None,) * width
    if isinstance(annotated, Active):
        return adjoint if width > 1 else (adjoint,)  # type: ignore[no-any-return]
    shadows = [shadow for _, shadow in named_shadows(annotated)]
    return [one.restored(shadow) for one, shadow in zip(members, shadows, strict=True)]
