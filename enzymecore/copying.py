"""Make new values with the structure, the layout and the aliasing of old ones.

One walk serves copies, tangents and vectors: it visits what a value is made of in a fixed order,
every object once, and asks a function for each number and for each piece of memory.  Objects that
nobody can take apart (functions, classes, strings, values of unknown classes) are kept.

Memory is taken in *blocks*: an array alone is one, arrays that share elements are one together, so
that they share them in the new value too.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from enzymecore import numba_types
from enzymecore.structure import (
    Kind,
    arrays_in,
    field_names,
    kind_of,
    namedtuple_make,
    record_memory,
)

Array = np.ndarray[Any, Any]


def _extent(x: Array) -> tuple[int, int]:
    """The first address of an array's elements and the one after the last."""
    start = x.__array_interface__["data"][0]
    reaches = [(n - 1) * stride for n, stride in zip(x.shape, x.strides)]
    low = start + sum(reach for reach in reaches if reach < 0)
    return low, start + sum(reach for reach in reaches if reach > 0) + x.itemsize


def _key(x: Array) -> tuple[Any, ...]:
    """What tells the memory of an array, and how it is looked at, from any other."""
    return x.__array_interface__["data"][0], x.shape, x.strides, x.dtype.str, x.dtype.names


def float_views(x: Array) -> Iterator[Array]:
    """Return views of the real numbers in an array: fields in order, all real parts before imaginary ones."""
    if x.dtype.kind == "f":
        yield x
    elif x.dtype.kind == "c":
        yield from (x.real, x.imag)
    elif x.dtype.names is not None:
        for name in x.dtype.names:
            yield from float_views(x[name])


@dataclass
class Block:
    """Arrays that share memory, or one array alone."""

    arrays: dict[tuple[Any, ...], Array]
    low: int
    high: int

    @property
    def shared(self) -> bool:
        """Whether an element may be reached in two ways."""
        if len(self.arrays) > 1:
            return True
        (only,) = self.arrays.values()
        return any(n > 1 and stride == 0 for n, stride in zip(only.shape, only.strides))

    def twins(self) -> dict[tuple[Any, ...], Array]:
        """Writeable copies of the arrays over new memory, by the keys of the old ones."""
        memory = np.zeros(self.high - self.low, np.uint8)
        made = {}
        for key, x in self.arrays.items():
            offset = x.__array_interface__["data"][0] - self.low
            twin = np.ndarray(x.shape, x.dtype, memory.data, offset, x.strides)
            # Not at once where elements coincide: numpy refuses to write to a broadcast array.
            twin[...] = x
            made[key] = twin
        return made


Blocks = dict[tuple[Any, ...], Block]


def blocks_of(x: Any) -> Blocks:
    """The blocks of all arrays in a value, by the key of each array."""
    found: dict[tuple[Any, ...], Array] = {}
    for _, array in arrays_in(x):
        found.setdefault(_key(array), array)
    blocks: list[Block] = []
    for key, array in sorted(found.items(), key=lambda item: _extent(item[1])):
        low, high = _extent(array)
        last = blocks[-1] if blocks else None
        if last is not None and array.size and low < last.high and _touch(last, array):
            last.arrays[key] = array
            last.high = max(last.high, high)
        else:
            blocks.append(Block({key: array}, low, high))
    return {key: block for block in blocks for key in block.arrays}


def _touch(block: Block, array: Array) -> bool:
    """Whether an array may share an element with one of a block."""
    return any(np.may_share_memory(other, array) for other in block.arrays.values())


Number = Callable[[Any], Any]
Fill = Callable[[Block, dict[tuple[Any, ...], Array]], None]


