"""`objective` and `constraint`: what is minimised, and what bounds it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from enzyme.api.values import closure, jitted
from enzyme.errors import ActivityError
from enzyme.frontend.functions.weighed import weighed
from enzyme.functional import grad, hessian, hvp, jvp, value_and_grad
from enzyme.interop.scipy.fits import vector_function
from enzyme.interop.scipy.parameters import Keywords, Parameters, pickled

_SECOND = (None, "hvp", "dense")


@pickled
def objective(
    f: Callable[..., Any],
    argnums: Any = 0,
    args: Sequence[Any] = (),
    hess: str | None = None,
    *,
    x0: Any = None,
) -> Keywords:
    """What `scipy.optimize.minimize` and its relatives take of a function: value, gradient, second derivatives.

    Parameters
    ----------
    f
        A function that numba compiles; it returns a float.
    argnums
        The place of the parameters among the arguments of `f`, or a tuple of places.
    args
        The other arguments, in their order.
    hess
        ``"hvp"`` for products with the Hessian, which Newton-CG, trust-ncg, trust-krylov and trust-constr use;
        ``"dense"`` for the matrix, which these, dogleg and trust-exact take; left out for methods that use gradients.
    x0
        Where to start: a vector, or anything that `ravel` takes; with several `argnums` a tuple of those. It may be
        left out where the parameters are a vector.

    Returns
    -------
    Keywords
        ``fun``, which returns value and gradient, ``jac=True``, then ``hessp`` or ``hess``, and ``x0`` as a vector if
        it was given. Its `unravel` makes of a vector what `f` takes.

    Raises
    ------
    ActivityError
        For places that are not there, and for several places without `x0`.
    EnzymeError
        As `value_and_grad`, when SciPy calls it.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.optimize import minimize
    >>> from enzyme.interop.scipy import objective
    >>> def misfit(p, t, y):
    ...     return ((p["a"] * np.exp(-p["k"] * t) - y) ** 2).sum()
    >>> t = np.linspace(0.0, 2.0, 9)
    >>> problem = objective(misfit, args=(t, 3.0 * np.exp(-0.5 * t)), x0={"a": 1.0, "k": 1.0})
    >>> found = minimize(method="BFGS", **problem)
    >>> {name: round(value, 5) for name, value in problem.unravel(found.x).items()}
    {'a': 3.0, 'k': 0.5}
    """
    if hess not in _SECOND:
        raise ActivityError(
            what=f"an objective with hess={hess!r}", todo='write hess="hvp", hess="dense" or None'
        )
    p = Parameters("an objective", argnums, args, x0)
    both = value_and_grad(f, p.argnums)
    made = p.keywords(fun=_value_and_gradient(both, p), jac=True)
    if hess == "dense":
        second = hessian(f, p.argnums)

        def matrix(x: Any, *more: Any) -> Any:
            return p.square(second(*p.arguments(x, more)), x)

        made["hess"] = matrix
    if hess == "hvp":
        made["hessp"] = _product(f, p)
    return made


def _value_and_gradient(both: Callable[..., Any], p: Parameters) -> Callable[..., Any]:
    if p.is_vector and p.argnums == 0:
        args = p.args
        return lambda x, *more: both(x, *args, *more)

    def fun(x: Any, *more: Any) -> Any:
        value, gradient = both(*p.arguments(x, more))
        return value, p.flat(gradient)

    return fun


def _product(f: Any, p: Parameters) -> Callable[..., Any]:
    """Of the Hessian with a vector: forward mode over the gradient, along all parameters at once."""
    slope = grad(f, p.argnums)

    def hessp(x: Any, v: Any, *more: Any) -> Any:
        given = p.arguments(x, more)
        if p.alone and p.argnums == 0:
            return p.flat(hvp(f, given[0], p.unravel(np.asarray(v, float)), *given[1:]))
        direction = p.unravel(np.asarray(v, float))
        along: list[Any] = [None] * len(given)
        for place, one in zip(p.places, (direction,) if p.alone else direction, strict=True):
            along[place] = one
        return p.flat(jvp(slope, given, along)[1])

    return hessp


def constraint(
    f: Callable[..., Any],
    lb: Any,
    ub: Any,
    argnums: Any = 0,
    args: Sequence[Any] = (),
    *,
    x0: Any = None,
    hess: bool = False,
    **options: Any,
) -> Any:
    """A `scipy.optimize.NonlinearConstraint` ``lb <= f(x) <= ub`` with Jacobian and Hessian.

    Parameters
    ----------
    f
        A function that numba compiles; it returns a float or a vector.
    lb, ub, **options
        As for `NonlinearConstraint`.
    argnums, args, x0
        As for `objective`.
    hess
        Whether second derivatives are given; trust-constr uses them, and its estimates without them.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.optimize import minimize
    >>> from enzyme.interop.scipy import constraint, objective
    >>> circle = constraint(lambda x: (x * x).sum(), 0.0, 1.0)
    >>> sum_of = objective(lambda x: x[0] + x[1])
    >>> found = minimize(x0=np.array([0.1, 0.2]), method="SLSQP", constraints=[circle], **sum_of)
    >>> bool(np.allclose(found.x, -np.sqrt(0.5), atol=1e-5))
    True
    """
    from scipy.optimize import NonlinearConstraint

    p = Parameters("a constraint", argnums, args, x0)
    made = vector_function(f, p)
    if hess:
        options["hess"] = _of_lagrangian(f, p)
    return NonlinearConstraint(made.fun, lb, ub, jac=made.jac, **options)


def _of_lagrangian(f: Any, p: Parameters) -> Callable[..., Any]:
    """The Hessian of the product of the multipliers with the constraints."""
    count = len(p.args) + len(p.places)
    names = ", ".join(f"x{k}" for k in range(count))
    body = f"return weighed(np.sum(np.asarray(f({names})) * v))"
    weighted = closure(jitted(f, count), f"{names}, v", body, "lagrangian", np=np, weighed=weighed)
    second = hessian(weighted, p.argnums)

    def hess(x: Any, v: Any) -> Any:
        given = p.arguments(np.asarray(x, float))
        return p.square(second(*given, np.asarray(v, float)), x)

    return hess
