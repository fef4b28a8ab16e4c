"""An address that is reached over a distance between two others is counted from the nearest of them.

`first + (last - first)` is `last`, and `made + (end - begin) - (end - begin)` is `made`: so C++'s library moves the
items of a vector, by numbers of bytes. What follows addresses need not see through the difference then, and the
shadow is where the shadow of the other is.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from enzyme.engine.analysis.addresses import exact_divisor, gep_steps
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.datalayout import DataLayout
from enzyme.engine.ir.dispatch import Selection
from enzyme.engine.ir.instructions import Gep, Instruction
from enzyme.engine.ir.module import Module
from enzyme.engine.ir.types import I8, I64
from enzyme.engine.ir.values import ConstInt, Value, wrapped

_DEEP = 12
_MOST_TERMS = 4

LINEAR = Selection(
    "distances",
    "how it is made of addresses and constants",
    ("ptrtoint", "add", "sub", "mul", "shl", "ashr", "lshr", "sdiv", "udiv"),
)


def count_from_nearest(module: Module) -> None:
    """Rewrite what is computed from differences of addresses that cancel, in the whole module."""
    layout = DataLayout.of(module)
    for function in module.functions.values():
        forms = _Forms(layout)
        for gep in [i for i in function.instructions() if isinstance(i, Gep)]:
            if all(isinstance(index, ConstInt) for index in gep.operands[1:]):
                continue
            found = forms.of_address(gep, _DEEP)
            if len(found.terms) != 1:
                continue
            ((nearest, times),) = found.terms.items()
            if times != 1 or nearest is gep or nearest.type is not gep.type:
                continue
            place = nearest
            if found.constant:
                b = Builder()
                b.before(gep)
                place = b.gep(I8, nearest, [ConstInt(I64, found.constant)], gep.name)
            gep.replace_uses_with(place)
            gep.erase()
            forms.forget()


@dataclass(frozen=True)
class _Form:
    """A number of bytes: a constant, and addresses so many times each."""

    constant: int = 0
    terms: dict[Value, int] = field(default_factory=dict)

    def plus(self, other: _Form, times: int = 1) -> _Form:
        terms = dict(self.terms)
        for value, count in other.terms.items():
            terms[value] = wrapped(terms.get(value, 0) + times * count)
        kept = {value: count for value, count in terms.items() if count}
        return _Form(wrapped(self.constant + times * other.constant), kept)

    def divided(self, divisor: int) -> _Form | None:
        if any(count % divisor for count in (self.constant, *self.terms.values())):
            return None
        return _Form(
            self.constant // divisor, {v: count // divisor for v, count in self.terms.items()}
        )


class _Forms:
    """The forms of addresses of one function, as long as nothing is rewritten."""

    def __init__(self, layout: DataLayout) -> None:
        self.layout = layout
        self._known: dict[Value, _Form] = {}

    def forget(self) -> None:
        self._known.clear()

    def of_address(self, value: Value, depth: int) -> _Form:
        """What an address is made of: itself, if nothing better is known."""
        if value in self._known:
            return self._known[value]
        found: _Form | None = None
        if isinstance(value, Gep) and depth:
            found = self._of_gep(value, depth - 1)
        if found is None or len(found.terms) > _MOST_TERMS:
            found = _Form(0, {value: 1})
        self._known[value] = found
        return found

    def _of_gep(self, gep: Gep, depth: int) -> _Form | None:
        steps = gep_steps(gep, self.layout)
        if steps is None:
            return None
        base, constant, indices = steps
        found = self.of_address(base, depth).plus(_Form(constant))
        for scale, index in indices:
            part = self._of_number(index, scale, depth)
            if part is None:
                return None
            found = found.plus(part)
        return found

    def _of_number(self, value: Value, scale: int, depth: int) -> _Form | None:
        """So many times a number, None where it is not made of addresses and constants."""
        if isinstance(value, ConstInt):
            return _Form(scale * value.value)
        if not isinstance(value, Instruction) or value.opcode not in LINEAR or not depth:
            return None
        if value.type is not I64:
            return None
        first = value.operands[0]
        if value.opcode == "ptrtoint":
            return _Form().plus(self.of_address(first, depth - 1), scale)
        second = value.operands[1]
        if value.opcode in ("add", "sub"):
            one = self._of_number(first, scale, depth - 1)
            other = self._of_number(second, scale, depth - 1)
            if one is None or other is None:
                return None
            return one.plus(other, 1 if value.opcode == "add" else -1)
        if not isinstance(second, ConstInt):
            return None
        if value.opcode in ("mul", "shl"):
            factor = second.value if value.opcode == "mul" else 1 << second.value
            return self._of_number(first, scale * factor, depth - 1)
        divisor = exact_divisor(value)
        if not divisor:
            return None
        found = self._of_number(first, scale, depth - 1)
        return None if found is None else found.divided(divisor)
