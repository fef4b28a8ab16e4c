"""`hessian` and products with it: forward mode over the gradient."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-any-return"

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from enzyme.api.gradients import gradient, jacobian
from enzyme.api.overlaps import share
from enzyme.api.runtime import patient_autodiff
from enzyme.api.separate import autodiff_of_values, own_elements
from enzyme.api.trees import like, native_like, restored
from enzyme.api.values import jitted
from enzyme.errors import (
    ActivityError,
    EnzymeConstStorageError,
    EnzymeRuntimeActivityError,
    ShadowLayoutError,
)
from enzyme.functional.arguments import Target, constant, made_for, placed, plain
from enzyme.functional.derived import (
    REQUIRED,
    Derived,
    Request,
    compiled_form,
    only_floats,
    without_row,
)
from enzyme.functional.known_products import known_product, remember
from enzymecore import (
    Const,
    Duplicated,
    DuplicatedNoNeed,
    Forward,
    ForwardWithPrimal,
    Reverse,
    make_zero,
)
from enzymecore.copying import copied

__all__ = ["hessian", "hvp", "hvp_and_gradient_inplace", "hvp_inplace"]


@placed
def hessian(f: Callable[..., Any], argnums: Any = 0) -> Callable[..., Any]:
    """The second derivatives of a function: forward mode over reverse mode, a run for every few numbers.

    Parameters
    ----------
    f
        A function that numba compiles; it returns a float.
    argnums
        As for `grad`; the arguments are floats, arrays, and tuples, dictionaries, dataclasses and lists of arrays.

    Returns
    -------
    function
        It takes what `f` takes. For one argument `x` it returns an array of shape ``x.shape + x.shape``, a float for a
        float; for several a tuple of tuples ``h[i][j]`` of shape ``x[i].shape + x[j].shape``, and so for a container:
        ``h["a"]["b"]``, with None for what holds no floats.

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
        args, wanted, given = target.resolved(args, kwargs)
        target.needs_directions(Forward, given, wanted, records=False)
        target.annotated(args, wanted)  # complains
        for k in wanted:
            _refuse_complex(k, args[k])
        function, args, places, shift = target.unbound(args, wanted)
        given = (None,) * shift + given
        annotated = [x if k in places else constant(x) for k, x in enumerate(args)]
        single = len(set(places)) == 1
        found = jacobian(Forward, _gradient_function(function, len(args), places), *annotated)
        columns = found if len(args) > 1 else (found,)
        order = sorted(set(places))

        def block(i: int, j: int) -> Any:
            rows = columns[j]
            if single and isinstance(args[j], float | np.inexact):
                rows = plain(rows[0])  # a float counts as an array of one element
            rows = rows if single else rows[order.index(i)]
            return restored(given[i], rows, lambda _, row: restored(given[j], row))

        if target.alone:
            return block(places[0], places[0])
        return tuple(tuple(block(i, j) for j in places) for i in places)

    return Derived(target, hessian_of, (hessian, {"argnums": argnums}), _hessian_source)


def _refuse_complex(position: int, x: Any) -> None:
    if isinstance(x, tuple):
        for part in x:
            _refuse_complex(position, part)
    elif np.iscomplexobj(x) and isinstance(x, complex | np.generic | np.ndarray):
        raise ActivityError(
            what=f"hessian with respect to argument {position}, which holds complex numbers",
            why="there are derivatives along the real and the imaginary axis, and a matrix has no place for both",
            todo="use hvp along each of them, or pass real and imaginary parts",
        )


def _gradient_function(f: Any, count: int, wanted: tuple[int, ...]) -> Any:
    """The jitted gradient of a function, with respect to some arguments in their order."""
    return made_for(jitted(f, count), ("gradient", count, tuple(sorted(set(wanted)))), _gradient)


def compiled_gradient(f: Any, count: int) -> Any:
    """The jitted gradient of a function of `count` arguments, with respect to the first."""
    return _gradient_function(f, count, (0,))


def _gradient(dispatcher: Any, count: int, wanted: tuple[int, ...]) -> Any:
    request = Request("gradient", tuple(f"x{k}" for k in range(count)), wanted)
    call = f"$gradient($Reverse, $f, {request.arguments()})"
    if count == 1:
        body = f"return $only_floats({call})"
    elif len(wanted) == 1:
        body = f"return $only_floats({call}[{wanted[0]}])"
    else:
        found = ", ".join(f"$only_floats($d[{k}])" for k in wanted)
        body = f"$d = {call}\n        return ({found})"
    name = f"gradient_of_{dispatcher.__name__}"
    scope = {"gradient": gradient, "only_floats": only_floats, "Reverse": Reverse, "Const": Const}
    return compiled_form(dispatcher, dict.fromkeys(request.names, REQUIRED), body, name, **scope)


