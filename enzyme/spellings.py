"""Names that users of other packages try first, and what does the same here."""

from __future__ import annotations

# In words; what stands in backquotes is a name of this package, or of the module that is written before it.
HERE: dict[str, str] = {
    # JAX
    "checkpoint": "nothing to write: what a loop keeps is planned, and `explain` shows it",
    "jit": "`numba.njit`",
    "numpy": "NumPy itself",
    "pmap": "`batch`",
    "ravel_pytree": "`ravel`",
    "remat": "nothing to write: what a loop keeps is planned, and `explain` shows it",
    "vmap": "`batch`",
    # autograd
    "elementwise_grad": "`batch` of `grad`",
    "grad_and_aux": "`grad` with has_aux=True",
    "hessian_vector_product": "`hvp`",
    "holomorphic_grad": "`gradient` with the mode `ReverseHolomorphic`",
    "make_ggnvp": "`jvp` and `vjp`, one behind the other",
    "make_hvp": "`hvp`",
    "make_jvp": "`jvp`",
    "make_vjp": "`vjp`",
    "multigrad_dict": "`grad` with argnums",
    # torch
    "detach": "`stop_gradient`",
    "grad_and_value": "`value_and_grad`",
    "no_grad": "`stop_gradient`",
    "vhp": "`hvp`: Hessians are symmetric",
    # Enzyme.jl
    "ignore_derivative": "`ignore_derivatives`",
    "make_zero_": "`make_zero_inplace`",
    "remake_zero": "`remake_zero_inplace`",
    # spellings
    "differentiate": "`grad`, or `autodiff`",
    "grads": "`grad`",
    "jac": "`jacfwd` or `jacrev`",
    "value_and_gradient": "`value_and_grad`",
}


def missing(name: str) -> str:
    """What is said of a name that the package has not.

    Examples
    --------
    >>> missing("vmap")
    "module 'enzyme' has no attribute 'vmap'; in place of it there is `batch`"
    """
    hint = f"; in place of it there is {HERE[name]}" if name in HERE else ""
    return f"module 'enzyme' has no attribute {name!r}{hint}"
