"""Neighbouring loads of one loop share their way back to memory.

A stencil reads `u[j - 1]`, `u[j]` and `u[j + 1]`; backwards each iteration would add to three neighbouring
shadow cells, and every cell would be read and written three times.  Instead the sums roll through registers:
in each reverse iteration one cell becomes final and is added to memory, and when the loop is over the rest is.

A load whose address stands still, as `y[i]` in a loop over `j` that adds `y[i] * y[j]` to a matrix, adds to one cell:
there the sum stays in a register until the loop is over. LLVM could not do it, for `y[j]` may be that cell.

Conditions: an innermost loop of one block; loads of one type whose addresses differ by whole strides, without
gaps; and no store of the loop may touch the shadow cells in question at the same time, because the reverse of a
store reads its cell.  Additions commute, so other loads need no proof.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from enzyme.engine.analysis.activity_result import ActivityResult
from enzyme.engine.analysis.alias import AliasOracle
from enzyme.engine.analysis.inductions import Induction, is_invariant
from enzyme.engine.analysis.loops import Loop
from enzyme.engine.derivatives.catalogue import row_for_call
from enzyme.engine.ir.instructions import Call, Instruction, Load, Phi, Store
from enzyme.engine.ir.types import FloatType, Type
from enzyme.engine.ir.values import ConstInt, Value, wrapped

WIDEST = 8
_MOST_EXCHANGES = 8


@dataclass(slots=True, eq=False)
class RollingGroup:
    """Loads in order of the iteration distance at which they meet one cell: `loads[k]` has the address of
    `loads[0]` less `k` strides. Where the stride is 0, all have one address, which stands still. `sums` are the
    registers of each lane, made by the synthesis."""

    loop: Loop
    type: Type
    stride: int
    loads: list[list[Load]]
    sums: dict[int, list[Value]] = field(default_factory=dict)

    @property
    def first(self) -> Load:
        return self.loads[0][0]


def find_groups(
    loop: Loop,
    counter: Phi,
    inductions: dict[Phi, Induction],
    activity: ActivityResult,
    order: list[Instruction],
) -> list[RollingGroup]:
    """The groups of a single-block loop; `order` are its primal instructions."""
    if len(loop.blocks) != 1 or any(isinstance(i, Call) and row_for_call(i) is None for i in order):
        return []
    oracle = activity.oracle
    stores = [i for i in order if isinstance(i, Store) and activity.has_shadow(i.pointer)]
    found: dict[object, dict[int, list[Load]]] = {}
    strides: dict[object, int] = {}
    for load in order:
        if not isinstance(load, Load) or not isinstance(load.type, FloatType) or load.flags:
            continue
        if not activity.is_active(load) or not activity.has_shadow(load.pointer):
            continue
        base, offset, steps = oracle.objects.address(load.pointer)
        stride = _stride(loop, counter, inductions, steps)
        if stride is not None and is_invariant(base[0] if isinstance(base, tuple) else base, loop):
            key = (base, frozenset(steps), load.type)
            strides[key] = stride
            found.setdefault(key, {}).setdefault(offset, []).append(load)
    groups = []
    for group, by_offset in found.items():
        for loads in _sharing(by_offset, strides[group]):
            if all(distinct_now(oracle, store.pointer, loads[0][0].pointer) for store in stores):
                groups.append(RollingGroup(loop, loads[0][0].type, strides[group], loads))
    return groups


def _sharing(by_offset: dict[int, list[Load]], stride: int) -> list[list[list[Load]]]:
    """Of loads that move by a stride, by their offset: those that share cells, in order. Rows of fixed length have one
    base, but lie far apart."""
    if not stride:
        return [[loads] for loads in by_offset.values()]
    ordered = sorted(by_offset, key=lambda offset: (offset % stride, offset // -stride))
    runs: list[list[int]] = []
    for offset in ordered:
        if runs and len(runs[-1]) < WIDEST and runs[-1][-1] - offset == stride:
            runs[-1].append(offset)
        else:
            runs.append([offset])
    return [[by_offset[k] for k in run] for run in runs if len(run) > 1]


def _stride(
    loop: Loop, counter: Phi, inductions: dict[Phi, Induction], steps: tuple[tuple[int, Value], ...]
) -> int | None:
    """Bytes that an address advances per iteration; None if that is not a constant."""
    total = 0
    for scale, index in steps:
        if is_invariant(index, loop):
            continue
        if index is counter:
            total += scale
            continue
        induction = inductions.get(index) if isinstance(index, Phi) else None
        if (
            induction is None
            or induction.loop is not loop
            or not isinstance(induction.step, ConstInt)
        ):
            return None
        step = induction.step.value
        total += scale * (-step if induction.negative else step)
    return wrapped(total)


def distinct_now(
    oracle: AliasOracle,
    first: Value,
    second: Value,
    assumed: frozenset[tuple[object, object]] = frozenset(),
) -> bool:
    """Do two pointers point into different objects at any one time?

    Two phis of one block do if they do on every edge into it: buffers that change places stay apart.
    """
    one, other = oracle.objects.address(first)[0], oracle.objects.address(second)[0]
    if one == other:
        return False
    if (one, other) in assumed or (other, one) in assumed:
        return True
    origins, others = oracle.underlying(first), oracle.underlying(second)
    if origins and others and all(oracle.are_distinct(a, b) for a in origins for b in others):
        return True
    if len(assumed) >= _MOST_EXCHANGES:
        return False
    if isinstance(one, Phi) and isinstance(other, Phi) and one.parent is other.parent:
        assuming = assumed | {(one, other)}
        return all(
            distinct_now(oracle, v, other.value_from(block), assuming) for v, block in one.incoming
        )
    return False
