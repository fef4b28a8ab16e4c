"""Back into numba: call a derivative from Python or from jitted code.

The derivative, an LLVM function with the contract of `engine.synthesis.request`, is loaded into
numba's own execution engine as a finished library. Python calls it through a function of `wrappers`.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

import hashlib
import itertools
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import llvmlite.binding as llvm

from enzyme.backend import passes, symbols
from enzyme.backend.elementary import loading
from enzyme.backend.emit import called_by, object_of
from enzyme.backend.objects import LoadedObject, UnresolvedSymbolError
from enzyme.engine.analysis.kinds import Activity, DiffMode
from enzyme.engine.analysis.known_functions import NAN_STATUS
from enzyme.engine.derivatives.catalogue import vector_forms
from enzyme.engine.preprocess.jammed_bodies import JAMMED
from enzyme.engine.synthesis.late_results import IN_ORDER
from enzyme.frontend import (
    arena,
    linear_algebra,
    nan_hooks,
    pieces,
    refusals,
    runtime_pieces,
    typed_dicts,
)
from enzyme.frontend.addresses import address_in
from enzyme.frontend.callplan import make_plan
from enzyme.frontend.libraries import Library
from enzyme.frontend.names import restore_names
from enzyme.frontend.numba_compat import code as numba_code
from enzyme.frontend.numba_compat.compilers import global_compiler_lock
from enzyme.frontend.plans import CallPlan
from enzyme.frontend.target import PrimalModule, cpu_context
from enzyme.frontend.thunks import (
    Code,
    ElementaryCode,
    Environments,
    Thunk,
    bound_to_process,
    elementary,
    fill_environments,
    make_thunk,
    register_elementary,
)
from enzyme.frontend.wrappers import wrapper_for
from enzyme.support.collector import resting

# With 0 there, the C library computes all elementary functions, whatever the mode says.
VECTOR_MATH = "ENZYME_VECTOR_MATH"

_serial = itertools.count()
_ENVIRONMENT = "enzyme.environment."
_NO_NAMES: dict[str, str] = {}


class FinishedLibrary(Library):
    """A library whose modules are optimised already.

    What it defines, what it calls, which pieces have it, and what binds it to its process are told by `linkable`.
    """

    defined: tuple[str, ...] = ()
    called: tuple[str, ...] = ()
    pieces: tuple[str, ...] = ()
    bound: str = ""

    def optimise(self) -> None:
        pass


class LinkedLibrary(FinishedLibrary):
    """A library that is only linked into others, so that no machine code is made of it alone."""

    def load(self) -> None:
        self.mark_finished()


def load_library(module: Any, name: str, quick: bool = False) -> FinishedLibrary:
    """An optimised LLVM module as a library that numba links into jitted code; `quick` is for code that hardly runs.

    Where it has places of environments, which are filled in, it is loaded into numba's engine.
    """
    with global_compiler_lock:
        generator = cpu_context().codegen()
        _check_symbols(module, generator)
        places = _environments(module)
        kind = FinishedLibrary if places else LinkedLibrary
        library = kind(generator, name, quick)
        library.add_llvm_module(module)
        library.finalize()
        numba_code.fill_environments(generator, places)
    return library


def load_object(module: Any, quick: bool = False) -> LoadedObject:
    """Load an optimised LLVM module into the process."""
    with global_compiler_lock:
        generator = cpu_context().codegen()
        _check_symbols(module, generator)
        numba_code.register_from_engine(generator, called_by(module))
        return LoadedObject(object_of(module, quick))


def _settle_environments(module: Any) -> Environments:
    """Number the places of environments, whose names belong to the process; what stands in them."""
    found: list[tuple[str, tuple[Any, ...]]] = []
    for name in _environments(module):
        settled = f"{_ENVIRONMENT}{len(found)}"
        module.get_global_variable(name).name = settled
        found.append((settled, numba_code.constants_of_environment(name)))
    return tuple(found)


def _check_symbols(module: Any, generator: Any) -> None:
    symbols.check_shapes(module)
    missing = symbols.unresolved(module, numba_code.defined_symbols(generator))
    if missing:  # LLVM would end the process
        raise UnresolvedSymbolError(missing)


def _environments(module: Any) -> list[str]:
    return [
        variable.name
        for variable in module.global_variables
        if variable.name.startswith(numba_code.ENVIRONMENT) and not variable.is_declaration
    ]


@resting()
def build_thunk(
    derivative_text: str,
    symbol: str,
    primal: PrimalModule,
    activities: Sequence[Activity],
    mode: DiffMode,
    *,
    return_activity: Activity = Activity.CONST,
    return_primal: bool = True,
    checked: bool = False,
    keep_text: bool = False,
    width: int = 1,
    linked: Sequence[Any] = (),
    outside: Mapping[str, str] | None = None,
    vector_math: bool = True,
    raises_late: bool = False,
) -> Thunk:
    """Compile the derivative `symbol` of `derivative_text` and wrap it for Python.

    `linked` are the libraries of what it calls, functions of the user's rules, `outside` the names under which
    all that the text does not define is found (`frontend.names`), those of the primal unless given.
    """
    options = _options(derivative_text, width > 1, vector_math)
    outside = primal.outside if outside is None else outside
    code = _load(derivative_text, (symbol,), options, keep_text, linked, outside)
    plan = make_plan(
        primal,
        symbol,
        activities,
        return_activity,
        mode,
        return_primal,
        width=width,
        raises_late=raises_late,
    )
    return _wrapped(plan, code, primal, checked)


@resting()
def linkable(
    derivative_text: str,
    symbols: tuple[str, ...],
    pack: bool,
    linked: Sequence[Any] = (),
    outside: Mapping[str, str] = _NO_NAMES,
    vector_math: bool = True,
) -> tuple[tuple[str, ...], FinishedLibrary]:
    """The symbols and the library of derivatives that jitted code is to call, and may inline."""
    options = passes.options_for(derivative_text, _options(derivative_text, pack, vector_math))
    module = _optimised(derivative_text, symbols, options, linked, outside)
    # Unlike any other symbol in numba's engine. Internal functions, too: the engine takes one for the weak one of that
    # name in a later module, and LLVM has changed its parameters.
    # A caller may be kept in a file: its names are of no other code in any process.
    content = hashlib.sha256(str(module).encode()).hexdigest()[:16]
    unique = tuple(f"enzyme.{content}.{next(_serial)}.{symbol}" for symbol in symbols)
    for symbol, name in zip(symbols, unique, strict=True):
        module.get_function(symbol).name = name
    for function in module.functions:
        if function.linkage == llvm.Linkage.internal:
            function.name = f"{unique[0]}.{function.name}"
    called = called_by(module)
    bound = bound_to_process(called, outside.values()) or address_in(str(module))
    for variable in module.global_variables:  # goes where nobody reads it
        if variable.name.startswith(numba_code.DYNAMIC_GLOBALS) and not variable.is_declaration:
            variable.linkage = llvm.Linkage.linkonce_any
    defined = tuple(f.name for f in module.functions if not f.is_declaration)
    library = load_library(module, unique[0], options.quick_code)
    library.defined, library.called, library.bound = defined, called, bound
    library.pieces = linear_algebra.pieces_for(derivative_text)
    return unique, library


@resting()
def build_split_thunks(
    derivative_text: str,
    symbols: tuple[str, str],
    primal: PrimalModule,
    activities: Sequence[Activity],
    *,
    return_activity: Activity,
    return_primal: bool,
    has_tape: bool,
    checked: bool = False,
    width: int = 1,
    linked: Sequence[Any] = (),
    outside: Mapping[str, str] | None = None,
    vector_math: bool = True,
    raises_late: bool = False,
) -> tuple[Thunk, Thunk]:
    """Compile augmented primal and reverse function and wrap them for Python.

    With `checked`, the augmented one raises `visible.ArgumentsOverlap`; without a tape, which tells what
    happened, the reverse one does too.
    """
    options = _options(derivative_text, width > 1, vector_math)
    outside = primal.outside if outside is None else outside
    code = _load(derivative_text, symbols, options, False, linked, outside)

    def part(reverses: bool) -> Thunk:
        plan = make_plan(
            primal,
            symbols[reverses],
            activities,
            return_activity,
            DiffMode.SPLIT,
            return_primal,
            reverses=reverses,
            has_tape=has_tape,
            width=width,
            raises_late=raises_late,
        )
        tests = checked and not (reverses and has_tape)
        return _wrapped(plan, code, primal, tests)

    return part(False), part(True)


def _load_elementary(module: Any) -> None:
    """Make machine code of the elementary functions that a module calls, unless some module has called them before."""
    with global_compiler_lock:
        features = numba_code.processor_features(cpu_context().codegen())
        text = loading.missing_functions(module, elementary, features)
        if not text:
            return
        made = passes.parse(text)
        passes.set_host(made)
        defined = tuple(
            (function.name, str(function.global_value_type))
            for function in made.functions
            if not function.is_declaration
        )
        register_elementary(ElementaryCode(defined, load_object(made)))


def _options(text: str, pack: bool, vector_math: bool) -> passes.PostOptions:
    """The knobs for a derivative of several lanes or one, with loops that run several iterations at once, or with sums
    of the primal in reversed loops; the environment may forbid vector versions of functions."""
    options = passes.post_options(pack or JAMMED in text)
    options = replace(options, sums_in_order=IN_ORDER in text)
    if not vector_math or os.environ.get(VECTOR_MATH) == "0":
        return options
    features = numba_code.processor_features(cpu_context().codegen())
    return replace(options, vector_forms=vector_forms(), features=features)


def _optimised(
    text: str,
    symbols_kept: tuple[str, ...],
    options: passes.PostOptions,
    linked: Sequence[Any],
    outside: Mapping[str, str],
) -> Any:
    """The optimised module of a derivative. What it calls is known to the JIT."""
    refusals.register_hook()
    if NAN_STATUS in text:
        nan_hooks.register_hooks()
    typed_dicts.register_for(text)
    runtime_pieces.register((), linear_algebra.pieces_for(text))
    parts = [numba_code.module_for_linking(library) for library in linked]

    def prepare(module: Any) -> None:
        restore_names(module, outside)
        arena.use_pool(module)

    module = passes.optimise_after_ad_module(text, options, symbols_kept, parts, prepare)
    _load_elementary(module)
    return module


def _load(
    text: str,
    symbols_kept: tuple[str, ...],
    options: passes.PostOptions,
    keep_text: bool,
    linked: Sequence[Any],
    outside: Mapping[str, str],
) -> Code:
    """Optimise and load a module."""
    begin = time.perf_counter()
    options = passes.options_for(text, options)
    module = _optimised(text, symbols_kept, options, linked, outside)
    optimised = time.perf_counter()
    kept = str(module) if keep_text else ""
    called = called_by(module)
    environments = _settle_environments(module)
    bound = bound_to_process(called, outside.values())
    if pieces.in_use():
        bound = bound or address_in(str(module))
    loaded = load_object(module, options.quick_code)
    fill_environments(loaded, environments)
    done = time.perf_counter()
    return Code(
        loaded=loaded,
        called=called,
        pieces=linear_algebra.pieces_for(text),
        environments=environments,
        bound=bound,
        size=len(text),
        stages={"optimise_after_ad": optimised - begin, "machine_code": done - optimised},
        text=kept,
    )


def _wrapped(plan: CallPlan, code: Code, primal: PrimalModule, checked: bool) -> Thunk:
    begin = time.perf_counter()
    wrapper = wrapper_for(plan, nogil=bool(primal.options.get("nogil")), checked=checked)
    return make_thunk(plan, code, wrapper, primal.keepalive, time.perf_counter() - begin)
