"""Between Python and derivatives: a function for each kind of call, not for each derivative.

Unboxing, the test for overlap, the call and boxing depend on the types of what is passed alone. Compiled, that is
several times the machine code of a small derivative; so the address of the derivative is the first argument, and all
derivatives with the same types share one function. Nothing here goes through type inference.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from llvmlite import ir
from numba.core import compiler, types, typing

from enzyme.backend import symbols
from enzyme.frontend import overlap
from enzyme.frontend.callplan import CallPlan, emit_call
from enzyme.frontend.libraries import Library
from enzyme.frontend.numba_compat import entries
from enzyme.frontend.numba_compat.code import Environment, FunctionDescriptor
from enzyme.frontend.numba_compat.compilers import global_compiler_lock
from enzyme.frontend.target import cpu_context

_serial = itertools.count()


@dataclass(frozen=True)
class Wrapper:
    """What Python calls: the address of a derivative, then its flat arguments in the order of the plan.

    `dispatcher` checks and converts types like any jitted function. `entry` is the same without that: it may only be
    given arguments of exactly the plan's types.
    """

    dispatcher: Callable[..., Any]
    entry: Callable[..., Any]
    keepalive: tuple[Any, ...] = field(repr=False, compare=False, default=())


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


def _stub(count: int) -> Any:
    """A Python function with the right signature for numba's dispatcher to check, and its parameters."""
    words = ["address", *(f"a{k}" for k in range(count))]
    scope: dict[str, Any] = {}
    exec(f"def derivative({', '.join(words)}):\n    raise NotImplementedError\n", scope)
    return scope["derivative"], words


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
def _load_raise() -> Library:
    """Let every wrapper find the function that sets an exception."""
    context = cpu_context().subtarget(enable_nrt=True)
    library = WrapperLibrary(context.codegen(), entries.RAISE, quick=True)
    with context.push_code_library(library):
        module = library.create_ir_module(entries.RAISE)
        entries.define_raise(context, module)
        library.add_ir_module(module)
    library.finalize()
    symbols.register(entries.RAISE, library.get_pointer_to_function(entries.RAISE))
    return library


@global_compiler_lock
def _compiled(plan: CallPlan, nogil: bool, checked: bool) -> Wrapper:
    _load_raise()
    context = cpu_context().subtarget(enable_nrt=True)
    argtypes, restype = (types.intp, *plan.flat_types), plan.result_type
    stub, words = _stub(len(plan.flat_types))
    uid = f"e{next(_serial)}"
    descriptor = FunctionDescriptor(
        native=True,
        modname="enzyme.wrappers",
        qualname="derivative",
        unique_name=uid,
        doc="",
        typemap=None,
        restype=restype,
        calltypes=None,
        args=words,
        kws=(),
        argtypes=argtypes,
        abi_tags=(uid,),
    )
    env = Environment.from_fndesc(descriptor)
    library = WrapperLibrary(context.codegen(), f"enzyme.wrapper.{uid}", quick=True)
    with context.push_code_library(library):
        module = library.create_ir_module(uid)
        function = entries.entered_function(context, module, descriptor)
        _emit(context, function, plan, checked)
        entries.define_wrapper(context, module, function, descriptor, env, nogil)
        library.add_ir_module(module)
    library.finalize()
    entry = context.get_executable(library, descriptor, env)
    dispatcher = entries.EntryDispatcher(stub, targetoptions={"nopython": True, "nogil": nogil})
    dispatcher.add_overload(
        compiler.compile_result(
            typing_context=dispatcher.typingctx,
            target_context=context,
            entry_point=entry,
            signature=typing.signature(restype, *argtypes),
            objectmode=False,
            fndesc=descriptor,
            library=library,
            environment=env,
            lifted=(),
        )
    )
    dispatcher.disable_compile()
    return Wrapper(dispatcher, entry, (library,))
