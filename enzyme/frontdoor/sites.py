"""Reads calls of ``__enzyme_*``: which derivative is asked for, and which operand is what.

The convention is upstream's for C. The first operand (after an ``sret`` pointer) is the function; the
primal's arguments follow in order. An operand that is, or is loaded from, a global named ``enzyme_const``,
``enzyme_dup``, ``enzyme_dupnoneed`` or ``enzyme_out`` (or metadata of that name) says what the next argument
is; one that is duplicated is followed by its shadow. Without a marker a float is ``out`` in reverse mode and
duplicated in forward mode, a pointer is duplicated, anything else is constant.

Nothing is guessed: any other marker, a missing shadow or an operand too many is a `FrontDoorError`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from enzyme.engine.analysis.activity_result import may_hold_float
from enzyme.engine.analysis.kinds import Activity, DiffMode
from enzyme.engine.ir.instructions import Alloca, Call, Instruction, Load, Store
from enzyme.engine.ir.module import Function, Module
from enzyme.engine.ir.types import FLOAT_TYPES, FloatType, Type
from enzyme.engine.ir.values import (
    ConstExpr,
    GlobalAlias,
    GlobalVariable,
    MetadataOperand,
    Value,
)
from enzyme.frontdoor.failures import FrontDoorError

REVERSE_WORD = "__enzyme_autodiff"
FORWARD_WORD = "__enzyme_fwddiff"

MARKERS = {
    "enzyme_const": Activity.CONST,
    "enzyme_dup": Activity.DUPLICATED,
    "enzyme_dupnoneed": Activity.DUPLICATED_NO_NEED,
    "enzyme_out": Activity.ACTIVE,
}
_METADATA_STRING = re.compile(r'!"(enzyme_\w+)"')
_SMALL_FLOATS = (FLOAT_TYPES["half"], FLOAT_TYPES["bfloat"], FLOAT_TYPES["float"])


@dataclass(frozen=True, slots=True)
class Site:
    """One call, read: `arguments` are the derivative's operands in its order, shadows included.

    `sret` is the pointer through which the caller wants the result, if that is how it is returned.
    """

    call: Call
    primal: Function
    mode: DiffMode
    activities: tuple[Activity, ...]
    return_activity: Activity
    arguments: tuple[Value, ...]
    sret: Value | None
    place: str

    @property
    def results(self) -> tuple[Type, ...]:
        """Types of what the derivative returns."""
        if self.mode is DiffMode.FORWARD:
            active = self.return_activity is not Activity.CONST
            return (self.primal.function_type.ret,) if active else ()
        return tuple(
            argument.type
            for argument, activity in zip(self.primal.args, self.activities, strict=True)
            if activity is Activity.ACTIVE
        )


def mode_of(symbol: str) -> DiffMode | None:
    """The mode that a symbol asks for; None if it is no request for a derivative.

    >>> mode_of("__enzyme_autodiff_square"), mode_of("square")
    (<DiffMode.REVERSE: 'reverse'>, None)
    """
    if REVERSE_WORD in symbol:
        return DiffMode.REVERSE
    return DiffMode.FORWARD if FORWARD_WORD in symbol else None


def find_calls(module: Module) -> list[Call]:
    """The calls of ``__enzyme_*``, in the order of the text."""
    found: list[Call] = []
    for function in module.functions.values():
        for instruction in function.instructions():
            for operand in instruction.operands:
                if not isinstance(operand, Function) or mode_of(operand.name) is None:
                    continue
                if not isinstance(instruction, Call) or operand in instruction.arguments:
                    raise FrontDoorError(
                        where=f"in @{function.name}",
                        what=f"@{operand.name} is used as a value; it can only be called",
                    )
                found.append(instruction)
    return found


def read_site(call: Call, module: Module) -> Site:
    """Read one call."""
    mode = mode_of(call.callee_name)
    assert mode is not None
    return _Reader(call, module, mode).read()


def resolve(value: Value) -> Value:
    """What a value trivially is: behind casts, aliases, and loads of memory that is stored to once."""
    for _ in range(16):
        known = _step(value)
        if known is None:
            return value
        value = known
    return value


def _step(value: Value) -> Value | None:
    if isinstance(value, GlobalAlias):
        return value.aliasee
    if isinstance(value, ConstExpr) and value.opcode in ("bitcast", "addrspacecast"):
        return value.operands[0]
    if isinstance(value, Instruction) and value.opcode in ("bitcast", "addrspacecast", "freeze"):
        return value.operands[0]
    return _loaded(value) if isinstance(value, Load) else None


def _loaded(load: Load) -> Value | None:
    memory = resolve(load.pointer)
    if isinstance(memory, GlobalVariable):
        if marker_name(memory) is not None:
            return memory
        private = any(word in memory.prefix.split() for word in ("internal", "private"))
        # Initializers and constant expressions refer to it without being users.
        unchanged = memory.is_const or (
            private and all(isinstance(user, Load) for user in memory.users)
        )
        return memory.initializer if unchanged else None
    if not isinstance(memory, Alloca):
        return None
    stored: list[Value] = []
    for user in memory.users:
        if isinstance(user, Store) and user.value is not memory:
            stored.append(user.value)
        elif isinstance(user, Call) and user.callee_name.startswith("llvm.lifetime."):
            continue
        elif not isinstance(user, Load):
            return None
    return stored[0] if len(stored) == 1 else None


def marker_name(value: Value) -> str | None:
    """The marker that a (resolved) operand is, whether known or not."""
    if isinstance(value, GlobalVariable):
        return value.name if value.name.startswith("enzyme_") else None
    if isinstance(value, MetadataOperand):
        found = _METADATA_STRING.search(value.text)
        return found.group(1) if found else None
    return None


class _Reader:
    """Walks over the operands of one call."""

    def __init__(self, call: Call, module: Module, mode: DiffMode) -> None:
        self.call = call
        self.module = module
        self.mode = mode
        self.pending = list(call.arguments)
        self.place = f"call of @{call.callee_name} in @{call.function.name}"

    def fail(self, what: str, why: str = "", todo: str = "") -> FrontDoorError:
        return FrontDoorError(where=self.place, what=what, why=why, todo=todo or ())

    def read(self) -> Site:
        sret: Value | None = None
        if self.pending and "sret" in re.findall(r"\w+", self.call.arg_attributes[0]):
            sret = self.pending.pop(0)
        primal = self.primal()
        activities: list[Activity] = []
        arguments: list[Value] = []
        for parameter in primal.args:
            shown = f"argument {parameter.index} of @{primal.name}"
            if parameter.has_attribute("byval"):
                raise self.fail(
                    f"{shown} is a structure passed by value in memory (byval)",
                    todo="pass a pointer to it",
                )
            activity = self.activity(parameter.type, shown)
            activities.append(activity)
            arguments.append(self.operand(parameter.type, shown))
            if activity.has_shadow:
                arguments.append(self.operand(parameter.type, f"the shadow of {shown}"))
        if self.pending:
            raise self.fail(
                f"{len(self.pending)} operand(s) too many for @{primal.name}, which has"
                f" {len(primal.args)} parameter(s)"
            )
        return Site(
            self.call,
            primal,
            self.mode,
            tuple(activities),
            self.return_activity(primal),
            tuple(arguments),
            sret,
            self.place,
        )

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

    def activity(self, type_: Type, shown: str) -> Activity:
        """Take the marker, if there is one, and check that it fits the parameter."""
        name = marker_name(resolve(self.pending[0])) if self.pending else None
        reverse = self.mode is DiffMode.REVERSE
        if name is None:
            if type_.is_pointer:
                return Activity.DUPLICATED
            if not may_hold_float(type_):
                return Activity.CONST
            return Activity.ACTIVE if reverse else Activity.DUPLICATED
        activity = MARKERS.get(name)
        if activity is None:
            raise self.fail(f"@{name} is not supported", f"it stands before {shown}")
        self.pending.pop(0)
        if activity is Activity.ACTIVE and (not reverse or not may_hold_float(type_)):
            why = "it is not a float" if reverse else "forward mode has no adjoints"
            raise self.fail(f"{shown} cannot be enzyme_out", why)
        if activity.has_shadow and not type_.is_pointer:
            if reverse:
                raise self.fail(
                    f"{shown} cannot be {name} in reverse mode",
                    "it is passed by value",
                    "mark it enzyme_out" if may_hold_float(type_) else "mark it enzyme_const",
                )
            if not may_hold_float(type_):
                raise self.fail(f"{shown} cannot be {name}", f"a {type_} has no tangent")
        return activity

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
        if made is None:
            raise self.fail(f"{shown} must be a {type_}, not a {given}")
        block = self.call.parent
        assert block is not None
        block.insert_before(made, self.call)
        return made

    def return_activity(self, primal: Function) -> Activity:
        ret = primal.function_type.ret
        if not may_hold_float(ret):
            return Activity.CONST
        if self.mode is DiffMode.FORWARD:
            return Activity.DUPLICATED
        if not isinstance(ret, FloatType):
            raise self.fail(
                f"@{primal.name} returns {ret}",
                "reverse mode starts from one float",
                "return one number, or store the results behind a pointer with a shadow",
            )
        return Activity.ACTIVE
