"""Functions that numba compiles as functions of JAX's arrays, with derivatives of every order."""

from enzyme.interop.jax.functions import function

__all__ = ["function"]
