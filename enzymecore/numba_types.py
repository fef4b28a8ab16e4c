"""What is known of numba without importing it.

Every question is answered from modules that somebody else has already imported; where numba is not
loaded, no value can be one of its values. What calls the compiler is reached only with an instance of a
jitclass or structref in hand.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
import sys
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from enzymecore.descriptors import (
    ArrayType,
    ClassType,
    FunctionType,
    ListType,
    NumbaType,
    RecordType,
    ScalarType,
    StructType,
    TupleType,
    TypeDescriptor,
)

__all__ = [
    "declare_type",
    "declared_type",
    "field_values",
    "from_numba",
    "holds_floats",
    "is_instance",
    "is_numba_function",
    "is_numba_type",
    "is_typed_dict",
    "is_typed_list",
    "instance_fields",
    "new_instance",
    "object_address",
    "set_field_values",
]

_SCALAR_NAMES = {"unicode_type": "str", "none": "none", "boolean": "bool", "bool": "bool"}


def _loaded(module: str, name: str) -> Any:
    """Return an attribute of a module, or None if the module is not loaded (or half loaded)."""
    return getattr(sys.modules.get(module), name, None)


def is_numba_type(x: object) -> bool:
    """Tell whether `x` is a type of numba.

    Examples
    --------
    >>> is_numba_type(float)
    False
    """
    base = _loaded("numba.core.types", "Type")
    return base is not None and isinstance(x, base)


def is_typed_list(cls: type) -> bool:
    """Tell whether `cls` is the class of numba's typed lists.

    Examples
    --------
    >>> is_typed_list(list)
    False
    """
    known = _loaded("numba.typed.typedlist", "List")
    return known is not None and issubclass(cls, known)


def is_typed_dict(cls: type) -> bool:
    """Tell whether `cls` is the class of numba's typed dicts.

    Examples
    --------
    >>> is_typed_dict(dict)
    False
    """
    known = _loaded("numba.typed.typeddict", "Dict")
    return known is not None and issubclass(cls, known)


_declared: weakref.WeakKeyDictionary[type, Callable[[Any], Any]] = weakref.WeakKeyDictionary()


def declare_type(cls: type, type_of: Callable[[Any], Any] | None) -> None:
    """Declare that numba has a type for the values of `cls`, which `type_of(value)` gives; None takes that back.

    For classes of extensions of numba: what numba makes of such a value is then what `typeof` says of it, so that
    thunks and rules can name the type.

    Examples
    --------
    >>> class Beam:
    ...     pass
    >>> declare_type(Beam, lambda beam: "the type of beams")
    >>> declared_type(Beam())
    'the type of beams'
    >>> declare_type(Beam, None)
    >>> declared_type(Beam()) is None
    True
    """
    if type_of is None:
        _declared.pop(cls, None)
    else:
        _declared[cls] = type_of


def declared_type(x: object) -> Any:
    """Return the type that numba has for a value of a declared class; None for others."""
    type_of = _declared.get(type(x))
    return None if type_of is None else type_of(x)


def has_items_type(x: Any) -> bool:
    """Tell whether a typed list or dict knows the type of its items; one that was made empty may not.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> has_items_type(SimpleNamespace(_typed=False))
    False
    """
    return bool(x._typed)


def is_instance(cls: type) -> bool:
    """Tell whether `cls` is the class of the instances of a jitclass or structref.

    Examples
    --------
    >>> is_instance(object)
    False
    """
    known = _loaded("numba.core.types", "ClassInstanceType")
    if known is not None and isinstance(getattr(cls, "_numba_type_", None), known):
        return True
    proxy = _loaded("numba.experimental.structref", "StructRefProxy")
    return proxy is not None and issubclass(cls, proxy)


def object_address(x: Any) -> int:
    """Where a typed list or dict, or an instance of a jitclass or structref, has its content.

    Python makes a new object each time that it takes one out of another; this tells whether they are the same.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> object_address(SimpleNamespace(_opaque=SimpleNamespace(data=64)))
    64
    """
    box = sys.modules.get("numba.experimental.jitclass._box")
    if box is not None and isinstance(x, box.Box):
        return ctypes.c_size_t.from_address(id(x) + box.box_dataptr_offset).value
    if not getattr(x, "_typed", True):  # made empty, and not used yet
        return id(x)
    return int((x._meminfo if hasattr(x, "_meminfo") else x._opaque).data)


def is_numba_function(x: object) -> bool:
    """Tell whether `x` is a function compiled by numba.

    Examples
    --------
    >>> is_numba_function(len)
    False
    """
    kinds = (
        _loaded("numba.core.dispatcher", "Dispatcher"),
        _loaded("numba.core.ccallback", "CFunc"),
        _loaded("numba.stencils.stencil", "StencilFunc"),
    )
    return any(kind is not None and isinstance(x, kind) for kind in kinds)


def instance_fields(x: Any) -> tuple[str, ...]:
    """Return the names of the fields of an instance of a jitclass or structref.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> instance_fields(SimpleNamespace(_numba_type_=SimpleNamespace(struct={"a": "float64"})))
    ('a',)
    """
    return tuple(_field_types(x._numba_type_))


def _field_types(instance_type: Any) -> dict[str, Any]:
    """The types of the fields of a jitclass or structref, by name."""
    found = getattr(instance_type, "struct", None)
    return dict(instance_type._fields if found is None else found)


def field_values(x: Any) -> tuple[Any, ...]:
    """Return the content of the fields of an instance of a jitclass or structref.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> field_values(SimpleNamespace(a=1.5, _numba_type_=SimpleNamespace(struct={"a": "float64"})))
    (1.5,)
    """
    if hasattr(x._numba_type_, "struct"):
        return tuple(getattr(x, name) for name in instance_fields(x))
    found: tuple[Any, ...] = _accessors(x._numba_type_)[0](x)
    return found


def set_field_values(x: Any, values: Sequence[Any]) -> None:
    """Assign to all fields of an instance of a jitclass or structref.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> x = SimpleNamespace(a=1.5, _numba_type_=SimpleNamespace(struct={"a": "float64"}))
    >>> set_field_values(x, [2.5])
    >>> x.a
    2.5
    """
    if hasattr(x._numba_type_, "struct"):
        for name, value in zip(instance_fields(x), values, strict=True):
            setattr(x, name, value)
    else:
        _accessors(x._numba_type_)[1](x, *values)


@functools.cache
def _accessors(instance_type: Any) -> tuple[Any, Any]:
    """Compiled functions that read all fields of a structref, and that write them.

    From Python a structref has only the attributes that its author gave it.
    """
    from numba import njit

    names = list(_field_types(instance_type))
    new = [f"new{k}" for k in range(len(names))]
    read = "".join(f"x.{name}, " for name in names)
    write = "".join(f"    x.{name} = {value}\n" for name, value in zip(names, new, strict=True))
    scope: dict[str, Any] = {}
    exec(
        f"def read(x):\n    return ({read})\n"
        f"def write({', '.join(['x', *new])}):\n{write or '    pass'}\n",
        scope,
    )
    return njit(scope["read"]), njit(scope["write"])


def from_numba(numba_type: Any) -> TypeDescriptor | None:
    """Return the descriptor that matches a type of numba; None if `numba_type` is not one.

    Examples
    --------
    >>> from_numba(float) is None
    True
    """
    if not is_numba_type(numba_type):
        return None
    types = sys.modules["numba.core.types"]
    return _translate(types, numba_type)


def _translate(types: Any, numba_type: Any) -> TypeDescriptor:
    """Translate the types of numba that a plain Python value can have; keep the others."""
    if isinstance(numba_type, (types.Integer, types.Float, types.Complex)):
        return ScalarType(str(numba_type))
    if isinstance(numba_type, types.Boolean):
        return ScalarType("bool")
    if str(numba_type) in _SCALAR_NAMES:
        return ScalarType(_SCALAR_NAMES[str(numba_type)])
    if type(numba_type) is types.Array:
        dtype = _element_dtype(types, numba_type.dtype)
        if dtype is None:
            return NumbaType(numba_type)
        # Arrays of packed records count as unaligned there, whatever their address.
        aligned = numba_type.aligned or isinstance(numba_type.dtype, types.Record)
        return ArrayType(dtype, numba_type.ndim, numba_type.layout, numba_type.mutable, aligned)
    if isinstance(numba_type, types.BaseNamedTuple):
        entries = tuple(_translate(types, entry) for entry in numba_type)
        return StructType(numba_type.instance_class, tuple(numba_type.fields), entries)
    if isinstance(numba_type, types.BaseTuple):
        return TupleType(tuple(_translate(types, entry) for entry in numba_type))
    if isinstance(numba_type, types.List):
        return ListType(_translate(types, numba_type.dtype))
    if isinstance(numba_type, (types.NumberClass, types.DType)):
        dtype = _element_dtype(types, numba_type.dtype)
        return NumbaType(numba_type) if dtype is None else ClassType(dtype)
    if isinstance(numba_type, types.Record):
        dtype = _element_dtype(types, numba_type)
        return NumbaType(numba_type) if dtype is None else RecordType(dtype)
    if isinstance(numba_type, types.Dispatcher):
        return FunctionType(numba_type.dispatcher)
    return NumbaType(numba_type)


def _element_dtype(types: Any, numba_type: Any) -> np.dtype[Any] | None:
    """Return the dtype of an array element, or None where numpy has none."""
    as_dtype = _loaded("numba.np.numpy_support", "as_dtype")
    if as_dtype is None:
        return None
    try:
        found: np.dtype[Any] = np.dtype(as_dtype(numba_type))
    except (NotImplementedError, TypeError):
        return None
    return found


def holds_floats(numba_type: Any) -> bool:
    """Tell whether values of a type of numba hold differentiable data anywhere.

    Examples
    --------
    >>> holds_floats("not a type of numba")
    False
    """
    return _holds_floats(sys.modules.get("numba.core.types"), numba_type, set())


def _holds_floats(types: Any, numba_type: Any, seen: set[Any]) -> bool:
    """Search a type of numba for floats; recursive types terminate through `seen`."""
    if types is None or not isinstance(numba_type, types.Type) or numba_type in seen:
        return False
    seen.add(numba_type)
    if isinstance(numba_type, (types.Float, types.Complex)):
        return True
    parts: list[Any] = []
    if isinstance(numba_type, (types.NumberClass, types.DType)):
        return False
    if isinstance(numba_type, types.ClassInstanceType):
        parts.extend(numba_type.struct.values())
    elif isinstance(numba_type, types.DictType):
        parts.append(numba_type.value_type)
    elif isinstance(numba_type, types.BaseTuple):
        parts.extend(numba_type)
    elif isinstance(numba_type, types.Record):
        parts.extend(field.type for field in numba_type.fields.values())
    elif isinstance(numba_type, types.StructRef):
        parts.extend(kind for _, kind in numba_type._fields)
    else:
        # Lists, arrays, optional and deferred types name their content in one of these ways.
        for name in ("item_type", "dtype", "type"):
            parts.append(getattr(numba_type, name, None))
        if isinstance(numba_type, types.DeferredType):
            parts.append(numba_type.get())
        if parts == [None, None, None]:
            parts.extend(_members(numba_type))
    return any(_holds_floats(types, part, seen) for part in parts)


def _members(numba_type: Any) -> list[Any]:
    """The types of the members of a value whose data model is a struct, as extensions register it."""
    manager = _loaded("numba.core.datamodel", "default_manager")
    model = _loaded("numba.core.datamodel.models", "StructModel")
    if manager is None or model is None:
        return []
    try:
        found = manager.lookup(numba_type)
    except KeyError:
        return []
    return list(found._members) if isinstance(found, model) else []


@functools.cache
def _instance_maker(instance_type: Any) -> Any:
    """Compile a function that allocates an instance of a jitclass with all bytes zero.

    The constructor of the user must not run: it may take arguments or have effects.
    """
    from numba import njit
    from numba.core import types
    from numba.extending import intrinsic

    # Through `import_module`, because these modules of numba have no type annotations.
    cgutils: Any = importlib.import_module("numba.core.cgutils")
    imputils: Any = importlib.import_module("numba.core.imputils")
    imp_dtor: Any = importlib.import_module("numba.experimental.jitclass.base").imp_dtor

    def allocate(typing_context: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            data_type = context.get_data_type(instance_type.get_data_type())
            size = context.get_constant(types.uintp, context.get_abi_sizeof(data_type))
            dtor = imp_dtor(context, builder.module, instance_type)
            meminfo = context.nrt.meminfo_alloc_dtor(builder, size, dtor)
            data = context.nrt.meminfo_data(builder, meminfo)
            data = builder.bitcast(data, data_type.as_pointer())
            builder.store(cgutils.get_null_value(data_type), data)
            instance = context.make_helper(builder, instance_type)
            instance.meminfo = meminfo
            instance.data = builder.bitcast(data, instance.data.type)
            return imputils.impl_ret_new_ref(context, builder, instance_type, instance._getvalue())

        return instance_type(), codegen

    allocate_instance: Any = intrinsic(allocate)

    def make() -> Any:
        return allocate_instance()

    return njit(make)


@functools.cache
def _structref_maker(instance_type: Any) -> Any:
    """Compile a function that allocates a structref with all bytes zero."""
    from numba import njit

    new: Any = importlib.import_module("numba.experimental.structref").new

    def make() -> Any:
        return new(instance_type)

    return njit(make)


def new_instance(x: Any) -> Any:
    """Return a new instance of the jitclass or structref of `x` whose fields are all unset (zero bytes).

    Examples
    --------
    >>> from enzymecore.numba_types import new_instance
    """
    instance_type = x._numba_type_
    is_class = hasattr(instance_type, "struct")
    return (_instance_maker if is_class else _structref_maker)(instance_type)()


TypeDescriptor._translate_foreign = staticmethod(from_numba)
