"""Zero a value in place: the shadow to use again.

Mutable memory is overwritten and keeps its identity; an immutable value inside mutable memory is
replaced there. Differentiable data that no mutable object holds cannot be zeroed: that is an error
for `make_zero_inplace`, and is left alone by `remake_zero_inplace`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from enzymecore import numba_types
from enzymecore.activity_state import AnyState, active_register_state, holds_floats
from enzymecore.describing import typeof
from enzymecore.errors import ImmutableZeroError
from enzymecore.structure import Kind, field_names, kind_of, namedtuple_make, parts
from enzymecore.zeros import Memo, registered_leaf, zero_fields

__all__ = ["make_zero_inplace", "remake_zero_inplace"]


def make_zero_inplace(x: Any, seen: Memo | None = None) -> None:
    """Set all differentiable data reachable through mutable memory to zero.

    Parameters
    ----------
    x
        The value.
    seen
        Memo of the objects zeroed already, by id; may be shared between calls.

    Raises
    ------
    ImmutableZeroError
        If differentiable data lies in an immutable position: use `make_zero`.

    Examples
    --------
    >>> x = [3.4, "foo"]
    >>> make_zero_inplace(x)
    >>> x
    [0.0, 'foo']
    >>> make_zero_inplace((1.0, [1.0]))
    Traceback (most recent call last):
        ...
    enzymecore.errors.ImmutableZeroError: cannot zero a value of type float64 at [0] in place...
    """
    found = _immutable_leaf(x, "", set())
    if found is not None:
        path, leaf = found
        raise immutable_zero(repr(typeof(leaf)), path)
    _slot(x, {} if seen is None else seen)


def immutable_zero(described: str, path: str) -> ImmutableZeroError:
    """Make the error for differentiable data of this type that no mutable object holds."""
    return ImmutableZeroError(
        what=f"cannot zero a value of type {described}{path and f' at {path}'} in place",
        why="it is immutable, and no mutable object holds it",
        todo=(
            "use make_zero(x), which returns a new value",
            "use remake_zero_inplace(x) if the value came from make_zero",
        ),
        path=path,
    )


def remake_zero_inplace(x: Any, seen: Memo | None = None) -> None:
    """Zero the mutable parts of a value that came from `make_zero`; the others are zero still.

    Parameters
    ----------
    x
        The value.
    seen
        Memo of the objects zeroed already, by id; may be shared between calls.

    Examples
    --------
    >>> x = (2.0, [4.5])
    >>> remake_zero_inplace(x)
    >>> x
    (2.0, [0.0])
    """
    _slot(x, {} if seen is None else seen)


def _immutable_leaf(x: Any, path: str, open_ids: set[int]) -> tuple[str, Any] | None:
    """Return the first differentiable leaf that no mutable object holds, with its path."""
    leaf = registered_leaf(x)
    if leaf is not None:
        return None if leaf[1] is not None else (path, x)
    kind = kind_of(x)
    if kind is Kind.FLOAT:
        return path, x
    if kind is Kind.ARRAY and not x.flags.writeable and holds_floats(x.dtype):
        return path, x
    if not kind.immutable_struct or id(x) in open_ids:
        return None
    open_ids.add(id(x))
    for step, part in parts(x, kind):
        found = _immutable_leaf(part, path + step, open_ids)
        if found is not None:
            return found
    return None


def _slot(x: Any, seen: Memo) -> Any:
    """Zero what is mutable in `x`; return what a mutable slot that holds `x` must hold now."""
    if id(x) in seen:
        return seen[id(x)]
    leaf = registered_leaf(x)
    if leaf is not None:
        return _remember(seen, x, _zero_leaf(x, leaf))
    kind = kind_of(x)
    if kind is Kind.FLOAT:
        return type(x)(0)
    if kind is Kind.INACTIVE:
        return x
    if kind in (Kind.TUPLE, Kind.NAMEDTUPLE):
        items = [_slot(item, seen) for item in x]
        changed = any(new is not old for new, old in zip(items, x, strict=True))
        return _remember(seen, x, namedtuple_make(x, items) if changed else x)
    if kind is Kind.FROZEN:
        return _frozen(x, seen)
    _remember(seen, x, x)
    if kind is Kind.ARRAY:
        _array(x, seen)
    elif kind is Kind.RECORD:
        zero_fields(x)
    else:
        _container(x, kind, seen)
    return x


def _remember(seen: Memo, x: Any, new: Any) -> Any:
    """Note what replaces `x`, and keep `x` alive so that its id stays its own."""
    seen[id(x)] = new
    seen.setdefault(id(seen), []).append(x)
    return new


def _zero_leaf(x: Any, leaf: tuple[Any, Any]) -> Any:
    """Zero a value of a registered class, in place if that is possible."""
    make, inplace = leaf
    if inplace is None:
        return make(x)
    inplace(x)
    return x


def _frozen(x: Any, seen: Memo) -> Any:
    """Return the frozen struct itself if all its parts stay, else a new one."""
    # The struct stands for itself while its parts are visited, in case of a cycle.
    _remember(seen, x, x)
    fields = {name: getattr(x, name) for name in field_names(x)}
    news = {name: _slot(value, seen) for name, value in fields.items()}
    if all(news[name] is value for name, value in fields.items()):
        return x
    new = object.__new__(type(x))
    for name, value in news.items():
        object.__setattr__(new, name, value)
    seen[id(x)] = new
    return new


def _array(x: Any, seen: Memo) -> None:
    """Zero an array, or the elements of an array of objects."""
    if x.dtype == object:
        for index in np.ndindex(x.shape):
            x[index] = _slot(x[index], seen)
    elif holds_floats(x.dtype):
        zero_fields(x)


def _container(x: Any, kind: Kind, seen: Memo) -> None:
    """Replace the content of the slots of a mutable container."""
    compiled = kind in (Kind.TYPED_LIST, Kind.TYPED_DICT, Kind.INSTANCE)
    if (compiled and active_register_state(x) is AnyState) or not getattr(x, "_typed", True):
        return
    if kind in (Kind.LIST, Kind.TYPED_LIST):
        for index in range(len(x)):
            _assign_item(x, index, x[index], seen)
    elif kind in (Kind.DICT, Kind.TYPED_DICT):
        for key in list(x):
            _assign_item(x, key, x[key], seen)
    elif kind is Kind.STRUCT:
        for name in list(field_names(x)):
            old = getattr(x, name)
            new = _slot(old, seen)
            if new is not old:
                setattr(x, name, new)
    else:
        olds = numba_types.field_values(x)
        news = [_slot(old, seen) for old in olds]
        if any(new is not old for new, old in zip(news, olds, strict=True)):
            numba_types.set_field_values(x, news)


def _assign_item(x: Any, key: Any, old: Any, seen: Memo) -> None:
    """Replace one item, unless it was zeroed in place: nothing is written without need."""
    new = _slot(old, seen)
    if new is not old:
        x[key] = new
