"""Holomorphic reverse mode: the derivative of a complex result with respect to complex arguments.

For f = u + iv, reverse mode with the seeds 1 and i gives u_x + i u_y and v_x + i v_y; from the two follows
df/dz = (f_x - i f_y) / 2.  A third lane with the seed 0 carries what the caller has put into shadows of outputs.

With respect to a real argument the derivative is u_x + i v_x, and u_x and v_x are what the two lanes hold.  The place
for it is real, so v_x must be zero.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from enzyme.api.caller import make_call
from enzyme.api.mixed import put, ref_to
from enzyme.api.places import call_site, place
from enzyme.engine.analysis.kinds import Activity
from enzyme.errors import ActivityError
from enzymecore import (
    Active,
    BatchDuplicated,
    BatchMixedDuplicated,
    Const,
    MixedDuplicated,
    make_zero,
    named_shadows,
    numba_types,
)
from enzymecore.structure import Kind, kind_of, parts

if TYPE_CHECKING:
    from enzyme.api.compile import Program

# The lanes: as the caller seeds outputs, real part, imaginary part.
_SEEDS, _LANES = "(0j, 1 + 0j, 1j)", 3


def make_holomorphic_call(
    program: Program, args: Sequence[Any], return_given: bool
) -> Callable[..., Any]:
    """As `caller.make_call`, for a complex result in holomorphic mode."""
    program.signature = replace(program.signature, width=_LANES)
    inner = make_call(program, [_wide(arg, ({}, {})) for arg in args], False, seeds=_SEEDS)
    active = [a is Activity.ACTIVE for a in program.signature.activities]

    def call(*given: Any) -> Any:
        annotated = given[return_given:]
        memos: tuple[dict[Any, Any], ...] = ({}, {})
        wide = [_wide(arg, memos) for arg in annotated]
        adjoints, *primal = inner(*wide)
        for position, (d, lanes) in enumerate(zip(adjoints, wide, strict=True)):
            try:
                check_real(position, d[2] if active[position] else _last(lanes))
            except ActivityError as error:
                raise place(error, call_site()) from None
        seen: dict[Any, Any] = {}
        for arg, lanes in zip(annotated, wide, strict=True):
            if isinstance(lanes, BatchMixedDuplicated):
                shadow, real, imaginary = (content for _, content in named_shadows(lanes))
                put(arg.dval, _added(shadow, real, imaginary, seen))
            elif isinstance(lanes, BatchDuplicated):
                _add(arg.dval, lanes.dval[1], lanes.dval[2], seen)
        found = (_sum(*d) if is_active else None for d, is_active in zip(adjoints, active))
        return (tuple(found), *primal)

    return call


def _wide(arg: Any, memos: tuple[dict[Any, Any], ...]) -> Any:
    """The argument with two more shadows; those of one object are one object."""
    if isinstance(arg, Const | Active):
        return arg
    if isinstance(arg, MixedDuplicated):
        content = next(shadow for _, shadow in named_shadows(arg))
        refs = (ref_to(make_zero(type(content), memo, content)) for memo in memos)
        return BatchMixedDuplicated(arg.val, (arg.dval, *refs), False)
    lanes = (make_zero(type(arg.dval), memo, arg.dval) for memo in memos)
    return BatchDuplicated(arg.val, (arg.dval, *lanes), False)


def _last(lanes: Any) -> Any:
    """The shadow of the last lane, if there is one."""
    return next(reversed([shadow for _, shadow in named_shadows(lanes)]), None)


# --- real arguments -------------------------------------------------------------------------------


def check_real(position: int, imaginary: Any) -> None:
    """Refuse a derivative with respect to real numbers that has an imaginary part, of which this is the adjoint."""
    for part in real_parts(imaginary):
        if np.any(part != 0):
            raise ActivityError(
                what=f"argument {position} holds real numbers, and the derivative with respect to them is complex",
                why="a real derivative or shadow has no place for its imaginary part",
                todo=(
                    "pass complex numbers: complex(x), or x.astype(np.complex128)",
                    "use Forward, which gives complex derivatives with respect to real arguments",
                    "return f(x).real, if the derivative of the real part is wanted",
                    "mark the argument Const, if its derivative is not wanted",
                ),
            )


def real_parts(x: Any) -> Iterator[Any]:
    """The real floating-point numbers and arrays of them in a value."""
    seen: dict[Any, Any] = {}
    pending = [x]
    while pending:
        value = pending.pop()
        kind = kind_of(value)
        if kind is Kind.INACTIVE:
            continue
        if kind is Kind.FLOAT or (kind is Kind.ARRAY and value.dtype.kind in "fc"):
            if np.isrealobj(value):
                yield value
            continue
        if kind in (Kind.RECORD, Kind.ARRAY) and value.dtype.names:
            pending += [value[name] for name in value.dtype.names]
        elif id(value) not in seen:
            seen[id(value)] = value
            pending += [part for _, part in parts(value, kind)]


# --- the sum of the lanes -------------------------------------------------------------------------


def derivative(real: Any, imaginary: Any) -> Any:
    """The derivative out of the adjoints of both parts, which are values of one structure."""
    return None if real is None else _added(make_zero(real), real, imaginary, {})


def _of_numbers(real: Any, imaginary: Any) -> Any:
    """df/dz of complex numbers, df/dx of real ones, whose imaginary part is zero."""
    if np.iscomplexobj(real):
        return 0.5 * np.conj(real) + 0.5j * np.conj(imaginary)
    return real


def _sum(first: Any, real: Any, imaginary: Any) -> Any:
    """The derivative with respect to an active argument, part by part."""
    if isinstance(first, tuple):
        members = [_sum(*lanes) for lanes in zip(first, real, imaginary, strict=True)]
        return first._make(members) if hasattr(first, "_make") else tuple(members)
    return type(first)(first + _of_numbers(real, imaginary))


def _added(shadow: Any, real: Any, imaginary: Any, seen: dict[Any, Any]) -> Any:
    """A shadow of mixed state with the derivative added: arrays in place, what is immutable made anew."""
    if isinstance(shadow, tuple):
        lanes = zip(shadow, real, imaginary, strict=True)
        members = [_added(*parts, seen) for parts in lanes]
        return shadow._make(members) if hasattr(shadow, "_make") else tuple(members)
    if isinstance(shadow, float | complex | np.inexact):
        return type(shadow)(shadow + _of_numbers(real, imaginary))
    if kind_of(shadow) is not Kind.INACTIVE:
        _add(shadow, real, imaginary, seen)
    return shadow


def _add(shadow: Any, real: Any, imaginary: Any, seen: dict[Any, Any]) -> None:
    """Add the derivative to a shadow, in place; to what is in `seen` it was added."""
    kind = kind_of(shadow)
    if kind not in (Kind.TUPLE, Kind.NAMEDTUPLE):
        key = _place(real, kind)
        if key in seen:
            return
        seen[key] = real  # kept, so that no id is used twice
    if kind is Kind.ARRAY and shadow.dtype.kind in "fc":
        shadow += _of_numbers(real, imaginary)
        return
    if kind is Kind.RECORD or (kind is Kind.ARRAY and shadow.dtype.names):
        _add_fields(shadow, real, imaginary)
        return
    if kind is Kind.INSTANCE:
        values = numba_types.field_values
        lanes = zip(values(shadow), values(real), values(imaginary), strict=True)
        found = [_added(own, re, im, seen) for own, re, im in lanes]
        numba_types.set_field_values(shadow, found)
        return
    for (_, part), (_, re), (_, im) in zip(
        parts(shadow, kind), parts(real, kind), parts(imaginary, kind), strict=True
    ):
        if not isinstance(part, float | complex):
            _add(part, re, im, seen)
    if kind in (Kind.TYPED_LIST, Kind.TYPED_DICT):
        for key in shadow if kind is Kind.TYPED_DICT else range(len(shadow)):
            if isinstance(shadow[key], float | complex):
                shadow[key] += _of_numbers(real[key], imaginary[key])


def _add_fields(shadow: Any, real: Any, imaginary: Any) -> None:
    for name in shadow.dtype.names:
        base = shadow.dtype[name].base
        if base.names:
            _add_fields(shadow[name], real[name], imaginary[name])
        elif base.kind in "fc":
            shadow[name] += _of_numbers(real[name], imaginary[name])


def _place(x: Any, kind: Kind) -> Any:
    """The same for values in one place; arrays out of typed containers are new objects each time."""
    if kind is not Kind.ARRAY:
        return id(x)
    return x.__array_interface__["data"][0], x.dtype, x.shape, x.strides
