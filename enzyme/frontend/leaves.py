"""The primitive parts of a value: how numba flattens it along its data model, and what each part holds.

See `abi` for what becomes of them as parameters of a function.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import replace

from numba.core import types
from numba.np.numpy_support import as_dtype

from enzyme.frontend.numba_compat.models import (
    NumPyRandomGeneratorType,
    OmittedArgDataModel,
    StructModel,
    TupleModel,
    UniTupleModel,
    members,
    model_of,
)
from enzyme_rules.registry import is_inactive_class
from enzymecore.record import record


class LeafKind(enum.Enum):
    """What one LLVM parameter is."""

    FLOAT = "float"
    INTEGER = "integer"
    DATA = "data"
    MEMINFO = "meminfo"
    PARENT = "parent"
    OPAQUE = "opaque"
    RETPTR = "retptr"
    EXCINFO = "excinfo"

    @property
    def is_memory(self) -> bool:
        return self in (LeafKind.DATA, LeafKind.MEMINFO, LeafKind.PARENT)


@record
class Leaf:
    """One primitive part of a Python value; `path` names the fields that lead to it."""

    path: tuple[str | int, ...]
    kind: LeafKind
    type: types.Type
    differentiable: bool


@record
class Parameter:
    """One LLVM parameter. `argument` is the Python position, -1 for `retptr` and `excinfo`."""

    argument: int
    leaf: Leaf
    llvm: str
    seed: str
    name: str


@record
class Abi:
    """All LLVM parameters in order, and the leaves of the returned value with byte offsets."""

    parameters: tuple[Parameter, ...]
    returned: tuple[tuple[int, Leaf], ...]

    @property
    def seeds(self) -> tuple[str, ...]:
        return tuple(p.seed for p in self.parameters)

    def without_names(self) -> Abi:
        """The same for functions whose parameters are named otherwise."""
        return replace(self, parameters=tuple(replace(p, name="") for p in self.parameters))


def is_inactive(ty: types.Type) -> bool:
    """Is this the numba type of a class declared inactive?"""
    if isinstance(ty, types.BaseNamedTuple):
        return is_inactive_class(ty.instance_class)
    return False


def is_fixed(ty: types.Type) -> bool:
    """Is the value known from the type alone? Such arguments need not be passed from Python."""
    if isinstance(ty, types.BaseTuple):
        return all(map(is_fixed, ty.types))
    return isinstance(
        ty,
        types.Omitted | types.NoneType | types.Callable | types.Literal | types.Module,
    ) and not isinstance(ty, types.FunctionType)


def is_differentiable(ty: types.Type) -> bool:
    """Does a value of this type hold floats, by value or in memory?"""
    return any(leaf.differentiable for leaf in leaves(ty))


def float_content(dtype: types.Type) -> str | None:
    """Name in type trees of the floats that fill memory of `dtype`; None where not all floats."""
    names = {types.float64: "double", types.float32: "float", types.float16: "half"}
    if isinstance(dtype, types.Complex):
        dtype = dtype.underlying_float
    return names.get(dtype)


def _may_hold_floats(dtype: types.Type) -> bool:
    return not isinstance(
        dtype, types.Integer | types.Boolean | types.NPDatetime | types.NPTimedelta | types.CharSeq
    )


def _content_may_hold_floats(ty: types.Type) -> bool:
    """Is there anything to differentiate in an array, a typed list or a typed dictionary?"""
    if isinstance(ty, types.Array):
        return _may_hold_floats(ty.dtype)
    return is_differentiable(ty.item_type if isinstance(ty, types.ListType) else ty.value_type)


def leaves(ty: types.Type, path: tuple[str | int, ...] = ()) -> Iterator[Leaf]:
    """Primitive parts of a value of type `ty`, in the order numba passes them."""
    if not is_inactive(ty):
        yield from _leaves(ty, path)
        return
    for leaf in _leaves(ty, path):
        yield replace(leaf, differentiable=False)


def held_by_value(ty: types.Type) -> tuple[bool, ...]:
    """For each leaf of a value of type `ty`: is it a number, or part of one, outside of arrays and other memory?"""
    if isinstance(ty, types.BaseTuple):
        return sum(map(held_by_value, ty.types), ())
    numbers = types.Number | types.Boolean | types.NPDatetime | types.NPTimedelta
    return (isinstance(ty, numbers),) * len(list(leaves(ty)))


def _leaves(ty: types.Type, path: tuple[str | int, ...]) -> Iterator[Leaf]:
    if isinstance(ty, types.Float):
        yield Leaf(path, LeafKind.FLOAT, ty, True)
        return
    if isinstance(ty, types.Integer | types.Boolean | types.NPDatetime | types.NPTimedelta):
        yield Leaf(path, LeafKind.INTEGER, ty, False)
        return
    if isinstance(ty, types.CPointer | types.RawPointer):
        dtype = getattr(ty, "dtype", types.none)
        yield Leaf(path, LeafKind.DATA, ty, _may_hold_floats(dtype))
        return
    if isinstance(ty, types.MemInfoPointer):
        yield Leaf(path, LeafKind.MEMINFO, ty, _may_hold_floats(ty.dtype))
        return
    if ty == types.pyobject:
        yield Leaf(path, LeafKind.PARENT, ty, False)
        return
    if isinstance(ty, types.Record):
        floats = any(not what.startswith("Integer") for _, what in record_entries(ty))
        yield Leaf(path, LeafKind.DATA, ty, floats)
        return
    model = model_of(ty)
    if isinstance(ty, types.FunctionType):
        for name, _ in members(model):
            yield Leaf((*path, name), LeafKind.OPAQUE, ty, False)
        return
    if isinstance(ty, types.Array | types.ListType | types.DictType):
        floats = _content_may_hold_floats(ty)
        for name, member in members(model):
            for leaf in leaves(member, (*path, name)):
                yield Leaf(leaf.path, leaf.kind, leaf.type, floats and leaf.kind.is_memory)
    elif isinstance(model, UniTupleModel):
        for index in range(ty.count):
            yield from leaves(ty.dtype, (*path, index))
    elif isinstance(model, TupleModel):
        for index, member in enumerate(ty.types):
            yield from leaves(member, (*path, index))
    elif isinstance(model, StructModel):
        for name, member in members(model):
            inside = leaves(member, (*path, name))
            if isinstance(ty, types.UnicodeType):
                inside = (Leaf(x.path, LeafKind.OPAQUE, x.type, False) for x in inside)
            elif isinstance(ty, NumPyRandomGeneratorType):
                inside = (Leaf(x.path, LeafKind.OPAQUE, ty, False) for x in inside)
            yield from inside
    elif isinstance(model, OmittedArgDataModel):
        return
    else:
        yield Leaf(path, LeafKind.OPAQUE, ty, False)


def numbers_in(ty: types.Type, start: int = 0) -> Iterator[tuple[int, str | None]]:
    """Offset of every number in an item, and the name of its type in LLVM if it is a float."""
    if isinstance(ty, types.Record):
        for member in ty.fields.values():
            yield from numbers_in(member.type, start + member.offset)
    elif isinstance(ty, types.NestedArray):
        size = as_dtype(ty.dtype).itemsize
        for index in range(ty.nitems):
            yield from numbers_in(ty.dtype, start + index * size)
    elif (name := float_content(ty)) is not None:
        step = (ty.underlying_float if isinstance(ty, types.Complex) else ty).bitwidth // 8
        for offset in range(start, start + ty.bitwidth // 8, step):
            yield offset, name
    else:
        yield start, None


def record_entries(ty: types.Type) -> Iterator[tuple[int, str]]:
    """Offset and kind of every number in a record. What is neither float nor integer counts as integers."""
    for offset, name in numbers_in(ty):
        yield offset, "Integer" if name is None else f"Float@{name}"
