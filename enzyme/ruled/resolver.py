"""The rules of one program, as the engine asks for them."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numba
from llvmlite import ir
from numba.core import cgutils, types

from enzyme.engine.analysis.kinds import Activity
from enzyme.engine.ir.known_function import WHAT_IT_WAS_GIVEN, KnownFunction
from enzyme.engine.synthesis.ruled import RuledCall, RuledFunction, SplitRule
from enzyme.errors import CustomRuleError, NoApplicableRuleError
from enzyme.frontend import arena, registration
from enzyme.frontend.abi import flat_types, llvm_text
from enzyme.frontend.callplan import as_leaves, from_leaves
from enzyme.frontend.leaves import LeafKind
from enzyme.frontend.marks import ignore_derivatives
from enzyme.frontend.names import plain
from enzyme.frontend.numba_compat.compilers import global_compiler_lock
from enzyme.frontend.target import INACTIVE, PrimalModule, StayingCall, cpu_context
from enzyme.ruled import checks, linear, partials  # noqa: F401  (easy rules call linear)
from enzyme.ruled.choice import FORGETS, choose
from enzyme.ruled.operands import Call
from enzyme.ruled.rule_adapter import (
    RuleAdapter,
    compile_rule,
)
from enzyme.ruled.specialise import jitted_rule
from enzyme.support.ordered import Namer
from enzyme.typed.annotations import MIXED, AnnotationClass, AnnotationType
from enzyme.typed.configs import ConfigType
from enzyme_rules.registry import Rule
from enzymecore import Active, Const

_STATUS = ir.IntType(32)
_DONE = ir.IntType(8)  # 1 on the tape of a call that raised nothing
_MEMORY = re.compile(r"\bmemory\([^)]*\)")
_POINTER = cgutils.voidptr_t
_OURS = re.compile(r'@"?(enzyme\.[\w.]+)')


class RuleResolver:
    """Rules for the calls of one program; `libraries` are those that its derivative must be linked with, `outside`
    what their functions are called by the names that they have in the derivative.

    With `as_source` the derivative will be differentiated itself, and so will the rules in it.
    """

    def __init__(self, primal: PrimalModule, as_source: bool) -> None:
        self.as_source = as_source
        self._staying = {call.symbol: call for call in primal.staying}
        self.functions = {name: _described(call) for name, call in self._staying.items()}
        self.libraries: list[Any] = []
        self.outside: dict[str, str] = {}
        # A derivative in the program has functions of such names, too.
        self._namer = Namer(_OURS.findall(primal.text))
        self._made: dict[RuledCall, Any] = {}
        if self._staying and not as_source:
            arena.register()  # before code that names its functions is loaded
        self._primals: set[str] = set()

    @global_compiler_lock
    def link_primals(self, text: str) -> None:
        """Provide the functions themselves, where a derivative calls them."""
        for name, call in self._staying.items():
            if name not in self._primals and name in text:
                self._primals.add(name)
                self.libraries.append(self._primal(call))

    def _primal(self, call: StayingCall) -> Any:
        compiled = call.compiled
        function: Any = compiled.function()
        if self.as_source:
            with registration.compiling({}):
                mine = registration.for_target(function)
                return mine.overloads[compiled.argtypes].library
        context = cpu_context()
        found = _overload(function, tuple(map(registration.type_for_cpu, compiled.argtypes)))
        symbol = compiled.symbol
        library = context.codegen().create_library(symbol)
        library.add_linking_library(found.library)
        module = library.create_ir_module(symbol)
        shape = context.call_conv.get_function_type(compiled.restype, compiled.argtypes)
        made = ir.Function(module, shape, name=symbol)
        inner = ir.Function(module, shape, name=found.fndesc.llvm_func_name)
        builder = ir.IRBuilder(made.append_basic_block("entry"))
        builder.ret(builder.call(inner, made.args))
        library.add_ir_module(module)
        library.finalize()
        return library

    # Forward ----------------------------------------------------------------------------------------

    @global_compiler_lock
    def forward(self, asked: RuledCall) -> str:
        """The symbol of the function for a call in forward mode."""
        if asked not in self._made:
            self._made[asked] = self._forward(Call(self._staying[asked.symbol], asked, True))
        return self._made[asked]  # type: ignore[no-any-return]

    def _forward(self, call: Call) -> str:
        w = RuleAdapter(call, self.as_source, "forward", [], ir.LiteralStructType([_STATUS]))
        try:
            rule = choose(*call.chosen_by("forward"))
        except NoApplicableRuleError as error:
            return self._failing(w, error)
        config = [ConfigType(call.config)] if rule.takes_config else []
        func, returned = _function_type(call), AnnotationClass(call.return_activity)
        compiled = self._compile(call, rule, [*config, func, returned])
        restype = compiled.signature.return_type
        checks.check_forward(call, rule, restype)
        dummy = w.context.get_dummy_value()
        leading = [*[dummy] * len(config), w.function_annotation(func), dummy]
        status, result = w.run(compiled, leading, call.passed_to(rule))
        w.leave_if_failed(status)
        wanted = call.config
        primal = shadow = None
        if wanted.needs_primal and wanted.needs_shadow:
            held = cgutils.create_struct_proxy(restype)(w.context, w.builder, value=result)
            primal, shadow = held.val, held.dval
        elif wanted.needs_primal:
            primal = result
        elif wanted.needs_shadow:
            shadow = result
        lanes: list[Any] = [None] * len(w.result_shadows)
        if shadow is not None:
            lanes = w.lanes_of(shadow)
        w.check_layout(rule, primal, lanes)
        lanes = w.apart(primal, lanes)
        w.store_result(w.in_place_of(primal, lanes), lanes)
        w.leave(status.code, [])
        return self._finished(w)

    # Reverse ----------------------------------------------------------------------------------------

    @global_compiler_lock
    def split(self, asked: RuledCall) -> SplitRule:
        """The symbols of the two functions for a call in reverse mode."""
        if asked not in self._made:
            self._made[asked] = self._split(Call(self._staying[asked.symbol], asked, False))
        return self._made[asked]  # type: ignore[no-any-return]

    def _split(self, call: Call) -> SplitRule:
        config, func = ConfigType(call.config), _function_type(call)
        try:
            rule = choose(*call.chosen_by("augmented_primal"))
            adjoint = choose(*call.chosen_by("reverse"))
        except NoApplicableRuleError as error:
            return self._failing_split(call, error)
        returned = AnnotationClass(call.return_activity)
        compiled = self._compile(call, rule, [config, func, returned])
        checks.check_augmented(call, rule, compiled.signature.return_type)
        context = registration.enzyme_target.target_context if self.as_source else cpu_context()
        tape = compiled.signature.return_type.types[2]
        parts = flat_types(context, tape)
        if call.asked.may_fail:
            parts = [_DONE, *parts]
        texts = tuple(map(llvm_text, parts))
        w = RuleAdapter(
            call, self.as_source, "augmented", [_POINTER], ir.LiteralStructType([_STATUS, *parts])
        )
        dummy = w.context.get_dummy_value()
        leading = [dummy, w.function_annotation(func), dummy]
        status, result = w.run(compiled, leading, call.passed_to(rule))
        w.leave_if_failed(status)
        primal, shadow, kept = (w.builder.extract_value(result, k) for k in range(3))
        arena = w.extra[0]
        if call.config.needs_primal:
            w.hold(arena, call.restype, primal)
        lanes: list[Any] | None = None
        if call.config.needs_shadow:
            lanes = w.lanes_of(shadow)
            for lane in lanes:
                w.hold(arena, call.restype, lane)
        w.hand_over(arena, tape, kept)
        given = primal if call.config.needs_primal else None
        w.check_layout(rule, given, lanes)
        w.store_result(w.in_place_of(given, lanes), lanes)
        done = [_DONE(1)] if call.asked.may_fail else []
        w.leave(status.code, [*done, *as_leaves(w.context, w.builder, tape, kept)])
        augmented = self._finished(w)
        return SplitRule(augmented, self._reverse(call, adjoint, tape, parts), texts)

    def _reverse(self, call: Call, rule: Rule, tape: types.Type, parts: Sequence[Any]) -> str:
        config, func = ConfigType(call.config), _function_type(call)
        seeded = call.return_class is Active
        seed: types.Type = AnnotationClass(call.return_activity)
        if seeded:
            seed = AnnotationType(Active, call.restype, None)
            seed = seed if call.width == 1 else types.UniTuple(seed, call.width)
        compiled = self._compile(call, rule, [config, func, seed, tape])
        checks.check_reverse(call, rule, compiled.signature.return_type)
        adjoints = _adjoint_types(call)
        result = _result_type(adjoints)
        w = RuleAdapter(call, self.as_source, "reverse", [_POINTER, *parts], result)
        dummy = w.context.get_dummy_value()
        leaves = w.extra[1:]
        if call.asked.may_fail:
            done, *leaves = leaves
            with cgutils.if_unlikely(w.builder, cgutils.is_null(w.builder, done)):
                w.leave_with_zeros()
        kept = from_leaves(w.context, w.builder, tape, leaves)
        dret = w.seeds() if seeded else dummy
        leading = [dummy, w.function_annotation(func), dret, kept]
        status, answer = w.run(compiled, leading, call.passed_to(rule))
        w.raise_pending(status)
        found: list[Any] = []
        for position, operand in enumerate(call.positional):
            if operand.cls in MIXED:
                values = w.contents(operand)
            elif operand.cls is Active:
                values = w.lanes_of(w.builder.extract_value(answer, position))
            else:
                continue
            lanes = [as_leaves(w.context, w.builder, operand.type, value) for value in values]
            for leaf, (_, activity) in enumerate(operand.parameters):
                if activity is Activity.ACTIVE:
                    found += [lane[leaf] for lane in lanes]
        if not adjoints:
            w.builder.ret_void()
        else:
            made: Any = ir.Constant(result, ir.Undefined)
            for position, value in enumerate(_all_adjoints(call, found, adjoints)):
                made = w.builder.insert_value(made, value, position)
            w.builder.ret(made)
        return self._finished(w)

    # Common -----------------------------------------------------------------------------------------

    def _compile(self, call: Call, rule: Rule, leading: Sequence[Any]) -> Any:
        arguments = [*leading, *(o.annotation for o in call.passed_to(rule))]
        try:
            partials.check_results(call, rule)
            compiled = compile_rule(jitted_rule(rule.function), arguments, self.as_source)
            checks.check_writes(call, rule)
            return compiled
        except CustomRuleError as error:
            if error.where is None:
                error.where = checks.place_of(rule)
                error.args = (error.render(),)
            raise
        except numba.core.errors.NumbaError as error:
            raise CustomRuleError(
                where=checks.place_of(rule),
                what=f"the {rule.kind} rule of {call.name} cannot be compiled",
                why=str(error).strip()[:2000],
                todo="write it as code that numba compiles in nopython mode",
                config=call.config,
            ) from error

    def _failing(self, w: RuleAdapter, error: NoApplicableRuleError) -> str:
        """A function that raises: no rule accepts the call, which is an error if it runs."""
        message = str(error)
        details = (error.function, error.activities, error.available)

        def fail() -> None:
            raise NoApplicableRuleError(message, details)

        status = w.leave_by(fail)
        w.leave(status.code, [])
        return self._finished(w)

    def _failing_split(self, call: Call, error: NoApplicableRuleError) -> SplitRule:
        w = RuleAdapter(
            call, self.as_source, "augmented", [_POINTER], ir.LiteralStructType([_STATUS])
        )
        augmented = self._failing(w, error)
        w = RuleAdapter(
            call, self.as_source, "reverse", [_POINTER], _result_type(_adjoint_types(call))
        )
        w.leave_with_zeros()
        return SplitRule(augmented, self._finished(w), ())

    def _finished(self, w: RuleAdapter) -> str:
        w.finish()
        self.libraries.append(w.library)
        name = self._namer.fresh(plain(w.symbol))
        self.outside[name] = w.symbol
        return name


def _described(call: StayingCall) -> RuledFunction:
    known = None
    if call.how == INACTIVE:
        pointers = [k for k, p in enumerate(call.abi.parameters) if p.llvm == "ptr"]
        known = KnownFunction(
            call.symbol,
            "inactive",
            returns=WHAT_IT_WAS_GIVEN if _is_identity(call.compiled.function()) else "",
            reads=_those_without(call, pointers, "readnone", "writeonly"),
            writes=_those_without(call, pointers, "readnone", "readonly"),
            captures=call.captured & _those_without(call, pointers, "captures(none)", "nocapture"),
        )
    effects = " ".join(_MEMORY.findall(call.effects))
    function = call.compiled.function()
    forgets = getattr(getattr(function, "py_func", None), FORGETS, False)
    failures = frozenset(
        k for k, p in enumerate(call.abi.parameters) if p.leaf.kind is LeafKind.EXCINFO
    )
    return RuledFunction(
        call.symbol, call.abi.seeds, effects, known, call.written, failures, forgets
    )


def _is_identity(function: Any) -> bool:
    return getattr(function, "py_func", None) is ignore_derivatives.py_func


def _those_without(call: StayingCall, pointers: Sequence[int], *words: str) -> frozenset[int]:
    """Pointers of which LLVM did not find out that they are harmless in one of these ways."""
    return frozenset(k for k in pointers if not set(words) & set(call.attributes[k].split()))


def _overload(function: Any, argtypes: tuple[types.Type, ...]) -> Any:
    if argtypes not in function.overloads:
        function.compile(argtypes)
    return function.overloads[argtypes]


def _function_type(call: Call) -> AnnotationType:
    return AnnotationType(Const, types.Dispatcher(call.function), None)


def _adjoint_types(call: Call) -> list[Any]:
    context = cpu_context()
    compiled = call.staying.compiled
    shapes = context.call_conv.get_function_type(compiled.restype, compiled.argtypes).args
    return [
        ty
        for ty, (_, activity) in zip(shapes, call.parameters, strict=True)
        if activity is Activity.ACTIVE
        for _ in range(call.width)
    ]


def _result_type(adjoints: Sequence[Any]) -> Any:
    """What a reverse function returns."""
    return ir.LiteralStructType(adjoints) if adjoints else ir.VoidType()


def _all_adjoints(call: Call, found: Sequence[Any], adjoints: Sequence[Any]) -> list[Any]:
    """The adjoints that a rule gave, and zeros for arguments that it takes as constant."""
    given = iter(found)
    taken = [o for o in call.positional if o.cls in (Active, *MIXED)]
    values = []
    types_left = iter(adjoints)
    for p, activity in call.parameters:
        for _ in range(call.width if activity is Activity.ACTIVE else 0):
            ty = next(types_left)
            held = any(o.holds(p) for o in taken)
            values.append(next(given) if held else cgutils.get_null_value(ty))
    return values
