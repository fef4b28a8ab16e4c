"""A whole forward-mode function: shadows, tangents, and what it gives back when it returns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from enzyme.engine.analysis.kinds import Activity
from enzyme.engine.analysis.known_functions import REFUSE
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.instructions import Alloca, Call, Instruction, Store
from enzyme.engine.ir.module import Block, Function, defined_callee
from enzyme.engine.ir.printer import print_function
from enzyme.engine.ir.types import I1, I64, PTR, VOID, StructType, Type
from enzyme.engine.ir.values import Argument, ConstInt, Value, zero_of
from enzyme.engine.synthesis.arena import ARENA_TYPE
from enzyme.engine.synthesis.forward import ForwardSynthesis
from enzyme.engine.synthesis.function_analyses import FunctionAnalyses
from enzyme.engine.synthesis.guards import Guards
from enzyme.engine.synthesis.helpers import helper
from enzyme.engine.synthesis.nan_checks import NanChecks
from enzyme.engine.synthesis.out_of_memory import emit_status, end_process, leave_without
from enzyme.engine.synthesis.refusals import refusal_of, take_refusal
from enzyme.engine.synthesis.scopes import Scopes, regions_of
from enzyme.engine.synthesis.shadows import Shadows
from enzyme.engine.synthesis.signatures import Options, add_shadow_arguments, move_body
from enzyme.support.watching import reached


def write_forward(
    made: Function,
    found: FunctionAnalyses,
    activities: tuple[Activity, ...],
    returns: bool,
    return_primal: bool,
    tells_failure: bool,
    options: Options,
    derive: Callable[[FunctionAnalyses, Call, Function, tuple[Activity, ...], bool], Function],
    checks: NanChecks | None = None,
) -> None:
    """Give `made`, so far a declaration, its body; `derive` gives the derivatives of callees.

    With `tells_failure` its last result says whether memory was short. `checks` look at all tangents.
    """
    module = made.module
    assert module is not None
    work, counted = found.prepared.function, module.runtime.counted
    guards = Guards(found.prepared, found.oracle, options, reverse=False, trusted=found.is_entry)
    _, shadow_arguments = add_shadow_arguments(work, activities, options.width)
    tangents: list[dict[Value, Value]] = [
        {a: s for a, s in lane.items() if not a.type.is_pointer} for lane in shadow_arguments
    ]
    regions = regions_of(found.oracle, found.prepared.blocks)
    scopes = Scopes(module, made.name, regions, options.scopes)
    arena = Alloca(ARENA_TYPE, PTR, None, 0, "arena")

    def hold(b: Builder, pointer: Value, tag: Value) -> None:
        b.call(helper(module, "enzyme_hold"), [arena, pointer, tag])

    def let_go(b: Builder, pointer: Value) -> None:
        b.call(helper(module, "enzyme_let_go"), [pointer, arena])

    entry: list[Instruction] = []

    def counter(argument: Argument) -> Value:
        slot = Alloca(I64, PTR, None, 0, "references")
        entry.extend((slot, Store(ConstInt(I64, 0), slot)))
        return slot

    def release(b: Builder, failed: bool) -> None:
        if failed:
            shadows.references.give_back(b, shadows.lanes)
        if shadows.held:
            b.call(helper(module, "enzyme_release"), [arena, ConstInt(I1, failed)])

    def visit_call(call: Call, b: Builder) -> bool:
        """What it returns is known when it is differentiated; what is behind its shadow is made before that."""
        if shadows.is_shadowed(call) and defined_callee(call):
            for _ in shadows.each_lane():
                place = Instruction("freeze", call.type, [zero_of(call.type)], f"{call.name}.d")
                shadows.shadow[call] = b.add(place)
        return True

    shadows = Shadows(
        work,
        found.activity,
        shadow_arguments,
        False,
        visit_call,
        hold,
        lambda b, other: None,
        lambda b, size: zero_of(PTR),
        counter if found.prepared.cold else None,
        let_go=let_go if counted is not None and counted.paired else None,
        checked=options.check_shadows,
    )
    shadows.insert(found.prepared.blocks, found.prepared.failing)
    shadows.tag(scopes)
    primal = found.prepared.primal
    # Not whole yet: what the derivative keeps on the stack comes last.
    reached("shadows", primal.name, None, lambda: print_function(work))
    synthesis = ForwardSynthesis(
        found.prepared,
        found.activity,
        shadows,
        scopes,
        tangents,
        lambda *call: derive(found, *call),
        guards,
        checks,
    )
    synthesis.run()
    type_ = made.function_type.ret
    outermost = None if tells_failure else checks
    synthesis.return_values(returns, return_primal, type_, tells_failure, release, outermost)
    has_primal = return_primal and work.function_type.ret is not VOID
    shortage = _Shortage(type_, has_primal, tells_failure, options, release)
    shortage.leave(work, shadows.fallible, options.no_memory_hook)
    shortage.leave(work, dict.fromkeys(synthesis.told, ()), "")
    shortage.refuse(found.prepared.failing)
    if shadows.held:
        entry.extend((arena, Store(zero_of(ARENA_TYPE), arena)))
    for position, instruction in enumerate(entry):
        work.entry.insert(position, instruction)
    for new, old in zip(made.args, work.args, strict=True):
        new.attributes = old.attributes
    move_body(module, work, made)
    if outermost is not None:
        outermost.begin(made)


@dataclass(frozen=True)
class _Shortage:
    """Exits for lack of memory, and of derivatives, from a derivative that returns `type_`."""

    type_: Type
    has_primal: bool
    tells_failure: bool
    options: Options
    release: Callable[[Builder, bool], None]

    def leave(
        self, work: Function, fallible: Mapping[Instruction, tuple[Value, ...]], hook: str
    ) -> None:
        """Return behind each of `fallible` that found memory short; `hook` says so to others, if anything."""
        made: list[Block] = []

        def exit_() -> Block:
            if not made:
                made.append(work.append_block("no.memory"))
            return made[0]

        for result, escaping in fallible.items():
            leave_without(result, exit_, escaping)
        for block in made:
            self._return(Builder(block), hook)

    def refuse(self, failing: Iterable[Block]) -> None:
        """Return where control gets to what is refused."""
        for block in failing:
            if refusal_of(block) is not None:
                number = take_refusal(block)
                self._return(Builder(block), REFUSE, number)

    def _return(self, b: Builder, hook: str, *arguments: Value) -> None:
        self.release(b, True)
        members = (self.type_.elements or ()) if isinstance(self.type_, StructType) else ()
        results: list[Value] = [zero_of(t) for t in members]
        status: Value | None = None
        if self.has_primal:
            status = emit_status(b, results[0].type, self.options.no_memory_status)
            results[0] = status or results[0]
        if self.tells_failure:
            results[-1] = ConstInt(I1, 1)
        elif status is None:
            end_process(b)
            return
        if hook:
            b.call_named(hook, VOID, list(arguments))
        b.ret(b.make_struct(self.type_, results))
