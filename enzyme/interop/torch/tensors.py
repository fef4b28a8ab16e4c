"""Tensors as arrays and numbers, and back, without copies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from enzyme.api.separate import own_elements
from enzyme.api.values import key_of
from enzyme.errors import ActivityError

_SMALL = 2**20
_TYPES = {
    np.dtype(name): getattr(torch, name)
    for name in "float32 float64 complex64 complex128 bool uint8 int8 int16 int32 int64".split()
}
_NUMPY = {theirs: ours for ours, theirs in _TYPES.items()}
# The complex numbers of two floats.
_COMPLEX = {torch.float32: torch.complex64, torch.float64: torch.complex128}
_REAL = {torch.float32, torch.float64}
_SINGLE = {torch.float32, torch.complex64}
_DOUBLE = (np.float64, np.complex128)
# What `item` gives of these is what compiled code is asked for most.
_PLAIN = {torch.float64, torch.complex128}


def value_of(x: Any, position: int) -> Any:
    """What compiled code gets for a tensor: an array in its memory, or a number if it has no axes."""
    if x.is_cpu and x.dtype in _REAL and x.ndim and x.is_contiguous():  # this once more, quickly
        return x.numpy(force=True)
    if x.device.type != "cpu" or x.layout is not torch.strided:
        raise ActivityError(
            what=f"argument {position} is a tensor on {x.device.type}, {x.layout}",
            why="numba's code runs on the processor, on dense memory",
            todo="pass x.cpu(), or x.to_dense()",
        )
    if x.dtype not in _NUMPY:
        raise ActivityError(
            what=f"argument {position} is a tensor of {x.dtype}",
            why="numba has float32, float64, complex64, complex128, and whole numbers",
            todo="pass x.float() or x.double(); of complex numbers x.to(torch.complex64)",
        )
    if not x.ndim:
        number = x.item()
        return number if x.dtype in _PLAIN else _NUMPY[x.dtype].type(number)
    x = x.detach()
    if x.is_conj():
        x = x.resolve_conj()
    if x.is_neg():
        x = x.resolve_neg()
    if not x.is_contiguous() and x.numel() * x.element_size() <= _SMALL:
        x = x.contiguous()  # a copy costs less than code for strides
    return x.numpy()


def plain_number(number: Any) -> Any:
    """A number of NumPy's as compiled code is asked for most."""
    if number.dtype == np.complex128:
        return complex(number)
    return float(number) if number.dtype == np.float64 else number


def numpy_type(dtype: Any) -> Any:
    """NumPy's name of a type of numbers."""
    return _NUMPY[dtype]


def type_of(y: Any, dtype: Any) -> Any:
    """PyTorch's type of an output where floats are of the type `dtype`."""
    found = _TYPES[np.asarray(y).dtype]
    if found.is_complex:
        return _COMPLEX[dtype]
    return dtype if found.is_floating_point else found


def tensor_of(y: Any, dtype: Any) -> Any:
    """An output: numbers are tensors without axes, floats are of the type `dtype`, complex numbers have such parts."""
    if not isinstance(y, np.ndarray):
        y = np.array(y)
    elif not (y.flags.c_contiguous and y.flags.writeable):
        y = _laid_out(y)
    made = torch.from_numpy(y)
    if made.dtype is dtype:
        return made
    wanted = type_of(y, dtype)
    return made if made.dtype is wanted else made.to(wanted)


def _laid_out(y: Any) -> Any:
    """The same with a place for each element, which PyTorch may write to, and in steps that it knows."""
    backwards = min(y.strides, default=0) < 0
    return y.copy() if backwards or not y.flags.writeable else own_elements(y)


def common_type(tensors: Any) -> Any:
    """The type of floats that come out: single precision if all floats and complex numbers that go in have it."""
    single = False
    for x in tensors:
        if isinstance(x, torch.Tensor):
            if x.dtype in _SINGLE:
                single = True
            elif is_differentiable(x):
                return torch.float64
        elif isinstance(x, np.ndarray) and x.dtype in _DOUBLE:
            return torch.float64
    return torch.float32 if single else torch.float64


def is_differentiable(x: Any) -> bool:
    """Is it a tensor of floats or complex numbers?"""
    return isinstance(x, torch.Tensor) and (x.dtype.is_floating_point or x.dtype.is_complex)


def kind_of(x: Any) -> Any:
    """What numba sees of a tensor before it runs, or of a constant."""
    return (x.dtype, x.ndim) if isinstance(x, torch.Tensor) else key_of(x)


def is_tensor(x: Any) -> bool:
    """Is it one of PyTorch's?"""
    return isinstance(x, torch.Tensor)


def is_fake(x: Any) -> bool:
    """Is it a tensor without numbers, with which PyTorch's compiler asks for shapes?"""
    return isinstance(x, torch._subclasses.FakeTensor)


def values_of(inputs: Sequence[Any]) -> list[Any]:
    """What compiled code gets; each argument is a value of its own, wherever its memory is."""
    found: list[Any] = []
    arrays = 0
    for k, x in enumerate(inputs):
        if isinstance(x, torch.Tensor):
            arrays += x.ndim > 0
            x = value_of(x, k)
        found.append(x)
    return _apart(inputs, found) if arrays > 1 else found


def _apart(inputs: Sequence[Any], values: list[Any]) -> list[Any]:
    """The values, with copies of arrays that are in the memory of one before."""
    seen: set[int] = set()
    found = []
    for x, value in zip(inputs, values, strict=True):
        if isinstance(x, torch.Tensor) and x.ndim:
            place = x.untyped_storage().data_ptr() if x.numel() else 0
            if place and place in seen:
                value = value.copy()
            seen.add(place)
        found.append(value)
    return found
