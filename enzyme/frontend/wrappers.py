"""Between Python and derivatives: a function for each kind of call, not for each derivative.

Unboxing, the test for overlap, the call and boxing depend on the types of what is passed alone. Compiled, that is
several times the machine code of a small derivative; so the address of the derivative is the first argument, and all
derivatives with the same types share one function. Nothing here goes through type inference.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from llvmlite import ir
from numba.core import compiler, types, typing

from enzyme.backend.emit import called_by, defined_by, object_of
from enzyme.errors import EnzymeError
from enzyme.frontend import overlap
from enzyme.frontend.addresses import address_in
from enzyme.frontend.callplan import emit_call
from enzyme.frontend.libraries import Library
from enzyme.frontend.numba_compat import entries
from enzyme.frontend.numba_compat.code import (
    Environment,
    FunctionDescriptor,
    register_from_engine,
    whole,
)
from enzyme.frontend.numba_compat.compilers import global_compiler_lock
from enzyme.frontend.numba_compat.results import unknown_to_python
from enzyme.frontend.pieces import Piece
from enzyme.frontend.plans import CallPlan
from enzyme.frontend.target import cpu_context
from enzyme.frontend.wrapped import Wrapper, WrapperCode, register_raise

_NAME = "call"
_MANGLED = "_ZN"  # names of what numba compiled in this process


class WrapperLibrary(Library):
    """A library of glue code: calls of it take as long when it is not optimised, and compiling it a third."""

    def optimise(self) -> None:
        pass


# Numba never frees machine code, so keeping it costs nothing.
_known: dict[Any, Wrapper] = {}


def wrapper_for(plan: CallPlan, *, nogil: bool = False, checked: bool = False) -> Wrapper:
    """The function that Python calls for `plan`, whatever its symbol.

    With `checked`, it raises `visible.ArgumentsOverlap` for arrays that may share memory; with `nogil` other threads
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


def dispatcher_of(
    entry: Any, argtypes: tuple[types.Type, ...], restype: types.Type, nogil: bool
) -> Callable[..., Any]:
    """What checks and converts the types of arguments for the function of a wrapper."""
    made = entries.EntryDispatcher(
        _stub(len(argtypes) - 1), targetoptions={"nopython": True, "nogil": nogil}
    )
    context = cpu_context().subtarget(enable_nrt=True)
    made.add_overload(
        compiler.compile_result(
            typing_context=made.typingctx,
            target_context=context,
            entry_point=entry,
            signature=typing.signature(restype, *argtypes),
            objectmode=False,
            fndesc=_descriptor(argtypes, restype),
            library=WrapperLibrary(context.codegen(), _NAME),
            environment=None,
            lifted=(),
        )
    )
    made.disable_compile()
    return made  # type: ignore[no-any-return]


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


def raise_piece() -> Piece:
    """Machine code of the function with which wrappers set an exception."""
    context = cpu_context().subtarget(enable_nrt=True)
    library = WrapperLibrary(context.codegen(), entries.RAISE)
    with context.push_code_library(library):
        module = library.create_ir_module(entries.RAISE)
        entries.define_raise(context, module)
        library.add_ir_module(module)
    made = whole(library)
    defined = [f for f in defined_by(made) if f[0] == entries.RAISE]
    return Piece(object_of(made, quick=True), tuple(defined), called_by(made))


@global_compiler_lock
def _compiled(plan: CallPlan, nogil: bool, checked: bool) -> Wrapper:
    register_raise()
    unknown = unknown_to_python(plan.result_type)
    if unknown is not None:
        raise EnzymeError(
            what=f"a result of type {unknown}",
            why="numba makes no Python object of it, neither for the function alone",
            todo="return a tuple or a named tuple, or let a jitted function take it apart",
        )
    context = cpu_context().subtarget(enable_nrt=True)
    descriptor = _descriptor((types.intp, *plan.flat_types), plan.result_type)
    environment = Environment({})
    library = WrapperLibrary(context.codegen(), _NAME)
    with context.push_code_library(library), entries.counting_references():
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
        next((n for n in called if n.startswith(_MANGLED)), "") or address_in(str(made)),
    )
    return Wrapper(plan, code, nogil)
