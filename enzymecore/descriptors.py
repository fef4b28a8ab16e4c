"""Light type descriptors: what `typeof` returns.

A descriptor is immutable, hashable and picklable, and equal to another one if a compiled derivative
may be shared between values of the two. Python's own number types are described as the compiler
sees them: ``float`` is float64, ``int`` is int64. Comparing with a type of numba goes through
`enzymecore.numba_types`, which works only where numba has been imported by somebody else; the
descriptor must stand on the left, and hashes differ, so translate with `as_type` before a lookup.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

__all__ = [
    "ArrayType",
    "ClassType",
    "DictType",
    "FunctionType",
    "ListType",
    "NumbaType",
    "ObjectType",
    "RecordType",
    "ScalarType",
    "StructType",
    "TupleType",
    "TypeDescriptor",
]


class TypeDescriptor:
    """Base class of the descriptors.

    Examples
    --------
    >>> from enzymecore import typeof
    >>> isinstance(typeof(1.0), TypeDescriptor)
    True
    """

    __slots__ = ("__weakref__", "_hash", "_key")
    _key: tuple[Any, ...]
    _hash: int

    # Set by `enzymecore.numba_types`; translates a type of numba, or returns None.
    _translate_foreign: Callable[[Any], Any] = staticmethod(lambda foreign: None)

    def _init(self, *key: Any) -> None:
        object.__setattr__(self, "_key", key)
        object.__setattr__(self, "_hash", hash((type(self).__name__, *key)))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable; cannot set {name!r}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable; cannot delete {name!r}")

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if isinstance(other, TypeDescriptor):
            return type(self) is type(other) and self._key == other._key
        translated = TypeDescriptor._translate_foreign(other)
        return NotImplemented if translated is None else bool(self == translated)

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._key


class ScalarType(TypeDescriptor):
    """A number, a string or another value without parts, by the name of its kind.

    Examples
    --------
    >>> ScalarType("float32")
    float32
    >>> ScalarType("float32").dtype
    dtype('float32')
    """

    __slots__ = ()

    def __init__(self, name: str) -> None:
        self._init(name)

    @property
    def name(self) -> str:
        """The name, as ``float64``."""
        return str(self._key[0])

    @property
    def dtype(self) -> np.dtype[Any] | None:
        """The dtype, or None for what is not a number."""
        try:
            return np.dtype(self.name)
        except TypeError:
            return None

    def __repr__(self) -> str:
        return self.name


class ArrayType(TypeDescriptor):
    """An array: dtype, number of dimensions and layout; never its shape.

    Parameters
    ----------
    dtype
        Type of an element.
    ndim
        Number of dimensions.
    layout
        ``"C"``, ``"F"`` or ``"A"`` (any strides).
    mutable
        Whether it may be written to.
    aligned
        Whether elements lie at multiples of their alignment.

    Examples
    --------
    >>> import numpy as np
    >>> ArrayType(np.dtype("float64"), 2, "F")
    float64[::1, :]
    >>> ArrayType(np.dtype("float64"), 1, "C", mutable=False)
    readonly float64[::1]
    """

    __slots__ = ()

    def __init__(
        self,
        dtype: np.dtype[Any],
        ndim: int,
        layout: str = "C",
        mutable: bool = True,
        aligned: bool = True,
    ) -> None:
        self._init(np.dtype(dtype), ndim, layout, mutable, aligned)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of an element."""
        dtype: np.dtype[Any] = self._key[0]
        return dtype

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return int(self._key[1])

    @property
    def layout(self) -> str:
        """``"C"``, ``"F"`` or ``"A"``."""
        return str(self._key[2])

    @property
    def mutable(self) -> bool:
        """Whether it may be written to."""
        return bool(self._key[3])

    @property
    def aligned(self) -> bool:
        """Whether elements lie at multiples of their alignment."""
        return bool(self._key[4])

    def __repr__(self) -> str:
        axes = [":"] * self.ndim
        if axes and self.layout == "C":
            axes[-1] = "::1"
        elif axes and self.layout == "F":
            axes[0] = "::1"
        notes = ("" if self.mutable else "readonly ") + ("" if self.aligned else "unaligned ")
        return f"{notes}{self.dtype}[{', '.join(axes) or '()'}]"


class TupleType(TypeDescriptor):
    """A plain tuple by the types of its entries.

    Examples
    --------
    >>> TupleType((ScalarType("float64"), ScalarType("int64")))
    (float64, int64)
    """

    __slots__ = ()

    def __init__(self, types: tuple[Any, ...]) -> None:
        self._init(tuple(types))

    @property
    def types(self) -> tuple[Any, ...]:
        """Types of the entries."""
        types: tuple[Any, ...] = self._key[0]
        return types

    def __repr__(self) -> str:
        entries = ", ".join(map(repr, self.types))
        return f"({entries},)" if len(self.types) == 1 else f"({entries})"


