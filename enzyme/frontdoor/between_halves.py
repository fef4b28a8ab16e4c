"""What the program writes to globals between the two calls of a split derivative that is itself differentiated.

Outermost split derivatives keep what they need of globals (`global_shadows`). One inside of another derivative finds in
them what they hold when its second half runs. Where they may have been written since, that would be another value than
its first half computed with, so it is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from enzyme.engine.analysis.cfg import ControlFlow
from enzyme.engine.analysis.known_functions import lookup_known
from enzyme.engine.analysis.pointer_uses import step_of
from enzyme.engine.derivatives.catalogue import row_for_call
from enzyme.engine.ir.graph import reached
from enzyme.engine.ir.instructions import Alloca, Call, Instruction, Load, Store
from enzyme.engine.ir.module import Block, Function
from enzyme.engine.ir.opcodes import ATOMICS
from enzyme.engine.ir.values import GlobalVariable, Value
from enzyme.frontdoor.active_globals import used_globals
from enzyme.frontdoor.copies import STAND_IN, reachable
from enzyme.frontdoor.demands import REVERSING, LoweredModule
from enzyme.frontdoor.failures import FrontDoorError
from enzyme.frontdoor.missing_shadows import may_point


def refuse_changed(
    prepared: LoweredModule,
    symbol: str,
    variables: Iterable[GlobalVariable],
) -> None:
    """Refuse a split derivative if one of the globals that its primal uses may change between its halves."""
    functions = list(prepared.module.functions.values())
    demand = prepared.demands[symbol]
    own = reachable([prepared.module.functions[demand.primal]])
    names = list(variables)
    used = list(dict.fromkeys(g for f in own for g in used_globals(f, names)))
    if not used:
        return
    writers = _Writers(prepared, used)
    for i in _between(symbol, functions):
        found = writers.by(i)
        if found is not None:
            raise FrontDoorError(
                where=demand.place,
                what=f"@{found.name} may change between the two calls of the split derivative of "
                f"@{demand.request.function}",
                why="that derivative is differentiated itself, and such a one does not keep what globals held",
                todo="pass the memory as an argument with enzyme_dup, write to it before or after both calls, or "
                "use __enzyme_autodiff there",
            )


def _between(symbol: str, functions: Sequence[Function]) -> Iterator[Instruction]:
    """What may run behind a first half and in front of a second one.

    Halves in different functions may have anything between them.
    """
    for function in functions:
        first = [i for i in function.instructions() if _calls(i, symbol)]
        second = [i for i in function.instructions() if _calls(i, symbol + REVERSING)]
        if bool(first) != bool(second):
            yield from (i for f in functions for i in f.instructions() if not _calls(i, symbol))
            return
        if first:
            after = set(_behind(first))
            yield from (i for i in _in_front(second, ControlFlow(function)) if i in after)


def _calls(i: Instruction, name: str) -> bool:
    return isinstance(i, Call) and i.callee_name == name


def _behind(starts: Sequence[Instruction]) -> Iterator[Instruction]:
    blocks = [_block(i) for i in starts]
    for start, block in zip(starts, blocks, strict=True):
        yield from block.instructions[block.index_of(start) + 1 :]
    for block in reached((s for b in blocks for s in b.successors()), Block.successors):
        yield from block.instructions


def _in_front(ends: Sequence[Instruction], cfg: ControlFlow) -> Iterator[Instruction]:
    blocks = [_block(i) for i in ends]
    for end, block in zip(ends, blocks, strict=True):
        yield from block.instructions[: block.index_of(end)]
    for block in reached((p for b in blocks for p in cfg.predecessors(b)), cfg.predecessors):
        yield from block.instructions


def _block(i: Instruction) -> Block:
    assert i.parent is not None
    return i.parent


# Kinds of functions behind which memory is not what it was.
_ENDING = ("free", "reallocate")


class _Writers:
    """Tells what writes to one of the globals, or to memory that a pointer in one may lead to."""

    def __init__(self, prepared: LoweredModule, variables: Sequence[GlobalVariable]) -> None:
        self.prepared = prepared
        self.variables = variables
        given = prepared.declared.shadows  # may have their addresses anywhere
        self.pointing = next((g for g in variables if g in given or may_point(g.value_type)), None)
        self._known: dict[Function, GlobalVariable | None] = {}

    def by(self, i: Instruction) -> GlobalVariable | None:
        """The global that an instruction may write to, if any."""
        if isinstance(i, Call):
            return self._by_call(i)
        if isinstance(i, Store):
            return self._behind_pointer(i.pointer)
        return self._behind_pointer(i.operands[0]) if i.opcode in ATOMICS else None

    def _by_call(self, call: Call) -> GlobalVariable | None:
        name = call.callee_name
        if name.startswith(STAND_IN):
            # The second half writes to shadows only.
            demand = self.prepared.demands.get(name)
            primal = demand and self.prepared.module.functions.get(demand.primal)
            return self._by_function(primal) if primal else None
        if isinstance(call.callee, Function) and call.callee.blocks:
            return self._by_function(call.callee)
        if row_for_call(call) is not None:
            return None
        known = lookup_known(call)
        for place, argument in enumerate(call.arguments):
            writes = known is None or place in known.writes or known.kind in _ENDING
            if argument.type.is_pointer and writes:
                found = self._behind_pointer(argument)
                if found is not None:
                    return found
        return None

    def _by_function(self, function: Function) -> GlobalVariable | None:
        if function not in self._known:
            self._known[function] = None  # while it is looked at
            found = (self.by(i) for i in function.instructions())
            self._known[function] = next((g for g in found if g is not None), None)
        return self._known[function]

    def _behind_pointer(self, pointer: Value) -> GlobalVariable | None:
        pending, seen = [pointer], {pointer}
        while pending:
            value = pending.pop()
            if isinstance(value, Alloca):
                continue
            if isinstance(value, GlobalVariable):
                if value in self.variables:
                    return value
                continue
            step = step_of(value)
            origins = [] if step is None or isinstance(value, (Load, Call)) else step(value)
            if not origins and self.pointing is not None and not _is_fresh(value):
                return self.pointing
            for origin in origins:
                if origin not in seen:
                    seen.add(origin)
                    pending.append(origin)
        return None


def _is_fresh(value: Value) -> bool:
    """Memory that was just made is in no global."""
    known = lookup_known(value) if isinstance(value, Call) else None
    return known is not None and known.kind == "allocate"


__all__ = ["refuse_changed"]
