"""`gradient` and `jacobian`: derivatives with respect to whole arguments, made of single derivatives.

Forward mode runs once per direction, reverse mode once per output (a gradient has one).  Directions
and outputs are taken in groups of `chunk`.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from enzyme.api.assembled import VALUES
from enzyme.api.directions import forward_derivatives, value_of
from enzyme.api.jacobians import rows_of
from enzyme.api.known_gradients import known_gradient, remember
from enzyme.api.members import Members
from enzyme.api.mixed import ref_to
from enzyme.api.overlaps import share
from enzyme.api.places import call_site, place
from enzyme.api.runtime import patient_autodiff
from enzyme.api.separate import autodiff_of_values, own_elements, zeros
from enzyme.api.trees import natives, python_of, restored, value_in
from enzyme.contract.derivatives import (
    WithValue,
    annotation_of,
    check_constant,
    floats_for,
    is_constant,
    is_forward,
    no_gradient,
    numbers_behind,
    with_inactive,
    wrong_chunk,
)
from enzyme.errors import (
    ActivityError,
    ShadowLayoutError,
)
from enzymecore import (
    Active,
    Annotation,
    Const,
    Duplicated,
    MixedDuplicated,
    Mode,
    NoPrimal,
    WithPrimal,
    active_register_state,
    make_zero_inplace,
    named_shadows,
)
from enzymecore.activity_state import holds_floats
from enzymecore.parameters import Function
from enzymecore.structure import arrays_in, is_float_buffer
from enzymecore.zeros import buffer_without_shadow

__all__ = ["WithValue", "gradient", "gradient_inplace", "jacobian"]


def gradient(
    mode: Mode,
    f: Function,
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
        Its arguments, also dictionaries with texts as keys, dataclasses and lists of what numba takes; ``Const(y)`` for
        one that is not to be differentiated. An int that `f` cannot take is the chunk.
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
        order; for an array with fields an array like it; for a float the derivative; for more arguments
        one array of derivatives each. A mode that returns the primal gives ``(derivs, val)``.

    Raises
    ------
    EnzymeNonScalarReturnException
        In reverse mode, if `f` returns no float.
    BatchSizeError
        If the chunk is not positive.
    EnzymeError
        As `autodiff`.

    Notes
    -----
    Arguments are values: `x` is as it was afterwards, whatever `f` writes to it, and each element of an array has a
    derivative of its own, also where several are in one place (`np.broadcast_to`). Forward mode runs `f` several
    times, with copies of constants too.

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
    >>> gradient(Reverse, lambda p: p["a"] * p["b"][0], {"a": 2.0, "b": np.array([3.0])})
    {'a': 3.0, 'b': array([2.])}
    """
    try:
        if chunk is shadow is shadows is None:
            call = known_gradient(mode, f, (x, *more))
            if call is not None:
                found = call(x, *more)
                if found is not None:
                    return WithValue(found[1], found[0]) if mode.return_primal else found
        more, numbers = _split(f, more, 1)
        chunk = _positive(numbers[0] if numbers else chunk)
        directions = shadow if shadow is not None else shadows
        args = (x, *more)
        _check_constants(args)
        if directions is None and (found := natives(args)) is not args:
            return _laid_out(gradient(mode, f, *found, chunk=chunk), mode, args)
        if is_forward(mode, "gradient"):
            return forward_derivatives(mode, f, args, chunk, directions, flat=True)
        return _reverse(mode, f, args, again=True)
    except Exception as error:
        place(error, call_site())
        raise


def gradient_inplace(mode: Mode, dx: Any, f: Function, x: Any) -> Any:
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
        is_forward(mode, "gradient_inplace", False)
        places = [a for _, a in arrays_in(dx) if holds_floats(a.dtype)]
        if any(share(a, b) for a in places for _, b in arrays_in(x)):
            raise ShadowLayoutError(
                what="the gradient is to be written over the argument",
                why="the values there are still needed",
                todo="make dx with make_zero(x)",
            )
        if own_elements(dx) is not dx:
            raise ShadowLayoutError(
                what="the gradient is to be written to an array of which several elements are in one place",
                why="each element of the argument has a derivative of its own",
                todo="make dx with np.zeros(x.shape)",
            )
        make_zero_inplace(dx)
        members = Members(dx, "dx")
        found = _of_float(mode, f, [Duplicated(own_elements(x), dx)])
        members.restored(dx)
        return WithValue(dx, found[1]) if mode.return_primal else dx
    except Exception as error:
        place(error, call_site())
        raise


