"""Does the memory of a call lie apart as `contract.apart` says? Told from ranges of addresses, by compiled code."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types

from enzyme.contract.apart import (
    Law,
    between_lanes,
    in_one_line,
    on_primal,
    other_layout,
    own_shadow,
    shadows_together,
    shadows_unlike,
)
from enzyme.engine.analysis.kinds import DiffMode
from enzyme.errors import EnzymeError
from enzyme.frontend.overlap import (
    Memory,
    any_of,
    arrays_of,
    memory_of,
    on_primals,
    overlap,
    range_of,
    unlike,
)
from enzyme.frontend.plans import CallPlan
from enzyme.frontend.visible import constants_of, is_apart

_SHARED = "arguments share memory that the function writes to"


def emit_examination(
    context: Any,
    builder: Any,
    plan: CallPlan,
    args: Sequence[Any],
    writes: Callable[[int], bool],
    where: str = "",
    constants_may: bool = True,
) -> Any:
    """Leave the enclosing function with an error for shadows that do not fit; do arguments share memory?

    `writes` tells of which arguments the function may write the memory; errors begin with `where`. Unless
    `constants_may`, constants that share memory are refused, too, if one of them is written.
    """
    law = Law(plan.mode is DiffMode.FORWARD, writes)
    constants = constants_of(plan)
    memory = memory_of(context, builder, plan, args)
    same = [_same(builder, s.place, s.primal) for lane in memory.lanes for s in lane]
    together: list[Any] = []
    different: list[Any] = []
    shared: list[Any] = []
    for (i, one), (j, other) in combinations(_numbered(memory.primals), 2):
        meet = overlap(builder, one, other)
        if i[0] != j[0] or i[0] in constants:
            shared.append(meet)
        if not law.alike(i[0], j[0]):
            continue
        for lane in memory.lanes:
            keyed = {(s.index, s.number): s for s in lane}
            mine, theirs = keyed.get(i), keyed.get(j)
            if mine is None or theirs is None:
                different += [meet] if mine is not theirs or not constants_may else []
                continue
            apart = unlike(builder, mine, theirs)
            different.append(builder.and_(meet, apart))
            together.append(builder.and_(overlap(builder, mine.place, theirs.place), apart))
    for tests, error in (
        (memory.layout_differs, other_layout()),
        (same, own_shadow()),
        (on_primals(builder, memory, law.shadow_from_primal), on_primal()),
        (different, shadows_unlike()),
        (together, shadows_together()),
        (_between_lanes(builder, memory, law), between_lanes()),
    ):
        refuse(context, builder, tests, error, where)
    return any_of(builder, shared)


def _same(builder: Any, shadow: tuple[Any, Any], primal: tuple[Any, Any]) -> Any:
    """Is a shadow, which is laid out like its primal, in the same place?"""
    return builder.and_(
        builder.icmp_unsigned("==", shadow[0], primal[0]),
        builder.icmp_unsigned("!=", primal[0], primal[1]),
    )


def _between_lanes(builder: Any, memory: Memory, law: Law) -> list[Any]:
    """Tests of shadows of different lanes against each other: a loop, for there may be many."""
    shadows = [(lane, s) for lane, members in enumerate(memory.lanes) for s in members]
    indices = sorted({s.index for _, s in shadows})
    if len(memory.lanes) < 2 or not any(law.lanes(i, j) for i in indices for j in indices):
        return []
    table = _table(
        builder,
        [
            [ir.Constant(_INTP, lane), ir.Constant(_INTP, int(law.writes(s.index))), *s.place]
            for lane, s in shadows
        ],
    )
    answer = cgutils.alloca_once_value(builder, cgutils.false_bit)
    end = ir.Constant(_INTP, len(shadows))
    always = ir.Constant(_INTP, int(not law.forward))

    def row(k: Any) -> list[Any]:
        return [builder.load(cgutils.gep_inbounds(builder, table, 0, k, c)) for c in range(4)]

    with cgutils.for_range(builder, end) as outer:
        lane, written, *mine = row(outer.index)
        start = builder.add(outer.index, ir.Constant(_INTP, 1))
        with cgutils.for_range(builder, end, start=start) as inner:
            other, changed, *theirs = row(inner.index)
            matters = builder.or_(always, builder.or_(written, changed))
            matters = builder.icmp_unsigned("!=", matters, ir.Constant(_INTP, 0))
            meet = builder.and_(matters, builder.icmp_unsigned("!=", lane, other))
            meet = builder.and_(meet, overlap(builder, tuple(mine), tuple(theirs)))
            builder.store(builder.or_(builder.load(answer), meet), answer)
    return [builder.load(answer)]


_INTP = ir.IntType(64)


def _table(builder: Any, rows: Sequence[Sequence[Any]]) -> Any:
    """A table of numbers on the stack."""
    kind = ir.ArrayType(ir.ArrayType(_INTP, len(rows[0])), len(rows))
    table = cgutils.alloca_once(builder, kind)
    for k, row in enumerate(rows):
        for column, value in enumerate(row):
            builder.store(value, cgutils.gep_inbounds(builder, table, 0, k, column))
    return table


def emit_refusal_of_shared(
    context: Any,
    builder: Any,
    given: Sequence[tuple[types.Type, Any]],
    writes: Callable[[int], bool],
    where: str,
) -> None:
    """Leave the enclosing function with an error if two arguments share memory, and one of them is written to."""
    places = [
        (k, range_of(builder, kind, array))
        for k, (ty, value) in enumerate(given)
        for kind, array in arrays_of(context, builder, ty, value)
    ]
    meeting = [
        overlap(builder, one, other)
        for (i, one), (j, other) in combinations(places, 2)
        if i != j and (writes(i) or writes(j))
    ]
    containers = [
        (k, ty, context.nrt.get_meminfos(builder, ty, value)[0][1])
        for k, (ty, value) in enumerate(given)
        if is_apart(ty)
    ]
    meeting += [
        builder.icmp_unsigned("==", one, other)
        for (i, ty, one), (j, like, other) in combinations(containers, 2)
        if ty == like and (writes(i) or writes(j))
    ]
    refuse(context, builder, meeting, shadows_unlike(_SHARED), where)


def emit_differs(
    context: Any, builder: Any, plan: CallPlan, args: Sequence[Any], others: Sequence[Any]
) -> Any:
    """Are the arrays of two calls not the same memory? None if there are no arrays."""
    tests = []
    pairs = [pair for pair in plan.parameters if pair[1] >= 0]
    for (role, index), mine, theirs in zip(pairs, args, others, strict=True):
        lanes = [(mine, theirs)]
        if role != "primal":
            lanes = list(zip(plan.lanes(builder, mine), plan.lanes(builder, theirs), strict=True))
        ty = plan.argtypes[index]
        for one, other in lanes:
            arrays = zip(
                arrays_of(context, builder, ty, one),
                arrays_of(context, builder, ty, other),
                strict=True,
            )
            for (kind, first), (_, second) in arrays:
                if isinstance(kind, types.Record):
                    tests.append(builder.icmp_unsigned("!=", first, second))
                else:
                    tests.append(builder.icmp_unsigned("!=", first.data, second.data))
    return any_of(builder, tests) if tests else None


def _numbered(primals: list[tuple[int, Any]]) -> Iterator[tuple[tuple[int, int], Any]]:
    """The arrays of each argument with their numbers."""
    counts: dict[int, int] = {}
    for index, place in primals:
        yield (index, counts.get(index, 0)), place
        counts[index] = counts.get(index, 0) + 1


def refuse(
    context: Any, builder: Any, tests: Sequence[Any], error: EnzymeError, where: str
) -> None:
    """Leave the enclosing function with an error if one of the tests is true."""
    if tests:
        with cgutils.if_unlikely(builder, any_of(builder, tests)):
            message = f"{where}{in_one_line(error)}"
            context.call_conv.return_user_exc(builder, type(error), (message,))
