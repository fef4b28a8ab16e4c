"""Make a zero twin of a value: the shadow to start a derivative from.

The twin has the value's type and layout, and its aliasing: an object reached twice becomes one new
object, cycles terminate, and arrays over exactly the same memory stay so. Inactive parts are the
same objects as in the original. Two arrays that overlap only partly become independent.

The memo maps ``id(original)`` to its zero, as `copy.deepcopy` has it, so that both can share it.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from enzymecore import numba_types
from enzymecore.activity_state import AnyState, active_register_state, holds_floats
from enzymecore.describing import typeof
from enzymecore.descriptors import TypeDescriptor
from enzymecore.errors import ActivityError, ShadowTypeError
from enzymecore.structure import (
    Kind,
    field_names,
    is_float_buffer,
    kind_of,
    namedtuple_make,
    parts,
)

__all__ = [
    "Memo",
    "arrays_are_leaves",
    "buffer_without_shadow",
    "make_zero",
    "registered_leaf",
    "zero_fields",
    "zeros_like",
]

Memo = dict[Any, Any]
Leaf = Callable[[Any], Any]
F = TypeVar("F", bound=Leaf)

# Class to (function that makes the zero, function that zeroes in place or None).
_leaves: dict[type, tuple[Leaf, Callable[[Any], None] | None]] = {}


def registered_leaf(x: Any) -> tuple[Leaf, Callable[[Any], None] | None] | None:
    """Return the functions registered for the class of `x`, or None.

    Examples
    --------
    >>> registered_leaf(1.0) is None
    True
    """
    if not _leaves:
        return None
    for base in type(x).__mro__:
        if base in _leaves:
            return _leaves[base]
    return None


def arrays_are_leaves() -> bool:
    """Are there functions of the user's for the zeros of all arrays?

    Examples
    --------
    >>> arrays_are_leaves()
    False
    """
    return np.ndarray in _leaves or object in _leaves


def zeros_like(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return an array of zeros with the shape and the strides of `x`, also where it is a view.

    Examples
    --------
    >>> import numpy as np
    >>> zeros_like(np.ones(6)[::2]).strides
    (16,)
    """
    if type(x) is not np.ndarray or x.dtype.hasobject:
        return np.zeros_like(x)
    flags = x.flags
    if flags.c_contiguous or x.size == 0:
        return np.zeros(x.shape, x.dtype)
    if flags.f_contiguous:
        return np.zeros(x.shape, x.dtype, "F")
    # The smallest block of memory that holds all elements, wherever the first of them lies.
    reaches = [(n - 1) * stride for n, stride in zip(x.shape, x.strides, strict=True)]
    first = -sum(reach for reach in reaches if reach < 0)
    size = first + sum(reach for reach in reaches if reach > 0) + x.itemsize
    block = np.zeros(size, np.uint8)
    return np.ndarray(x.shape, x.dtype, block, first, x.strides)


def zero_fields(x: Any) -> None:
    """Set the float fields of a structured array or record to zero; keep the others.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.ones(1, [("x", "f8"), ("n", "i8")])
    >>> zero_fields(x)
    >>> x
    array([(0., 1)], dtype=[('x', '<f8'), ('n', '<i8')])
    """
    if x.dtype.names is None:
        if x.dtype.kind in "fc":
            x[...] = 0
        return
    for name in x.dtype.names:
        part = x.dtype[name]
        base = part.base
        if base.kind in "fc":
            x[name] = 0
        elif base.names is not None:
            zero_fields(x[name])


def _type_matches(described: Any, x: Any) -> bool:
    """Tell whether `x` is of a type given as a class or as a descriptor."""
    if isinstance(described, type):
        return isinstance(x, described)
    return bool(typeof(x) == described)


