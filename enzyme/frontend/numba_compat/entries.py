"""How Python calls native code: numba's wrapper of a compiled function, with less in it.

Numba writes out for every argument how it is taken out of its object and let go of again, and for every function how
an exception is raised. Here the arrays of one type share a function, numba's code for exceptions stands in one that all
wrappers share, and what is called takes its arguments by reference.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, misc"

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from llvmlite import ir
from numba.core import cgutils, compiler, targetconfig, types
from numba.core.callconv import CPUCallConv, errcode_t, excinfo_ptr_t
from numba.core.callwrapper import PyCallWrapper
from numba.core.errors import NumbaNotImplementedError, TypingError
from numba.core.pythonapi import NativeValue, PythonAPI
from numba.np.numpy_support import as_dtype

from enzyme.frontend.numba_compat.compilers import (
    Context,
    Counts,
    CPUDispatcher,
    call_status,
    cpu_target,
)
from enzyme.frontend.numba_compat.models import default_manager, members
from enzyme.frontend.numba_compat.probes import (
    expect,
    expect_attributes,
    expect_parameters,
    overriding,
    probe,
)

_NOT_AN_ARRAY = (  # as numba says it
    "can't unbox array from PyObject into native value.  The object maybe of a different type"
)
RAISE = "enzyme.raise"  # the function for exceptions
_RAISE_TYPE = ir.FunctionType(ir.IntType(8).as_pointer(), [errcode_t, excinfo_ptr_t])


def by_reference(typ: Any) -> bool:
    """Does a wrapper keep an argument of this type in a place, and never as a value?"""
    return type(typ) is types.Array


@overriding("to_native_value emit_environment_sentry")
class EntryAPI(PythonAPI):
    """Calls of Python's functions in a wrapper.

    The native value of an argument that is an array is the address of one, here and for `EntryNRT`.
    """

    inside = 0  # of how many containers something is taken out

    def to_native_value(self, typ: Any, obj: Any) -> Any:
        if not by_reference(typ):
            self.inside += 1
            try:
                return super().to_native_value(typ, obj)
            finally:
                self.inside -= 1
        with self.builder.goto_entry_block():
            place = self.builder.alloca(self.context.get_value_type(typ))
        failed = self.builder.call(self._unboxer(typ, place), [obj, place])
        return NativeValue(self.builder.load(place) if self.inside else place, is_error=failed)

    def _unboxer(self, typ: Any, place: Any) -> Any:
        """A function that fills the place of an array, and says if it failed: numba's `unbox_array`, without copies."""
        if typ in self.context.unboxers:
            return self.context.unboxers[typ]
        function_type = ir.FunctionType(ir.IntType(1), [self.pyobj, place.type])
        name = f"unbox.{len(self.context.unboxers)}"
        function = self.context.unboxers[typ] = ir.Function(self.module, function_type, name)
        function.linkage = "internal"
        builder = ir.IRBuilder(function.append_basic_block("entry"))
        api = PythonAPI(self.context, builder)
        obj, place = function.args
        code = api.nrt_adapt_ndarray_from_python(obj, builder.bitcast(place, api.voidptr))
        failed = cgutils.is_not_null(builder, code)
        with suppress(NumbaNotImplementedError):  # of types that NumPy has no name for
            size = self.context.make_array(typ)(self.context, builder, ref=place).itemsize
            expected = ir.Constant(size.type, as_dtype(typ.dtype).itemsize)
            failed = builder.or_(failed, builder.icmp_unsigned("!=", size, expected))
        with cgutils.if_unlikely(builder, failed):
            api.err_set_string("PyExc_TypeError", _NOT_AN_ARRAY)
        builder.ret(failed)
        return function

    def emit_environment_sentry(
        self, envptr: Any, return_pyobject: bool = False, debug_msg: str = ""
    ) -> None:
        super().emit_environment_sentry(envptr, return_pyobject, "its function was freed")


@overriding("call_function raise_error")
class EntryConvention(CPUCallConv):
    """How a wrapper calls: the context's `entered` by reference, all else as numba does."""

    def call_function(
        self, builder: Any, callee: Any, resty: Any, argtys: Any, args: Any, attrs: Any = None
    ) -> Any:
        if callee is not self.context.entered:
            return super().call_function(builder, callee, resty, argtys, args, attrs)
        kind = self.get_return_type(resty).pointee
        result = cgutils.alloca_once_value(builder, cgutils.get_null_value(kind))
        error = cgutils.alloca_once_value(builder, cgutils.get_null_value(excinfo_ptr_t))
        places = [
            arg if by_reference(ty) else cgutils.alloca_once_value(builder, arg)
            for ty, arg in zip(argtys, args, strict=True)
        ]
        code = builder.call(callee, [result, error, *places])
        status = call_status(self, builder, code, builder.load(error))
        value = self.context.get_returned_value(builder, resty, builder.load(result))
        return status, value

    def raise_error(self, builder: Any, pyapi: Any, status: Any) -> None:
        function = cgutils.get_or_insert_function(builder.module, _RAISE_TYPE, RAISE)
        builder.call(function, [status.code, status.excinfoptr])


