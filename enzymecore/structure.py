"""How a value is taken apart: which kind it is of, and what its parts are called.

`make_zero`, the congruence check and the activity state all walk values in the same way; the walk
is defined here once. A value of a class that nobody described is *inactive*, with one exception:
instances of plain Python classes (dataclasses, or classes that keep Python's own way of making and
copying instances, outside the standard library) are structs with fields.
"""

from __future__ import annotations

import array
import ctypes
import enum
import sys
import types
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np

from enzymecore import numba_types

__all__ = [
    "Kind",
    "arrays_in",
    "declare_kind",
    "field_names",
    "is_float_buffer",
    "kind_of",
    "kind_of_class",
    "namedtuple_make",
    "parts",
    "record_memory",
]


class Kind(enum.Enum):
    """What a value is, as far as differentiation is concerned.

    Examples
    --------
    >>> Kind.FLOAT.name
    'FLOAT'
    """

    FLOAT = enum.auto()
    ARRAY = enum.auto()
    RECORD = enum.auto()
    TUPLE = enum.auto()
    NAMEDTUPLE = enum.auto()
    FROZEN = enum.auto()
    STRUCT = enum.auto()
    LIST = enum.auto()
    DICT = enum.auto()
    TYPED_LIST = enum.auto()
    TYPED_DICT = enum.auto()
    INSTANCE = enum.auto()
    INACTIVE = enum.auto()

    @property
    def immutable_struct(self) -> bool:
        """Whether it is put together anew when a part changes."""
        return self in (Kind.TUPLE, Kind.NAMEDTUPLE, Kind.FROZEN)


# Dynamic classes (jitclasses, local dataclasses) must not be kept alive by the memo.
_kinds: weakref.WeakKeyDictionary[type, Kind] = weakref.WeakKeyDictionary()
_declared: weakref.WeakKeyDictionary[type, Kind] = weakref.WeakKeyDictionary()


def declare_kind(cls: type, kind: Kind | None) -> None:
    """Declare how values of `cls` and its subclasses are treated; None takes that back.

    Examples
    --------
    >>> class Label(float):
    ...     pass
    >>> kind_of(Label(1.0))
    <Kind.FLOAT: 1>
    >>> declare_kind(Label, Kind.INACTIVE)
    >>> kind_of(Label(1.0))
    <Kind.INACTIVE: 13>
    >>> declare_kind(Label, None)
    """
    if kind is None:
        _declared.pop(cls, None)
    else:
        _declared[cls] = kind
    _kinds.clear()


def kind_of(x: object) -> Kind:
    """Return the kind of a value.

    Examples
    --------
    >>> kind_of(1.0).name, kind_of((1, 2)).name, kind_of("text").name
    ('FLOAT', 'TUPLE', 'INACTIVE')
    """
    return kind_of_class(type(x))


def kind_of_class(cls: type) -> Kind:
    """Return the kind that the values of a class are of.

    Examples
    --------
    >>> kind_of_class(float).name
    'FLOAT'
    """
    kind = _kinds.get(cls)
    if kind is None:
        kind = _kinds[cls] = _classify(cls)
    return kind


def _classify(cls: type) -> Kind:
    """Decide the kind of a class; the order of the tests matters."""
    for base in cls.__mro__:
        if base in _declared:
            return _declared[base]
    if issubclass(cls, (enum.Enum, type, types.FunctionType, types.ModuleType)):
        return Kind.INACTIVE
    if issubclass(cls, (float, complex, np.inexact)):
        return Kind.FLOAT
    if issubclass(cls, np.ndarray):
        return Kind.ARRAY
    if issubclass(cls, np.void):
        return Kind.RECORD
    if issubclass(cls, tuple):
        return Kind.NAMEDTUPLE if hasattr(cls, "_fields") else Kind.TUPLE
    if issubclass(cls, list):
        return Kind.LIST
    if issubclass(cls, dict):
        return Kind.DICT
    if numba_types.is_typed_list(cls):
        return Kind.TYPED_LIST
    if numba_types.is_typed_dict(cls):
        return Kind.TYPED_DICT
    if numba_types.is_instance(cls):
        return Kind.INSTANCE
    if getattr(cls, "__enzyme_frozen__", False):
        return Kind.FROZEN
    dataclass_params = getattr(cls, "__dataclass_params__", None)
    if dataclass_params is not None:
        return Kind.FROZEN if dataclass_params.frozen else Kind.STRUCT
    return Kind.STRUCT if _is_plain(cls) else Kind.INACTIVE


def _is_plain(cls: type) -> bool:
    """Tell whether instances are nothing but their fields."""
    written_in_python = bool(cls.__flags__ & 0x200)  # Py_TPFLAGS_HEAPTYPE
    package = cls.__module__.partition(".")[0]
    if not written_in_python or package in _OPAQUE_PACKAGES:
        return False
    own_ways = ("__new__", "__reduce__", "__reduce_ex__", "__getstate__")
    return all(getattr(cls, name, None) is getattr(object, name, None) for name in own_ways)


_OPAQUE_PACKAGES = frozenset(sys.stdlib_module_names - {"__main__"}) | {
    "numpy",
    "numba",
    "llvmlite",
    "_pytest",
    "pytest",
}


