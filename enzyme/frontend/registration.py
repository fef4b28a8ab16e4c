"""A numba target of our own, which lowers a whole program into one unoptimised module.

Numba's CPU target optimises each function before its caller sees it, vectorised and unrolled;
differentiation wants the loops as written.  Here a library keeps only its own module; nothing is
optimised, linked or loaded while numba compiles.  Callees written for the CPU target (`@njit`
functions, numba's own overloads) are compiled again for this one.

Invariant: no code address of this target is ever taken; `get_executable` gives numba a harmless
builtin where it insists on a callable.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, update_wrapper, wraps
from types import FunctionType
from typing import Any

from llvmlite import ir as llvmir
from numba.core import codegen, cpu, dispatcher, types, typing
from numba.core.compiler_lock import global_compiler_lock
from numba.core.descriptors import TargetDescriptor
from numba.core.extending import _Intrinsic
from numba.core.funcdesc import default_mangler
from numba.core.lowering import Lower
from numba.core.registry import cpu_target
from numba.core.target_extension import (
    CPU,
    dispatcher_registry,
    jit_registry,
    target_override,
    target_registry,
)
from numba.core.typing import templates
from numba.experimental.jitclass.base import ClassBuilder, JitClassType
from numba.np.ufunc.ufunc_base import UfuncBase
from numba.stencils.stencil import StencilFunc

from enzyme.frontend import (
    dict_operations,
    function_values,
    functions,
    list_operations,
    records,
    stencils,
    ufuncs,
)
from enzyme.frontend.locate import LinesOfFiles
from enzyme.frontend.marks import maker, marking
from enzyme.frontend.repeatable import RepeatableContext, as_if_first
from enzyme_rules.registry import marks_version

NAME = "enzyme"
_REPLACED = {**list_operations.REPLACED, **dict_operations.REPLACED}


class Enzyme(CPU):
    """Target token; whatever numba offers for the CPU is offered here too."""


@dataclass(frozen=True)
class Compiled:
    """A function of the user's that a library holds: the jitted function, its types, its parameters' names."""

    function: weakref.ref[Any]
    symbol: str
    argtypes: tuple[types.Type, ...]
    restype: types.Type
    names: tuple[str, ...]


class SourceLibrary(codegen.JITCodeLibrary):
    """A code library that only holds its module and remembers what it would link.

    `unresolved` names the functions that are called though numba does not link them, because
    recursion led there; `function_values` and `called_values` what it turns into values and by which
    signatures it calls values.
    """

    # By function name, the library that defines it; the overload keeps the library alive.
    _definitions: weakref.WeakValueDictionary[str, SourceLibrary] = weakref.WeakValueDictionary()

    def __init__(self, codegen: Any, name: str) -> None:
        super().__init__(codegen, name)
        self.unresolved: dict[str, None] = {}
        self.function_values: list[function_values.FunctionValue] = []
        self.called_values: dict[tuple[Any, ...], None] = {}
        self.compiled: Compiled | None = None

    def add_ir_module(self, ir_module: Any) -> None:
        for function in ir_module.functions:
            if not function.is_declaration:
                self._definitions[function.name] = self
        super().add_ir_module(ir_module)

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        pass

    def finalize(self) -> None:
        self._raise_if_finalized()
        self._finalized = True

    def add_linking_library(self, library: Any) -> None:
        # Not finalised: with recursion the callee may still be under construction.
        if not isinstance(library, SourceLibrary):
            library._ensure_finalized()
        if library is not self:
            self._linking_libraries.append(library)

    def get_pointer_to_function(self, name: str) -> int:
        return 0

    def closure(self) -> list[Any]:
        """All that is linked, directly or not, this library first."""
        seen: dict[int, Any] = {}
        pending: list[Any] = [self]
        while pending:
            library = pending.pop()
            if id(library) not in seen:
                seen[id(library)] = library
                if isinstance(library, SourceLibrary):
                    called = (self._definitions.get(name) for name in library.unresolved)
                    pending.extend(other for other in called if other is not None)
                    pending.extend(reversed(library._linking_libraries))
        return list(seen.values())


class SourceCodegen(codegen.JITCPUCodegen):
    """Makes `SourceLibrary`; a call to a function not compiled yet is a plain declaration."""

    _library_class = SourceLibrary

    def insert_unresolved_ref(self, builder: Any, fnty: Any, name: str) -> Any:
        found = builder.module.globals.get(name)
        return found if found is not None else llvmir.Function(builder.module, fnty, name)

    def set_env(self, env_name: str, env: Any) -> None:
        pass


class EnzymeTypingContext(typing.Context):
    """Types every dispatcher in user code as the corresponding dispatcher of this target."""

    def resolve_value_type(self, val: Any) -> Any:
        if isinstance(val, dispatcher.ObjModeLiftedWith):
            # Called through the interpreter, so it must be code that runs.
            val.typingctx = cpu_target.typing_context
            val.targetctx = cpu_target.target_context
        elif isinstance(val, JitClassType):
            return val.class_type
        elif isinstance(val, StencilFunc):
            val = stencils.stand_in(val, self, enzyme_target.target_context)
        elif isinstance(val, type) and (made := maker(val)) is not None:
            val = made
        elif isinstance(val, _Intrinsic):
            val = _REPLACED.get(val, val)
        elif isinstance(val, UfuncBase) and self._lookup_global(val) is None:
            ufuncs.install(val, self, enzyme_target.target_context, for_target)
        return super().resolve_value_type(for_target(val))

    def insert_attributes(self, at: Any) -> None:
        # Numba interns the type of a bound method by the function that implements it, together with
        # the context that made it: the targets must not share them.
        if isinstance(at, templates._OverloadMethodTemplate):
            at._overload_func = _copy_of(at._overload_func)
        super().insert_attributes(at)

    def resolve_function_type(self, func: Any, args: Any, kws: Any) -> Any:
        return super().resolve_function_type(type_for_target(func), args, kws)


def _copy_of(function: FunctionType) -> FunctionType:
    made = FunctionType(
        function.__code__,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    made.__kwdefaults__ = function.__kwdefaults__
    return update_wrapper(made, function)  # type: ignore[return-value]


class EnzymeContext(RepeatableContext):
    """CPU lowering into `SourceLibrary`; wrappers for Python and C are left out."""

    DIBuilder = LinesOfFiles

    @staticmethod
    def mangler(name: Any, argtypes: Any, *, abi_tags: Any = (), uid: Any = None) -> str:
        """Numba's name without the compiler's flags.

        A recursive caller must guess the name, and cannot know the flags of its callee.
        """
        return default_mangler(
            name, argtypes, abi_tags=() if uid is not None else abi_tags, uid=uid
        )

    @global_compiler_lock
    def init(self) -> None:
        super().init()
        self._internal_codegen = SourceCodegen("enzyme.source")
        self.data_model_manager = records.data_models()

    def load_additional_registries(self) -> None:
        cpu_target.target_context.refresh()  # the runtime must belong to a target that runs code
        super().load_additional_registries()

    def insert_func_defn(self, defns: Any) -> None:
        super().insert_func_defn(
            [(functions.in_place_of(implementation), fn, sig) for implementation, fn, sig in defns]
        )

    def get_ufunc_info(self, ufunc_key: Any) -> Any:
        return functions.in_place_of_loops(super().get_ufunc_info(ufunc_key))

    def get_function(self, fn: Any, sig: Any, _firstcall: bool = True) -> Any:
        return super().get_function(type_for_target(fn), sig, _firstcall)

    def call_unresolved(self, builder: Any, name: str, sig: Any, args: Any) -> Any:
        self.active_code_library.unresolved[name] = None
        return super().call_unresolved(builder, name, sig, args)

    def cast(self, builder: Any, val: Any, fromty: Any, toty: Any) -> Any:
        if isinstance(fromty, types.Dispatcher) and function_values.is_function_value(toty):
            return self._function_value(builder, toty, fromty.dispatcher)
        return super().cast(builder, val, fromty, toty)

    def get_constant_generic(self, builder: Any, ty: Any, val: Any) -> Any:
        if function_values.is_function_value(ty):
            return self._function_value(builder, ty, val)
        return super().get_constant_generic(builder, ty, val)

    def _function_value(self, builder: Any, ty: Any, func: Any) -> Any:
        function = function_values.describe(func, ty.get_precise(), for_target)
        address = None
        if function.compiled is None:
            value = super().get_constant_generic(builder, ty, func)
            address = builder.extract_value(value, 0)
        return function_values.make_value(self, builder, function, address)

    def create_cpython_wrapper(self, *args: Any, **kwargs: Any) -> None:
        pass

    def create_cfunc_wrapper(self, *args: Any, **kwargs: Any) -> None:
        pass

    def get_executable(self, library: Any, fndesc: Any, env: Any) -> Any:
        return [].clear  # distinct for each call; numba uses it as a key


class EnzymeTarget(TargetDescriptor):
    """Descriptor with lazily made contexts, as numba's own."""

    options = cpu.CPUTargetOptions

    @cached_property
    def _contexts(self) -> tuple[EnzymeTypingContext, EnzymeContext]:
        typing_context = EnzymeTypingContext()
        return typing_context, EnzymeContext(typing_context, NAME)

    @property
    def typing_context(self) -> EnzymeTypingContext:
        return self._contexts[0]

    @property
    def target_context(self) -> EnzymeContext:
        return self._contexts[1]