class _MakeZero:
    """The function `make_zero`, which can be extended."""

    def __reduce__(self) -> str:
        return "make_zero"

    def __call__(self, *args: Any, **options: Any) -> Any:
        """Return a zero of exactly the type and layout of a value.

        Called as ``make_zero(x, copy_if_inactive=False)`` or, with an explicit memo, as
        ``make_zero(T, seen, x, copy_if_inactive=False)``.

        Parameters
        ----------
        x
            The value; it is not changed.
        copy_if_inactive
            Copy inactive parts deeply, instead of keeping the same objects.
        T
            Type of `x`, as a class or a descriptor.
        seen
            Memo from ``id(original)`` to its zero; may be filled beforehand and used again.

        Raises
        ------
        ShadowTypeError
            If `x` is not of type `T`.
        TypeError
            If the arguments fit neither form.

        Examples
        --------
        >>> import numpy as np
        >>> make_zero((1.5, "text", np.ones(2)))
        (0.0, 'text', array([0., 0.]))
        >>> x = np.ones(2)
        >>> first, second = make_zero([x, x])
        >>> first is second
        True
        >>> seen = {}
        >>> make_zero(float, seen, 2.0)
        0.0
        """
        if len(args) in (3, 4):
            return _with_memo(*args, **options)
        return _plain(*args, **options)

    def register(
        self, cls: type, leaf: F | None = None, *, inplace: Callable[[Any], None] | None = None
    ) -> Any:
        """Register how a value of `cls` or a subclass is made zero; also a decorator.

        Parameters
        ----------
        cls
            The class.
        leaf
            Takes a value and returns its zero. Wins over everything built in.
        inplace
            Takes a value and zeroes it in place; None if values are immutable.

        Examples
        --------
        >>> class Money:
        ...     def __init__(self, amount):
        ...         self.amount = amount
        >>> @make_zero.register(Money)
        ... def zero_money(x):
        ...     return Money(0.0)
        >>> make_zero((Money(3.0), 1.0))[0].amount
        0.0
        >>> make_zero.unregister(Money)
        """
        if leaf is None:

            def decorate(function: F) -> F:
                _leaves[cls] = (function, inplace)
                return function

            return decorate
        _leaves[cls] = (leaf, inplace)
        return leaf

    def unregister(self, cls: type) -> None:
        """Forget what was registered for `cls`, if anything was."""
        _leaves.pop(cls, None)


make_zero = _MakeZero()


def _plain(x: Any, copy_if_inactive: bool = False) -> Any:
    """Serve the form without memo; the commonest values need none."""
    if not _leaves:
        if type(x) is float:
            return 0.0
        if type(x) is np.ndarray and x.dtype.kind in "fc":
            return zeros_like(x)
    return _zero(x, {}, copy_if_inactive)


def _with_memo(described: Any, seen: Memo, x: Any, copy_if_inactive: bool = False) -> Any:
    """Serve the form with memo."""
    if not isinstance(described, (type, TypeDescriptor)) or not isinstance(seen, dict):
        raise TypeError("make_zero takes (x, copy_if_inactive) or (T, seen, x, copy_if_inactive)")
    if not _type_matches(described, x):
        raise ShadowTypeError(f"make_zero of {described!r} got a value of type {typeof(x)!r}")
    return _zero(x, seen, copy_if_inactive)


def _remember(seen: Memo, x: Any, zero: Any) -> Any:
    """Note the zero of `x`, and keep `x` alive so that its id stays its own."""
    seen[id(x)] = zero
    seen.setdefault(id(seen), []).append(x)
    return zero


def buffer_without_shadow(what: str, x: Any) -> ActivityError:
    """The error for `what` is done to a buffer that is no array."""
    return ActivityError(
        what=f"{what} a buffer: {type(x).__name__}",
        why="only arrays of NumPy have shadows",
        todo="pass np.asarray(x), which shares its memory",
    )


def _zero(x: Any, seen: Memo, copy_inactive: bool) -> Any:
    """Return the zero of a value and its parts."""
    if id(x) in seen:
        return seen[id(x)]
    leaf = registered_leaf(x)
    if leaf is not None:
        return _remember(seen, x, leaf[0](x))
    kind = kind_of(x)
    if kind is Kind.FLOAT:
        return type(x)(0)
    if kind is Kind.ARRAY:
        return _zero_array(x, seen, copy_inactive)
    if kind is Kind.INACTIVE and is_float_buffer(x):
        raise buffer_without_shadow("make_zero of", x)
    if kind is Kind.INACTIVE:
        return copy.deepcopy(x, seen) if copy_inactive else x
    if kind in (Kind.LIST, Kind.DICT):
        return _zero_container(x, kind, seen, copy_inactive)
    if _is_inactive(x):
        return copy.deepcopy(x, seen) if copy_inactive else x
    if kind is Kind.RECORD:
        zero = x.copy()
        zero_fields(zero)
        return _remember(seen, x, zero)
    if kind in (Kind.TUPLE, Kind.NAMEDTUPLE):
        items = [_zero(item, seen, copy_inactive) for item in x]
        # A cycle through the tuple has made it already.
        return seen[id(x)] if id(x) in seen else _remember(seen, x, namedtuple_make(x, items))
    if kind in (Kind.FROZEN, Kind.STRUCT):
        return _zero_struct(x, seen, copy_inactive)
    return _zero_compiled(x, kind, seen, copy_inactive)


