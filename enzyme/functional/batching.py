"""`batch`: a function of one sample as a function of many, for gradients of each."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-any-return"

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from enzyme.api.directions import value_of
from enzyme.api.values import closure, jitted
from enzyme.errors import ActivityError
from enzyme.functional.arguments import Target, made_for, placed
from enzyme.functional.trees import is_container, parts_of, python_of
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
        arguments, or a tuple with one for each. In a container all arrays have the same.

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
    _check(in_axes)

    @placed
    def batch_of(*args: Any, **kwargs: Any) -> Any:
        args, _, _ = target.resolved(args, kwargs)
        axes = _axes_of(in_axes, args, len(target.given))
        count = _count(args, axes)
        first = tuple(_sample(x, axis) for x, axis in zip(args, axes, strict=True))
        shape = _shape(value_of(target.function, first))
        forms = tuple(_form(x, axis) for x, axis in zip(args, axes, strict=True))
        key = ("batch", forms, axes, shape)
        loop = made_for(jitted(target.function, len(args)), key, _loop)
        return python_of(loop(count, *copied(args)))

    name = getattr(target.whole, "__name__", type(target.whole).__name__)
    batch_of.__name__ = batch_of.__qualname__ = f"batch_of_{name}"
    batch_of.__doc__ = f"`batch` of `{name}`.\n\n{getattr(target.whole, '__doc__', None) or ''}"
    return batch_of


def _check(in_axes: Any) -> None:
    axes = in_axes if isinstance(in_axes, tuple | list) else (in_axes,)
    if any(a is not None and (isinstance(a, bool) or not isinstance(a, int)) for a in axes):
        raise ActivityError(
            what=f"in_axes={in_axes!r} of batch",
            todo="give an axis, None, or a tuple of those with an entry for each argument",
        )


def _axes_of(in_axes: Any, args: tuple[Any, ...], before: int) -> tuple[Any, ...]:
    """The axis of each argument."""
    count = len(args) - before
    axes = tuple(in_axes) if isinstance(in_axes, tuple | list) else (in_axes,) * count
    if len(axes) > count:
        raise ActivityError(
            what=f"in_axes has {len(axes)} entries, and there are {count} arguments",
            todo="give an entry for each argument",
        )
    # What has no entry is a default, or stands behind what the caller thought of.
    return (None,) * before + axes + (None,) * (count - len(axes))


def _arrays(x: Any) -> list[Any]:
    return [a for part in parts_of(x) for a in _arrays(part)] if is_container(x) else [x]


def _count(args: Sequence[Any], axes: Sequence[Any]) -> int:
    """How many samples there are."""
    sizes = set()
    for position, (x, axis) in enumerate(zip(args, axes, strict=True)):
        for part in _arrays(x) if axis is not None else ():
            if not isinstance(part, np.ndarray) or not -part.ndim <= axis < part.ndim:
                kind = (
                    f"an array of {part.ndim} axes"
                    if isinstance(part, np.ndarray)
                    else f"a {type(part).__name__}"
                )
                raise ActivityError(
                    what=f"batch along axis {axis} of argument {position}, {kind}",
                    todo="give None in in_axes for what all samples have in common",
                )
            sizes.add(part.shape[axis])
    if len(sizes) != 1 or not min(sizes):
        found = " and ".join(map(str, sorted(sizes)))
        what = f"arguments with {found} samples" if len(sizes) > 1 else "no samples"
        raise ActivityError(
            what=f"batch of {what}", todo="give at least one sample, and equally many everywhere"
        )
    return sizes.pop()


def _sample(x: Any, axis: Any) -> Any:
    """The first sample of an argument."""
    if axis is None:
        return x
    if isinstance(x, tuple):
        members = [_sample(part, axis) for part in x]
        return type(x)(*members) if hasattr(x, "_fields") else tuple(members)
    found = np.moveaxis(x, axis, 0)[0]
    return found if isinstance(found, np.ndarray) else found[()]


def _form(x: Any, axis: Any) -> Any:
    """What a sample is taken from: the number of axes of an array, or a class and the forms of members."""
    if axis is None:
        return None
    if isinstance(x, tuple):
        return type(x), tuple(_form(part, axis) for part in x)
    return x.ndim


def _shape(y: Any) -> Any:
    """What a result consists of."""
    if isinstance(y, tuple):
        return type(y), tuple(map(_shape, y))
    if isinstance(y, np.ndarray):
        return y.dtype, y.ndim
    if y is None:
        return None, -1
    if isinstance(y, bool | int | float | complex | np.generic):
        return np.asarray(y).dtype, -1
    raise ActivityError(
        what=f"batch of a function that returns {type(y).__name__}",
        todo="return numbers, arrays or tuples of those",
    )


def _loop(dispatcher: Any, forms: Any, axes: Any, shape: Any) -> Any:
    """The loop over samples, for arguments of these forms and results of this shape."""
    scope: dict[str, Any] = {"np": np}
    names = [f"x{k}" for k in range(len(forms))]

    def make(cls: Any, parts: Sequence[str]) -> str:
        if hasattr(cls, "_fields"):
            name = f"make{len(scope)}"
            scope[name] = cls
            return f"{name}({', '.join(parts)})"
        return f"({', '.join(parts)},)"

    def sample(name: str, form: Any, axis: int) -> str:
        if isinstance(form, tuple):
            return make(
                form[0], [sample(f"{name}[{k}]", part, axis) for k, part in enumerate(form[1])]
            )
        return f"{name}[{':, ' * (axis % form)}i]"

    def room(place: str, shape: Any) -> str:
        if isinstance(shape[1], tuple):
            return make(shape[0], [room(f"{place}[{k}]", part) for k, part in enumerate(shape[1])])
        if shape[0] is None:
            return "None"
        name = f"kind{len(scope)}"
        scope[name] = shape[0]
        size = f"(n, *{place}.shape)" if shape[1] >= 0 else "n"
        return f"np.empty({size}, {name})"

    def stores(place: str, found: str, shape: Any) -> list[str]:
        if isinstance(shape[1], tuple):
            parts = enumerate(shape[1])
            return [
                line for k, part in parts for line in stores(f"{place}[{k}]", f"{found}[{k}]", part)
            ]
        if shape[0] is None:
            return []
        check = []
        if shape[1] > 0:
            check = [
                f"    if {found}.shape != {place}.shape[1:]:",
                f"        raise ValueError({_OTHER!r})",
            ]
        return [*check, f"    {place}[i] = {found}{'[()]' * (shape[1] == 0)}"]

    given = ", ".join(
        name if axis is None else sample(name, form, axis)
        for name, form, axis in zip(names, forms, axes, strict=True)
    )
    lines = [
        "i = 0",
        f"first = f({given})",
        f"out = {room('first', shape)}",
        "for i in range(n):",
        f"    y = f({given})",
        *stores("out", "y", shape),
        "return out",
    ]
    body = "\n        ".join(lines)
    name = f"batch_of_{dispatcher.__name__}"
    return closure(dispatcher, ", ".join(["n", *names]), body, name, **scope)


_OTHER = "batch of a function whose results have different shapes; return arrays of one shape"
