"""Sums in memory: ``c[i] += v`` leaves the adjoint of the cell as it is.

Backwards a store takes the adjoint out of its cell and leaves zero, and the load of what was there before adds to the
same cell.  Where the stored value is what was loaded, plus or minus something, the cell ends with what it had: only the
other summand has an adjoint.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from enzyme.engine.analysis.activity_result import ActivityResult
from enzyme.engine.analysis.alias import WRITES
from enzyme.engine.ir.datalayout import DataLayout
from enzyme.engine.ir.instructions import Instruction, Load, Store
from enzyme.engine.ir.module import Block
from enzyme.engine.ir.types import FloatType
from enzyme.engine.ir.values import Value


@dataclass(frozen=True, slots=True, eq=False)
class Accumulation:
    """`store` writes `sum`, which is what `load` read from the same cell and `part`, added or `subtracted`."""

    store: Store
    sum: Instruction
    load: Load
    part: Value
    subtracted: bool


def find_accumulations(
    order: Mapping[Block, Iterable[Instruction]], activity: ActivityResult, layout: DataLayout
) -> dict[Instruction, Accumulation]:
    """The accumulations of a program, each under its store, its sum and its load."""
    found: dict[Instruction, Accumulation] = {}
    for instructions in order.values():
        writers: list[Instruction] = []
        place: dict[Instruction, int] = {}
        for i in instructions:
            place[i] = len(writers)  # how many writers stand before it
            if isinstance(i, Store):
                made = _accumulation(i, activity)
                if made is not None and made.load in place:
                    between = writers[place[made.load] :]
                    size = layout.size_of(i.value.type)
                    if not any(activity.oracle.may_write(w, i.pointer, size) for w in between):
                        found.update(dict.fromkeys((made.store, made.sum, made.load), made))
            if WRITES.handlers[i.opcode] is not None:
                writers.append(i)
    return found


def _accumulation(store: Store, activity: ActivityResult) -> Accumulation | None:
    total = store.value
    if not isinstance(total, Instruction) or total.opcode not in ("fadd", "fsub"):
        return None
    if not isinstance(total.type, FloatType) or store.flags or store.suffix:
        return None
    left, right = total.operands
    choices = [(left, right)] if total.opcode == "fsub" else [(left, right), (right, left)]
    for load, part in choices:
        if (
            isinstance(load, Load)
            and load.pointer is store.pointer
            and load.parent is total.parent is store.parent
            and not load.flags
            and not load.suffix
            and part is not load
            and all(user is total for user in load.users)
            and all(user is store for user in total.users)
            and activity.is_active(load)
            and activity.is_active(total)
        ):
            return Accumulation(store, total, load, part, total.opcode == "fsub")
    return None
