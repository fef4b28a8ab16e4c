"""Functions as values: chosen at run time, out of a tuple or by a branch (numba's `FunctionType`).

Numba calls such a value by its address, behind which nothing can be differentiated.  Here a call
compares the value with all functions that it may be, by the identity of their Python objects, and
calls the one that it is.  These are the functions that the program turns into values of the same
type anywhere, and those that its arguments hold: `numba.cfunc` functions too, as the Python
functions they were made of.  What is called by address only (foreign objects with a
`__wrapper_address__`) stays a call of a function pointer, an error where anything active reaches it.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from llvmlite import ir
from numba import njit
from numba.core import cgutils, types

from enzyme.frontend import c_functions
from enzyme.frontend.names import object_address
from enzyme.frontend.numba_compat.compilers import (
    CFunc,
    Dispatcher,
    signature_and_function,
    target_override,
)

_NAME = "enzyme.function_value"
_ADDRESSES = (types.voidptr, types.voidptr)
_UNKNOWN = (
    "the function called here was not known when the derivative was compiled: "
    "pass functions as arguments or in tuples, not in lists"
)


@dataclass(frozen=True)
class FunctionValue:
    """A function that a value of type `signature` may be; `compiled` is None for a foreign one."""

    signature: Any
    identity: int
    compiled: Any
    keepalive: Any

    @property
    def name(self) -> str:
        """What the function is called where it was written."""
        function = getattr(self.keepalive, "py_func", self.keepalive)
        return getattr(function, "__name__", type(function).__name__)

    @property
    def key(self) -> tuple[Any, ...]:
        return key_of(self.signature)


def key_of(signature: Any) -> tuple[Any, ...]:
    return tuple(map(types.unliteral, (signature.return_type, *signature.args)))


def is_function_value(ty: Any) -> bool:
    return isinstance(ty, types.FunctionType | types.UndefinedFunctionType)


def as_jitted(func: Any) -> Any:
    """A dispatcher with the one signature of `func`, a `numba.cfunc`; anything else as it is."""
    if not isinstance(func, CFunc):
        return func
    found = func.__dict__.get("__enzyme_jitted__")
    if found is None:
        # A signature that is declared is compiled at once: for the CPU, whatever is being compiled now.
        signature, function = signature_and_function(func)
        with target_override("cpu"):
            found = func.__dict__["__enzyme_jitted__"] = njit(signature)(function)
    return found


def held(ty: types.Type, value: Any) -> Iterator[tuple[types.FunctionType, Any]]:
    """The functions that an argument of this type holds, with their types."""
    if is_function_value(ty):
        yield ty.get_precise(), value
    elif (
        isinstance(ty, types.BaseTuple) and value is not None
    ):  # where types alone are known there are no functions
        for member, item in zip(ty.types, value, strict=True):
            yield from held(member, item)


def describe(func: Any, ty: types.FunctionType, variant_of: Any) -> FunctionValue:
    """`func` as one of the functions that a value of type `ty` may be.

    `variant_of` gives the dispatcher of our target for one of numba's.
    """
    compiled = None
    jitted = as_jitted(func)
    if isinstance(jitted, Dispatcher):
        compiled = variant_of(jitted).get_compile_result(ty.signature)
    identity = getattr(func, "identity", None) or id(func)
    return FunctionValue(ty.signature, identity, compiled, func)


def make_value(context: Any, builder: Any, function: FunctionValue, c_address: Any = None) -> Any:
    """The run-time value: identity, and the address where nothing else is known."""
    value = cgutils.create_struct_proxy(types.FunctionType(function.signature))(context, builder)
    value.py_addr = object_address(builder.module, function.identity, function.name)
    if c_address is not None:
        value.c_addr = c_address
    if function.compiled is not None:
        context.active_code_library.add_linking_library(function.compiled.library)
    context.active_code_library.function_values.append(function)
    return value._getvalue()


def call(context: Any, builder: Any, ty: Any, signature: Any, value: Any, args: Any) -> Any:
    """Call the function that `value` is; the result."""
    key = key_of(signature)
    parts = cgutils.create_struct_proxy(ty)(context, builder, value=value)
    argtypes = (*_ADDRESSES, *key[1:])
    function = cgutils.get_or_insert_function(
        builder.module, context.call_conv.get_function_type(key[0], argtypes), _symbol(context, key)
    )
    context.active_code_library.called_values[key] = None
    status, result = context.call_conv.call_function(
        builder, function, key[0], argtypes, [parts.py_addr, parts.c_addr, *args]
    )
    with cgutils.if_unlikely(builder, status.is_error):
        context.call_conv.return_status_propagate(builder, status)
    return result


def _symbol(context: Any, key: tuple[Any, ...]) -> str:
    return context.mangler(_NAME, key)  # type: ignore[no-any-return]


def define_calls(context: Any, parts: Sequence[Any], given: Sequence[FunctionValue]) -> Any:
    """A library that defines the calls of function values in `parts`; None if there is none.

    `given` are the functions that arguments hold; with none and no other candidate, a call remains
    one of a function pointer.
    """
    keys = dict.fromkeys(key for part in parts for key in getattr(part, "called_values", ()))
    if not keys:
        return None
    known = [*given, *(v for part in parts for v in getattr(part, "function_values", ()))]
    library = context.codegen().create_library(_NAME)
    module = library.create_ir_module(_NAME)
    for key in keys:
        candidates = {v.identity: v for v in known if v.key == key}
        _define_call(context, module, key, list(candidates.values()))
        for value in candidates.values():
            if value.compiled is not None:
                library.add_linking_library(value.compiled.library)
    library.add_ir_module(module)
    library.finalize()
    return library


def _define_call(
    context: Any, module: Any, key: tuple[Any, ...], candidates: Sequence[FunctionValue]
) -> None:
    """``if value is f: return f(...)``, for every candidate."""
    convention = context.call_conv
    argtypes = (*_ADDRESSES, *key[1:])
    function_type = convention.get_function_type(key[0], argtypes)
    function = ir.Function(module, function_type, _symbol(context, key))
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    packer = context.get_arg_packer(argtypes)
    identity, address, *args = packer.from_arguments(builder, convention.get_arguments(function))
    foreign = not candidates
    pointer_type = context.get_value_type(types.FunctionType(_signature(key)).ftype)
    for candidate in candidates:
        named = None
        if candidate.compiled is None:
            at = candidate.keepalive.__wrapper_address__()
            named = c_functions.declared(module, at, pointer_type.pointee)
            if named is None:
                foreign = True
                continue
        this = object_address(module, candidate.identity, candidate.name)
        with builder.if_then(builder.icmp_unsigned("==", identity, this)):
            if named is not None:
                result = builder.call(named, args)
                convention.return_value(builder, context.get_return_value(builder, key[0], result))
                continue
            callee = context.declare_function(module, candidate.compiled.fndesc)
            status, result = convention.call_function(
                builder, callee, key[0], candidate.compiled.fndesc.argtypes, args
            )
            with cgutils.if_unlikely(builder, status.is_error):
                convention.return_status_propagate(builder, status)
            convention.return_value(builder, context.get_return_value(builder, key[0], result))
    if foreign:
        result = builder.call(builder.bitcast(address, pointer_type), args)
        convention.return_value(builder, context.get_return_value(builder, key[0], result))
    else:
        convention.return_user_exc(builder, RuntimeError, (_UNKNOWN,))


def _signature(key: tuple[Any, ...]) -> Any:
    return key[0](*key[1:])


def functions_in(argtypes: Sequence[types.Type], values: Sequence[Any]) -> tuple[Any, ...]:
    """(type, function) for each function that the arguments hold."""
    return tuple(
        pair for ty, value in zip(argtypes, values, strict=False) for pair in held(ty, value)
    )