def jacobian(
    mode: Mode,
    f: Function,
    x: Any,
    *more: Any,
    n_outs: Any = None,
    chunk: int | None = None,
    shadow: Any = None,
    shadows: Any = None,
) -> Any:
    """The matrix of derivatives of an array-valued function.

    Parameters
    ----------
    mode
        A forward or a combined reverse mode.
    f
        The function. It returns an array, a float, which counts as one output, or a tuple of them.
    x, *more
        Its arguments, also dictionaries with texts as keys, dataclasses and lists of what numba takes; ``Const(y)`` for
        one that is not to be differentiated. Ints that `f` cannot take are the chunk in forward mode, `n_outs` and
        the chunk in reverse mode.
    n_outs
        Reverse mode: the number of outputs or their shape; found by a call of `f` if left out.
    chunk
        How many directions, or outputs, are taken together; by default up to eight.
    shadow, shadows
        Forward mode with one argument: the directions, as of `onehot`.

    Returns
    -------
    numpy.ndarray or tuple
        A block for each part of the result and each part of the arguments, of shape ``out.shape + x.shape``: the
        derivative of element `i` of `out` with respect to element `j` of `x` stands at ``[i, j]``. Numbers have no
        axes, but a number that `f` returns alone counts as an array of one element.

        Outside stand the arguments, then what `f` returns, then what an argument consists of:

        * one argument `x`: the Jacobian with respect to it; several: a tuple of those, with None for ``Const`` and for
          what holds no floats.
        * `f` returns a tuple: with respect to each argument a tuple with an entry for each output, of its class.
        * an argument is a tuple: in place of each block a tuple with a block for each part, of its class.

        So ``jacobian(mode, f, x, y)[1][0]`` is that of the first output with respect to `y`. An array of records has
        records in its blocks, with a derivative in place of every float. With a mode that returns the primal
        ``(derivs, val)``.

    Raises
    ------
    BatchSizeError
        If the chunk is not positive.
    IndexError
        If `f` returns more or fewer elements than `n_outs`.
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
    >>> jacobian(Reverse, lambda x, t: t * x, np.array([2.0, 3.0]), 5.0)
    (array([[5., 0.],
           [0., 5.]]), array([2., 3.]))

    Two outputs and two arguments: outside the arguments, inside the outputs.

    >>> two = lambda x, t: (t * x, t * t)
    >>> of_x, of_t = jacobian(Reverse, two, np.array([2.0, 3.0]), 5.0)
    >>> of_x
    (array([[5., 0.],
           [0., 5.]]), array([0., 0.]))
    >>> of_t
    (array([2., 3.]), 10.0)
    >>> jacobian(Forward, two, np.array([2.0, 3.0]), 5.0)[1][1]
    10.0
    """
    try:
        directions = shadow if shadow is not None else shadows
        forward = is_forward(mode, "jacobian")
        more, given = _split(f, more, 1 if forward else 2)
        args = (x, *more)
        _check_constants(args)
        if directions is None and (found := natives(args)) is not args:
            full = jacobian(WithPrimal(mode), f, *found, *given, n_outs=n_outs, chunk=chunk)
            laid_out = _laid_out(full, WithPrimal(mode), args, full.val)
            return laid_out if mode.return_primal else laid_out.derivs
        if forward:
            chunk = _positive(given[0] if given else chunk)
            return forward_derivatives(mode, f, args, chunk, directions, flat=False)
        n_outs = given[0] if given else n_outs
        chunk = _positive(given[1] if len(given) > 1 else chunk)
        return _rows(mode, f, args, n_outs, chunk)
    except Exception as error:
        place(error, call_site())
        raise