def _is_inactive(x: Any) -> bool:
    """Tell whether nothing in `x` is differentiable, registered classes included."""
    if active_register_state(x) is not AnyState:
        return False
    if not _leaves:
        return True
    return not _holds_registered(x, set())


def _holds_registered(x: Any, seen: set[int]) -> bool:
    """Search for values of registered classes."""
    if id(x) in seen:
        return False
    seen.add(id(x))
    if registered_leaf(x) is not None:
        return True
    return any(_holds_registered(part, seen) for _, part in parts(x, kind_of(x)))


def _zero_array(x: Any, seen: Memo, copy_inactive: bool) -> Any:
    """Return the zero of an array."""
    dtype = x.dtype
    if dtype.kind in "fc":
        # Parts of compiled containers are new objects each time; their memory tells them apart.
        memory = _memory_key(x)
        if memory in seen:
            return _remember(seen, x, seen[memory])
        zero = zeros_like(x)
        if x.size:
            seen[memory] = zero
        return _remember(seen, x, zero)
    if dtype.kind == "O":
        zero = np.empty_like(x)
        _remember(seen, x, zero)
        for index in np.ndindex(x.shape):
            zero[index] = _zero(x[index], seen, copy_inactive)
        return zero
    if not holds_floats(dtype):
        return copy.deepcopy(x, seen) if copy_inactive else x
    zero = zeros_like(x)
    zero[...] = x
    zero_fields(zero)
    return _remember(seen, x, zero)


def _memory_key(x: Any) -> tuple[Any, ...]:
    """Return what identifies the memory of an array, and how it is looked at."""
    return type(x), x.__array_interface__["data"][0], x.shape, x.strides, x.dtype


def _zero_container(x: Any, kind: Kind, seen: Memo, copy_inactive: bool) -> Any:
    """Return the zero of a list or dict: a new one of the same class."""
    zero = copy.copy(x) if type(x) not in (list, dict) else type(x)()
    _remember(seen, x, zero)
    zero.clear()
    if kind is Kind.LIST:
        zero.extend(_zero(item, seen, copy_inactive) for item in x)
    else:
        zero.update({key: _zero(item, seen, copy_inactive) for key, item in x.items()})
    return zero


def _zero_struct(x: Any, seen: Memo, copy_inactive: bool) -> Any:
    """Return the zero of a struct; fields that are not set stay so."""
    zero = object.__new__(type(x))
    _remember(seen, x, zero)
    for name in field_names(x):
        # Frozen structs refuse ordinary assignment.
        object.__setattr__(zero, name, _zero(getattr(x, name), seen, copy_inactive))
    return zero


def _zero_compiled(x: Any, kind: Kind, seen: Memo, copy_inactive: bool) -> Any:
    """Return the zero of a typed list, a typed dict or an instance of a jitclass or structref."""
    # Parts of compiled containers are new objects each time; their content is in one place.
    place: Any = (type(x), numba_types.object_address(x))
    if place in seen:
        return _remember(seen, x, seen[place])
    if kind is Kind.INSTANCE:
        zero = seen[place] = _remember(seen, x, numba_types.new_instance(x))
        values = numba_types.field_values(x)
        zeros = [_zero(value, seen, copy_inactive) for value in values]
        numba_types.set_field_values(zero, zeros)
        return zero
    if not numba_types.has_items_type(x):
        return _remember(seen, x, type(x)())
    if kind is Kind.TYPED_LIST:
        zero = type(x).empty_list(x._numba_type_.item_type, len(x))
        seen[place] = _remember(seen, x, zero)
        for item in x:
            zero.append(_zero(item, seen, copy_inactive))
        return zero
    zero = type(x).empty(x._numba_type_.key_type, x._numba_type_.value_type)
    seen[place] = _remember(seen, x, zero)
    for key, item in x.items():
        zero[key] = _zero(item, seen, copy_inactive)
    return zero
