"""Stack variables that forward and reverse pass share, or that one of them has for itself."""

from __future__ import annotations

from dataclasses import dataclass

from enzyme.engine.ir.instructions import Alloca, Instruction, Store
from enzyme.engine.ir.module import Function
from enzyme.engine.ir.types import PTR, Type
from enzyme.engine.ir.values import Value, is_zero
from enzyme.engine.synthesis.slots import drop_unread, settle_slots


@dataclass(slots=True, eq=False)
class Slot:
    """A variable shared by forward and reverse."""

    type: Type
    name: str
    forward: Value
    reverse: Value


class Frame:
    """All slots of one derivative. In split mode the forward and reverse functions differ."""

    def __init__(self, forward: Function, reverse: Function) -> None:
        self.forward = forward
        self.reverse = reverse
        self.slots: list[Slot] = []
        self._forward_entry: list[Instruction] = []
        self._reverse_entry: list[Instruction] = []
        self._variables: dict[Alloca, Store | None] = {}  # of the reverse pass alone

    @property
    def is_split(self) -> bool:
        return self.forward is not self.reverse

    def slot(self, type_: Type, name: str, initial: Value | None = None) -> Slot:
        forward = self.local(type_, name, initial)
        reverse = forward
        if self.is_split:  # set where the reverse function begins
            reverse = Alloca(type_, PTR, None, 0, name)
            self._reverse_entry.append(reverse)
        made = Slot(type_, name, forward, reverse)
        self.slots.append(made)
        return made

    def local(
        self, type_: Type, name: str, initial: Value | None = None, reverse: bool = False
    ) -> Value:
        """A stack variable of one of the two functions, set on entry where `initial` is given."""
        target = self._reverse_entry if reverse and self.is_split else self._forward_entry
        made = Alloca(type_, PTR, None, 0, name)
        entering = None if initial is None else Store(initial, made)
        target += [made] if entering is None else [made, entering]
        if reverse and (initial is None or is_zero(initial)):
            self._variables[made] = entering
        return made

    def place(self) -> None:
        """Put the variables at the beginning of the functions, which are complete."""
        gone = settle_slots(self.reverse, self._variables)
        made = self._forward_entry + self._reverse_entry
        gone |= drop_unread(i for i in made if isinstance(i, Alloca) and i not in gone)
        for function, first in (
            (self.forward, self._forward_entry),
            (self.reverse, self._reverse_entry),
        ):
            entry = function.entry
            placed = [instruction for instruction in first if instruction not in gone]
            for instruction in placed:
                instruction.parent = entry
            entry.instructions[:0] = placed
            first.clear()