@overriding("decref")
class EntryNRT(Counts):
    """Reference counts; an array behind an address has one, for its memory."""

    def decref(self, builder: Any, typ: Any, value: Any) -> None:
        if by_reference(typ) and isinstance(value.type, ir.PointerType):
            array = self._context.make_array(typ)(self._context, builder, ref=value)
            typ, value = types.MemInfoPointer(typ.dtype), array.meminfo
        super().decref(builder, typ, value)


@overriding("call_conv get_python_api")
class EntryContext(Context):
    """Numba's target context while one wrapper is written.

    `entered` is the function that the wrapper calls, `unboxers` are those that take arrays out of their objects, by
    type.
    """

    entered: Any
    unboxers: dict[Any, Any]

    @property
    def call_conv(self) -> Any:
        return EntryConvention(self)

    def get_python_api(self, builder: Any) -> Any:
        return EntryAPI(self, builder)


@contextmanager
def counting_references() -> Iterator[None]:
    """What numba compiles meanwhile for conversions (of sets, which compare hashes) may hold objects."""
    flags: Any = compiler.Flags()
    flags.nrt = True
    with targetconfig.ConfigStack().enter(flags):
        yield


def define_raise(context: Any, module: Any) -> None:
    """Define the function for exceptions, which sets the one that a status tells of."""
    function = ir.Function(module, _RAISE_TYPE, RAISE)
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    api = context.get_python_api(builder)
    code, error = function.args
    status = call_status(context.call_conv, builder, code, error)
    context.call_conv.raise_error(builder, api, status)
    builder.ret(api.get_null_object())


def entered_function(context: Any, module: Any, descriptor: Any) -> Any:
    """The function that a wrapper calls: with places for the result and an exception, then those of the arguments."""
    given = [context.get_value_type(ty).as_pointer() for ty in descriptor.argtypes]
    result = context.call_conv.get_return_type(descriptor.restype)
    function_type = ir.FunctionType(errcode_t, [result, excinfo_ptr_t.as_pointer(), *given])
    function = ir.Function(module, function_type, descriptor.llvm_func_name)
    function.attributes.add("noinline")
    for argument in function.args[:2]:
        argument.add_attribute("noalias")
        argument.add_attribute("captures(none)")
    return function


def values_of(builder: Any, function: Any) -> Sequence[Any]:
    """The arguments of a function that a wrapper calls."""
    return [builder.load(place) for place in function.args[2:]]


def define_wrapper(
    context: Any, module: Any, entered: Any, descriptor: Any, env: Any, nogil: bool
) -> None:
    """Write what Python calls: take the arguments out of their objects, call, let go of them, box the result."""
    made = copy.copy(context)
    made.__class__ = EntryContext
    made.nrt = EntryNRT(made, made.enable_nrt)
    made.entered, made.unboxers = entered, {}
    PyCallWrapper(made, module, entered, descriptor, env, None, nogil).build()


@overriding("get_call_template")
class EntryDispatcher(CPUDispatcher):
    """Dispatcher of a wrapper. What it calls is no function of numba's, so jitted code must not."""

    def get_call_template(self, args: Any, kws: Any) -> Any:
        raise TypingError("this function can be called from Python only")


# Probes -------------------------------------------------------------------------------------------


@probe
def wrappers_of_functions() -> None:
    """Numba writes a wrapper with what is overridden here."""
    expect_parameters(
        PyCallWrapper, "__init__", "self context module func fndesc env call_helper release_gil"
    )
    expect_parameters(PythonAPI, "to_native_value", "self typ obj")
    expect_parameters(CPUCallConv, "call_function", "self builder callee resty argtys args attrs")
    expect_parameters(CPUCallConv, "raise_error", "self builder pyapi status")
    expect_parameters(Counts, "decref", "self builder typ value")
    expect_parameters(Counts, "__init__", "self context enabled")
    expect_attributes(CPUCallConv, "get_return_type")
    array = types.Array(types.float64, 1, "C")
    expect_attributes(cpu_target.target_context.data_model_manager[array], "get get_type")
    expect(
        "meminfo" in dict(members(default_manager[array])),
        "numba's arrays have no meminfo any more",
    )
