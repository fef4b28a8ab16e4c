"""`jvp`, `vjp`, `linearize`: products of a Jacobian with vectors."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-any-return"

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

import numpy as np

from enzyme.api.directions import value_of
from enzyme.api.gradients import gradient
from enzyme.api.overlaps import share
from enzyme.api.runtime import patient_autodiff
from enzyme.api.separate import autodiff_of_values, own_elements
from enzyme.api.trees import like, native, native_like, python_of, restored
from enzyme.api.values import closure, jitted
from enzyme.errors import ActivityError
from enzyme.frontend.functions.weighed import weighed
from enzyme.functional.arguments import Target, constant, made_for, placed
from enzyme.functional.second_order import tangent_like
from enzymecore import (
    Annotation,
    AnyState,
    Const,
    Duplicated,
    ForwardWithPrimal,
    Reverse,
    active_register_state,
    make_zero,
)
from enzymecore.copying import copied
from enzymecore.structure import arrays_in

__all__ = ["jvp", "linearize", "vjp"]


@placed
def jvp(f: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
    """The value of a function and its derivative along a direction (forward mode).

    Parameters
    ----------
    f
        A function that numba compiles; it returns floats, arrays, or tuples of those.
    primals, tangents
        Its arguments, as a tuple or list, and for each one like it: what has no floats is a constant, and its tangent
        is None or anything.

    Returns
    -------
    tuple
        The value, and one like it with the derivatives, None for what holds no floats.

    Raises
    ------
    EnzymeError
        As `autodiff`.

    Examples
    --------
    >>> import numpy as np
    >>> from enzyme import jvp
    >>> jvp(lambda x, t: t * x, (np.array([1.0, 2.0]), 3.0), (np.array([1.0, 0.0]), 1.0))
    (array([3., 6.]), array([4., 2.]))
    """
    primals = _listed("jvp", "primals", primals)
    tangents = _listed("jvp", "tangents", tangents)
    if len(primals) != len(tangents):
        raise ActivityError(
            what=f"jvp with {len(primals)} primals and {len(tangents)} tangents",
            todo="give a tangent for each primal, None for a constant",
        )
    target = Target(f, 0, "jvp")
    args, _, given = target.resolved(primals, {}, every=True)
    behind = len(target.given)
    annotated = [
        _along(x, native_like(given[k], tangents[k - behind], "the tangent"))
        if behind <= k < behind + len(tangents) and tangents[k - behind] is not None
        else constant(x)
        for k, x in enumerate(args)
    ]
    try:
        tangent, value = patient_autodiff(
            autodiff_of_values, ForwardWithPrimal, target.function, Duplicated, *annotated
        )
    except ActivityError as error:
        if error.restype is None:
            raise
        raise ActivityError(
            what=f"jvp of a function that returns {error.restype}",
            why="a tangent is a direction in the space of results",
            todo="return floats, arrays of floats or tuples of those",
        ) from None
    tangent = _without_constants(value, tangent)
    given_arrays = [a for each in annotated for _, a in arrays_in(each.val)]
    if any(
        share(a, b) for _, a in arrays_in(value) for b in given_arrays
    ):  # it returns an argument
        value = copied(value)
    return python_of(value), python_of(tangent)


def _without_constants(value: Any, tangent: Any) -> Any:
    """The tangent of a result, None for what of it holds no floats."""
    if isinstance(value, tuple):
        return like(value, list(map(_without_constants, value, tangent)))
    return None if active_register_state(value) is AnyState else tangent


def linearize(f: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[..., Any]]:
    """The value of a function, and its derivative there as a function of the direction.

    Each call of that function is a `jvp` at these arguments, of which copies are kept; globals are what they were, too.

    Examples
    --------
    >>> from enzyme import linearize
    >>> y, along = linearize(lambda x: x * x, 3.0)
    >>> y, along(1.0), along(2.0)
    (9.0, 6.0, 12.0)
    """
    kept = copied(primals)
    if isinstance(f, FunctionType):  # globals that change later change neither value nor derivative
        f = jitted(f, len(primals))

    given = copied(kept)  # the value may be a part of them
    y, _ = jvp(f, given, tuple(map(_zero_direction, given)))
    return y, Pushforward(f, kept)


class Pushforward:
    """What `linearize` returns: called with a direction for each argument. It can be pickled if the function can."""

    def __init__(self, f: Callable[..., Any], primals: tuple[Any, ...]) -> None:
        self._f, self._primals = f, primals

    @placed
    def __call__(self, *tangents: Any) -> Any:
        if len(tangents) != len(self._primals):
            raise ActivityError(
                what=f"{len(tangents)} directions for a function that was linearized in {len(self._primals)} arguments",
                todo="give a direction for each argument, None for a constant",
            )
        return jvp(self._f, self._primals, tangents)[1]


@placed
def vjp(f: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    """The value of a function, and what takes a cotangent of it back to the arguments (reverse mode).

    Parameters
    ----------
    f
        A function that numba compiles; it returns floats, real arrays, or tuples of those.
    *primals
        Its arguments.

    Returns
    -------
    tuple
        The value, and a function: of a cotangent, which is like the value, it returns a tuple with an entry for each
        argument, None for those without floats. It may be called any number of times; each time `f` runs again, on the
        arguments as they were.

    Raises
    ------
    ActivityError
        If the value holds no floats, or complex numbers; from the function, if a cotangent is not like the value.
    EnzymeError
        As `gradient`.

    Examples
    --------
    >>> import numpy as np
    >>> from enzyme import vjp
    >>> y, pullback = vjp(lambda x, t: t * x, np.array([1.0, 2.0]), 3.0)
    >>> y
    array([3., 6.])
    >>> pullback(np.array([1.0, 10.0]))
    (array([ 3., 30.]), 21.0)
    """
    target = Target(f, 0, "vjp")
    kept = copied(primals)
    args, _, given = target.resolved(kept, {}, every=True)
    y = value_of(target.function, args)
    shape = _shape_of_result(y)
    behind = len(target.given)
    differentiated = tuple(
        k
        for k, x in enumerate(args)
        if behind <= k < behind + len(primals) and active_register_state(x) is not AnyState
    )
    function, args, differentiated, shift = target.unbound(args, differentiated)
    behind += shift
    paired = made_for(jitted(function, len(args)), ("paired", len(args), shape), _paired)
    annotated = [x if k in differentiated else constant(x) for k, x in enumerate(args)]

    def adjoints(cotangent: Any) -> tuple[Any, ...]:
        seeds = _like_result(y, cotangent, "the value")
        found = gradient(Reverse, paired, *annotated, *map(Const, seeds))
        found = found[behind : behind + len(primals)]
        return tuple(map(restored, given[behind - shift :], found))

    return python_of(y), Pullback(f, kept, adjoints)


class Pullback:
    """What `vjp` returns: called with a cotangent. It can be pickled if the function can, which then runs again."""

    def __init__(
        self, f: Callable[..., Any], primals: tuple[Any, ...], adjoints: Callable[..., Any]
    ) -> None:
        self._made_by = f, primals
        self._adjoints = adjoints

    @placed
    def __call__(self, cotangent: Any) -> tuple[Any, ...]:
        return self._adjoints(cotangent)

    def __reduce__(self) -> Any:
        return _pullback, self._made_by


def _pullback(f: Callable[..., Any], primals: tuple[Any, ...]) -> Any:
    return vjp(f, *primals)[1]


def _shape_of_result(y: Any, inside: bool = False) -> Any:
    """What stands where in a result: a number, an array, nothing that has a derivative, a tuple of those."""
    if isinstance(y, tuple):
        parts = tuple(_shape_of_result(part, True) for part in y)
        if any(part != "" for part in parts) or inside:
            return parts
    elif isinstance(y, float | np.floating):
        return "number"
    elif isinstance(y, np.ndarray) and y.dtype.kind == "f":
        return "array" if y.ndim else "no axes"
    elif active_register_state(y) is AnyState and inside:
        return ""
    kind = f"an array of {y.dtype}" if isinstance(y, np.ndarray) else type(y).__name__
    raise ActivityError(
        what=f"vjp of a function that returns {kind}",
        why="a cotangent is a direction in the space of results: floats, real arrays, tuples of those",
        todo="return one of those; autodiff and thunks take other results",
    )


def _leaves(shape: Any, place: str) -> list[tuple[str, str]]:
    if isinstance(shape, tuple):
        return [leaf for k, part in enumerate(shape) for leaf in _leaves(part, f"{place}[{k}]")]
    return [(place, shape)] if shape else []


def _paired(dispatcher: Any, count: int, shape: Any) -> Any:
    """The product of a cotangent with the result, as a function of the arguments and the cotangent."""
    names = ", ".join(f"x{k}" for k in range(count))
    leaves = _leaves(shape, "y")
    seeds = ", ".join(f"s{n}" for n in range(len(leaves)))
    term = {
        "number": "s{n} * {place}",
        "no axes": "s{n}[()] * {place}[()]",
        "array": "(s{n} * {place}).sum()",
    }
    terms = [term[kind].format(n=n, place=place) for n, (place, kind) in enumerate(leaves)]
    body = f"y = f({names})\n        return weighed({' + '.join(terms)})"
    parameters = ", ".join(filter(None, (names, seeds)))
    name = f"pullback_of_{dispatcher.__name__}"
    return closure(dispatcher, parameters, body, name, weighed=weighed)


def _like_result(y: Any, cotangent: Any, where: str) -> list[Any]:
    """The numbers and arrays of a cotangent, in order. None stands for zero."""
    if isinstance(y, tuple):
        if cotangent is None:
            cotangent = (None,) * len(y)
        cotangent = native_like(python_of(y), cotangent, "the cotangent")
    return _leaves_like(y, cotangent, where)


def _leaves_like(y: Any, cotangent: Any, where: str) -> list[Any]:
    """The same of a cotangent that has tuples where the result has them."""
    if isinstance(y, tuple):
        if not isinstance(cotangent, tuple | list) or len(cotangent) != len(y):
            raise _unlike(where, f"a tuple of {len(y)}", cotangent)
        return [
            leaf
            for k, (part, given) in enumerate(zip(y, cotangent, strict=True))
            for leaf in _leaves_like(part, given, f"{where}[{k}]")
        ]
    if active_register_state(y) is AnyState:
        return []
    if cotangent is None and isinstance(y, float | np.floating | np.ndarray):
        cotangent = np.zeros_like(y)
    if isinstance(y, float | np.floating):
        if not isinstance(cotangent, int | float | np.number) and np.shape(cotangent) != ():
            raise _unlike(where, "a number", cotangent)
        return [type(y)(cotangent)]
    if isinstance(y, np.ndarray):
        found = np.asarray(cotangent)
        if found.shape != y.shape or not np.can_cast(found.dtype, y.dtype, "same_kind"):
            raise _unlike(where, f"an array of {y.dtype} of shape {y.shape}", cotangent)
        return [found.astype(y.dtype, copy=False)]
    return []


def _unlike(where: str, expected: str, given: Any) -> ActivityError:
    kind = type(given).__name__
    if isinstance(given, np.ndarray):
        kind = f"an array of {given.dtype} of shape {given.shape}"
    return ActivityError(
        what=f"the cotangent is {kind}, and {where} is {expected}",
        todo="give a cotangent that is like the value",
    )


def _listed(what: str, name: str, given: Any) -> tuple[Any, ...]:
    if not isinstance(given, tuple | list):
        raise ActivityError(
            what=f"the {name} of {what} are {type(given).__name__}",
            why="they are the arguments of the function, and there may be several",
            todo="give a tuple: jvp(f, (x,), (v,))",
        )
    return tuple(given)


def _along(x: Any, tangent: Any) -> Any:
    """An argument with its direction."""
    if isinstance(x, Annotation):
        return x
    if active_register_state(x) is AnyState:
        return Const(x)
    x = own_elements(x)
    return Duplicated(x, tangent_like(x, tangent))


def _zero_direction(x: Any) -> Any:
    x = native(x)
    return None if active_register_state(x) is AnyState else python_of(make_zero(x))
