"""Loops over the elements of arrays, in the form from which fast derivatives come.

Numba walks every operand of an array expression with an index of its own, which stands still along axes of length
one: whether it does is asked for each element, and what follows from it is no longer a loop over neighbours. Here the
shapes are compared before the loops. Where all are those of the result, all operands are walked with one index;
a second nest of loops, with factors of zero and one, is for the others.

Values, order of the elements and errors are numba's. An output given by the user must have the shape to which the
inputs are stretched; numba does not look.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types

from enzyme.frontend.numba_compat import ufunc_loops as numba_loops

_INTP = ir.IntType(64)
_ONE = _INTP(1)


def emit(
    context: Any, builder: Any, sig: Any, args: Sequence[Any], ufunc: Any, kernel_class: Any
) -> Any:
    """The value of a ufunc, or of an array expression, for these arguments."""
    nest = numba_loops.Nest(context, builder, sig, args, ufunc, kernel_class, _broadcast)
    arrays = [one for one in nest.inputs if numba_loops.is_array(one)]
    shape = nest.outputs[0].shape
    with_bounds = [one for one in arrays if one.ndim]
    if not with_bounds or not len(shape):
        with cgutils.loop_nest(builder, shape, intp=_INTP, order=nest.order) as indices:
            nest.compute(indices, [indices[len(indices) - _ndim(one) :] for one in nest.inputs])
        return nest.result()
    all_alike = _all(
        builder,
        [
            builder.icmp_signed("==", own, whole)
            for one in with_bounds
            for own, whole in _aligned(one, shape)
        ],
    )
    if nest.given_output:
        pass
    with builder.if_else(all_alike) as (alike, stretched):
        with alike:
            walk = [_with_shape(one, shape) for one in nest.inputs]
            with cgutils.loop_nest(builder, shape, intp=_INTP, order=nest.order) as indices:
                nest.compute(indices, [indices[len(indices) - _ndim(one) :] for one in walk], walk)
        with stretched:
            factors = [_factors(builder, one) for one in nest.inputs]
            with cgutils.loop_nest(builder, shape, intp=_INTP, order=nest.order) as indices:
                nest.compute(
                    indices,
                    [
                        [
                            builder.mul(index, factor)
                            for index, factor in zip(
                                indices[len(indices) - len(mine) :], mine, strict=True
                            )
                        ]
                        for mine in factors
                    ],
                )
    return nest.result()


def _ndim(one: Any) -> int:
    return one.ndim if numba_loops.is_array(one) else 0


def _aligned(one: Any, shape: Sequence[Any]) -> Any:
    return zip(one.shape, shape[len(shape) - one.ndim :], strict=True)


def _with_shape(one: Any, shape: Sequence[Any]) -> Any:
    """An operand whose lengths are those of the result, so that all of one layout have one index."""
    if not _ndim(one):
        return one
    return one._replace(shape=shape[len(shape) - one.ndim :])


def _factors(builder: Any, one: Any) -> list[Any]:
    """For each axis of an operand 1, or 0 where it has one element for all."""
    if not _ndim(one):
        return []
    return [builder.zext(builder.icmp_signed("!=", own, _ONE), _INTP) for own in one.shape]


def _all(builder: Any, tests: Sequence[Any]) -> Any:
    answer = ir.IntType(1)(1)
    for test in tests:
        answer = builder.and_(answer, test)
    return answer


def _broadcast(context: Any, builder: Any, ndim: int, inputs: Sequence[Any]) -> list[Any]:
    """The shape to which inputs are stretched; numba's error where they do not fit."""
    shape: list[Any] = [_ONE] * ndim
    for number, one in enumerate(inputs):
        if not _ndim(one):
            continue
        misfit = ir.IntType(1)(0)
        offset = ndim - one.ndim
        for axis, own in enumerate(one.shape):
            before = shape[offset + axis]
            free = builder.icmp_signed("==", before, _ONE)
            differs = builder.icmp_signed("!=", own, before)
            wide = builder.icmp_signed("!=", own, _ONE)
            wrong = builder.and_(builder.and_(differs, wide), builder.not_(free))
            misfit = builder.or_(misfit, wrong)
            shape[offset + axis] = builder.select(free, own, before)
        with cgutils.if_unlikely(builder, misfit):
            numba_loops.raise_misfit(context, builder, number)
    return shape
