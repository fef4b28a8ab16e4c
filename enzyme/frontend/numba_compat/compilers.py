"""Numba's compilers: targets, contexts, dispatchers and lowering.

Their methods that begin with an underscore have names here that subclasses override.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, misc"

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cached_property
from typing import Any, cast

import numba
from numba.core import compiler, config, cpu, errors, imputils, ir_utils, types, typing
from numba.core.callconv import RETCODE_EXC, CPUCallConv, excinfo_t
from numba.core.ccallback import CFunc
from numba.core.compiler_lock import global_compiler_lock
from numba.core.cpu import CPUTargetOptions
from numba.core.debuginfo import DIBuilder
from numba.core.descriptors import TargetDescriptor
from numba.core.dispatcher import Dispatcher, ObjModeLiftedWith
from numba.core.pythonapi import PythonAPI
from numba.core.registry import CPUDispatcher, cpu_target
from numba.core.runtime import rtsys
from numba.core.runtime.context import NRTContext
from numba.core.target_extension import (
    CPU,
    current_target,
    dispatcher_registry,
    jit_registry,
    target_override,
    target_registry,
)
from numba.core.typed_passes import NopythonRewrites
from numba.experimental.jitclass.base import ClassBuilder, JitClassType

from enzyme.frontend.numba_compat.probes import (
    expect,
    expect_attributes,
    expect_parameters,
    overriding,
    private,
    probe,
)

__all__ = [
    "CPU",
    "CFunc",
    "CPUDispatcher",
    "CPUTargetOptions",
    "ClassBuilder",
    "Dispatcher",
    "JitClassType",
    "NopythonRewrites",
    "ObjModeLiftedWith",
    "PythonAPI",
    "RETCODE_EXC",
    "TargetDescriptor",
    "cpu_target",
    "dispatcher_registry",
    "excinfo_t",
    "global_compiler_lock",
    "jit_registry",
    "rtsys",
    "current_target",
    "target_override",
    "target_registry",
]

_jit: Any = numba.jit  # with an option that is not in its signature
_Compiler: Any = private("numba.core.dispatcher", "_FunctionCompiler")


# Contexts -----------------------------------------------------------------------------------------


_ARRAY = "__array__"  # what turns a value that is like an array into one


def _registrations(context: Any) -> list[int]:
    """How much the registries hold that a target context and its typing context know."""
    return [
        len(getattr(registry, name))
        for one, names in ((context, _TARGET_ITEMS), (context.typing_context, _TYPING_ITEMS))
        for registry in one._registries
        for name in names
    ]


_TARGET_ITEMS = imputils.RegistryLoader.registry_items
_TYPING_ITEMS = typing.templates.RegistryLoader.registry_items
_refreshed: weakref.WeakKeyDictionary[Any, list[int]] = weakref.WeakKeyDictionary()


def refresh(context: Any, how: Callable[[], None]) -> None:
    """Refresh a target context by `how`, unless nothing was registered since the last time.

    Numba looks through all registries each time, which takes longer than it seems to think.
    """
    if _refreshed.get(context) != _registrations(context):
        how()
        _refreshed[context] = _registrations(context)


@overriding("get_meminfos")
class Counts(NRTContext):
    """Reference counts, without code that looks for them where there are none: in all fields of an array but one.

    What a type is that is defined later numba does not ask: there may be some.
    """

    def get_meminfos(self, builder: Any, ty: Any, val: Any) -> list[Any]:
        models = self._context.data_model_manager
        model = models[ty]
        found = [(ty, model.get_nrt_meminfo(builder, val))] if model.has_nrt_meminfo() else []
        for member, getter in model.traverse(builder):
            inner = models[member].traverse_types()
            if any(isinstance(t, types.DeferredType) or models[t].has_nrt_meminfo() for t in inner):
                found += self.get_meminfos(builder, member, getter(val))
        return found


@overriding("_compile_subroutine_no_cache get_function get_abi_sizeof nrt")
class Context(cpu.CPUContext):
    """Numba's target context for the CPU; `around_function` surrounds the compilation of each function it needs.

    Questions that numba asks again and again are answered at once: whether something makes an array of an array, and
    what the size of a type is.
    """

    @cached_property
    def nrt(self) -> Any:
        return Counts(self, self.enable_nrt)

    def get_function(self, fn: Any, sig: Any, _firstcall: bool = True) -> Any:
        if fn == _ARRAY and not (fn in self._defns and self._defns[fn].versions):
            raise NotImplementedError
        return super().get_function(fn, sig, _firstcall)

    def get_abi_sizeof(self, ty: Any) -> int:
        text = str(ty)
        if "%" in text:  # a name says nothing of the type
            return super().get_abi_sizeof(ty)  # type: ignore[no-any-return]
        if text not in _sizes:
            _sizes[text] = super().get_abi_sizeof(ty)
        return _sizes[text]

    def around_function(self) -> AbstractContextManager[None]:
        """What holds while numba compiles a function of its own for this context."""
        return nullcontext()

    def _compile_subroutine_no_cache(self, *args: Any, **kwargs: Any) -> Any:
        with self.around_function():
            return super()._compile_subroutine_no_cache(*args, **kwargs)


_sizes: dict[str, int] = {}


def is_cpu_context(context: Any) -> bool:
    """Is this the context of numba's own target, not one derived from it?"""
    return type(context) is cpu.CPUContext


