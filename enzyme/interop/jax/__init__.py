"""Functions that numba compiles as functions of JAX's arrays, with derivatives of every order.

>>> import jax
>>> import jax.numpy as jnp
>>> from enzyme.interop.jax import function
>>> def decay(x, rate):
...     total = 0.0
...     for i in range(len(x)):
...         total += x[i] ** 2 / (1.0 + rate * i)
...     return total
>>> print(jax.jit(jax.grad(function(decay)))(jnp.array([1.0, 2.0, 3.0]), 1.0))
[2. 2. 2.]
"""

import importlib

import jax

from enzyme.interop.jax.functions import function

if jax.__version_info__[:2] in ((0, 10),):
    importlib.import_module("enzyme.interop.jax.linearized")

__all__ = ["function"]
