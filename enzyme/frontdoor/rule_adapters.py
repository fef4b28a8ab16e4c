"""Functions with the parameters of the engine's derivatives, written around the rules of a program (see `rules`)."""

from __future__ import annotations

import re

from enzyme.engine.analysis.kinds import Activity
from enzyme.engine.analysis.modref import Summaries
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.datalayout import DataLayout
from enzyme.engine.ir.instructions import Call
from enzyme.engine.ir.module import Function, Module, new_function
from enzyme.engine.ir.types import (
    I32,
    PTR,
    VOID,
    FloatType,
    StructType,
    Type,
    struct_type,
)
from enzyme.engine.ir.values import ConstInt, Value, zero_of
from enzyme.engine.synthesis.ruled import RuledCall, SplitRule
from enzyme.frontdoor.failures import FrontDoorError
from enzyme.frontdoor.operands import in_parts

_DONE = ConstInt(I32, 0)


def unusable(primal: Function, why: str, todo: str = "") -> FrontDoorError:
    """A rule that does not fit its function."""
    return FrontDoorError(
        where=f"in @{primal.name}",
        what=f"the derivative that is registered for @{primal.name} cannot be used",
        why=why,
        todo=todo or (),
    )


def has_sret(function: Function) -> bool:
    return bool(function.args) and function.args[0].has_attribute("sret")


def result_of(function: Function) -> Type:
    """What a function of C returns, also through memory."""
    if not has_sret(function):
        return function.function_type.ret
    found = re.search(r"sret\(([^)]*)\)", function.args[0].attributes)
    assert found is not None and function.module is not None
    return function.module.structs.get(found.group(1), VOID)


def tape_type(primal: Function, augmented: Function) -> Type | None:
    """What the augmented form of a function hands to the other form."""
    given, ret = result_of(augmented), primal.function_type.ret
    if given in (VOID, ret):
        return None
    found: Type | None = given if ret is VOID else None
    if isinstance(given, StructType) and given.elements and ret is not VOID:
        if given.elements == (ret,):
            return None
        if len(given.elements) == 2 and given.elements[1] is ret:
            found = given.elements[0]
    if found is None or found.is_aggregate:
        raise unusable(
            primal,
            f"its augmented form @{augmented.name} returns {given}: neither a tape, nor a structure"
            " of a tape and the result",
        )
    return found


class Rule:
    """Calls the functions of a program that are the derivative of one of its functions.

    `values` are what the function is given, `shadows` their shadows and tangents.
    """

    def __init__(self, module: Module, primal: Function) -> None:
        self.module = module
        self.primal = primal
        self.values: list[Value] = []
        self.shadows: list[Value | None] = []

    def arguments(self, *, tangents: bool) -> list[Value]:
        """What the program's rule is given: pointers with shadows; with `tangents`, numbers with theirs."""
        passed: list[Value] = []
        for k, (value, shadow) in enumerate(zip(self.values, self.shadows, strict=True)):
            passed.append(value)
            if value.type.is_pointer:
                if shadow is None:
                    raise unusable(
                        self.primal,
                        f"argument {k} is memory without a shadow here, and the rule expects one",
                        f"pass what argument {k} points to with a shadow",
                    )
                passed.append(shadow)
            elif tangents and isinstance(value.type, FloatType):
                passed.append(zero_of(value.type) if shadow is None else shadow)
        return passed

    def outcome(self, b: Builder, rule: Function, passed: list[Value], which: str) -> Value:
        """Call a rule; its result, also when that comes through memory."""
        if not has_sret(rule):
            self.check(rule, passed, which)
            return b.call(rule, passed)
        kind = result_of(rule)
        memory = b.alloca(kind)
        passed = [memory, *passed]
        self.check(rule, passed, which)
        b.call(rule, passed)
        return b.load(kind, memory)

    def check(self, rule: Function, passed: list[Value], which: str) -> None:
        wanted, given = [v.type for v in passed], list(rule.function_type.params)
        if wanted != given:
            shown = [", ".join(map(str, types)) or "nothing" for types in (wanted, given)]
            raise unusable(
                self.primal, f"its {which} form @{rule.name} takes ({shown[1]}), not ({shown[0]})"
            )