enzyme_target = EnzymeTarget(NAME)


class EnzymeFunctionCompiler(dispatcher._FunctionCompiler):
    """Compiler whose debug builds carry line numbers and nothing else."""

    def _customize_flags(self, flags: Any) -> Any:
        if flags.debuginfo:
            flags.dbg_directives_only = True
            flags.dbg_extend_lifetimes = False
        return flags

    def _compile_core(self, args: Any, return_type: Any) -> Any:
        with as_if_first():
            return super()._compile_core(args, return_type)


class EnzymeDispatcher(dispatcher.Dispatcher):
    """Dispatcher of this target; compiled, never called."""

    targetdescr = enzyme_target

    def __init__(self, py_func: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(py_func, *args, **kwargs)
        self.identity = id(self)
        self.original: weakref.ref[Any] | None = None
        old = self._compiler
        self._compiler = EnzymeFunctionCompiler(
            old.py_func, old.targetdescr, old.targetoptions, old.locals, old.pipeline_class
        )

    def add_overload(self, cres: Any) -> None:
        # A finaliser holds the overloads; with annotations they would keep the function alive.
        super().add_overload(cres._replace(type_annotation=None))
        if self.original is not None and isinstance(cres.library, SourceLibrary):
            signature, descriptor = cres.signature, cres.fndesc
            cres.library.compiled = Compiled(
                self.original,
                descriptor.llvm_func_name,
                tuple(signature.args),
                signature.return_type,
                tuple(descriptor.args),
            )


def _taking_in(resolve: Any) -> Any:
    """Numba resolves methods and properties of jitclasses with their dispatchers, in any context."""

    @wraps(resolve)
    def get_call_type(self: Any, context: Any, args: Any, kws: Any) -> Any:
        if isinstance(context, EnzymeTypingContext):
            self = type_for_target(self)
        return resolve(self, context, args, kws)

    return get_call_type


types.Dispatcher.get_call_type = _taking_in(  # type: ignore[method-assign]
    types.Dispatcher.get_call_type
)


def _by_identity(lower_call: Any) -> Any:
    """Calls of function values in code of our target; see `function_values`."""

    @wraps(lower_call)
    def lower(self: Any, fnty: Any, expr: Any, signature: Any) -> Any:
        if not isinstance(self.context, EnzymeContext) or not fnty.check_signature(signature):
            return lower_call(self, fnty, expr, signature)
        sig = types.unliteral(signature)
        args = self.fold_call_args(fnty, sig, expr.args, expr.vararg, expr.kws)
        value, ty = self.loadvar(expr.func.name), self.typeof(expr.func.name)
        return function_values.call(self.context, self.builder, ty, sig, value, args)

    return lower


def _naming_the_file(lower_inst: Any) -> Any:
    """Numba tells the debug information the line of each statement, not its file."""

    @wraps(lower_inst)
    def lower(self: Any, inst: Any) -> Any:
        if isinstance(self.debuginfo, LinesOfFiles):
            self.debuginfo.at = self.loc.filename
        return lower_inst(self, inst)

    return lower


Lower.lower_inst = _naming_the_file(Lower.lower_inst)  # type: ignore[method-assign]
Lower._lower_call_FunctionType = _by_identity(  # type: ignore[method-assign]
    Lower._lower_call_FunctionType
)

target_registry[NAME] = Enzyme
dispatcher_registry[Enzyme] = EnzymeDispatcher


def _jit(*args: Any, **kwargs: Any) -> Any:
    from numba.core.decorators import jit

    kwargs["_target"] = NAME
    kwargs.pop("cache", None)
    return jit(*args, **kwargs)


jit_registry[Enzyme] = _jit

# --- dispatchers of the CPU target, taken in -----------------------------------------------

_Overrides = tuple[tuple[str, Any], ...]
_state = threading.local()
# At the dispatcher itself, with a weak reference to it, since decorators copy attributes. In a
# weak table a dispatcher would live forever: what stands for it holds its Python function.
_VARIANTS = "__enzyme_variants__"


@contextmanager
def compiling(overrides: dict[str, Any]) -> Iterator[None]:
    """Compile for this target; `overrides` replace options of every function taken in."""
    before = getattr(_state, "overrides", ())
    _state.overrides = tuple(sorted(overrides.items()))
    try:
        with global_compiler_lock, target_override(NAME):
            # Each jitclass adds its methods when it is made.
            enzyme_target.target_context.install_registry(ClassBuilder.class_impl_registry)
            yield
    finally:
        _state.overrides = before


def for_target(val: Any) -> Any:
    """The dispatcher of this target that stands for the CPU dispatcher `val`; else `val`."""
    if not isinstance(val, dispatcher.Dispatcher) or isinstance(val, EnzymeDispatcher):
        return val
    if not isinstance(val.targetctx, cpu.CPUContext) or type(val.targetctx) is not cpu.CPUContext:
        return val
    # Marks of other functions may be in what was compiled.
    overrides: _Overrides = getattr(_state, "overrides", ())
    version = marks_version()
    owner, of, variants = val.__dict__.get(_VARIANTS, (None, None, {}))
    if owner is None or owner() is not val or of != version:
        variants = {}
        val.__dict__[_VARIANTS] = weakref.ref(val), version, variants
    if overrides not in variants:
        options = {**val.targetoptions, **dict(overrides)}
        options["parallel"] = False
        options["boundscheck"] = bool(options.get("boundscheck"))
        pipeline = marking(val._compiler.pipeline_class)
        mine = EnzymeDispatcher(val.py_func, val.locals, options, pipeline_class=pipeline)
        mine.identity = id(val)
        mine.original = weakref.ref(val)
        variants[overrides] = mine
        if not val._can_compile:  # declared signatures are the only ones, as for numba
            for cres in val.overloads.values():
                mine.compile(cres.signature)
            mine.disable_compile()
    return variants[overrides]


@contextmanager
def afresh(val: dispatcher.Dispatcher) -> Iterator[None]:
    """Compile `val` for this target as if it had not been compiled before."""
    with global_compiler_lock:
        before = val.__dict__.pop(_VARIANTS, None)
        try:
            yield
        finally:
            if before is not None:
                val.__dict__[_VARIANTS] = before


def type_for_target(ty: Any) -> Any:
    """As `for_target`, for the numba type of a dispatcher and for tuples of them."""
    if isinstance(ty, types.Dispatcher) and not isinstance(ty, types.ObjModeDispatcher):
        mine = for_target(ty.dispatcher)
        return ty if mine is ty.dispatcher else types.Dispatcher(mine)
    if isinstance(ty, types.BaseTuple) and not isinstance(ty, types.BaseNamedTuple) and len(ty):
        members = tuple(map(type_for_target, ty.types))
        return ty if members == tuple(ty.types) else types.BaseTuple.from_types(members)
    return ty


def type_for_cpu(ty: Any) -> Any:
    """The opposite of `type_for_target`."""
    if isinstance(ty, types.Dispatcher) and isinstance(ty.dispatcher, EnzymeDispatcher):
        original = ty.dispatcher.original
        found = None if original is None else original()
        return ty if found is None else types.Dispatcher(found)
    if isinstance(ty, types.BaseTuple) and not isinstance(ty, types.BaseNamedTuple) and len(ty):
        members = tuple(map(type_for_cpu, ty.types))
        return ty if members == tuple(ty.types) else types.BaseTuple.from_types(members)
    return ty