class Rebuild:
    """One walk: `number(x)` gives the new number, `fill(block, twins)` changes the copied memory.

    `blocks` may be given where one value is walked again and again.
    """

    def __init__(self, x: Any, number: Number, fill: Fill, blocks: Blocks | None = None) -> None:
        self.number, self.fill = number, fill
        self.blocks = blocks_of(x) if blocks is None else blocks
        self.twins: dict[int, dict[tuple[Any, ...], Array]] = {}
        self.made: dict[int, Any] = {}
        self.compiled: dict[int, Any] = {}
        self.kept: list[Any] = []

    def __call__(self, x: Any) -> Any:
        """The new value for `x`."""
        if id(x) in self.made:
            return self.made[id(x)]
        kind = kind_of(x)
        if kind is Kind.FLOAT:
            return self.number(x)
        if isinstance(x, types.MethodType):
            return self._remember(x, types.MethodType(x.__func__, self(x.__self__)))
        if kind is Kind.ARRAY:
            return self._object_array(x) if x.dtype == object else self._memory(x)
        if kind is Kind.RECORD:
            return self._remember(x, self._memory(record_memory(x))[()])
        if kind in (Kind.TUPLE, Kind.NAMEDTUPLE):
            items = [self(item) for item in x]
            return self.made.get(id(x)) or self._remember(x, namedtuple_make(x, items))
        if kind in (Kind.LIST, Kind.DICT):
            return self._container(x, kind)
        if kind in (Kind.FROZEN, Kind.STRUCT):
            made = self._remember(x, object.__new__(type(x)))
            for name in field_names(x):
                object.__setattr__(made, name, self(getattr(x, name)))
            return made
        if kind is Kind.INACTIVE:
            return x
        address = numba_types.object_address(x)
        if address not in self.compiled:
            self.compiled[address] = self._compiled(x, kind, address)
        return self.compiled[address]

    def _remember(self, x: Any, made: Any) -> Any:
        """Note what was made of `x`, which is kept so that its id stays its own."""
        self.made[id(x)] = made
        self.kept.append(x)
        return made

    def _memory(self, x: Array) -> Array:
        key = _key(x)
        block = self.blocks[key]
        if id(block) not in self.twins:
            twins = self.twins[id(block)] = block.twins()
            self.fill(block, twins)
        twin = self.twins[id(block)][key]
        made = twin if type(x) is np.ndarray else twin.view(type(x))
        if not x.flags.writeable:
            made = made.view()
            made.flags.writeable = False
        self._remember(x, made)
        return made

    def _object_array(self, x: Array) -> Array:
        made = np.empty_like(x)
        self._remember(x, made)
        for index in np.ndindex(x.shape):
            made[index] = self(x[index])
        return made

    def _container(self, x: Any, kind: Kind) -> Any:
        cls: Any = type(x)
        made = self._remember(x, cls.__new__(cls))
        if kind is Kind.LIST:
            made.extend(self(item) for item in x)
            return made
        if hasattr(x, "default_factory"):
            made.default_factory = x.default_factory
        made.update({key: self(item) for key, item in x.items()})
        return made

    def _compiled(self, x: Any, kind: Kind, address: int) -> Any:
        """A typed list, a typed dict or an instance of a jitclass or structref; it may be a part of itself."""
        if kind is Kind.INSTANCE:
            made = self.compiled[address] = numba_types.new_instance(x)
            numba_types.set_field_values(made, list(map(self, numba_types.field_values(x))))
            return self._remember(x, made)
        if not numba_types.has_items_type(x):
            return self._remember(x, type(x)())
        ty = x._numba_type_
        if kind is Kind.TYPED_LIST:
            made = self.compiled[address] = type(x).empty_list(ty.item_type, len(x))
            for item in x:
                made.append(self(item))
        else:
            made = self.compiled[address] = type(x).empty(ty.key_type, ty.value_type)
            for key, item in x.items():
                made[key] = self(item)
        return self._remember(x, made)


def copied(x: Any) -> Any:
    """Return a deep copy with the same strides and the same aliasing.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.arange(4.0)
    >>> whole, tail = copied((x, x[2:]))
    >>> tail[0] = 7.0
    >>> whole, x
    (array([0., 1., 7., 3.]), array([0., 1., 2., 3.]))
    """
    return Rebuild(x, lambda number: number, lambda block, twins: None)(x)


def assign(x: Any, source: Any) -> Any:
    """Give the floats in `x` the values of those in `source`, a value of the same structure.

    Memory and containers are written to; what is immutable is made anew.  Returns the result.

    Examples
    --------
    >>> import numpy as np
    >>> held = np.zeros(2)
    >>> new = assign((0.0, held), (1.5, np.ones(2)))
    >>> new[1] is held, new
    (True, (1.5, array([1., 1.])))
    """
    kind = kind_of(x)
    if kind is Kind.FLOAT:
        return source
    if isinstance(x, types.MethodType):
        return types.MethodType(x.__func__, assign(x.__self__, source.__self__))
    if kind in (Kind.TUPLE, Kind.NAMEDTUPLE):
        return namedtuple_make(x, [assign(a, b) for a, b in zip(x, source, strict=True)])
    if kind is Kind.ARRAY and x.dtype != object:
        for to, new in zip(float_views(x), float_views(source), strict=True):
            to[...] = new
    elif kind is Kind.RECORD:
        assign(record_memory(x), record_memory(source))
    elif kind is Kind.FROZEN:
        made = object.__new__(type(x))
        for name in field_names(x):
            object.__setattr__(made, name, assign(getattr(x, name), getattr(source, name)))
        return made
    elif kind is Kind.INSTANCE:
        pairs = zip(*map(numba_types.field_values, (x, source)), strict=True)
        numba_types.set_field_values(x, [assign(a, b) for a, b in pairs])
    elif kind is Kind.STRUCT:
        for name in list(field_names(x)):
            setattr(x, name, assign(getattr(x, name), getattr(source, name)))
    elif kind is not Kind.INACTIVE:
        keys: Any = range(len(x)) if kind in (Kind.LIST, Kind.TYPED_LIST) else list(x)
        for key in np.ndindex(x.shape) if kind is Kind.ARRAY else keys:
            x[key] = assign(x[key], source[key])
    return x
