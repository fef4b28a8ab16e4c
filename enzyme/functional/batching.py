"""`batch`: a function of one sample as a function of many, for gradients of each."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-any-return"

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numba.core import types
from numba.extending import overload
from numba.np.numpy_support import as_dtype

from enzyme.api.trees import is_container, parts_of, python_of
from enzyme.api.values import jitted
from enzyme.compiled.terms import Term, Writer
from enzyme.compiled.zeros import members_of
from enzyme.errors import ActivityError
from enzyme.frontend.target import parameters_written
from enzyme.frontend.visible import can_be_copied
from enzyme.functional.arguments import Target, made_for, placed
from enzyme.functional.derived import REQUIRED, Derived, Request, compiled_form
from enzymecore.copying import copied

__all__ = ["batch"]


@placed
def batch(f: Callable[..., Any], in_axes: Any = 0) -> Callable[..., Any]:
    """A function of one sample as a function of many: a compiled loop over the samples.

    With `grad` it gives the gradient of every sample: ``batch(grad(loss), (None, 0, 0))(w, x, y)``.

    Parameters
    ----------
    f
        A function that numba compiles, or what `grad` and its relatives return. It returns numbers, arrays that have
        the same shape for all samples, or tuples of those.
    in_axes
        The axis along which the samples of an argument stand, None for an argument that all have in common; one for all
        arguments, or a tuple with one for each. In a container all arrays have the same. Each sample has a copy of
        what all have in common where these are arrays, lists or dictionaries of numbers, and tuples of those; other
        containers and objects are passed on, and an `f` that writes to them is refused.

    Returns
    -------
    function
        It takes the arguments of `f` with one axis more, and returns what `f` returns with one axis more, in front.

    Raises
    ------
    ActivityError
        If there are no samples, not equally many in all arguments, or results of different shapes.

    Examples
    --------
    >>> import numpy as np
    >>> from enzyme import batch, grad
    >>> def loss(w, x, y):
    ...     return (w @ x - y) ** 2
    >>> w, x, y = np.array([1.0, 2.0]), np.array([[1.0, 0.0], [1.0, 1.0]]), np.array([2.0, 2.0])
    >>> batch(loss, (None, 0, 0))(w, x, y)
    array([1., 1.])
    >>> batch(grad(loss), (None, 0, 0))(w, x, y)
    array([[-2.,  0.],
           [ 2.,  2.]])
    """
    target = Target(f, 0, "batch")
    in_axes = tuple(in_axes) if isinstance(in_axes, list) else in_axes
    _check(in_axes)

    @placed
    def batch_of(*args: Any, **kwargs: Any) -> Any:
        given = len(args) + len(kwargs)
        # One axis is that of what the caller gives; behind it stand defaults.
        asked = in_axes if isinstance(in_axes, tuple) or kwargs else (in_axes,) * given
        held = target.held(kwargs)
        args, _, _ = target.resolved(args, kwargs)
        axes = _axes_of(asked, len(args) - len(held), len(target.given), given)
        for place in held:
            axes = (*axes[:place], None, *axes[place:])
        _check_samples(args, axes)
        loop = made_for(jitted(target.function, len(args)), ("batch", axes), _loop)
        return python_of(loop(*copied(args)))

    return Derived(target, batch_of, (batch, {"in_axes": in_axes}), _source)


def _source(function: Any, request: Request, parameters: dict[str, Any]) -> Any:
    """The compiled form."""
    given = sum(value is REQUIRED for value in parameters.values())
    axes = _axes_of(request.axes, len(parameters), 0, given)
    return _loop(function, axes, parameters)


def _check(in_axes: Any) -> None:
    axes = in_axes if isinstance(in_axes, tuple) else (in_axes,)
    if any(a is not None and (isinstance(a, bool) or not isinstance(a, int)) for a in axes):
        raise ActivityError(
            what=f"in_axes={in_axes!r} of batch",
            todo="give an axis, None, or a tuple of those with an entry for each argument",
        )


def _axes_of(in_axes: Any, count: int, before: int, given: int) -> tuple[Any, ...]:
    """The axis of each of `count` arguments, of which the caller gives so many behind those `before`."""
    count -= before
    axes: tuple[Any, ...] = in_axes if isinstance(in_axes, tuple) else (in_axes,) * count
    if not given <= len(axes) <= count:
        number = given if len(axes) < given else count
        entries = f"{len(axes)} {'entry' if len(axes) == 1 else 'entries'}"
        arguments = "is 1 argument" if number == 1 else f"are {number} arguments"
        raise ActivityError(
            what=f"in_axes has {entries}, and there {arguments}",
            todo="give an entry for each argument, None for what all samples have in common",
        )
    # What has no entry is a default.
    return (None,) * before + axes + (None,) * (count - len(axes))


def _arrays(x: Any) -> list[Any]:
    return [a for part in parts_of(x) for a in _arrays(part)] if is_container(x) else [x]


def _check_samples(args: Sequence[Any], axes: Sequence[Any]) -> None:
    sizes = set()
    for position, (x, axis) in enumerate(zip(args, axes, strict=True)):
        for part in _arrays(x) if axis is not None else ():
            if not isinstance(part, np.ndarray) or not -part.ndim <= axis < part.ndim:
                count = part.ndim if isinstance(part, np.ndarray) else None
                raise _no_axis(position, axis, count, type(part).__name__)
            sizes.add(part.shape[axis])
    if len(sizes) != 1 or not min(sizes):
        found = " and ".join(map(str, sorted(sizes)))
        what = f"arguments with {found} samples" if len(sizes) > 1 else "no samples"
        raise ActivityError(
            what=f"batch of {what}", todo="give at least one sample, and equally many everywhere"
        )


def _no_axis(position: int, axis: int, axes: int | None, kind: str) -> ActivityError:
    found = f"a {kind}" if axes is None else f"an array of {axes} axes"
    return ActivityError(
        what=f"batch along axis {axis} of argument {position}, {found}",
        todo="give None in in_axes for what all samples have in common",
    )


# --- the loop -------------------------------------------------------------------------------------


def _loop(dispatcher: Any, axes: Any, parameters: dict[str, Any] | None = None) -> Any:
    """The jitted function of many samples."""
    parameters = parameters or {f"x{k}": REQUIRED for k in range(len(axes))}
    body = f"return $looped($f, {axes!r}, {', '.join(parameters)})"
    name = f"batch_of_{dispatcher.__name__}"
    return compiled_form(dispatcher, parameters, body, name, looped=looped)


def looped(f: Any, axes: Any, *args: Any) -> Any:
    """`f` of every sample; compiled code only."""
    raise NotImplementedError


# Part of the caller, as the products are: the address of the function would keep it from files.
@overload(looped, prefer_literal=True, jit_options={"forceinline": True})
def _looped(f, axes, *args):  # type: ignore[no-untyped-def]
    if not all(isinstance(ty, types.NoneType | types.Literal) for ty in axes.types):
        return None
    writer = Writer({"room": room, "store": store})
    taken: list[tuple[str, int]] = []
    given: list[Term] = []
    common = []
    for k, (ty, literal) in enumerate(zip(args, axes.types, strict=True)):
        axis = None if isinstance(literal, types.NoneType) else literal.literal_value
        sample = _sample(writer, Term(ty, f"args[{k}]"), k, axis, taken)
        given.append(writer.copied(sample))  # the function may write to it
        if axis is None and not can_be_copied(ty):
            common.append(k)
    if not taken:
        raise ActivityError(what="batch of no samples", todo="give an axis of an argument")
    if common:
        _check_not_written(f.dispatcher, [x.ty for x in given], common)
    sizes = [f"{x}.shape[{axis}]" for x, axis in taken]
    writer.line(f"n = {sizes[0]}")
    for size in sizes[1:]:
        writer.line(f"if {size} != n:")
        writer.line(f"    raise ValueError({_SIZES!r})")
    writer.line("if n == 0:")
    writer.line("    raise ValueError('batch of no samples')")
    call = f"f({', '.join(x.source for x in given)})"
    writer.line("i = 0")
    writer.line(f"out = room({call}, n)")
    writer.line("for i in range(n):")
    writer.line(f"    store(out, i, {call})")
    return writer.function("looped_of", ["f", "axes", "*args"], "out")


def _check_not_written(f: Any, argtypes: Sequence[types.Type], common: Sequence[int]) -> None:
    """Raise `ActivityError` if a function writes to one of the arguments that all samples have in common."""
    parameters, written = parameters_written(f, argtypes)
    for n in sorted(written):
        k = parameters[n].argument
        if k in common:
            raise ActivityError(
                what=f"the function writes to argument {k} of type {argtypes[k]}, which all samples have in common",
                why="each sample needs one of its own, and copies are made of arrays, lists and dictionaries of"
                " numbers, and of tuples of those",
                todo="let the function copy what it writes to, or call it for each sample",
            )


_SIZES = "batch of arguments with different numbers of samples; give equally many everywhere"
_SHAPES = "batch of a function whose results have different shapes; return arrays of one shape"


def _sample(
    writer: Writer, x: Term, position: int, axis: Any, taken: list[tuple[str, int]]
) -> Term:
    """One sample of an argument; `taken` gets the arrays that have one, with their axes."""
    if axis is None:
        return x
    parts = writer.parts(x)
    if parts is not None:
        return writer.like(x, [_sample(writer, part, position, axis, taken) for part in parts])
    axes = x.ty.ndim if x.is_array else None
    if axes is None or not -axes <= axis < axes:
        raise _no_axis(position, axis, axes, str(x.ty))
    taken.append((x.source, axis % axes))
    ty = x.ty.copy(ndim=axes - 1, layout="A") if axes > 1 else x.ty.dtype
    return Term(ty, f"{x.source}[{':, ' * (axis % axes)}i]")


def room(y: Any, n: int) -> Any:
    """Room for results like one; compiled code only."""
    raise NotImplementedError


@overload(room)
def _room(y, n):  # type: ignore[no-untyped-def]
    writer = Writer({"np": np, "room": room})
    parts = writer.parts(Term(y, "y"))
    if parts is not None:
        found = [f"room({part.source}, n)" for part in parts]
        return writer.function("room_of", ["y", "n"], members_of(y, found, writer.scope))
    if isinstance(y, types.NoneType):
        return lambda y, n: None
    if not isinstance(y, types.Array | types.Number | types.Boolean):
        raise ActivityError(
            what=f"batch of a function that returns a value of type {y}",
            todo="return numbers, arrays or tuples of those",
        )
    kind = writer.constant(as_dtype(y.dtype if isinstance(y, types.Array) else y))
    shape = "(n, *y.shape)" if isinstance(y, types.Array) else "n"
    return writer.function("room_of", ["y", "n"], f"np.empty({shape}, {kind})")


def store(out: Any, i: int, y: Any) -> None:
    """Put the result for a sample in its place; compiled code only."""
    raise NotImplementedError


@overload(store)
def _store(out, i, y):  # type: ignore[no-untyped-def]
    writer = Writer({"store": store})
    parts = writer.parts(Term(y, "y"))
    if parts is not None:
        for k in range(len(parts)):
            writer.line(f"store(out[{k}], i, y[{k}])")
    elif isinstance(y, types.Array) and y.ndim:
        writer.line("if y.shape != out.shape[1:]:")
        writer.line(f"    raise ValueError({_SHAPES!r})")
        writer.line("out[i] = y")
    elif not isinstance(y, types.NoneType):
        writer.line(f"out[i] = y{'[()]' * isinstance(y, types.Array)}")
    return writer.function("store_of", ["out", "i", "y"], "None")
