"""The vector that SciPy has, and the arguments that a function takes."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from enzyme.api.directions import value_of
from enzyme.api.trees import is_container, native, parts_of
from enzyme.errors import ActivityError
from enzyme.functional import ravel


class Keywords(dict):  # type: ignore[type-arg]
    """Keyword arguments for a function of SciPy, also as attributes; `unravel` makes what `f` takes of a vector."""

    unravel: Any = staticmethod(lambda x: x)
    made_by: Any = None

    def __reduce__(self) -> Any:
        function, args, kwargs = self.made_by
        return _made_again, (function, args, kwargs)

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(
                f"there is no {name!r} among the keywords {', '.join(map(repr, self))}"
            ) from None


def _made_again(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return function(*args, **kwargs)


def pickled(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, whose keywords are pickled by what they were made of."""

    @functools.wraps(function)
    def make(*args: Any, **kwargs: Any) -> Any:
        made = function(*args, **kwargs)
        made.made_by = make, args, kwargs
        return made

    return make


class Parameters:
    """Where the numbers of the vector stand among the arguments of a function.

    `x0`, a value like what is looked for, is needed where that is no vector: a number, a matrix, a tuple, a dictionary,
    with several `argnums` a tuple with an entry for each.
    """

    def __init__(self, what: str, argnums: Any, args: Sequence[Any], x0: Any) -> None:
        self.argnums = argnums
        self.args = tuple(args) if isinstance(args, tuple | list) else (args,)
        self.alone = not isinstance(argnums, tuple | list)
        asked = (argnums,) if self.alone else tuple(argnums)
        count = len(self.args) + len(asked)
        self.places: tuple[int, ...] = tuple(
            k + count if type(k) is int and -count <= k < 0 else k for k in asked
        )
        self.argnums = self.places[0] if self.alone else self.places
        if any(
            isinstance(k, bool) or not isinstance(k, int) or not 0 <= k < count for k in self.places
        ) or len(set(self.places)) != len(self.places):
            raise ActivityError(
                what=f"argnums={argnums!r} of {what}, and {len(self.args)} other arguments",
                todo="give the place of the parameter among all arguments, or a tuple of places",
            )
        self.is_vector = self.alone and (x0 is None or _is_vector(x0))
        if not self.alone and (not isinstance(x0, tuple | list) or len(x0) != len(self.places)):
            raise ActivityError(
                what=f"{what} of several arguments without a value for each",
                todo="give x0, a tuple of values like those that are looked for",
            )
        self.start: Any = x0
        self._unravel: Any = None
        if not self.is_vector:
            self.start, self._unravel = ravel(x0 if self.alone else tuple(x0))

    def keywords(self, **entries: Any) -> Keywords:
        """Keywords of these entries, and of `x0` as a vector if it was given."""
        made = Keywords(entries)
        made.unravel = self.unravel
        if self.start is not None:
            made["x0"] = self.start
        return made

    def unravel(self, x: Any) -> Any:
        """What the function takes in place of a vector."""
        return x if self._unravel is None else self._unravel(x)

    def arguments(self, x: Any, more: tuple[Any, ...] = ()) -> tuple[Any, ...]:
        """All arguments of the function."""
        value = self.unravel(x)
        given = list(self.args)
        for place, one in sorted(zip(self.places, (value,) if self.alone else value, strict=True)):
            given.insert(place, one)
        return (*given, *more)

    def value(self, f: Any, x: Any, more: tuple[Any, ...] = ()) -> Any:
        """What the function returns."""
        given = enumerate(self.arguments(x, more))
        return value_of(f, [native(one, k in self.places) for k, one in given])

    def flat(self, derivative: Any) -> Any:
        """A gradient as a vector."""
        return derivative if self.is_vector else ravel(derivative)[0]

    def columns(self, block: Any, size: int) -> Any:
        """A Jacobian by `size` numbers, laid out like the parameters, as a matrix."""
        leaves = _leaves(block)
        rows = sum(map(np.size, leaves)) // size
        if not rows:
            return np.zeros((0, size))
        parts = [np.reshape(leaf, (rows, -1)) for leaf in leaves]
        return parts[0] if len(parts) == 1 else np.hstack(parts)

    def square(self, second: Any, x: Any) -> Any:
        """Second derivatives, laid out like the parameters in both directions, as a matrix."""
        return (
            second if self.is_vector else np.vstack(self._rows(second, self.unravel(x), np.size(x)))
        )

    def _rows(self, second: Any, value: Any, size: int) -> list[Any]:
        if second is None:
            return []
        if is_container(value):
            pairs = zip(parts_of(second), parts_of(value), strict=True)
            return [row for part, inner in pairs for row in self._rows(part, inner, size)]
        return [self.columns(second, size)]


def _is_vector(x: Any) -> bool:
    return isinstance(x, np.ndarray) and x.ndim == 1 and x.dtype == np.float64


def _leaves(block: Any) -> list[Any]:
    if block is None:
        return []
    if is_container(block):
        return [leaf for part in parts_of(block) for leaf in _leaves(part)]
    return [block]
