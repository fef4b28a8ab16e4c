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
    "hvp_": "`hvp_inplace`",
    "gradient_": "`gradient_inplace`",
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
    return _sentence("enzyme", name, HERE.get(name))


def _sentence(module: str, name: str, found: str | None) -> str:
    hint = f"; in place of it there is {found}" if found else ""
    return f"module {module!r} has no attribute {name!r}{hint}"


# Switches of Enzyme's own, for all derivatives of a process, and what is here in their place.
SWITCHES: dict[str, str] = {
    "fast_math": "`set_fast_adjoints`",
    "looseTypeAnalysis": "nothing: where it is not known what memory holds, that is an error with its line, no guess",
    "loose_types": "nothing: where it is not known what memory holds, that is an error with its line, no guess",
    "maxtypeoffset": "nothing: there is no such bound",
    "memmove_warning": "nothing: a copy of memory of unknown type is an error with its line",
    "printactivity": '`print_after` with "activity"',
    "printall": "`print_after`, or `enzyme_code_typed`",
    "printtype": '`print_after` with "types"',
    "printunnecessary": '`print_after` with "cache_plan", or `explain`',
    "runtimeActivity": "`set_runtime_activity`",
    "strictAliasing": "nothing: memory of two types is followed as far as that is proven, else refused",
    "strict_aliasing": "nothing: memory of two types is followed as far as that is proven, else refused",
    "typeWarning": "nothing: what would be warned of is an error with its line",
    "verbose_errors": "ENZYME_FULL_TRACEBACK=1 in the environment",
}


def missing_switch(name: str) -> str:
    """What is said of a switch that `enzyme.api` has not, with or without `set_` in front.

    Examples
    --------
    >>> missing_switch("set_fast_math")
    "module 'enzyme.api' has no attribute 'set_fast_math'; in place of it there is `set_fast_adjoints`"
    """
    found = SWITCHES.get(name.removeprefix("set_").removesuffix("_"))
    return _sentence("enzyme.api", name, found)
