"""Derivatives that are looked at for NaN as soon as they are there.

Each tangent, and each part of an adjoint, goes to a hook with the number of its place, which keeps the first one that
it gets. In the end the outermost function asks a second hook for the status to return: a number that was kept becomes
an error. What comes out of calls that nobody sees into (BLAS, rules) is looked at where it is used first.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import blake2b

from enzyme.engine.analysis.known_functions import NAN_FORGET, NAN_SEEN, NAN_STATUS
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.instructions import Alloca, Call, Instruction
from enzyme.engine.ir.metadata import location_of
from enzyme.engine.ir.module import Function
from enzyme.engine.ir.types import I32, I64, VOID, FloatType, StructType, VectorType
from enzyme.engine.ir.values import ConstInt, Value
from enzyme.errors import EnzymeNaNError

_OPERATIONS = {
    "fadd": "a sum",
    "fsub": "a difference",
    "fmul": "a product",
    "fdiv": "a quotient",
    "frem": "a remainder",
    "fneg": "a negation",
    "fptrunc": "a conversion to single precision",
    "fpext": "a conversion to double precision",
    "load": "a number that is read from memory",
    "store": "a number that is written to memory",
    "select": "a choice",
    "phi": "a variable",
}


@dataclass
class NanChecks:
    """The places of one derivative, by their numbers: the error for each."""

    places: dict[int, EnzymeNaNError] = field(default_factory=dict)

    def check(self, b: Builder, value: Value, about: Instruction, adjoint: bool) -> None:
        """Look at a derivative that `about` has led to."""
        for number in _numbers_in(b, value):
            b.call_named(f"{NAN_SEEN}.{number.type.text}", VOID, [number, self._at(about, adjoint)])

    def begin(self, function: Function) -> None:
        """Forget at the entry of the outermost function what an earlier call has left."""
        b = Builder()
        b.before(next(i for i in function.entry.instructions if not isinstance(i, Alloca)))
        b.call_named(NAN_FORGET, VOID, [])

    def status(self, b: Builder, status: Value) -> Value:
        """The status of the outermost function, or that of the error that is raised."""
        return b.call_named(NAN_STATUS, I32, [status])

    def _at(self, i: Instruction, adjoint: bool) -> ConstInt:
        where = location_of(i)
        operation = _operation(i)
        number = int.from_bytes(
            blake2b(f"{where}/{operation}/{adjoint}".encode(), digest_size=8).digest(), "big"
        )
        number = (number >> 1) or 1
        if number not in self.places:
            what = "an adjoint that comes out of" if adjoint else "the tangent of"
            self.places[number] = EnzymeNaNError(
                where=where,
                what=f"the derivative is NaN: {what} {operation}",
                why="it is the first in the order in which derivatives are computed",
                todo=(
                    "look at the values that meet in this line: zero times infinity, a root or a logarithm of zero",
                    "or choose between values before, not behind what makes them infinite",
                    "or see whether the shadow or the seed that you pass holds NaN",
                ),
            )
        return ConstInt(I64, number)


def discarded(order: Iterable[Instruction]) -> set[Instruction]:
    """Values that only choices use, directly or by way of others: LLVM computes them before it is known whether the
    program wants them. A choice is looked at in their stead. `order` are the instructions of a function."""
    found = {
        i
        for i in order
        if i.users
        and i.opcode not in ("load", "phi")
        and not i.type.is_void
        and not i.type.is_pointer
    }
    while True:
        wanted = {i for i in found if any(_wants(user, i, found) for user in i.users)}
        if not wanted:
            return found
        found -= wanted


def _wants(user: Instruction, value: Instruction, found: set[Instruction]) -> bool:
    if user.opcode == "select":
        return value is user.operands[0]
    return user not in found


def _operation(i: Instruction) -> str:
    if isinstance(i, Call):
        return f"{i.callee_name.removeprefix('llvm.').removeprefix('enzyme.').split('.')[0]}()"
    return _OPERATIONS.get(i.opcode, "a value")


def _numbers_in(b: Builder, value: Value) -> list[Value]:
    """The floats in a number or a vector or struct of numbers."""
    type_ = value.type
    if isinstance(type_, FloatType):
        return [value] if type_.text in ("float", "double") else []
    parts: list[Value]
    if isinstance(type_, VectorType):
        lanes = (ConstInt(I64, k) for k in range(type_.count))
        parts = [
            b.add(Instruction("extractelement", type_.element, (value, lane))) for lane in lanes
        ]
    elif isinstance(type_, StructType):
        parts = [b.extract_value(value, [k]) for k in range(len(type_.elements or ()))]
    else:
        return []
    return [number for part in parts for number in _numbers_in(b, part)]
