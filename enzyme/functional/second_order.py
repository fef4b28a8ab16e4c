"""`hessian` and products with it: forward mode over the gradient."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-any-return"

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from enzyme.api.combined import derivative
from enzyme.api.gradients import gradient, jacobian
from enzyme.api.runtime import patient_autodiff
from enzyme.api.separate import autodiff_of_values, own_elements
from enzyme.api.values import closure, jitted
from enzyme.errors import EnzymeError, ShadowLayoutError
from enzyme.functional.arguments import (
    MADE,
    Target,
    constant,
    made_for,
    placed,
    plain,
)
from enzyme.support.per_function_cache import table_of
from enzymecore import Const, Duplicated, Forward, ForwardWithPrimal, Reverse, make_zero

__all__ = ["hessian", "hvp", "hvp_and_gradient_inplace", "hvp_inplace"]


@placed
def hessian(f: Callable[..., Any], argnums: Any = 0) -> Callable[..., Any]:
    """The second derivatives of a function: forward mode over reverse mode, a run for every few numbers.

    Parameters
    ----------
    f
        A function that numba compiles; it returns a float.
    argnums
        As for `grad`; the arguments are floats and arrays.

    Returns
    -------
    function
        It takes what `f` takes. For one argument `x` it returns an array of shape ``x.shape + x.shape``, a float for a
        float; for several a tuple of tuples ``h[i][j]`` of shape ``x[i].shape + x[j].shape``.

    Raises
    ------
    EnzymeError
        As `gradient` and `jacobian`, when the function is called.

    Examples
    --------
    >>> import numpy as np
    >>> from enzyme import hessian
    >>> hessian(lambda x: x[0] ** 3 * x[1])(np.array([1.0, 2.0]))
    array([[12.,  3.],
           [ 3.,  0.]])
    >>> hessian(lambda x, t: x * x * t, argnums=(0, 1))(2.0, 3.0)
    ((6.0, 4.0), (4.0, 0.0))
    """
    target = Target(f, argnums, "hessian")

    @placed
    def hessian_of(*args: Any, **kwargs: Any) -> Any:
        args, wanted = target.resolved(args, kwargs)
        given = target.annotated(args, wanted)
        single = len(set(wanted)) == 1
        function = _gradient_function(target, len(args), wanted)
        found = jacobian(Forward, function, *given)
        columns = found if len(args) > 1 else (found,)
        if single:
            block = columns[wanted[0]]
            if not isinstance(args[wanted[0]], np.ndarray):
                block = plain(block[0])  # a float counts as an array of one element
            return block if target.alone else ((block,) * len(wanted),) * len(wanted)
        order = sorted(set(wanted))
        rows = {i: {j: columns[j][n] for j in order} for n, i in enumerate(order)}
        return tuple(tuple(rows[i][j] for j in wanted) for i in wanted)

    return target.name(hessian_of)


def _gradient_function(target: Target, count: int, wanted: tuple[int, ...]) -> Any:
    """The jitted gradient of the function, with respect to some arguments in their order."""
    return made_for(
        jitted(target.function, count), ("gradient", count, tuple(sorted(set(wanted)))), _gradient
    )


def _gradient(dispatcher: Any, count: int, wanted: tuple[int, ...]) -> Any:
    names = [f"x{k}" for k in range(count)]
    given = [name if k in wanted else f"Const({name})" for k, name in enumerate(names)]
    call = f"gradient(Reverse, f, {', '.join(given)})"
    if count == 1:
        body = f"return {call}"
    elif len(wanted) == 1:
        body = f"return {call}[{wanted[0]}]"
    else:
        body = f"d = {call}\n        return ({', '.join(f'd[{k}]' for k in wanted)})"
    name = f"gradient_of_{dispatcher.__name__}"
    scope = {"gradient": gradient, "Reverse": Reverse, "Const": Const}
    return closure(dispatcher, ", ".join(names), body, name, **scope)


def hvp(f: Callable[..., Any], x: Any, v: Any, *args: Any) -> Any:
    """The product of the Hessian of a function with a vector, at the price of a few gradients.

    Parameters
    ----------
    f
        A function that numba compiles, of `x` and of further arguments, which are constants; it returns a float.
    x, v
        A float or an array, and one like it.

    Returns
    -------
    float or numpy.ndarray
        ``H v``, like `x`.

    Raises
    ------
    EnzymeError
        As `gradient` and `autodiff`.

    Examples
    --------
    >>> import numpy as np
    >>> from enzyme import hvp
    >>> hvp(lambda x: x[0] ** 3 * x[1], np.array([1.0, 2.0]), np.array([1.0, 10.0]))
    array([42.,  3.])
    """
    return _product("hvp", f, x, v, args)[0]


def hvp_inplace(res: Any, f: Callable[..., Any], x: Any, v: Any, *args: Any) -> Any:
    """`hvp`, written to the array `res`, which is returned.

    Examples
    --------
    >>> import numpy as np
    >>> from enzyme import hvp_inplace
    >>> res = np.empty(2)
    >>> hvp_inplace(res, lambda x: x[0] * x[1], np.array([1.0, 2.0]), np.array([1.0, 10.0])) is res
    True
    >>> res
    array([10.,  1.])
    """
    _fill("hvp_inplace", res, x, _product("hvp_inplace", f, x, v, args)[0])
    return res


def hvp_and_gradient_inplace(
    res: Any, grad: Any, f: Callable[..., Any], x: Any, v: Any, *args: Any
) -> tuple[Any, Any]:
    """`hvp` and the gradient in one run, written to the arrays `res` and `grad`, which are returned.

    Examples
    --------
    >>> import numpy as np
    >>> from enzyme import hvp_and_gradient_inplace
    >>> x, v = np.array([1.0, 2.0]), np.array([1.0, 10.0])
    >>> hvp_and_gradient_inplace(np.empty(2), np.empty(2), lambda x: x[0] * x[1], x, v)
    (array([10.,  1.]), array([2., 1.]))
    """
    what = "hvp_and_gradient_inplace"
    product, gradient_there = _product(what, f, x, v, args)
    _fill(what, res, x, product)
    _fill(what, grad, x, gradient_there)
    return res, grad


def _product(what: str, f: Any, x: Any, v: Any, args: tuple[Any, ...]) -> tuple[Any, Any]:
    found = _known_product(f, x, v, args)
    return _slow_product(what, f, x, v, args) if found is None else found


# At the gradient of a function: the derivatives of it that may be called without copies of what they get.
_PLAIN = "__enzyme_products__"


def _known_product(f: Any, x: Any, v: Any, args: tuple[Any, ...]) -> Any:
    """The short way, for functions and arrays of kinds that there were before; None if it must be the long one."""
    if type(x) is not np.ndarray or type(v) is not np.ndarray or v.dtype is not x.dtype:
        return None
    if v.shape != x.shape or not x.flags.c_contiguous:
        return None
    try:
        dispatcher = jitted(f, 1 + len(args))
        function = table_of(dispatcher, MADE)["gradient", 1 + len(args), (0,)]
        plain = function.__dict__[_PLAIN]
        along = Duplicated(x, v.copy(), False)
        given = (Duplicated, along, *map(constant, args))
        call = derivative(ForwardWithPrimal, function, given)
    except (AttributeError, EnzymeError, KeyError, TypeError):
        return None
    return call(*given) if call in plain else None


@placed
def _slow_product(what: str, f: Any, x: Any, v: Any, args: tuple[Any, ...]) -> tuple[Any, Any]:
    target = Target(f, 0, what)
    whole, wanted = target.resolved((x, *args), {})
    _, *constants = target.annotated(whole, wanted)
    function = _gradient_function(target, len(whole), wanted)
    x = own_elements(x)
    given = (Duplicated, Duplicated(x, tangent_like(x, v)), *constants)
    found = patient_autodiff(autodiff_of_values, ForwardWithPrimal, function, *given)
    try:
        call = derivative(ForwardWithPrimal, function, given)
    except EnzymeError:  # it needs shadows for constants
        return found
    program = getattr(call, "program", None)
    if program is not None and not any(map(program.writes, range(len(whole)))):
        function.__dict__.setdefault(_PLAIN, set()).add(call)
    return found


def tangent_like(x: Any, v: Any) -> Any:
    """A direction, of the type and with the strides of the float or array that it belongs to, and memory of its own."""
    if isinstance(x, float | complex | np.inexact) and isinstance(v, int | float | np.number):
        return type(x)(v)
    if not isinstance(x, np.ndarray):
        return v
    given = np.asarray(v)
    if given.shape != x.shape or not np.can_cast(given.dtype, x.dtype, "same_kind"):
        raise ShadowLayoutError(
            what=f"the direction is an array of {given.dtype} of shape {given.shape}, and the argument one of {x.dtype}"
            f" of shape {x.shape}",
            todo="give a direction that is like the argument",
        )
    made = make_zero(x)
    made[...] = given
    return made


@placed
def _fill(what: str, place: Any, x: Any, value: Any) -> None:
    if not isinstance(place, np.ndarray) or place.shape != np.shape(x) or not place.flags.writeable:
        shape = getattr(place, "shape", type(place).__name__)
        raise ShadowLayoutError(
            what=f"{what} is to write to {shape}, and the argument has shape {np.shape(x)}",
            todo="make the place with np.zeros_like(x)",
        )
    place[...] = value