def field_names(x: object) -> Iterator[str]:
    """Return the names of the fields of a struct that are set, in order of definition.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> list(field_names(SimpleNamespace(a=1, b=2)))
    ['a', 'b']
    """
    for cls in reversed(type(x).__mro__):
        slots = cls.__dict__.get("__slots__", ())
        for slot in (slots,) if isinstance(slots, str) else slots:
            if slot in ("__dict__", "__weakref__"):
                continue
            private = slot.startswith("__") and not slot.endswith("__")
            name = f"_{cls.__name__.lstrip('_')}{slot}" if private else slot
            if hasattr(x, name):
                yield name
    yield from getattr(x, "__dict__", ())


def parts(x: Any, kind: Kind) -> Iterator[tuple[str, Any]]:
    """Return the parts of a value with the text that leads to them.

    Examples
    --------
    >>> list(parts([1.0, "a"], Kind.LIST))
    [('[0]', 1.0), ('[1]', 'a')]
    >>> list(parts({"w": 1.0}, Kind.DICT))
    [("['w']", 1.0)]
    """
    if kind in (Kind.TUPLE, Kind.LIST, Kind.TYPED_LIST):
        if kind is Kind.TYPED_LIST and not numba_types.has_items_type(x):
            return
        for index, item in enumerate(x):
            yield f"[{index}]", item
    elif kind is Kind.NAMEDTUPLE:
        for name, item in zip(x._fields, x, strict=True):
            yield f".{name}", item
    elif kind in (Kind.DICT, Kind.TYPED_DICT):
        if kind is Kind.TYPED_DICT and not numba_types.has_items_type(x):
            return
        for key, item in x.items():
            yield f"[{key!r}]", item
    elif kind in (Kind.FROZEN, Kind.STRUCT):
        for name in field_names(x):
            yield f".{name}", getattr(x, name)
    elif kind is Kind.INSTANCE:
        values = numba_types.field_values(x)
        for name, value in zip(numba_types.instance_fields(x), values, strict=True):
            yield f".{name}", value
    elif kind is Kind.ARRAY and x.dtype == object:
        for position in np.ndindex(x.shape):
            yield f"[{', '.join(map(str, position)) or '()'}]", x[position]


def namedtuple_make(x: Any, items: list[Any]) -> Any:
    """Return a tuple of the class of `x` from its entries.

    Examples
    --------
    >>> from collections import namedtuple
    >>> namedtuple_make(namedtuple("P", "x y")(1, 2), [3, 4])
    P(x=3, y=4)
    """
    # Not the class itself: a subclass may have its own arguments.
    return tuple.__new__(type(x), items)


def is_float_buffer(x: Any) -> bool:
    """Is it memory with floats that is no array of NumPy?

    Examples
    --------
    >>> import array
    >>> is_float_buffer(array.array("d", [1.0])), is_float_buffer(b"text")
    (True, False)
    """
    if isinstance(x, memoryview):
        return x.format in ("d", "f")
    return isinstance(x, array.array) and x.typecode in ("d", "f")


def record_memory(record: Any) -> np.ndarray[Any, Any]:
    """The memory of a record as an array without axes, which can be written to if the record can.

    Examples
    --------
    >>> import numpy as np
    >>> record = np.zeros(2, [("x", "f8"), ("n", "i8")])[1]
    >>> record_memory(record)["x"] = 1.5
    >>> print(record["x"])
    1.5
    """
    # The buffer of a record is read-only, whatever its flags say.
    buffer = np.frombuffer(record, np.uint8)
    memory: Any = (ctypes.c_char * buffer.size).from_address(buffer.ctypes.data)
    memory.record = record  # keeps it alive
    made: np.ndarray[Any, Any] = np.ndarray((), record.dtype, buffer=memory)
    made.flags.writeable = record.flags.writeable
    return made


def identity(x: Any, kind: Kind) -> int:
    """The same number for one object: Python makes instances of jitclasses anew each time that it takes them out.

    Examples
    --------
    >>> x = [1.0]
    >>> identity(x, kind_of(x)) == id(x)
    True
    """
    return numba_types.object_address(x) if kind is Kind.INSTANCE else id(x)


def arrays_in(x: Any) -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
    """Return every array reachable from `x` once, with the path that leads to it; a record as its memory.

    Examples
    --------
    >>> import numpy as np
    >>> [path for path, _ in arrays_in((1.0, {"w": np.zeros(3)}))]
    ["[1]['w']"]
    """
    # Boxed parts of compiled containers are temporary; kept, so that no id is used twice.
    seen: dict[int, Any] = {}
    pending: list[tuple[str, Any]] = [("", x)]
    while pending:
        path, value = pending.pop()
        kind = kind_of(value)
        if kind in (Kind.FLOAT, Kind.INACTIVE):
            continue
        key = identity(value, kind)
        if key in seen:
            continue
        seen[key] = value
        if kind is Kind.ARRAY and value.dtype != object:
            yield path, value
        elif kind is Kind.RECORD:
            yield path, record_memory(value)
        children = [(path + step, part) for step, part in parts(value, kind)]
        pending.extend(reversed(children))
