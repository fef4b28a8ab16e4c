"""Copies of the functions to differentiate and of all that they call.

The copies are internal: they may be inlined and rewritten freely, while the program's own functions keep their
linkage and their bodies. What is declared of a function changes the calls in the copies only:

* a function without derivative is called by another name, of a function that is only declared;
* so is one that is differentiated as a function of the C library;
* a routine of BLAS or LAPACK goes to a definition of it (`linear_algebra`);
* one with rules is called as rules want it (`rules.call_by_rule`), in copies of their own for the mode of the rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from enzyme.engine.analysis.activity_result import may_hold_pointer
from enzyme.engine.analysis.kinds import DiffMode
from enzyme.engine.derivatives.catalogue import LIKE, find
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.clone import clone_function
from enzyme.engine.ir.instructions import Call
from enzyme.engine.ir.module import Function, Module, new_function
from enzyme.engine.ir.types import VOID
from enzyme.frontdoor.allocations import call_of_c, grows_vector, return_allocations
from enzyme.frontdoor.assembly import read_assembly
from enzyme.frontdoor.attributes import add_attribute, forget_effects, without_words
from enzyme.frontdoor.by_value import copy_structures
from enzyme.frontdoor.declarations import Declarations
from enzyme.frontdoor.derivative_cycles import Cycles, behind, is_by_pointer
from enzyme.frontdoor.dynamic_casts import cast_by_offset
from enzyme.frontdoor.exceptions import call_for_invokes, end_where_thrown
from enzyme.frontdoor.failures import PRIMAL_SUFFIX, FrontDoorError
from enzyme.frontdoor.function_pointers import UNKNOWN, call_known_functions, taken_functions
from enzyme.frontdoor.held import INACTIVE, own_name
from enzyme.frontdoor.hidden_globals import hide_globals
from enzyme.frontdoor.linear_algebra import call_routine
from enzyme.frontdoor.packed_records import passes_parts, uses_single
from enzyme.frontdoor.parallel import run_on_one_thread, update_in_steps
from enzyme.frontdoor.processor import read_intrinsics
from enzyme.frontdoor.rules import call_by_rule
from enzyme.frontdoor.sized_memory import note_sizes, resizes
from enzyme.frontdoor.supplied import call_supplied
from enzyme.frontdoor.surface import call_word
from enzyme.frontdoor.texts import give_back_texts, writes_text
from enzyme.frontdoor.virtual_tables import VirtualTables

STAND_IN = "enzyme.derivative."

_DROPPED_WORDS = frozenset(
    """
    private internal available_externally linkonce weak common appending extern_weak linkonce_odr
    weak_odr external dso_local dso_preemptable default hidden protected dllimport dllexport
    """.split()
)
# What clang -O0 says of every function would keep the copies from being optimised.
_UNOPTIMISED = re.compile(r"\b(?:optnone|noinline)\b")


def copy_primals(
    module: Module, primals: list[Function], declared: Declarations, mode: DiffMode
) -> dict[Function, Function]:
    """Copy the primals and what they refer to, for derivatives of one mode."""
    for primal in primals:
        if is_rooted(primal):
            raise FrontDoorError(
                what=f"no derivative is known for @{primal.name}",
                why="it jumps to computed addresses of its own blocks ('indirectbr')",
                todo="use a switch",
            )
    renamed = {**_inactive(module, declared), **_like(module, declared)}
    ruled = declared.derivatives if mode is DiffMode.FORWARD else declared.gradients
    kept = {*renamed, *ruled}
    found = {p: _wrapped(module, p) if p in kept else p for p in primals}
    copies, inactive_calls = _clones(module, list(found.values()), kept, declared)
    recursive = _recursive(copies)
    single = any(map(uses_single, copies.values()))
    for original, copy in copies.items():
        words = [word for word in copy.prefix.split() if word not in _DROPPED_WORDS]
        copy.prefix = " ".join(["internal", *words])
        inlined = original in declared.inlined or (
            (
                may_hold_pointer(copy.function_type.ret)
                or grows_vector(original)
                or (single and passes_parts(copy))
            )
            and original not in recursive
        )
        _allow_optimisation(module, copy, inlined)
        copy_structures(module, copy)
        return_allocations(copy)
        call_of_c(copy)
        if declared.inactive_globals:
            forget_effects(module, copy)
            hide_globals(copy, declared.inactive_globals)
    if resizes(copies.values()):
        for copy in copies.values():
            forget_effects(module, copy)
            note_sizes(copy)
    for call in inactive_calls:
        _make_inactive(module, call)
    for copy in copies.values():
        for instruction in list(copy.instructions()):
            if not isinstance(instruction, Call):
                continue
            if instruction.callee in ruled:
                call_by_rule(module, instruction)
            elif instruction.callee in renamed or not call_routine(module, instruction):
                refer_to(instruction, copies, renamed)
    for primal, wrapper in found.items():
        if wrapper is not primal:
            del module.functions[wrapper.name]
            wrapper.blocks[0].instructions[0].drop_operands()
    return {primal: copies[found[primal]] for primal in primals}


def _clones(
    module: Module, primals: list[Function], kept: set[Function], declared: Declarations
) -> tuple[dict[Function, Function], list[Call]]:
    """A clone of every function that the primals come to, and the calls in clones that are declared inactive."""
    cycles = Cycles(taken_functions(module), STAND_IN)
    tables = VirtualTables(module)
    clones: dict[Function, Function] = {}
    inactive: list[Call] = []
    regions: dict[Function, None] = {}
    catches = False
    pending = list(reversed(primals))
    while pending:
        function = pending.pop()
        if function in clones:
            continue
        name = module.fresh_symbol(f"{function.name}{PRIMAL_SUFFIX}")
        clone, mapping = clone_function(function, name)
        clones[function] = clone
        for call in declared.inactive_calls:
            made = mapping.get(call)
            if isinstance(made, Call):
                inactive.append(made)
        if any(is_by_pointer(i) for i in function.instructions()):
            call_known_functions(clone, cycles.candidates(function), tables)
        regions.update(dict.fromkeys(run_on_one_thread(clone)))
        if function in regions:
            update_in_steps(clone)
        read_assembly(clone)
        read_intrinsics(clone)
        give_back_texts(clone)
        cast_by_offset(clone, INACTIVE)
        call_supplied(clone)
        catches = call_for_invokes(clone) or catches
        for instruction in clone.instructions():
            for operand in instruction.operands:
                target = behind(operand)
                if target is None or target in kept or target.name == UNKNOWN:
                    continue
                if target in primals or not is_rooted(target):
                    pending.append(target)
    if catches:
        for clone in clones.values():
            end_where_thrown(module, clone)
    return clones, inactive


def _wrapped(module: Module, primal: Function) -> Function:
    """A function that calls the primal and nothing else: what is declared of it holds for calls."""
    name = module.fresh_symbol(primal.name + ".call")
    ret = primal.function_type.ret
    made = new_function(module, name, ret, [(a.type, f"a{a.index}") for a in primal.args])
    b = Builder(made.append_block("entry"))
    result = b.call(primal, list(made.args))
    b.ret(None if ret is VOID else result)
    return made


def _inactive(module: Module, declared: Declarations) -> dict[Function, Function]:
    found = {f: _other_name(module, f, INACTIVE) for f in declared.inactive}
    for function in module.functions.values():
        word = call_word(function.name)
        if word is not None and word.name == "__enzyme_ignore_derivatives":
            found[function] = function
    for function in [f for f in module.functions.values() if f.users and writes_text(f)]:
        found[function] = _other_name(module, function, INACTIVE)
    return found


def _like(module: Module, declared: Declarations) -> dict[Function, Function]:
    made: dict[Function, Function] = {}
    for function, name in declared.like.items():
        entry = find(name)
        if entry is None or entry.row is None:
            raise FrontDoorError(
                where=f"in @{function.name}",
                what=f"no derivative is known of '{name}', which @{function.name} is declared to be like",
            )
        made[function] = _other_name(module, function, f"{LIKE}{name}.")
    return made


def _other_name(module: Module, function: Function, prefix: str) -> Function:
    return module.declare(prefix + function.name, function.function_type, "nounwind")


def _make_inactive(module: Module, call: Call) -> None:
    callee = call.callee
    if not isinstance(callee, Function) or callee.name.startswith("llvm."):
        raise FrontDoorError(
            where=f"in @{call.function.name}",
            what="a call that is declared inactive must name the function that it calls",
        )
    call.set_operand(len(call.operands) - 1, _other_name(module, callee, INACTIVE))


def restore_names(module: Module) -> None:
    """When all derivatives are made: call the program's functions by their names again."""
    for name, function in list(module.functions.items()):
        if not function.is_declaration or not name.startswith((INACTIVE, LIKE)):
            continue
        if function.users:
            function.replace_uses_with(module.functions[own_name(name)])
        del module.functions[name]


