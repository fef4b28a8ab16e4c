"""Arguments of programs: floats, arrays of floats, tuples of them, and what stays constant."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Held:
    """A differentiable value that the program gets as a constant."""

    value: Any


def is_float(x: Any) -> bool:
    return isinstance(x, float | np.floating)


def is_float_array(x: Any) -> bool:
    return isinstance(x, np.ndarray) and x.dtype.kind == "f"


def leaves(x: Any) -> list[Any]:
    return [leaf for part in x for leaf in leaves(part)] if isinstance(x, tuple) else [x]


def activity(x: Any) -> str:
    """`active`, `duplicated` or `const`, from the value alone."""
    parts = leaves(x)
    if any(map(is_float_array, parts)):
        return "duplicated"
    return "active" if any(map(is_float, parts)) else "const"


def rebuild(x: Any, parts: list[Any]) -> Any:
    """A tuple or named tuple of the kind of `x`."""
    return type(x)(*parts) if hasattr(x, "_fields") else tuple(parts)


def transform(x: Any, leaf: Callable[[Any], Any], memo: dict[int, Any] | None = None) -> Any:
    """`x` with `leaf` applied to every leaf; the same array gives the same result.

    Not a closure that calls itself: that is a cycle, which would keep arrays alive.
    """
    memo = {} if memo is None else memo
    if isinstance(x, Held):
        return Held(transform(x.value, leaf, memo))
    if isinstance(x, tuple):
        return rebuild(x, [transform(part, leaf, memo) for part in x])
    if not isinstance(x, np.ndarray):
        return leaf(x)
    if id(x) not in memo:
        memo[id(x)] = leaf(x)
    return memo[id(x)]


def empty_twin(x: np.ndarray, dtype: Any = None) -> np.ndarray:
    """New memory with the shape and the strides (in items) of `x`, gaps and direction included."""
    dtype = np.dtype(dtype or x.dtype)
    strides = [s // x.itemsize for s in x.strides]
    reach = [(n - 1) * s for n, s in zip(x.shape, strides) if n > 0]
    low, high = sum(min(r, 0) for r in reach), sum(max(r, 0) for r in reach)
    base = np.zeros(high - low + 1, dtype)
    twin = np.lib.stride_tricks.as_strided(
        base[-low:], x.shape, [s * dtype.itemsize for s in strides]
    )
    return twin if x.flags.writeable else _read_only(twin)


def _read_only(x: np.ndarray) -> np.ndarray:
    x.flags.writeable = False
    return x


def twin(x: Any, dtype: Any = None) -> Any:
    """Deep copy with the same layout."""

    def leaf(value: Any) -> Any:
        if not isinstance(value, np.ndarray):
            return value
        made = empty_twin(value, dtype)
        made[...] = value
        return made

    return transform(x, leaf)


def cast(args: Any, dtype: Any) -> Any:
    def leaf(value: Any) -> Any:
        if is_float(value):
            return dtype(value)
        return twin(value, dtype) if is_float_array(value) else value

    return transform(args, leaf)


def perturbed(x: Any, make: Callable[[tuple[int, ...]], Any]) -> Any:
    """The structure of `x` with every float drawn from `make(shape)`, the rest kept."""

    def leaf(value: Any) -> Any:
        if is_float(value):
            return type(value)(make(()))
        if is_float_array(value):
            made = empty_twin(value)
            made[...] = make(value.shape)
            return made
        return value

    return transform(x, leaf)


def vector(args: Any) -> np.ndarray:
    """All floats of `args` that take part in the derivative, arrays once each, as float64."""
    seen: set[int] = set()
    parts = [np.zeros(0)]
    for leaf in leaves(args):
        if is_float(leaf):
            parts.append(np.array([leaf], np.float64))
        elif is_float_array(leaf) and id(leaf) not in seen:
            seen.add(id(leaf))
            parts.append(np.asarray(leaf, np.float64).ravel())
    return np.concatenate(parts)


def arrays(args: Any) -> tuple[Any, ...]:
    return tuple(a for a in args if activity(a) == "duplicated")


def plain(args: Any) -> tuple[Any, ...]:
    return tuple(a.value if isinstance(a, Held) else a for a in args)


def own(result: Any, args: Any) -> Any:
    """`result` without the arrays that are arguments: their content is counted there."""
    given = [leaf for leaf in leaves(args) if isinstance(leaf, np.ndarray)]

    def leaf(value: Any) -> Any:
        if isinstance(value, np.ndarray) and any(np.may_share_memory(value, g) for g in given):
            return None
        return value

    return transform(result, leaf)


def result_seed(result: Any) -> Any:
    return result * 0 + 1 if is_float(result) else perturbed(result, np.zeros)


def moved(args: Any, tangents: Any, amount: float, memo: dict[int, Any] | None = None) -> Any:
    """`args` a step along the tangents; arrays that are one array stay one."""
    memo = {} if memo is None else memo
    if isinstance(args, tuple):
        return rebuild(args, [moved(a, t, amount, memo) for a, t in zip(args, tangents)])
    if is_float(args):
        return args + amount * tangents
    if not is_float_array(args):
        return args
    if id(args) not in memo:
        memo[id(args)] = twin(args)
        memo[id(args)][...] = args + amount * tangents
    return memo[id(args)]
