"""A whole forward-mode function: shadows, tangents, and what it gives back when it returns."""

from __future__ import annotations

from collections.abc import Callable

from enzyme.engine.analysis.kinds import Activity
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.instructions import Alloca, Call, Instruction, Store
from enzyme.engine.ir.module import Block, Function
from enzyme.engine.ir.types import I1, I64, PTR, VOID, StructType, Type
from enzyme.engine.ir.values import Argument, ConstInt, Value, zero_of
from enzyme.engine.synthesis.analysed import Analysed
from enzyme.engine.synthesis.arena import ARENA_TYPE
from enzyme.engine.synthesis.forward import ForwardSynthesis
from enzyme.engine.synthesis.helpers import helper
from enzyme.engine.synthesis.scopes import Scopes
from enzyme.engine.synthesis.shadows import Shadows
from enzyme.engine.synthesis.shortage import emit_status, leave_without
from enzyme.engine.synthesis.signatures import Options, add_shadow_arguments, move_body


def write_forward(
    made: Function,
    found: Analysed,
    activities: tuple[Activity, ...],
    returns: bool,
    return_primal: bool,
    options: Options,
    derive: Callable[[Analysed, Call, Function, tuple[Activity, ...], bool], Function],
) -> None:
    """Give `made`, so far a declaration, its body; `derive` gives the derivatives of callees."""
    module = made.module
    assert module is not None
    work = found.prepared.function
    _, shadow_arguments = add_shadow_arguments(work, activities, options.width)
    tangents: list[dict[Value, Value]] = [
        {a: s for a, s in lane.items() if not a.type.is_pointer} for lane in shadow_arguments
    ]
    scopes = Scopes(module, made.name, options.scopes)
    arena = Alloca(ARENA_TYPE, PTR, None, 0, "arena")

    def hold(b: Builder, pointer: Value, tag: Value) -> None:
        b.call(helper(module, "enzyme_hold"), [arena, pointer, tag])

    entry: list[Instruction] = []

    def counter(argument: Argument) -> Value:
        slot = Alloca(I64, PTR, None, 0, "references")
        entry.extend((slot, Store(ConstInt(I64, 0), slot)))
        return slot

    def release(b: Builder, failed: bool) -> None:
        if failed:
            shadows.let_go(b)
        if shadows.held:
            b.call(helper(module, "enzyme_release"), [arena, ConstInt(I1, failed)])

    shadows = Shadows(
        work,
        found.activity,
        shadow_arguments,
        False,
        lambda call, b: True,
        hold,
        lambda b, other: None,
        counter if found.prepared.cold else None,
        {},
    )
    shadows.insert(found.prepared.blocks, found.prepared.cold)
    shadows.tag(scopes)
    synthesis = ForwardSynthesis(
        found.prepared,
        found.activity,
        shadows,
        scopes,
        tangents,
        lambda *call: derive(found, *call),
        options.strong_zero,
    )
    synthesis.run()
    synthesis.return_values(returns, return_primal, made.function_type.ret, release)
    _leave_without_memory(work, made.function_type.ret, return_primal, shadows, options, release)
    if shadows.held:
        entry.extend((arena, Store(zero_of(ARENA_TYPE), arena)))
    for position, instruction in enumerate(entry):
        work.entry.insert(position, instruction)
    for new, old in zip(made.args, work.args, strict=True):
        new.attributes = old.attributes
    move_body(module, work, made)
    made.suffix = "nounwind"


def _leave_without_memory(
    work: Function,
    result: Type,
    return_primal: bool,
    shadows: Shadows,
    options: Options,
    release: Callable[[Builder, bool], None],
) -> None:
    """Return the status for lack of memory where a shadow cannot be had."""
    made: list[Block] = []

    def exit_() -> Block:
        if not made:
            made.append(work.append_block("no.memory"))
        return made[0]

    for shadow in shadows.fallible:
        leave_without(shadow, exit_)
    for block in made:
        b = Builder(block)
        release(b, True)
        members = (result.elements or ()) if isinstance(result, StructType) else ()
        primal = members[0] if return_primal and members else VOID
        status = emit_status(b, primal, options.no_memory_status, options.no_memory_hook)
        if status is not None:
            b.ret(b.make_struct(result, [status, *map(zero_of, members[1:])]))
