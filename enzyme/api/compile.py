"""From a signature to a compiled derivative: primal, engine, machine code; errors get a place.

A refusal of the engine carries a line only if the primal was compiled with debug information. That
costs time, so it is done when an error is on its way already.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

import re
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from numba.core import types

from enzyme.api import settings
from enzyme.api.dependents import note
from enzyme.api.kept import Place
from enzyme.api.places import definition, place
from enzyme.api.programs import AlwaysRaises
from enzyme.api.values import calling, native
from enzyme.backend import passes
from enzyme.contract.results import Return, of_return
from enzyme.contract.signature import Signature, check_writable
from enzyme.engine.analysis.kinds import Activity
from enzyme.engine.analysis.modref import Summaries
from enzyme.engine.differentiate import differentiate
from enzyme.engine.ir.known_function import KnownFunction
from enzyme.engine.ir.parser import parse_module
from enzyme.engine.synthesis.cache_report import FunctionCacheReport
from enzyme.engine.synthesis.request import DiffRequest, DiffResult
from enzyme.errors import (
    CompilationException,
    EnzymeConstStorageError,
    EnzymeError,
    EnzymeInternalError,
    EnzymeRuntimeActivityError,
    IRParseError,
)
from enzyme.frontend import refusals, visible
from enzyme.frontend.abi import make_request
from enzyme.frontend.callplan import make_plan
from enzyme.frontend.function_values import functions_in
from enzyme.frontend.intrinsic import UnresolvedSymbolError, build_split_thunks, build_thunk
from enzyme.frontend.leaves import LeafKind, is_differentiable
from enzyme.frontend.runtime_model import NUMBA
from enzyme.frontend.target import PrimalModule, compile_primal, recompile_with_debug
from enzyme.frontend.thunks import Thunk
from enzyme.ruled.choice import opaque_call_policy_for
from enzyme.ruled.resolver import RuleResolver
from enzyme.support.per_function_cache import table_of
from enzyme_rules import rules_of
from enzymecore import ReverseModeSplit

_RETURNS = re.compile(r"^ +ret i32 (?:0|-2|%\S+)", re.MULTILINE)
_LLVM_NAME = re.compile(r"%?\barg\.(\w+?)(?:\.\d+)*(?=\W|$)")


def _engine(
    text: str, request: DiffRequest, rules: RuleResolver, explain: bool = False
) -> DiffResult:
    made = differentiate(text, request, stand_alone=False, explain=explain, rules=rules)
    rules.link_primals(made.text)
    return made


@dataclass
class Program:
    """A primal with the activities of one signature; compiles derivatives of it.

    `function` is what the user differentiates; the primal of one with rules is a function that calls it.
    """

    signature: Signature
    primal: PrimalModule
    result: Return
    stages: dict[str, float] = field(default_factory=dict)
    nested: bool = False
    function: Any = None
    made: DiffResult | None = None
    libraries: tuple[Any, ...] = ()
    outside: dict[str, str] = field(default_factory=dict)
    constants_late: bool = field(default_factory=lambda: not settings.refuse_early())
    constants_meet: bool = True  # a derivative without the promise is for arguments that do overlap
    place: Place | None = None  # where derivatives are kept on disk
    late: tuple[EnzymeError, ...] = ()  # what the derivative raises if control gets there
    _writes: dict[int, bool] = field(default_factory=dict)

    @property
    def raises_late(self) -> bool:
        """May the reverse pass, which has no status, leave an exception?"""
        return bool(self.libraries) or self.signature.mode.check_nan

    def _resolver(self, primal: PrimalModule) -> RuleResolver:
        return RuleResolver(primal, self.nested)

    @property
    def activities(self) -> tuple[Activity, ...]:
        """One activity per argument of the compiled primal; those left to defaults are constant."""
        given = self.signature.activities
        return given + (Activity.CONST,) * (len(self.primal.argtypes) - len(given))

    def request(self, primal: PrimalModule, distinct: bool) -> DiffRequest:
        mode = self.signature.mode
        return make_request(
            primal.entry,
            primal.abi,
            self.activities,
            self.result.activity,
            self.signature.diff_mode,
            need_primal=self.result.primal,
            argtypes=primal.argtypes,
            distinct_arguments=distinct,
            strong_zero=mode.strong_zero,
            safe_zero=mode.safe_zero,
            fast_adjoints=mode.fast_adjoints,
            check_nan=mode.check_nan,
            err_if_const_written=mode.err_if_const_written,
            constants_meet=self._constants_meet and not distinct,
            overwritten=self.overwritten(primal),
            width=self.signature.width,
            refuse_late=True,
            refuse_constants_late=self.constants_late,
            nested=self.nested,
            distinct_lanes=self.can_be_distinct and self._lanes_visible,
        )

    @property
    def _constants_meet(self) -> bool:
        return self.constants_meet and self.can_be_distinct and not self.nested

    @property
    def _lanes_visible(self) -> bool:
        """Is all memory of shadows tested for overlap of lanes?"""
        pairs = zip(self.primal.argtypes, self.activities, strict=True)
        return all(visible.is_visible(ty) for ty, activity in pairs if activity.has_shadow)

    def overwritten(self, primal: PrimalModule) -> frozenset[int]:
        """Parameters whose memory the caller may change between the two calls of split mode.

        The buffer of the result is another one in each call.
        """
        mode = self.signature.mode
        if not isinstance(mode, ReverseModeSplit):
            return frozenset()
        flags = mode.modified_between
        given = (flags,) * len(primal.argtypes) if isinstance(flags, bool) else flags[1:]
        return frozenset(
            n
            for n, p in enumerate(primal.abi.parameters)
            if p.argument < 0 or p.argument >= len(given) or given[p.argument]
        )

    def differentiate(self, distinct: bool) -> DiffResult:
        """Run the engine; its errors name a line."""
        try:
            rules = self._resolver(self.primal)
            made = _engine(self.primal.text, self.request(self.primal, distinct), rules)
            self.libraries = tuple(rules.libraries)
            self.outside = {**self.primal.outside, **rules.outside}
            self._remember(made, distinct)
            for number, error in made.nan_places:
                refusals.remember(number, self._in_users_words(error), True)
            return made
        except RecursionError:
            raise
        except Exception as error:
            found = self._located(error, distinct)
            raise found from (None if isinstance(error, EnzymeError) else error)

    @property
    def may_refuse_constants(self) -> bool:
        """May the derivative raise errors of constant memory when it runs?"""
        kinds = EnzymeConstStorageError, EnzymeRuntimeActivityError
        return self.made is not None and any(isinstance(e, kinds) for _, e in self.made.refusals)

    def _remember(self, made: DiffResult, distinct: bool) -> None:
        """Keep the errors that the derivative will raise if control gets there, with their lines."""
        if not made.refusals:
            return
        located: Sequence[EnzymeError] = ()
        try:
            debug = recompile_with_debug(self.primal)
            again = _engine(debug.text, self.request(debug, distinct), self._resolver(debug))
            located = [error for _, error in again.refusals]
        except Exception:  # what the first run said is enough
            pass
        errors = [error for _, error in made.refusals]
        if list(map(type, located)) == list(map(type, errors)):
            errors = list(located)
        for (number, _), error in zip(made.refusals, errors, strict=True):
            known = error.where is not None
            refusals.remember(number, self._in_users_words(error), known)
        self.late = tuple(errors)

    def _located(self, error: Exception, distinct: bool) -> EnzymeError:
        """The same error with the user's line, found by a second run with debug information."""
        found = self._as_enzyme_error(error)
        if found.where is None:
            try:
                debug = recompile_with_debug(self.primal)
                _engine(debug.text, self.request(debug, distinct), self._resolver(debug))
            except EnzymeError as again:
                located = self._as_enzyme_error(again)
                if located.where is not None and type(located) is type(found):
                    found = located
            except Exception:  # what the first run said is enough
                pass
        return self._in_users_words(found)

    def _in_users_words(self, found: EnzymeError) -> EnzymeError:
        for name in ("what", "why", "argument", "value"):
            text = getattr(found, name, None)
            if isinstance(text, str):
                setattr(found, name, _LLVM_NAME.sub(r"\1", text))
        found.todo = tuple(_LLVM_NAME.sub(r"\1", text) for text in found.todo)
        if isinstance(found, EnzymeRuntimeActivityError):
            self._advise(found)
        found.args = (found.render(),)
        return place(found, definition(self.function))

    def _advise(self, found: EnzymeRuntimeActivityError) -> None:
        """What helps with constant memory that is none: of an argument without floats, or without a name."""
        names = getattr(getattr(self.function, "py_func", None), "__code__", None)
        arguments = () if names is None else names.co_varnames[: names.co_argcount]
        if found.value in arguments:
            position = arguments.index(found.value)
            if position < len(self.primal.argtypes) and not is_differentiable(
                self.primal.argtypes[position]
            ):
                found.todo = (f"use a copy of it there: {found.value}.copy()", found.todo[-1])
        elif not found.value.isidentifier():
            found.what = found.what.replace(f"memory '{found.value}'", "memory")
            found.todo = tuple(t.removeprefix("or ") for t in found.todo[1:2]) + found.todo[2:]

    def _as_enzyme_error(self, error: Exception) -> EnzymeError:
        if isinstance(error, IRParseError):
            return CompilationException(
                what=f"the code of {self.primal.name} is not understood: {error.what}",
                todo=(
                    "nest tuples less deeply, or keep their members in arrays",
                    "or, if nothing is nested, report it with the source of the function",
                ),
                ir=error.text,
            )
        if isinstance(error, EnzymeError):
            return error
        if isinstance(error, UnresolvedSymbolError):
            return CompilationException(
                what=f"the derivative of {self.primal.name} calls what does not exist: {error}"
            )
        return EnzymeInternalError(
            what=f"the derivative of {self.primal.name} could not be made: a defect of the compiler",
            why=f"{type(error).__name__}: {error}"[:500],
            todo="please report it with the source of the function",
            ir=self.primal.text,
        )

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """What LLVM says of a derivative becomes an error of ours, at the function's definition."""
        try:
            yield
        except (RuntimeError, UnresolvedSymbolError, ValueError) as error:
            found = self._as_enzyme_error(error)
            raise place(found, definition(self.function)) from error

    def thunk(self, distinct: bool, keep_text: bool = False) -> Thunk:
        """Compile the derivative; with `distinct` it tests that arguments keep apart."""
        made = self.made = self.differentiate(distinct)
        with self._explained():
            thunk = build_thunk(
                made.text,
                made.symbol,
                self.primal,
                self.activities,
                self.signature.diff_mode,
                return_activity=self.result.activity,
                return_primal=self.result.primal,
                checked=distinct and self.overlap_matters,
                keep_text=keep_text,
                width=self.signature.width,
                linked=self.libraries,
                outside=self.outside,
                vector_math=self.signature.mode.vector_math,
                raises_late=self.raises_late,
            )
        engine = {name: t for name, t in made.stages.items() if name != "total"}
        self.stages = {**self.primal.stages, **engine, **thunk.stages}
        if self.place is not None and not keep_text:
            self.place.keep(self, ("one", distinct), [thunk])
        return thunk

    def accounts(self, distinct: bool) -> tuple[FunctionCacheReport, ...]:
        """What the derivative keeps, with lines, from a second run with debug information."""
        debug = recompile_with_debug(self.primal)
        rules = self._resolver(debug)
        return _engine(debug.text, self.request(debug, distinct), rules, explain=True).accounts

    def split_thunks(self, distinct: bool) -> tuple[Thunk, Thunk]:
        """Compile augmented primal and reverse function; with `distinct` the first tests arguments."""
        made = self.made = self.differentiate(distinct)
        with self._explained():
            thunks = build_split_thunks(
                made.text,
                (made.symbol, made.reverse_symbol),
                self.primal,
                self.activities,
                return_activity=self.result.activity,
                return_primal=self.result.primal,
                has_tape=made.has_tape,
                checked=distinct and self.overlap_matters,
                width=self.signature.width,
                linked=self.libraries,
                outside=self.outside,
                vector_math=self.signature.mode.vector_math,
                raises_late=self.raises_late,
            )
        if self.place is not None:
            self.place.keep(self, ("two", distinct), thunks)
        return thunks

    @property
    def overlap_matters(self) -> bool:
        """Does any argument have memory that another one may share, to any effect?"""
        return visible.is_needed(
            make_plan(
                self.primal,
                "",
                self.activities,
                self.result.activity,
                self.signature.diff_mode,
                self.result.primal,
                width=self.signature.width,
            )
        )

    @property
    def can_be_distinct(self) -> bool:
        """Can arguments be tested for overlap, so that the derivative may rely on there being none?"""
        return visible.all_visible(self.primal.argtypes)

    def writes(self, argument: int) -> bool:
        """May the primal write the memory of an argument: of an array, or of what a container holds?"""
        known = self._writes.get(argument)
        if known is None:
            known = self._writes[argument] = self._may_write(argument)
        return known

    def _may_write(self, argument: int) -> bool:
        if any(
            n in self._written
            for n, p in enumerate(self.primal.abi.parameters)
            if p.argument == argument and p.leaf.kind is LeafKind.DATA
        ):
            return True
        ty = self.primal.argtypes[argument]
        hidden = visible.holds_memory(ty) and not visible.is_visible(ty)
        return hidden and (self._effects.writes_other or self._reaches_and_writes(argument))

    def _reaches_and_writes(self, argument: int) -> bool:
        """May it write what a parameter of an argument leads to? LLVM's attributes speak of what it points to alone."""
        mine = {n for n, p in enumerate(self.primal.abi.parameters) if p.argument == argument}
        return not mine.isdisjoint(self._effects.writes)

    @cached_property
    def _written(self) -> frozenset[int]:
        """Positions of the pointer parameters that may be written.

        LLVM knows little about a program that holds a derivative, which passes pointers on; the engine knows what
        the functions do that get them.
        """
        written = _not_marked_as_read(self.primal)
        if written <= {n for n, p in enumerate(self.primal.abi.parameters) if p.argument < 0}:
            return written
        return written if self._effects.writes_other else written & self._effects.writes

    @cached_property
    def _effects(self) -> KnownFunction:
        module = parse_module(self.primal.text, NUMBA)
        return Summaries(module, own_frees=True).of_function(module.functions[self.primal.entry])


