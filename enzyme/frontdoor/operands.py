"""Takes the operands of a call of ``__enzyme_*`` one by one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.instructions import Call, Instruction
from enzyme.engine.ir.module import Function, Module
from enzyme.engine.ir.types import FLOAT_TYPES, I8, I64, Type
from enzyme.engine.ir.values import ConstInt, MetadataOperand, Value
from enzyme.frontdoor.failures import FrontDoorError
from enzyme.frontdoor.markers import chosen_markers, marker_name, resolve

_SMALL_FLOATS = (FLOAT_TYPES["half"], FLOAT_TYPES["bfloat"], FLOAT_TYPES["float"])
MOST_LANES = 64
# How clang names the parts of a structure, or of a complex number, that is passed in registers.
_PART = re.compile(r"\.coerce\d*$")


def in_parts(function: Function) -> str:
    """The parameter that is passed in several registers, as far as names tell; "" if there is none."""
    parts = [a.name for a in function.args if _PART.search(a.name)]
    return _PART.sub("", parts[0]) if len(parts) > 1 else ""


def location_in(call: Call) -> dict[str, str]:
    """The metadata of what takes the place of a call: where it stands in the source."""
    return {k: v for k, v in call.metadata.items() if k == "dbg"}


def place_of(call: Call) -> str:
    return f"call of @{call.callee_name} in @{call.function.name}"


class Operands:
    """The operands that nobody has taken are `pending`; `place` is how errors call the call."""

    def __init__(self, call: Call, module: Module) -> None:
        self.call = call
        self.module = module
        self.pending = list(call.arguments)
        self.place = place_of(call)

    def fail(self, what: str, why: str = "", todo: str = "") -> FrontDoorError:
        return FrontDoorError(where=self.place, what=what, why=why, todo=todo or ())

    def take_sret(self) -> Value | None:
        """The pointer for a result that is returned in memory, if that is the first operand."""
        if self.pending and "sret" in re.findall(r"\w+", self.call.arg_attributes[0]):
            return self.pending.pop(0)
        return None

    def primal(self) -> Function:
        if not self.pending:
            raise self.fail("the function to differentiate is missing")
        value = resolve(self.pending.pop(0))
        if not isinstance(value, Function):
            raise self.fail(
                "the function to differentiate is not known here",
                "the first operand is not a function of the module, nor trivially one",
            )
        if value.is_declaration:
            raise self.fail(f"@{value.name} is only declared: its body is needed")
        if value.function_type.vararg:
            raise self.fail(f"@{value.name} takes a variable number of arguments")
        return value

    def strided(self, base: Value, stride: Value, count: int) -> Iterator[Value]:
        """Addresses at multiples of `stride` bytes behind `base`."""
        b = Builder()
        b.before(self.call)
        yield base
        for lane in range(1, count):
            offset = b.imul(stride, ConstInt(I64, lane))
            yield b.gep(I8, base, [offset])

    def integer(self, shown: str) -> Value:
        """The next operand, an integer, as 64 bits."""
        if not self.pending:
            raise self.fail(f"{shown} is missing")
        value = self.pending.pop(0)
        if not value.type.is_int:
            raise self.fail(f"{shown} must be an integer, not a {value.type}")
        if value.type is I64:
            return value
        b = Builder()
        b.before(self.call)
        return b.cast("sext", value, I64)

    def operand(self, type_: Type, shown: str) -> Value:
        """The next operand, which must be a value of this type."""
        if not self.pending:
            raise self.fail(f"{shown} is missing")
        value = self.pending.pop(0)
        name = marker_name(value if isinstance(value, MetadataOperand) else resolve(value))
        if name is not None:
            raise self.fail(f"{shown} is missing", f"the marker {name} stands in its place")
        if value.type is type_:
            return value
        return self.demoted(value, type_, shown)

    def demoted(self, value: Value, type_: Type, shown: str) -> Value:
        """Undo what C does to small numbers that are passed through an ellipsis."""
        given = value.type
        made: Instruction | None = None
        if self.call.function_type.vararg:
            if given is FLOAT_TYPES["double"] and type_ in _SMALL_FLOATS:
                made = Instruction("fptrunc", type_, (value,))
            elif given.text == "i32" and type_.text in ("i1", "i8", "i16"):
                made = Instruction("trunc", type_, (value,))
        if made is None and isinstance(value, ConstInt) and type_.is_int:
            # A literal 3 for a parameter that is a long: C would not convert it, the number is meant.
            return ConstInt(type_, value.value)
        if made is None and (markers := chosen_markers(value)):
            raise self.fail(
                f"in front of {shown} stands one of several markers: {', '.join(sorted(markers))}",
                "which of them, only the run tells; compilers merge calls that differ in nothing else",
                "use the same markers in both calls, or make one of them in a function that is not inlined",
            )
        if made is None:
            raise self.fail(f"{shown} must be a {type_}, not a {given}")
        block = self.call.parent
        assert block is not None
        block.insert_before(made, self.call)
        return made
