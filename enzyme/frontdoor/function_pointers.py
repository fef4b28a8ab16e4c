"""Calls through pointers, as calls of the functions of the module whose address is taken somewhere.

``p(x)`` becomes ``p == &f ? f(x) : p == &g ? g(x) : ...`` over all functions of the type of the call; where a virtual
function is called, over those that stand where the call looks. So tables of functions, virtual methods and callbacks
have derivatives that are known when the program is compiled. A pointer that is none of them ends the process with a
message: its function is not in the module, or asks itself for the derivative that calls it (`derivative_cycles`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.instructions import Call
from enzyme.engine.ir.module import Block, Function, Module
from enzyme.engine.ir.types import VOID
from enzyme.engine.ir.values import (
    ConstAggregate,
    ConstExpr,
    GlobalAlias,
    GlobalVariable,
    Value,
)
from enzyme.frontdoor.derivative_cycles import is_by_pointer
from enzyme.frontdoor.messages import ending
from enzyme.frontdoor.operands import location_in
from enzyme.frontdoor.surface import call_word, declaration_word
from enzyme.frontdoor.virtual_tables import VirtualTables

UNKNOWN = "enzyme.unknown_function"
_MESSAGE = "enzyme: a derivative called by a pointer what is no function of its module, or asks for that derivative"


def call_known_functions(
    function: Function, taken: Sequence[Function], tables: VirtualTables
) -> None:
    """Rewrite the calls through pointers in a function; the `taken` functions are those with an address."""
    calls = [i for i in function.instructions() if isinstance(i, Call) and is_by_pointer(i)]
    module = function.module
    if not calls or module is None:
        return
    for call in calls:
        candidates = [
            f for f in taken if f.function_type is call.function_type and tables.may_call(call, f)
        ]
        if candidates:
            _Chain(module, call, candidates).write()


def taken_functions(module: Module) -> list[Function]:
    """Functions whose address somebody has, but for what is asked of Enzyme."""
    found: dict[Function, None] = {}
    for variable in module.globals.values():
        if isinstance(variable, GlobalVariable) and variable.initializer is not None:
            if declaration_word(variable.name) is None:
                found.update(dict.fromkeys(_functions_in(variable.initializer)))
    for function in module.functions.values():
        for i in function.instructions():
            if isinstance(i, Call):
                own = i.callee_name.startswith("enzyme.") or call_word(i.callee_name) is not None
                operands = i.arguments[1:] if own else i.arguments
                if i.callee_name == "__cxa_throw":  # its destructor is called where it is caught
                    operands = []
            else:
                operands = i.operands
            for operand in operands:
                found.update(dict.fromkeys(_functions_in(operand)))
    return list(found)


def _functions_in(value: Value) -> Iterator[Function]:
    if isinstance(value, Function):
        if not value.name.startswith("llvm."):
            yield value
    elif isinstance(value, GlobalAlias):
        yield from _functions_in(value.aliasee)
    elif isinstance(value, ConstAggregate | ConstExpr):
        for operand in value.operands:
            yield from _functions_in(operand)


class _Chain:
    """The calls that stand in the place of one."""

    def __init__(self, module: Module, call: Call, candidates: list[Function]) -> None:
        self.module = module
        self.call = call
        self.candidates = candidates
        self.function = call.function

    def write(self) -> None:
        call, function = self.call, self.function
        first = call.parent
        assert first is not None
        after = self._split(first)
        normal = call.successors() if call.opcode == "invoke" else iter(())
        targets = list(normal)
        made: list[tuple[Value, Block]] = []
        b = Builder()
        block = first
        for candidate in self.candidates:
            hit = function.append_block("known", block)
            miss = function.append_block("other", hit)
            b.at_end(block)
            b.cond_br(b.icmp("eq", call.callee, candidate), hit, miss)
            b.at_end(hit)
            made.append((self._call(b, candidate, hit, after, targets), hit))
            block = miss
        b.at_end(block)
        b.call(ending(self.module, UNKNOWN, _MESSAGE), [])
        b.unreachable()
        b.at_end(after)
        if call.type is not VOID and call.users:
            phi = b.phi(call.type, call.name)
            for value, hit in made:
                phi.add_incoming(value, hit)
            call.replace_uses_with(phi)
        if targets:
            for phi_ in targets[1].phis():
                value = phi_.value_from(first)
                phi_.remove_incoming(first)
                for _, hit in made:
                    phi_.add_incoming(value, hit)
        call.erase()

    def _split(self, block: Block) -> Block:
        """Move what stands behind the call into a block of its own."""
        call = self.call
        after = self.function.append_block("called", block)
        place = block.index_of(call)
        moved = block.instructions[place + 1 :]
        for i in moved:
            i.parent = after
        after.instructions = moved
        block.instructions = block.instructions[:place]
        call.parent = after
        if call.opcode == "invoke":
            # The way on: the call's own block leads there no more.
            normal = next(call.successors())
            b = Builder(after)
            b.br(normal)
            for phi in normal.phis():
                _rename_incoming(phi.blocks, block, after)
        else:
            for successor in dict.fromkeys(after.terminator.successors()):
                for phi in successor.phis():
                    _rename_incoming(phi.blocks, block, after)
        call.parent = None
        return after

    def _call(
        self, b: Builder, candidate: Function, hit: Block, after: Block, targets: list[Block]
    ) -> Value:
        call = self.call
        made = Call(
            call.function_type,
            candidate,
            call.arguments,
            flags=call.flags,
            opcode="invoke" if targets else "call",
            destinations=[after, targets[1]] if targets else (),
            head="" if targets else call.head.replace("musttail", "").strip(),
            cc=call.cc,
            ret_attributes=call.ret_attributes,
            arg_attributes=call.arg_attributes,
            fn_attributes=call.fn_attributes,
        )
        made.metadata = location_in(call)
        hit.append(made)
        if not targets:
            b.br(after)
        return made


def _rename_incoming(blocks: list[Block], old: Block, new: Block) -> None:
    for index, block in enumerate(blocks):
        if block is old:
            blocks[index] = new
