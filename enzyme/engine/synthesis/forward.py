"""Forward mode: each active instruction is followed by its tangent; control flow stays the primal's."""

from __future__ import annotations

from collections.abc import Callable

from enzyme.engine.analysis.activity_result import ActivityResult, may_hold_pointer
from enzyme.engine.analysis.kinds import Activity
from enzyme.engine.analysis.known_functions import lookup_known
from enzyme.engine.derivatives.catalogue import row_for_call
from enzyme.engine.derivatives.operands import Operands
from enzyme.engine.derivatives.routines import linear_call
from enzyme.engine.derivatives.table import Row, row_for_instruction
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.clone import clone_instruction
from enzyme.engine.ir.datalayout import DataLayout
from enzyme.engine.ir.dispatch import Dispatch, Refusal
from enzyme.engine.ir.edit import take_return
from enzyme.engine.ir.fast_math import as_free_as
from enzyme.engine.ir.instructions import Aggregate, Call, Instruction, Load, Phi, Store
from enzyme.engine.ir.module import Block, Function, defined_callee
from enzyme.engine.ir.opcodes import FLOAT_CASTS, INSTRUCTIONS, opcodes
from enzyme.engine.ir.types import (
    I1,
    I8,
    VOID,
    FloatType,
    IntType,
    StructType,
    Type,
)
from enzyme.engine.ir.values import Argument, ConstInt, Value, zero_of
from enzyme.engine.preprocess.whole_values import leaves
from enzyme.engine.synthesis.adjoints import add_leaves, float_type_of_bits, zero_beside
from enzyme.engine.synthesis.failures import unknown_call, unsupported
from enzyme.engine.synthesis.guards import Guards
from enzyme.engine.synthesis.helpers import helper
from enzyme.engine.synthesis.linear import emit_tangent
from enzyme.engine.synthesis.nan_checks import NanChecks, discarded
from enzyme.engine.synthesis.numbers import (
    AS_ANOTHER,
    IN_MEMBERS,
    ON_BITS,
    REFUSED_BEFORE,
    WITHOUT_NUMBERS,
    check_members,
    on_bits,
)
from enzyme.engine.synthesis.prepare import CanonicalFunction
from enzyme.engine.synthesis.records import arguments_for, parts_of
from enzyme.engine.synthesis.refusals import about
from enzyme.engine.synthesis.scopes import Scopes, same_tag
from enzyme.engine.synthesis.shadows import Shadows
from enzyme.errors import EnzymeNoDerivativeError


