"""Globals whose content is declared to have no derivative: copies of the primals do not see which memory it is.

Otherwise an optimiser would read a number that was stored there a line before without the detour, and its derivative
with it. Each use takes the address from a function that is only declared, until all derivatives are made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.instructions import Call, Instruction, Phi
from enzyme.engine.ir.module import Function, Module
from enzyme.engine.ir.types import PTR, function_type
from enzyme.engine.ir.values import ConstAggregate, ConstExpr, GlobalVariable, Value
from enzyme.frontdoor.failures import FrontDoorError

ADDRESS = "enzyme.address."


def hide_globals(function: Function, hidden: Iterable[GlobalVariable]) -> None:
    """Let a copy ask for the addresses of globals."""

    def ask(b: Builder, variable: GlobalVariable) -> Value:
        wanted = function_type(PTR, [])
        return b.call(b.module.declare(ADDRESS + variable.name, wanted, "nounwind"), [])

    replace_globals(function, hidden, ask)


def replace_globals(
    function: Function,
    globals_: Iterable[GlobalVariable],
    address: Callable[[Builder, GlobalVariable], Value],
) -> None:
    """Let a function have the addresses of globals from elsewhere."""
    wanted = set(globals_)
    if not wanted:
        return
    for instruction in list(function.instructions()):
        for index, operand in enumerate(instruction.operands):
            if mentions(operand, wanted):
                b = Builder()
                b.before(_place(instruction, index))
                instruction.set_operand(index, _shown(b, operand, wanted, address))


def mentions(value: Value, wanted: set[GlobalVariable]) -> bool:
    """Is a constant the address of one of these, or made from it?"""
    if isinstance(value, GlobalVariable):
        return value in wanted
    return isinstance(value, ConstExpr | ConstAggregate) and any(
        mentions(o, wanted) for o in value.operands
    )


def _place(instruction: Instruction, index: int) -> Instruction:
    return instruction.blocks[index].terminator if isinstance(instruction, Phi) else instruction


def _shown(
    b: Builder,
    value: Value,
    wanted: set[GlobalVariable],
    address: Callable[[Builder, GlobalVariable], Value],
) -> Value:
    """The value, from addresses that were asked for."""
    if isinstance(value, GlobalVariable):
        return address(b, value) if value in wanted else value
    if isinstance(value, ConstExpr) and mentions(value, wanted):
        if value.opcode == "getelementptr" and value.source_type is not None:
            base = _shown(b, value.operands[0], wanted, address)
            return b.gep(value.source_type, base, list(value.operands[1:]))
        raise FrontDoorError(
            where=f"in @{b.function.name}",
            what=f"the address of a global is used in a constant {value.opcode}",
            todo="use its address itself",
        )
    return value


def show_globals(module: Module) -> None:
    """When all derivatives are made: use the addresses themselves again."""
    for name, function in list(module.functions.items()):
        if not name.startswith(ADDRESS):
            continue
        variable = module.globals[name.removeprefix(ADDRESS)]
        for call in list(function.users):
            assert isinstance(call, Call)
            call.replace_uses_with(variable)
            call.erase()
        del module.functions[name]
