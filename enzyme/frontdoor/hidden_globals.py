"""Globals whose content is declared to have no derivative: copies of the primals do not see which memory it is.

Otherwise an optimiser would read a number that was stored there a line before without the detour, and its derivative
with it. Each use takes the address from a function that is only declared, until all derivatives are made.
"""

from __future__ import annotations

from collections.abc import Iterable

from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.instructions import Call, Instruction, Phi
from enzyme.engine.ir.module import Function, Module
from enzyme.engine.ir.types import PTR, function_type
from enzyme.engine.ir.values import ConstExpr, GlobalVariable, Value
from enzyme.frontdoor.failures import FrontDoorError

ADDRESS = "enzyme.address."


def hide_globals(function: Function, hidden: Iterable[GlobalVariable]) -> None:
    """Let a copy ask for the addresses of globals."""
    wanted = set(hidden)
    if not wanted:
        return
    for instruction in list(function.instructions()):
        for index, operand in enumerate(instruction.operands):
            if _mentions(operand, wanted):
                b = Builder()
                b.before(_place(instruction, index))
                instruction.set_operand(index, _shown(b, operand, wanted))


def _mentions(value: Value, wanted: set[GlobalVariable]) -> bool:
    if isinstance(value, GlobalVariable):
        return value in wanted
    return isinstance(value, ConstExpr) and any(_mentions(o, wanted) for o in value.operands)


def _place(instruction: Instruction, index: int) -> Instruction:
    return instruction.blocks[index].terminator if isinstance(instruction, Phi) else instruction


def _shown(b: Builder, value: Value, wanted: set[GlobalVariable]) -> Value:
    """The value, from addresses that were asked for."""
    if isinstance(value, GlobalVariable):
        if value not in wanted:
            return value
        ask = b.module.declare(ADDRESS + value.name, function_type(PTR, []), "nounwind")
        return b.call(ask, [])
    if isinstance(value, ConstExpr) and _mentions(value, wanted):
        if value.opcode == "getelementptr" and value.source_type is not None:
            base = _shown(b, value.operands[0], wanted)
            return b.gep(value.source_type, base, list(value.operands[1:]))
        raise FrontDoorError(
            where=f"in @{b.function.name}",
            what=f"a global that is declared inactive is used in a constant {value.opcode}",
            todo="use its address itself",
        )
    return value


def show_globals(module: Module) -> None:
    """When all derivatives are made: use the addresses themselves again."""
    for name, function in list(module.functions.items()):
        if not name.startswith(ADDRESS):
            continue
        variable = module.globals.get(name.removeprefix(ADDRESS))
        if variable is None:
            continue
        for call in list(function.users):
            assert isinstance(call, Call)
            call.replace_uses_with(variable)
            call.erase()
        del module.functions[name]
