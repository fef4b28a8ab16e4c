"""Describe a value by a light, hashable, picklable descriptor, without importing a compiler."""

from __future__ import annotations

import builtins
import types
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from enzymecore import numba_types
from enzymecore.descriptors import (
    ArrayType,
    ClassType,
    DictType,
    FunctionType,
    ListType,
    NumbaType,
    ObjectType,
    RecordType,
    ScalarType,
    StructType,
    TupleType,
    TypeDescriptor,
)
from enzymecore.structure import Kind, kind_of, parts

__all__ = ["as_type", "describe_annotations_by", "typeof"]

_FLOAT64 = ScalarType("float64")
_SCALARS: dict[type, ScalarType] = {
    float: _FLOAT64,
    complex: ScalarType("complex128"),
    int: ScalarType("int64"),
    bool: ScalarType("bool"),
    str: ScalarType("str"),
    bytes: ScalarType("bytes"),
    type(None): ScalarType("none"),
}
_FUNCTION_CLASSES = (
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
    types.MethodWrapperType,
    types.WrapperDescriptorType,
    types.MethodDescriptorType,
    np.ufunc,
)

# Set by `describe_annotations_by`: the class of annotations, and how one is described.
_annotation_class: type = type("_NotYetDefined", (), {})
_describe_annotation: Callable[[Any], Any] = ObjectType


def describe_annotations_by(cls: type, describe: Callable[[Any], Any]) -> None:
    """Set the class of annotations and the function that describes one; called once, from above."""
    global _annotation_class, _describe_annotation
    _annotation_class = cls
    _describe_annotation = describe


def typeof(x: Any) -> Any:
    """Return the descriptor of the type of `x`.

    Returns
    -------
    TypeDescriptor or annotation class
        An annotation is described by its parametrised class, as ``Const[float64]``.

    Examples
    --------
    >>> import numpy as np
    >>> typeof(1.0) == typeof(np.float64(1))
    True
    >>> typeof(np.zeros((2, 3)))
    float64[:, ::1]
    >>> typeof((1.0, 2, "text"))
    (float64, int64, str)
    >>> typeof(int)
    type[int]
    """
    return _SCALARS.get(type(x)) or _describe(x, ())


def _describe(x: Any, inside: tuple[int, ...]) -> Any:
    """Describe `x`, a part of the containers whose ids are `inside`."""
    known = _SCALARS.get(type(x))
    if known is not None:
        return known
    if isinstance(x, np.ndarray):
        return _describe_array(x)
    if isinstance(x, _annotation_class):
        return _describe_annotation(x)
    if isinstance(x, (type, np.dtype)):
        return ClassType(x)
    if isinstance(x, np.generic):
        return RecordType(x.dtype) if isinstance(x, np.void) else ScalarType(x.dtype.name)
    if isinstance(x, _FUNCTION_CLASSES) or numba_types.is_numba_function(x):
        return FunctionType(x)
    # A container that contains itself ends the description there.
    return ObjectType(type(x)) if id(x) in inside else _describe_structure(x, (*inside, id(x)))


def _describe_array(x: np.ndarray[Any, Any]) -> TypeDescriptor:
    """Describe an array; where it is both C and F contiguous, it counts as C."""
    flags = x.flags
    layout = "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
    return ArrayType(x.dtype, x.ndim, layout, flags.writeable, flags.aligned)


def _describe_structure(x: Any, inside: tuple[int, ...]) -> Any:
    """Describe a container, a struct, or a value of an unknown class."""
    kind = kind_of(x)
    if type(x) is tuple:
        return TupleType(tuple(_describe(item, inside) for item in x))
    if type(x) is list:
        return ListType(_common_type(x, inside))
    if type(x) is dict:
        return DictType(_common_type(x.keys(), inside), _common_type(x.values(), inside))
    if isinstance(x, tuple) and hasattr(x, "_fields"):  # declared inactive or not
        kind = Kind.NAMEDTUPLE
    if kind is Kind.NAMEDTUPLE or kind is Kind.FROZEN:
        fields = [(path[1:], _describe(part, inside)) for path, part in parts(x, kind)]
        names = tuple(name for name, _ in fields)
        return StructType(type(x), names, tuple(described for _, described in fields))
    if kind in (Kind.TYPED_LIST, Kind.TYPED_DICT, Kind.INSTANCE) and getattr(x, "_typed", True):
        return NumbaType(x._numba_type_)
    declared = numba_types.declared_type(x)
    return ObjectType(type(x)) if declared is None else NumbaType(declared)


def _common_type(items: Iterable[Any], inside: tuple[int, ...]) -> Any:
    """Return the type that all items share, or None."""
    found = None
    for item in items:
        described = _describe(item, inside)
        if found is None:
            found = described
        elif found != described:
            return None
    return found


def as_type(x: Any) -> Any:
    """Return the descriptor that `x` stands for, where a type is asked for.

    Parameters
    ----------
    x
        A descriptor, an annotation class, a type of numba, a dtype, a Python or numpy class, or a
        tuple of such types.

    Raises
    ------
    TypeError
        If `x` is not a type.

    Examples
    --------
    >>> import numpy as np
    >>> as_type(float), as_type(np.float32), as_type((float, int))
    (float64, float32, (float64, int64))
    >>> as_type(1.0)
    Traceback (most recent call last):
        ...
    TypeError: a type is needed here, not the value 1.0; did you mean typeof(...)?
    """
    if isinstance(x, TypeDescriptor):
        return x
    if x is None:
        return _SCALARS[type(None)]
    if isinstance(x, builtins.type):
        if issubclass(x, _annotation_class):
            return x
        known = _SCALARS.get(x)
        if known is not None:
            return known
        if issubclass(x, (np.number, np.bool_)):
            return ScalarType(np.dtype(x).name)
        return ObjectType(x)
    if isinstance(x, np.dtype):
        return ScalarType(x.name) if x.names is None else RecordType(x)
    if type(x) is tuple:
        return TupleType(tuple(map(as_type, x)))
    translated = numba_types.from_numba(x)
    if translated is not None:
        return translated
    shown = repr(x)
    shown = shown if len(shown) <= 40 else shown[:37] + "..."
    raise TypeError(f"a type is needed here, not the value {shown}; did you mean typeof(...)?")
