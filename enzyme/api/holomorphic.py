"""Holomorphic reverse mode: the derivative of a complex result with respect to complex arguments.

For f = u + iv, reverse mode with the seeds 1 and i gives u_x + i u_y and v_x + i v_y; from the two follows
df/dz = (f_x - i f_y) / 2.  A third lane with the seed 0 carries what the caller has put into shadows of outputs.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from enzyme.api.caller import make_call
from enzyme.api.compile import Program
from enzyme.api.mixed import put, ref_to
from enzyme.engine.synthesis.request import Activity
from enzymecore import (
    Active,
    BatchDuplicated,
    BatchMixedDuplicated,
    Const,
    MixedDuplicated,
    make_zero,
    named_shadows,
)
from enzymecore.structure import Kind, kind_of, parts

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
        seen: set[int] = set()
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


def derivative(real: Any, imaginary: Any) -> Any:
    """df/dz of the adjoints of both parts; of a real argument, the derivative of the real part."""
    if np.iscomplexobj(real):
        return 0.5 * np.conj(real) + 0.5j * np.conj(imaginary)
    return real


def _sum(first: Any, real: Any, imaginary: Any) -> Any:
    """The derivative with respect to an active argument, part by part."""
    if isinstance(first, tuple):
        members = [_sum(*lanes) for lanes in zip(first, real, imaginary, strict=True)]
        return first._make(members) if hasattr(first, "_make") else tuple(members)
    return type(first)(first + derivative(real, imaginary))


def _added(shadow: Any, real: Any, imaginary: Any, seen: set[int]) -> Any:
    """A shadow of mixed state with the derivative added: arrays in place, what is immutable made anew."""
    if isinstance(shadow, tuple):
        lanes = zip(shadow, real, imaginary, strict=True)
        members = [_added(*parts, seen) for parts in lanes]
        return shadow._make(members) if hasattr(shadow, "_make") else tuple(members)
    if isinstance(shadow, float | complex | np.inexact):
        return type(shadow)(shadow + derivative(real, imaginary))
    if kind_of(shadow) is not Kind.INACTIVE:
        _add(shadow, real, imaginary, seen)
    return shadow


def _add(shadow: Any, real: Any, imaginary: Any, seen: set[int]) -> None:
    """Add the derivative to a shadow, in place; to what is in `seen` it was added."""
    kind = kind_of(shadow)
    if kind not in (Kind.TUPLE, Kind.NAMEDTUPLE):
        if id(real) in seen:
            return
        seen.add(id(real))
    if kind is Kind.ARRAY and shadow.dtype.kind in "fc":
        shadow += derivative(real, imaginary)
        return
    if kind is Kind.RECORD or (kind is Kind.ARRAY and shadow.dtype.names):
        for name in shadow.dtype.names:
            if shadow.dtype[name].base.kind in "fc":
                shadow[name] += derivative(real[name], imaginary[name])
        return
    for (step, part), (_, re), (_, im) in zip(
        parts(shadow, kind), parts(real, kind), parts(imaginary, kind), strict=True
    ):
        if not isinstance(part, float | complex):
            _add(part, re, im, seen)
        elif kind is Kind.JITCLASS:
            setattr(shadow, step.removeprefix("."), part + derivative(re, im))
    if kind in (Kind.TYPED_LIST, Kind.TYPED_DICT):
        for key in shadow if kind is Kind.TYPED_DICT else range(len(shadow)):
            if isinstance(shadow[key], float | complex):
                shadow[key] += derivative(real[key], imaginary[key])
