"""Makes the derivatives that stand-ins stand for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from enzyme.backend import passes
from enzyme.engine.analysis.kinds import Activity, DiffMode
from enzyme.engine.differentiate import write_out
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.instructions import Call, Instruction
from enzyme.engine.ir.known_function import KnownFunction
from enzyme.engine.ir.module import Function, Module
from enzyme.engine.ir.parser import parse_module
from enzyme.engine.ir.printer import print_module
from enzyme.engine.ir.types import VOID, Type
from enzyme.engine.ir.values import Value
from enzyme.engine.synthesis.driver import Engine
from enzyme.engine.synthesis.prepare import prepare_module
from enzyme.engine.synthesis.request import AUGMENTED, REVERSED, DiffRequest
from enzyme.engine.synthesis.ruled import RuledFunction, mark
from enzyme.errors import EnzymeError
from enzyme.frontdoor import linear_algebra
from enzyme.frontdoor.address_numbers import move_pointers
from enzyme.frontdoor.annotations import refuse_unread
from enzyme.frontdoor.attributes import add_attribute
from enzyme.frontdoor.c_library import C_LIBRARY
from enzyme.frontdoor.copies import STAND_IN, reachable, restore_names
from enzyme.frontdoor.declarations import Declarations
from enzyme.frontdoor.derivative_cycles import behind
from enzyme.frontdoor.exceptions import let_exceptions_pass
from enzyme.frontdoor.failures import PRIMAL_SUFFIX, FrontDoorError, without_copies
from enzyme.frontdoor.held import INACTIVE, let_go
from enzyme.frontdoor.hidden_globals import ADDRESS, show_globals
from enzyme.frontdoor.missing_shadows import define_checks
from enzyme.frontdoor.rules import RULED, ProgramRules
from enzyme.frontdoor.sized_memory import FORGET, NOTED, define_sizes
from enzyme.frontdoor.split_forward import COMPOSED
from enzyme.frontdoor.surface import call_word

PRE_OPTIONS = passes.PreOptions(prune_references=False)
REVERSING = ".reverse"


@dataclass(slots=True)
class Demand:
    """One derivative to make, for one or more call sites; `primal` names the internal copy."""

    request: DiffRequest
    primal: str
    place: str


@dataclass(slots=True)
class LoweredModule:
    """A module whose calls are stand-ins, what each stands for, what was declared, and globals with shadows of ours."""

    module: Module
    demands: dict[str, Demand] = field(default_factory=dict)
    declared: Declarations = field(default_factory=Declarations)
    shadowed: dict[str, None] = field(default_factory=dict)

    def text(self) -> str:
        """The text of the module, in which every word of Enzyme's has been understood."""
        made = print_module(self.module)
        refuse_unread(made)
        return made


def _book(module: Module, prepared: LoweredModule) -> ProgramRules:
    """Tell the engine what is declared of functions; names lead to what they are in this text of the module."""
    book = ProgramRules(module, prepared.declared)
    for name, function in module.functions.items():
        if name.startswith(RULED):
            book.functions[name] = RuledFunction(name, ())
        elif name.startswith(ADDRESS):
            book.functions[name] = RuledFunction(name, (), known=KnownFunction(name, "inactive"))
        elif name.startswith(INACTIVE) or _ignores(function):
            pointers = frozenset(a.index for a in function.args if a.type.is_pointer)
            row = KnownFunction(
                name,
                "inactive",
                reads=pointers,
                writes=pointers,
                reads_other=True,
                writes_other=True,
            )
            book.functions[name] = RuledFunction(name, (), known=row)
    mark(module, book)
    module.unchecked = frozenset(name for name in module.functions if name.startswith(ADDRESS))
    return book


def _ignores(function: Function) -> bool:
    word = call_word(function.name)
    return word is not None and word.name == "__enzyme_ignore_derivatives"


def lower_demands(prepared: LoweredModule) -> str:
    """Text of the module with all derivatives made."""
    text = prepared.text()
    if not prepared.demands:
        return finished(prepared.module, prepared)
    library = linear_algebra.families(prepared.module)
    if library:
        text = linear_algebra.define_routines(text, prepared.module)
    made = _lower_rounds(prepared, text)
    return (
        linear_algebra.call_library(linear_algebra.define_kernels(made), library)
        if library
        else made
    )


