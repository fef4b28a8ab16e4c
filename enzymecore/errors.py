"""The base class of every error, and the errors that annotations and modes raise themselves.

A message is built from four parts: where (the user's line), what happened, why, and what to do
next. The parts stay on the error as attributes, so that tools can use them without reading text.
The errors of the compiler are in `enzyme.errors`, which also re-exports the classes of this file.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol, runtime_checkable

__all__ = [
    "ActivityError",
    "BatchSizeError",
    "EnzymeError",
    "ImmutableZeroError",
    "Location",
    "ModeError",
    "ShadowLayoutError",
    "ShadowTypeError",
]


@runtime_checkable
class Location(Protocol):
    """A place in the user's program: anything that can show itself as text."""

    def excerpt(self) -> str:
        """Return ``file:line`` and, where it can be read, the source line."""
        ...


class EnzymeError(Exception):
    """Base class of all errors of this project.

    Parameters
    ----------
    message
        A plain message; the same as `what`.
    where
        Location of the user's line, or a ready text.
    what
        What happened, in one sentence.
    why
        The reason, as far as it is known.
    todo
        What the user can do about it; one string per possibility.
    ir
        Intermediate code to keep for `show_ir`; never part of the message.
    **details
        Further data, kept as attributes of the error.

    Examples
    --------
    >>> error = EnzymeError(
    ...     where="model.py:41",
    ...     what="call of 'zeta' has no derivative",
    ...     why="its argument is active",
    ...     todo=("define a rule", "declare it inactive"),
    ... )
    >>> print(error)
    model.py:41
    call of 'zeta' has no derivative
      why: its argument is active
      what to do:
        - define a rule
        - declare it inactive
    >>> str(EnzymeError("something is wrong"))
    'something is wrong'
    """

    where: Location | str | None
    what: str
    why: str
    todo: tuple[str, ...]
    ir: str | None

    def __init__(
        self,
        message: str = "",
        *,
        where: Location | str | None = None,
        what: str = "",
        why: str = "",
        todo: Iterable[str] | str = (),
        ir: str | None = None,
        **details: Any,
    ) -> None:
        self.where = where
        self.what = what or message
        self.why = why
        self.todo = (todo,) if isinstance(todo, str) else tuple(todo)
        self.ir = ir
        for name, value in details.items():
            setattr(self, name, value)
        super().__init__(self.render())

    def render(self) -> str:
        """Return the message: where, what, why and the list of what to do."""
        lines: list[str] = []
        if self.where is not None:
            place = self.where
            lines.append(place.excerpt() if isinstance(place, Location) else str(place))
        if self.what:
            lines.append(self.what)
        if self.why:
            lines.append(f"  why: {self.why}")
        if len(self.todo) == 1:
            lines.append(f"  what to do: {self.todo[0]}")
        elif self.todo:
            lines.append("  what to do:")
            lines.extend(f"    - {item}" for item in self.todo)
        return "\n".join(lines)

    def __str__(self) -> str:
        # Not the builtin's own text: some builtins (KeyError) quote their argument.
        return str(self.args[0]) if self.args else ""

    def show_ir(self) -> str | None:
        """Return the intermediate code that belongs to the error, or None where none was kept.

        Examples
        --------
        >>> EnzymeError("no type", ir="define double @f()").show_ir()
        'define double @f()'
        """
        return self.ir

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (type(self), self.args, self.__dict__)


def _restore(cls: type[EnzymeError], args: tuple[Any, ...], state: dict[str, Any]) -> EnzymeError:
    """Make an unpickled error without rendering it again: the source may not be there any more."""
    error = cls.__new__(cls)
    error.args = args
    error.__dict__.update(state)
    return error


class ActivityError(EnzymeError, TypeError):
    """An annotation is used where its activity makes no sense, as ``Active`` of an array.

    Attributes
    ----------
    restype
        The type of a result that has no default seed, else None.

    Examples
    --------
    >>> issubclass(ActivityError, TypeError)
    True
    """

    restype: Any = None


class BatchSizeError(EnzymeError, ValueError):
    """Numbers of shadows that are zero or differ from each other.

    Examples
    --------
    >>> issubclass(BatchSizeError, ValueError)
    True
    """


class ModeError(EnzymeError, TypeError):
    """A mode, an ABI or one of their settings is not of the kind that is needed here.

    Examples
    --------
    >>> issubclass(ModeError, TypeError)
    True
    """


class ShadowTypeError(EnzymeError, TypeError):
    """A shadow is not of the type of its primal.

    Attributes
    ----------
    path
        Where the first difference lies, as ``[1].weights``; empty for the value itself.

    Examples
    --------
    >>> from enzymecore import Duplicated
    >>> try:
    ...     Duplicated((1.0, 2.0), (1.0, 2))
    ... except ShadowTypeError as error:
    ...     print(error.path)
    [1]
    """

    path: str = ""


class ShadowLayoutError(EnzymeError, ValueError):
    """A shadow is of the primal's type but differs in shape, strides, length or keys.

    Attributes
    ----------
    path
        Where the first difference lies, as ``[1].weights``; empty for the value itself.

    Examples
    --------
    >>> import numpy as np
    >>> from enzymecore import Duplicated
    >>> try:
    ...     Duplicated([np.zeros(3)], [np.zeros(2)])
    ... except ShadowLayoutError as error:
    ...     print(error.path)
    [0]
    """

    path: str = ""


class ImmutableZeroError(EnzymeError, ValueError):
    """A value is to be zeroed in place but has differentiable data in an immutable position.

    Attributes
    ----------
    path
        Where the immutable data lies.

    Examples
    --------
    >>> from enzymecore import make_zero_inplace
    >>> try:
    ...     make_zero_inplace((1.0, [1.0]))
    ... except ImmutableZeroError as error:
    ...     print(error.path)
    [0]
    """

    path: str = ""
