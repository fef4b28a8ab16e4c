"""Puts derivatives in the place of ``__enzyme_*`` calls.

1. What is declared of functions and globals is read (`declarations`), then the calls (`sites`). Every call becomes a
   call of an external stand-in that takes the function and exactly the operands of the
   derivative, so that optimisation cannot lose a marker or move an operand.
2. The functions to differentiate, and all they call, are copied into internal functions (`copies`). These may be
   inlined and rewritten freely; the program's own functions keep their linkage and their bodies.
3. The module is optimised as differentiation wants it, derivatives are made, and the stand-ins call them (`demands`).
   Where the body of a primal holds a stand-in itself (a derivative of a derivative), that one is lowered first
   and the module optimised again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from enzyme.backend import passes
from enzyme.backend.call_sites import CallMismatchError
from enzyme.engine.analysis.kinds import DiffMode
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.instructions import Call
from enzyme.engine.ir.module import Module
from enzyme.engine.ir.parser import parse_module
from enzyme.engine.ir.types import I64, PTR, VOID, Type, function_type, struct_type
from enzyme.engine.ir.values import ConstInt, GlobalVariable, Value
from enzyme.engine.synthesis.request import DiffRequest
from enzyme.errors import EnzymeConstStorageError, IRParseError
from enzyme.frontdoor.active_globals import can_have_shadow
from enzyme.frontdoor.batch import BATCH_WORD, write_batch
from enzyme.frontdoor.c_library import C_LIBRARY
from enzyme.frontdoor.copies import STAND_IN, copy_primals
from enzyme.frontdoor.declarations import read_declarations
from enzyme.frontdoor.demands import (
    PRE_OPTIONS,
    REVERSING,
    Demand,
    LoweredModule,
    lower_demands,
)
from enzyme.frontdoor.failures import FrontDoorError
from enzyme.frontdoor.global_shadows import give_shadows
from enzyme.frontdoor.held import hold
from enzyme.frontdoor.markers import drop_markers
from enzyme.frontdoor.operands import location_in, place_of
from enzyme.frontdoor.reading import without_identifiers
from enzyme.frontdoor.repeatable import check_repeatable
from enzyme.frontdoor.results import deliver, replace_call
from enzyme.frontdoor.sites import (
    AUGMENTED_WORD,
    FORWARD_SPLIT_WORD,
    REVERSING_WORD,
    SIZE_WORD,
    TAPE_BYTES,
    Site,
    find_calls,
    read_site,
)
from enzyme.frontdoor.surface import call_word, hint_word

SHADOW_WORD = "__enzyme_virtualreverse"
_POST = passes.PostOptions(prune_references=False)
_LLVM_PLACE = re.compile(r"<string>:(\d+):\d+: error: (.*)")


def lower(text: str, *, optimise: bool = False) -> str:
    """Text of the module with every ``__enzyme_*`` call replaced; `optimise` runs -O3 at the end.

    Raises
    ------
    EnzymeError
        A subclass that says which call, argument or instruction is at fault.
    """
    shadowed: list[str] = []
    while True:
        prepared = stand_ins(read_module(text), shadowed)
        try:
            made = lower_demands(prepared)
            break
        except EnzymeConstStorageError as error:
            name = _global_of(read_module(text), str(error.argument or ""))
            if name in shadowed or not name:
                raise
            shadowed.append(name)
    text = made
    if optimise:
        try:
            return passes.optimise_after_ad(text, _POST)
        except CallMismatchError as error:
            raise FrontDoorError(
                what="a call does not fit the function that it calls", why=str(error)
            ) from None
    module = passes.parse(text)
    if prepared.demands:
        passes.run_light(module)
    return str(module)


def _global_of(module: Module, name: str) -> str:
    """The global that an error speaks of, if it can have a shadow: LLVM takes arrays and structures apart."""
    while name and not can_have_shadow(module, name):
        name = name.rpartition(".")[0]
    return name


def read_module(text: str) -> Module:
    """Parse IR, first with LLVM: it tells more about wrong text, and prints old syntax anew."""
    import llvmlite.binding as llvm

    if "\0" in text:
        raise FrontDoorError(
            what="the input is neither text nor bitcode", why="it holds zero bytes"
        )
    text = without_identifiers(text)
    try:
        parsed = llvm.parse_assembly(text, context=llvm.create_context())
    except RuntimeError as error:
        raise _parse_error(str(error), text) from None
    try:
        parsed.verify()
    except RuntimeError as error:
        raise FrontDoorError(what="the input is not valid IR", why=str(error)) from None
    canonical = str(parsed)
    try:
        return parse_module(canonical, C_LIBRARY)
    except IRParseError as error:
        raise _at_own_line(error, text) from None


def _parse_error(message: str, text: str) -> IRParseError:
    found = _LLVM_PLACE.search(message)
    if found is None:
        return IRParseError(message)
    number = int(found.group(1))
    lines = text.splitlines()
    shown = lines[number - 1] if 0 < number <= len(lines) else ""
    return IRParseError(found.group(2), line=number, text=shown)


def _at_own_line(error: IRParseError, text: str) -> IRParseError:
    """The same error with the line of `text`; without a number if LLVM wrote that line differently."""
    wanted = error.text.split()
    for number, line in enumerate(text.splitlines(), 1):
        if line.split() == wanted:
            return IRParseError(error.what, line=number, text=line)
    return IRParseError(f"{error.what}: {error.text.strip():.100}")


# Stand-ins ----------------------------------------------------------------------------------------


def stand_ins(module: Module, shadowed: Sequence[str] = ()) -> LoweredModule:
    """Replace the calls by stand-ins that take copies of the functions; `shadowed` globals have derivatives."""
    prepared = LoweredModule(module, declared=read_declarations(module))
    _drop_hints(module)
    for call in _calls_of_word(module, SHADOW_WORD):
        _give_itself(call)
    batches, calls = _calls_of_word(module, BATCH_WORD), find_calls(module)
    callers = dict.fromkeys(call.function for call in (*batches, *calls))
    for call in batches:
        write_batch(call, module)
    names: dict[object, str] = {}
    for call in calls:
        site = read_site(call, module)
        if site.word == FORWARD_SPLIT_WORD:
            check_repeatable(site, module, prepared.declared)
        key = (site.primal, _request_of(site))
        if key not in names:
            names[key] = f"{STAND_IN}{len(names)}"
            prepared.demands[names[key]] = Demand(_request_of(site), site.primal.name, site.place)
        _replace_site(module, site, names[key])
    drop_markers(module, list(callers))
    for name, function in list(module.functions.items()):
        if call_word(name) is not None and function.is_declaration and not function.users:
            del module.functions[name]
    declared = prepared.declared
    known = set(module.functions.values())
    by_mode = bool(declared.gradients or declared.derivatives)
    for forward in (True, False) if by_mode else (None,):
        chosen = {
            symbol: demand
            for symbol, demand in prepared.demands.items()
            if forward is None or (demand.request.mode is DiffMode.FORWARD) is forward
        }
        functions = {
            d.request.function: module.functions[d.request.function] for d in chosen.values()
        }
        if not functions:
            continue
        mode = DiffMode.FORWARD if forward else DiffMode.REVERSE
        copies = copy_primals(module, list(functions.values()), declared, mode)
        for symbol, demand in chosen.items():
            copy = copies[functions[demand.request.function]]
            demand.primal = copy.name
            for name in (symbol, symbol + REVERSING):
                for user in list(module.functions[name].users) if name in module.functions else ():
                    user.set_operand(0, copy)
    made = [f for f in module.functions.values() if f not in known]
    active = (module.globals[name] for name in shadowed)
    give_shadows(prepared, made, (v for v in active if isinstance(v, GlobalVariable)))
    hold(module, declared)
    return prepared


def _request_of(site: Site) -> DiffRequest:
    split = site.mode is DiffMode.SPLIT
    pointers = frozenset(a.index for a in site.primal.args if a.type.is_pointer)
    return DiffRequest(
        site.primal.name,
        site.mode,
        site.activities,
        site.return_activity,
        return_primal=split or site.returns_primal,
        runtime=C_LIBRARY,
        width=site.width,
        strong_zero=site.strong_zero,
        overwritten=pointers if split else frozenset(),
    )


def _drop_hints(module: Module) -> None:
    """Take out calls that state types: types are found without them."""
    for name, function in list(module.functions.items()):
        if hint_word(name) is None or not function.is_declaration:
            continue
        for user in list(function.users):
            if isinstance(user, Call) and user.callee is function and not user.users:
                replace_call(user)
        if not function.users:
            del module.functions[name]


def _give_itself(call: Call) -> None:
    """The shadow of a function is the function, and that of a table of functions the table."""
    if len(call.arguments) != 1 or call.arguments[0].type is not call.type:
        raise FrontDoorError(
            where=place_of(call), what=f"{SHADOW_WORD} takes a pointer, and gives one"
        )
    if call.users:
        call.replace_uses_with(call.arguments[0])
    replace_call(call)


def _calls_of_word(module: Module, word: str) -> list[Call]:
    found: list[Call] = []
    for name, function in module.functions.items():
        asked = call_word(name)
        if asked is not None and asked.name == word:
            found += [u for u in function.users if isinstance(u, Call) and u.callee is function]
    return found


def _replace_site(module: Module, site: Site, symbol: str) -> None:
    b = Builder()
    b.before(site.call)
    values, made = _results(module, b, site, symbol)
    deliver(b, site, values)
    replace_call(site.call, made)


def _results(
    module: Module, b: Builder, site: Site, symbol: str
) -> tuple[list[Value], Call | None]:
    """Call the stand-in; the values that the caller is to get."""
    if site.word == SIZE_WORD:
        return [ConstInt(I64, TAPE_BYTES)], None
    ret = site.primal.function_type.ret
    operands: list[Value] = [site.primal, *site.arguments]
    kinds: list[Type] = list(site.results)
    if site.word == AUGMENTED_WORD:
        kinds = ([] if ret is VOID else [ret]) + [PTR]
    elif site.word == REVERSING_WORD:
        symbol += REVERSING
        tape = site.tape
        assert tape is not None
        operands.append(b.load(PTR, tape) if site.tape_in_memory else tape)
    result: Type = struct_type(kinds) if kinds else VOID
    stand_in = module.declare(symbol, function_type(result, [v.type for v in operands]))
    made = b.call(stand_in, operands)
    made.metadata = location_in(site.call)
    values = [b.extract_value(made, [k]) for k in range(len(kinds))]
    if site.word != AUGMENTED_WORD:
        return values, made
    tape_made = values.pop()
    if not site.returns_primal:
        values = []
    if site.tape is not None:
        b.store(tape_made, site.tape)
        return values, made
    return [tape_made, *values], made


__all__ = ["PRE_OPTIONS", "Demand", "LoweredModule", "lower", "read_module", "stand_ins"]
