"""Shadow pointers: every pointer to active memory gets a twin that points to the shadow memory.

Works on the function that is being differentiated, in place: behind each instruction that makes such a pointer,
the same instruction on shadows is inserted; what the primal does to integers and pointers in active memory is
done to the shadow too, so that a shadow has its primal's layout at all times.  Floats in shadow memory are the
business of the two modes.

Reference counts: a shadow object is retained and released where its primal is.  Each counted allocation is held
by the arena of the derivative call (see `helpers`) from the moment it is made: the reverse pass still reads it,
and a primal that raises does not release it.  In reverse mode, what the primal frees is handed to the arena.
Temporary objects whose end is known are `short_lived`'s.

A batch has several shadows of everything, its lanes; they differ in nothing but where they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from enzyme.engine.analysis.activity_result import ActivityResult, may_hold_pointer
from enzyme.engine.analysis.known_functions import CHECK_SHADOW, lookup_known
from enzyme.engine.analysis.typetree import ANYTHING, INTEGER, UNKNOWN
from enzyme.engine.derivatives.routines import linear_call
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.clone import clone_instruction
from enzyme.engine.ir.datalayout import DataLayout
from enzyme.engine.ir.dispatch import Dispatch, Refusal, Refused, Selection
from enzyme.engine.ir.instructions import Alloca, Call, Instruction, Load, Phi, Store
from enzyme.engine.ir.known_function import COUNTED, KnownFunction
from enzyme.engine.ir.module import Block, Function
from enzyme.engine.ir.opcodes import ATOMICS, INSTRUCTIONS, opcodes
from enzyme.engine.ir.types import I1, I8, I32, I64, PTR, VOID, FloatType, IntType, Type, VectorType
from enzyme.engine.ir.values import (
    Argument,
    ConstAggregate,
    ConstInt,
    GlobalValue,
    Value,
    is_literal,
    is_zero,
    zero_of,
)
from enzyme.engine.preprocess.lanes import lane_behind
from enzyme.engine.synthesis.arena import PLAIN
from enzyme.engine.synthesis.argument_references import ArgumentReferences
from enzyme.engine.synthesis.constant_shadows import ConstantShadows
from enzyme.engine.synthesis.counted_objects import (
    is_counted,
    is_holdable,
    is_sized,
    reference_change,
    releases_many,
    tag_of,
)
from enzyme.engine.synthesis.failures import (
    keeps_tapes,
    moved_as_integers,
    no_shadow,
    stores_addresses,
    tapes_twice,
    unsupported,
)
from enzyme.engine.synthesis.frame import Frame
from enzyme.engine.synthesis.helpers import helper
from enzyme.engine.synthesis.last_references import last_references
from enzyme.engine.synthesis.lost_addresses import COPIES, LostAddresses
from enzyme.engine.synthesis.records import Parts, arguments_for, in_order, parts_of
from enzyme.engine.synthesis.refusals import about, end_of_edge
from enzyme.engine.synthesis.scopes import Scopes, same_tag
from enzyme.engine.synthesis.shadow_uses import is_used
from enzyme.engine.synthesis.short_lived import ShortLived
from enzyme.errors import EnzymeNoDerivativeError

MIRRORED = Selection(
    "shadows",
    "the same instruction on shadows gives the shadow",
    "getelementptr bitcast addrspacecast select freeze extractvalue insertvalue"
    " extractelement insertelement shufflevector".split(),
)


# Functions of these kinds run once, on the primal's memory alone.
_UNMIRRORED = frozenset(("allocate", "inactive", "pure"))


# An optimiser must neither drop it nor think that it changes the program's memory.
_CHECKS = "nounwind memory(inaccessiblemem: readwrite)"

# Promised of the primal; see `Shadows.alignment`.
# What helpers for parts of records do to a part of one record.
_ONCE = {
    "enzyme.copy_apart": "llvm.memmove.p0.p0.i64",
    "enzyme.fill_apart": "llvm.memset.p0.i64",
}
_WIDE_ALIGN = re.compile(r"\balign (?:16|32|64|\d{3,})\b")
# LLVM writes a store of an aggregate out, member by member.
_STORED_AT_ONCE = 1024


class Shadows:
    """Inserts and answers for the shadow pointers of one function.

    `created` holds every instruction inserted here (none has an adjoint of its own), `replacements` those
    that took the place of primal ones; `twin` maps a shadow load to the primal load that it accompanies,
    `lane_of` what accesses shadow memory to its lane;
    `held` are the counted allocations that the arena holds; `fallible` gives null, or a negative status, where
    memory is short, with the objects made before that nobody could give back then. Questions and answers are
    about `lane`, which `each_lane` goes through.
    """

    def __init__(
        self,
        function: Function,
        activity: ActivityResult,
        arguments: list[dict[Value, Value]],
        reverse: bool,
        visit_call: Callable[[Call, Builder], bool],
        hold: Callable[[Builder, Value, Value], None],
        adopt: Callable[[Builder, Value], None],
        allocate: Callable[[Builder, Value], Value],
        counter: Callable[[Argument], Value] | None,
        short_lived: ShortLived | None = None,
        let_go: Callable[[Builder, Value], None] | None = None,
        checked: bool = False,
    ) -> None:
        """`arguments`: shadows of the parameters, in each lane. `hold` makes the arena owner of an object, `adopt` of
        all that another arena owns, `allocate` asks it for memory; `let_go`, if given, releases an object that the
        arena need not hold if nobody else does. `checked`: see `check_shadows` of a request."""
        self.function = function
        self.activity = activity
        self.reverse = reverse
        self.visit_call = visit_call
        self.hold = hold
        self.adopt = adopt
        self.allocate = allocate
        self.let_go = let_go
        self.checked = checked
        self.short_lived = short_lived or ShortLived({}, {}, _no_frame)
        self.references = ArgumentReferences(function, activity.oracle, counter)
        self.lanes: list[dict[Value, Value]] = [dict(lane) for lane in arguments]
        self.lane = 0
        self.created: set[Instruction] = set()
        self.twin: dict[Instruction, Load] = {}
        self.lane_of: dict[Instruction, int] = {}
        self.held: set[Instruction] = set()
        self.fallible: dict[Instruction, tuple[Value, ...]] = {}
        self.replacements: set[Instruction] = set()
        self._outliving: set[Call] = set()
        self._holdable: set[Call] = set()
        self._last: set[Call] = set()
        self._phis: list[tuple[int, Phi, Phi]] = []
        self._b = Builder()
        self._lost = LostAddresses(activity)
        assert function.module is not None
        self._layout = DataLayout.of(function.module)
        self._constants = ConstantShadows(
            function, self._layout, allocate if reverse else None, self.created, self.fallible
        )

    @property
    def width(self) -> int:
        """How many lanes there are."""
        return len(self.lanes)

    def each_lane(self) -> Iterator[int]:
        """Go through the lanes; afterwards the first is spoken of again."""
        for lane in range(self.width):
            self.lane = lane
            yield lane
        self.lane = 0

    @property
    def shadow(self) -> dict[Value, Value]:
        """The shadows of the present lane."""
        return self.lanes[self.lane]

    def all_of(self, value: Value) -> list[Value]:
        """The shadows of a pointer, lane by lane."""
        return [self.of(value) for _ in self.each_lane()]

    def alignment(self, type_: Type, align: int) -> int:
        """How the shadow of what is aligned like this is aligned.

        A boundary that a program finds in its own memory, or promises, need not be one of the shadow's.
        """
        single = self._layout.abi_align(type_.scalar)
        return min(align or single, single)

    def has(self, pointer: Value) -> bool:
        return pointer in self.shadow or self.activity.has_shadow(pointer)

    def of(self, value: Value) -> Value:
        """The shadow of a pointer, or of an aggregate that holds pointers."""
        found = self.shadow.get(value)
        if found is not None:
            return found
        if _holds_no_address(value) or self._points_to_no_float(value):
            return value
        zeros = self._constants.of(value, self.lane)
        if zeros is None:
            raise no_shadow(self.function, value)
        return zeros

    def insert(self, blocks: Iterable[Block], failing: Iterable[Block]) -> None:
        """Add shadows to the given blocks, which come in reverse postorder.

        Blocks that lead to a failure only need to count the references to arguments.
        """
        blocks, failing = list(blocks), list(failing)
        outlives = self.activity.oracle.outlives
        calls = [i for b in blocks for i in b.instructions if isinstance(i, Call)]
        self._outliving = {i for i in calls if is_counted(i) and outlives(i)}
        self._holdable = {i for i in calls if is_holdable(i)}
        if self.reverse:
            releases = (i for i in calls if reference_change(i) < 0 and self.has(i.arguments[0]))
            doubtful = (i for i in releases if not self._is_surely_held(i))
            self._last = last_references(self.function, doubtful, reference_change)
        for i in [i for b in (*blocks, *failing) for i in b.instructions]:
            known = lookup_known(i) if isinstance(i, Call) else None
            if (
                known is not None and known.kind == "release_owned"
            ):  # this derivative's arena uses force
                i.set_operand(1, ConstInt(I1, 0))
        for block in blocks:
            original = block.instructions
            block.instructions = []
            program = set(original)
            for instruction in original:
                before = len(block.instructions)
                block.instructions.append(instruction)
                self._b.at_end(block)
                with about(instruction):
                    self._visit(instruction)
                made = block.instructions[before:]
                # A call may have been replaced by its augmented form, or taken out altogether; what was put further up
                # moved the program's own down.
                self.created.update(
                    i for i in made if i not in program and i not in self.replacements
                )
        for block in failing:
            self._count_references(block)
        for lane, phi, shadow in self._phis:
            self.lane = lane
            for value, block in phi.incoming:
                with about(end_of_edge(block, phi)):
                    shadow.add_incoming(self.of(value), block)
        self.lane = 0

    def tag(self, scopes: Scopes) -> None:
        """Put every access to memory into its alias scope."""
        for instruction in self.function.instructions():
            if instruction in self.created:
                twin = self.twin.get(instruction)
                pointer = None if twin is None else twin.pointer
                scopes.shadow(instruction, self.lane_of.get(instruction, 0), pointer)
                if twin is not None and not self.reverse and isinstance(instruction, (Load, Store)):
                    same_tag(instruction, twin)
            elif isinstance(instruction, (Load, Store)):
                scopes.primal(instruction, instruction.pointer)

    def _points_to_no_float(self, value: Value) -> bool:
        if isinstance(value, Function):
            return True
        tree = self.activity.types.of(value)
        return not any(
            kind.is_float or kind.text in ("Unknown", "Anything")
            for path, kind in tree
            if len(path) > 1
        ) and (isinstance(value, GlobalValue) or any(len(path) > 1 for path, _ in tree))

    def _visit(self, i: Instruction) -> None:
        self._lost.check(i)
        handler = SHADOWS.handlers[i.opcode]
        if handler is not None:
            handler(self, i)
        elif i.opcode in SHADOWS.refusals and self.is_shadowed(i):
            raise unsupported(i, SHADOWS.refusals[i.opcode].what)

    def _bitcast(self, i: Instruction) -> None:
        if isinstance(i.type.scalar, FloatType) and i.operands[0] in self.activity.packed:
            raise unsupported(
                i,
                "a float unpacked from an integer",
                "the bits of an active float were mixed with others",
            )
        self._each(i, self._mirrored)

    def _each(self, i: Instruction, make: Callable[[Instruction], Instruction]) -> None:
        """The shadows of a new pointer, lane by lane, if it has some."""
        if self.is_shadowed(i):
            for _ in self.each_lane():
                self.shadow[i] = make(i)

    def _made_phi(self, i: Instruction) -> Instruction:
        assert isinstance(i, Phi)
        shadow = Phi(i.type, (), f"{i.name}.d")
        self._phis.append((self.lane, i, shadow))
        return self._b.add(shadow)

    def _made_alloca(self, i: Instruction) -> Instruction:
        assert isinstance(i, Alloca)
        made = self._b.add(clone_instruction(i, {}))
        made.name = f"{i.name}.d"
        size = self._layout.size_of(i.allocated_type)
        if i.operands:  # so many of them: an array of variable length
            count = self._b.as_count(i.operands[0])
            self._clear(made, self._b.imul(count, ConstInt(I64, size)))
        elif size <= _STORED_AT_ONCE:
            self.lane_of[self._b.store(zero_of(i.allocated_type), made)] = self.lane
        else:
            self._clear(made, ConstInt(I64, size))
        return made

    def _loaded(self, i: Instruction) -> Instruction:
        assert isinstance(i, Load)
        pattern = self.short_lived.data_pattern(self._b, i, self.lane)
        if pattern is not None:
            return pattern
        align = self.alignment(i.type, i.align)
        load = Load(i.type, self.of(i.pointer), align, f"{i.name}.d", i.flags, i.suffix)
        self.twin[load] = i
        self.lane_of[load] = self.lane
        return self._b.add(load)

    def _mirrored(self, i: Instruction) -> Instruction:
        operands = {o: self.of(o) for o in i.operands if may_hold_pointer(o.type)}
        made = self._b.add(clone_instruction(i, dict(operands)))
        made.name = f"{i.name}.d"
        return made

    def _phi(self, i: Instruction) -> None:
        self._each(i, self._made_phi)

    def _alloca(self, i: Instruction) -> None:
        self._each(i, self._made_alloca)

    def _load(self, i: Instruction) -> None:
        self._each(i, self._loaded)
        if self.checked and i.type.scalar is PTR and i in self.shadow and is_used(i, self.activity):
            for shadow in self.all_of(i):
                self._check(i, shadow)

    def _check(self, pointer: Value, shadow: Value) -> None:
        """Let the program end where a pointer that was read has no shadow."""
        b = self._b
        if not isinstance(pointer.type, VectorType):
            b.call_named(CHECK_SHADOW, VOID, [pointer, shadow], declaration_suffix=_CHECKS)
            return
        for k in range(pointer.type.count):
            lane = (ConstInt(I64, k),)
            parts = [Instruction("extractelement", PTR, (v, *lane)) for v in (pointer, shadow)]
            given = [b.add(part) for part in parts]
            b.call_named(CHECK_SHADOW, VOID, given, declaration_suffix=_CHECKS)

    def _step(self, i: Instruction) -> None:
        self._each(i, self._mirrored)

    def is_shadowed(self, i: Instruction) -> bool:
        """Is this a pointer, or does it hold some, and needs a shadow?"""
        if not may_hold_pointer(i.type):
            return False
        if i.type.is_aggregate:
            return self.activity.is_active_object(i)
        return self.activity.has_shadow(i)

    def _store(self, i: Instruction) -> None:
        assert isinstance(i, Store)
        for _ in self.each_lane() if self.has(i.pointer) else ():
            self._store_lane(i)

    def _store_lane(self, i: Store) -> None:
        value = i.value
        if value in self.activity.packed and not self.activity.stores_integers(i):
            raise moved_as_integers(i)
        if self.activity.stores_float(i) and not may_hold_pointer(value.type):
            if any(kind is ANYTHING for _, kind in self.activity.types.accessed(i)):
                self._check_reused(i, i.pointer)
            return
        if self.activity.carries_float(value):
            raise unsupported(i, "one store of floats and pointers together")
        if self.reverse and self.activity.types.floats_too(i):
            self._check_reused(i, i.pointer)
            if not may_hold_pointer(value.type):
                return
        shadow = value
        if may_hold_pointer(value.type):
            if self._points_to_item(value):
                raise unsupported(
                    i,
                    "the address of an item of a typed list or dictionary that is kept in memory",
                    "the items may have moved when the reverse pass reads them",
                )
            lost = self.activity.is_discarded(i.pointer) and not self.has(value)
            shadow = self._without_bits(i, zero_of(value.type) if lost else self.of(value))
        elif isinstance(value, Load) and self.has(value.pointer) and self._may_be_address(i):
            beside = Builder()
            beside.behind(value)
            shadow = beside.load(value.type, self.of(value.pointer), align=value.align)
            self.lane_of[shadow] = self.lane
            self.twin[shadow] = value
            self.created.add(shadow)
        else:
            shadow = self._without_floats(i)
        align = self.alignment(value.type, i.align)
        made = self._b.store(shadow, self.of(i.pointer), align)
        self.lane_of[made] = self.lane
        if not self.reverse:
            same_tag(made, i)

    def _without_bits(self, i: Store, shadow: Value) -> Value:
        """The shadow of addresses that are stored, without the bits of constant floats that LLVM made pointers of."""
        type_ = i.value.type
        if not type_.scalar.is_pointer or is_zero(shadow):
            return shadow
        size = self._layout.size_of(type_.scalar)
        accessed = self.activity.types.accessed(i)
        for lane in sorted({place // size for place, kind in accessed if kind.is_float}):
            if not is_literal(lane_behind(i.value, lane)):
                if self.reverse:
                    raise unsupported(i, "one store of floats and pointers together")
            elif isinstance(type_, VectorType):
                operands = [shadow, zero_of(type_.element), ConstInt(I32, lane)]
                shadow = self._b.add(Instruction("insertelement", type_, operands))
            else:
                shadow = zero_of(type_)
        return shadow

    def _without_floats(self, i: Store) -> Value:
        """What is constant, but for the bits of floats: these have no derivative."""
        value, type_ = i.value, i.value.type
        if not isinstance(type_.scalar, IntType) or type_.scalar.bits % 8:
            return value
        bits, count = type_.scalar.bits, getattr(type_, "count", 1)
        kept = bytearray(b"\xff" * (bits // 8 * count))
        for place, kind in self.activity.types.accessed(i):
            if kind.is_float:
                kept[place : place + kind.size] = bytes(len(kept[place : place + kind.size]))
        if all(kept):
            return value
        if self._may_hold_bits(value):
            raise moved_as_integers(i)
        lanes = [
            ConstInt(type_.scalar, int.from_bytes(kept[k : k + bits // 8], "little"))
            for k in range(0, len(kept), bits // 8)
        ]
        mask = ConstAggregate(type_, lanes) if isinstance(type_, VectorType) else lanes[0]
        return self._b.and_(value, mask)

    def _may_hold_bits(self, value: Value) -> bool:
        """Is this integer computed of one that was loaded where active floats may be?"""
        pending, seen = [value], {value}
        while pending:
            value = pending.pop()
            if isinstance(value, Load):
                kinds = self.activity.types.accessed(value)
                if self.has(value.pointer) and any(kind.is_float for _, kind in kinds):
                    return True
            elif isinstance(value, Instruction) and isinstance(value.type.scalar, IntType):
                more = [o for o in value.operands if o not in seen and not o.type.is_pointer]
                seen.update(more)
                pending += more
        return False

    def _may_be_address(self, i: Store) -> bool:
        """Are these bytes as many as an address has, and nothing says what they are? Then the shadow's are moved, too:
        of numbers that are no floats it has the same."""
        kinds = self.activity.types.accessed(i)
        return i.value.type is I64 and all(kind is UNKNOWN for _, kind in kinds)

    def _check_reused(self, i: Instruction, pointer: Value) -> None:
        """An integer or an address is stored where floats are, in other objects or at another time.

        The shadow is left alone where integers are stored, and has no address any more when the reverse pass has come
        to the store of one: adjoints find the zeros that they begin with, whichever it is. But what the caller looks
        at afterwards the shadow must hold.
        """
        origins = self.activity.oracle.underlying(pointer)
        if self.activity.is_entry and any(isinstance(o, Argument) for o in origins):
            raise unsupported(
                i,
                "an integer or address that is stored in an argument where floats are in other objects",
                "the same pointers lead to both, and the shadow would not be kept up",
                "copy the argument, and change the copy",
            )

    def _atomic(self, i: Instruction) -> None:
        """Counters in memory with derivatives are counted in the shadow too; floats and addresses are refused."""
        pointer, value = i.operands[:2]
        if not self.has(pointer):
            return
        bits = value.type.bits if isinstance(value.type, IntType) else 0
        kinds = self.activity.types.memory_kinds(pointer, bits // 8)
        if any(kind is not INTEGER for _, kind in kinds):
            raise unsupported(
                i,
                f"an atomic operation ('{i.opcode}') on memory with derivatives",
                "it reads and writes active data, or data of a type that is not known, in one step",
                "use a load and a store where a single thread works on this memory",
            )
        for _ in self.each_lane():
            made = self._mirror(i, {pointer: self.of(pointer)})
            self.lane_of[made] = self.lane

    def _check_addresses(self, i: Call, known: KnownFunction) -> None:
        """What a function stores in memory with a shadow must not be addresses: their memory has no shadow.

        Where a mark says that nothing of a function is differentiated, that is the caller's to know.
        """
        if isinstance(i.callee, Function) and i.callee.known is not None:
            return
        for index in sorted(known.writes - known.integers):
            if index >= len(i.arguments) or not self.has(i.arguments[index]):
                continue
            kinds = {kind for _, kind in self.activity.types.memory_kinds(i.arguments[index], -1)}
            if not kinds <= {INTEGER}:
                raise stores_addresses(i)

    def _points_to_item(self, value: Value) -> bool:
        pending, visited = [value], {value}
        while pending:
            pointer = pending.pop()
            known = lookup_known(pointer) if isinstance(pointer, Call) else None
            if known is not None and known.kind == "items":
                return True
            if isinstance(pointer, Phi) or (
                isinstance(pointer, Instruction) and pointer.opcode in MIRRORED
            ):
                more = [o for o in pointer.operands if o not in visited]
                visited.update(more)
                pending.extend(more)
        return False

    def _call(self, i: Instruction) -> None:
        assert isinstance(i, Call)
        name = i.callee_name
        if name.startswith((*COPIES, "llvm.memset")):
            self._check_several(i)
        if name.startswith(COPIES):
            if self.has(i.arguments[0]):
                for _ in self.each_lane():
                    self._mirror_copy(i)
            return
        if name.startswith("llvm.memset"):
            target, value, length = i.arguments[:3]
            if self.has(target):
                found = parts_of(self.activity.types, target, length)
                for _ in self.each_lane():
                    if found.is_several:  # with zeros: right for all
                        self._mirror(i, {target: self.of(target)})
                        continue
                    self._mirror_parts(i, found, [self.of(target)], "enzyme.fill_apart", [value])
            return
        known = lookup_known(i)
        if known is not None and known.kind in _UNMIRRORED:
            self._check_addresses(i, known)
        if known is not None and linear_call(i) is not None:
            self.visit_call(i, self._b)
        elif known is None:
            if keeps_tapes(i) and any(
                self.has(a) or self.activity.is_active(a) for a in i.arguments
            ):
                raise tapes_twice(i)
            if not self.visit_call(i, self._b):
                self._lost.check_result(i)
                if self.is_shadowed(i):
                    raise unsupported(
                        i, f"call of '{name}', which returns a pointer to memory with derivatives"
                    )
        elif known.kind in _BY_KIND:
            _BY_KIND[known.kind](self, i, known)

    def _pure(self, i: Call, known: KnownFunction) -> None:
        self._lost.check_result(i)

    def _retain_or_release(self, i: Call, known: KnownFunction) -> None:
        pointer = i.arguments[0]
        if known.kind == "release" and self.let_go is not None and self._may_be_held(pointer):
            self._leave_out()
            self.references.count(self._b, pointer, ConstInt(I64, -1))
            for object_ in (pointer, *(self.all_of(pointer) if self.has(pointer) else ())):
                self.let_go(self._b, object_)
            return
        change = ConstInt(I64, 1 if known.kind == "retain" else -1)
        self.references.count(self._b, pointer, change)
        if self.has(pointer) and pointer not in self.short_lived.in_reverse:
            for _ in self.each_lane():
                if i in self._last:
                    self.hold(self._b, self.of(pointer), ConstInt(I64, 0))
                self._mirror(i, {pointer: self.of(pointer)})

    def _release_many(self, i: Call, known: KnownFunction) -> None:
        self.references.count(self._b, i.arguments[0], negative(self._b, i.arguments[1]))
        self._mirror_with(i, i.arguments[0])

    def _change_items(self, i: Call, known: KnownFunction) -> None:
        owner = i.arguments[0]
        if self.has(owner):
            for _ in self.each_lane():
                made = self._mirror(i, {owner: self.of(owner)})
                if known.kind == "items":
                    self.shadow[i] = made
                elif isinstance(made.type, IntType):
                    self.fallible[made] = ()

    def _hold(self, i: Call, known: KnownFunction) -> None:
        self._mirror_with(i, i.arguments[1])

    def _mirror_with(self, i: Call, pointer: Value) -> None:
        """Do the same to the shadow of this operand, where it has one."""
        if self.has(pointer):
            for _ in self.each_lane():
                self._mirror(i, {pointer: self.of(pointer)})

    def _release_owned(self, i: Call, known: KnownFunction) -> None:
        if self.reverse:
            self._leave_out()
            self.adopt(self._b, i.arguments[0])

    def _leave_out(self) -> None:
        """The primal's instruction, which came last, is not done."""
        assert self._b.block is not None
        self._b.block.instructions.pop()

    def _key(self, i: Call, known: KnownFunction) -> None:
        if any(a in self.activity.varied for a in i.arguments):
            raise unsupported(
                i,
                "a dictionary key that depends on what is differentiated",
                "keys are found and compared, and have no derivative",
                "use an integer or a string as the key",
                "or say that the key is a constant: ignore_derivatives(key)",
            )

    def _reallocate(self, i: Call, known: KnownFunction) -> None:
        if any(
            a.type.is_pointer and self.has(a) for a in i.arguments
        ) or self.activity.is_active_object(i):
            raise unsupported(
                i,
                f"memory that changes its size ('{i.callee_name}')",
                "a growing list holds active values",
            )

    def _check_several(self, i: Call) -> None:
        """What bytes are must be known where they are moved or filled; tags tell of single accesses only.

        Zeros are zeros, whatever stands there, and clear its derivative.
        """
        length = i.arguments[2]
        for pointer in [a for a in i.arguments[:2] if a.type.is_pointer and self.has(a)]:
            if parts_of(self.activity.types, pointer, length).is_several:
                if is_zero(i.arguments[1]):
                    self._check_reused(i, pointer)
                    continue
                raise unsupported(
                    i,
                    "bytes that are copied or filled",
                    "they are floats in one object and something else in another that the same pointers lead to",
                    "copy the members one by one",
                )

    def _is_surely_held(self, release: Call) -> bool:
        """Is the object one that the arena holds, or an argument?"""
        return all(
            o in self._holdable or isinstance(o, Argument)
            for o in self.activity.oracle.underlying(release.arguments[0])
        )

    def _may_be_held(self, pointer: Value) -> bool:
        """May it be an object that the arena holds?"""
        return any(o in self._holdable for o in self.activity.oracle.underlying(pointer))

    def _count_references(self, block: Block) -> None:
        """In a block that leads to a failure: what is not an argument will be released by force."""
        for i in list(block.instructions):
            single = reference_change(i)
            if not single and not releases_many(i):
                continue
            self._b.before(i)
            before = set(block.instructions)
            change = ConstInt(I64, single) if single else negative(self._b, i.operands[1])
            for argument, same in self.references.count(self._b, i.operands[0], change):
                for shadow in self.all_of(argument) if self.has(argument) else ():
                    if same is not None:
                        shadow = self._b.select(same, shadow, zero_of(PTR))
                    self._mirror(i, {i.operands[0]: shadow})
            self.created.update(new for new in block.instructions if new not in before)

    def _mirror(self, i: Instruction, operands: dict[Value, Value]) -> Instruction:
        made = self._b.add(clone_instruction(i, dict(operands)))
        if made.name:
            made.name = f"{made.name}.d"
        if isinstance(made, Call):
            made.arg_attributes = [_WIDE_ALIGN.sub("", a) for a in made.arg_attributes]
        return made

    def _mirror_copy(self, i: Call) -> None:
        """Copy what is not a float; in forward mode the tangents are copied too."""
        target, source, length = i.arguments[:3]
        if not self.reverse:
            if self.has(source) and not self._copies_constants(i):
                self._mirror(i, {target: self.of(target), source: self.of(source)})
            else:
                shadow = self.of(target)
                self._clear(shadow, self._b.as_count(length))
            return
        if self.has(source):
            found = parts_of(
                self.activity.types, source, length, overlaps="memmove" in i.callee_name
            )
            if not found.has_kinds:
                found = parts_of(
                    self.activity.types, target, length, overlaps="memmove" in i.callee_name
                )
            pointers = [self.of(target), self.of(source)]
            self._mirror_parts(i, found, pointers, "enzyme.copy_apart", [])

    def _copies_constants(self, i: Call) -> bool:
        """Are these numbers whose derivatives end here?"""
        if not self.activity.copies_constants(i):
            return False
        found = parts_of(
            self.activity.types, *i.arguments[1:3], overlaps="memmove" in i.callee_name
        )
        if found.others and not found.float_types:
            return False
        if found.others:
            raise unsupported(
                i,
                "a copy of numbers beside integers or addresses, in an inactive function",
                "derivatives end there, and the rest of the copy does not",
                "copy numbers alone",
            )
        return True

    def _mirror_parts(
        self, i: Call, found: Parts, pointers: list[Value], helped: str, extra: list[Value]
    ) -> None:
        """Do to the integers and pointers of shadows what a copy or a fill does to those of the primal."""
        if not found.others:
            return
        if not found.is_mixed:
            self._mirror(i, dict(zip(i.arguments[: len(pointers)], pointers, strict=True)))
            return
        b = self._b
        for part, turn in in_order(b, found, found.others, pointers, upwards=True):
            arguments = arguments_for(b, pointers, i.arguments[2], found.period, part, turn)
            size = ConstInt(I64, part.size)
            *places, count, _ = arguments
            if isinstance(count, ConstInt) and count.value == 1:  # whose type a loop would hide
                given = [*places, *extra, size, ConstInt(I1, 0)]
                b.call_named(_ONCE[helped], VOID, given)
                continue
            b.call(helper(b.module, helped), [*arguments, *extra, size])

    def _allocation(self, i: Call, known: KnownFunction) -> None:
        b = self._b
        if not is_sized(known):
            if self.activity.is_active_object(i):
                what = (
                    "a growing list of active values"
                    if known.movable_data
                    else f"memory allocated by '{i.callee_name}'"
                )
                raise unsupported(
                    i, what, "only arrays carry derivatives so far", "use an array of fixed size"
                )
            return
        counted = known.returns == COUNTED
        tag = ConstInt(I64, 0 if i in self._outliving else tag_of(i))
        if counted:
            self.held.add(i)
            if i not in self.short_lived.lives:
                self.hold(b, i, tag)
        if i in self.short_lived.in_reverse:
            for lane in self.each_lane():
                self.shadow[i] = self.short_lived.pattern(b, i, lane)
        elif self.activity.is_active_object(i):
            escapes = counted and i in self._outliving
            made: list[Value] = [i] if escapes else []
            for _ in self.each_lane():
                shadow = self._shadow_allocation(i, known)
                self.fallible[shadow] = tuple(made)
                if counted:
                    self.hold(b, shadow, tag)
                if escapes:
                    made.append(shadow)

    def hold_behind(self, allocation: Call) -> None:
        """Have the arena hold a short-lived object, which the reverse pass reads."""
        b = Builder()
        b.behind(allocation)
        self.hold(b, allocation, ConstInt(I64, tag_of(allocation)))

    def _shadow_allocation(self, i: Call, known: KnownFunction) -> Instruction:
        """Memory filled with zeros, in one lane."""
        shadow, data = allocate_zeros(self._b, i, known, {})
        self.shadow[i] = shadow
        if data is not None:
            self.lane_of[data] = self.lane
        return shadow

    def _clear(self, pointer: Value, size: Value) -> None:
        clear(self._b, pointer, size)

    def _free(self, i: Call, known: KnownFunction) -> None:
        """In reverse mode memory is freed when the reverse pass is over: the arena gets it instead."""
        pointer = i.arguments[min(known.writes, default=0)]
        shadows = self.all_of(pointer) if self.has(pointer) else []
        if not self.reverse:
            for shadow in shadows:
                self._mirror(i, {pointer: shadow})
            return
        self._leave_out()
        for memory in dict.fromkeys((pointer, *shadows)):
            self.hold(self._b, memory, ConstInt(I64, PLAIN))


