"""What calls of the module's own functions do to memory: one summary per function.

A summary has the form of a `KnownFunction` row of kind ``external``. Memory that a function allocates for
itself does not count. Functions that call each other are solved together, from "does nothing" upwards.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from enzyme.engine.analysis.callgraph import CallGraph
from enzyme.engine.analysis.known_functions import effects_of, lookup_known
from enzyme.engine.analysis.objects import UNKNOWN_OBJECT, Objects
from enzyme.engine.ir.datalayout import DataLayout
from enzyme.engine.ir.dispatch import Dispatch
from enzyme.engine.ir.instructions import Call, Instruction, Load, Store
from enzyme.engine.ir.known_function import KnownFunction
from enzyme.engine.ir.module import Function, Module
from enzyme.engine.ir.opcodes import ATOMICS, CONTROL, DESCRIBES, INSTRUCTIONS, PURE
from enzyme.engine.ir.values import Argument, GlobalVariable, Value

if TYPE_CHECKING:
    from enzyme.engine.analysis.written import Written


class Summaries:
    """Effects of every call in a module; computed on first use and shared by all its functions.

    With `own_frees` what is freed was allocated by the module itself, also where it might have been an argument: a
    copy that is made where two arrays overlap, and let go of behind.
    """

    def __init__(self, module: Module, own_frees: bool = False) -> None:
        self.module = module
        self.own_frees = own_frees
        self.layout = DataLayout.of(module)
        self._summaries: dict[Function, KnownFunction] = {}
        self._external: dict[Call, KnownFunction] = {}
        # What `analysis.written` finds out.
        self.written: dict[Function, Written] = {}

    def of(self, call: Call) -> KnownFunction:
        """The effects of a call; rows of the table win over the body of the callee."""
        callee = call.callee
        if isinstance(callee, Function) and callee.blocks and not lookup_known(call):
            return self.of_function(callee)
        found = self._external.get(call)
        if found is None:
            found = self._external[call] = effects_of(call)
        return found

    def of_function(self, function: Function) -> KnownFunction:
        found = self._summaries.get(function)
        if found is None:
            self._solve(function)
            found = self._summaries[function]
        return found

    def _solve(self, function: Function) -> None:
        for group in CallGraph([function], self._summaries).groups():
            members = [f for f in group if f.blocks]
            for member in members:
                self._summaries[member] = KnownFunction(member.name, "external")
            changed = bool(members)
            while changed:
                changed = False
                for member in members:
                    found = self._summarise(member)
                    changed |= found != self._summaries[member]
                    self._summaries[member] = found

    def _summarise(self, function: Function) -> KnownFunction:
        objects = Objects(function, self)
        state = _Effects()
        for instruction in function.instructions():
            handler = MEMORY.handlers[instruction.opcode]
            if handler is not None:
                handler(state, objects, instruction)
        pointers = [a for a in function.args if a.type.is_pointer]
        captures = {a.index for a in pointers if objects.escapes(a)}
        keeps = {a.index for a in pointers if a.index in captures and objects.outlives(a)}
        return replace(
            self._summaries[function],
            reads=frozenset(state.reads),
            writes=frozenset(state.writes),
            captures=frozenset(captures),
            keeps=frozenset(keeps),
            reads_other=state.reads_other,
            writes_other=state.writes_other,
            reexecutable=not (state.writes or state.writes_other or state.effects),
        )


class _Effects:
    """Effects while they are being collected."""

    def __init__(self) -> None:
        self.reads: set[int] = set()
        self.writes: set[int] = set()
        self.reads_other = self.writes_other = False
        self.effects = False

    def note(self, objects: Objects, pointer: Value, what: str) -> None:
        for origin in objects.underlying(pointer):
            if isinstance(origin, Argument):
                getattr(self, what).add(origin.index)
            elif isinstance(origin, GlobalVariable) and origin.is_const:
                continue
            elif origin is UNKNOWN_OBJECT or not objects.is_local(origin):
                setattr(self, f"{what}_other", True)
                # Who made the object knows its data as a part of it.
                for owner in objects.owners(origin):
                    if isinstance(owner, Argument):
                        getattr(self, what).add(owner.index)

    def load(self, objects: Objects, i: Instruction) -> None:
        assert isinstance(i, Load)
        self.note(objects, i.pointer, "reads")

    def store(self, objects: Objects, i: Instruction) -> None:
        assert isinstance(i, Store)
        self.note(objects, i.pointer, "writes")

    def atomic(self, objects: Objects, i: Instruction) -> None:
        self.note(objects, i.operands[0], "reads")
        self.note(objects, i.operands[0], "writes")

    def fence(self, objects: Objects, i: Instruction) -> None:
        self.writes_other = True

    def call(self, objects: Objects, call: Instruction) -> None:
        assert isinstance(call, Call)
        row = objects.summaries.of(call)
        for index, argument in enumerate(call.arguments):
            if not argument.type.is_pointer:
                continue
            if index in row.reads:
                self.note(objects, argument, "reads")
            if index in row.writes and not (row.kind == "free" and objects.summaries.own_frees):
                self.note(objects, argument, "writes")
        self.reads_other |= row.reads_other
        self.writes_other |= row.writes_other
        self.effects |= not row.reexecutable


MEMORY: Dispatch[Callable[[_Effects, Objects, Instruction], None]] = Dispatch(
    "memory",
    "what a function that is called reads and writes",
    INSTRUCTIONS,
    {
        "load": _Effects.load,
        "store": _Effects.store,
        **dict.fromkeys(ATOMICS | {"va_arg"}, _Effects.atomic),
        "fence": _Effects.fence,
        **dict.fromkeys(("call", "invoke", "callbr"), _Effects.call),
    },
    ignored=[
        o.name
        for o in INSTRUCTIONS.values()
        if o.effect in (PURE, CONTROL, DESCRIBES) and o.model != "Call"
    ],
    elsewhere=dict.fromkeys(("cleanuppad", "catchpad"), "constructs"),
)
