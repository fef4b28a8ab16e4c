"""`grad`, `value_and_grad`, `jacfwd`, `jacrev`."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from enzyme.api.gradients import gradient, jacobian
from enzyme.api.jacobians import after
from enzyme.api.known_gradients import known_gradient
from enzyme.errors import ModeError
from enzyme.functional.arguments import Target, constant, of_type, placed, plain
from enzyme.functional.derived import Derived, Request, compiled_form, only_floats, without_row
from enzymecore import Const, ForwardWithPrimal, Reverse, ReverseWithPrimal
from enzymecore.parameters import Argnums, Direction

__all__ = ["grad", "jacfwd", "jacrev", "value_and_grad"]


@placed
def grad(
    f: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False, mode: Direction = "reverse"
) -> Callable[..., Any]:
    """The gradient of a function, as a function of the same arguments.

    Parameters
    ----------
    f
        A function that numba compiles, jitted or not; it returns a float. Methods of named tuples, dataclasses and
        jitclasses and `functools.partial` of functions are functions, too. Its arguments are numbers, arrays, tuples,
        typed containers and jitclass instances, and dictionaries with texts as keys, dataclasses and lists of those.
    argnums
        The argument that is differentiated: its place, also counted from the end, or its name; or a tuple of those.
        All others are constants.
    has_aux
        `f` returns a pair, of which the first is differentiated; the second is returned beside the gradient. For it
        `f` runs once more.
    mode
        ``"reverse"``, or ``"forward"``: one run of `f` for each float of the arguments.

    Returns
    -------
    function
        It takes what `f` takes and returns the derivative: a float for a float, an array for an array, a tuple for a
        tuple, a dictionary for a dictionary, in which None stands for what holds no floats; for several arguments a
        tuple of those; with `has_aux` ``(derivative, aux)``. Arguments stay as they were. Jitted code can call it, and
        it can be differentiated.

    Raises
    ------
    ActivityError
        If an argument of `argnums` is not there or holds no floats.
    EnzymeError
        As `gradient`, when the function is called.

    Examples
    --------
    >>> import numpy as np
    >>> from enzyme import grad
    >>> grad(np.tanh)(2.0)
    0.07065082485316443
    >>> def loss(w, x, y, decay=0.0):
    ...     miss = x @ w - y
    ...     return (miss * miss).sum() + decay * (w * w).sum()
    >>> w, x, y = np.array([1.0, 2.0]), np.array([[1.0, 0.0], [1.0, 1.0]]), np.array([2.0, 2.0])
    >>> grad(loss)(w, x, y)
    array([0., 2.])
    >>> grad(loss, argnums="decay")(w, x, y)
    5.0
    >>> grad(loss, argnums=(0, -1))(w, x, y, decay=0.5)
    (array([1., 4.]), 5.0)
    >>> grad(lambda p, x: p["a"] * x + p["b"])({"a": 2.0, "b": 1.0}, 3.0)
    {'a': 3.0, 'b': 1.0}
    """
    return _function(f, argnums, has_aux, mode, "grad")


@placed
def value_and_grad(
    f: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False, mode: Direction = "reverse"
) -> Callable[..., Any]:
    """The value of a function and its gradient, in one run.

    Parameters are those of `grad`. The function that is returned gives ``(value, derivative)``, with `has_aux`
    ``((value, aux), derivative)``.

    Examples
    --------
    >>> import numpy as np
    >>> from enzyme import value_and_grad
    >>> value_and_grad(lambda x: (x * x).sum())(np.array([1.0, 2.0]))
    (5.0, array([2., 4.]))
    >>> value_and_grad(lambda x: ((x * x).sum(), x[0]), has_aux=True)(np.array([1.0, 2.0]))
    ((5.0, 1.0), array([2., 4.]))
    """
    return _function(f, argnums, has_aux, mode, "value_and_grad")


@placed
def jacfwd(
    f: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """The Jacobian of a function by forward mode: a run for every few numbers of the arguments.

    Parameters
    ----------
    f
        A function that numba compiles; it returns an array, a float, or a tuple of those.
    argnums, has_aux
        As for `grad`.

    Returns
    -------
    function
        It takes what `f` takes. Of arrays `out` and `x` it returns an array of shape ``out.shape + x.shape``;
        numbers have no axes. For several arguments a tuple of those, for a tuple of results a tuple inside of it.

    Raises
    ------
    EnzymeError
        As `jacobian`, when the function is called.

    Examples
    --------
    >>> import numpy as np
    >>> from enzyme import jacfwd
    >>> jacfwd(lambda x, t: t * x * x)(np.array([1.0, 2.0]), 3.0)
    array([[ 6.,  0.],
           [ 0., 12.]])
    """
    return _jacobian_of(f, argnums, has_aux, "jacfwd", ForwardWithPrimal)


@placed
def jacrev(
    f: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """The Jacobian of a function by reverse mode: a run for every few numbers of the result.

    What it takes and returns is that of `jacfwd`; it is faster where the result has fewer numbers than the arguments.

    Examples
    --------
    >>> import numpy as np
    >>> from enzyme import jacrev
    >>> jacrev(lambda x, t: t * x * x, argnums=(0, 1))(np.array([1.0, 2.0]), 3.0)
    (array([[ 6.,  0.],
           [ 0., 12.]]), array([1., 4.]))
    """
    return _jacobian_of(f, argnums, has_aux, "jacrev", ReverseWithPrimal)


def _jacobian_of(f: Any, argnums: Any, has_aux: bool, what: str, mode: Any) -> Derived:
    target = Target(f, argnums, what, has_aux)

    @placed
    def jacobian_of(*args: Any, **kwargs: Any) -> Any:
        args, wanted, given = target.resolved(args, kwargs)
        target.needs_directions(mode, given, wanted)
        aux = target.auxiliary(args)[1] if has_aux else None
        value, found = _rows(target, mode, args, wanted)
        derivative = target.chosen(found, wanted, given, value)
        return (derivative, aux) if has_aux else derivative

    function = jacfwd if what == "jacfwd" else jacrev
    made_by = function, {"argnums": argnums, "has_aux": has_aux}
    return Derived(target, jacobian_of, made_by, _jacobian_source)


def _function(f: Any, argnums: Any, has_aux: bool, mode: str, what: str) -> Derived:
    """`grad` or `value_and_grad` of a function."""
    target = Target(f, argnums, what, has_aux)
    forward, with_value = _is_forward(mode, what), what == "value_and_grad"

    @placed
    def slowly(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        value, derivative, aux = _differentiated(target, forward, with_value, args, kwargs)
        if with_value:
            return ((value, aux) if has_aux else value), derivative
        return (derivative, aux) if has_aux else derivative

    plain_mode = ReverseWithPrimal if with_value else Reverse
    known = None if forward or has_aux else _known(target, plain_mode)

    def derivative_of(*args: Any, **kwargs: Any) -> Any:
        found = None if kwargs or known is None else known(args)
        return slowly(args, kwargs) if found is None else found

    options = {"argnums": argnums, "has_aux": has_aux, "mode": mode}
    made_by = (value_and_grad if with_value else grad), options
    return Derived(target, derivative_of, made_by, _gradient_source)


def _known(target: Target, mode: Any) -> Callable[[tuple[Any, ...]], Any] | None:
    """The short way of `gradient` for one argument by its place; from it None where the long way must be taken."""
    place = target.single_place
    if place is None:
        return None
    function = target.function
    root = target.root()

    def call(args: tuple[Any, ...]) -> Any:
        nonlocal function, root
        if place >= len(args):
            return None
        if root is not None and (now := target.root()) is not root:
            function, root = target.function, now
        alone = len(args) == 1
        given = args if alone else [x if k == place else constant(x) for k, x in enumerate(args)]
        found = known_gradient(mode, function, given)
        if found is None:
            return None
        every = found(*given)
        if every is None:
            return None
        if mode is Reverse:
            return every if alone else every[place]
        value, derivative = every
        if not alone:
            derivative = derivative[place]
        return None if derivative is None else (value, derivative)

    return call


def _is_forward(mode: str, what: str) -> bool:
    if mode not in ("forward", "reverse"):
        raise ModeError(
            what=f"{what} with mode={mode!r}",
            todo='write mode="reverse" or mode="forward"; modes such as Reverse are for gradient and autodiff',
        )
    return mode == "forward"


def _differentiated(
    target: Target,
    forward: bool,
    with_value: bool,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> tuple[Any, Any, Any]:
    """The value, where it is asked for, the derivative of a function that returns a float, and what comes along."""
    args, wanted, given = target.resolved(args, kwargs)
    value, aux = target.auxiliary(args) if target.has_aux else (None, None)
    if forward:
        target.needs_directions(ForwardWithPrimal, given, wanted)
        value, found = _rows(target, ForwardWithPrimal, args, wanted)
        return value, target.chosen(found, wanted, given, leaf=of_type), aux
    with_primal = with_value and not target.has_aux
    mode = ReverseWithPrimal if with_primal else Reverse
    found = gradient(mode, target.scalar(len(args)), *target.annotated(args, wanted))
    if with_primal:
        found, value = found.derivs, found.val
    return value, target.chosen(found if len(args) > 1 else (found,), wanted, given), aux


def _rows(
    target: Target, mode: Any, args: tuple[Any, ...], wanted: tuple[int, ...]
) -> tuple[Any, tuple[Any, ...]]:
    """The value, and the Jacobian with respect to every argument."""
    given = target.annotated(args, wanted)
    found, value = jacobian(mode, target.scalar(len(args)), *given)
    columns = found if len(args) > 1 else (found,)
    if isinstance(value, float | complex | np.inexact):  # it counts as an array of one element
        columns = tuple(None if c is None else without_axis(c) for c in columns)
    return value, columns


def without_axis(block: Any) -> Any:
    """A Jacobian of a number without the axis of its one row."""
    if isinstance(block, tuple):
        parts: list[Any] = [None if part is None else without_axis(part) for part in block]
        return type(block)(*parts) if hasattr(block, "_fields") else tuple(parts)
    return plain(block[0])


# --- in compiled code -----------------------------------------------------------------------------


def _names(request: Request, function: Any) -> dict[str, Any]:
    """What the source refers to. With `has_aux` the first result of a function is differentiated."""
    first = after(function, len(request.names), "[0]", "returns a pair")
    return {
        "Const": Const,
        "gradient": gradient,
        "jacobian": jacobian,
        "only_floats": only_floats,
        "mode": ForwardWithPrimal if request.forward else ReverseWithPrimal,
        "scalar": first if request.has_aux else function,
        "without_row": without_row,
    }


def _gradient_source(function: Any, request: Request, parameters: dict[str, Any]) -> Any:
    """The compiled form of `grad` and `value_and_grad`."""
    lines = [f"$r = $gradient($mode, $scalar, {request.arguments()})"]
    value, derivative = "$r.val", request.chosen("$r.derivs", "$only_floats({})")
    if request.has_aux:
        lines.append(f"$y = $f({', '.join(request.names)})")
        value = "$y"
    if request.what == "value_and_grad":
        result = f"{value}, {derivative}"
    else:
        result = f"{derivative}, $y[1]" if request.has_aux else derivative
    return _compiled(function, request, parameters, [*lines, f"return {result}"])


def _jacobian_source(function: Any, request: Request, parameters: dict[str, Any]) -> Any:
    """The compiled form of `jacfwd` and `jacrev`."""
    lines = [f"$r = $jacobian($mode, $scalar, {request.arguments()})"]
    result = request.chosen("$r.derivs", "$without_row($r.val, {})")
    if request.has_aux:
        result = f"{result}, $f({', '.join(request.names)})[1]"
    return _compiled(function, request, parameters, [*lines, f"return {result}"])


def _compiled(
    function: Any, request: Request, parameters: dict[str, Any], lines: Sequence[str]
) -> Any:
    body, name = "\n        ".join(lines), f"{request.what}_of_{function.__name__}"
    return compiled_form(function, parameters, body, name, **_names(request, function))