def _lower_rounds(prepared: LoweredModule, text: str) -> str:
    """Derivatives that other derivatives need are made first."""
    while True:
        module = parse_module(linear_algebra.optimised(text, PRE_OPTIONS), C_LIBRARY)
        book = _book(module, prepared)
        pending = [symbol for symbol in prepared.demands if symbol in module.functions]
        pending += [
            symbol
            for symbol in prepared.demands
            if symbol + REVERSING in module.functions and symbol not in pending
        ]
        if not pending:
            return finished(module, prepared)
        ready = [s for s in pending if not _inner(module, prepared.demands[s])]
        if not ready:
            demand = prepared.demands[pending[0]]
            raise FrontDoorError(
                where=demand.place,
                what=f"the derivative of @{demand.request.function} needs itself",
            )
        for function in reachable([module.functions[prepared.demands[s].primal] for s in ready]):
            if PRIMAL_SUFFIX in function.name:
                move_pointers(function)
        # Other functions of the module are not ours to change.
        prepare_module(module, skipped=("null_arguments",))
        last = len(ready) == len(pending)
        # What is differentiated again calls the arena, and does not hold it.
        engine, known = Engine(module, rules=book, stand_alone=last), set(module.functions)
        for symbol in ready:
            _lower_one(module, engine, symbol, prepared.demands[symbol], last)
        if last:
            return finished(module, prepared)
        _inline_halves([f for name, f in module.functions.items() if name not in known])
        text = linear_algebra.define_for_nesting(print_module(module))


def _inline_halves(made: Sequence[Function]) -> None:
    """What is differentiated again hands no tapes from function to function, unless one calls itself."""
    for function in made:
        if function.is_declaration or not function.name.startswith((AUGMENTED, REVERSED)):
            continue
        called = [t for i in function.instructions() for o in i.operands if (t := behind(o))]
        if function not in reachable(called):
            add_attribute(function, "alwaysinline")


def finished(module: Module, prepared: LoweredModule) -> str:
    """The text of a module in which no derivatives will be taken any more."""
    write_out(module)
    restore_names(module)
    for function in [f for f in module.functions.values() if _ignores(f)]:
        for call in _calls_of(function):
            if not call.arguments or call.arguments[0].type is not call.type:
                raise FrontDoorError(
                    where=f"call of @{function.name} in @{call.function.name}",
                    what="it must return the type of its first argument",
                )
            call.replace_uses_with(call.arguments[0])
            call.erase()
        del module.functions[function.name]
    show_globals(module)
    let_go(module)
    let_exceptions_pass(module)
    define_sizes(module)
    define_checks(module, prepared.shadowed)
    for name, function in module.functions.items():
        if name.startswith(COMPOSED):
            function.prefix = "internal"
    return print_module(module)


def _inner(module: Module, demand: Demand) -> bool:
    """Does the primal, or what it calls, still hold a stand-in?"""
    return any(
        isinstance(instruction, Call) and instruction.callee_name.startswith(STAND_IN)
        for function in reachable([module.functions[demand.primal]])
        for instruction in function.instructions()
    )


def _lower_one(module: Module, engine: Engine, symbol: str, demand: Demand, last: bool) -> None:
    request = replace(demand.request, nested=not last, function=demand.primal)
    try:
        if request.mode is DiffMode.SPLIT:
            augmented, reverse, has_tape = engine.differentiate_split(request)
        else:
            augmented, has_tape = engine.differentiate(request), True
            reverse = augmented
    except EnzymeError as error:
        error.where = demand.place if error.where is None else error.where
        for field_ in ("where", "what", "why"):
            said = getattr(error, field_)
            if isinstance(said, str):
                setattr(error, field_, without_copies(said))
        error.args = (error.render(),)
        raise
    seed: list[Value] = []
    if request.mode is DiffMode.REVERSE and request.return_activity is Activity.ACTIVE:
        ret: Type = module.functions[demand.primal].function_type.ret
        seed = [Builder().const(ret, 1.0)] * request.width
    _call_instead(module, symbol, augmented, seed)
    if reverse is not augmented:
        _call_instead(module, symbol + REVERSING, reverse, [], not has_tape)


def _call_instead(
    module: Module, symbol: str, made: Function, seed: list[Value], without_last: bool = False
) -> None:
    """Let what calls a stand-in call a derivative."""
    made.prefix = "internal"
    _rename(module, made)
    stand_in = module.functions.get(symbol)
    if stand_in is None:
        return
    for call in _calls_of(stand_in):
        b = Builder()
        b.before(call)
        if NOTED in module.functions and not without_last and not symbol.endswith(REVERSING):
            b.call_named(FORGET, VOID, [], declaration_suffix="nounwind")
        operands = [*call.arguments[1:], *seed]
        passed = operands[:-1] if without_last else operands
        derived = Call(
            made.function_type,
            made,
            passed,
            call.name,
            opcode=call.opcode,
            destinations=list(call.successors()) if call.opcode == "invoke" else (),
        )
        b.add(derived)
        derived.metadata = call.metadata
        if call.type is not VOID:
            call.replace_uses_with(derived)
        call.erase()
    del module.functions[symbol]


def _calls_of(function: Function) -> Iterator[Call]:
    for user in list(function.users):
        if not isinstance(user, Call) or function in user.arguments:
            raise FrontDoorError(
                where=f"in @{user.function.name}" if isinstance(user, Instruction) else None,
                what=f"@{function.name} is used as a value; it can only be called",
            )
        yield user


def _rename(module: Module, function: Function) -> None:
    """Call the derivative after the program's function, not after the copy."""
    short = function.name.replace(PRIMAL_SUFFIX, "")
    if short != function.name:
        del module.functions[function.name]
        function.name = module.fresh_symbol(short)
        module.functions[function.name] = function
