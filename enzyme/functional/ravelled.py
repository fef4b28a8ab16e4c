"""`ravel`: the numbers of a value in one vector, and back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from enzyme.api.trees import is_container, like, parts_of
from enzyme.errors import ActivityError
from enzyme.functional.arguments import placed
from enzymecore import AnyState, active_register_state

__all__ = ["ravel"]


@placed
def ravel(tree: Any) -> tuple[np.ndarray[Any, Any], Callable[[Any], Any]]:
    """The floats of a value in one vector, in their order, and the function that puts a vector back.

    Parameters
    ----------
    tree
        A float, a real array, or a tuple, list, dictionary or dataclass of those; what has no floats stays aside.

    Returns
    -------
    tuple
        A new vector, of the precision that all numbers have without loss; and a function of a vector of that length,
        which gives a value like `tree`, with arrays of its own and with what has no floats taken from there.

    Raises
    ------
    ActivityError
        For complex numbers, records and typed containers; from the function, for a vector of another length.

    Examples
    --------
    >>> import numpy as np
    >>> from enzyme import ravel
    >>> vector, unravel = ravel({"w": np.array([[1.0, 2.0]]), "b": 3.0, "n": 4})
    >>> vector
    array([1., 2., 3.])
    >>> unravel(2.0 * vector)
    {'w': array([[2., 4.]]), 'b': 6.0, 'n': 4}
    """
    leaves = list(_leaves(tree))
    kinds = [np.asarray(leaf).dtype for leaf in leaves]
    kind = np.result_type(*kinds) if kinds else np.dtype(float)
    parts = [np.ravel(leaf).astype(kind) for leaf in leaves]
    vector = np.concatenate(parts) if parts else np.zeros(0)
    size = vector.size

    @placed
    def unravel(vector: Any) -> Any:
        found = np.asarray(vector)
        if found.shape != (size,):
            raise ActivityError(
                what=f"unravel of an array of shape {found.shape}; there are {size} numbers",
                todo=f"give a vector of length {size}",
            )
        place = 0

        def of(x: Any) -> Any:
            nonlocal place
            if isinstance(x, list):
                return list(map(of, x))
            if is_container(x):
                return like(x, list(map(of, parts_of(x))))
            if active_register_state(x) is AnyState:
                return x
            taken = found[place : place + np.size(x)]
            place += np.size(x)
            if isinstance(x, np.ndarray):
                return taken.reshape(x.shape).astype(x.dtype)
            return type(x)(taken[0])

        return of(tree)

    return vector, unravel


def _leaves(x: Any) -> Iterator[Any]:
    """The floats and the arrays of floats."""
    if isinstance(x, list) or is_container(x):
        for part in x if isinstance(x, list) else parts_of(x):
            yield from _leaves(part)
    elif active_register_state(x) is not AnyState:
        if not isinstance(x, float | np.floating | np.ndarray) or np.asarray(x).dtype.kind != "f":
            kind = f"an array of {x.dtype}" if isinstance(x, np.ndarray) else type(x).__name__
            raise ActivityError(
                what=f"ravel of {kind}",
                why="a vector holds real numbers",
                todo="take floats, real arrays, and tuples, lists, dictionaries and dataclasses of those",
            )
        yield x
