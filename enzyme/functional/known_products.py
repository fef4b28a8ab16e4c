"""The short way of `hvp`, for arrays and numbers of kinds that it had before.

As `api.known_gradients`: a function is written that makes the tangent, calls the derivative of the gradient and returns
what it gives. It stands beside that derivative, and is gone with it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

from numba.extending import is_jitted
from numpy import ndarray

from enzyme.api import settings
from enzyme.api.combined import current, derivative
from enzyme.api.known_gradients import (
    copies,
    is_plain,
    keep,
    kind_of_argument,
    name_of,
    opened,
    program_of,
    short_form,
    value_of,
)
from enzyme.api.values import INT64, captured_by
from enzyme.contract.layout import PRIMAL, SHADOW, Part
from enzyme.errors import EnzymeError
from enzyme.support.per_function_cache import table_of
from enzymecore.zeros import arrays_are_leaves

# At a function: by the number of its arguments its gradient function, beside what it read from outside then.
_ATTRIBUTE = "__enzyme_products__"


def known_product(
    f: Any, x: Any, v: Any, args: Sequence[Any], mode: Any
) -> Callable[..., Any] | None:
    """The function of `x`, `v` and `args` that gives the product, with a mode that returns the primal also the
    gradient; None where it has not been written."""
    try:
        kept = f.__dict__[_ATTRIBUTE]
        captured, gradient = kept.value[len(args)]
        call = current(gradient).gradients[_key(x, v, args, mode)]
    except (AttributeError, KeyError, TypeError):
        return None
    if settings.state or not kept.belongs_to(f) or (captured is not None and captured.changed(f)):
        return None
    if arrays_are_leaves():
        return None
    if type(x) is ndarray and x.shape != v.shape:
        return None
    return call  # type: ignore[no-any-return]


def remember(f: Any, gradient: Any, args: Sequence[Any], mode: Any, given: Sequence[Any]) -> None:
    """Write the function for arguments like these, if they can have one: `x`, `v` and constants.

    The gradient function was differentiated in `mode`, and `given` return activity and annotations.
    """
    x, v, *rest = args
    same = type(x) is ndarray is type(v) and x.dtype == v.dtype and x.flags.c_contiguous
    if not same and not (type(x) is float is type(v)):
        return
    if (
        not all(map(is_plain, args))
        or len(given) != 2 + len(rest)
        or not (is_jitted(f) or type(f) is FunctionType)
    ):
        return  # with defaults, or made anew when what it was made of changes
    try:
        key = _key(x, v, rest, mode)
        captured = captured_by(f)
        call = derivative(mode, gradient, tuple(given))
        table = current(gradient)
    except (AttributeError, EnzymeError, KeyError, TypeError):  # among them shadows for constants
        return
    program = program_of(call)
    if program is None:
        return
    if any(type(c) is ndarray and not c.flags.forc for c in map(value_of, rest)):
        return  # a copy would be of another kind
    names = ["a0", "v", *(name_of(k, a) for k, a in enumerate(rest, 1))]
    tangent = "v.copy()" if same else "v"  # it may be `x` itself
    constants = [f"Const(a{k})" for k in range(1, 1 + len(rest))]
    annotated = [given[0].__name__, "Duplicated(a0, d0, False)", *constants]

    def result(of: Callable[[Part], str]) -> str:
        return f"{of(SHADOW)}, {of(PRIMAL)}" if mode.return_primal else f"{of(SHADOW)},"

    parts = {SHADOW: "r[0]", PRIMAL: "r[1]"}
    prelude = [f"    d0 = {tangent}", *opened(rest, 1), *copies([x, *rest], program.writes)]
    keep(table, key, short_form(call, names, prelude, annotated, parts, result))
    table_of(f, _ATTRIBUTE)[len(rest)] = captured, gradient


def _key(x: Any, v: Any, args: Sequence[Any], mode: Any) -> tuple[Any, ...]:
    others = map(_constant_kind, args) if args else ()
    return kind_of_argument(x), kind_of_argument(v), mode.return_primal, *others


def _constant_kind(x: Any) -> Any:
    return int if type(x) is int and x in INT64 else kind_of_argument(x)
