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

import hashlib
import threading
import weakref
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import cached_property, update_wrapper
from types import FunctionType
from typing import Any

from llvmlite import ir as llvmir
from numba.core import types, typing

from enzyme.frontend import (
    array_literals,
    array_loops,
    array_matrices,
    array_products,
    array_reductions,
    array_statements,
    c_functions,
    data_models,
    dict_operations,
    function_values,
    functions,
    list_operations,
    stencils,
    transforms,
    ufuncs,
)
from enzyme.frontend.locate import LinesOfFiles
from enzyme.frontend.marks import maker, marking
from enzyme.frontend.numba_compat import code, compilers, late, patches, programs
from enzyme.frontend.numba_compat.compilers import (
    CPU,
    ClassBuilder,
    CPUTargetOptions,
    Dispatcher,
    JitClassType,
    ObjModeLiftedWith,
    TargetDescriptor,
    cpu_target,
    dispatcher_registry,
    global_compiler_lock,
    jit_registry,
    target_override,
    target_registry,
)
from enzyme.frontend.numba_compat.probes import overriding
from enzyme.frontend.numba_compat.programs import Intrinsic, StencilFunc, UfuncBase
from enzyme.frontend.repeatable import RepeatableContext, as_if_first
from enzyme_rules.registry import marks_version

NAME = "enzyme"
_LONGEST_NAME = 400  # blocks of what is inlined are called after it
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


@overriding("add_ir_module finalize add_linking_library get_pointer_to_function")
class SourceLibrary(code.Library):
    """A code library that only holds its module and remembers what it would link.

    `unresolved` names the functions that are called though numba does not link them, because
    recursion led there; `function_values` and `called_values` what it turns into values and by which
    signatures it calls values.
    """

    # By function name, the library that defines it; the overload keeps the library alive.
    _definitions: weakref.WeakValueDictionary[str, SourceLibrary] = weakref.WeakValueDictionary()

    def __init__(self, generator: Any, name: str) -> None:
        super().__init__(generator, name)
        self.unresolved: dict[str, None] = {}
        self.function_values: list[function_values.FunctionValue] = []
        self.called_values: dict[tuple[Any, ...], None] = {}
        self.compiled: Compiled | None = None

    def add_ir_module(self, ir_module: Any) -> None:
        for function in ir_module.functions:
            if not function.is_declaration:
                self._definitions[function.name] = self
        super().add_ir_module(ir_module)

    def optimise(self) -> None:
        pass

    def finalize(self) -> None:
        self.mark_finished()

    def add_linking_library(self, library: Any) -> None:
        # Not finalised: with recursion the callee may still be under construction.
        if not isinstance(library, SourceLibrary):
            code.finish(library)
        if library is not self:
            self.linked.append(library)

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
                    pending.extend(reversed(library.linked))
        return list(seen.values())


@overriding("insert_unresolved_ref set_env")
class SourceCodegen(code.Generator, library=SourceLibrary):
    """Makes `SourceLibrary`; a call to a function not compiled yet is a plain declaration."""

    def insert_unresolved_ref(self, builder: Any, fnty: Any, name: str) -> Any:
        found = builder.module.globals.get(name)
        return found if found is not None else llvmir.Function(builder.module, fnty, name)

    def set_env(self, env_name: str, env: Any) -> None:
        pass


@overriding("resolve_value_type insert_attributes resolve_function_type resolve_static_getitem")
class EnzymeTypingContext(typing.Context):
    """Types every dispatcher in user code as the corresponding dispatcher of this target."""

    def resolve_value_type(self, val: Any) -> Any:
        if isinstance(val, ObjModeLiftedWith):
            # Called through the interpreter, so it must be code that runs.
            val.typingctx = cpu_target.typing_context
            val.targetctx = cpu_target.target_context
        elif isinstance(val, JitClassType):
            return val.class_type
        elif isinstance(val, StencilFunc):
            val = stencils.stand_in(val, self, enzyme_target.target_context)
        elif isinstance(val, type) and (made := maker(val)) is not None:
            val = made
        elif isinstance(val, Intrinsic):
            val = _REPLACED.get(val, val)
        elif isinstance(val, UfuncBase) and not programs.is_known(self, val):
            ufuncs.install(val, self, enzyme_target.target_context, for_target)
        else:
            val = transforms.stand_in(val)
        return super().resolve_value_type(for_target(val))

    def insert_attributes(self, at: Any) -> None:
        # Numba interns the type of a bound method by the function that implements it, together with
        # the context that made it: the targets must not share them.
        if (function := programs.overloaded_method(at)) is not None:
            programs.set_overloaded_method(at, _copy_of(function))
        super().insert_attributes(at)

    def resolve_function_type(self, func: Any, args: Any, kws: Any) -> Any:
        return super().resolve_function_type(type_for_target(func), args, kws)

    def resolve_static_getitem(self, value: Any, index: Any) -> Any:
        return patches.without_types_as_indices(super().resolve_static_getitem)(value, index)

    def dispatcher_type(self, ty: Any) -> Any:
        """The type of the dispatcher of this target that stands for one that numba comes across."""
        return type_for_target(ty)


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


