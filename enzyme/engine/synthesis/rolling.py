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
from enzyme.engine.ir.types import I64, FloatType, Type
from enzyme.engine.ir.values import ConstInt, Value, wrapped

WIDEST = 8
_MOST_EXCHANGES = 8
_DEEPEST = 6  # operations between a counter and an address


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
            if all(distinct_now(oracle, s.pointer, loads[0][0].pointer, loop) for s in stores):
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
        advance = _advance(loop, counter, inductions, index)
        if advance is None:
            return None
        total += scale * advance
    return wrapped(total)


def _advance(
    loop: Loop, counter: Phi, inductions: dict[Phi, Induction], index: Value, depth: int = 0
) -> int | None:
    """By how much an integer of 64 bits grows per iteration; None if that is not a constant."""
    if is_invariant(index, loop):
        return 0
    if index is counter:
        return 1
    if isinstance(index, Phi):
        induction = inductions.get(index)
        if induction is None or induction.loop is not loop:
            return None
        step = induction.step
        if not isinstance(step, ConstInt):
            return None
        return -step.value if induction.negative else step.value
    if depth == _DEEPEST or not isinstance(index, Instruction) or index.type is not I64:
        return None
    if index.opcode not in ("add", "sub", "mul", "shl"):
        return None
    one, other = index.operands
    first = _advance(loop, counter, inductions, one, depth + 1)
    if index.opcode in ("mul", "shl"):
        if first is None or not isinstance(other, ConstInt):
            return None
        return first * other.value if index.opcode == "mul" else first << (other.value & 63)
    second = _advance(loop, counter, inductions, other, depth + 1)
    if first is None or second is None:
        return None
    return first + second if index.opcode == "add" else first - second


def distinct_now(
    oracle: AliasOracle,
    first: Value,
    second: Value,
    loop: Loop,
    assumed: frozenset[tuple[object, object]] = frozenset(),
) -> bool:
    """Do two pointers point into different objects whenever control is in the loop?

    Two phis of one block do if they do on every edge into it: buffers that change places stay apart. What was made
    in an iteration of a loop around is none of what that iteration began with.
    """
    one, other = oracle.objects.address(first)[0], oracle.objects.address(second)[0]
    if one == other:
        return False
    if (one, other) in assumed or (other, one) in assumed:
        return True
    origins, others = oracle.underlying(first), oracle.underlying(second)
    if origins and others and all(oracle.are_distinct(a, b) for a in origins for b in others):
        return True
    if _is_made_after(oracle, one, other, loop) or _is_made_after(oracle, other, one, loop):
        return True
    if len(assumed) >= _MOST_EXCHANGES:
        return False
    if isinstance(one, Phi) and isinstance(other, Phi) and one.parent is other.parent:
        assuming = assumed | {(one, other)}
        return all(
            distinct_now(oracle, v, other.value_from(block), loop, assuming)
            for v, block in one.incoming
        )
    return False


def _is_made_after(oracle: AliasOracle, one: object, other: object, loop: Loop) -> bool:
    """Is one a pointer that a call in an iteration of a loop around returned, or to the data of that array, and was the
    other there when the iteration began?"""
    made = one[0] if isinstance(one, tuple) else one
    return (
        isinstance(made, Call)
        and isinstance(other, Phi)
        and oracle.objects.is_allocation(made)
        and any(
            other.parent is around.header and made.parent in around for around in loop.ancestors()
        )
    )
