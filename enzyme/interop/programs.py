"""The programs of a function, for hosts that see what it returns when it has run."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-any-return"

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from enzyme.api.trees import is_container, parts_of
from enzyme.api.values import jitted
from enzyme.interop.arguments import Arguments
from enzyme.interop.derivable import Derivable
from enzyme.interop.typed import joined

Test = Callable[[Any], bool]


@dataclass
class Leaves(Arguments):
    """Arguments in which everything but trees with tensors in them is an input of its own."""

    is_tensor: Test = bool

    def array(self, x: Any, position: int) -> str | None:
        """The source of what is no such tree."""
        if holds_tensors(x, self.is_tensor):
            return None
        self.arrays.append(x)
        return f"x{len(self.arrays) - 1}"


def leaves_of(args: tuple[Any, ...], is_tensor: Test) -> tuple[tuple[Any, ...], Leaves | None]:
    """The inputs, and where they stand in the arguments; None if they are the arguments."""
    for x in args:
        if holds_tensors(x, is_tensor):
            found = Leaves(is_tensor=is_tensor)
            found.take(args)
            return tuple(found.arrays), found
    return args, None


def holds_tensors(x: Any, is_tensor: Test) -> bool:
    """Is it a tuple, list, dictionary or dataclass with a tensor somewhere in it?"""
    if is_tensor(x) or not is_container(x):
        return False
    return any(is_tensor(part) or holds_tensors(part, is_tensor) for part in parts_of(x))


class Programs:
    """The programs of a function: one for each kind of inputs, since what it returns may depend on those.

    `kind` says what is looked at of an input.
    """

    def __init__(self, f: Any, name: str, kind: Callable[[Any], Any]) -> None:
        self._f = f
        self._name = name
        self._kind = kind
        self._made: dict[Any, tuple[Any, Derivable]] = {}

    def __call__(self, inputs: Sequence[Any], tree: Leaves | None = None) -> Derivable:
        """That for these inputs; another one when the globals of a plain function have changed."""
        dispatcher = jitted(self._f, len(inputs if tree is None else tree.sources))
        key: Any = tuple(map(self._kind, inputs))
        if tree is not None:
            key = key, tree.key
        known = self._made.get(key)
        if known is None or known[0] is not dispatcher:
            # Of the function as it is now: value and derivatives in a recorded graph are those of one function.
            f = dispatcher if tree is None else joined(dispatcher, tree, False, self._name)
            made = Derivable(f, len(inputs), self._name, complex_too=True)
            known = self._made[key] = dispatcher, made
        return known[1]
