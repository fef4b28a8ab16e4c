"""Exceptions in copies of primals: calls do not come back by another way.

An exception that leaves the primal leaves the derivative. What the derivative held then is not released, and
destructors of the primal's variables do not run. Where the primal may catch an exception itself, what it does
then has no derivative: a ``throw`` ends the process with a message.
"""

from __future__ import annotations

import re

from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.instructions import Call, Instruction, Raw
from enzyme.engine.ir.module import Block, Function, Module
from enzyme.frontdoor.attributes import add_attribute, without_words
from enzyme.frontdoor.failures import FrontDoorError, without_copies
from enzyme.frontdoor.messages import ending

_NOUNWIND = re.compile(r"\bnounwind\b")
_THROWING = ("__cxa_throw", "__cxa_rethrow")
CAUGHT = "enzyme.caught_exception"
_MESSAGE = "enzyme: a derivative threw an exception that its primal may catch; what it does then has no derivative"


def call_for_invokes(function: Function) -> bool:
    """Let ``invoke`` be ``call`` in a copy; may the function catch an exception and go on?"""
    catches = False
    for block in list(function.blocks):
        call = block.instructions[-1] if block.instructions else None
        if not isinstance(call, Call) or call.opcode != "invoke":
            continue
        normal, unwind = call.successors()
        if not any(i.opcode == "landingpad" for i in unwind.instructions):
            continue
        catches = catches or _goes_on(unwind)
        b = Builder()
        b.before(call)
        made = Call(
            call.function_type,
            call.callee,
            call.arguments,
            call.name,
            call.flags,
            cc=call.cc,
            ret_attributes=call.ret_attributes,
            arg_attributes=call.arg_attributes,
            fn_attributes=call.fn_attributes,
        )
        made.metadata = dict(call.metadata)
        b.add(made)
        if call.users:
            call.replace_uses_with(made)
        b.br(normal)
        for phi in unwind.phis():
            phi.remove_incoming(block)
        call.erase()
    if _opcodes(function) & {"landingpad", "resume"}:
        _drop_unreachable(function)
        left = _opcodes(function)
        if "resume" in left and "landingpad" not in left:
            raise FrontDoorError(
                what="an exception goes on ('resume') that nothing caught",
                why="no landing pad leads there",
                where=without_copies(f"in @{function.name}"),
            )
    return catches


def _opcodes(function: Function) -> set[str]:
    return {i.opcode for i in function.instructions()}


def _goes_on(pad: Block) -> bool:
    """Does a landing pad catch something, and does control come to a ``ret`` from there?"""
    if not any(i.opcode == "landingpad" and "catch" in _text(i) for i in pad.instructions):
        return False
    pending, seen = [pad], {pad}
    while pending:
        block = pending.pop()
        end = block.terminator
        if end.opcode == "ret":
            return True
        for successor in end.successors():
            if successor not in seen:
                seen.add(successor)
                pending.append(successor)
    return False


def _text(i: Instruction) -> str:
    return " ".join(p for p in i.pieces if isinstance(p, str)) if isinstance(i, Raw) else ""


def _drop_unreachable(function: Function) -> None:
    """Landing pads to which nothing leads any more go, with all that only they lead to."""
    seen = {function.entry}
    pending = [function.entry]
    while pending:
        for successor in pending.pop().successors():
            if successor not in seen:
                seen.add(successor)
                pending.append(successor)
    gone = [block for block in function.blocks if block not in seen]
    for block in function.blocks:
        for phi in block.phis():
            phi.remove_incoming(*gone)
    for block in gone:
        for i in block.instructions:
            i.drop_operands()
    function.blocks = [block for block in function.blocks if block in seen]


def end_where_thrown(module: Module, function: Function) -> None:
    """Let ``throw`` end the process in a copy: something around it might catch."""
    for call in [i for i in function.instructions() if isinstance(i, Call)]:
        if call.callee_name in _THROWING and not call.users:
            b = Builder()
            b.before(call)
            b.call(ending(module, CAUGHT, _MESSAGE), [])
            call.erase()


def let_exceptions_pass(module: Module) -> None:
    """Derivatives of functions that throw can be left by exceptions."""
    if not any(name in module.functions for name in _THROWING):
        return
    for function in module.functions.values():
        if (
            function.name.startswith(("fwd.", "grad.", "aug.", "rev.", "entry."))
            and function.blocks
        ):
            function.suffix = without_words(module, function.suffix, _NOUNWIND)
            add_attribute(function, "uwtable")