class _Adapter(Rule):
    """Writes functions with the parameters of the engine's derivatives around one of the program's."""

    def __init__(self, module: Module, primal: Function, call: RuledCall) -> None:
        super().__init__(module, primal)
        self.call = call
        self.kinds = list(primal.function_type.params)
        self.ret = primal.function_type.ret
        if in_parts(primal):
            raise unusable(
                primal,
                f"'{in_parts(primal)}' is passed in several registers, and which is its shadow's cannot be told",
                "let the function take a pointer",
            )
        if call.width > 1:
            raise unusable(primal, "rules serve one direction at a time", "leave out enzyme_width")

    def parameters(self) -> list[tuple[Type, str]]:
        """The engine's: each value, and its shadow where there is one."""
        types = ([PTR] if self.ret is not VOID else []) + self.kinds
        found: list[tuple[Type, str]] = []
        for type_, activity in zip(types, self.call.activities, strict=True):
            found.append((type_, ""))
            if activity.has_shadow:
                found.append((type_, ""))
        return found

    def read(self, function: Function) -> None:
        """Pair the parameters of a function with these meanings."""
        given = iter(function.args)
        self.place: Value | None = None
        self.place_shadow: Value | None = None
        activities = list(self.call.activities)
        if self.ret is not VOID:
            self.place = next(given)
            if activities.pop(0).has_shadow:
                self.place_shadow = next(given)
        self.activities = activities
        self.values, self.shadows = [], []
        for activity in activities:
            self.values.append(next(given))
            self.shadows.append(next(given) if activity.has_shadow else None)
        self.rest = list(given)


class ForwardAdapter(_Adapter):
    def __init__(self, module: Module, primal: Function, call: RuledCall, rule: Function) -> None:
        super().__init__(module, primal, call)
        self.rule = rule

    def write(self) -> str:
        rule, ret = self.rule, self.ret
        name = self.module.fresh_symbol(f"fwd.rule.{self.primal.name}")
        made = new_function(self.module, name, struct_type([I32]), self.parameters())
        self.read(made)
        b = Builder(made.append_block("entry"))
        passed = self.arguments(tangents=True)
        self.check(rule, passed, "forward")
        result = b.call(rule, passed)
        given = rule.function_type.ret
        if ret is VOID:
            if given is not VOID:
                raise unusable(
                    self.primal, f"its forward form @{rule.name} returns {given}, not nothing"
                )
        else:
            primal, tangent = self.results(b, result, given)
            assert self.place is not None
            b.store(primal, self.place)
            if self.place_shadow is not None:
                b.store(tangent, self.place_shadow)
        b.ret(b.make_struct(struct_type([I32]), [_DONE]))
        return name

    def may_run_again(self) -> bool:
        """Does the primal have no effect?"""
        primal = self.primal
        return bool(primal.blocks) and Summaries(self.module).of_function(primal).reexecutable

    def results(self, b: Builder, result: Call, given: Type) -> tuple[Value, Value]:
        """Primal result and tangent out of what the rule returned."""
        ret = self.ret
        if given is ret:
            if any(type_.is_pointer for type_ in self.kinds) and not self.may_run_again():
                raise unusable(
                    self.primal,
                    f"its forward form @{self.rule.name} returns the tangent alone, and the primal's effects on"
                    " memory would happen twice",
                    "return a structure of primal and tangent",
                )
            return b.call(self.primal, self.values), result
        if isinstance(given, StructType) and given.elements == (ret, ret):
            return b.extract_value(result, [0]), b.extract_value(result, [1])
        raise unusable(
            self.primal,
            f"its forward form @{self.rule.name} returns {given}, neither {ret} nor {{ {ret}, {ret} }}",
        )


