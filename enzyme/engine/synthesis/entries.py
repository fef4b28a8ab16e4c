"""The two functions of split reverse mode that the outside calls, around the split pair of a function.

The tape is the arena itself, on the heap, with the frame of the slots behind it: whoever holds its address can run
the reverse pass once, or drop it (`enzyme_close`).  Where neither function touches the arena there is no tape.
"""

from __future__ import annotations

from collections.abc import Callable

from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.module import Function, Module, new_function
from enzyme.engine.ir.types import I1, I8, I32, I64, PTR, VOID, Type, struct_type
from enzyme.engine.ir.values import ConstInt, Value, zero_of
from enzyme.engine.synthesis.arena import ARENA_BYTES
from enzyme.engine.synthesis.helpers import helper
from enzyme.engine.synthesis.nan_checks import NanChecks
from enzyme.engine.synthesis.signatures import ATTRIBUTES


def keeps_nothing(augmented: Function, reverse: Function) -> bool:
    """Do both functions leave arena and frame alone? A frame without slots is the arena, handed over."""
    if reverse.args[-1].users or reverse.args[-2].users:
        return False
    return all(user.opcode == "insertvalue" for user in augmented.args[-1].users)


def write_augmented(
    module: Module,
    augmented: Function,
    success: tuple[int, ...],
    no_memory: Callable[[Builder], Value],
    with_tape: bool,
) -> Function:
    """``(parameters) -> {status, tape}``; `no_memory` emits what tells the caller and gives the status."""
    parameters = [(a.type, a.name) for a in augmented.args[:-1]]
    entry = _new(module, augmented, struct_type([augmented_status(augmented), PTR]), parameters)
    b = Builder(entry.append_block("entry"))
    given: list[Value] = list(entry.args)
    nothing = zero_of(PTR)
    if not with_tape:
        made = b.call(augmented, [*given, nothing])
        status = b.extract_value(made, [0])
        b.ret(b.make_struct(entry.function_type.ret, [status, nothing]))
        return entry
    arena = b.call(helper(module, "enzyme_open"), [])
    short, ready = entry.append_block("short"), entry.append_block("ready")
    b.cond_br(b.icmp("eq", arena, nothing), short, ready)
    b.at_end(short)
    b.ret(b.make_struct(entry.function_type.ret, [no_memory(b), nothing]))
    b.at_end(ready)
    made = b.call(augmented, [*given, arena])
    status, frame = b.extract_value(made, [0]), b.extract_value(made, [1])
    kept, failed = entry.append_block("kept"), entry.append_block("failed")
    good: Value = ConstInt(I1, 0)
    for code in success:
        good = b.or_(good, b.icmp("eq", status, ConstInt(status.type, code)))
    b.cond_br(good, kept, failed)
    b.at_end(kept)
    b.store(frame, _frame_of(b, arena))
    b.ret(b.make_struct(entry.function_type.ret, [status, arena]))
    b.at_end(failed)
    b.call(helper(module, "enzyme_close"), [arena, ConstInt(I1, 1)])
    b.ret(b.make_struct(entry.function_type.ret, [status, nothing]))
    return entry


def write_augmented_without_status(
    module: Module, augmented: Function, abort: str, with_tape: bool
) -> Function:
    """``(parameters) -> {result, tape}`` of a primal that cannot report failure: without memory the process ends."""
    parameters = [(a.type, a.name) for a in augmented.args[:-1]]
    kind = augmented.function_type.ret
    last = len(kind.elements) - 1  # type: ignore[attr-defined]
    entry = _new(module, augmented, kind, parameters)
    b = Builder(entry.append_block("entry"))
    given: list[Value] = list(entry.args)
    nothing = zero_of(PTR)
    if not with_tape:
        made: Value = b.call(augmented, [*given, nothing])
        b.ret(b.insert_value(made, nothing, [last]))
        return entry
    arena = b.call(helper(module, "enzyme_open"), [])
    short, ready = entry.append_block("short"), entry.append_block("ready")
    b.cond_br(b.icmp("eq", arena, nothing), short, ready)
    b.at_end(short)
    b.call_named(abort, VOID, [])
    b.unreachable()
    b.at_end(ready)
    made = b.call(augmented, [*given, arena])
    b.store(b.extract_value(made, [last]), _frame_of(b, arena))
    b.ret(b.insert_value(made, arena, [last]))
    return entry


def augmented_status(augmented: Function) -> Type:
    elements = getattr(augmented.function_type.ret, "elements", None)
    assert elements is not None and len(elements) == 2, "split mode needs a status"
    status: Type = elements[0]
    return status


def write_reverse(
    module: Module, reverse: Function, with_tape: bool, checks: NanChecks | None
) -> Function:
    """``(parameters, seed, tape) -> adjoints``; the tape is freed. An error of NaN is raised, and the caller asks."""
    parameters = [(a.type, a.name) for a in reverse.args[:-2]]
    if with_tape:
        parameters.append((PTR, "tape"))
    entry = _new(module, reverse, reverse.function_type.ret, parameters)
    b = Builder(entry.append_block("entry"))
    given: list[Value] = list(entry.args)
    if with_tape:
        arena = given.pop()
        made = b.call(reverse, [*given, arena, b.load(PTR, _frame_of(b, arena))])
        b.call(helper(module, "enzyme_close"), [arena, ConstInt(I1, 0)])
    else:
        made = b.call(reverse, [*given, zero_of(PTR), zero_of(PTR)])
    if checks is not None:
        checks.status(b, ConstInt(I32, 0))
    b.ret(None if reverse.function_type.ret is VOID else made)
    if checks is not None:
        checks.begin(entry)
    return entry


def _new(
    module: Module, inner: Function, ret: Type, parameters: list[tuple[Type, str]]
) -> Function:
    entry = new_function(module, module.fresh_symbol(f"entry.{inner.name}"), ret, parameters)
    entry.prefix, entry.suffix = "", ATTRIBUTES
    inner.prefix = "internal"
    return entry


def _frame_of(b: Builder, arena: Value) -> Value:
    return b.gep(I8, arena, [ConstInt(I64, ARENA_BYTES)])
