"""May two pointers reach the same bytes, and may an instruction change the bytes behind a pointer?

Answers are about the whole execution of one call of the function, not about one moment: two addresses that are
computed anew in every iteration of a loop are told apart by their objects, by strides that never meet, or by
kinds, but not by an index that is larger in this iteration. Sizes are in bytes; -1 (or None) means unknown.

Sources of knowledge: distinct objects, `noalias`, the caller's promise about arguments, constant offsets,
strides, kinds from type analysis (bytes read as floats are never written as integers), TBAA, and effects of calls.
Memory that was freed and allocated again counts as two objects. Not used: alias scopes, ranges of indices.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from enzyme.engine.analysis.addresses import spacing
from enzyme.engine.analysis.dataflow import blocks_in_cycles
from enzyme.engine.analysis.kinds import ArrayParameter
from enzyme.engine.analysis.metakinds import may_share
from enzyme.engine.analysis.modref import Summaries
from enzyme.engine.analysis.objects import UNKNOWN_OBJECT, Objects, Origins
from enzyme.engine.analysis.typeinfer import TypeAnalysis
from enzyme.engine.analysis.typetree import POINTER, SEVERAL, UNKNOWN, ConcreteType
from enzyme.engine.ir.dispatch import Dispatch
from enzyme.engine.ir.instructions import Call, Instruction, Load, Store, constant_int
from enzyme.engine.ir.known_function import KnownFunction
from enzyme.engine.ir.module import Function, Module
from enzyme.engine.ir.opcodes import ATOMICS, CONTROL, DESCRIBES, INSTRUCTIONS, PURE, READS
from enzyme.engine.ir.printer import local_names
from enzyme.engine.ir.types import IntType, Type, VectorType
from enzyme.engine.ir.values import Argument, ConstInt, GlobalVariable, Value

_DEPTH = 4
_UNSURE = frozenset({UNKNOWN, *SEVERAL})
_MAYBE_POINTER = _UNSURE | {POINTER}


class AliasOracle:
    """Alias questions about one function.

    `distinct_arguments` is the promise that memory reachable from different arguments does not overlap;
    `groups` says for each parameter to which argument it belongs. Without it the promise is used for the
    parameters themselves, not for pointers loaded from their memory. `summaries` may be shared by the oracles
    of a module, `arrays` are those among the parameters.
    """

    def __init__(
        self,
        module: Module,
        function: Function,
        *,
        distinct_arguments: bool = False,
        groups: Sequence[int] | None = None,
        types: TypeAnalysis | None = None,
        summaries: Summaries | None = None,
        arrays: Sequence[ArrayParameter] = (),
    ) -> None:
        self.module = module
        self.function = function
        self.types = types
        self.summaries = summaries or Summaries(module)
        self.objects = Objects(function, self.summaries)
        self.arrays = {array.data: array for array in arrays}
        self._distinct_arguments = distinct_arguments
        self._grouped = groups is not None
        self._groups = tuple(groups) if groups is not None else tuple(range(len(function.args)))
        self._cycles = blocks_in_cycles(function)
        self._roots: dict[Value, frozenset[int] | None] = {}
        self._pairs: dict[tuple[Value, Value], bool] = {}
        self._kinds: dict[tuple[Value, int], frozenset[ConcreteType]] = {}
        self._moves: bool | None = None

    # Objects --------------------------------------------------------------------------------------

    def underlying(self, pointer: Value) -> Origins:
        """The objects that a pointer may point into; see `objects` for what an object is."""
        return self.objects.underlying(pointer)

    def escapes(self, value: Value) -> bool:
        """Can the pointer to this alloca, allocation or argument outlive the call or leave it?"""
        return self.objects.escapes(value)

    def outlives(self, value: Value) -> bool:
        """Can anybody hold the fresh object when the call is over, whichever way it ends?"""
        return self.objects.outlives(value)

    def effects(self, call: Call) -> KnownFunction:
        """What a call does to memory."""
        return self.summaries.of(call)

    def are_distinct(self, first: Value, second: Value) -> bool:
        """Are these two objects certainly not overlapping?"""
        if first is second:
            return False
        found = self._pairs.get((first, second))
        if found is None:
            found = self._distinct(first, second) or self._distinct(second, first)
            self._pairs[first, second] = self._pairs[second, first] = found
        return found

    def _distinct(self, first: Value, second: Value) -> bool:
        objects = self.objects
        if isinstance(first, Function):
            return second is not UNKNOWN_OBJECT
        if objects.is_local(first):
            if isinstance(second, (Argument, GlobalVariable)) or objects.is_local(second):
                return True
            return not objects.is_visible(first)
        if isinstance(first, GlobalVariable):
            return isinstance(second, GlobalVariable)
        if isinstance(first, Argument):
            if first.has_attribute("noalias"):
                if isinstance(second, (Argument, GlobalVariable)):
                    return True
                if second is not UNKNOWN_OBJECT and not objects.is_visible(first):
                    return True
            if isinstance(second, Argument) and self._distinct_arguments:
                return self._groups[first.index] != self._groups[second.index]
        if not (self._distinct_arguments and self._grouped):
            return False
        mine, yours = self._reached_from(first), self._reached_from(second)
        return bool(mine and yours) and not (mine or frozenset()) & (yours or frozenset())

    def _reached_from(self, value: Value, depth: int = 0) -> frozenset[int] | None:
        """The argument groups from whose memory the object was reached; None if that is not known.

        Nothing is known in a function that may write a pointer from one argument into another.
        """
        if value in self._roots:
            return self._roots[value]
        found: frozenset[int] | None = None
        if isinstance(value, Argument):
            found = frozenset((self._groups[value.index],))
        elif isinstance(value, Load) and depth < _DEPTH and not self._pointers_move():
            groups: frozenset[int] | None = frozenset()
            for origin in self.underlying(value.pointer):
                more = self._reached_from(origin, depth + 1)
                groups = None if groups is None or more is None else groups | more
            found = groups or None
        self._roots[value] = found
        return found

    def _pointers_move(self) -> bool:
        """May this function change which arguments reach which memory?"""
        if self._moves is None:
            self._moves = any(self._moves_pointer(i) for i in self.function.instructions())
        return self._moves

    def _moves_pointer(self, instruction: Instruction) -> bool:
        if isinstance(instruction, Store):
            value = instruction.value
            if not self.may_be_pointer(value):
                return False
            foreign = any(
                not (self.objects.is_local(o) or isinstance(o, (GlobalVariable, Function)))
                for o in self.underlying(value)
            )
            return foreign and not self.objects.only_written(instruction.pointer)
        if isinstance(instruction, Call):
            row = self.summaries.of(instruction)
            if row.kind == "memory" and row.reads:
                return self.copies_pointers(instruction)
            return row.kind == "external" and bool(row.writes or row.writes_other)
        return instruction.opcode in ATOMICS

    def copies_pointers(self, copy: Call) -> bool:
        """May there be pointers in the memory that is copied?"""
        return self.leads_on(copy.arguments[0])

    def leads_on(self, pointer: Value) -> bool:
        """May there be pointers in the memory behind a pointer?"""
        kinds = {k for _, k in self.types.memory_kinds(pointer, -1)} if self.types else set()
        return not kinds or bool(kinds & _MAYBE_POINTER)

    def may_be_pointer(self, value: Value) -> bool:
        """May the value be a pointer, or hold one?"""
        if value.type.scalar.is_float:
            return False
        return not (isinstance(value.type, IntType) and self._is_int(value))

    def _is_int(self, value: Value) -> bool:
        if isinstance(value, ConstInt):
            return True
        return self.types is not None and self.types.kind(value) not in _MAYBE_POINTER

    # Pairs of pointers ----------------------------------------------------------------------------

    def may_alias(
        self, first: Value, first_size: int | None, second: Value, second_size: int | None
    ) -> bool:
        """May the bytes behind two pointers overlap at any time during a call of the function?"""
        mine, yours = self.underlying(first), self.underlying(second)
        if all(self.are_distinct(a, b) for a in mine for b in yours):
            return False
        known = (first_size or 0) > 0 and (second_size or 0) > 0
        if known:
            assert first_size is not None and second_size is not None
            if self._apart(first, first_size, second, second_size):
                return False
            return not self.kinds_differ(first, first_size, second, second_size)
        base, base_too = self.objects.address(first)[0], self.objects.address(second)[0]
        # The header of a runtime object and its data are parts of one object that never overlap.
        return not (_is_header(base, base_too) or _is_header(base_too, base))

    def _apart(self, first: Value, first_size: int, second: Value, second_size: int) -> bool:
        """Do offsets or strides from one fixed base keep the two ranges apart?"""
        base, offset, steps = self.objects.address(first)
        other, place, more = self.objects.address(second)
        if _is_header(base, other) or _is_header(other, base):
            return True
        if base is not other and base != other:
            return False
        owner = base[0] if isinstance(base, tuple) else base
        if not self._is_fixed(owner):
            return False
        mine, yours = Counter(steps), Counter(more)
        common = Counter({s: n for s, n in (mine & yours).items() if self._is_fixed(s[1])})
        stride = spacing(tuple((mine - common) + (yours - common)))
        distance = place - offset
        if stride:
            distance %= stride
            return first_size <= distance and distance + second_size <= stride
        return first_size <= distance or distance + second_size <= 0

    def fixed_place(self, pointer: Value) -> tuple[Value, int] | None:
        """The base that an address stands at a constant distance from, if both stay during a call, and the distance.

        Places of one base are apart exactly if their bytes are.
        """
        base, offset, steps = self.objects.address(pointer)
        if steps or isinstance(base, tuple) or not self._is_fixed(base):
            return None
        return base, offset

    def _is_fixed(self, value: Value) -> bool:
        """Has the value one value only during a call of the function?"""
        return not isinstance(value, Instruction) or value.parent not in self._cycles

    def kinds_differ(self, first: Value, first_size: int, second: Value, second_size: int) -> bool:
        """Does type analysis show that the two ranges hold no byte of the same kind?"""
        if self.types is None or first_size <= 0 or second_size <= 0:
            return False
        mine, yours = self._kinds_of(first, first_size), self._kinds_of(second, second_size)
        return not mine & yours and not (mine | yours) & _UNSURE

    def _kinds_of(self, pointer: Value, size: int) -> frozenset[ConcreteType]:
        found = self._kinds.get((pointer, size))
        if found is None:
            assert self.types is not None
            found = frozenset(kind for _, kind in self.types.memory_kinds(pointer, size))
            self._kinds[pointer, size] = found
        return found

    # Instructions ---------------------------------------------------------------------------------

    def may_write(
        self,
        instruction: Instruction,
        pointer: Value,
        size: int | None = -1,
        access: Instruction | None = None,
    ) -> bool:
        """May the instruction change the `size` bytes behind a pointer? `access`: who reads them."""
        if self._is_constant(pointer):
            return False
        handler = WRITES.handlers[instruction.opcode]
        return handler is not None and handler(self, instruction, pointer, size, access)

    def _store_writes(
        self, store: Instruction, pointer: Value, size: int | None, access: Instruction | None
    ) -> bool:
        assert isinstance(store, Store)
        tag = store.metadata.get("tbaa")
        if access is not None and not may_share(self.module, tag, access.metadata.get("tbaa")):
            return False
        return self.may_alias(store.pointer, self._size_of(store.value.type), pointer, size)

    def _atomic_writes(
        self, i: Instruction, pointer: Value, size: int | None, access: Instruction | None
    ) -> bool:
        return self.may_alias(i.operands[0], -1, pointer, size)

    def _writes_anything(
        self, i: Instruction, pointer: Value, size: int | None, access: Instruction | None
    ) -> bool:
        return True

    def _size_of(self, type_: Type) -> int:
        if isinstance(type_, VectorType) and type_.scalable:
            return -1
        return self.summaries.layout.size_of(type_)

    def _call_writes(
        self, call: Instruction, pointer: Value, size: int | None, access: Instruction | None
    ) -> bool:
        assert isinstance(call, Call)
        row = self.summaries.of(call)
        length: int | None = -1
        if row.length_operand is not None:
            length = constant_int(call.arguments[row.length_operand])
        for index, argument in enumerate(call.arguments):
            if index in row.writes and argument.type.is_pointer:
                if self.may_alias(argument, length, pointer, size):
                    return True
        return row.writes_other and any(self._is_reachable(o) for o in self.underlying(pointer))

    def _is_reachable(self, origin: Value) -> bool:
        """Can code outside this function reach the object without being handed a pointer to it?"""
        if self.objects.is_local(origin):
            return self.objects.is_visible(origin)
        if isinstance(origin, Argument) and origin.has_attribute("noalias"):
            return self.objects.is_visible(origin)
        return True

    def _is_constant(self, pointer: Value) -> bool:
        origins = self.underlying(pointer)
        return bool(origins) and all(isinstance(o, GlobalVariable) and o.is_const for o in origins)

    # Text -----------------------------------------------------------------------------------------

    def __str__(self) -> str:
        names = local_names(self.function)

        def show(value: Value) -> str:
            if value is UNKNOWN_OBJECT:
                return "unknown"
            return names.get(value) or f"@{value.name}"

        lines = [f"objects of @{self.function.name}"]
        for argument in self.function.args:
            if argument.type.is_pointer:
                lines.append(f"  {names[argument]}: argument{self._state(argument)}")
        for instruction in self.function.instructions():
            if instruction.type.is_pointer:
                origins = self.underlying(instruction)
                if origins == (instruction,):
                    lines.append(
                        f"  {names[instruction]}: {instruction.opcode}{self._state(instruction)}"
                    )
                else:
                    listed = ", ".join(map(show, origins)) or "nothing"
                    lines.append(f"  {names[instruction]} in {listed}")
        return "\n".join(lines) + "\n"

    def _state(self, value: Value) -> str:
        if self.objects.is_visible(value):
            return ", visible"
        return ", escapes" if self.objects.escapes(value) else ""


Writes = Callable[[AliasOracle, Instruction, Value, int | None, Instruction | None], bool]

WRITES: Dispatch[Writes] = Dispatch(
    "writes",
    "which bytes it may change",
    INSTRUCTIONS,
    {
        "store": AliasOracle._store_writes,
        **dict.fromkeys(ATOMICS, AliasOracle._atomic_writes),
        **dict.fromkeys(("fence", "va_arg"), AliasOracle._writes_anything),
        **dict.fromkeys(("call", "invoke", "callbr"), AliasOracle._call_writes),
    },
    ignored=[
        o.name
        for o in INSTRUCTIONS.values()
        if o.effect in (PURE, READS, CONTROL, DESCRIBES) and o.model != "Call"
    ],
    elsewhere=dict.fromkeys(("cleanuppad", "catchpad"), "constructs"),
)


def _is_header(base: object, other: object) -> bool:
    return isinstance(other, tuple) and base is other[0]
