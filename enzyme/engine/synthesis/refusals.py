"""Refusals that wait until control gets there.

A program with one line that cannot be differentiated has a derivative on all paths that avoid this line. So the engine
begins anew with the function cut in front of it: there the derivative leaves at once, as for lack of memory, after a
hook has been told the number of the error. The cut block never succeeds, hence it is cold: nothing of it is
differentiated. Where no path avoids such a line there is nothing to wait for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from enzyme.engine.analysis.known_functions import REFUSE
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.edit import remove_blocks
from enzyme.engine.ir.instructions import Call, Instruction, Phi
from enzyme.engine.ir.metadata import location_of
from enzyme.engine.ir.module import Block, Function
from enzyme.engine.ir.types import I64, VOID
from enzyme.engine.ir.values import ConstInt, Value
from enzyme.errors import (
    ActivityError,
    EnzymeConstStorageError,
    EnzymeError,
    EnzymeNoDerivativeError,
    EnzymeRuntimeActivityError,
    IllegalTypeAnalysisException,
    MixedReturnException,
    NonConstantKeywordArgException,
)

# Of a program, not of a rule or of the engine itself.
_MAY_WAIT = (
    ActivityError,
    EnzymeConstStorageError,
    EnzymeNoDerivativeError,
    EnzymeRuntimeActivityError,
    IllegalTypeAnalysisException,
    MixedReturnException,
    NonConstantKeywordArgException,
)
# Of these a caller may get rid by other shadows, if it hears of them before anything runs.
_OF_CONSTANTS = (EnzymeConstStorageError, EnzymeRuntimeActivityError)
# Each costs another run of the engine.
_MOST = 24
_PLACE = "_instruction"


def stands_at(error: EnzymeError, instruction: Instruction) -> None:
    """Note which instruction an error is about, unless that is known."""
    if hasattr(error, _PLACE):
        return
    setattr(error, _PLACE, instruction)
    if error.where is None:
        error.where = location_of(instruction)
        error.args = (error.render(),)


class about:
    """Errors meanwhile are about this instruction."""

    __slots__ = ("instruction",)

    def __init__(self, instruction: Instruction) -> None:
        self.instruction = instruction

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if isinstance(error, EnzymeError):
            stands_at(error, self.instruction)


def end_of_edge(source: Block, phi: Phi) -> Instruction:
    """Where control goes from a block to a phi; the phi itself, if it may go elsewhere."""
    return source.terminator if len(set(source.successors())) == 1 else phi


@dataclass(frozen=True, slots=True)
class Place:
    """An instruction of a function that is analysed for certain activities, by position: of a block, and in it."""

    function: object
    block: int
    index: int


class Refusals:
    """The errors of one derivative that wait; `errors` by their numbers."""

    def __init__(self, may_wait: bool, constants_too: bool = True) -> None:
        self.may_wait = may_wait
        self.constants_too = constants_too
        self.errors: dict[int, EnzymeError] = {}
        self._cuts: dict[Place, int] = {}
        self._analysed: dict[Function, tuple[object, Function]] = {}
        self._tracing = False  # until there is a refusal

    @property
    def first(self) -> EnzymeError | None:
        """The error that was found first."""
        return next(iter(self.errors.values()), None)

    def begin(self) -> None:
        """The engine starts again."""
        self._analysed.clear()

    def cut(
        self, key: object, primal: Function, copy: Function, mapping: Mapping[Value, Value]
    ) -> None:
        """Cut the copy of a function that is analysed as `key` in front of everything refused so far."""
        if not self._tracing:
            return
        self._analysed[copy] = key, primal
        for copied, source in ((mapping[i], i) for i in primal.instructions()):
            if isinstance(copied, Instruction):
                copied.origin = source
        first: dict[int, tuple[int, int]] = {}
        for place, number in self._cuts.items():
            if place.function == key:
                known = first.get(place.block, (place.index, number))
                first[place.block] = min(known, (place.index, number))
        for block, (index, number) in first.items():
            _cut(copy.blocks[block], index, number)
        if first:
            _remove_unreachable(copy)

    def take(self, error: EnzymeError) -> bool:
        """Let an error wait; False if it must be raised."""
        instruction = getattr(error, _PLACE, None)
        if hasattr(error, _PLACE):
            delattr(error, _PLACE)
        if not self.may_wait or not isinstance(error, _MAY_WAIT) or len(self.errors) >= _MOST:
            return False
        if isinstance(error, _OF_CONSTANTS) and not self.constants_too:
            return False
        if not self._tracing:
            self._tracing = instruction is not None
            return self._tracing
        place = self._place_of(instruction) if isinstance(instruction, Instruction) else None
        if place is None or place in self._cuts:
            return False
        number = _number(place, error)
        self._cuts[place] = number
        self.errors[number] = error
        return True

    def _place_of(self, instruction: Instruction) -> Place | None:
        if instruction.parent is None or instruction.parent.parent is None:
            return None
        known = self._analysed.get(instruction.parent.parent)
        origin = instruction.origin
        if known is None or origin is None or origin.parent is None:
            return None
        key, primal = known
        if origin.parent not in primal.blocks:
            return None
        block = primal.blocks.index(origin.parent)
        index = max(origin.parent.instructions.index(origin), origin.parent.first_non_phi())
        return Place(key, block, index)


def _number(place: Place, error: EnzymeError) -> int:
    """The same for the same error at the same place, in any process."""
    from hashlib import blake2b

    text = f"{place.function}/{place.block}/{place.index}/{type(error).__name__}/{error.render()}"
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big") >> 1


def _cut(block: Block, index: int, number: int) -> None:
    """End a block with the call of the hook; nothing gets past it."""
    removed = block.instructions[index:]
    for successor in dict.fromkeys(block.successors()):
        for phi in successor.phis():
            phi.remove_incoming(block)
    del block.instructions[index:]
    for instruction in reversed(removed):
        instruction.drop_operands()
    b = Builder(block)
    b.call_named(REFUSE, VOID, [ConstInt(I64, number)])
    b.unreachable()
    # What was computed there is used in blocks that cannot be reached any more, which go next.


def _remove_unreachable(function: Function) -> None:
    reached = {function.entry}
    pending = [function.entry]
    while pending:
        for successor in pending.pop().successors():
            if successor not in reached:
                reached.add(successor)
                pending.append(successor)
    remove_blocks(function, [b for b in function.blocks if b not in reached])


def refusal_of(block: Block) -> int | None:
    """The number of the error that a block ends with; None for others."""
    if not block.is_terminated or block.terminator.opcode != "unreachable":
        return None
    call = block.instructions[-2] if len(block.instructions) > 1 else None
    if not isinstance(call, Call) or call.callee_name != REFUSE:
        return None
    number = call.arguments[0]
    assert isinstance(number, ConstInt)
    return number.value


def take_refusal(block: Block) -> Value:
    """Remove the end of such a block; the number of its error."""
    block.terminator.erase()
    call = block.instructions[-1]
    assert isinstance(call, Call)
    number = call.arguments[0]
    call.erase()
    return number
