"""Globals through which derivatives pass: copies of the primals get their addresses as arguments with shadows.

To the engine globals are constant memory, and it refuses to lose a derivative there. A global that it names in such an
error becomes one more argument of the copies, and its shadow a global of ours, which is zero when a derivative begins:
what the global held before the call is a constant. A global that the program gives a shadow (``!enzyme_shadow``) is
passed with that, as an argument of the program would be.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.datalayout import DataLayout
from enzyme.engine.ir.instructions import Call, Store
from enzyme.engine.ir.module import Function, Module
from enzyme.engine.ir.types import I1, I8, I64, PTR, VOID, function_type
from enzyme.engine.ir.values import Argument, ConstInt, GlobalVariable, Value, zero_of
from enzyme.frontdoor.attributes import forget_effects
from enzyme.frontdoor.failures import FrontDoorError, without_copies
from enzyme.frontdoor.hidden_globals import mentions, replace_globals

_LEAVING = ("ret", "ptrtoint", "insertvalue", "insertelement", "cmpxchg", "atomicrmw")


def can_have_shadow(module: Module, name: str) -> bool:
    """Is it a variable of the module whose address nobody keeps?"""
    variable = module.globals.get(name)
    if not isinstance(variable, GlobalVariable) or variable.is_const or variable.type is not PTR:
        return False
    if "thread_local" in variable.prefix:
        return False
    wanted = {variable}
    for other in module.globals.values():
        initializer = getattr(other, "initializer", None) or getattr(other, "aliasee", None)
        if initializer is not None and mentions(initializer, wanted):
            return False
    for function in module.functions.values():
        for i in function.instructions():
            kept = [i.value] if isinstance(i, Store) else i.operands if i.opcode in _LEAVING else ()
            if any(mentions(value, wanted) for value in kept):
                return False
    return True


def pass_globals(
    functions: Sequence[Function],
    wanted: Iterable[GlobalVariable],
    passed: dict[Function, dict[GlobalVariable, Argument]],
) -> None:
    """Give copies parameters for the globals that they, or what they call, use.

    `passed` tells which they have, and then which they have got.
    """
    names = list(wanted)
    needed = {f: used_globals(f, names) for f in functions}
    while True:
        before = sum(map(len, needed.values()))
        for f in functions:
            for i in f.instructions():
                if isinstance(i, Call) and isinstance(i.callee, Function):
                    needed[f].update(needed.get(i.callee, {}))
        if sum(map(len, needed.values())) == before:
            break
    added: dict[Function, list[GlobalVariable]] = {}
    for f, uses in needed.items():
        if uses:
            has = passed.setdefault(f, {})
            added[f] = [g for g in names if g in uses and g not in has]
            _add_parameters(f, added[f], has)
    for f in functions:
        if f.module is not None:
            forget_effects(f.module, f)
    for f in added:
        for call in [i for i in f.instructions() if isinstance(i, Call)]:
            if isinstance(call.callee, Function) and added.get(call.callee):
                _pass(call, call.callee, [passed[f][g] for g in added[call.callee]])
        replace_globals(f, passed[f], lambda _, g, has=passed[f]: has[g])  # type: ignore[misc]


def used_globals(function: Function, names: Sequence[GlobalVariable]) -> dict[GlobalVariable, None]:
    """Which of these the function itself mentions."""
    return {
        g: None
        for g in names
        for i in function.instructions()
        for o in i.operands
        if mentions(o, {g})
    }


def _add_parameters(
    function: Function, added: list[GlobalVariable], has: dict[GlobalVariable, Argument]
) -> None:
    for g in added:
        argument = has[g] = Argument(PTR, f"global.{len(has)}", len(function.args))
        argument.function = function
        function.args.append(argument)
    kind = function.function_type
    function.function_type = function_type(kind.ret, [*kind.params, *(PTR for _ in added)])


def _pass(call: Call, callee: Function, more: list[Argument]) -> None:
    kind = call.function_type
    if function_type(kind.ret, [*kind.params, *(PTR for _ in more)]) is not callee.function_type:
        raise FrontDoorError(
            what=f"no derivative is known for the call of '{without_copies(callee.name)}' with another type "
            "than it is defined with",
            why="it uses a global through which derivatives pass",
            todo="pass the arguments that it is defined with",
        )
    b = Builder()
    b.before(call)
    made = Call(
        callee.function_type,
        callee,
        [*call.arguments, *more],
        call.name,
        call.flags,
        cc=call.cc,
        ret_attributes=call.ret_attributes,
        arg_attributes=[*call.arg_attributes, *("" for _ in more)],
        fn_attributes=call.fn_attributes,
    )
    made.metadata = dict(call.metadata)
    b.add(made)
    call.replace_uses_with(made)
    call.erase()


def shadow_of(module: Module, variable: GlobalVariable, level: int, lane: int) -> GlobalVariable:
    """The shadow of a global for derivatives around so many others; it begins as zeros."""
    name = f"{variable.name}.shadow.{f'{level}.' if level else ''}{lane}"
    found = module.globals.get(name)
    if isinstance(found, GlobalVariable):
        return found
    kind = variable.value_type
    made = GlobalVariable(name, kind, False, zero_of(kind), "internal", ", align 16")
    module.globals[name] = made
    return made


def extend_stand_in(
    module: Module,
    symbol: str,
    place: int,
    added: list[GlobalVariable],
    width: int,
    given: Mapping[GlobalVariable, GlobalVariable],
    level: int,
) -> list[GlobalVariable]:
    """Let the calls of a stand-in pass globals and their shadows behind so many operands.

    Shadows are `given` by the program, or ours, and then cleared first: also before the second half of a split
    derivative, whose tape has the addresses. Returned are ours.
    """
    stand_in = module.functions.get(symbol)
    if stand_in is None:
        return []
    more: list[Value] = []
    own: list[GlobalVariable] = []
    for variable in added:
        more.append(variable)
        if variable in given:
            more.append(given[variable])
            continue
        shadows = [shadow_of(module, variable, level, lane) for lane in range(width)]
        own += shadows
        more += shadows
    kinds = list(stand_in.function_type.params)
    kinds[place:place] = [PTR] * len(more)
    ret = stand_in.function_type.ret
    del module.functions[symbol]
    other = module.declare(symbol, function_type(ret, kinds))
    layout = DataLayout.of(module)
    for call in list(stand_in.users):
        assert isinstance(call, Call)
        b = Builder()
        b.before(call)
        for shadow in own:
            size = ConstInt(I64, layout.size_of(shadow.value_type))
            cleared: list[Value] = [shadow, ConstInt(I8, 0), size, ConstInt(I1, 0)]
            b.call_named("llvm.memset.p0.i64", VOID, cleared)
        operands = list(call.arguments)
        operands[place:place] = more
        made = Call(
            other.function_type,
            other,
            operands,
            call.name,
            opcode=call.opcode,
            destinations=list(call.successors()) if call.opcode == "invoke" else (),
        )
        made.metadata = dict(call.metadata)
        b.add(made)
        call.replace_uses_with(made)
        call.erase()
    return own
