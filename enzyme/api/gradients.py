"""`gradient` and `jacobian`: derivatives with respect to whole arguments, made of single derivatives.

Forward mode runs once per direction, reverse mode once per output (a gradient has one).  Directions
and outputs are taken in groups of `chunk`.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from enzyme.api.combined import autodiff
from enzyme.api.directions import (
    WithValue,
    again,
    forward_derivatives,
    row_calls,
    value_of,
    width_of_group,
)
from enzyme.api.holomorphic import derivative as holomorphic
from enzyme.api.mixed import ref_to
from enzyme.api.places import call_site, place
from enzyme.errors import (
    ActivityError,
    BatchSizeError,
    EnzymeError,
    EnzymeNonScalarReturnException,
    ModeError,
)
from enzymecore import (
    Active,
    ActiveState,
    Annotation,
    AnyState,
    Const,
    Duplicated,
    DupState,
    ForwardMode,
    MixedDuplicated,
    ReverseMode,
    active_register_state,
    make_zero,
    make_zero_inplace,
    named_shadows,
)

__all__ = ["WithValue", "gradient", "gradient_inplace", "jacobian"]


def gradient(
    mode: Any,
    f: Any,
    x: Any,
    *more: Any,
    chunk: int | None = None,
    shadow: Any = None,
    shadows: Any = None,
) -> Any:
    """The derivative of a function with respect to all of its arguments.

    Parameters
    ----------
    mode
        A forward or a combined reverse mode.
    f
        The function. In reverse mode it returns a float.
    x, *more
        Its arguments; ``Const(y)`` for one that is not to be differentiated. A plain int behind `x`
        is the chunk; write ``Const(2)`` to pass an int to `f`.
    chunk
        Forward mode: how many directions are taken together; by default up to eight.
    shadow, shadows
        Forward mode with one argument: the directions, as of `onehot` or `chunkedonehot`.

    Returns
    -------
    Any
        Reverse mode: for one argument its derivative, of its own type, with inactive parts as they
        are in `x`; for more a tuple, with None for ``Const`` and for what holds no floats.
        Forward mode: for one array the derivatives along its unit directions, as a flat tuple in C
        order; for a float the derivative; for more arguments one array of derivatives each. A mode
        that returns the primal gives ``(derivs, val)``.

    Raises
    ------
    EnzymeNonScalarReturnException
        In reverse mode, if `f` returns no float.
    BatchSizeError
        If the chunk is not positive.
    EnzymeError
        As `autodiff`.

    Examples
    --------
    >>> import numpy as np
    >>> from enzyme import Const, Forward, Reverse, ReverseWithPrimal, gradient
    >>> f = lambda x: x[0] * x[1]
    >>> gradient(Reverse, f, np.array([2.0, 3.0]))
    array([3., 2.])
    >>> gradient(Forward, f, np.array([2.0, 3.0]))
    (3.0, 2.0)
    >>> gradient(ReverseWithPrimal, f, np.array([2.0, 3.0]))
    WithValue(derivs=array([3., 2.]), val=6.0)
    >>> gradient(Reverse, lambda x, y: x[0] * y[0], np.array([2.0]), Const(np.array([3.0])))
    (array([3.]), None)
    """
    try:
        more, numbers = _without_numbers(more, 1)
        chunk = _positive(numbers[0] if numbers else chunk)
        directions = shadow if shadow is not None else shadows
        args = (x, *more)
        if isinstance(mode, ForwardMode):
            return forward_derivatives(mode, f, args, chunk, directions, flat=True)
        _need_combined(mode, "gradient")
        return _reverse(mode, f, args)
    except EnzymeError as error:
        place(error, call_site())
        raise


def gradient_inplace(mode: Any, dx: Any, f: Any, x: Any) -> Any:
    """The gradient of a function of one argument, in memory of the caller.

    Parameters
    ----------
    mode
        A combined reverse mode.
    dx
        Where the gradient goes; like `x`, mutable. Its former content is discarded.
    f, x
        As for `gradient`.

    Returns
    -------
    Any
        `dx`, or ``(dx, val)`` where the mode returns the primal.

    Raises
    ------
    EnzymeError
        As `gradient`.

    Examples
    --------
    >>> import numpy as np
    >>> from enzyme import Reverse, gradient_inplace
    >>> dx = np.array([7.0, 7.0])
    >>> gradient_inplace(Reverse, dx, lambda x: x[0] * x[1], np.array([2.0, 3.0])) is dx
    True
    >>> dx
    array([3., 2.])
    """
    try:
        _need_combined(mode, "gradient_inplace")
        make_zero_inplace(dx)
        found = _of_float(mode, f, [Duplicated(x, dx)])
        return WithValue(dx, found[1]) if mode.return_primal else dx
    except EnzymeError as error:
        place(error, call_site())
        raise


def jacobian(
    mode: Any,
    f: Any,
    x: Any,
    *numbers: Any,
    n_outs: Any = None,
    chunk: int | None = None,
    shadow: Any = None,
    shadows: Any = None,
) -> Any:
    """The matrix of derivatives of an array-valued function of one array or float.

    Parameters
    ----------
    mode
        A forward or a combined reverse mode.
    f, x
        The function and its argument.
    *numbers
        Forward mode: the chunk. Reverse mode: `n_outs`, then the chunk.
    n_outs
        Reverse mode: the number of outputs or their shape; found by a call of `f` if left out.
    chunk
        How many directions, or outputs, are taken together; by default up to eight.
    shadow, shadows
        Forward mode: the directions, as of `onehot`.

    Returns
    -------
    numpy.ndarray
        Of shape ``out.shape + x.shape``; a float result counts as one output. With a mode that
        returns the primal ``(derivs, val)``. Of an empty array, forward mode gives ``()``.

    Raises
    ------
    BatchSizeError
        If the chunk is not positive.
    IndexError
        If `f` returns fewer elements than `n_outs`.
    EnzymeError
        As `autodiff`.

    Examples
    --------
    >>> import numpy as np
    >>> from enzyme import Forward, Reverse, jacobian
    >>> f = lambda x: np.array([x[0] * x[1], x[1]])
    >>> jacobian(Forward, f, np.array([2.0, 3.0]))
    array([[3., 2.],
           [0., 1.]])
    >>> jacobian(Reverse, f, np.array([2.0, 3.0]), n_outs=2)
    array([[3., 2.],
           [0., 1.]])
    """
    try:
        directions = shadow if shadow is not None else shadows
        forward = isinstance(mode, ForwardMode)
        _, given = _without_numbers(numbers, 1 if forward else 2, only=True)
        if forward:
            chunk = _positive(given[0] if given else chunk)
            return forward_derivatives(mode, f, (x,), chunk, directions, flat=False)
        _need_combined(mode, "jacobian")
        n_outs = given[0] if given else n_outs
        chunk = _positive(given[1] if len(given) > 1 else chunk)
        return _rows(mode, f, x, n_outs, chunk)
    except EnzymeError as error:
        place(error, call_site())
        raise


# --- arguments ------------------------------------------------------------------------------------


def _without_numbers(
    given: tuple[Any, ...], most: int, only: bool = False
) -> tuple[tuple[Any, ...], list[int]]:
    """The arguments of `f` among extra positional arguments, and the plain ints."""
    numbers = [g for g in given if type(g) is int]
    rest = tuple(g for g in given if type(g) is not int)
    if len(numbers) > most or (only and rest):
        raise ActivityError(
            what=f"too many arguments behind x: {given!r:.80}",
            why="a plain int there is n_outs or the chunk, not an argument of the function",
            todo="write Const(2) to pass an int to the function; use the keywords for the rest",
        )
    return rest, numbers


def _positive(chunk: int | None) -> int | None:
    if chunk is not None and (isinstance(chunk, bool) or not isinstance(chunk, int) or chunk < 1):
        raise BatchSizeError(
            what=f"the chunk must be a positive int, not {chunk!r}",
            todo="leave it out: as many directions go together as are fast",
        )
    return chunk


def _need_combined(mode: Any, name: str) -> None:
    if name == "jacobian" and getattr(mode, "runtime_activity", False):
        raise ModeError(
            what="jacobian cannot have runtime activity in reverse mode",
            todo="use a forward mode, or gradient of each output",
        )
    if not isinstance(mode, ReverseMode):
        raise ModeError(
            what=f"{name} takes a forward or a combined reverse mode, not {mode!r:.60}"
            if name != "gradient_inplace"
            else f"{name} takes a combined reverse mode, not {mode!r:.60}",
            todo="use Reverse or ReverseWithPrimal",
        )


def _annotated(x: Any) -> Annotation:
    """The annotation with which the derivative with respect to `x` is taken in reverse mode."""
    if isinstance(x, Annotation):
        if isinstance(x, Const):
            return x
        raise ActivityError(
            what=f"an argument is annotated {type(x).__name__}",
            why="gradient and jacobian make the shadows themselves",
            todo="pass the plain value, or Const(x)",
        )
    state = active_register_state(x)
    if state is AnyState:
        return Const(x)
    if state is ActiveState:
        return Active(x)
    if state is DupState:
        return Duplicated(x, make_zero(x))
    return MixedDuplicated(x, ref_to(make_zero(x)))


# --- reverse mode ---------------------------------------------------------------------------------


def _of_float(mode: Any, f: Any, annotated: Sequence[Annotation]) -> tuple[Any, ...]:
    """`autodiff` with an active result; another kind of result is an error of its own."""
    try:
        return autodiff(mode, f, Active, *annotated)
    except ActivityError as error:
        if error.restype is None:
            raise
        raise EnzymeNonScalarReturnException(
            what=f"the gradient of a function that returns {error.restype}",
            why="a gradient is the derivative of one real number",
            todo="use jacobian, or return one number",
        ) from None


def _reverse(mode: Any, f: Any, args: tuple[Any, ...]) -> Any:
    annotated = [_annotated(x) for x in args]
    adjoints, *primal = _of_float(mode, f, annotated)
    found = tuple(
        d if shadow is None else shadow for shadow, d in zip(map(_shadow, annotated), adjoints)
    )
    derivs = tuple(map(_with_inactive, args, found)) if len(args) > 1 else None
    result = derivs if derivs is not None else _with_inactive(args[0], found[0])
    return WithValue(result, *primal) if mode.return_primal else result


def _shadow(annotated: Annotation) -> Any:
    """The shadow of an argument, out of its Ref; None if it has none."""
    return next((shadow for _, shadow in named_shadows(annotated)), None)


def _with_inactive(x: Any, derivative: Any) -> Any:
    """The derivative with what is inactive in `x` taken from there: an adjoint has zeros in place."""
    if isinstance(x, Const) or derivative is None:
        return None
    if isinstance(x, tuple):
        parts = [
            part if active_register_state(part) is AnyState else _with_inactive(part, d)
            for part, d in zip(x, derivative, strict=True)
        ]
        return x._make(parts) if hasattr(x, "_make") else tuple(parts)
    return derivative


def _rows(mode: Any, f: Any, x: Any, n_outs: Any, chunk: int | None) -> Any:
    """A reverse pass for every few outputs, each behind an augmented primal of its own."""
    if isinstance(x, Const) or active_register_state(x) is AnyState:
        return WithValue(None, value_of(f, (x,))) if mode.return_primal else None
    original = again(x)
    value = value_of(f, (original,))
    if not isinstance(value, np.ndarray):
        found = _reverse(mode, f, (again(original),))
        derivs = found.derivs if mode.return_primal else found
        row = np.asarray(derivs)[np.newaxis]
        return WithValue(row, found.val) if mode.return_primal else row
    shape = value.shape if n_outs is None else np.empty(n_outs, bool).shape
    count = int(np.prod(shape, dtype=int))
    if count > value.size:
        raise IndexError(f"the function returns {value.size} elements, fewer than n_outs={n_outs}")
    is_complex = value.dtype.kind == "c"
    if is_complex and not mode.holomorphic:
        raise ActivityError(
            what=f"the Jacobian of a function that returns {value.dtype} is ambiguous",
            why="a complex result has two gradients, of its real and of its imaginary part",
            todo=("use ReverseHolomorphic for a holomorphic function", "or return real numbers"),
        )
    width = width_of_group(chunk, count)
    row_of = row_calls(mode, f, again(original), width)
    rows: list[Any] = []
    for start in range(0, count, width):
        outputs = range(start, min(start + width, count))
        found = row_of(again(original), outputs, 1.0)
        if is_complex:
            found = list(map(holomorphic, found, row_of(again(original), outputs, 1j)))
        rows += found
    kind = getattr(original, "dtype", None)
    derivs = np.array(rows, kind if not rows else None).reshape(shape + np.shape(x))
    return WithValue(derivs, value) if mode.return_primal else derivs
