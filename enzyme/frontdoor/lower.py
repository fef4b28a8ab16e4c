"""Puts derivatives in the place of ``__enzyme_*`` calls.

1. Every call becomes a call of an external stand-in that takes the function and exactly the operands of the
   derivative, so that optimisation cannot lose a marker or move an operand.
2. The functions to differentiate, and all they call, are copied into internal functions. These may be inlined
   and rewritten freely; the program's own functions keep their linkage and their bodies.
3. The module is optimised as differentiation wants it, derivatives are made, and the stand-ins call them.
   Where the body of a primal holds a stand-in itself (a derivative of a derivative), that one is lowered first
   and the module optimised again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from enzyme.backend import passes
from enzyme.engine.analysis.kinds import Activity, DiffMode
from enzyme.engine.differentiate import write_out
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.clone import clone_function
from enzyme.engine.ir.datalayout import DataLayout
from enzyme.engine.ir.instructions import Alloca, Call, Instruction, Load, Store
from enzyme.engine.ir.module import Function, Module
from enzyme.engine.ir.parser import parse_module
from enzyme.engine.ir.printer import print_module
from enzyme.engine.ir.types import VOID, Type, function_type, struct_type
from enzyme.engine.ir.values import GlobalAlias, GlobalVariable, Value
from enzyme.engine.synthesis.driver import Engine
from enzyme.engine.synthesis.prepare import prepare_module
from enzyme.engine.synthesis.request import DiffRequest
from enzyme.errors import EnzymeError, IRParseError
from enzyme.frontdoor.allocations import return_allocations
from enzyme.frontdoor.annotations import refuse_unread
from enzyme.frontdoor.c_library import C_LIBRARY
from enzyme.frontdoor.failures import FrontDoorError
from enzyme.frontdoor.sites import (
    MARKERS,
    Site,
    find_calls,
    marker_name,
    mode_of,
    read_site,
    resolve,
)

_STAND_IN = "enzyme.derivative."
_PRIMAL_SUFFIX = ".primal"
_COPY = re.compile(r"(\w)" + re.escape(_PRIMAL_SUFFIX) + r"(?:\.\d+)?(\W|$)")
PRE_OPTIONS = passes.PreOptions(prune_references=False)
_POST = passes.PostOptions(prune_references=False)

_LLVM_PLACE = re.compile(r"<string>:(\d+):\d+: error: (.*)")
_DROPPED_WORDS = frozenset(
    """
    private internal available_externally linkonce weak common appending extern_weak linkonce_odr
    weak_odr external dso_local dso_preemptable default hidden protected dllimport dllexport
    """.split()
)
# What clang -O0 says of every function would keep the copies from being optimised.
_UNOPTIMISED = re.compile(r"\b(?:optnone|noinline)\b")


@dataclass(slots=True)
class Demand:
    """One derivative to make, for one or more call sites; `primal` names the internal copy."""

    request: DiffRequest
    primal: str
    place: str
    symbol: str = ""


@dataclass(slots=True)
class LoweredModule:
    """A module whose calls are stand-ins, and what each stands for."""

    module: Module
    demands: dict[str, Demand] = field(default_factory=dict)

    def text(self) -> str:
        """The text of the module, in which every word of Enzyme's has been understood."""
        made = print_module(self.module)
        refuse_unread(made)
        return made


def lower(text: str, *, optimise: bool = False) -> str:
    """Text of the module with every ``__enzyme_*`` call replaced; `optimise` runs -O3 at the end.

    Raises
    ------
    EnzymeError
        A subclass that says which call, argument or instruction is at fault.
    """
    prepared = stand_ins(read_module(text))
    if prepared.demands:
        text = _lower_demands(prepared)
    else:
        text = prepared.text()
    if optimise:
        return passes.optimise_after_ad(text, _POST)
    module = passes.parse(text)
    if prepared.demands:
        passes.run_light(module)
    return str(module)


