"""Reads calls of ``__enzyme_*``: which derivative is asked for, and which operand is what.

The convention is upstream's for C. The first operand (after an ``sret`` pointer) is the function; the
primal's arguments follow in order. A marker (`surface.MARKERS`) is an operand that is, or is loaded from, a global
of that name, or metadata. It says what the next argument is, or something of the whole call; an argument that is
duplicated is followed by its shadows. Without a marker a float is ``out`` in reverse mode and
duplicated in forward mode, a pointer is duplicated, anything else is constant.

Nothing is guessed: any other marker, a missing shadow or an operand too many is a `FrontDoorError`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from enzyme.engine.analysis.activity_result import may_hold_float
from enzyme.engine.analysis.kinds import Activity, DiffMode
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.datalayout import DataLayout
from enzyme.engine.ir.instructions import Call
from enzyme.engine.ir.module import Function, Module
from enzyme.engine.ir.types import I1, I64, PTR, VOID, FloatType, Type
from enzyme.engine.ir.values import Argument, ConstInt, Value
from enzyme.frontdoor.by_value import type_by_value
from enzyme.frontdoor.failures import FrontDoorError
from enzyme.frontdoor.markers import marker_name, resolve
from enzyme.frontdoor.operands import MOST_LANES, Operands, in_parts
from enzyme.frontdoor.surface import MARKERS, call_word

REVERSE_WORD = "__enzyme_autodiff"
FORWARD_WORD = "__enzyme_fwddiff"
AUGMENTED_WORD = "__enzyme_augmentfwd"
REVERSING_WORD = "__enzyme_reverse"
SIZE_WORD = "__enzyme_augmentsize"
FORWARD_SPLIT_WORD = "__enzyme_fwdsplit"
MODES = {
    REVERSE_WORD: DiffMode.REVERSE,
    FORWARD_WORD: DiffMode.FORWARD,
    AUGMENTED_WORD: DiffMode.SPLIT,
    REVERSING_WORD: DiffMode.SPLIT,
    SIZE_WORD: DiffMode.SPLIT,
    FORWARD_SPLIT_WORD: DiffMode.FORWARD,
}
TAPE_BYTES = 8

ACTIVITIES = {
    "enzyme_const": Activity.CONST,
    "enzyme_dup": Activity.DUPLICATED,
    "enzyme_dupv": Activity.DUPLICATED,
    "enzyme_dupnoneed": Activity.DUPLICATED_NO_NEED,
    "enzyme_dupnoneedv": Activity.DUPLICATED_NO_NEED,
    "enzyme_out": Activity.ACTIVE,
}
_RETURNS = {
    "enzyme_const_return": Activity.CONST,
    "enzyme_active_return": Activity.ACTIVE,
    "enzyme_dup_return": Activity.DUPLICATED,
}
_FLAGS = ("enzyme_primal_return", "enzyme_noret", "enzyme_strong_zero")
_BATCH = ("enzyme_vector", "enzyme_scalar", "enzyme_buffer")


@dataclass(frozen=True, slots=True)
class Site:
    """One call, read: `arguments` are the derivative's operands in its order, shadows included.

    `word` is the call's, `sret` the pointer through which the caller wants the result, if that is how it is returned,
    `tape` what follows the marker of that name, `demanded` whether adjoints were asked for by a marker.
    """

    call: Call
    word: str
    primal: Function
    mode: DiffMode
    activities: tuple[Activity, ...]
    return_activity: Activity
    arguments: tuple[Value, ...]
    sret: Value | None
    place: str
    width: int = 1
    returns_primal: bool = False
    strong_zero: bool = False
    tape: Value | None = None
    demanded: bool = False
    tape_in_memory: bool = False

    @classmethod
    def of_batch(
        cls, call: Call, word: str, primal: Function, sret: Value | None, place: str, width: int
    ) -> Site:
        """A call that asks for results of the function itself."""
        mode, constant = DiffMode.FORWARD, Activity.DUPLICATED
        return cls(call, word, primal, mode, (), constant, (), sret, place, width)

    @property
    def results(self) -> tuple[Type, ...]:
        """Types of what the caller gets."""
        ret = self.primal.function_type.ret
        first = (ret,) if self.returns_primal else ()
        if self.word == SIZE_WORD:
            return (I64,)
        if self.word == AUGMENTED_WORD:
            return ((PTR,) if self.tape is None else ()) + first
        if self.mode is DiffMode.FORWARD:
            active = self.return_activity is not Activity.CONST
            return first + (ret,) * (self.width if active else 0)
        return first + tuple(
            argument.type
            for argument, activity in zip(self.primal.args, self.activities, strict=True)
            if activity is Activity.ACTIVE
            for _ in range(self.width)
        )


def mode_of(symbol: str) -> DiffMode | None:
    """The mode that a symbol asks for; None if it is no request for a derivative.

    >>> mode_of("__enzyme_autodiff_square"), mode_of("square")
    (<DiffMode.REVERSE: 'reverse'>, None)
    """
    word = call_word(symbol)
    return None if word is None else MODES.get(word.name)


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
    word = call_word(call.callee_name)
    assert word is not None
    return Reader(call, module, word.name).read()


@dataclass(slots=True)
class _Said:
    """What markers say of the whole call."""

    width: int = 1
    ret: Activity | None = None
    flags: set[str] = field(default_factory=set)
    tape: Value | None = None
    allocated: bool = False
    byref: int = 0


class Reader(Operands):
    """Walks over the operands of one call."""

    def __init__(self, call: Call, module: Module, word: str) -> None:
        super().__init__(call, module)
        self.word = word
        self.mode = MODES.get(word, DiffMode.FORWARD)
        self.said = _Said()
        self.demanded = False

    def read(self) -> Site:
        sret = self.take_sret()
        primal = self.primal()
        arguments: list[Value] = []
        activities: list[Activity] = []
        if in_parts(primal) and self.mode is DiffMode.FORWARD:
            raise self.fail(
                f"'{in_parts(primal)}' of @{primal.name} is passed in several registers",
                "which operand is its shadow's cannot be told",
                "let the function take a pointer",
            )
        if self.word == SIZE_WORD:
            activities = self.sizes(primal)
        else:
            for parameter in primal.args:
                activities.append(self.argument(parameter.type, parameter, arguments, primal))
        returned = self.return_activity(primal)
        if self.word == REVERSING_WORD:
            if returned is Activity.ACTIVE:
                for _ in range(self.said.width):
                    arguments.append(self.operand(primal.function_type.ret, "the seed"))
        if self.word in (REVERSING_WORD, FORWARD_SPLIT_WORD) and self.said.tape is None:
            self.said.tape = self.operand(PTR, "the tape")
        self.flags("behind the last argument")
        if self.said.byref:
            raise self.fail("no argument follows enzyme_byref")
        if self.pending:
            raise self.fail(
                f"{len(self.pending)} operand(s) too many for @{primal.name}, which has"
                f" {len(primal.args)} parameter(s)"
            )
        return Site(
            self.call,
            self.word,
            primal,
            self.mode,
            tuple(activities),
            returned,
            tuple(arguments),
            sret,
            self.place,
            self.said.width,
            self.returns_primal(primal),
            "enzyme_strong_zero" in self.said.flags,
            self.said.tape,
            self.demanded,
            self.said.allocated,
        )

    # Arguments ------------------------------------------------------------------------------------------

    def argument(
        self, type_: Type, parameter: Value, arguments: list[Value], primal: Function
    ) -> Activity:
        """Read one argument with what belongs to it."""
        index = primal.args.index(parameter)  # type: ignore[arg-type]
        shown = f"argument {index} of @{primal.name}"
        name = self.flags(f"before {shown}")
        activity = self.activity(name, type_, shown)
        if name is not None and self.pending:
            if marker_name(resolve(self.pending[0])) == "enzyme_byref":
                self.pending.pop(0)
                self.note("enzyme_byref")
        if primal.args[index].has_attribute("byval"):
            self.by_value(primal.args[index], activity, shown, arguments)
            return activity
        if name is not None and name.endswith("v"):
            if not type_.is_pointer:
                raise self.fail(f"{shown} cannot be {name}", "it is not a pointer")
            stride = self.integer(f"the distance of the shadows of {shown}")
            arguments.append(self.operand(type_, shown))
            base = self.operand(type_, f"the shadow of {shown}")
            arguments.extend(self.strided(base, stride, self.said.width))
            return activity
        arguments.append(self.given(type_, shown))
        if activity.has_shadow:
            lanes = self.said.width
            for lane in range(lanes):
                which = "the shadow" if lanes == 1 else f"shadow {lane}"
                arguments.append(self.operand(type_, f"{which} of {shown}"))
        return activity

    def given(self, type_: Type, shown: str) -> Value:
        """The value of an argument, behind its address if a marker says so."""
        if not self.is_by_address(type_, shown):
            return self.operand(type_, shown)
        place = self.operand(PTR, f"the address of {shown}")
        b = Builder()
        b.before(self.call)
        return b.load(type_, place, align=1)

    def is_by_address(self, type_: Type, shown: str) -> bool:
        """Has a marker said that the argument is given by its address, and rightly how large it is?"""
        size, self.said.byref = self.said.byref, 0
        wanted = DataLayout.of(self.module).size_of(type_)
        if size and size != wanted:
            raise self.fail(f"{shown} is given as enzyme_byref of {size} bytes", f"it has {wanted}")
        return size > 0

    def by_value(
        self, parameter: Argument, activity: Activity, shown: str, arguments: list[Value]
    ) -> None:
        """Read a structure that is passed by value in memory: the derivative gets copies, too."""
        layout = DataLayout.of(self.module)
        struct = type_by_value(self.module, parameter)
        shadowed = activity.has_shadow
        if struct is None or (
            shadowed and (self.mode is not DiffMode.FORWARD or self.said.width > 1)
        ):
            raise self.fail(
                f"{shown} is a structure passed by value in memory (byval)",
                "its adjoint would be lost with the copy" if shadowed else "",
                "pass a pointer to it",
            )
        self.is_by_address(struct, shown)  # as it is without the marker: C hands over an address
        size = ConstInt(I64, layout.size_of(struct))
        for what in (shown, f"the shadow of {shown}")[: 1 + shadowed]:
            value = self.operand(parameter.type, what)
            entry = self.call.function.entry
            copy = Builder(entry, entry.first_non_phi()).alloca(struct)
            b = Builder()
            b.before(self.call)
            b.call_named("llvm.memcpy.p0.p0.i64", VOID, [copy, value, size, ConstInt(I1, 0)])
            arguments.append(copy)

    def sizes(self, primal: Function) -> list[Activity]:
        """The activities alone, which ``__enzyme_augmentsize`` is given."""
        found: list[Activity] = []
        for parameter in primal.args:
            shown = f"argument {parameter.index} of @{primal.name}"
            found.append(self.activity(self.flags(f"before {shown}"), parameter.type, shown))
        return found

    def flags(self, where: str) -> str | None:
        """Take what speaks of the whole call; the marker of the next argument, if there is one."""
        while self.pending:
            name = marker_name(resolve(self.pending[0]))
            if name is None:
                return None
            word = MARKERS.get(name)
            if word is None or word.refused or name in _BATCH:
                why = f"it stands {where}"
                if word is not None and word.refused:
                    why = f"{word.meaning}; {why}"
                todo = "" if word is None else word.todo
                if name in _BATCH:
                    todo = "it belongs into a call of __enzyme_batch"
                raise self.fail(f"@{name} is not supported", why, todo)
            self.pending.pop(0)
            if name in ACTIVITIES:
                return name
            self.note(name)
        return None

    def note(self, name: str) -> None:
        """A marker that speaks of the whole call."""
        if name == "enzyme_width":
            number = resolve(self.pending.pop(0)) if self.pending else None
            if not isinstance(number, ConstInt) or not 1 <= number.value <= MOST_LANES:
                raise self.fail(
                    f"enzyme_width needs a number from 1 to {MOST_LANES} that is known here"
                )
            if self.mode is DiffMode.SPLIT and number.value > 1:
                raise self.fail(
                    "enzyme_width is not supported in split mode",
                    todo="call __enzyme_autodiff, or __enzyme_fwddiff",
                )
            self.said.width = number.value
        elif name == "enzyme_byref":
            bytes_ = resolve(self.integer("the size behind enzyme_byref"))
            if not isinstance(bytes_, ConstInt) or bytes_.value < 1:
                raise self.fail("enzyme_byref needs a size that is known here")
            self.said.byref = bytes_.value
        elif name in _RETURNS:
            self.said.ret = _RETURNS[name]
        elif name == "enzyme_tape":
            if self.mode is not DiffMode.SPLIT and self.word != FORWARD_SPLIT_WORD:
                raise self.fail("enzyme_tape is for split mode")
            self.said.tape = self.operand(PTR, "the tape")
            if not self.said.allocated:
                raise self.fail(
                    "enzyme_tape needs enzyme_allocated and a size before it",
                    todo="without both, the tape is the first result and the last operand",
                )
        elif name == "enzyme_allocated":
            size = resolve(self.integer("the size of the tape"))
            if isinstance(size, ConstInt) and size.value < TAPE_BYTES:
                raise self.fail(f"the tape needs {TAPE_BYTES} bytes, not {size.value}")
            self.said.allocated = True
        else:
            assert name in _FLAGS
            self.said.flags.add(name)

    def activity(self, name: str | None, type_: Type, shown: str) -> Activity:
        """What a marker says of an argument, if it fits the parameter."""
        reverse = self.mode is not DiffMode.FORWARD
        if name is None:
            if type_.is_pointer:
                return Activity.DUPLICATED
            if not may_hold_float(type_):
                return Activity.CONST
            return Activity.ACTIVE if reverse else Activity.DUPLICATED
        activity = ACTIVITIES[name]
        if activity is Activity.ACTIVE:
            if not reverse or not may_hold_float(type_):
                why = "it is not a float" if reverse else "forward mode has no adjoints"
                raise self.fail(f"{shown} cannot be enzyme_out", why)
            self.demanded = True
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

    # Results --------------------------------------------------------------------------------------------

    def return_activity(self, primal: Function) -> Activity:
        ret, said = primal.function_type.ret, self.said.ret
        forward = self.mode is DiffMode.FORWARD
        if said is Activity.CONST:
            return Activity.CONST
        if said is not None:
            wanted = Activity.DUPLICATED if forward else Activity.ACTIVE
            if said is not wanted or not may_hold_float(ret):
                name = next(k for k, v in _RETURNS.items() if v is said)
                why = f"@{primal.name} returns {ret}" if said is wanted else ""
                raise self.fail(
                    f"{name} does not fit {'forward' if forward else 'reverse'} mode here", why
                )
        if not may_hold_float(ret):
            return Activity.CONST
        if forward:
            return Activity.DUPLICATED
        if not isinstance(ret, FloatType):
            raise self.fail(
                f"@{primal.name} returns {ret}",
                "reverse mode starts from one float",
                "return one number, or store the results behind a pointer with a shadow",
            )
        return Activity.ACTIVE

    def returns_primal(self, primal: Function) -> bool:
        ret, flags = primal.function_type.ret, self.said.flags
        wanted = "enzyme_primal_return" in flags
        if wanted and ret.is_void:
            raise self.fail(f"enzyme_primal_return: @{primal.name} returns nothing")
        if "enzyme_noret" in flags:
            if wanted:
                raise self.fail("enzyme_noret and enzyme_primal_return contradict each other")
            return False
        return wanted or (self.word == AUGMENTED_WORD and not ret.is_void)
