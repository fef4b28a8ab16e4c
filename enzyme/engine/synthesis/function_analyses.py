"""All that is known of a function before its derivative is written."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from enzyme.engine.analysis.activity import ActivitySolver, touched_parameters
from enzyme.engine.analysis.activity_result import ActivityResult, CallSummary, may_hold_pointer
from enzyme.engine.analysis.alias import AliasOracle
from enzyme.engine.analysis.kinds import Activity, ArrayParameter
from enzyme.engine.analysis.known_functions import lookup_known
from enzyme.engine.analysis.modref import Summaries
from enzyme.engine.analysis.typeinfer import TypeAnalysis, TypeMemo, analyse_types
from enzyme.engine.analysis.typereasons import stands_in
from enzyme.engine.derivatives.catalogue import row_for_call
from enzyme.engine.ir.clone import clone_function
from enzyme.engine.ir.instructions import Alloca, Call, Instruction, Load, Store
from enzyme.engine.ir.known_function import WHAT_IT_WAS_GIVEN
from enzyme.engine.ir.module import Block, Function, Module, defined_callee
from enzyme.engine.ir.printer import print_function
from enzyme.engine.ir.values import Argument, GlobalVariable, Value
from enzyme.engine.preprocess.address_copies import copy_addresses_as_such, has_address_copies
from enzyme.engine.synthesis.facts import aliasing_text, types_text
from enzyme.engine.synthesis.failures import (
    const_storage,
    inactive_callee_writes,
    inactive_storage,
    inactive_writes,
    keeps_tapes,
    lacks_partial,
    tapes_twice,
)
from enzyme.engine.synthesis.preconditions import check_constructs
from enzyme.engine.synthesis.prepare import CanonicalFunction, prepare
from enzyme.engine.synthesis.refusals import Refusals
from enzyme.engine.synthesis.ruled import inactive_calls
from enzyme.engine.synthesis.signatures import Options
from enzyme.errors import IllegalTypeAnalysisException
from enzyme.support.timing import stage
from enzyme.support.watching import reached


@dataclass(slots=True)
class FunctionAnalyses:
    """One function, prepared; nobody reads what it leaves in the memory of the parameters in `unread`, and if it
    `is_entry` the user calls it."""

    prepared: CanonicalFunction
    types: TypeAnalysis
    oracle: AliasOracle
    activity: ActivityResult
    texts: tuple[str, str]
    unread: set[Argument]
    is_entry: bool


_Key = tuple[Function, tuple[Activity, ...], object]
_MOST_NESTED = 8


class _TooDeep(Exception):
    """A callee whose turn comes when nothing else is being summarised: calls may be nested deeper than the stack."""

    def __init__(self, key: _Key, types: TypeAnalysis | None) -> None:
        super().__init__()
        self.key = key
        self.types = types


class AnalysisManager:
    """Analyses the functions of one module; summaries of callees are made once."""

    def __init__(self, module: Module, explain: bool, refusals: Refusals) -> None:
        """With `explain` the results come as text too."""
        self.module = module
        self.refusals = refusals
        self.explain = explain
        self._summaries: dict[object, CallSummary] = {}
        self._summarising: set[object] = set()
        self._effects = Summaries(module)
        self._types = TypeMemo()

    def analyse(
        self,
        primal: Function,
        name: str,
        activities: tuple[Activity, ...],
        returns: bool,
        seeds: Sequence[str],
        options: Options,
        reverse: bool,
        distinct: bool = False,
        groups: Sequence[int] | None = None,
        arrays: Sequence[ArrayParameter] = (),
        discarded: frozenset[int] = frozenset(),
        is_entry: bool = True,
    ) -> FunctionAnalyses:
        with stage("analyses"):
            key = (primal.name, activities, returns, tuple(seeds), reverse)
            prepared = prepare(
                primal,
                name,
                activities,
                options.success,
                reverse,
                options.width,
                lambda copy, mapping: self.refusals.cut(key, primal, copy, mapping),
                lambda copy: AliasOracle(
                    self.module,
                    copy,
                    distinct_arguments=distinct,
                    groups=groups,
                    summaries=self._effects,
                    arrays=arrays,
                ),
            )
            check_constructs(prepared.function, primal.name, prepared.cold)

            def infer() -> TypeAnalysis:
                given = list(seeds) or [""] * len(primal.args)
                try:
                    return analyse_types(
                        self.module,
                        prepared.function,
                        given,
                        skipped=prepared.cold,
                        memo=self._types,
                    )
                except IllegalTypeAnalysisException as error:
                    # The clash is in the tapes, and of no use to anybody.
                    call = next(filter(keeps_tapes, prepared.function.instructions()), None)
                    if call is None:
                        stands_in(error, prepared.function, primal)
                        raise
                    raise tapes_twice(call) from None

            types = infer()
            if copy_addresses_as_such(prepared.function, types):
                types = infer()
            function = prepared.function
            reached("address_copies", primal.name, function, lambda: print_function(function))
            reached("types", primal.name, types, lambda: types_text(types))
            oracle = AliasOracle(
                self.module,
                prepared.function,
                distinct_arguments=distinct,
                types=types,
                groups=groups,
                summaries=self._effects,
                arrays=arrays,
            )
            reached("aliasing", primal.name, oracle, lambda: aliasing_text(oracle))

            def solve(
                written: Mapping[Value, Collection[Instruction]] | None = None,
                numbers: frozenset[Value] = frozenset(),
            ) -> ActivityResult:
                solver = ActivitySolver(
                    prepared.function,
                    activities,
                    returns,
                    types,
                    oracle,
                    _rules,
                    self._summarise,
                    prepared.cold,
                    discarded,
                    written,
                    numbers,
                    is_entry,
                    returns_shadow=not is_entry
                    and returns
                    and may_hold_pointer(primal.function_type.ret),
                )
                return self._completed(solver.solve)

            activity = solve()
            reached("activity", primal.name, activity, lambda: str(activity))
            _check_inactive_results(activity)
            if activity.makes_constants:
                _check_makers_of_constants(activity)
            _check_operands(activity, prepared.cold)
            if options.err_if_const_written and activity.const_stores:
                meet = partial(_constants_at, oracle, activities, options.constants_meet)
                _check_const_storage(activity, solve, meet)
        texts = (str(activity), str(types)) if self.explain else ("", "")
        unread = prepared.unread
        return FunctionAnalyses(prepared, types, oracle, activity, texts, unread, is_entry)

    def _writable_parameters(self, callee: Function) -> frozenset[int]:
        """The parameters that a function may write through, itself or by calling itself."""
        effects = self._effects.of_function(callee)
        touched = touched_parameters(callee)
        return touched if effects.writes_other else touched & effects.writes

    def _completed(self, solve: Callable[[], ActivityResult]) -> ActivityResult:
        """Solve, and before that the callees that lie too deep below."""
        waiting: list[_TooDeep] = []
        while True:
            try:
                if not waiting:
                    return solve()
                callee, activities, _ = waiting[-1].key
                self._summarise(callee, activities, waiting[-1].types)
                waiting.pop()
            except _TooDeep as deep:
                if any(other.key == deep.key for other in waiting):
                    self._summaries[deep.key] = self._worst(deep.key[0])
                else:
                    waiting.append(deep)

    def _worst(self, callee: Function) -> CallSummary:
        """What is true of any call of a function."""
        return CallSummary(self._writable_parameters(callee), frozenset(), frozenset(), True)

    def _summarise(
        self, callee: Function, activities: tuple[Activity, ...], types: TypeAnalysis | None
    ) -> CallSummary:
        key: _Key = (callee, activities, () if types is None else types.seeds)
        found = self._summaries.get(key)
        if found is not None:
            return found
        if key in self._summarising:
            return self._worst(callee)
        if len(self._summarising) >= _MOST_NESTED:
            raise _TooDeep(key, types)
        self._summarising.add(key)
        try:
            made = self._summaries[key] = self._summary(callee, activities, types)
        finally:
            self._summarising.discard(key)
        return made

    def _summary(
        self, callee: Function, activities: tuple[Activity, ...], types: TypeAnalysis | None
    ) -> CallSummary:
        types = types or analyse_types(self.module, callee, memo=self._types)
        if has_address_copies(callee, types):
            return self._summary_of_copy(callee, activities, types)
        oracle = AliasOracle(self.module, callee, distinct_arguments=False, types=types)
        solver = ActivitySolver(
            callee, activities, True, types, oracle, _rules, self._summarise, set(), is_entry=False
        )
        result = solver.solve()
        written = frozenset(o.index for _, o in result.const_stores if isinstance(o, Argument))
        mixed = frozenset(argument.index for argument in result.mixed)
        held = frozenset(argument.index for argument in result.held)
        ends = [b.terminator for b in callee.blocks]
        returned = [i.operands[0] for i in ends if i.opcode == "ret" and i.operands]
        varied = any(
            v in result.varied or (may_hold_pointer(v.type) and result.has_shadow(v))
            for v in returned
        )
        packed = any(v in result.packed for v in returned)
        return CallSummary(written, mixed, held, varied, packed)

    def _summary_of_copy(
        self, callee: Function, activities: tuple[Activity, ...], types: TypeAnalysis
    ) -> CallSummary:
        """The same of a function in which pointers are moved as integers, as its derivative will see it."""
        copy, _ = clone_function(callee, self.module.fresh_symbol(f"{callee.name}.pointers"))
        try:
            given = types.seeds or [""] * len(copy.args)
            of_copy = analyse_types(self.module, copy, given, memo=self._types)
            if copy_addresses_as_such(copy, of_copy):
                of_copy = analyse_types(self.module, copy, given)
            if has_address_copies(copy, of_copy):
                return self._worst(callee)
            return self._summary(copy, activities, of_copy)
        finally:
            del self.module.functions[copy.name]
            for i in copy.instructions():
                i.drop_operands()


def _check_const_storage(
    activity: ActivityResult,
    solve: Callable[[dict[Value, set[Instruction]], frozenset[Value]], ActivityResult],
    meet: Callable[[Value], Sequence[Value]],
) -> None:
    """R25: derivatives that would be lost because they pass through constant memory.

    They are where the content of that memory, if it were followed, reached an active result. `meet` says which
    constants may be the same memory as one, itself among them.
    """
    module = activity.function.module
    unchecked = frozenset() if module is None else module.unchecked
    is_checked = partial(_is_checked, unchecked)
    stores = dict.fromkeys(filter(is_checked, activity.const_stores))
    addresses = activity.const_addresses
    while True:
        written: dict[Value, set[Instruction]] = {}
        for where, origin in stores:
            for place in meet(origin):
                written.setdefault(place, set()).add(where)
        followed = solve(written, frozenset(written) - addresses)
        for where, origin in stores:
            read = isinstance(origin, GlobalVariable)
            if read or not followed.useful_objects.isdisjoint(meet(origin)):
                raise const_storage(where, origin)
        known = len(stores), len(addresses)
        stores.update(dict.fromkeys(filter(is_checked, followed.const_stores)))
        addresses = addresses | followed.const_addresses
        if (len(stores), len(addresses)) == known:
            return


def _constants_at(
    oracle: AliasOracle, activities: Sequence[Activity], may_meet: bool, origin: Value
) -> list[Value]:
    """A constant, and if they `may_meet`, the other arguments that may be the same memory."""
    if not may_meet or not isinstance(origin, Argument):
        return [origin]
    others = [
        argument
        for argument, activity in zip(oracle.function.args, activities, strict=True)
        if activity is Activity.CONST and argument.type.is_pointer and argument is not origin
    ]
    return [origin, *(other for other in others if not oracle.are_distinct(origin, other))]


def _is_checked(unchecked: frozenset[str], store: tuple[Instruction, Value]) -> bool:
    """Is it an error if an active value that is stored there is read again?"""
    origin = store[1]
    return not (isinstance(origin, Call) and origin.callee_name in unchecked)


def _check_inactive_results(activity: ActivityResult) -> None:
    """The memory that an inactive function returns has no shadow, so no active data may be stored in it."""
    for call, known in inactive_calls(activity.function):
        origins = activity.oracle.underlying(call.arguments[0])
        if any(isinstance(o, Alloca) and activity.is_active_object(o) for o in origins):
            raise inactive_storage(call)
        if known.returns == WHAT_IT_WAS_GIVEN and all(
            activity.has_shadow(call.arguments[k]) for k in known.captures
        ):
            for store in _stores_behind(activity, origins):
                raise inactive_writes(store)


def _check_makers_of_constants(activity: ActivityResult) -> None:
    """Shadows are cleared where the function itself writes, and not where others do that it calls."""
    oracle = activity.oracle
    for call in activity.function.instructions():
        if not isinstance(call, Call) or call.callee_name.startswith("llvm.mem"):
            continue
        known = lookup_known(call)
        if known is not None and known.moves_no_numbers:
            continue
        callee = defined_callee(call)
        if callee is not None and callee.makes_constants:
            continue
        for argument in call.arguments:
            if argument.type.is_pointer and activity.has_shadow(argument):
                if oracle.may_write(call, argument) and not all(
                    oracle.objects.is_local(o) for o in oracle.underlying(argument)
                ):
                    raise inactive_callee_writes(call)


def _stores_behind(activity: ActivityResult, holders: Sequence[Value]) -> Iterator[Store]:
    """What is written to memory whose address was read in one of these."""
    oracle = activity.oracle
    for i in activity.function.instructions():
        if not isinstance(i, Store):
            continue
        for origin in oracle.underlying(i.pointer):
            if isinstance(origin, Load) and not set(holders).isdisjoint(
                oracle.underlying(origin.pointer)
            ):
                yield i


def _check_operands(activity: ActivityResult, skipped: Container[Block]) -> None:
    """No active value may go where a function has a derivative that is not known."""
    for block in activity.function.blocks:
        for call in () if block in skipped else block.instructions:
            row = row_for_call(call) if isinstance(call, Call) else None
            if row is None or not activity.is_active(call):
                continue
            assert isinstance(call, Call)
            for operand, rule in zip(call.arguments, row.rules, strict=False):
                if rule is not None and rule.lacks and activity.is_active(operand):
                    raise lacks_partial(call, rule.lacks)


def _rules(call: Call) -> Sequence[int] | None:
    row = row_for_call(call)
    return None if row is None else row.active_operands