@contextmanager
def fresh_counters() -> Iterator[None]:
    """Let numba number variables and labels as if it had compiled nothing before, and forget places of errors.

    These counters belong to the process; they are put back at the end.
    """
    labels = ir_utils._the_max_label
    variables, label, place = ir_utils._unique_var_count, labels._value, dict(errors.loc_info)
    ir_utils._unique_var_count, labels._value = 0, 0
    errors.loc_info.clear()
    try:
        yield
    finally:
        ir_utils._unique_var_count, labels._value = variables, label
        errors.loc_info.clear()
        errors.loc_info.update(place)


# Dispatchers --------------------------------------------------------------------------------------


class Flags(compiler.Flags):
    """Flags of the compiler, which numba looks up by; it would read all of them for each comparison."""

    __slots__ = ()

    def __eq__(self, other: object) -> Any:
        if isinstance(other, Flags) and self._values == other._values:
            return True
        return super().__eq__(other)

    def __hash__(self) -> int:
        return _HASH_OF_FLAGS  # numba's too is that of their names, the same for all


_HASH_OF_FLAGS = hash(compiler.Flags())


@overriding("_customize_flags _compile_core")
class FunctionCompiler(_Compiler):
    """What a dispatcher compiles with."""

    def adapted(self, flags: Any) -> Any:
        """The compiler's flags, which may be changed."""
        return flags

    def around_function(self) -> AbstractContextManager[None]:
        """What holds while a function is compiled."""
        return nullcontext()

    def _customize_flags(self, flags: Any) -> Any:
        return self.adapted(Flags(flags))

    def _compile_core(self, args: Any, return_type: Any) -> Any:
        with self.around_function():
            return super()._compile_core(args, return_type)


def jit_for(target: str) -> Any:
    """The decorator that numba uses where it compiles something of its own for a target."""

    def jit(*args: Any, **kwargs: Any) -> Any:
        kwargs.pop("cache", None)
        return _jit(*args, _target=target, **kwargs)

    return jit


def set_compiler(made: Any, compiler: type[FunctionCompiler]) -> None:
    """Let a dispatcher compile with `compiler`."""
    old = made._compiler
    made._compiler = compiler(
        old.py_func, old.targetdescr, old.targetoptions, old.locals, old.pipeline_class
    )


def pipeline_of(made: Any) -> Any:
    """The class of the passes that a dispatcher compiles with."""
    return made._compiler.pipeline_class


def tests_bounds(flags: Any) -> bool:
    """Are indices compared with bounds in what is compiled with these flags? The environment has the last word."""
    asked = config.BOUNDSCHECK
    return bool(flags.boundscheck if asked is None else asked)


def can_compile(made: Any) -> bool:
    """May a dispatcher compile for other types than it has?"""
    return bool(made._can_compile)


