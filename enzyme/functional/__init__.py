"""Derivatives by the names that users of JAX know: functions that take a function and give one.

Written with `gradient`, `jacobian`, `autodiff` and thunks, as users could write it.
"""

from enzyme.frontend.marks import ignore_derivatives as stop_gradient
from enzyme.functional import jitted  # noqa: F401  (compiled code calls it)
from enzyme.functional.batching import batch
from enzyme.functional.c_addresses import cfunc_address
from enzyme.functional.custom import custom_jvp, custom_vjp
from enzyme.functional.first_order import grad, jacfwd, jacrev, value_and_grad
from enzyme.functional.products import jvp, linearize, vjp
from enzyme.functional.ravelled import ravel
from enzyme.functional.second_order import hessian, hvp, hvp_and_gradient_inplace, hvp_inplace

__all__ = [
    "batch",
    "cfunc_address",
    "custom_jvp",
    "custom_vjp",
    "grad",
    "hessian",
    "hvp",
    "hvp_and_gradient_inplace",
    "hvp_inplace",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "ravel",
    "stop_gradient",
    "value_and_grad",
    "vjp",
]
