"""Back into numba: call a derivative from Python or from jitted code.

The derivative, an LLVM function with the contract of `engine.synthesis.request`, is loaded into
numba's own execution engine as a finished library. Python calls it through a function of `wrappers`.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import llvmlite.binding as llvm

from enzyme.backend import passes, symbols
from enzyme.backend.elementary import loading
from enzyme.backend.jit import UnresolvedSymbolError
from enzyme.engine.derivatives.catalogue import vector_forms
from enzyme.engine.synthesis.request import Activity, DiffMode
from enzyme.frontend import arena, linear_algebra, memory_error, refusals, typed_dicts
from enzyme.frontend.callplan import CallPlan, make_plan
from enzyme.frontend.libraries import Library
from enzyme.frontend.names import restore_names
from enzyme.frontend.numba_compat import code as numba_code
from enzyme.frontend.numba_compat.compilers import global_compiler_lock
from enzyme.frontend.roomy import roomy
from enzyme.frontend.target import PrimalModule, cpu_context
from enzyme.frontend.wrappers import wrapper_for
from enzyme.support.collector import resting

# With 0 there, the C library computes all elementary functions, whatever the mode says.
VECTOR_MATH = "ENZYME_VECTOR_MATH"

_serial = itertools.count()
_NO_NAMES: dict[str, str] = {}


class FinishedLibrary(Library):
    """A library whose modules are optimised already."""

    def optimise(self) -> None:
        pass


class LinkedLibrary(FinishedLibrary):
    """A library that is only linked into others, so that no machine code is made of it alone."""

    def load(self) -> None:
        self.mark_finished()


def load_module(
    module: Any, name: str, quick: bool = False, linked_only: bool = False
) -> FinishedLibrary:
    """Load an optimised LLVM module into numba's execution engine; `quick` is for code that hardly runs.

    With `linked_only` nobody asks for addresses. The places of environments are still filled in, which needs some.
    """
    with global_compiler_lock:
        context = cpu_context()
        generator = context.codegen()
        symbols.check_shapes(module)
        missing = symbols.unresolved(module, numba_code.defined_symbols(generator))
        if missing:  # LLVM would end the process
            raise UnresolvedSymbolError(f"no definition of {', '.join(missing)}")
        places = [
            variable.name
            for variable in module.global_variables
            if variable.name.startswith(numba_code.ENVIRONMENT) and not variable.is_declaration
        ]
        kind = LinkedLibrary if linked_only and not places else FinishedLibrary
        library = kind(generator, name, quick)
        library.add_llvm_module(module)
        library.finalize()
        numba_code.fill_environments(generator, places)
    return library


@dataclass(frozen=True)
class Thunk:
    """A compiled derivative.

    `entry` takes its `address` and the flat arguments in the order of `plan.parameters`, which must be of exactly
    `plan.flat_types`, and returns the tuple that `plan.results` describes. `dispatcher` is the same with a check of
    types, like any jitted function.
    """

    address: int
    entry: Callable[..., Any]
    dispatcher: Callable[..., Any]
    plan: CallPlan
    stages: dict[str, float]
    derivative_text: str = field(repr=False, default="")
    keepalive: tuple[Any, ...] = field(repr=False, compare=False, default=())

    def call(self, *args: Any) -> Any:
        """The derivative of flat arguments, whose types are checked."""
        return self.dispatcher(self.address, *args)


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
) -> Thunk:
    """Compile the derivative `symbol` of `derivative_text` and wrap it for Python.

    `linked` are the libraries of what it calls, functions of the user's rules, `outside` the names under which
    all that the text does not define is found (`frontend.names`), those of the primal unless given.
    """
    options = _options(width > 1, vector_math)
    outside = primal.outside if outside is None else outside
    code = _load(derivative_text, (symbol,), options, keep_text, linked, outside)
    plan = make_plan(
        primal,
        code.symbols[0],
        activities,
        return_activity,
        mode,
        return_primal,
        width=width,
        raises_late=bool(linked),
    )
    return _wrapped(plan, code, primal, checked, len(derivative_text))


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
    options = _options(pack, vector_math)
    code = _load(derivative_text, symbols, options, False, linked, outside, linked_only=True)
    return code.symbols, code.library


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
) -> tuple[Thunk, Thunk]:
    """Compile augmented primal and reverse function and wrap them for Python.

    With `checked`, the augmented one raises `overlap.ArgumentsOverlap`; without a tape, which tells what
    happened, the reverse one does too.
    """
    options = _options(width > 1, vector_math)
    outside = primal.outside if outside is None else outside
    code = _load(derivative_text, symbols, options, False, linked, outside)

    def part(reverses: bool) -> Thunk:
        plan = make_plan(
            primal,
            code.symbols[reverses],
            activities,
            return_activity,
            DiffMode.SPLIT,
            return_primal,
            reverses=reverses,
            has_tape=has_tape,
            width=width,
            raises_late=bool(linked),
        )
        tests = checked and not (reverses and has_tape)
        return _wrapped(plan, code, primal, tests, len(derivative_text))

    return part(False), part(True)


# Libraries in numba's execution engine, by the symbols of the elementary functions that they define.
_elementary: dict[str, FinishedLibrary] = {}


def _load_elementary(module: Any) -> None:
    """Make machine code of the elementary functions that a module calls, unless some module has called them before."""
    with global_compiler_lock:
        features = numba_code.processor_features(cpu_context().codegen())
        text = loading.missing_functions(module, _elementary, features)
        if not text:
            return
        made = passes.parse(text)
        passes.set_host(made)
        symbols_made = [function.name for function in made.functions if not function.is_declaration]
        library = load_module(made, f"enzyme.{next(_serial)}.elementary")
        _elementary.update(dict.fromkeys(symbols_made, library))


def _options(pack: bool, vector_math: bool) -> passes.PostOptions:
    """The knobs for a derivative of several lanes or one; the environment may forbid vector versions of functions."""
    options = passes.post_options(pack)
    if not vector_math or os.environ.get(VECTOR_MATH) == "0":
        return options
    features = numba_code.processor_features(cpu_context().codegen())
    return replace(options, vector_forms=vector_forms(), features=features)


@dataclass(frozen=True)
class _Code:
    """Machine code of a derivative: its symbols, renamed, and what it cost."""

    symbols: tuple[str, ...]
    library: FinishedLibrary
    stages: dict[str, float]
    text: str


def _load(
    text: str,
    symbols_kept: tuple[str, ...],
    options: passes.PostOptions,
    keep_text: bool,
    linked: Sequence[Any],
    outside: Mapping[str, str],
    linked_only: bool = False,
) -> _Code:
    """Optimise and load a module, or with `linked_only` make a library of it.

    Its symbols are renamed so that thunks never meet in numba's execution engine; everything else
    in the module becomes internal, and is renamed too: the engine takes an internal function for the weak one of
    that name in a later module, and LLVM has changed its parameters.
    """
    begin = time.perf_counter()
    options = passes.options_for(text, options)
    memory_error.register_hook()
    refusals.register_hook()
    arena.register(cpu_context())
    linear_algebra.register_for(text)
    typed_dicts.register_for(text)
    parts = [numba_code.module_for_linking(library) for library in linked]

    def prepare(module: Any) -> None:
        restore_names(module, outside)
        arena.use_pool(module)

    module = passes.optimise_after_ad_module(text, options, symbols_kept, parts, prepare)
    _load_elementary(module)
    unique = tuple(f"enzyme.{next(_serial)}.{symbol}" for symbol in symbols_kept)
    for symbol, name in zip(symbols_kept, unique, strict=True):
        module.get_function(symbol).name = name
    for function in module.functions:
        if function.linkage == llvm.Linkage.internal:
            function.name = f"{unique[0]}.{function.name}"
    optimised = time.perf_counter()
    kept = str(module) if keep_text else ""
    library = load_module(module, unique[0], options.quick_code, linked_only)
    loaded = time.perf_counter()
    stages = {"optimise_after_ad": optimised - begin, "machine_code": loaded - optimised}
    return _Code(unique, library, stages, kept)


def _wrapped(plan: CallPlan, code: _Code, primal: PrimalModule, checked: bool, size: int) -> Thunk:
    begin = time.perf_counter()
    nogil = bool(primal.options.get("nogil"))
    wrapper = wrapper_for(plan, nogil=nogil, checked=checked)
    return Thunk(
        address=code.library.get_pointer_to_function(plan.symbol),
        entry=roomy(wrapper.entry, size),
        dispatcher=wrapper.dispatcher,
        plan=plan,
        stages={**code.stages, "wrapper": time.perf_counter() - begin},
        derivative_text=code.text,
        keepalive=(primal.keepalive, code.library, wrapper),
    )