def _not_marked_as_read(primal: PrimalModule) -> frozenset[int]:
    """Positions of the pointer parameters that LLVM's attributes do not call only read."""
    line = next(
        text
        for text in primal.text.splitlines()
        if text.startswith("define") and f"@{primal.entry}(" in text.replace('"', "")
    )
    inside = line.replace('"', "").split(f"@{primal.entry}(", 1)[1].rsplit(")", 1)[0]
    parameters = re.sub(r"\([^()]*(?:\([^()]*\)[^()]*)*\)", "", inside).split(",")
    return frozenset(
        n
        for n, text in enumerate(parameters)
        if text.split()[:1] == ["ptr"] and not {"readonly", "readnone"} & set(text.split())
    )


def compile_program(
    func: Any, signature: Signature, args: Sequence[Any], nested: bool = False
) -> Program:
    """Compile the primal and decide what becomes of its result."""
    values = [native(getattr(a, "val", None)) for a in args]
    functions = functions_in(signature.argtypes, values)
    optimise = passes.optimise_for_nesting if nested else passes.optimise_before_ad
    has_rules = bool(rules_of(func))
    primal = compile_primal(
        _calling_it(func, signature.argtypes) if has_rules else func,
        signature.argtypes,
        functions=functions,
        optimise=optimise,
        opaque=opaque_call_policy_for(signature.forward),
    )
    if signature.mode.check_nan and not nested:
        primal = recompile_with_debug(primal)
    note(primal.reached)
    if has_rules:
        note((weakref.ref(func),))
    try:
        varies = any(
            a.has_shadow
            for a in make_plan(
                primal,
                "",
                signature.activities
                + (Activity.CONST,) * (len(primal.argtypes) - len(signature.activities)),
                Activity.CONST,
                signature.diff_mode,
            ).parameter_activities
        )
        result = of_return(signature, primal.restype, varies)
    except EnzymeError:
        if primal.restype == types.none and not _RETURNS.search(_entry_body(primal)):
            raise AlwaysRaises(func) from None
        raise
    program = Program(signature, primal, result, nested=nested, function=func)
    if signature.forward:
        for position, arg in enumerate(args):
            if not isinstance(arg, type) and hasattr(arg, "dval") and program.writes(position):
                check_writable(position, arg)
    return program


_CALLER = "__enzyme_caller__"


def _calling_it(func: Any, argtypes: Sequence[types.Type]) -> Any:
    """A function that does nothing but call `func`, which has rules: they are for its calls."""
    table, count = table_of(func, _CALLER), len(argtypes)
    if count not in table:
        table[count] = calling(func, count, func.py_func.__name__)
    return table[count]


def _entry_body(primal: PrimalModule) -> str:
    """Text of the entry function."""
    text = primal.text.replace('"', "")
    start = re.search(rf"^define [^@]*@{re.escape(primal.entry)}\(", text, re.MULTILINE)
    return text[start.start() : text.find("\n}", start.start())] if start else text
