"""Numba's classes of what can be called, its fingerprint of a value, and the lock of its compiler."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from typing import Any

from numba import typeof
from numba.core import types
from numba.core.caching import Cache as FunctionCache
from numba.core.ccallback import CFunc
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher
from numba.core.registry import cpu_target
from numba.core.typing.templates import builtin_registry
from numba.np.ufunc.ufunc_base import UfuncBase
from numba.stencils.stencil import StencilFunc  # type: ignore[import-untyped,unused-ignore]

from enzyme.frontend.numba_compat.probes import private

__all__ = [
    "CFunc",
    "Dispatcher",
    "FunctionCache",
    "StencilFunc",
    "UfuncBase",
    "cached_function",
    "fingerprint",
    "forget_implementations",
    "global_compiler_lock",
    "is_cached",
    "name_of",
    "returned_type",
]

fingerprint = private("numba._dispatcher", "compute_fingerprint")


def name_of(stencil: StencilFunc) -> str:
    """The name that the kernel of a stencil was written under."""
    return str(stencil.kernel_ir.func_id.func_name)


def cached_function(cache: FunctionCache) -> Any:
    """The Python function whose code a cache of numba's writes and reads."""
    return cache._py_func


def is_cached(dispatcher: Any) -> bool:
    """Was a function decorated with ``cache=True``?"""
    cache = getattr(dispatcher, "_cache", None)
    return cache is not None and type(cache).__name__ != "NullCache"


def returned_type(dispatcher: Any, argtypes: tuple[types.Type, ...]) -> types.Type:
    """What numba says that a jitted function returns for arguments of these types; it is compiled for them."""
    context = cpu_target.typing_context
    context.refresh()
    return typeof(dispatcher).get_call_type(context, argtypes, {}).return_type


def forget_implementations(package: str) -> None:
    """Let numba ask the overloads in a package anew, also for arguments of types that it has asked for."""
    for template in builtin_registry.functions:
        overload = getattr(template, "_overload_func", None)
        if overload is not None and (overload.__module__ or "").startswith(package):
            template._impl_cache.clear()
