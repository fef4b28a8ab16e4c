"""Between Python and derivatives: a function for each kind of call, not for each derivative.

Unboxing, the test for overlap, the call and boxing depend on the types of what is passed alone. Compiled, that is
several times the machine code of a small derivative; so the address of the derivative is the first argument, and all
derivatives with the same types share one function. Nothing here goes through type inference.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from llvmlite import ir
from numba.core import compiler, types, typing

from enzyme.backend import symbols
from enzyme.backend.objects import LoadedObject, called_by, object_of
from enzyme.frontend import overlap
from enzyme.frontend.callplan import CallPlan, emit_call
from enzyme.frontend.libraries import Library
from enzyme.frontend.numba_compat import entries
from enzyme.frontend.numba_compat.code import (
    Environment,
    FunctionDescriptor,
    register_from_engine,
    whole,
)
from enzyme.frontend.numba_compat.compilers import global_compiler_lock
from enzyme.frontend.target import cpu_context

_NAME = "call"


@dataclass(frozen=True)
class WrapperCode:
    """The machine code of a wrapper: an object file, the names in it, what it calls, the constants that it reads."""

    data: bytes
    entry: str
    environment: str
    called: tuple[str, ...]
    constants: tuple[Any, ...]


class Wrapper:
    """What Python calls: the address of a derivative, then its flat arguments in the order of the plan.

    `dispatcher` checks and converts types like any jitted function. `entry` is the same without that: it may only be
    given arguments of exactly the plan's types.
    """

    def __init__(self, plan: CallPlan, code: WrapperCode, nogil: bool) -> None:
        self.code = code
        self._types = (types.intp, *plan.flat_types), plan.result_type
        self._nogil = nogil
        loaded = LoadedObject(code.data)
        self.entry = entries.python_function(loaded, code.entry, code.environment, code.constants)

    @cached_property
    def dispatcher(self) -> Callable[..., Any]:
        """Made when it is asked for: most calls are of the right types."""
        argtypes, restype = self._types
        made = entries.EntryDispatcher(
            _stub(len(argtypes) - 1), targetoptions={"nopython": True, "nogil": self._nogil}
        )
        descriptor = _descriptor(argtypes, restype)
        context = cpu_context().subtarget(enable_nrt=True)
        made.add_overload(
            compiler.compile_result(
                typing_context=made.typingctx,
                target_context=context,
                entry_point=self.entry,
                signature=typing.signature(restype, *argtypes),
                objectmode=False,
                fndesc=descriptor,
                library=WrapperLibrary(context.codegen(), _NAME),
                environment=None,
                lifted=(),
            )
        )
        made.disable_compile()
        return made  # type: ignore[no-any-return]


class WrapperLibrary(Library):
    """A library of glue code: calls of it take as long when it is not optimised, and compiling it a third."""

    def optimise(self) -> None:
        pass


# Numba never frees machine code, so keeping it costs nothing.
_known: dict[Any, Wrapper] = {}


def wrapper_for(plan: CallPlan, *, nogil: bool = False, checked: bool = False) -> Wrapper:
    """The function that Python calls for `plan`, whatever its symbol.

    With `checked`, it raises `overlap.ArgumentsOverlap` for arrays that may share memory; with `nogil` other threads
    run meanwhile.
    """
    plan = replace(plan, symbol="", abi=plan.abi.without_names())
    if not all(map(_is_plain, (*plan.argtypes, plan.restype))):
        return _compiled(plan, nogil, checked)
    with global_compiler_lock:
        key = plan, nogil, checked
        if key not in _known:
            _known[key] = _compiled(plan, nogil, checked)
        return _known[key]


def _is_plain(ty: types.Type) -> bool:
    """Does the type refer to nothing of the user's, which a table must not keep alive?"""
    if isinstance(ty, types.Array):
        return _is_plain(ty.dtype)
    if isinstance(ty, types.Tuple | types.UniTuple):
        return all(map(_is_plain, ty.types))
    return isinstance(ty, types.Number | types.Boolean | types.NoneType)


def _words(count: int) -> list[str]:
    return ["address", *(f"a{k}" for k in range(count))]


def _stub(count: int) -> Any:
    """A Python function with the right signature for numba's dispatcher to check."""
    scope: dict[str, Any] = {}
    exec(f"def derivative({', '.join(_words(count))}):\n    raise NotImplementedError\n", scope)
    return scope["derivative"]


def _descriptor(argtypes: tuple[types.Type, ...], restype: types.Type) -> Any:
    return FunctionDescriptor(
        native=True,
        modname="enzyme.wrappers",
        qualname="derivative",
        unique_name=_NAME,
        doc="",
        typemap=None,
        restype=restype,
        calltypes=None,
        args=_words(len(argtypes) - 1),
        kws=(),
        argtypes=argtypes,
        abi_tags=(_NAME,),
    )


def _emit(context: Any, function: Any, plan: CallPlan, checked: bool) -> None:
    """The body: test the arguments, call the derivative, put the results together."""
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    context.call_conv.init_call_helper(builder)
    address, *args = entries.values_of(builder, function)
    if checked:
        overlap.emit_test(context, builder, plan, args)
    result = emit_call(context, builder, plan, args, address)
    model = context.data_model_manager[plan.result_type]
    context.call_conv.return_value(builder, model.as_return(builder, result))


@functools.cache
def register_raise() -> None:
    """Let every wrapper find the function that sets an exception."""
    context = cpu_context().subtarget(enable_nrt=True)
    library = WrapperLibrary(context.codegen(), entries.RAISE)
    with context.push_code_library(library):
        module = library.create_ir_module(entries.RAISE)
        entries.define_raise(context, module)
        library.add_ir_module(module)
    loaded = LoadedObject(object_of(whole(library), quick=True))
    symbols.register(entries.RAISE, loaded.get_pointer_to_function(entries.RAISE))


@global_compiler_lock
def _compiled(plan: CallPlan, nogil: bool, checked: bool) -> Wrapper:
    register_raise()
    context = cpu_context().subtarget(enable_nrt=True)
    descriptor = _descriptor((types.intp, *plan.flat_types), plan.result_type)
    environment = Environment({})
    library = WrapperLibrary(context.codegen(), _NAME)
    with context.push_code_library(library):
        module = library.create_ir_module(_NAME)
        function = entries.entered_function(context, module, descriptor)
        _emit(context, function, plan, checked)
        entries.define_wrapper(context, module, function, descriptor, environment, nogil)
        library.add_ir_module(module)
    made = whole(library)
    called = called_by(made)
    register_from_engine(context.codegen(), called)
    code = WrapperCode(
        object_of(made, quick=True),
        descriptor.llvm_cpython_wrapper_name,
        context.get_env_name(descriptor),
        called,
        tuple(environment.consts),
    )
    return Wrapper(plan, code, nogil)