class ForwardSynthesis:
    """Turns a prepared function, with shadow pointers inserted, into its forward-mode derivative.

    `derive(call, callee, activities, returns)` gives the forward derivative of a function of the module. There is a
    tangent of everything in each lane of the shadows. `told` are the flags of callees that ran out of memory.
    """

    def __init__(
        self,
        prepared: CanonicalFunction,
        activity: ActivityResult,
        shadows: Shadows,
        scopes: Scopes,
        tangents: list[dict[Value, Value]],
        derive: Callable[[Call, Function, tuple[Activity, ...], bool], Function],
        guards: Guards,
        checks: NanChecks | None = None,
    ) -> None:
        self.p = prepared
        self.activity = activity
        self.shadows = shadows
        self.scopes = scopes
        self.tangents = [dict(lane) for lane in tangents]
        self.derive = derive
        self.guards = guards
        self.checks = checks
        self.b = Builder()
        self.told: list[Instruction] = []
        self._phis: list[tuple[int, Phi, Phi]] = []

    def run(self) -> None:
        unseen = set()
        if self.checks is not None:
            unseen = discarded(i for block in self.p.blocks for i in block.instructions)
        for block in self.p.blocks:
            original = block.instructions
            block.instructions = []
            for instruction in original:
                block.instructions.append(instruction)
                if instruction not in self.shadows.created:
                    self.b.at_end(block)
                    with about(instruction):
                        self._visit(instruction)
                        if self.checks is not None and instruction not in unseen:
                            self._check(self.checks, instruction)
        for lane, phi, tangent in self._phis:
            self.shadows.lane = lane
            for value, block in phi.incoming:
                tangent.add_incoming(self.of(value), block)
        self.shadows.lane = 0

    def _check(self, checks: NanChecks, i: Instruction) -> None:
        if i.type.is_pointer or i.opcode == "phi":
            return
        for lane in self.tangents:
            if i in lane:
                checks.check(self.b, lane[i], i, adjoint=False)

    @property
    def tangent(self) -> dict[Value, Value]:
        """The tangents of the present lane."""
        return self.tangents[self.shadows.lane]

    def of(self, value: Value) -> Value:
        """The tangent of a number; a zero constant for what is not active."""
        found = self.tangent.get(value)
        return zero_of(self.type_of(value)) if found is None else found

    def type_of(self, value: Value) -> Type:
        return (
            float_type_of_bits(value.type.bits) if isinstance(value.type, IntType) else value.type
        )

    def return_values(
        self,
        returns_tangent: bool,
        return_primal: bool,
        type_: Type,
        tells_failure: bool,
        release: Callable[[Builder, bool], None],
        checks: NanChecks | None = None,
    ) -> None:
        """Let every `ret` release what the call holds and return the struct `type_`, at its end no shortage of memory
        if it `tells_failure` of that. `checks`, of the outermost function, may change the status that is returned."""
        for block in self.p.function.blocks:
            if not block.is_terminated or block.terminator.opcode != "ret":
                continue
            value = take_return(block)
            b = Builder(block)
            release(b, block in self.p.cold)
            results: list[Value] = []
            if value is not None and return_primal:
                results.append(value if checks is None else checks.status(b, value))
            if value is not None and returns_tangent:
                carries = value.type.is_pointer or (tells_failure and may_hold_pointer(value.type))
                for _ in self.shadows.each_lane():
                    results.append(self._with_shadow(b, value) if carries else self.of(value))
            if tells_failure:
                results.append(ConstInt(I1, 0))
            if isinstance(type_, StructType):
                b.ret(b.make_struct(type_, results))
            else:
                b.ret()

    def _with_shadow(self, b: Builder, value: Value) -> Value:
        """The shadow of an address, or of what holds some, with the tangents of the numbers beside them."""
        found = self.shadows.of(value)
        if value.type.is_pointer or value not in self.tangent:
            return found
        for path, _, member in leaves(DataLayout.of(b.module), value.type):
            if isinstance(member.scalar, FloatType):
                found = b.insert_value(found, b.extract_value(self.of(value), path), path)
        return found

    def _visit(self, i: Instruction) -> None:
        handler = TANGENTS.handlers[i.opcode]
        if handler is not None:
            handler(self, i)
        elif i.opcode in TANGENTS.refusals and self.activity.is_active(i):
            raise on_bits(i)

    def _store(self, i: Instruction) -> None:
        assert isinstance(i, Store)
        if self.shadows.has(i.pointer) and self.activity.stores_float(i):
            for _ in self.shadows.each_lane():
                pointer = self.shadows.of(i.pointer)
                value = self.tangent.get(i.value)
                if value is None:
                    value = zero_beside(i.value, self.type_of(i.value))
                align = self.shadows.alignment(value.type, i.align)
                made = self.b.store(value, pointer, align)
                self.scopes.shadow(made, self.shadows.lane, i.pointer)
                same_tag(made, i)

    def _each(self, i: Instruction, follow: Callable[[Instruction], None]) -> None:
        """The tangents of an active value, lane by lane."""
        if self.activity.is_active(i):
            for _ in self.shadows.each_lane():
                follow(i)

    def _phi(self, i: Instruction) -> None:
        self._each(i, self._follow_phi)

    def _follow_phi(self, i: Instruction) -> None:
        assert isinstance(i, Phi)
        tangent = Phi(self.type_of(i), (), f"{i.name}.t")
        self.b.add(tangent)
        self.tangent[i] = tangent
        self._phis.append((self.shadows.lane, i, tangent))

    def _load(self, i: Instruction) -> None:
        self._each(i, self._follow_load)

    def _follow_load(self, i: Instruction) -> None:
        assert isinstance(i, Load)
        if self.shadows.has(i.pointer):
            align = self.shadows.alignment(i.type, i.align)
            pointer = self.shadows.of(i.pointer)
            made = self.b.load(self.type_of(i), pointer, f"{i.name}.t", align)
            self.scopes.shadow(made, self.shadows.lane, i.pointer)
            same_tag(made, i)
            self.tangent[i] = made

    def _select(self, i: Instruction) -> None:
        self._each(i, self._follow_select)

    def _follow_select(self, i: Instruction) -> None:
        condition, then, other = i.operands
        made = self.b.select(condition, self.of(then), self.of(other), f"{i.name}.t")
        self.tangent[i] = made

    def _freeze(self, i: Instruction) -> None:
        self._each(i, self._follow_freeze)

    def _follow_freeze(self, i: Instruction) -> None:
        tangent = self.of(i.operands[0])
        made = Instruction("freeze", tangent.type, (tangent,), f"{i.name}.t")
        self.tangent[i] = self.b.add(made)

    def _bitcast(self, i: Instruction) -> None:
        self._each(i, self._follow_bitcast)

    def _follow_bitcast(self, i: Instruction) -> None:
        if self.type_of(i) is not self.type_of(i.operands[0]):
            raise unsupported(i, "a float looked at as another type")
        self.tangent[i] = self.of(i.operands[0])

    def _linear(self, i: Instruction) -> None:
        self._each(i, self._follow_linear)

    def _follow_linear(self, i: Instruction) -> None:
        """Moves numbers about: the same on tangents."""
        check_members(i, self.activity)
        keep = len(i.operands) - (i.opcode in ("extractelement", "insertelement"))
        # Integers beside the floats of an aggregate have no tangent of another type.
        mapping = {
            o: zero_of(o.type) if o.type.scalar.is_int and o not in self.tangent else self.of(o)
            for o in i.operands[: min(keep, 2)]
        }
        if isinstance(i, Aggregate) and i.type.is_pointer:
            return
        made = self.b.add(clone_instruction(i, mapping))
        made.name = f"{i.name}.t"
        self.tangent[i] = made

    def _number(self, i: Instruction) -> None:
        self._each(i, self._follow_number)

    def _follow_number(self, i: Instruction) -> None:
        row = row_for_instruction(i.opcode)
        if row is None or not i.type.scalar.is_float:
            raise on_bits(i)
        self._by_row(i, row)

    def _by_row(self, i: Instruction, row: Row) -> None:
        with as_free_as(self.b, i):
            self._sum_of_parts(i, row)

    def _sum_of_parts(self, i: Instruction, row: Row) -> None:
        operands = i.arguments if isinstance(i, Call) else i.operands
        total: Value | None = None
        for index in row.active_operands:
            if operands[index] not in self.tangent:
                continue
            part = row.tangent(
                self.b,
                index,
                self.tangent[operands[index]],
                Operands(i),
                guard=self.guards.of(i, index),
            )
            if part is not None:
                total = part if total is None else add_leaves(self.b, i.type, total, part)
        if total is not None:
            self.tangent[i] = total

    def _call(self, i: Instruction) -> None:
        assert isinstance(i, Call)
        name = i.callee_name
        if name.startswith(("llvm.memcpy", "llvm.memmove")):
            return
        if name.startswith("llvm.memset"):
            for _ in self.shadows.each_lane():
                self._set(i)
            return
        row = row_for_call(i)
        if row is not None:
            if self.activity.is_active(i):
                for _ in self.shadows.each_lane():
                    self._by_row(i, row)
            return
        linear = linear_call(i)
        if linear is not None:
            for _ in self.shadows.each_lane():
                made = emit_tangent(self.b, linear, self.shadows, self.activity)
                if made is not None:
                    self.tangent[i] = made
            return
        known = lookup_known(i)
        if known is not None and known.moves_no_numbers and not self.activity.is_active(i):
            return
        touched = [
            a
            for a in i.arguments
            if a in self.tangent or (a.type.is_pointer and self.shadows.has(a))
        ]
        shadowed = self.shadows.is_shadowed(i)
        if not touched and not shadowed and not self.activity.is_active(i):
            return
        callee = i.callee
        if known is not None or not isinstance(callee, Function):
            raise unknown_call(i)
        if defined_callee(i) is None and not callee.is_ruled:
            raise unknown_call(i)
        self._defined(i, callee)

    def _set(self, i: Call) -> None:
        target, _, length = i.arguments[:3]
        if not self.shadows.has(target):
            return
        found = parts_of(self.activity.types, target, length)
        if len(found.others) == len(found.parts) or found.is_several:
            return
        b = self.b
        if found.is_mixed:
            for part in found.parts:
                if part.float_type is not None:
                    name = f"enzyme.clear_apart.{part.float_type}"
                    shadow = [self.shadows.of(target)]
                    b.call(
                        helper(b.module, name),
                        arguments_for(b, shadow, length, found.period, part),
                    )
            return
        arguments = [
            self.shadows.of(target),
            ConstInt(I8, 0),
            b.as_count(length),
            ConstInt(I1, 0),
        ]
        b.call_named("llvm.memset.p0.i64", VOID, arguments)

    def _defined(self, i: Call, callee: Function) -> None:
        shadowed = [a.type.is_pointer and self.shadows.has(a) for a in i.arguments]
        moving = [any(a in lane for lane in self.tangents) for a in i.arguments]
        given = [
            Activity.DUPLICATED if one or other else Activity.CONST
            for one, other in zip(shadowed, moving, strict=True)
        ]
        activities = self.activity.settled(i, given)
        passed: list[Value] = []
        for argument, kind in zip(i.arguments, activities, strict=True):
            passed.append(argument)
            if kind.has_shadow and argument.type.is_pointer:
                passed += self.shadows.all_of(argument)
            elif kind.has_shadow:
                passed += [self.of(argument) for _ in self.shadows.each_lane()]
        pointer = self.shadows.is_shadowed(i)
        returns = self.activity.is_active(i) or pointer
        derivative = self.derive(i, callee, activities, returns)
        b = self.b
        assert b.block is not None
        b.block.instructions.pop()
        made = b.call(derivative, passed, i.name)
        if not callee.is_ruled:
            members = derivative.function_type.ret.elements  # type: ignore[attr-defined]
            flag = b.extract_value(made, [len(members) - 1], f"{i.name}.short")
            assert isinstance(flag, Instruction)
            self.told.append(flag)
        if i.type is VOID:
            return
        result = b.extract_value(made, [0], i.name)
        if returns:
            for lane in self.shadows.each_lane():
                tangent = b.extract_value(made, [1 + lane], f"{i.name}.t")
                promised = self.shadows.shadow.get(i)
                if promised is not None:
                    promised.replace_uses_with(tangent)
                for table in (self.tangent, self.shadows.shadow):
                    table[i] = tangent
                    table[result] = tangent
        if pointer:
            self.activity.stand_in(i, result)
        if i in self.activity.varied:
            self.activity.varied.add(result)
            self.activity.useful.add(result)
        i.replace_uses_with(result)


