"""From a request to a function: analyses, synthesis, and the derivatives of callees on the way."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Container, Sequence
from dataclasses import replace
from functools import partial

from enzyme.engine.analysis.activity_result import may_hold_float, may_hold_pointer
from enzyme.engine.analysis.kinds import Activity, DiffMode
from enzyme.engine.analysis.known_functions import effects_of, lookup_known
from enzyme.engine.analysis.loops import Loop
from enzyme.engine.analysis.overwritten import Overwritten, writes_memory
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.datalayout import DataLayout
from enzyme.engine.ir.edit import drop_removed
from enzyme.engine.ir.instructions import Call, Instruction, Load
from enzyme.engine.ir.module import Function, Module, defined_callee, new_function
from enzyme.engine.ir.printer import print_function
from enzyme.engine.ir.types import I1, I64, PTR, VOID, Type, function_type, struct_type
from enzyme.engine.ir.values import Argument, ConstInt, Value
from enzyme.engine.synthesis.accumulations import find_accumulations
from enzyme.engine.synthesis.adjoint_context import ReverseInputs
from enzyme.engine.synthesis.augment import Augmented, Augmenter
from enzyme.engine.synthesis.cache_report import FunctionCacheReport, cache_report_of
from enzyme.engine.synthesis.calls import Site
from enzyme.engine.synthesis.caught import RAISED, may_be_caught, returned_constants
from enzyme.engine.synthesis.entries import (
    keeps_nothing,
    write_augmented,
    write_augmented_without_status,
    write_reverse,
)
from enzyme.engine.synthesis.facts import overwritten_text
from enzyme.engine.synthesis.forward_function import write_forward
from enzyme.engine.synthesis.function_analyses import AnalysisManager, FunctionAnalyses
from enzyme.engine.synthesis.guards import Guards
from enzyme.engine.synthesis.helpers import define_arena, helper
from enzyme.engine.synthesis.linear import linear_site
from enzyme.engine.synthesis.nan_checks import NanChecks
from enzyme.engine.synthesis.prepare import CanonicalFunction
from enzyme.engine.synthesis.refusals import Refusals
from enzyme.engine.synthesis.request import AUGMENTED, REVERSED, DiffRequest
from enzyme.engine.synthesis.reverse import ReverseSynthesis
from enzyme.engine.synthesis.ruled import Needs, RuledCall, RuleProvider, tangent_uses, type_of_text
from enzyme.engine.synthesis.scopes import Scopes, regions_of
from enzyme.engine.synthesis.shadows import Shadows
from enzyme.engine.synthesis.short_lived import find_short_lived
from enzyme.engine.synthesis.signatures import (
    ATTRIBUTES,
    Options,
    add_shadow_arguments,
    adjoints_of,
    attributes_of,
    move_body,
    options_of,
    parameters_of,
)
from enzyme.support.timing import stage
from enzyme.support.watching import reached

_MOST_NESTED = 8


class Engine:
    """Derivatives of the functions of one module; everything is added to that module.

    `reports` collects one line per cache region, `accounts` what reverse passes keep, with `explain`. With
    `checks` derivatives are looked at for NaN.
    """

    def __init__(
        self,
        module: Module,
        *,
        stand_alone: bool = True,
        explain: bool = False,
        rules: RuleProvider | None = None,
        refusals: Refusals | None = None,
        checks: NanChecks | None = None,
    ) -> None:
        """With `stand_alone` false, the arena's functions stay declarations: the process links them."""
        self.module = module
        self.stand_alone = stand_alone
        self.layout = DataLayout.of(module)
        self.explain = explain
        self.rules = rules
        self.refusals = refusals or Refusals(False)
        self.checks = checks
        self.analyst = AnalysisManager(module, explain, self.refusals)
        self.reports: list[str] = []
        self.accounts: list[FunctionCacheReport] = []
        self._returned = returned_constants(module)
        self._nesting = 0
        self._waiting: deque[Callable[[], None]] = deque()
        self._forward: dict[object, Function] = {}
        self._split: dict[object, tuple[Function, Function]] = {}

    def differentiate(self, request: DiffRequest) -> Function:
        """Add the derivative of `request`, in forward or combined reverse mode, to the module."""
        self._check(request)
        primal = self.module.functions[request.function]
        options = options_of(request)
        returns = request.return_activity is not Activity.CONST
        if request.mode is DiffMode.FORWARD:
            made = self._forward_of(
                primal,
                request.activities,
                returns,
                request.seeds,
                options,
                request.return_primal,
                request,
            )
        else:
            made = self._combined(primal, request, returns, options)
        if self.stand_alone:
            define_arena(self.module)
        return made

    def differentiate_split(self, request: DiffRequest) -> tuple[Function, Function, bool]:
        """Add augmented primal and reverse function to the module; is there a tape between them?"""
        self._check(request)
        primal = self.module.functions[request.function]
        options = options_of(request)
        augmented, reverse = self._split_of(
            primal,
            request.activities,
            request.return_activity is not Activity.CONST,
            request.seeds,
            request.overwritten,
            options,
            request,
        )
        status = options.no_memory_status
        with_tape = not keeps_nothing(augmented, reverse)
        if options.success is None or status is None:
            abort = request.runtime.abort
            first = write_augmented_without_status(self.module, augmented, abort, with_tape)
            second = write_reverse(self.module, reverse, with_tape, self.checks)
            if self.stand_alone:
                define_arena(self.module)
            return first, second, with_tape

        def no_memory(b: Builder) -> Value:
            if options.no_memory_hook:
                b.call_named(options.no_memory_hook, VOID, [])
            return ConstInt(primal.function_type.ret, status)

        first = write_augmented(self.module, augmented, options.success, no_memory, with_tape)
        second = write_reverse(self.module, reverse, with_tape, self.checks)
        if self.stand_alone:
            define_arena(self.module)
        return first, second, with_tape

    def _check(self, request: DiffRequest) -> None:
        if request.runtime is not self.module.runtime:
            given, parsed = request.runtime.name, self.module.runtime.name
            raise ValueError(f"a module of the run time '{parsed}', and a request for '{given}'")

    def _refuse_at_once(self, found: FunctionAnalyses) -> None:
        """Raise what is refused on every path."""
        error = self.refusals.first
        if error is not None and not found.prepared.successful:
            raise error

    def _write(self, write: Callable[[], None]) -> None:
        """Give a declared derivative its body: now, or where calls are nested deep, after those around it."""
        if self._nesting >= _MOST_NESTED:
            self._waiting.append(write)
            return
        self._nesting += 1
        try:
            write()
        finally:
            self._nesting -= 1
        while not self._nesting and self._waiting:
            self._write(self._waiting.popleft())

    def _finish_signature(self, function: Function, ret: Type, external: bool = False) -> None:
        for index, argument in enumerate(function.args):
            argument.index = index
        function.function_type = function_type(ret, [a.type for a in function.args])
        drop_removed(function)
        function.prefix = "" if external else "internal"
        function.suffix = ATTRIBUTES

    # Reverse --------------------------------------------------------------------------------------------

    def _combined(
        self, primal: Function, request: DiffRequest, returns: bool, options: Options
    ) -> Function:
        name = self.module.fresh_symbol(f"grad.{primal.name}")
        found = self.analyst.analyse(
            primal,
            name,
            request.activities,
            returns,
            request.seeds,
            options,
            reverse=True,
            distinct=request.distinct_arguments,
            groups=request.groups or None,
            arrays=request.arrays,
            discarded=request.discarded,
        )
        self._refuse_at_once(found)
        function = found.prepared.function
        with stage("synthesis"):
            synthesis = self._reverse_synthesis(
                found,
                request.activities,
                returns,
                options,
                None,
                frozenset(),
                request.return_primal,
            )
            results = (
                [function.function_type.ret]
                if request.return_primal and function.function_type.ret is not VOID
                else []
            )
            results += [
                a.type
                for a, k in zip(synthesis.source_arguments, request.activities, strict=True)
                if k is Activity.ACTIVE
                for _ in range(options.width)
            ]
            synthesis.reverse_result = struct_type(results) if results else VOID
            synthesis.forward_result = synthesis.reverse_result
            if returns:
                ret = function.function_type.ret
                synthesis.seeds = [
                    self._append_argument(function, ret, "seed") for _ in range(options.width)
                ]
            synthesis.run()
            if self.checks is not None:
                self.checks.begin(function)
            self._finish_signature(function, synthesis.reverse_result, external=True)
            reached("derivative", primal.name, function, lambda: print_function(function))
            self._account(synthesis, found)
        return function

    def _account(self, synthesis: ReverseSynthesis, found: FunctionAnalyses) -> None:
        self.reports += synthesis.report
        if self.explain:
            self.accounts.append(cache_report_of(synthesis, *found.texts))

    def _append_argument(self, function: Function, type_: Type, name: str) -> Argument:
        made = Argument(type_, name, len(function.args))
        made.function = function
        function.args.append(made)
        return made

    def _reverse_synthesis(
        self,
        found: FunctionAnalyses,
        activities: tuple[Activity, ...],
        returns: bool,
        options: Options,
        reverse: Function | None,
        overwritten: frozenset[int],
        return_primal: bool,
    ) -> ReverseSynthesis:
        prepared, activity = found.prepared, found.activity
        function = prepared.function
        changed = frozenset(function.args[k] for k in overwritten)
        history = Overwritten(
            prepared.cfg,
            found.oracle,
            self.layout,
            prepared.blocks,
            lambda i: writes_memory(i, _call_writes),
            changed,
            prepared.loop_facts,
            apart=reverse is not None,
        )
        name = prepared.primal.name
        reached(
            "overwritten",
            name,
            history,
            lambda: overwritten_text(history, function, prepared.blocks),
        )
        guards = Guards(
            prepared,
            found.oracle,
            options,
            reverse=True,
            trusted=found.is_entry,
            split=reverse is not None,
        )
        source, argument_shadows = add_shadow_arguments(function, activities, options.width)
        regions = regions_of(found.oracle, prepared.blocks)
        scopes = Scopes(self.module, function.name, regions, options.scopes)
        call_sites: dict[Instruction, Site] = {}

        def hold(b: Builder, pointer: Value, tag: Value) -> None:
            b.call(helper(self.module, "enzyme_hold"), [synthesis.forward_arena(), pointer, tag])

        def adopt(b: Builder, other: Value) -> None:
            b.call(helper(self.module, "enzyme_adopt"), [synthesis.forward_arena(), other])

        def allocate(b: Builder, size: Value) -> Value:
            return b.call(helper(self.module, "enzyme_allocate"), [synthesis.forward_arena(), size])

        def cause_of_change(load: Load) -> Value | None:
            if load in short_lived.patterns:
                return None
            return history.cause(shadows.twin.get(load, load))

        def may_change_in(load: Load, loop: Loop) -> bool:
            twin = shadows.twin.get(load, load)
            return load in short_lived.patterns or history.may_change_in(loop, twin)

        def visit_call(call: Call, b: Builder) -> bool:
            site = linear_site(call, b, shadows, activity, history, synthesis)
            if site is None:
                return augmenter.replace(call, b)
            call_sites[call] = site
            return True

        def counter(argument: Argument) -> Value:
            return synthesis.frame.local(I64, "references", ConstInt(I64, 0))

        short_lived = find_short_lived(
            [] if options.nested else prepared.blocks,
            activity,
            lambda load: history.cause(load) is not None,
            lambda: synthesis.frame,
            combined=reverse is None,
        )
        shadows = Shadows(
            function,
            activity,
            argument_shadows,
            True,
            visit_call,
            hold,
            adopt,
            allocate,
            counter if prepared.cold else None,
            short_lived,
            checked=options.check_shadows,
        )
        spec = ReverseInputs(
            activities,
            returns,
            return_primal,
            reverse is not None,
            guards,
            options.fast,
            options.no_memory_status,
            options.no_memory_hook,
            scopes,
            shadows,
            call_sites,
            found.unread,
            cause_of_change,
            may_change_in,
            history.writers_in,
            history.stays,
            history.left_for,
            history.previous_for,
            history.later,
            self.explain,
            options.nested,
            self.checks,
        )
        synthesis = ReverseSynthesis(prepared, activity, spec, self.layout, reverse)
        caught = self._caught(prepared, options)
        augmenter = Augmenter(
            activity,
            shadows,
            history,
            call_sites,
            synthesis.exits,
            synthesis.forward_arena,
            lambda known: self._pair_of(known, found, options, synthesis, caught),
            prepared.replace_selector,
        )
        synthesis.source_arguments = source
        if reverse is not None:
            synthesis.arena_argument = self._append_argument(function, PTR, "arena")
        shadows.insert(prepared.blocks, prepared.failing)
        for block in prepared.blocks:
            spec.order[block] = [i for i in block.instructions if i not in shadows.created]
        spec.accumulations = find_accumulations(spec.order, activity, self.layout)
        shadows.tag(scopes)
        # Not whole yet: what the derivative keeps on the stack comes last.
        reached("shadows", name, None, lambda: print_function(function))
        return synthesis

    def _caught(self, prepared: CanonicalFunction, options: Options) -> set[Call]:
        """The calls whose failure need not be that of the function."""
        if options.success is None:
            return set()
        statuses = [status for status in self._returned if status not in options.success]
        found: set[Call] = set()
        for block in prepared.blocks:
            for i in block.instructions:
                if not isinstance(i, Call):
                    continue
                if isinstance(i.callee, Function) and i.callee.is_ruled:
                    raised: Sequence[int] = RAISED
                elif defined_callee(i) is not None:
                    raised = statuses
                else:
                    continue
                if may_be_caught(i, prepared.successful, raised):
                    found.add(i)
        return found

    def _pair_of(
        self,
        known: Augmented,
        found: FunctionAnalyses,
        options: Options,
        synthesis: ReverseSynthesis,
        caught: Container[Call],
    ) -> tuple[Function, Function]:
        """The augmented and the reverse function of a call: by rule, or synthesised."""
        call = known.call
        if known.callee.is_ruled:
            needs = Needs(found.activity, synthesis.primals_used, found.unread)
            needed = needs.result_of(call, call.arguments[0])
            may_fail = options.success is None or call in caught
            return self._rules_of(
                known.callee, known.activities, known.overwritten, options, needed, may_fail
            )
        types = _types_in(found, call)
        if call in caught:
            options = replace(options, success=None)
        return self._split_of(
            known.callee, known.activities, known.returns, types, known.overwritten, options
        )

    def _analysed(
        self,
        primal: Function,
        activities: tuple[Activity, ...],
        returns: bool,
        seeds: tuple[str, ...],
        options: Options,
        request: DiffRequest | None,
        *,
        reverse: bool,
    ) -> FunctionAnalyses:
        """A prepared copy of a function with its analyses; `request` where the outside calls the derivative."""
        found = self.analyst.analyse(
            primal,
            self.module.fresh_symbol("work"),
            activities,
            returns,
            seeds,
            options,
            reverse=reverse,
            distinct=request is not None and request.distinct_arguments,
            groups=(request.groups or None) if request is not None else None,
            arrays=request.arrays if request is not None else (),
            discarded=request.discarded if request is not None else frozenset(),
            is_entry=request is not None,
        )
        if request is not None:
            self._refuse_at_once(found)
        return found

    def _split_of(
        self,
        primal: Function,
        activities: tuple[Activity, ...],
        returns: bool,
        seeds: tuple[str, ...],
        overwritten: frozenset[int],
        options: Options,
        request: DiffRequest | None = None,
    ) -> tuple[Function, Function]:
        """The augmented and the reverse function; `request` where the outside calls them."""
        key = (primal, activities, returns, seeds, overwritten, options, request)
        pair = self._split.get(key)
        if pair is not None:
            return pair
        ret = primal.function_type.ret
        width = options.width
        returns_shadow = request is None and returns and may_hold_pointer(ret)
        returned = [] if ret is VOID else [ret] * (1 + width * returns_shadow)
        forward_result = struct_type([*returned, PTR])
        seeded = returns and (may_hold_float(ret) or not returns_shadow)
        adjoints = adjoints_of(primal, activities, width)
        reverse_result: Type = struct_type(adjoints) if adjoints else VOID
        parameters = parameters_of(primal, activities, width)
        augmented = new_function(
            self.module,
            self.module.fresh_symbol(f"{AUGMENTED}{primal.name}"),
            forward_result,
            [*parameters, (PTR, "arena")],
        )
        tail = ([(ret, "seed")] * width if seeded else []) + [(PTR, "arena"), (PTR, "tape")]
        reverse = new_function(
            self.module,
            self.module.fresh_symbol(f"{REVERSED}{primal.name}"),
            reverse_result,
            [*parameters, *tail],
        )
        # The declarations are known before the bodies are made, so recursion finds them.
        self._split[key] = augmented, reverse

        def write() -> None:
            found = self._analysed(
                primal, activities, returns, seeds, options, request, reverse=True
            )
            work = found.prepared.function
            with stage("synthesis"):
                synthesis = self._reverse_synthesis(
                    found, activities, seeded, options, reverse, overwritten, True
                )
                synthesis.forward_result = forward_result
                synthesis.reverse_result = reverse_result
                synthesis.returns_shadow = returns_shadow
                mapped = iter(reverse.args)
                for argument in work.args[:-1]:
                    synthesis.argument[argument] = next(mapped)
                if seeded:
                    synthesis.seeds = list(reverse.args[-2 - width : -2])
                synthesis.run()
                move_body(self.module, work, augmented)
                reverse.suffix = augmented.suffix = attributes_of(primal)
                reached("derivative", primal.name, augmented, lambda: print_function(augmented))
                reached("derivative", primal.name, reverse, lambda: print_function(reverse))
                self._account(synthesis, found)

        self._write(write)
        return augmented, reverse

    def _rules_of(
        self,
        callee: Function,
        activities: tuple[Activity, ...],
        overwritten: frozenset[int],
        options: Options,
        needs_primal: bool,
        may_fail: bool,
    ) -> tuple[Function, Function]:
        """The two functions of a reverse rule, declared; they are linked later."""
        assert self.rules is not None
        call = RuledCall(
            callee.name,
            activities,
            needs_primal,
            overwritten,
            options.width,
            options.strong_zero,
            may_fail,
        )
        rule = self.rules.split(call)
        ret, width = callee.function_type.ret, options.width
        tape = [type_of_text(text) for text in rule.tape]
        adjoints = adjoints_of(callee, activities, width)
        parameters = [t for t, _ in parameters_of(callee, activities, width)]
        augmented = self.module.declare(
            rule.augmented, function_type(struct_type([ret, *tape]), [*parameters, PTR])
        )
        result: Type = struct_type(adjoints) if adjoints else VOID
        reverse = self.module.declare(
            rule.reverse, function_type(result, [*parameters, PTR, *tape])
        )
        return augmented, reverse

    # Forward --------------------------------------------------------------------------------------------

    def _forward_rule(
        self,
        call: Call,
        callee: Function,
        activities: tuple[Activity, ...],
        options: Options,
        found: FunctionAnalyses,
    ) -> Function:
        """The function of a forward rule, declared; it is linked later."""
        assert self.rules is not None
        uses = partial(tangent_uses, found.activity)
        needs = Needs(found.activity, uses, found.unread)
        needed = needs.result_of(call, call.arguments[0])
        name = self.rules.forward(
            RuledCall(
                callee.name, activities, needed, frozenset(), options.width, options.strong_zero
            )
        )
        parameters = [t for t, _ in parameters_of(callee, activities, options.width)]
        result = struct_type([callee.function_type.ret])
        return self.module.declare(name, function_type(result, parameters))

    def _forward_of(
        self,
        primal: Function,
        activities: tuple[Activity, ...],
        returns: bool,
        seeds: tuple[str, ...],
        options: Options,
        return_primal: bool = True,
        request: DiffRequest | None = None,
    ) -> Function:
        key = (primal, activities, returns, return_primal, seeds, options, request)
        known = self._forward.get(key)
        if known is not None:
            return known
        ret = primal.function_type.ret
        results = ([ret] if return_primal and ret is not VOID else []) + (
            [ret] * options.width if returns and ret is not VOID else []
        )
        tells_failure = request is None
        if tells_failure:
            results.append(I1)
        result: Type = struct_type(results) if results else VOID
        made = new_function(
            self.module,
            self.module.fresh_symbol(f"fwd.{primal.name}"),
            result,
            parameters_of(primal, activities, options.width),
        )
        self._forward[key] = made

        def write() -> None:
            found = self._analysed(
                primal, activities, returns, seeds, options, request, reverse=False
            )
            with stage("synthesis"):
                write_forward(
                    made,
                    found,
                    activities,
                    returns,
                    return_primal,
                    tells_failure,
                    options,
                    lambda found, call, f, a, r: (
                        self._forward_rule(call, f, a, options, found)
                        if f.is_ruled
                        else self._forward_of(f, a, r, _types_in(found, call), options)
                    ),
                    self.checks,
                )
            made.suffix = attributes_of(primal)
            if request is not None:
                made.prefix = ""
            reached("derivative", primal.name, made, lambda: print_function(made))

        self._write(write)
        return made


def _types_in(caller: FunctionAnalyses, call: Call) -> tuple[str, ...]:
    """What the caller knows about the arguments of a call, and of memory that it returns."""
    told = [*call.arguments, call] if may_hold_pointer(call.type) else call.arguments
    return tuple(str(caller.types.of(value)) for value in told)


def _call_writes(call: Call) -> bool:
    known = lookup_known(call)
    if known is not None and known.kind in (
        "retain",
        "release",
        "hint",
        "pure",
        "allocate",
    ):
        return False
    effects = effects_of(call)
    return bool(effects.writes) or effects.writes_other