class StructType(TypeDescriptor):
    """A NamedTuple or another immutable struct: its class, and names and types of its fields.

    Examples
    --------
    >>> from typing import NamedTuple
    >>> from enzymecore import typeof
    >>> class Point(NamedTuple):
    ...     x: float
    ...     y: float
    >>> typeof(Point(1.0, 2.0))
    Point(x=float64, y=float64)
    """

    __slots__ = ()

    def __init__(self, cls: type, names: tuple[str, ...], types: tuple[Any, ...]) -> None:
        self._init(cls, tuple(names), tuple(types))

    @property
    def cls(self) -> type:
        """The class."""
        cls: type = self._key[0]
        return cls

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the fields."""
        names: tuple[str, ...] = self._key[1]
        return names

    @property
    def types(self) -> tuple[Any, ...]:
        """Types of the fields."""
        types: tuple[Any, ...] = self._key[2]
        return types

    def __repr__(self) -> str:
        fields = (f"{name}={kind!r}" for name, kind in zip(self.names, self.types, strict=True))
        return f"{self.cls.__name__}({', '.join(fields)})"


class ListType(TypeDescriptor):
    """A Python list by the common type of its elements; None where there is none.

    Examples
    --------
    >>> ListType(ScalarType("float64"))
    list[float64]
    >>> ListType(None)
    list
    """

    __slots__ = ()

    def __init__(self, element: Any) -> None:
        self._init(element)

    @property
    def element(self) -> Any:
        """The common type of the elements, or None."""
        return self._key[0]

    def __repr__(self) -> str:
        return "list" if self.element is None else f"list[{self.element!r}]"


class DictType(TypeDescriptor):
    """A Python dict by the common types of its keys and its values; None where there is none.

    Examples
    --------
    >>> DictType(ScalarType("str"), ScalarType("float64"))
    dict[str, float64]
    """

    __slots__ = ()

    def __init__(self, key: Any, value: Any) -> None:
        self._init(key, value)

    @property
    def key(self) -> Any:
        """The common type of the keys, or None."""
        return self._key[0]

    @property
    def value(self) -> Any:
        """The common type of the values, or None."""
        return self._key[1]

    def __repr__(self) -> str:
        if self.key is None and self.value is None:
            return "dict"
        names = ("object" if part is None else repr(part) for part in self._key)
        return f"dict[{', '.join(names)}]"


class ClassType(TypeDescriptor):
    """A class or dtype as a value, as the argument of ``np.zeros(3, np.float32)``.

    Examples
    --------
    >>> import numpy as np
    >>> ClassType(int)
    type[int]
    >>> ClassType(np.dtype("float32")) == ClassType(np.float32)
    True
    """

    __slots__ = ()

    def __init__(self, target: Any) -> None:
        if isinstance(target, np.dtype) and target.names is None and target.subdtype is None:
            target = target.type
        self._init(target)

    @property
    def target(self) -> Any:
        """The class; the dtype where it is a structured one."""
        return self._key[0]

    def __repr__(self) -> str:
        return f"type[{getattr(self.target, '__name__', self.target)}]"


class ObjectType(TypeDescriptor):
    """A value of which only the class is known.

    Examples
    --------
    >>> ObjectType(set)
    set
    """

    __slots__ = ()

    def __init__(self, cls: type) -> None:
        self._init(cls)

    @property
    def cls(self) -> type:
        """The class."""
        cls: type = self._key[0]
        return cls

    def __repr__(self) -> str:
        return self.cls.__name__


class RecordType(TypeDescriptor):
    """A structured scalar, as an element of an array with fields.

    Examples
    --------
    >>> import numpy as np
    >>> RecordType(np.dtype([("x", "f8"), ("n", "i8")]))
    record(x=float64, n=int64)
    """

    __slots__ = ()

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self._init(np.dtype(dtype))

    @property
    def dtype(self) -> np.dtype[Any]:
        """The structured dtype."""
        dtype: np.dtype[Any] = self._key[0]
        return dtype

    def __repr__(self) -> str:
        fields = (f"{name}={self.dtype[name]}" for name in self.dtype.names or ())
        return f"record({', '.join(fields)})"


class NumbaType(TypeDescriptor):
    """A type of numba that has no Python counterpart, as a typed list or a jitclass.

    Examples
    --------
    >>> NumbaType("ListType[float64]").numba_type
    'ListType[float64]'
    """

    __slots__ = ()

    def __init__(self, numba_type: Any) -> None:
        object.__setattr__(self, "_key", (numba_type,))
        # The hash of numba's own type, so that both find the same entry of a dict.
        object.__setattr__(self, "_hash", hash(numba_type))

    @property
    def numba_type(self) -> Any:
        """The type of numba."""
        return self._key[0]

    def __repr__(self) -> str:
        return str(self.numba_type)


class FunctionType(TypeDescriptor):
    """A function by its identity; there is one descriptor per function object.

    Examples
    --------
    >>> import math
    >>> FunctionType(math.sin) is FunctionType(math.sin)
    True
    >>> FunctionType(math.sin)
    typeof(sin)
    """

    __slots__ = ()

    # The descriptor keeps the function alive, hence no id is reused while its entry exists.
    _instances: ClassVar[weakref.WeakValueDictionary[int, FunctionType]]
    _instances = weakref.WeakValueDictionary()

    def __new__(cls, function: Any) -> FunctionType:
        """Return the descriptor of `function`, always the same one."""
        known = cls._instances.get(id(function))
        if known is not None:
            return known
        self = super().__new__(cls)
        object.__setattr__(self, "_key", (function,))
        object.__setattr__(self, "_hash", hash(("FunctionType", id(function))))
        cls._instances[id(function)] = self
        return self

    def __init__(self, function: Any) -> None:
        # Complete already; `__new__` may have returned an old descriptor.
        pass

    @property
    def function(self) -> Any:
        """The function."""
        return self._key[0]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, TypeDescriptor):
            return self is other
        return super().__eq__(other)

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return f"typeof({getattr(self.function, '__name__', self.function)})"
