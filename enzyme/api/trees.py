"""Dictionaries, dataclasses and lists of arrays as arguments: named tuples and tuples while compiled code has them.

A dictionary is a tuple with a name for each key: ``p["w"]`` in compiled code is a member of it. A dataclass is a named
tuple with its fields, which knows its methods. A list is a tuple, unless all its entries are numbers.
What comes back is laid out like what was given.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

import dataclasses
import weakref
from collections import namedtuple
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numba import typed

from enzyme.api.objects import Held, for_constants
from enzyme.errors import ActivityError
from enzymecore import Annotation, AnyState, Const, active_register_state, make_zero


class DictionaryClass(type):
    """The class of the classes of tuples that stand for dictionaries."""


class Dictionary(metaclass=DictionaryClass):
    """Tuples that stand for dictionaries."""

    __slots__ = ()
    keys_of_it: tuple[str, ...] = ()
    __enzyme_type__: Any = None


class FieldsClass(type):
    """The class of the classes of tuples that stand for objects."""


class Fields(metaclass=FieldsClass):
    """Tuples that stand for dataclasses and other objects; `owner` is the class of those."""

    __slots__ = ()
    owner: type = object
    methods: dict[str, Any] = {}
    __enzyme_type__: Any = None


_of_keys: dict[tuple[str, ...], type] = {}
_of_class: weakref.WeakKeyDictionary[type, dict[tuple[str, ...], Any]] = weakref.WeakKeyDictionary()
_FLOATS = (float, complex)
_PLAIN = (float, int, complex, bool, str, type(None), np.ndarray)


def native(x: Any, differentiated: bool = True) -> Any:
    """What compiled code gets for a value: itself, or tuples in place of dictionaries, dataclasses and lists, and typed
    lists in place of lists of floats; of what is not differentiated itself where numba takes it, and what stands for
    functions and objects that numba does not know.

    Raises
    ------
    ActivityError
        For dictionaries of which a key is no text.

    Examples
    --------
    >>> native({"w": 1.0, "b": [(2.0, 3)]})
    dict_w_b(_0=1.0, _1=((2.0, 3),))
    """
    if type(x) in _PLAIN:
        return x
    parts = _parts(x)
    if parts is None:
        if differentiated:
            return _typed_list(x, x) if _is_list_of_floats(x) else x
        constant = for_constants(x)
        return x if constant is x else native(constant, False)
    members = [native(part, True) for part in parts]
    if isinstance(x, tuple) and all(new is old for new, old in zip(members, parts, strict=True)):
        return x
    return _class_for(x)(members)


def natives(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """What compiled code gets for the arguments of a derivative, constants annotated; `args` itself if it is that."""
    found = tuple(map(_native_argument, args))
    return args if all(new is old for new, old in zip(found, args, strict=True)) else found


def _native_argument(x: Any) -> Any:
    if not isinstance(x, Annotation):
        return native(x)
    value = native(x.val, False)
    return x if value is x.val else Const(value)


def value_in(x: Any) -> Any:
    """The value of an argument that may be annotated."""
    return x.val if isinstance(x, Annotation) else x


def restored(x: Any, derivative: Any, leaf: Callable[[Any, Any], Any] = lambda x, d: d) -> Any:
    """A derivative laid out like the value `x` that it belongs to, of one laid out like `native(x)`, with None for what
    holds no floats; `leaf` gets what in `x` is no container, and the derivative of that."""
    parts = None if type(x) in _PLAIN else _parts(x)
    if parts is None or derivative is None:
        found = leaf(x, derivative)
        return list(found) if isinstance(x, list) and isinstance(found, typed.List) else found
    members = [
        restored(part, d if _holds_floats(part) else None, leaf)
        for part, d in zip(parts, derivative, strict=True)
    ]
    return like(x, members)


def _holds_floats(x: Any) -> bool:
    if type(x) in _FLOATS:
        return True
    parts = None if type(x) in _PLAIN else _parts(x)
    return (
        active_register_state(x) is not AnyState
        if parts is None
        else any(map(_holds_floats, parts))
    )


def python_of(x: Any) -> Any:
    """A result with dictionaries and dataclasses in place of the tuples that stood for them."""
    if not isinstance(x, tuple):
        return x
    members = list(map(python_of, x))
    if isinstance(x, Dictionary):
        return dict(zip(x.keys_of_it, members, strict=True))
    if isinstance(x, Fields):
        return _dataclass(x.owner, members)
    if all(new is old for new, old in zip(members, x, strict=True)):
        return x
    return like(x, members)


def like(x: Any, members: Sequence[Any]) -> Any:
    """A container of the kind of `x` with other members."""
    if isinstance(x, tuple):
        return type(x)(*members) if hasattr(x, "_fields") else tuple(members)
    if isinstance(x, list):
        return list(members)
    if isinstance(x, dict):
        return dict(zip(x, members, strict=True))
    return _dataclass(type(x), members)


def _dataclass(cls: Any, members: Sequence[Any]) -> Any:
    """An instance with these fields. It is not made by `__init__`, which may compute."""
    made = object.__new__(cls)
    for field, member in zip(dataclasses.fields(cls), members, strict=True):
        object.__setattr__(made, field.name, member)
    return made


def native_like(x: Any, other: Any, what: str) -> Any:
    """A direction or the like, in the form that compiled code has for `x`, with the keys in their order. None is zero.

    Raises
    ------
    ActivityError
        If the two are not laid out alike; `what` says what the other is.
    """
    if other is None:
        return make_zero(native(x))
    parts = None if type(x) in _PLAIN else _parts(x)
    if parts is None:
        if not _holds_floats(x):  # there is no direction of it
            return native(x)
        both = isinstance(other, list) and _is_list_of_floats(x)
        return _typed_list(other, x) if both else other
    theirs = _parts_like(x, other)
    if theirs is None:
        raise ActivityError(
            what=f"{what} is {_shown(other)}, and what it belongs to is {_shown(x)}",
            todo="make it of the same kind, with the same keys",
        )
    members = [native_like(part, one, what) for part, one in zip(parts, theirs, strict=True)]
    return like(x, members) if isinstance(x, tuple) else _class_for(x)(members)


def _is_list_of_floats(x: Any) -> bool:
    numbers = isinstance(x, list) and not any(isinstance(one, bool) for one in x)
    return numbers and any(isinstance(one, float | complex | np.inexact) for one in x)


def _typed_list(x: list[Any], like: list[Any]) -> Any:
    """The typed list with these numbers, of the type that the numbers in `like` have in common."""
    kind = np.result_type(*like).type
    return typed.List([kind(one) for one in x])


def is_container(x: Any) -> bool:
    """Is a value one of those that are taken apart here?"""
    return type(x) not in _PLAIN and _parts(x) is not None


def parts_of(x: Any) -> list[Any]:
    """The members of a container, in their order."""
    found = _parts(x)
    assert found is not None
    return found


def _parts(x: Any) -> list[Any] | None:
    """The members of what becomes a tuple, or is one; None for everything else."""
    if isinstance(x, tuple):
        return list(x)
    if isinstance(x, list):
        numbers = all(isinstance(one, int | float | complex | np.number) for one in x)
        return None if numbers else x
    if isinstance(x, dict):
        wrong = next((key for key in x if not isinstance(key, str)), None)
        if wrong is not None:
            raise ActivityError(
                what=f"a dictionary with the key {wrong!r:.40}, which is no text",
                why="compiled code gets a tuple with a name for each key",
                todo="use texts as keys, a tuple or a list, or a numba.typed.Dict",
            )
        return list(x.values())
    if isinstance(x, Held):
        return [x.fields[name] for name in x.names(is_container)]
    if dataclasses.is_dataclass(x) and not isinstance(x, type):
        return [getattr(x, field.name) for field in dataclasses.fields(x)]
    return None


def _parts_like(x: Any, other: Any) -> list[Any] | None:
    """The members of `other` in the order of those of `x`; None if the two are not laid out alike."""
    if isinstance(x, dict):
        if not isinstance(other, dict) or set(x) != set(other):
            return None
        return [other[key] for key in x]
    if isinstance(x, tuple | list):
        return list(other) if isinstance(other, tuple | list) and len(x) == len(other) else None
    return _parts(other) if type(other) is type(x) else None


def _class_for(x: Any) -> Callable[[Sequence[Any]], Any]:
    if isinstance(x, dict):
        return _dictionary(tuple(x))._make  # type: ignore[no-any-return]
    if isinstance(x, list) or (not hasattr(x, "_fields") and isinstance(x, tuple)):
        return tuple
    if isinstance(x, tuple):
        return type(x)._make  # type: ignore[no-any-return]
    if isinstance(x, Held):
        return _fields_of(x.owner, x.names(is_container))._make  # type: ignore[no-any-return]
    return _fields_of(type(x), tuple(f.name for f in dataclasses.fields(x)))._make  # type: ignore[no-any-return]


def _dictionary(keys: tuple[str, ...]) -> Any:
    """The class of tuples for dictionaries with these keys. Members have no names that could be attributes."""
    if keys not in _of_keys:
        # numba asks what is registered there in every compilation: so it is when there is a dictionary first.
        from enzyme.api import keys as _  # noqa: F401

        name = "_".join(["dict", *(key for key in keys if key.isidentifier() and key.isascii())])
        members = _named_tuple(name, ["class"] * len(keys))
        scope = {"__slots__": (), "keys_of_it": keys}
        _of_keys[keys] = DictionaryClass(name, (Dictionary, members), scope)
    return _of_keys[keys]


def _fields_of(cls: Any, names: tuple[str, ...]) -> Any:
    """The named tuple with the fields of an object of this class; another one when its methods have changed."""
    of_class = _of_class.setdefault(cls, {})
    found = of_class.get(names)
    if found is None or found[1].changed():
        from enzyme.api.methods import Methods

        members = _named_tuple(cls.__name__, list(names))
        methods = Methods(cls, names)
        scope = {"__slots__": (), "owner": cls, "methods": methods.functions}
        made: Any = FieldsClass(cls.__name__, (Fields, members), scope)
        made._fields = names  # a name may begin with an underscore here
        methods.declare(made)
        found = of_class[names] = made, methods
    return found[0]


def _named_tuple(name: str, fields: list[str]) -> Any:
    """A class of named tuples; fields that cannot have their name have a number."""
    make: Any = namedtuple
    return make(name, fields, rename=True)


def _shown(x: Any) -> str:
    if isinstance(x, dict):
        return f"a dictionary with the keys {', '.join(map(repr, x))}"[:80]
    if isinstance(x, tuple | list):
        return f"a {type(x).__name__} of {len(x)}"
    return f"of type {type(x).__name__}"