def read_module(text: str) -> Module:
    """Parse IR, first with LLVM: it tells more about wrong text, and prints old syntax anew."""
    import llvmlite.binding as llvm

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


def stand_ins(module: Module) -> LoweredModule:
    """Replace the calls by stand-ins that take copies of the functions."""
    prepared = LoweredModule(module)
    calls = find_calls(module)
    callers = dict.fromkeys(call.function for call in calls)
    sites = [read_site(call, module) for call in calls]
    names: dict[object, str] = {}
    for site in sites:
        key = (site.primal, site.mode, site.activities)
        if key not in names:
            names[key] = f"{_STAND_IN}{len(names)}"
            request = DiffRequest(
                site.primal.name,
                site.mode,
                site.activities,
                site.return_activity,
                return_primal=False,
                runtime=C_LIBRARY,
            )
            prepared.demands[names[key]] = Demand(request, site.primal.name, site.place)
        _replace_site(module, site, names[key])
    _drop_unused(module, callers)
    copies = _copy_primals(module, [site.primal for site in sites])
    for demand in prepared.demands.values():
        demand.primal = copies[demand.primal]
    return prepared


def _replace_site(module: Module, site: Site, symbol: str) -> None:
    call = site.call
    result = struct_type(site.results) if site.results else VOID
    operands = (site.primal, *site.arguments)
    stand_in = module.declare(symbol, function_type(result, [v.type for v in operands]))
    b = Builder()
    b.before(call)
    made = b.call(stand_in, operands)
    made.metadata = {k: v for k, v in call.metadata.items() if k == "dbg"}
    delivered = _deliver(b, site, made)
    if delivered is not None:
        call.replace_uses_with(delivered)
    if call.opcode == "invoke":
        normal, unwind = call.successors()
        b.br(normal)
        if call.parent is not None:
            for phi in unwind.phis():
                phi.remove_incoming(call.parent)
    call.erase()


def _deliver(b: Builder, site: Site, made: Call) -> Value | None:
    """Give the caller the results in the type that it declared."""
    wanted, results = site.call.type, site.results
    if site.sret is not None:
        if not results:
            raise _mismatch(site, "a structure")
        layout = DataLayout.of(b.module)
        found = re.search(r"sret\((.*)\)", site.call.arg_attributes[0])
        declared = _size_of_text(b.module, found.group(1)) if found else None
        if declared is not None and declared != layout.size_of(made.type):
            raise _mismatch(site, f"a structure of {declared} bytes")
        b.store(made, site.sret)
        return None
    if not results:
        if site.call.users:
            raise _mismatch(site, str(wanted))
        return None
    if wanted is VOID:
        raise _mismatch(site, "nothing")
    if len(results) == 1 and wanted is results[0]:
        return b.extract_value(made, [0])
    if wanted is made.type:
        return made
    layout = DataLayout.of(b.module)
    if not wanted.is_aggregate and not wanted.is_vector:
        raise _mismatch(site, str(wanted))
    if layout.size_of(wanted) != layout.size_of(made.type):
        raise _mismatch(site, str(wanted))
    # Structures of one size that differ in name only, or as C passes them in registers.
    entry = b.function.entry
    memory = Builder(entry, entry.first_non_phi()).alloca(made.type)
    b.before(site.call)
    b.store(made, memory)
    return b.load(wanted, memory)


def _size_of_text(module: Module, type_text: str) -> int | None:
    struct = module.structs.get(type_text)
    return None if struct is None else DataLayout.of(module).size_of(struct)


def _mismatch(site: Site, wanted: str) -> FrontDoorError:
    gives = ", ".join(str(t) for t in site.results) or "nothing"
    todo = ""
    if site.mode is DiffMode.REVERSE and site.results:
        todo = "declare it to return one value per enzyme_out argument, or mark it enzyme_const"
    return FrontDoorError(
        where=site.place,
        what=f"the call is declared to return {wanted}, but the derivative of @{site.primal.name}"
        f" gives {gives}",
        todo=todo or (),
    )


