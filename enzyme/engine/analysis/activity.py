"""Activity analysis: which values and which memory can carry a derivative.

A value is *varied* if an active input can influence it, *useful* if it can influence an active output; it is
active when it is both.  Memory is followed by object (argument, allocation, loaded pointer): an object is varied
when varied data may be stored in it, useful when useful data may be read from it or when somebody else can read
it.  Both directions are fixed points over the function; calls of functions of the module are analysed with the
activities of the call, recursion is resolved by assuming the worst.

Only active values cost anything: constants get no shadow, no adjoint, no cache.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from enzyme.engine.analysis.activity_result import (
    MIXING,
    ActivityResult,
    CallSummary,
    bits_of_integers,
    may_hold_pointer,
)
from enzyme.engine.analysis.alias import AliasOracle
from enzyme.engine.analysis.kinds import Activity
from enzyme.engine.analysis.known_functions import effects_of, lookup_known, runtime_of
from enzyme.engine.analysis.typeinfer import TypeAnalysis
from enzyme.engine.analysis.typetree import POINTER
from enzyme.engine.ir.dispatch import Dispatch
from enzyme.engine.ir.instructions import Aggregate, Alloca, Call, Instruction, Load, Store
from enzyme.engine.ir.items import looks_twice
from enzyme.engine.ir.known_function import KnownFunction
from enzyme.engine.ir.module import Block, Function, defined_callee
from enzyme.engine.ir.opcodes import ATOMICS, FLOAT_CASTS, INSTRUCTIONS, opcodes
from enzyme.engine.ir.types import IntType
from enzyme.engine.ir.values import (
    Argument,
    Constant,
    GlobalVariable,
    Value,
    is_literal,
)


def touched_parameters(function: Function) -> frozenset[int]:
    """The pointers that a function may read or write through; numba passes some that it never looks at."""
    return frozenset(
        a.index for a in function.args if a.type.is_pointer and not a.has_attribute("readnone")
    )


def _reaches_interpreter(call: Call) -> bool:
    name, runtime = call.callee_name, runtime_of(call)
    return runtime.interprets(name) or runtime.adapts(name)


# What a call of a function does, given its activities and its types in the context of the call, if they are known.
Summarise = Callable[[Function, tuple[Activity, ...], TypeAnalysis | None], CallSummary]


class ActivitySolver:
    """Runs the two fixed points over one function.

    `rules` tells which operands of a call of a table function may carry derivatives: a sequence of operand
    indices, empty for a function without derivative, None if nothing is known about it.  `written` is constant
    memory that counts as varied, with what writes active data there: whether it is useful tells whether these are
    lost. Of these, `written_numbers` keep the addresses of constant memory that they may hold.
    """

    def __init__(
        self,
        function: Function,
        activities: Sequence[Activity],
        returns_active: bool,
        types: TypeAnalysis,
        oracle: AliasOracle,
        rules: Callable[[Call], Sequence[int] | None],
        summarise: Summarise,
        skip: set[Block],
        discarded: frozenset[int] = frozenset(),
        written: Mapping[Value, Collection[Instruction]] | None = None,
        written_numbers: frozenset[Value] = frozenset(),
        is_entry: bool = True,
        returns_shadow: bool = False,
    ) -> None:
        self.function = function
        self.activities = tuple(activities)
        self.returns_active = returns_active
        self.returns_shadow = returns_shadow
        self.rules = rules
        self.summarise = summarise
        self.result = ActivityResult(function, types, oracle)
        self.result.discarded = {function.args[k] for k in discarded}
        self.result.is_entry = is_entry
        self.result.strict = not is_entry and looks_twice(function.module)
        self.instructions = [i for b in function.blocks if b not in skip for i in b.instructions]
        self.written = written or {}
        self.written_numbers = written_numbers
        self.makes_constants = function.makes_constants
        self.changed = False

    def solve(self) -> ActivityResult:
        for argument, activity in zip(self.function.args, self.activities, strict=True):
            if activity is Activity.CONST:
                continue
            if self.result.carries_float(argument) and not self.makes_constants:
                self.result.varied.add(argument)
            if argument.type.is_pointer:
                self.result.varied_objects.add(argument)
                self.result.useful_objects.add(argument)
        self.result.varied_objects.update(self.written)
        self._until_stable(self._forward, self.instructions)
        self._until_stable(self._backward, self.instructions[::-1])
        return self.result

    def _until_stable(self, visit: Callable[[Instruction], None], order: list[Instruction]) -> None:
        self.changed = True
        while self.changed:
            self.changed = False
            for instruction in order:
                visit(instruction)

    # Forward: varied ------------------------------------------------------------------------------------

    def _forward(self, i: Instruction) -> None:
        handler = VARIED.handlers[i.opcode]
        if handler is None:
            return
        handler(self, i)
        if may_hold_pointer(i.type) and i.type.is_aggregate:
            held = [o for o in i.operands if may_hold_pointer(o.type)]
            if i in self.result.varied_objects or any(self._object_varied(o) for o in held):
                self._vary_object(i)
                for part in held:
                    self._vary_beside(part)

    def _forward_load(self, i: Instruction) -> None:
        assert isinstance(i, Load)
        if not self._object_varied(i.pointer):
            return
        if self.result.carries_float(i):
            self._vary(i)
        elif self.result.reads_bits(i):
            self._pack(i)
        if may_hold_pointer(i.type) and not self._holds_numbers(i.pointer):
            self._vary_object(i)

    def _forward_number(self, i: Instruction) -> None:
        """What is computed of varied numbers is varied."""
        if self.result.carries_float(i) and any(o in self.result.varied for o in i.operands):
            self._vary(i)

    def _forward_bits(self, i: Instruction) -> None:
        """The same, where the bits of numbers may be hidden in integers."""
        result = self.result
        if result.carries_float(i) and any(o in result.varied for o in i.operands):
            self._vary(i)
            if not i.type.is_aggregate:
                return
        if i.type.is_aggregate or bits_of_integers(i.type):
            if any(self._holds_bits(o) for o in i.operands):
                self._pack(i)

    def _forward_bitcast(self, i: Instruction) -> None:
        varied = any(o in self.result.varied for o in i.operands)
        if varied and self.result.carries_float(i):
            self._vary(i)
        elif bits_of_integers(i.type) and (varied or any(map(self._holds_bits, i.operands))):
            self._pack(i)

    def _forward_choice(self, i: Instruction) -> None:
        self._forward_bits(i)
        if i.type.is_pointer and self._object_varied(i):
            # All objects that may be chosen need a shadow if one has it.
            self._mix_memory(i)

    def _forward_store(self, i: Instruction) -> None:
        assert isinstance(i, Store)
        value, pointer = i.value, i.pointer
        if value in self.result.varied:
            self._vary_memory(pointer, i, numbers=True)
        elif value in self.result.packed and not self.result.stores_integers(i):
            self._vary_memory(pointer, i, numbers=True)
            self._pack_memory(pointer)
        if may_hold_pointer(value.type):
            if self._object_varied(value):
                self._vary_memory(pointer, i)
            elif self._object_varied(pointer) and not self.result.is_discarded(pointer):
                self._hold_memory(value, i)

    def _forward_atomic(self, i: Instruction) -> None:
        """A load and a store at once; what it loads is followed as memory only (`Shadows` refuses floats)."""
        pointer, *values = i.operands
        if any(v in self.result.varied or self._holds_bits(v) for v in values):
            self._vary_memory(pointer, i, numbers=True)
        if any(v.type.is_pointer and self._object_varied(v) for v in values):
            self._vary_memory(pointer, i)

    def _forward_ret(self, i: Instruction) -> None:
        """Whoever wants the shadow of what is returned may store active data there."""
        if self.returns_shadow and i.operands:
            value = i.operands[0]
            self._mix_memory(value)
            if value.type.is_aggregate and not value.is_constant:
                self._vary_object(value)

    def _forward_call(self, i: Instruction) -> None:
        assert isinstance(i, Call)
        name = i.callee_name
        callee = i.callee
        known = lookup_known(i)
        if name.startswith("llvm.") and bits_of_integers(i.type):
            if any(self._holds_bits(a) for a in i.arguments):
                self._pack(i)
        if name.startswith(("llvm.memcpy", "llvm.memmove")):
            if self._object_varied(i.arguments[1]):
                self._vary_memory(i.arguments[0], i)
            elif self._object_varied(i.arguments[0]) and self._copies_addresses(i):
                self._hold_memory(i.arguments[1], i)
            if self.result.holds_packed(i.arguments[1]):
                self._pack_memory(i.arguments[0])
            return
        operands = self.rules(i)
        if operands is not None:
            if any(i.arguments[k] in self.result.varied for k in operands):
                self._vary(i)
            return
        if known is not None and known.moves_no_numbers:
            interprets = runtime_of(i).interprets(name)
            if interprets and self.result.carries_float(i) and self._is_shown():
                self._vary(i)
            return
        if known is not None and known.kind == "numeric":
            self._forward_numeric(i, known)
            return
        defined = defined_callee(i)
        if defined is not None:
            self._forward_defined(i, defined)
            return
        # An unknown external function: everything that it may touch becomes active if an input is.
        if any(a in self.result.varied or self._object_varied(a) for a in i.arguments):
            if self.result.carries_float(i):
                self._vary(i)
            writes = None
            if isinstance(callee, Function) and callee.is_ruled:
                writes = effects_of(i).writes - callee.failures
            for k, argument in enumerate(i.arguments):
                if not argument.type.is_pointer:
                    continue
                if (
                    k in writes
                    if writes is not None
                    else self.result.oracle.may_write(i, argument, -1)
                ):
                    self._vary_memory(argument, i)

    def _is_shown(self) -> bool:
        """Does the interpreter get to see an active value? Then numbers that come from there may depend on it."""
        return any(
            a in self.result.varied or (a.type.is_pointer and self._object_varied(a))
            for call in self.instructions
            if isinstance(call, Call) and _reaches_interpreter(call)
            for a in call.arguments
        )

    def _forward_numeric(self, i: Call, known: KnownFunction) -> None:
        """What the row reads may influence what it writes, and nothing else."""
        if not self._numeric_varied(i, known):
            return
        if self.result.carries_float(i):
            self._vary(i)
        for index in known.writes - known.integers:
            self._vary_memory(i.arguments[index], i)

    def _numeric_varied(self, i: Call, known: KnownFunction) -> bool:
        return any(a in self.result.varied for a in i.arguments) or any(
            self._object_varied(i.arguments[k]) for k in known.reads - known.integers
        )

    def _forward_defined(self, i: Call, callee: Function) -> None:
        if any(a in self.result.packed for a in i.arguments):
            if i.type.is_aggregate or bits_of_integers(i.type):
                self._pack(i)
        activities = self.call_activities(i)
        if all(a is Activity.CONST for a in activities):
            return
        summary = self.summarise(callee, activities, self.result.types.callee(i))
        for index in summary.written:
            self._vary_memory(i.arguments[index], i)
            if looks_twice(self.function.module):
                self._pack_memory(i.arguments[index])
        for index in summary.mixed:
            self._mix_memory(i.arguments[index])
        for index in summary.held:
            self._hold_memory(i.arguments[index], i)
        if summary.returns_packed:
            self._pack(i)
        if summary.returns_varied:
            if self.result.carries_float(i):
                self._vary(i)
            if may_hold_pointer(i.type):
                self._vary_object(i)

    def _copies_addresses(self, i: Call) -> bool:
        """Are there addresses in what a call copies, whose shadows somebody may look for in the shadow of the copy?"""
        target, source = i.arguments[:2]
        if self.result.is_discarded(target):
            return False
        types = self.result.types
        trees = (types.of(target), types.of(source))
        return any(len(path) == 2 and kind is POINTER for tree in trees for path, kind in tree)

    def _holds_bits(self, value: Value) -> bool:
        return value in self.result.packed or (
            isinstance(value.type, IntType) and value in self.result.varied
        )

    def call_activities(self, i: Call) -> tuple[Activity, ...]:
        found = []
        for argument in i.arguments:
            if argument.type.is_pointer:
                found.append(
                    Activity.DUPLICATED if self._object_varied(argument) else Activity.CONST
                )
            else:
                found.append(Activity.ACTIVE if argument in self.result.varied else Activity.CONST)
        return self.result.settled(i, found)

    def _holds_numbers(self, pointer: Value) -> bool:
        """Is this constant memory into which only active numbers are written, no addresses of active memory?"""
        if not self.written_numbers:
            return False
        origins = self.result.varied_objects.intersection(self.result.oracle.underlying(pointer))
        return bool(origins) and origins <= self.written_numbers

    def _object_varied(self, pointer: Value) -> bool:
        if is_literal(pointer):
            return False
        if pointer in self.result.varied_objects:
            return True
        return any(o in self.result.varied_objects for o in self.result.oracle.underlying(pointer))

    def _vary(self, value: Value) -> None:
        if value not in self.result.varied and not self.makes_constants:
            self.result.varied.add(value)
            self.changed = True

    def _pack(self, value: Value) -> None:
        if value not in self.result.packed and not self.makes_constants:
            self.result.packed.add(value)
            self.changed = True

    def _pack_memory(self, pointer: Value) -> None:
        """Integers made from the bits of floats are stored there."""
        for origin in self.result.oracle.underlying(pointer):
            if origin not in self.result.packed_objects:
                self.result.packed_objects.add(origin)
                self.changed = True

    def _vary_object(self, value: Value) -> None:
        if value not in self.result.varied_objects:
            self.result.varied_objects.add(value)
            self.changed = True

    def _mix_memory(self, pointer: Value) -> None:
        """A pointer is chosen from objects of which one has a shadow."""
        for origin in self.result.oracle.underlying(pointer):
            if isinstance(origin, (Alloca, Call)):
                self._vary_object(origin)
            elif isinstance(origin, Argument) and origin not in self.result.varied_objects:
                self.result.mixed.add(origin)

    def _vary_beside(self, part: Value) -> None:
        """A part of an aggregate of which another has a shadow: so has the whole, and there all memory made here."""
        if not part.type.is_pointer:
            if isinstance(part, Aggregate):
                self._vary_object(part)
            return
        for origin in self.result.oracle.underlying(part):
            if isinstance(origin, (Alloca, Call)):
                self._vary_object(origin)

    def _hold_memory(self, pointer: Value, where: Instruction) -> None:
        """An address is stored in memory with a shadow, which has a place for that of its own shadow."""
        self._vary_memory(pointer, where, held=True)

    def _vary_memory(
        self, pointer: Value, where: Instruction, numbers: bool = False, held: bool = False
    ) -> None:
        """Varied data arrive in the memory behind a pointer; only `numbers`, or perhaps addresses. Or it is `held` by
        memory where they are."""
        pending = [pointer]
        while pending:
            memory = pending.pop()
            if is_literal(memory):
                continue
            if memory.type.is_aggregate:
                self._vary_object(memory)
                continue
            pending += self._vary_origins(memory, where, numbers, held)
            numbers = False

    def _vary_origins(
        self, pointer: Value, where: Instruction, numbers: bool, held: bool
    ) -> list[Value]:
        """The pointers to where the addresses of what is varied now stand."""
        holders: list[Value] = []
        for origin in self.result.oracle.underlying(pointer):
            if origin in self.result.varied_objects:
                continue
            if isinstance(origin, GlobalVariable) and origin.is_const:
                continue  # one of several that the pointer may be; nobody can store in it
            if held and isinstance(origin, Argument):
                self.result.held.add(origin)
                continue
            if isinstance(origin, (Argument, GlobalVariable)):
                if (where, origin) not in self.result.const_stores:
                    self.result.const_stores.append((where, origin))
                if not numbers:
                    self.result.const_addresses.add(origin)
                continue
            self._vary_object(origin)
            if isinstance(origin, Load):
                holders.append(origin.pointer)
        return holders[::-1]

    # Backward: useful -----------------------------------------------------------------------------------

    def _backward(self, i: Instruction) -> None:
        handler = USEFUL.handlers[i.opcode]
        if handler is None:
            return
        handler(self, i)
        if may_hold_pointer(i.type) and i.type.is_aggregate and i in self.result.varied_objects:
            self._use_object(i)
            for operand in i.operands:
                if may_hold_pointer(operand.type):
                    self._use_objects(operand)

    def _backward_store(self, i: Instruction) -> None:
        assert isinstance(i, Store)
        if self._is_followed(i.value) and self._object_useful(i.pointer):
            if i.value in self.result.varied or not self.result.stores_integers(i):
                self._use(i.value)
        if may_hold_pointer(i.value.type) and not isinstance(i.value, Constant):
            # A pointer that is written down may be read through by others.
            if self._object_useful(i.pointer):
                self._use_objects(i.value)

    def _backward_load(self, i: Instruction) -> None:
        assert isinstance(i, Load)
        result = self.result
        if i in result.useful or (may_hold_pointer(i.type) and i in result.useful_objects):
            self._use_objects(i.pointer)
        if may_hold_pointer(i.type) and i in result.varied_objects:
            self._use_object(i)

    def _backward_atomic(self, i: Instruction) -> None:
        pointer, *values = i.operands
        if i.users and self._object_varied(pointer):
            self._use_objects(pointer)
        for value in values if self._object_useful(pointer) else ():
            if value in self.result.varied:
                self._use(value)

    def _backward_ret(self, i: Instruction) -> None:
        if self.returns_active and i.operands:
            self._use(i.operands[0])
            if may_hold_pointer(i.operands[0].type):
                self._use_objects(i.operands[0])

    def _backward_number(self, i: Instruction) -> None:
        if i in self.result.useful:
            for operand in i.operands:
                if self._is_followed(operand):
                    self._use(operand)

    def _is_followed(self, value: Value) -> bool:
        """Is it a varied number, or made from the bits of some?"""
        return value in self.result.varied or value in self.result.packed

    def _backward_choice(self, i: Instruction) -> None:
        self._backward_number(i)
        if i.type.is_pointer and self._object_useful(i):
            self._use_objects(i)

    def _backward_call(self, i: Instruction) -> None:
        assert isinstance(i, Call)
        result = self.result
        name = i.callee_name
        if name.startswith(("llvm.memcpy", "llvm.memmove")):
            if self._object_useful(i.arguments[0]):
                self._use_objects(i.arguments[1])
            return
        operands = self.rules(i)
        if operands is not None:
            if i in result.useful:
                for k in operands:
                    if i.arguments[k] in result.varied:
                        self._use(i.arguments[k])
            return
        known = lookup_known(i)
        if known is not None and known.moves_no_numbers:
            return
        if known is not None and known.kind == "numeric":
            self._backward_numeric(i, known)
            return
        if any(a is not Activity.CONST for a in self.call_activities(i)):
            ends = result.ends_at(i)
            unread = self._unread(i)
            for k, argument in enumerate(i.arguments):
                if k in ends:
                    continue
                if argument in result.varied:
                    self._use(argument)
                if may_hold_pointer(argument.type) and k not in unread:
                    self._use_objects(argument)
            if may_hold_pointer(i.type):
                self._use_object(i)

    def _unread(self, i: Call) -> frozenset[int]:
        """Operands whose memory a call does not read: it is useful if others read it.

        Asked of functions with rules, and of all where constant memory is followed.
        """
        unread: frozenset[int] = frozenset()
        if isinstance(i.callee, Function) and i.callee.is_ruled:
            effects = effects_of(i)
            unread = effects.writes - effects.reads - effects.captures
        elif self.written:
            unread = frozenset(range(len(i.arguments))) - self._touched(i)
        if self.written:
            unread |= {k for k, a in enumerate(i.arguments) if self._writes_alone(i, a)}
        return unread

    def _touched(self, i: Call) -> frozenset[int]:
        effects = self.result.oracle.effects(i)
        if not effects.reads_other:
            return effects.reads | effects.captures
        if isinstance(i.callee, Function):
            return touched_parameters(i.callee)
        return frozenset(range(len(i.arguments)))

    def _writes_alone(self, i: Call, argument: Value) -> bool:
        """Is it constant memory that this call alone writes to? What it reads there itself, its own derivative sees."""
        if not argument.type.is_pointer or is_literal(argument):
            return False
        origins = self.result.oracle.underlying(argument)
        return bool(origins) and all(set(self.written.get(o, ())) == {i} for o in origins)

    def _backward_numeric(self, i: Call, known: KnownFunction) -> None:
        if not self._numeric_varied(i, known):
            return
        written = [i.arguments[k] for k in known.writes - known.integers]
        if i not in self.result.useful and not any(map(self._object_useful, written)):
            return
        for argument in i.arguments:
            if argument in self.result.varied:
                self._use(argument)
        for k in known.reads - known.integers:
            self._use_objects(i.arguments[k])

    def _object_useful(self, pointer: Value) -> bool:
        if is_literal(pointer):
            return False
        return any(o in self.result.useful_objects for o in self.result.oracle.underlying(pointer))

    def _use(self, value: Value) -> None:
        if value not in self.result.useful:
            self.result.useful.add(value)
            self.changed = True

    def _use_object(self, value: Value) -> None:
        if value not in self.result.useful_objects:
            self.result.useful_objects.add(value)
            self.changed = True

    def _use_objects(self, pointer: Value) -> None:
        if is_literal(pointer):
            return
        if pointer.type.is_aggregate:
            self._use_object(pointer)
            return
        pending, seen = [pointer], {pointer}
        while pending:
            for origin in self.result.oracle.underlying(pending.pop()):
                self._use_object(origin)
                if (
                    isinstance(origin, Load)
                    and origin in self.result.varied_objects
                    and origin.pointer not in seen
                ):
                    seen.add(origin.pointer)
                    pending.append(origin.pointer)


# A number that is told from others by a branch, an address or an integer has no derivative there.
_WITHOUT_DERIVATIVE = (
    *opcodes("debug records"),
    *"icmp fcmp fptosi fptoui ptrtoint ptrtoaddr inttoptr alloca fence".split(),
    *"br switch unreachable getelementptr addrspacecast".split(),
)
_REFUSED = dict.fromkeys(("va_arg", "indirectbr", *opcodes("exceptions")), "constructs")
_NUMBERS = opcodes("float arithmetic") | FLOAT_CASTS | {"sitofp", "uitofp"}
_MIXERS = MIXING - {"phi", "select"}

_Visit = Callable[[ActivitySolver, Instruction], None]

VARIED: Dispatch[_Visit] = Dispatch(
    "varied",
    "whether active inputs can influence it",
    INSTRUCTIONS,
    {
        "load": ActivitySolver._forward_load,
        "store": ActivitySolver._forward_store,
        **dict.fromkeys(("call", "invoke", "callbr"), ActivitySolver._forward_call),
        **dict.fromkeys(ATOMICS, ActivitySolver._forward_atomic),
        **dict.fromkeys(("phi", "select"), ActivitySolver._forward_choice),
        **dict.fromkeys(_MIXERS, ActivitySolver._forward_bits),
        **dict.fromkeys(_NUMBERS, ActivitySolver._forward_number),
        "bitcast": ActivitySolver._forward_bitcast,
        "ret": ActivitySolver._forward_ret,
    },
    ignored=_WITHOUT_DERIVATIVE,
    elsewhere=_REFUSED,
)

USEFUL: Dispatch[_Visit] = Dispatch(
    "useful",
    "whether it can influence active outputs",
    INSTRUCTIONS,
    {
        "load": ActivitySolver._backward_load,
        "store": ActivitySolver._backward_store,
        **dict.fromkeys(("call", "invoke", "callbr"), ActivitySolver._backward_call),
        **dict.fromkeys(ATOMICS, ActivitySolver._backward_atomic),
        **dict.fromkeys(("phi", "select"), ActivitySolver._backward_choice),
        **dict.fromkeys(_MIXERS | _NUMBERS | {"bitcast"}, ActivitySolver._backward_number),
        "ret": ActivitySolver._backward_ret,
    },
    ignored=_WITHOUT_DERIVATIVE,
    elsewhere=_REFUSED,
)
