"""Tensors as arrays and numbers, and back, without copies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from enzyme.errors import ActivityError

_SMALL = 2**20
FLOATS = (torch.float32, torch.float64)
_TYPES = {
    np.dtype(name): getattr(torch, name)
    for name in "float32 float64 bool uint8 int8 int16 int32 int64".split()
}
_NUMPY = {theirs: ours for ours, theirs in _TYPES.items()}


def value_of(x: Any, position: int) -> Any:
    """What compiled code gets for a tensor: an array in its memory, or a number if it has no axes."""
    if x.device.type != "cpu" or x.layout is not torch.strided:
        raise ActivityError(
            what=f"argument {position} is a tensor on {x.device.type}, {x.layout}",
            why="numba's code runs on the processor, on dense memory",
            todo="pass x.cpu(), or x.to_dense()",
        )
    if x.dtype not in _NUMPY:
        raise ActivityError(
            what=f"argument {position} is a tensor of {x.dtype}",
            why="numba has float32, float64, and whole numbers",
            todo="pass x.float() or x.double(); of complex numbers torch.view_as_real(x)",
        )
    if not x.ndim:
        number = x.item()
        return number if x.dtype is torch.float64 else _NUMPY[x.dtype].type(number)
    x = x.detach()
    if x.is_neg():
        x = x.resolve_neg()
    if not x.is_contiguous() and x.numel() * x.element_size() <= _SMALL:
        x = x.contiguous()  # a copy costs less than code for strides
    return x.numpy()


def plain_number(number: Any) -> Any:
    """A number of NumPy's as compiled code is asked for most."""
    return float(number) if number.dtype == np.float64 else number


def numpy_type(dtype: Any) -> Any:
    """NumPy's name of a type of numbers."""
    return _NUMPY[dtype]


def torch_type(y: Any) -> Any:
    """PyTorch's name of the type of an output."""
    return _TYPES[np.asarray(y).dtype]


def tensor_of(y: Any, dtype: Any) -> Any:
    """An output: numbers are tensors without axes, floats are of the type `dtype`."""
    if isinstance(y, np.ndarray):
        made = torch.from_numpy(
            y if y.flags.c_contiguous or min(y.strides, default=0) >= 0 else y.copy()
        )
        return made.to(dtype) if y.dtype.kind == "f" and made.dtype is not dtype else made
    if isinstance(y, float | np.floating):
        return torch.scalar_tensor(y, dtype=dtype)
    return torch.tensor(y)


def common_type(tensors: Any) -> Any:
    """The type of numbers that come out: single precision if all floats that go in have it."""
    found = {x.dtype for x in tensors if isinstance(x, torch.Tensor) and x.dtype in FLOATS}
    double = any(isinstance(x, np.ndarray) and x.dtype == np.float64 for x in tensors)
    return torch.float32 if found == {torch.float32} and not double else torch.float64


def is_differentiable(x: Any) -> bool:
    """Is it a tensor of floats?"""
    return isinstance(x, torch.Tensor) and x.dtype in FLOATS


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
