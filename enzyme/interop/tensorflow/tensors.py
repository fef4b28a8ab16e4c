"""Tensors as arrays and numbers, and back, without copies where memory allows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import tensorflow as tf

from enzyme.api.values import key_of
from enzyme.errors import ActivityError

# The kernels of TensorFlow end the process where memory is not aligned to this.
_ALIGNMENT = 64
_SMALL = 2**12  # bytes that TensorFlow copies faster than it shares
_SINGLE = {"float64": "float32", "complex128": "complex64"}
_DOUBLE = {single: double for double, single in _SINGLE.items()}
TYPES = {
    getattr(tf, name): np.dtype(name)
    for name in "float32 float64 complex64 complex128 bool uint8 int8 uint16 int16 uint32 int32 uint64 int64".split()
}


class _Shared:
    """The memory of a tensor, for NumPy. Functions that write get copies, so nobody writes to it."""

    def __init__(self, x: Any) -> None:
        self.owner = np.from_dlpack(x)
        interface = self.owner.__array_interface__
        self.__array_interface__ = {**interface, "data": (interface["data"][0], False)}


def as_tensor(x: Any, position: int) -> Any:
    """A tensor for what TensorFlow takes for one, else the argument as it is, a constant.

    Raises
    ------
    ActivityError
        For tensors that are no dense numbers.
    """
    if isinstance(x, tf.RaggedTensor | tf.SparseTensor | tf.IndexedSlices):
        raise ActivityError(
            what=f"argument {position} is a {type(x).__name__}",
            why="numba's code runs on dense memory",
            todo="pass tf.sparse.to_dense(x), x.to_tensor() or tf.convert_to_tensor(x)",
        )
    if not isinstance(x, tf.Tensor):
        if not is_tensor(x):
            return x
        x = tf.convert_to_tensor(x)  # a variable, of Keras too
    if x.dtype not in TYPES:
        raise ActivityError(
            what=f"argument {position} is a tensor of {x.dtype.name}",
            why="numba has float32, float64, complex64, complex128, and whole numbers",
            todo="pass tf.cast(x, tf.float32) or tf.cast(x, tf.float64)",
        )
    return x


def is_tensor(x: Any) -> bool:
    """Is it one of TensorFlow's, or a variable?"""
    return isinstance(x, tf.Tensor | tf.Variable) or hasattr(x, "__tf_tensor__")


def kind_of(x: Any) -> Any:
    """What numba sees of a tensor before it runs, or of a constant."""
    return (x.dtype, x.shape.rank) if isinstance(x, tf.Tensor) else key_of(x)


def is_differentiable(x: Any) -> bool:
    """Is it a tensor of floats or complex numbers?"""
    return isinstance(x, tf.Tensor) and (x.dtype.is_floating or x.dtype.is_complex)


def is_single(inputs: Iterable[Any]) -> bool:
    """Does all that goes in have single precision?"""
    kinds = {
        TYPES[x.dtype].name if isinstance(x, tf.Tensor) else x.dtype.name
        for x in inputs
        if isinstance(x, tf.Tensor | np.ndarray)
    }
    return not kinds.isdisjoint(_DOUBLE) and kinds.isdisjoint(_SINGLE)


def type_of(dtype: Any, single: bool) -> Any:
    """TensorFlow's type of an output of a type of NumPy's: of single precision if all that goes in is."""
    name = dtype.name
    return tf.as_dtype(_SINGLE.get(name, name) if single else _DOUBLE.get(name, name))


def values_of(inputs: Sequence[Any]) -> list[Any]:
    """What compiled code gets for tensors; each argument is a value of its own, wherever its memory is."""
    return separated(
        [_value(x, k) if isinstance(x, tf.Tensor) else x for k, x in enumerate(inputs)]
    )


def separated(values: Iterable[Any]) -> list[Any]:
    """The arrays and numbers, without axes as plain numbers, and a copy of what is there already."""
    found: list[Any] = []
    seen: set[int] = set()
    for x in values:
        if isinstance(x, np.ndarray | np.generic) and not x.ndim:
            number: Any = np.asarray(x)[()]
            x = float(number) if number.dtype == np.float64 else number
        elif isinstance(x, np.ndarray) and x.size:
            place = x.__array_interface__["data"][0]
            if place in seen:
                x = x.copy()
            seen.add(place)
        found.append(x)
    return found


def _value(x: Any, position: int) -> Any:
    if not x.shape.rank:
        return x.numpy()
    if "CPU" not in x.device:
        raise ActivityError(
            what=f"argument {position} is a tensor on {x.device}",
            why="numba's code runs on the processor",
            todo="call the function under tf.device('CPU'), with tf.identity(x)",
        )
    return np.asarray(_Shared(x))


def arrays_of(outputs: Iterable[Any], dtypes: Iterable[Any]) -> list[Any]:
    """Outputs as arrays of these types, each in memory of its own. Beyond single precision is infinity."""
    with np.errstate(over="ignore"):
        found = [
            np.ascontiguousarray(y, TYPES[dtype]) if np.ndim(y) else np.asarray(y, TYPES[dtype])
            for y, dtype in zip(outputs, dtypes, strict=True)
        ]
    for j, k in combinations(range(len(found)), 2):
        if np.may_share_memory(found[j], found[k]):
            found[k] = found[k].copy()
    return found


def tensor_of(y: Any) -> Any:
    """A tensor in the memory of an array, or of a copy where TensorFlow cannot use that."""
    if y.nbytes < _SMALL or not y.ndim:
        return tf.constant(y)
    if not y.flags.writeable or y.__array_interface__["data"][0] % _ALIGNMENT:
        y = _aligned(y)
    return tf.experimental.dlpack.from_dlpack(y.__dlpack__())


def _aligned(y: Any) -> Any:
    """A copy; `tf.constant` would make two."""
    room = np.empty(y.nbytes + _ALIGNMENT, np.uint8)
    start = -room.__array_interface__["data"][0] % _ALIGNMENT
    made = room[start : start + y.nbytes].view(y.dtype).reshape(y.shape)
    made[...] = y
    return made
