"""Keyword-only parameters, which numba does not compile."""

from __future__ import annotations

from inspect import CO_VARARGS
from types import FunctionType
from typing import Any

from enzyme.support.per_function_cache import PerFunctionCache

_KEPT = "__enzyme_positional__"


def positional(function: Any) -> Any:
    """The function with its keyword-only parameters as the last positional ones, with the same globals and cells;
    itself where there are none, or where ``*args`` stand before them.

    Examples
    --------
    >>> def f(x, *, n=2):
    ...     return x * n
    >>> positional(f)(3, 4), positional(f) is positional(f), positional(f).__kwdefaults__
    (12, True, None)
    """
    code = function.__code__
    if not code.co_kwonlyargcount or code.co_flags & CO_VARARGS:
        return function
    of = (code, function.__defaults__, dict(function.__kwdefaults__ or {}))
    kept = function.__dict__.get(_KEPT)
    if kept is None or not kept.belongs_to(function) or not _same(kept.value[0], of):
        kept = function.__dict__[_KEPT] = PerFunctionCache(function, (of, _made(function)))
    return kept.value[1]


def _same(old: Any, new: Any) -> bool:
    """Are these the same objects? Defaults may be arrays, which do not compare."""
    code, defaults, named = old
    return (
        code is new[0]
        and defaults is new[1]
        and named.keys() == new[2].keys()
        and all(value is new[2][name] for name, value in named.items())
    )


def _made(function: Any) -> Any:
    code = function.__code__
    count = code.co_argcount + code.co_kwonlyargcount
    names = code.co_varnames[:count]
    given = function.__defaults__ or ()
    known = dict(zip(names[code.co_argcount - len(given) :], given, strict=False))
    known |= function.__kwdefaults__ or {}
    first = next((k for k in range(count, 0, -1) if names[k - 1] not in known), 0)
    made = FunctionType(
        code.replace(co_argcount=count, co_kwonlyargcount=0),
        function.__globals__,
        function.__name__,
        tuple(known[name] for name in names[first:]),
        function.__closure__,
    )
    made.__module__, made.__qualname__ = function.__module__, function.__qualname__
    return made