def _hessian_source(function: Any, request: Request, parameters: dict[str, Any]) -> Any:
    """The compiled form of `hessian`."""
    order = sorted(set(request.wanted))
    columns = "$r.derivs" if len(request.names) == 1 else "$r.derivs[{}]"

    def block(i: int, j: int) -> str:
        column = columns.format(j)
        if len(order) == 1:
            return f"$without_row($r.val, {column})"
        return f"{column}[{order.index(i)}]"

    rows = [f"({', '.join(block(i, j) for j in request.wanted)},)" for i in request.wanted]
    result = f"({', '.join(rows)},)"
    if request.alone:
        result = block(request.wanted[0], request.wanted[0])
    body = f"$r = $jacobian($mode, $g, {request.arguments()})\n        return {result}"
    scope = {
        "Const": Const,
        "g": _gradient_function(function, len(request.names), request.wanted),
        "jacobian": jacobian,
        "mode": ForwardWithPrimal,
        "without_row": without_row,
    }
    return compiled_form(function, parameters, body, f"hessian_of_{function.__name__}", **scope)


def hvp(f: Callable[..., Any], x: Any, v: Any, *args: Any) -> Any:
    """The product of the Hessian of a function with a vector, at the price of a few gradients.

    Parameters
    ----------
    f
        A function that numba compiles, of `x` and of further arguments, which are constants; it returns a float.
    x, v
        A float, an array, or a tuple, list, dictionary or dataclass of those, and one like it.

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
    what = _WITH_GRADIENT
    _check_apart(what, res, grad)
    product, gradient_there = _product(what, f, x, v, args)
    _fill(what, res, x, product)
    _fill(what, grad, x, gradient_there)
    return res, grad


_WITH_GRADIENT = "hvp_and_gradient_inplace"
_CALLS = {
    "hvp": "hvp(f, x, v, *args)",
    "hvp_inplace": "hvp_inplace(res, f, x, v, *args)",
    _WITH_GRADIENT: "hvp_and_gradient_inplace(res, grad, f, x, v, *args)",
}


def _product(what: str, f: Any, x: Any, v: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    mode = ForwardWithPrimal if what == _WITH_GRADIENT else Forward
    found = known_product(f, x, v, args, mode)
    if found is not None:
        try:
            products = found(x, v, *args)
            if products is not None:
                return products
        except (EnzymeConstStorageError, EnzymeRuntimeActivityError):  # on a way not taken before
            pass
    try:
        return _slow_product(what, f, x, v, args, mode)
    except TypeError as error:
        if type(error) is not TypeError:
            raise
        raise TypeError(f"{error}; the call is {_CALLS[what]}") from None


@placed
def _slow_product(
    what: str, f: Any, x: Any, v: Any, args: tuple[Any, ...], mode: Any
) -> tuple[Any, ...]:
    target = Target(f, 0, what)
    whole, wanted, given = target.resolved((x, *args), {})
    target.annotated(whole, wanted)
    (place,) = wanted
    v = native_like(given[place], v, "the direction")
    function, whole, (place,), shift = target.unbound(whole, wanted)
    x = own_elements(whole[place])
    annotated = [constant(one) for one in whole]
    annotated[place] = Duplicated(x, tangent_like(x, v))
    gradient_of = _gradient_function(function, len(whole), (place,))
    given_there = (Duplicated if mode.return_primal else DuplicatedNoNeed, *annotated)
    found = patient_autodiff(autodiff_of_values, mode, gradient_of, *given_there)
    if not shift:
        remember(f, gradient_of, (x, v, *args), mode, given_there)
    here = given[place - shift]
    return tuple([restored(here, part) for part in found])


def tangent_like(x: Any, v: Any) -> Any:
    """A direction, of the type and with the strides of the float or array that it belongs to, and memory of its own."""
    if isinstance(x, tuple) and isinstance(v, tuple) and len(x) == len(v):
        return like(x, [tangent_like(a, b) for a, b in zip(x, v, strict=True)])
    if isinstance(x, float | complex | np.inexact) and isinstance(v, int | float | np.number):
        return type(x)(v)
    if not isinstance(x, np.ndarray):
        return copied(v)
    given = np.asarray(v)
    if given.shape != x.shape or not np.can_cast(given.dtype, x.dtype, "same_kind"):
        raise ShadowLayoutError(
            what=f"the direction is an array of {given.dtype} of shape {given.shape}, and the argument one of {x.dtype}"
            f" of shape {x.shape}",
            todo="give a direction that is like the argument; behind it come the other arguments of the function",
        )
    made = make_zero(x)
    made[...] = given
    return made


@placed
def _check_apart(what: str, res: Any, grad: Any) -> None:
    if isinstance(res, np.ndarray) and isinstance(grad, np.ndarray) and share(res, grad):
        raise ShadowLayoutError(
            what=f"{what} is to write the product and the gradient to one place",
            todo="make a place for each with np.zeros_like(x)",
        )


@placed
def _fill(what: str, place: Any, x: Any, value: Any) -> None:
    problem = ""
    if not isinstance(place, np.ndarray):
        problem = f"a {type(place).__name__}"
    elif place.shape != np.shape(x):
        problem = f"an array of shape {place.shape}, and the argument has shape {np.shape(x)}"
    elif not place.flags.writeable:
        problem = "an array that cannot be written to"
    elif not np.can_cast(np.asarray(value).dtype, place.dtype, "same_kind"):
        problem = f"an array of {place.dtype}, and the result is of {np.asarray(value).dtype}"
    if problem:
        raise ShadowLayoutError(
            what=f"{what} is to write to {problem}", todo="make the place with np.zeros_like(x)"
        )
    place[...] = value