def _drop_unused(module: Module, callers: Iterable[Function]) -> None:
    """Remove what only the replaced calls used: markers on their way to them, markers and declarations."""
    for function in callers:
        _forget_markers(function)
    for name, variable in list(module.globals.items()):
        if isinstance(variable, GlobalVariable) and variable.initializer is None:
            if name in MARKERS and not variable.users:
                del module.globals[name]
    for name, function in list(module.functions.items()):
        if mode_of(name) is not None and function.is_declaration and not function.users:
            del module.functions[name]


def _forget_markers(function: Function) -> None:
    """Erase loads of markers, and their copies on the stack, where nobody reads them any more."""
    pending = [i for i in function.instructions() if isinstance(i, Load)][::-1]
    while pending:
        load = pending.pop()
        memory = resolve(load.pointer)
        marker = marker_name(resolve(load))
        if load.parent is None or marker is None or not _is_unread(load):
            continue
        for store in list(load.users):
            store.erase()
        load.erase()
        if isinstance(memory, Alloca):
            stored = (user.value for user in memory.users if isinstance(user, Store))
            pending += [value for value in stored if isinstance(value, Load)]


def _is_unread(load: Load) -> bool:
    """Does nobody use what is loaded, but for stores on the stack which nobody loads from?"""
    return all(
        isinstance(user, Store)
        and user.value is load
        and isinstance(user.pointer, Alloca)
        and all(isinstance(u, Store) and u.pointer is user.pointer for u in user.pointer.users)
        for user in load.users
    )


# Copies of the primals ----------------------------------------------------------------------------


def _copy_primals(module: Module, primals: list[Function]) -> dict[str, str]:
    """Copy the primals and what they refer to; the stand-ins take the copies. Old name to new name."""
    for primal in primals:
        if _is_rooted(primal):
            raise FrontDoorError(
                what=f"no derivative is known for @{primal.name}",
                why="it jumps to computed addresses of its own blocks ('indirectbr')",
                todo="use a switch",
            )
    order = _reachable(primals)
    copies: dict[Function, Function] = {}
    for function in order:
        name = module.fresh_symbol(f"{function.name}{_PRIMAL_SUFFIX}")
        copies[function], _ = clone_function(function, name)
    for copy in copies.values():
        words = [word for word in copy.prefix.split() if word not in _DROPPED_WORDS]
        copy.prefix = " ".join(["internal", *words])
        _allow_optimisation(module, copy)
        return_allocations(copy)
        for instruction in copy.instructions():
            _refer_to(instruction, copies)
    for function in list(module.functions.values()):
        for instruction in function.instructions():
            if isinstance(instruction, Call) and instruction.callee_name.startswith(_STAND_IN):
                _refer_to(instruction, copies)
    return {function.name: copy.name for function, copy in copies.items()}


def _reachable(primals: list[Function]) -> list[Function]:
    """The functions with bodies that the primals come to, but for those that only run where they stand."""
    found: dict[Function, None] = {}
    pending = list(reversed(primals))
    while pending:
        function = pending.pop()
        if function in found:
            continue
        found[function] = None
        for instruction in function.instructions():
            for operand in instruction.operands:
                target = _behind(operand)
                if target is not None and not (target not in primals and _is_rooted(target)):
                    pending.append(target)
    return list(found)


def _behind(operand: Value) -> Function | None:
    """The function with a body that an operand is, perhaps by another name."""
    while isinstance(operand, GlobalAlias) and operand.kind == "alias":
        operand = operand.aliasee
    return operand if isinstance(operand, Function) and not operand.is_declaration else None


def _is_rooted(function: Function) -> bool:
    """Does the function jump to addresses of its own blocks, which a copy would not have?"""
    return any(i.opcode == "indirectbr" for i in function.instructions())