# What is done about functions of the run time; those of other kinds do nothing to shadows.
_BY_KIND: dict[str, Callable[[Shadows, Call, KnownFunction], None]] = {
    "pure": Shadows._pure,
    "allocate": Shadows._allocation,
    **dict.fromkeys(("retain", "release"), Shadows._retain_or_release),
    "release_many": Shadows._release_many,
    **dict.fromkeys(("items", "resize", "insert"), Shadows._change_items),
    "hold": Shadows._hold,
    "release_owned": Shadows._release_owned,
    "key": Shadows._key,
    "free": Shadows._free,
    "reallocate": Shadows._reallocate,
}


def negative(b: Builder, count: Value) -> Value:
    """Minus an integer."""
    return b.isub(ConstInt(I64, 0), count)


def allocate_zeros(
    b: Builder, i: Call, known: KnownFunction, operands: dict[Value, Value]
) -> tuple[Instruction, Instruction | None]:
    """An object like the one that `i` makes, filled with zeros; the load of the address of its data is told, too."""
    made = b.add(clone_instruction(i, dict(operands)))
    assert isinstance(made, Call)
    made.name = f"{i.name}.d"
    made.arg_attributes = [_WIDE_ALIGN.sub("", a) for a in made.arg_attributes]
    data: Instruction | None = None
    if known.data_offset is not None:
        data = b.load(PTR, b.byte_offset(made, known.data_offset), f"{i.name}.data.d")
    if not known.zero_filled and known.size_operand is not None:
        size: Value = b.as_count(made.arguments[known.size_operand])
        if known.count_operand is not None:
            size = b.imul(size, b.as_count(made.arguments[known.count_operand]))
        clear(b, made if data is None else data, size)
    return made, data


