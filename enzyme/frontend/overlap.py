"""Do the arrays of a call keep apart as the derivative expects? Tested in native code, on entry.

A derivative is compiled with two promises: arrays of different arguments do not overlap, those of constant ones not
even in one argument, and no shadow overlaps a primal. And shadows share memory as their primals do: where a function
writes, one cell cannot hold the derivatives of two. The test compares ranges of addresses, and shapes and strides of
shadows with those of their primals; it costs a few nanoseconds and runs before anything else. Where it fails,
`ArgumentsOverlap` is raised and nothing has been executed: the caller then looks closely (ranges may overlap though no
element is shared) and raises an error or takes the derivative that was compiled without the first promise.

Memory behind anything but arrays, records and tuples of them is not seen; `all_visible` says so.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types

from enzyme.frontend.leaves import leaves
from enzyme.frontend.plans import CallPlan
from enzyme.frontend.visible import ArgumentsOverlap, constants_of

_INTP = ir.IntType(64)


class _Array:
    """The fields of an array, each taken out of its value once."""

    def __init__(self, builder: Any, model: Any, value: Any) -> None:
        self._builder, self._model, self._value = builder, model, value

    def __getattr__(self, name: str) -> Any:
        found = self._model.get(self._builder, self._value, name)
        setattr(self, name, found)
        return found


def arrays_of(
    context: Any, builder: Any, ty: types.Type, value: Any
) -> Iterator[tuple[types.Type, Any]]:
    """The arrays and records in a value, in order."""
    if isinstance(ty, types.Array):
        yield ty, _Array(builder, context.data_model_manager[ty], value)
    elif isinstance(ty, types.Record):
        yield ty, value
    elif isinstance(ty, types.BaseTuple):
        for index, member in enumerate(ty.types):
            yield from arrays_of(context, builder, member, builder.extract_value(value, index))


def range_of(builder: Any, ty: types.Type, array: Any) -> tuple[Any, Any]:
    """First address and the one after the last; equal (both 0) for an empty array."""
    if isinstance(ty, types.Record):
        start = builder.ptrtoint(array, _INTP)
        return start, builder.add(start, _INTP(ty.size))
    first = builder.ptrtoint(array.data, _INTP)
    zero = _INTP(0)
    size = array.itemsize
    if ty.layout in "CF":
        last = builder.add(first, builder.mul(array.nitems, size))
    else:
        low = high = zero
        shapes = cgutils.unpack_tuple(builder, array.shape, ty.ndim)
        strides = cgutils.unpack_tuple(builder, array.strides, ty.ndim)
        for length, stride in zip(shapes, strides, strict=True):
            span = builder.mul(builder.sub(length, _INTP(1)), stride)
            negative = builder.icmp_signed("<", span, zero)
            low = builder.add(low, builder.select(negative, span, zero))
            high = builder.add(high, builder.select(negative, zero, span))
        last = builder.add(first, builder.add(high, size))
        first = builder.add(first, low)
    empty = builder.icmp_signed("==", array.nitems, zero)
    return builder.select(empty, zero, first), builder.select(empty, zero, last)


def overlap(builder: Any, one: tuple[Any, Any], other: tuple[Any, Any]) -> Any:
    return builder.and_(
        builder.icmp_unsigned("<", one[0], other[1]),
        builder.icmp_unsigned("<", other[0], one[1]),
    )


def unlike(builder: Any, one: _Shadow, other: _Shadow) -> Any:
    """Are two shadows not as far apart as their primals?"""
    apart = builder.sub(other.primal[0], one.primal[0])
    return builder.icmp_signed("!=", builder.sub(other.place[0], one.place[0]), apart)


def _meet_unlike(builder: Any, one: _Shadow, other: _Shadow) -> Any:
    """Do two arrays or their shadows share memory, and the others do not in the same way?"""
    shared = overlap(builder, one.place, other.place)
    if one.index == other.index:  # those of different arguments are compared for themselves
        shared = builder.or_(shared, overlap(builder, one.primal, other.primal))
    return builder.and_(shared, unlike(builder, one, other))


def _any_shadows_meet(builder: Any, lanes: list[list[_Shadow]]) -> Any:
    """Do shadows of different lanes share memory, or of one lane unlike their primals? A loop: there may be many."""
    shadows = [(lane, s) for lane, members in enumerate(lanes) for s in members]
    count = len(shadows)
    table = cgutils.alloca_once(builder, ir.ArrayType(ir.ArrayType(_INTP, 4), count))
    for k, (lane, s) in enumerate(shadows):
        for column, value in enumerate((_INTP(lane), *s.place, s.primal[0])):
            builder.store(value, cgutils.gep_inbounds(builder, table, 0, k, column))
    answer = cgutils.alloca_once_value(builder, ir.IntType(1)(0))
    end = _INTP(count)

    def row(k: Any) -> list[Any]:
        return [
            builder.load(cgutils.gep_inbounds(builder, table, 0, k, column)) for column in range(4)
        ]

    with cgutils.for_range(builder, end) as outer:
        lane, *mine, primal = row(outer.index)
        with cgutils.for_range(builder, end, start=builder.add(outer.index, _INTP(1))) as inner:
            other, *theirs, twin = row(inner.index)
            meet = overlap(builder, tuple(mine), tuple(theirs))
            apart = builder.sub(theirs[0], mine[0])
            wrong = builder.icmp_signed("!=", apart, builder.sub(twin, primal))
            wrong = builder.or_(wrong, builder.icmp_unsigned("!=", lane, other))
            meet = builder.and_(meet, wrong)
            builder.store(builder.or_(builder.load(answer), meet), answer)
    return builder.load(answer)


def _layout_differs(builder: Any, ty: types.Type, primal: Any, shadow: Any) -> list[Any]:
    """Tests of lengths and strides; a stride that is never used may differ."""
    found: list[Any] = []
    if isinstance(ty, types.Record):
        return found
    lengths, others = (cgutils.unpack_tuple(builder, x.shape, ty.ndim) for x in (primal, shadow))
    strides, theirs = (cgutils.unpack_tuple(builder, x.strides, ty.ndim) for x in (primal, shadow))
    for axis in range(ty.ndim):
        found.append(builder.icmp_signed("!=", lengths[axis], others[axis]))
        if ty.layout == "A":
            used = builder.icmp_signed(">", lengths[axis], _INTP(1))
            differs = builder.icmp_signed("!=", strides[axis], theirs[axis])
            found.append(builder.and_(used, differs))
    return found


@dataclass
class _Shadow:
    """The range of a shadow, and that of its primal: the array `number` of the argument `index`."""

    index: int
    number: int
    place: Any
    primal: Any


@dataclass
class Memory:
    """The arrays of a call: of every argument, and the ranges of primals and of shadows in each lane."""

    arrays: dict[int, list[tuple[Any, Any]]]
    primals: list[tuple[int, Any]]
    lanes: list[list[_Shadow]]
    layout_differs: list[Any]


def memory_of(context: Any, builder: Any, plan: CallPlan, args: Sequence[Any]) -> Memory:
    found = Memory({}, [], [[] for _ in range(plan.width)], [])
    ranges: dict[int, list[Any]] = {}
    for (role, index), value in zip(plan.parameters, args, strict=True):
        if role in ("seed", "tape"):
            continue
        if role == "primal":
            mine = list(arrays_of(context, builder, plan.argtypes[index], value))
            ranges[index] = [range_of(builder, ty, array) for ty, array in mine]
            found.primals += [(index, place) for place in ranges[index]]
            found.arrays[index] = mine
            continue
        for lane, member in zip(found.lanes, plan.lanes(builder, value), strict=True):
            shadows = arrays_of(context, builder, plan.argtypes[index], member)
            pairs = zip(found.arrays[index], shadows, strict=True)
            for number, ((ty, primal), (_, shadow)) in enumerate(pairs):
                found.layout_differs += _layout_differs(builder, ty, primal, shadow)
                if any(leaf.differentiable for leaf in leaves(ty)):
                    place = range_of(builder, ty, shadow)
                    lane.append(_Shadow(index, number, place, ranges[index][number]))
    return found


def on_primals(
    builder: Any, memory: Memory, matters: Callable[[int, int], bool] = lambda i, j: True
) -> list[Any]:
    """Tests of shadows against primals, by the positions of the arguments where it `matters`."""
    return [
        overlap(builder, shadow.place, primal)
        for lane in memory.lanes
        for shadow in lane
        for position, primal in memory.primals
        if matters(shadow.index, position)
    ]


# More pairs of shadows than this are compared in a loop.
_MOST_PAIRS = 10


def _shadows_meet(builder: Any, memory: Memory) -> list[Any]:
    """Tests of shadows against each other."""
    (first, *others) = memory.lanes
    count = sum(map(len, memory.lanes))
    if (others and first) or count * (count - 1) > 2 * _MOST_PAIRS:
        alone = [pair for pair in combinations(first, 2) if pair[0].index == pair[1].index]
        found = [_meet_unlike(builder, *pair) for pair in alone]
        return [*found, _any_shadows_meet(builder, memory.lanes)]
    return [_meet_unlike(builder, *pair) for pair in combinations(first, 2)]


def any_of(builder: Any, tests: Sequence[Any]) -> Any:
    answer = ir.IntType(1)(0)
    for test in tests:
        answer = builder.or_(answer, test)
    return answer


def emit_test(context: Any, builder: Any, plan: CallPlan, args: Sequence[Any]) -> None:
    """Leave the enclosing function with `ArgumentsOverlap` unless all arrays keep apart."""
    memory = memory_of(context, builder, plan, args)
    failures = memory.layout_differs
    constants = constants_of(plan)
    for (i, one), (j, other) in combinations(memory.primals, 2):
        if i != j or i in constants:
            failures.append(overlap(builder, one, other))
    failures += on_primals(builder, memory) + _shadows_meet(builder, memory)
    if failures:
        with cgutils.if_unlikely(builder, any_of(builder, failures)):
            context.call_conv.return_user_exc(builder, ArgumentsOverlap, ())