def _refer_to(instruction: Instruction, copies: dict[Function, Function]) -> None:
    for operand in instruction.operands:
        target = _behind(operand)
        if target is not None and target in copies:
            instruction.replace_operand(operand, copies[target])


def _allow_optimisation(module: Module, function: Function) -> None:
    if "optnone" not in function.attribute_texts().split():
        return
    words: list[str] = []
    for word in function.suffix.split(" "):
        if word.startswith("#") and word[1:].isdigit():
            group = _UNOPTIMISED.sub("", module.attribute_groups.get(int(word[1:]), ""))
            number = max(module.attribute_groups, default=-1) + 1
            module.attribute_groups[number] = " ".join(group.split())
            words.append(f"#{number}")
        else:
            words.append(_UNOPTIMISED.sub("", word))
    function.suffix = " ".join(words)


# Derivatives --------------------------------------------------------------------------------------


def _lower_demands(prepared: LoweredModule) -> str:
    text = prepared.text()
    while True:
        module = parse_module(passes.optimise_before_ad(text, PRE_OPTIONS), C_LIBRARY)
        pending = [symbol for symbol in prepared.demands if symbol in module.functions]
        if not pending:
            write_out(module)
            return text if not prepared.demands else print_module(module)
        ready = [s for s in pending if not _inner(module, prepared.demands[s])]
        if not ready:
            demand = prepared.demands[pending[0]]
            raise FrontDoorError(
                where=demand.place,
                what=f"the derivative of @{demand.request.function} needs itself",
            )
        # Other functions of the module are not ours to change.
        prepare_module(module, skipped=("null_arguments",))
        engine = Engine(module)
        last = len(ready) == len(pending)
        for symbol in ready:
            _lower_one(module, engine, symbol, prepared.demands[symbol], last)
        if last:
            write_out(module)
        text = print_module(module)
        if last:
            return text


def _inner(module: Module, demand: Demand) -> bool:
    """Does the primal, or what it calls, still hold a stand-in?"""
    return any(
        isinstance(instruction, Call) and instruction.callee_name.startswith(_STAND_IN)
        for function in _reachable([module.functions[demand.primal]])
        for instruction in function.instructions()
    )


def _lower_one(module: Module, engine: Engine, symbol: str, demand: Demand, last: bool) -> None:
    request = replace(demand.request, guards_are_calls=not last)
    try:
        made = engine.differentiate(replace(request, function=demand.primal))
    except EnzymeError as error:
        error.where = demand.place if error.where is None else error.where
        for field_ in ("what", "why"):  # the user knows nothing of copies
            setattr(error, field_, _COPY.sub(r"\1\2", getattr(error, field_)))
        error.args = (error.render(),)
        raise
    made.prefix = "internal"
    _rename(module, made)
    seed: list[Value] = []
    if request.mode is DiffMode.REVERSE and request.return_activity is Activity.ACTIVE:
        ret: Type = module.functions[demand.primal].function_type.ret
        seed.append(Builder().const(ret, 1.0))
    stand_in = module.functions[symbol]
    for call in _calls_of(stand_in):
        b = Builder()
        b.before(call)
        derived = b.call(made, [*call.arguments[1:], *seed], call.name)
        derived.metadata = call.metadata
        if call.type is not VOID:
            call.replace_uses_with(derived)
        call.erase()
    del module.functions[symbol]


def _calls_of(function: Function) -> Iterator[Call]:
    for user in list(function.users):
        assert isinstance(user, Call)
        yield user


def _rename(module: Module, function: Function) -> None:
    """Call the derivative after the program's function, not after the copy."""
    short = function.name.replace(_PRIMAL_SUFFIX, "")
    if short != function.name:
        del module.functions[function.name]
        function.name = module.fresh_symbol(short)
        module.functions[function.name] = function


__all__ = ["PRE_OPTIONS", "Demand", "LoweredModule", "lower", "read_module", "stand_ins"]