def reachable(primals: Iterable[Function]) -> list[Function]:
    """The functions with bodies that the primals come to."""
    found: dict[Function, None] = {}
    pending = list(reversed(list(primals)))
    while pending:
        function = pending.pop()
        if function in found:
            continue
        found[function] = None
        for instruction in function.instructions():
            pending += [t for o in instruction.operands if (t := behind(o)) is not None]
    return list(found)


def is_rooted(function: Function) -> bool:
    """Does the function jump to addresses of its own blocks, which a copy would not have?"""
    return any(i.opcode == "indirectbr" for i in function.instructions())


def refer_to(
    call: Call, copies: dict[Function, Function], renamed: dict[Function, Function]
) -> None:
    """Let a call go to the copy of its function, or to its other name. Addresses stay those of the program."""
    place = len(call.operands) - 1
    callee = call.callee
    if isinstance(callee, Function) and callee in renamed:
        call.set_operand(place, renamed[callee])
        return
    target = behind(callee)
    if target is not None and target in copies:
        call.set_operand(place, copies[target])
        module = copies[target].module
        if module is not None and "alwaysinline" in copies[target].attribute_texts().split():
            call.fn_attributes = without_words(module, call.fn_attributes, _UNOPTIMISED)
    if call.callee_name.startswith(STAND_IN):
        primal = call.arguments[0]
        if isinstance(primal, Function) and primal in copies:
            call.set_operand(0, copies[primal])


def _recursive(copies: dict[Function, Function]) -> set[Function]:
    """Functions from which a way leads back to themselves."""
    calls = {
        f: [t for i in clone.instructions() for o in i.operands if (t := behind(o)) in copies]
        for f, clone in copies.items()
    }
    found: set[Function] = set()
    for start in copies:
        pending, seen = list(calls[start]), set[Function]()
        while pending:
            function = pending.pop()
            if function is start:
                found.add(start)
                break
            if function is not None and function not in seen:
                seen.add(function)
                pending += [t for t in calls[function] if t is not None]
    return found


def _allow_optimisation(module: Module, function: Function, inlined: bool) -> None:
    """Take away what clang -O0 says of every function; let one be inlined that must be."""
    if not inlined and "optnone" not in function.attribute_texts().split():
        return
    function.suffix = without_words(module, function.suffix, _UNOPTIMISED)
    if inlined:
        add_attribute(function, "alwaysinline")