class SplitAdapter(_Adapter):
    def __init__(
        self,
        module: Module,
        primal: Function,
        call: RuledCall,
        augmented: Function,
        reverse: Function,
    ) -> None:
        super().__init__(module, primal, call)
        self.augmented = augmented
        self.reverse = reverse

    def write(self) -> SplitRule:
        tape = tape_type(self.primal, self.augmented)
        return SplitRule(
            self.write_augmented(tape),
            self.write_reverse(tape),
            () if tape is None else (str(tape),),
        )

    def write_augmented(self, tape: Type | None) -> str:
        rule, ret = self.augmented, self.ret
        name = self.module.fresh_symbol(f"aug.rule.{self.primal.name}")
        kinds = [I32, *([tape] if tape is not None else [])]
        made = new_function(
            self.module, name, struct_type(kinds), [*self.parameters(), (PTR, "arena")]
        )
        self.read(made)
        b = Builder(made.append_block("entry"))
        result: Value = self.outcome(b, rule, self.arguments(tangents=False), "augmented")
        values: list[Value] = [_DONE]
        given = result.type
        if isinstance(given, StructType):
            members = [b.extract_value(result, [k]) for k in range(len(given.elements or ()))]
        else:
            members = [] if given is VOID else [result]
        if tape is not None:
            values.append(members.pop(0))
        if ret is not VOID:
            if not members:
                raise unusable(
                    self.primal, f"its augmented form @{rule.name} does not return the result"
                )
            assert self.place is not None
            b.store(members[0], self.place)
        b.ret(b.make_struct(struct_type(kinds), values))
        return name

    def write_reverse(self, tape: Type | None) -> str:
        rule, ret = self.reverse, self.ret
        name = self.module.fresh_symbol(f"rev.rule.{self.primal.name}")
        active = [
            k for k, a in enumerate(self.call.activities[ret is not VOID :]) if a is Activity.ACTIVE
        ]
        kinds = [self.kinds[k] for k in active]
        result: Type = struct_type(kinds) if kinds else VOID
        parameters = [*self.parameters(), (PTR, "arena")]
        if tape is not None:
            parameters.append((tape, "tape"))
        made = new_function(self.module, name, result, parameters)
        self.read(made)
        b = Builder(made.append_block("entry"))
        passed = self.arguments(tangents=False)
        if isinstance(ret, FloatType):
            seed: Value = zero_of(ret)
            if self.place_shadow is not None:
                seed = b.load(ret, self.place_shadow)
                b.store(zero_of(ret), self.place_shadow)
            passed.append(seed)
        takes = len(rule.function_type.params) - has_sret(rule)
        if tape is not None and takes > len(passed):
            passed.append(self.rest[-1])
        elif tape is None and takes == len(passed) + 1 and rule.function_type.params[-1] is PTR:
            passed.append(zero_of(PTR))
        adjoints = self.adjoints(b, self.outcome(b, rule, passed, "reverse"))
        if not kinds:
            b.ret(None)
        else:
            b.ret(b.make_struct(result, [adjoints[k] for k in active]))
        return name

    def adjoints(self, b: Builder, made: Value) -> dict[int, Value]:
        """The adjoints that the reverse form returned, by parameter."""
        numbers = [k for k, type_ in enumerate(self.kinds) if isinstance(type_, FloatType)]
        given = made.type
        wanted = [self.kinds[k] for k in numbers]
        if given is VOID and not numbers:
            return {}
        if len(wanted) == 1 and given is wanted[0]:
            return {numbers[0]: made}
        if given.is_vector and wanted:  # C returns small structures in a register
            layout = DataLayout.of(self.module)
            if layout.size_of(given) == layout.size_of(struct_type(wanted)):
                memory = b.alloca(given)
                b.store(made, memory)
                made = b.load(struct_type(wanted), memory)
                given = made.type
        if isinstance(given, StructType) and list(given.elements or ()) == wanted:
            return {k: b.extract_value(made, [place]) for place, k in enumerate(numbers)}
        raise unusable(
            self.primal,
            f"its reverse form @{self.reverse.name} returns {given}, not an adjoint for each number it takes",
        )
