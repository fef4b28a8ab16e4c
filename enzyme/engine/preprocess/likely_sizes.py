"""A program that works on arrays of a length it takes for granted is made for this length, too.

A right-hand side `out[0] = ...; out[1] = ...; out[2] = ...` is for three numbers, whoever calls it.  An integrator
around it makes its work arrays as long as the state is, which only the run knows; and arrays on the heap are neither
numbers in registers nor free to keep.  So the function gets two bodies.  Which one runs is asked where it begins; in
the one for the likely length, sizes are constants, loops are short, and `stack_arrays` finds arrays that it can move.

What length is likely: each array whose length is a certain parameter, and that could be on the stack, is accessed by
constant indices at the places 0 to n - 1, and at no other.  One array with two such places says nothing, for ends
of long arrays look like this.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from enzyme.engine.analysis.addresses import multiple_of
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.clone import clone_instruction
from enzyme.engine.ir.datalayout import DataLayout
from enzyme.engine.ir.instructions import Call, Gep, Instruction, Load, Store
from enzyme.engine.ir.module import Function, Module
from enzyme.engine.ir.runtime_model import RuntimeModel
from enzyme.engine.ir.types import I1
from enzyme.engine.ir.values import Argument, ConstInt, Value
from enzyme.engine.preprocess.second_body import add_body
from enzyme.engine.preprocess.stack_arrays import LARGEST, Uses, allocation, movable

FEWEST, MOST = 2, 16
_LONGEST = 5000  # instructions of a function


def may_have_likely_sizes(text: str, runtime: RuntimeModel) -> bool:
    """Does a module, given as text, allocate objects whose size is not constant?"""
    return re.search(allocation(runtime, "%"), text) is not None


@dataclass(slots=True)
class Array:
    """An allocation of `unit` bytes for each of as many elements as a parameter says."""

    size: Value
    uses: Uses
    unit: int
    places: set[int] = field(default_factory=set)  # bytes from its beginning

    @property
    def length(self) -> int:
        """How many places are accessed by constant index."""
        return len(self.places)


def make_for_likely_sizes(module: Module) -> int:
    """Give functions of the module a second body where a length is likely; returns how many."""
    layout = DataLayout.of(module)
    return sum(_try_make(f, layout) for f in list(module.functions.values()) if f.blocks)


def _try_make(function: Function, layout: DataLayout) -> bool:
    if sum(len(b.instructions) for b in function.blocks) > _LONGEST:
        return False
    by_argument: dict[Argument, list[Array]] = {}
    for i in function.instructions():
        if isinstance(i, Call):
            found = movable(i)
            if found is not None:
                uses, size = found
                argument, unit = multiple_of(size) or (None, 0)
                if isinstance(argument, Argument):
                    array = Array(size, uses, unit)
                    for load in uses.loads:
                        _note_places(load, 0, layout, array.places)
                    by_argument.setdefault(argument, []).append(array)
    likely = {
        argument: length for argument, arrays in by_argument.items() if (length := _likely(arrays))
    }
    if likely:
        arrays = [array for argument in likely for array in by_argument[argument]]
        add_body(function, "likely", partial(_supposing, likely, arrays))
    return bool(likely)


def _note_places(pointer: Value, offset: int, layout: DataLayout, places: set[int]) -> None:
    for user in pointer.users:
        if isinstance(user, Gep):
            index = user.operands[-1]
            if len(user.operands) == 2 and isinstance(index, ConstInt):
                step = index.value * layout.size_of(user.source_type)
                _note_places(user, offset + step, layout, places)
        elif isinstance(user, (Load, Store)):
            places.add(offset)


def _likely(arrays: Sequence[Array]) -> int:
    """The length at which each array is accessed everywhere; 0 if there is none."""
    length = arrays[0].length
    fits = all(
        array.places == set(range(0, length * array.unit, array.unit))
        and length * array.unit <= LARGEST
        for array in arrays
    )
    enough = length >= FEWEST and length + len(arrays) > FEWEST + 1
    return length if fits and enough and length <= MOST else 0


def _supposing(
    likely: Mapping[Argument, int], arrays: Sequence[Array], b: Builder
) -> tuple[Value, dict[Value, Value]]:
    """Are the lengths as they are likely? And what is known then."""
    known: dict[Value, Value] = {}
    condition: Value = ConstInt(I1, 1)
    for argument, length in likely.items():
        known[argument] = ConstInt(argument.type, length)
        condition = b.and_(condition, b.icmp("eq", argument, known[argument]))
    for array in arrays:
        whole = ConstInt(array.size.type, array.length * array.unit)
        known[array.size] = whole
        for transfer in array.uses.transfers:
            bytes_ = transfer.arguments[2]
            if bytes_ in known or isinstance(bytes_, ConstInt):
                continue
            computed = _of_arguments(bytes_, b)
            if computed is not None:
                condition = b.and_(condition, b.icmp("eq", computed, whole))
                known[bytes_] = whole
    return condition, known


def _of_arguments(value: Value, b: Builder) -> Value | None:
    """An integer computed from parameters alone, computed here."""
    if isinstance(value, (Argument, ConstInt)):
        return value
    if isinstance(value, Instruction) and value.opcode in ("mul", "shl", "add"):
        operands = [_of_arguments(o, b) for o in value.operands]
        if all(o is not None for o in operands):
            mapping = {x: y for x, y in zip(value.operands, operands, strict=True) if y is not None}
            made = clone_instruction(value, mapping)
            made.flags = ()
            return b.add(made)
    return None
