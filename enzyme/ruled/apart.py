"""Calls of jitted functions that are compiled once and stay calls, by a name that the JIT knows.

Numba links what a function calls into it and optimises it again, and so on for each caller. The functions here are
long and their callers many: every derivative with a factorisation in it. In code that will be differentiated itself
the call is an ordinary one.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-untyped-def, no-untyped-call"

from __future__ import annotations

import inspect
from typing import Any

from llvmlite import ir
from numba import njit
from numba.core import types
from numba.extending import intrinsic, is_jitted, register_jitable

from enzyme.frontend import named_calls
from enzyme.frontend.numba_compat.releasing import ReleasingCompiler
from enzyme.frontend.registration import EnzymeContext, for_target

# A quotient by zero is infinite or no number here.
compiled = njit(error_model="numpy", pipeline_class=ReleasingCompiler)
inlined = register_jitable(error_model="numpy")


_intrinsic: Any = intrinsic  # what it makes is called without the typing context


@_intrinsic
def is_final(typingctx):
    """Will this code not be differentiated itself? What is zero then has no derivative that anybody asks for."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return context.get_constant(types.boolean, not isinstance(context, EnzymeContext))

    return types.boolean(), emit


# By the names of functions, up to their types: which those are.
_called: dict[str, Any] = {}


def apart(function: Any) -> Any:
    """In compiled code: a call of a function, jitted or not yet."""
    dispatcher = function if is_jitted(function) else compiled(function)
    function = dispatcher.py_func
    parameters = ", ".join(inspect.signature(function).parameters)
    stem = f"enzyme.apart.{function.__module__.rpartition('.')[2]}.{function.__name__}"
    if _called.setdefault(stem, function) is not function:
        raise AssertionError(f"two functions would be called by the name {stem}")

    def typed(typingctx, *given):
        called = types.Dispatcher(dispatcher)
        asked = typingctx.resolve_function_type(called, given, {})

        def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            if isinstance(context, EnzymeContext):
                mine = types.Dispatcher(for_target(dispatcher))
                return context.get_function(mine, signature)(builder, args)
            found = dispatcher.overloads[tuple(signature.args)]
            name = context.mangler(stem, signature.args)
            shape = context.call_conv.get_function_type(signature.return_type, signature.args)
            named_calls.register(name, found)
            callee = builder.module.globals.get(name)
            if callee is None:
                callee = ir.Function(builder.module, shape, name)
            status, result = context.call_conv.call_function(
                builder, callee, signature.return_type, signature.args, args
            )
            with builder.if_then(status.is_error, likely=False):
                context.call_conv.return_status_propagate(builder, status)
            return result

        return asked, emit

    scope: dict[str, Any] = {"typed": typed}
    exec(
        f"def {function.__name__}(typingctx, {parameters}):\n"
        f"    return typed(typingctx, {parameters})",
        scope,
    )
    return intrinsic(scope[function.__name__])