@overriding(
    "mangler init load_additional_registries refresh insert_func_defn get_ufunc_info get_function call_unresolved cast"
    " get_constant_generic create_cpython_wrapper create_cfunc_wrapper get_executable DIBuilder"
)
class EnzymeContext(RepeatableContext):
    """CPU lowering into `SourceLibrary`; wrappers for Python and C are left out."""

    DIBuilder = LinesOfFiles
    array_loops = staticmethod(array_loops.emit)

    @staticmethod
    def mangler(name: Any, argtypes: Any, *, abi_tags: Any = (), uid: Any = None) -> str:
        """Numba's name without the compiler's flags, cut where LLVM would not take what is named after it.

        A recursive caller must guess the name, and cannot know the flags of its callee.
        """
        found: str = code.default_mangler(
            name, argtypes, abi_tags=() if uid is not None else abi_tags, uid=uid
        )
        if len(found) <= _LONGEST_NAME:
            return found
        return f"{found[:_LONGEST_NAME]}.{hashlib.sha256(found.encode()).hexdigest()[:16]}"

    @global_compiler_lock
    def init(self) -> None:
        super().init()
        code.set_generator(self, SourceCodegen("enzyme.source"))
        self.data_model_manager = data_models.data_models()
        self.special_ops.update(
            array_statements.LOWERING
            | array_reductions.LOWERING
            | array_products.LOWERING
            | array_literals.LOWERING
            | array_matrices.LOWERING
        )

    def load_additional_registries(self) -> None:
        # The runtime must belong to a target that runs code.
        compilers.refresh(cpu_target.target_context, cpu_target.target_context.refresh)
        super().load_additional_registries()

    def refresh(self) -> None:
        compilers.refresh(self, super().refresh)

    def insert_func_defn(self, defns: Any) -> None:
        super().insert_func_defn(
            [(functions.in_place_of(implementation), fn, sig) for implementation, fn, sig in defns]
        )

    def get_getattr(self, typ: Any, attr: str) -> Any:
        reading = super().get_getattr(typ, attr)
        if not functions.views.holds_unions(typ):
            return reading

        def stating(context: Any, builder: Any, typ: Any, value: Any, attr: str) -> Any:
            functions.views.state_record(context, builder, typ, value)
            return reading(context, builder, typ, value, attr)

        return stating

    def get_setattr(self, attr: str, sig: Any) -> Any:
        writing = super().get_setattr(attr, sig)
        if not functions.views.holds_unions(sig.args[0]):
            return writing

        def stating(builder: Any, args: Any) -> Any:
            functions.views.state_record(self, builder, sig.args[0], args[0])
            return writing(builder, args)

        return stating

    def get_ufunc_info(self, ufunc_key: Any) -> Any:
        return functions.in_place_of_loops(super().get_ufunc_info(ufunc_key))

    def get_function(self, fn: Any, sig: Any, _firstcall: bool = True) -> Any:
        return super().get_function(type_for_target(fn), sig, _firstcall)

    def call_unresolved(self, builder: Any, name: str, sig: Any, args: Any) -> Any:
        self.active_code_library.unresolved[name] = None
        return super().call_unresolved(builder, name, sig, args)

    def call_function_value(
        self, builder: Any, ty: Any, signature: Any, value: Any, args: Any
    ) -> Any:
        """Calls of function values go by their identity, see `function_values`."""
        return function_values.call(self, builder, ty, signature, value, args)

    def cast(self, builder: Any, val: Any, fromty: Any, toty: Any) -> Any:
        if isinstance(fromty, types.Dispatcher) and function_values.is_function_value(toty):
            return self._function_value(builder, toty, fromty.dispatcher)
        return super().cast(builder, val, fromty, toty)

    def get_constant_generic(self, builder: Any, ty: Any, val: Any) -> Any:
        if function_values.is_function_value(ty):
            return self._function_value(builder, ty, val)
        if isinstance(ty, types.ExternalFunctionPointer) and not ty.requires_gil:
            kind = self.get_function_pointer_type(ty).pointee
            named = c_functions.declared(builder.module, ty.get_pointer(val), kind)
            if named is not None:
                return named
        return super().get_constant_generic(builder, ty, val)

    def _function_value(self, builder: Any, ty: Any, func: Any) -> Any:
        function = function_values.describe(func, ty.get_precise(), for_target)
        address = None
        if function.compiled is None:
            address = self._address(builder, ty, func)
        return function_values.make_value(self, builder, function, address)

    def _address(self, builder: Any, ty: Any, func: Any) -> Any:
        """That of a foreign function, as a symbol if it is known by name."""
        value = super().get_constant_generic(builder, ty, func)
        address = builder.extract_value(value, 0)
        kind = self.get_value_type(types.FunctionType(ty.get_precise().signature).ftype).pointee
        named = c_functions.declared(builder.module, func.__wrapper_address__(), kind)
        return address if named is None else builder.bitcast(named, address.type)

    def create_cpython_wrapper(self, *args: Any, **kwargs: Any) -> None:
        pass

    def create_cfunc_wrapper(self, *args: Any, **kwargs: Any) -> None:
        pass

    def get_executable(self, library: Any, fndesc: Any, env: Any) -> Any:
        return [].clear  # distinct for each call; numba uses it as a key