def make_ready(made: Any) -> None:
    """Numba's own preparation of a dispatcher before it compiles."""
    made._compilation_chain_init_hook()


def signature_and_function(callback: CFunc) -> tuple[Any, Any]:
    """The signature of a `numba.cfunc` and the Python function it was made of."""
    return callback._sig, callback._pyfunc


# Lowering -----------------------------------------------------------------------------------------


@overriding("_di_location")
class Lines(DIBuilder):
    """Debug information of a function."""

    def location(self, line: int) -> Any:
        """The metadata of a line."""
        return super()._di_location(line)

    def _di_location(self, line: int) -> Any:
        return self.location(line)


def call_status(convention: Any, builder: Any, code: Any, excinfo: Any) -> Any:
    """Numba's status of a call that returned `code`."""
    return convention._get_return_status(builder, code, excinfo)


# Probes -------------------------------------------------------------------------------------------


@probe
def contexts() -> None:
    """What is overridden in numba's contexts is called with what we take."""
    expect_parameters(cpu.CPUContext, "insert_func_defn", "self defns")
    expect_parameters(cpu.CPUContext, "get_ufunc_info", "self ufunc_key")
    expect_parameters(cpu.CPUContext, "get_function", "self fn sig _firstcall")
    expect_parameters(cpu.CPUContext, "call_unresolved", "self builder name sig args")
    expect_parameters(cpu.CPUContext, "cast", "self builder val fromty toty")
    expect_parameters(cpu.CPUContext, "get_constant_generic", "self builder ty val")
    expect_parameters(cpu.CPUContext, "insert_const_bytes", "self mod bytes name")
    expect_parameters(cpu.CPUContext, "mangler", "self name types abi_tags uid")
    expect_parameters(PythonAPI, "emit_environment_sentry", "self envptr return_pyobject debug_msg")
    expect_parameters(CPUCallConv, "_get_return_status", "self builder code excinfoptr")
    expect("_target" in _jit.__code__.co_consts, "numba.jit takes no _target any more")
    expect_parameters(cpu.CPUContext, "get_abi_sizeof", "self ty")
    expect_parameters(NRTContext, "get_meminfos", "self builder ty val")
    context = cpu_target.target_context
    expect_attributes(context, "_internal_codegen data_model_manager DIBuilder _registries _defns")
    expect_attributes(context.typing_context, "_registries")
    expect_attributes(context._defns["getattr"], "versions")
    expect_attributes(
        context.data_model_manager[types.float64],
        "has_nrt_meminfo get_nrt_meminfo traverse traverse_types",
    )


@probe
def counters() -> None:
    """Numba counts in one number and one object of a module."""
    expect_attributes(ir_utils, "_unique_var_count _the_max_label")
    expect(
        isinstance(ir_utils._unique_var_count, int)
        and isinstance(ir_utils._the_max_label._value, int),
        "numba counts variables and labels otherwise",
    )
    expect(isinstance(errors.loc_info, dict), "numba keeps the place of errors otherwise")


@probe
def dispatchers() -> None:
    """What is used of numba's dispatchers."""
    expect_parameters(_Compiler, "_customize_flags", "self flags")
    expect_parameters(_Compiler, "_compile_core", "self args return_type")
    expect_parameters(
        _Compiler, "__init__", "self py_func targetdescr targetoptions locals pipeline_class"
    )
    expect_attributes(Dispatcher, "_compilation_chain_init_hook fold_argument_types add_overload")

    def nothing() -> None:
        pass

    one, other = compiler.Flags(), cast(Any, compiler.Flags())
    other.nrt = True
    expect_attributes(one, "_values")
    expect(
        hash(one) == hash(other) and one != other,
        "numba's flags of the compiler are compared otherwise",
    )
    made = CPUDispatcher(nothing)
    expect_attributes(made, "_can_compile _compiler")
    expect_attributes(made._compiler, "py_func targetdescr targetoptions locals pipeline_class")
    expect_attributes(CFunc(nothing, ((), types.none), {}, {}), "_sig _pyfunc")
