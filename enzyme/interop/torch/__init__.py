"""Functions that numba compiles as functions of PyTorch's tensors, with derivatives of every order.

>>> import torch
>>> from enzyme.interop.torch import function
>>> def decay(x, rate):
...     total = 0.0
...     for i in range(len(x)):
...         total += x[i] ** 2 / (1.0 + rate * i)
...     return total
>>> x = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64, requires_grad=True)
>>> function(decay)(x, 1.0).backward()
>>> x.grad
tensor([2., 2., 2.], dtype=torch.float64)
"""

from enzyme.interop.torch.functions import Module, function

__all__ = ["Module", "function"]