def clear(b: Builder, pointer: Value, size: Value) -> None:
    """Fill memory with zeros."""
    arguments = [pointer, ConstInt(I8, 0), size, ConstInt(I1, 0)]
    b.call_named("llvm.memset.p0.i64", VOID, arguments)


def _no_frame() -> Frame:
    raise AssertionError("nothing is short-lived")


_NOT_FOLLOWED = Refused(
    EnzymeNoDerivativeError, "pointer made by 'inttoptr' to memory with derivatives"
)
_FLOATS = "of the bits of an active float that were mixed"

SHADOWS: Dispatch[Callable[[Shadows, Instruction], None]] = Dispatch(
    "shadows",
    "the shadow of the pointer that it makes; what it does to the memory of shadows",
    INSTRUCTIONS,
    {
        **dict.fromkeys(MIRRORED - {"bitcast"}, Shadows._step),
        **dict.fromkeys(
            ATOMICS,
            Refusal(Shadows._atomic, EnzymeNoDerivativeError, "on floats and addresses"),
        ),
        "bitcast": Refusal(Shadows._bitcast, EnzymeNoDerivativeError, _FLOATS),
        "phi": Shadows._phi,
        "alloca": Shadows._alloca,
        "load": Shadows._load,
        "store": Refusal(Shadows._store, EnzymeNoDerivativeError, _FLOATS),
        "call": Refusal(Shadows._call, EnzymeNoDerivativeError, "if it is not known"),
    },
    ignored=(
        *opcodes("integer arithmetic", "float arithmetic", "debug records"),
        *opcodes("casts") - MIRRORED - {"inttoptr"},
        *"icmp fcmp fence ret br switch unreachable".split(),
    ),
    refused={"inttoptr": _NOT_FOLLOWED},
    elsewhere=dict.fromkeys(
        ("invoke", "callbr", "indirectbr", "va_arg", *opcodes("exceptions")), "constructs"
    ),
)

MADE_OF_OTHERS = Selection(
    "shadows",
    "it holds no address if its operands hold none",
    ("insertvalue", "phi", "select"),
)


def _holds_no_address(value: Value) -> bool:
    """Is it a literal, an aggregate whose pointers are literals, or chosen from such?"""
    pending, seen = [value], {value}
    while pending:
        value = pending.pop()
        if is_literal(value) or not may_hold_pointer(value.type):
            continue
        if not isinstance(value, Instruction) or value.opcode not in MADE_OF_OTHERS:
            return False
        more = value.operands[1:] if value.opcode == "select" else value.operands
        pending += [v for v in more if v not in seen]
        seen.update(more)
    return True
