"""Numba's code libraries and its execution engine.

A library takes in modules, links others, optimises the whole and gives it to the engine. Numba's steps are methods
that begin with an underscore; those of `Library` are for its subclasses.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, misc"

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any, NamedTuple

import llvmlite.binding as llvm
from numba.core import environment, types
from numba.core.codegen import CPUCodeLibrary, JITCodeLibrary, JITCPUCodegen
from numba.core.environment import Environment
from numba.core.funcdesc import FunctionDescriptor, default_mangler
from numba.core.runtime import rtsys

from enzyme.frontend.numba_compat.compilers import cpu_target
from enzyme.frontend.numba_compat.probes import (
    expect,
    expect_attributes,
    overriding,
    private,
    probe,
)

__all__ = [
    "CPUCodeLibrary",
    "Environment",
    "FunctionDescriptor",
    "JITCodeLibrary",
    "default_mangler",
]

RUNTIME_LIBRARY = "nrt"
ENVIRONMENT = "_ZN08NumbaEnv"  # how the names of environments begin
DYNAMIC_GLOBALS = (
    "numba.dynamic.globals"  # and those of addresses, which keep a function from files
)
LAPACK_ILP64: bool = private("numba.np.linalg", "_LAPACK_ILP64")


@overriding("_optimize_functions _optimize_final_module _finalize_final_module")
class Library(JITCodeLibrary):
    """A library with steps that may be overridden; nothing is done to single functions."""

    def optimise(self) -> None:
        """Optimise the whole."""
        super()._optimize_final_module()

    def load(self) -> None:
        """Give the whole to the execution engine."""
        super()._finalize_final_module()

    @property
    def linked(self) -> list[Any]:
        """The libraries that were linked."""
        return self._linking_libraries  # type: ignore[no-any-return]

    def mark_finished(self) -> None:
        """Nothing more will be taken in or done."""
        self._raise_if_finalized()
        self._finalized = True

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = data_layout(self)

    def _optimize_final_module(self) -> None:
        self.optimise()

    def _finalize_final_module(self) -> None:
        self.load()


class Generator(JITCPUCodegen):
    """Numba's generator of code; a subclass names the class of its libraries: ``class X(Generator, library=Y)``."""

    def __init_subclass__(cls, library: type[Library], **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls._library_class = library


def whole(library: Any) -> Any:
    """The module in which everything that a library takes in comes together."""
    return library._final_module


def finish(library: Any) -> None:
    """Finalise a library unless it is."""
    library._ensure_finalized()


def finished_module(library: Any) -> Any:
    """All that a library took in, for reading."""
    finish(library)
    return whole(library)


def module_for_linking(library: Any) -> Any:
    """A library's code as numba links it into others."""
    return library._get_module_for_linking()


def data_layout(library: Any) -> str:
    """The data layout of the modules of a library."""
    return generator_layout(library._codegen)


def generator_layout(generator: Any) -> str:
    """The data layout of a generator's modules."""
    return generator._data_layout  # type: ignore[no-any-return]


def defined_symbols(generator: Any) -> set[str]:
    """The names of all that numba's engine has."""
    return generator._engine._defined_symbols  # type: ignore[no-any-return]


def address_in_engine(generator: Any, name: str) -> int:
    """The address of a function that the engine has, also of those that it links on its own."""
    return generator._engine._ee.get_function_address(name)  # type: ignore[no-any-return]


def register_from_engine(generator: Any, names: Iterable[str]) -> None:
    """Let code outside of numba's engine find what of these names is in it."""
    for name in defined_symbols(generator) & set(names):
        llvm.add_symbol(name, address_in_engine(generator, name))


def set_generator(context: Any, generator: Any) -> None:
    """Let a target context make code with this generator."""
    context._internal_codegen = generator


def give_object(library: Any, data: bytes) -> None:
    """Let numba's engine take this machine code for that of a library; comes before it is loaded."""
    library.enable_object_caching()
    library._set_compiled_object(data)
    library._disable_inspection = False


def processor_features(generator: Any) -> str:
    """The features of the processor that numba makes machine code for; the environment may take some away."""
    return str(generator._tm_features)


def constants_of_environment(name: str) -> tuple[Any, ...]:
    """The Python objects that a function reads from its environment, in order."""
    found = environment.lookup_environment(name)
    return () if found is None else tuple(found.consts)


def named_environment(name: str, module: str, constants: list[Any]) -> Environment:
    """An environment that numba keeps with the code that has a place of this name; a module is rebuilt with it."""
    made = Environment(vars(sys.modules[module]))
    made.env_name = name
    made.consts[:] = constants
    Environment._memo[name] = made
    return made


def fill_environments(generator: Any, names: list[str]) -> None:
    """Tell loaded code where the environments of functions are."""
    for name in names:
        found = environment.lookup_environment(name)
        if found is not None:
            generator.set_env(name, found)


# What numba does to a library, as a whole ---------------------------------------------------------


class Steps(NamedTuple):
    """What numba does to its libraries: to the functions of a module, to the whole, and to load it."""

    functions: Any
    whole: Any
    load: Any


def steps() -> Steps:
    """Numba's steps."""
    return Steps(*(getattr(CPUCodeLibrary, name) for name in _STEPS))


def set_steps(given: Steps) -> None:
    """Replace them, in every library of the process that has none of its own."""
    for name, step in zip(_STEPS, given, strict=True):
        setattr(CPUCodeLibrary, name, step)


_STEPS = ("_optimize_functions", "_optimize_final_module", "_finalize_final_module")


def is_from_disk(library: Any) -> bool:
    """Has the library its machine code from a file?"""
    return bool(library._object_caching_enabled and library._compiled_object)


def keep_object(library: Any, data: bytes) -> None:
    """Numba may want to keep the machine code of a loaded library in a file."""
    library._compiled_object = data


# Probes -------------------------------------------------------------------------------------------


@probe
def libraries() -> None:
    """What is used of numba's libraries and its engine."""
    expect_attributes(
        CPUCodeLibrary,
        "_optimize_functions _optimize_final_module _finalize_final_module"
        " _get_module_for_linking _finalize_dynamic_globals"
        " _ensure_finalized _raise_if_finalized _set_compiled_object enable_object_caching",
    )
    rtsys.initialize(cpu_target.target_context)
    generator = cpu_target.target_context.codegen()
    expect_attributes(generator, "_engine _data_layout _library_class _tm_features")
    expect_attributes(generator._engine, "_defined_symbols _ee")
    library = generator.create_library("enzyme.probe")
    library.enable_object_caching()
    expect_attributes(
        library,
        "_codegen _final_module _linking_libraries _finalized _disable_inspection"
        " _object_caching_enabled _compiled_object",
    )
    expect(
        DYNAMIC_GLOBALS in CPUCodeLibrary._finalize_dynamic_globals.__code__.co_consts,
        f"numba's symbols of addresses do not begin with {DYNAMIC_GLOBALS} any more",
    )
    expect_attributes(Environment, "_memo env_name consts can_cache")
    expect(
        rtsys.library.name == RUNTIME_LIBRARY,
        f"the library of numba's run time is not called {RUNTIME_LIBRARY} any more",
    )


@probe
def symbols() -> None:
    """How numba makes names of symbols; `frontend.names` takes apart what differs from process to process."""
    name = default_mangler("m.f", (types.float64,), abi_tags=(), uid=12)
    expect(name == "_ZN1m1fB3v12Ed", f"numba makes other names of symbols: {name} for m.f")
    environment_name = default_mangler(".NumbaEnv.m.f", ())
    expect(
        environment_name.startswith(ENVIRONMENT),
        f"names of environments begin otherwise in numba: {environment_name}",
    )