class EnzymeTarget(TargetDescriptor):
    """Descriptor with lazily made contexts, as numba's own."""

    options = CPUTargetOptions

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


class EnzymeFunctionCompiler(compilers.FunctionCompiler):
    """Compiler whose debug builds carry line numbers and nothing else."""

    def adapted(self, flags: Any) -> Any:
        if flags.debuginfo:
            flags.dbg_directives_only = True
            flags.dbg_extend_lifetimes = False
        return flags

    def around_function(self) -> AbstractContextManager[None]:
        return as_if_first()


@overriding("add_overload")
class EnzymeDispatcher(Dispatcher):
    """Dispatcher of this target; compiled, never called."""

    targetdescr = enzyme_target

    def __init__(self, py_func: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(py_func, *args, **kwargs)
        self.identity = id(self)
        self.original: weakref.ref[Any] | None = None
        compilers.set_compiler(self, EnzymeFunctionCompiler)

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


target_registry[NAME] = Enzyme
dispatcher_registry[Enzyme] = EnzymeDispatcher


jit_registry[Enzyme] = compilers.jit_for(NAME)

# --- dispatchers of the CPU target, taken in -----------------------------------------------

_Overrides = tuple[tuple[str, Any], ...]
_state = threading.local()
# At the dispatcher itself, with a weak reference to it, since decorators copy attributes. In a
# weak table a dispatcher would live forever: what stands for it holds its Python function.
_VARIANTS = "__enzyme_variants__"


@contextmanager
def compiling(overrides: dict[str, Any]) -> Iterator[None]:
    """Compile for this target; `overrides` replace options of every function taken in."""
    late.load_now()
    before = getattr(_state, "overrides", ())
    _state.overrides = tuple(sorted(overrides.items()))
    try:
        with global_compiler_lock, patches.installed(), target_override(NAME):
            # Each jitclass adds its methods when it is made.
            enzyme_target.target_context.install_registry(ClassBuilder.class_impl_registry)
            yield
    finally:
        _state.overrides = before


def for_target(val: Any) -> Any:
    """The dispatcher of this target that stands for the CPU dispatcher `val`; else `val`."""
    if not isinstance(val, Dispatcher) or isinstance(val, EnzymeDispatcher):
        return val
    if not compilers.is_cpu_context(val.targetctx):
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
        pipeline = marking(compilers.pipeline_of(val))
        mine = EnzymeDispatcher(val.py_func, val.locals, options, pipeline_class=pipeline)
        mine.identity = id(val)
        mine.original = weakref.ref(val)
        variants[overrides] = mine
        if not compilers.can_compile(val):  # declared signatures are the only ones, as for numba
            for cres in val.overloads.values():
                mine.compile(cres.signature)
            mine.disable_compile()
    return variants[overrides]


@contextmanager
def afresh(val: Dispatcher) -> Iterator[None]:
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