def _rows(mode: Any, f: Any, args: tuple[Any, ...], n_outs: Any, chunk: int | None) -> Any:
    if all(is_constant(VALUES, x) for x in args):
        derivs: Any = (None,) * len(args)
        value = value_of(f, args) if mode.return_primal else None
    else:
        plain = NoPrimal(mode)

        def gradient_of(given: tuple[Any, ...], function: Any = f) -> tuple[Any, ...]:
            found = _reverse(plain, function, given)
            return found if len(given) > 1 else (found,)

        derivs, value = rows_of(mode, f, args, n_outs, chunk, gradient_of)
    derivs = derivs if len(args) > 1 else derivs[0]
    return WithValue(derivs, value) if mode.return_primal else derivs


# --- arguments ------------------------------------------------------------------------------------


def _split(f: Any, more: tuple[Any, ...], most: int) -> tuple[tuple[Any, ...], tuple[int, ...]]:
    """The arguments of `f` behind the first, and the numbers behind those."""
    count = len(more) - numbers_behind(f, [type(x) is int for x in more], most)
    return more[:count], more[count:]


def _laid_out(result: Any, mode: Any, args: Sequence[Any], value: Any = None) -> Any:
    """Derivatives of what stands for dictionaries, dataclasses and lists, laid out like those; Jacobians like `value`
    outside."""
    derivs = result.derivs if mode.return_primal else result

    def of(x: Any, block: Any) -> Any:
        return python_of(restored(value, block, lambda _, part: restored(value_in(x), part)))

    found = list(map(of, args, derivs if len(args) > 1 else (derivs,)))
    laid_out = tuple(found) if len(args) > 1 else found[0]
    return WithValue(laid_out, result.val) if mode.return_primal else laid_out


def _positive(chunk: int | None) -> int | None:
    if chunk is not None and (isinstance(chunk, bool) or not isinstance(chunk, int) or chunk < 1):
        raise wrong_chunk(repr(chunk))
    return chunk


def _check_constants(args: Sequence[Any]) -> None:
    for x in args:
        if isinstance(x, Annotation):
            check_constant(type(x))
        elif is_float_buffer(x):
            raise buffer_without_shadow("a derivative with respect to", x)


def _annotated(x: Any) -> Annotation:
    """The annotation with which the derivative with respect to `x` is taken in reverse mode."""
    if isinstance(x, Annotation):
        return x
    cls = annotation_of(active_register_state(x))
    if cls in (Const, Active):
        return cls(x)
    zero = zeros(x)
    return cls(x, ref_to(zero) if cls is MixedDuplicated else zero)


# --- reverse mode ---------------------------------------------------------------------------------


def _of_float(mode: Any, f: Any, annotated: Sequence[Annotation]) -> tuple[Any, ...]:
    """`autodiff` with an active result; another kind of result is an error of its own."""
    try:
        return patient_autodiff(autodiff_of_values, mode, f, Active, *annotated)
    except ActivityError as error:
        if error.restype is None:
            raise
        raise no_gradient(error.restype, _floats_for(annotated)) from None


def _floats_for(annotated: Sequence[Annotation]) -> list[str]:
    """What to pass in place of integers."""
    return [found for arg in annotated if isinstance(arg, Const) and (found := floats_for(arg.val))]


def _reverse(mode: Any, f: Any, args: tuple[Any, ...], again: bool = False) -> Any:
    """The gradient; with `again`, the next one of such arguments may take a short way."""
    annotated = [_annotated(own_elements(x)) for x in args]
    before = [Members(_shadow(x), f"argument {k}") for k, x in enumerate(annotated)]
    adjoints, *primal = _of_float(mode, f, annotated)
    found = []
    for x, members, adjoint in zip(annotated, before, adjoints, strict=True):
        shadow = _shadow(x)
        found.append(adjoint if shadow is None else members.restored(shadow))
    derivs = tuple(map(_of_value, args, found))
    if again:
        remember(mode, f, args, annotated)
    result = derivs if len(args) > 1 else derivs[0]
    return WithValue(result, *primal) if mode.return_primal else result


def _of_value(x: Any, derivative: Any) -> Any:
    if isinstance(x, tuple) and derivative is not None:
        return with_inactive(VALUES, x, derivative)
    return derivative


def _shadow(annotated: Annotation) -> Any:
    """The shadow of an argument, out of its Ref; None if it has none."""
    return next((shadow for _, shadow in named_shadows(annotated)), None)