TANGENTS: Dispatch[Callable[[ForwardSynthesis, Instruction], None]] = Dispatch(
    "tangents",
    "the tangent of what is active",
    INSTRUCTIONS,
    {
        **dict.fromkeys(opcodes("float arithmetic") | FLOAT_CASTS, ForwardSynthesis._number),
        **{
            opcode: Refusal(ForwardSynthesis._linear, EnzymeNoDerivativeError, IN_MEMBERS)
            for opcode in ("extractvalue", "insertvalue")
        },
        **dict.fromkeys(
            ("extractelement", "insertelement", "shufflevector"), ForwardSynthesis._linear
        ),
        "bitcast": Refusal(ForwardSynthesis._bitcast, EnzymeNoDerivativeError, AS_ANOTHER),
        "freeze": ForwardSynthesis._freeze,
        "phi": ForwardSynthesis._phi,
        "select": ForwardSynthesis._select,
        "load": ForwardSynthesis._load,
        "store": ForwardSynthesis._store,
        "call": Refusal(ForwardSynthesis._call, EnzymeNoDerivativeError, "if it is not known"),
    },
    ignored=WITHOUT_NUMBERS,
    refused=ON_BITS,
    elsewhere=REFUSED_BEFORE,
)

__all__ = ["Argument", "Block", "ForwardSynthesis"]
